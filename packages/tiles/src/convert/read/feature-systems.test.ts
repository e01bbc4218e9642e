import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CoordinateDefaults } from '@citymodel/citygml';
import { fixture } from '../tiles3d/testing/fixture-gml.ts';
import { readGml } from './features.ts';
import { partContext } from './testing/gml-source.ts';

async function defaultsOf(inside: string, srs: string | null): Promise<CoordinateDefaults> {
  const gml = fixture(
    [`<core:cityObjectMember><bldg:Building gml:id="a">${inside}</bldg:Building></core:cityObjectMember>`],
    { srs },
  );
  for await (const item of readGml(gml, partContext(''))) if (item.kind === 'feature') return item.defaults;
  return assert.fail('there is no feature');
}

const envelope = (srs: string) =>
  `<gml:boundedBy><gml:Envelope srsName="${srs}" srsDimension="3"><gml:lowerCorner>35 139 0</gml:lowerCorner>` +
  '<gml:upperCorner>35 139 0</gml:upperCorner></gml:Envelope></gml:boundedBy>';
const surface = (srs: string) =>
  `<bldg:lod1Solid><gml:Null/><gml:MultiSurface srsName="${srs}"/></bldg:lod1Solid>`;

test('the system of a feature is that of its envelope, of its file, or the first that its geometry names', async () => {
  const both = surface('EPSG:6675') + surface('EPSG:6676');
  assert.equal((await defaultsOf(both, null)).srsName, 'EPSG:6675');
  assert.equal((await defaultsOf(both, 'EPSG:6697')).srsName, 'EPSG:6697');
  assert.equal((await defaultsOf(envelope('EPSG:6677') + both, 'EPSG:6697')).srsName, 'EPSG:6677');
  assert.equal((await defaultsOf('<bldg:usage/>', null)).srsName, null);
});
