import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LodGeometry, XmlElement } from '@citymodel/citygml';
import { byOwner } from './road-areas.ts';

const element = (name: string): XmlElement => ({ name, attributes: {}, children: [], text: '' });
const geometry = (owner: XmlElement, lod: number) => ({ owner, lod }) as LodGeometry;

test('areas of a road have their own geometry, and the road what has no areas at its level', () => {
  const [road, area, beside, section] = [
    ...['tran:Road', 'tran:TrafficArea', 'tran:AuxiliaryTrafficArea', 'tran:Section'].map(element),
  ] as [XmlElement, XmlElement, XmlElement, XmlElement];
  const [whole, divided] = [geometry(road, 1), geometry(road, 2)];
  const [first, second] = [geometry(area, 2), geometry(area, 3)];
  const [other, part] = [geometry(beside, 2), geometry(section, 1)];
  const groups = byOwner(road, [whole, divided, first, part, other, second]);
  assert.deepEqual(
    [...groups].map(([owner, own]) => [owner.name, own]),
    [
      ['tran:Road', [whole, part]],
      ['tran:TrafficArea', [first, second]],
      ['tran:AuxiliaryTrafficArea', [other]],
    ],
  );
});
