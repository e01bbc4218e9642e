import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LodGeometry, XmlElement } from '@citymodel/citygml';
import { isInteriorAsked, withInterior } from './interiors.ts';

test('the inside is wanted with all levels, and with those that CityGML 3.0 or 2.0 has it at', () => {
  const asked = (...lods: number[]) => isInteriorAsked({ lods });
  assert.equal(isInteriorAsked({ lods: null }), true);
  assert.deepEqual([asked(3), asked(4), asked(1, 4), asked(3, 4)], [true, true, true, true]);
  assert.deepEqual([asked(), asked(1, 2), asked(0)], [false, false, false]);
});

test('each room goes to level 4 by the highest of its own levels; the outside stays', () => {
  const rooms = ['a', 'b', 'c', 'd'].map((name) => ({ name }) as XmlElement);
  const at = (lod: number | null, room?: number): LodGeometry =>
    ({ lod, ...(room === undefined ? {} : { interior: rooms[room] }) }) as LodGeometry;
  const outside = [at(1), at(3), at(null)];
  assert.equal(withInterior(outside), null);
  // At level 4 already, at none, or on the ground.
  assert.equal(withInterior([...outside, at(4, 0), at(null, 1), at(0, 2)]), null);
  const all = [at(3), at(1, 0), at(3, 0), at(2, 0), at(1, 1), at(4, 2), at(0, 3), at(3, 3), at(3, 3)];
  assert.deepEqual(withInterior(all), [at(3), at(4, 0), at(4, 1), at(4, 2), at(0, 3), at(4, 3), at(4, 3)]);
});
