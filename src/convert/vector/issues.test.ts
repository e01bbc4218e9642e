/** One broken fixture for each issue of vector tiles. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { GmlSource } from '../part-maker.ts';
import { gmlSource } from '../read/testing/gml-source.ts';
import { makeVectorTiles } from './testing/made-tiles.ts';

const PATH = 'udx/luse/52385500_luse_6697_op.gml';
const GOOD = surface('good', [
  [35.0001, 138.6251],
  [35.0001, 138.6255],
  [35.0004, 138.6255],
  [35.0004, 138.6251],
]);

type Ring = ReadonlyArray<readonly [lat: number, lng: number]>;

function surface(id: string, ring: Ring, extra = ''): string {
  const positions = [...ring, ring[0]!].map(([lat, lng]) => `${lat} ${lng} 0`).join(' ');
  return `<core:cityObjectMember><luse:LandUse gml:id="${id}">${extra}<luse:lod1MultiSurface><gml:MultiSurface><gml:surfaceMember><gml:Polygon><gml:exterior><gml:LinearRing><gml:posList>${positions}</gml:posList></gml:LinearRing></gml:exterior></gml:Polygon></gml:surfaceMember></gml:MultiSurface></luse:lod1MultiSurface></luse:LandUse></core:cityObjectMember>`;
}

function source(...members: string[]): GmlSource {
  const text = `<core:CityModel xmlns:core="http://www.opengis.net/citygml/2.0" xmlns:gml="http://www.opengis.net/gml" xmlns:luse="http://www.opengis.net/citygml/landuse/2.0"><gml:boundedBy><gml:Envelope srsName="EPSG:6697" srsDimension="3"/></gml:boundedBy>${members.join('\n')}</core:CityModel>`;
  return gmlSource(PATH, new Map([[PATH, Buffer.from(text)]]));
}

async function issuesOf(...members: string[]) {
  const { issues, packages } = await makeVectorTiles([source(GOOD, ...members)]);
  // The good feature is there, whatever the others are.
  assert.ok(packages.get('luse_mvt')!.size > 5);
  return issues.map(({ code, file, id, count }) => ({ code, file, id, count }));
}

test('a feature without an area is too small', async () => {
  const place = [35.0002, 138.6252] as const;
  const dot = surface('dot', [place, [35.0002, 138.62520001], [35.00020001, 138.6252]]);
  assert.deepEqual(await issuesOf(dot, dot.replace('dot', 'dot2')), [
    { code: 'SHAPE_TOO_SMALL', file: PATH, id: 'dot', count: 2 },
  ]);
});

test('a feature with a wrong position is too wide for high zooms', async () => {
  const wide = surface('wide', [
    [35, 138],
    [-60, -100],
    [60, 20],
  ]);
  const found = await issuesOf(wide);
  assert.equal(found.length, 1);
  assert.equal(found[0]!.code, 'FEATURE_TOO_WIDE');
  assert.equal(found[0]!.id, 'wide');
});

test('a feature of more than 16 MB is left out', async () => {
  const huge = surface(
    'huge',
    [
      [35.0001, 138.6251],
      [35.0001, 138.6255],
      [35.0004, 138.6255],
    ],
    `<gml:name>${'あ'.repeat(6_000_000)}</gml:name>`,
  );
  assert.deepEqual(await issuesOf(huge), [
    { code: 'FEATURE_TOO_LARGE', file: PATH, id: `${PATH}#1`, count: 1 },
  ]);
});

test('a crowded tile says how many features it does not show', async () => {
  const members: string[] = [];
  for (let i = 0; i < 1_500; i++) {
    const [lat, lng] = [35.0001 + (i % 40) * 1e-5, 138.6251 + Math.floor(i / 40) * 1e-5];
    // Texts that hardly compress, 800 bytes each.
    let text = '';
    for (let k = 0; text.length < 800; k++)
      text += (Math.sin(i * 977 + k) * 1e9).toString(36).replace(/\W/g, '');
    const ring: Ring = [
      [lat, lng],
      [lat, lng + 8e-6],
      [lat + 8e-6, lng + 8e-6],
    ];
    members.push(surface(`small_${i}`, ring, `<gml:name>${text}</gml:name>`));
  }
  const [issue, ...others] = await issuesOf(...members);
  assert.deepEqual(others, []);
  assert.equal(issue!.code, 'TILES_CROWDED');
  assert.ok(issue!.count > 100);
});

test('a file in an unknown coordinate system has no tiles and says why', async () => {
  const gml = `<core:CityModel xmlns:core="http://www.opengis.net/citygml/2.0" xmlns:gml="http://www.opengis.net/gml" xmlns:luse="http://www.opengis.net/citygml/landuse/2.0"><gml:boundedBy><gml:Envelope srsName="EPSG:99999" srsDimension="3"/></gml:boundedBy>${GOOD}</core:CityModel>`;
  const { issues, packages } = await makeVectorTiles([gmlSource(PATH, new Map([[PATH, Buffer.from(gml)]]))]);
  assert.equal(packages.size, 0);
  assert.deepEqual(
    issues.map(({ code, id, count }) => [code, id, count]),
    [['CRS_UNKNOWN', 'good', 1]],
  );
});
