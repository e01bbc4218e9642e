import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NamedValue } from './attribute-values.ts';
import { appearanceOf, type Change, changeBetween, type GeometryChange } from './difference.ts';
import type { FeatureRecord } from './feature-record.ts';
import type { ComparedShape } from './feature-shape.ts';
import { LocalPlane } from './local-plane.ts';
import type { Outline } from './outline.ts';

const OUTLINE: Outline = { type: 'Polygon', coordinates: [] };

function shapeOf(changes: Partial<ComparedShape> = {}): ComparedShape {
  return {
    digest: 'a',
    lods: [1],
    lod: 1,
    bounds: [139, 35, 139.1, 35.1],
    centre: [139.05, 35.05],
    height: 6,
    area: 80,
    volume: 480,
    rings: [],
    outline: OUTLINE,
    ...changes,
  };
}

function recordOf(
  shape: ComparedShape | null,
  attributes: Record<string, NamedValue> = {},
  id: string | null = 'one',
): FeatureRecord {
  return { id, stableId: null, type: 'bldg:Building', attributes: Object.entries(attributes), shape };
}

function geometryOf(before: ComparedShape | null, after: ComparedShape | null): GeometryChange {
  return changeBetween(recordOf(before), recordOf(after), 'id')!.geometry!;
}

test('what only one edition has is told with its place and sizes in thousandths', () => {
  const shape = shapeOf({ height: 6.0004, area: 80.0006, volume: 480.12345, lods: [1, 2] });
  assert.deepEqual(appearanceOf('added', recordOf(shape)), {
    change: 'added',
    type: 'bldg:Building',
    id: 'one',
    bounds: shape.bounds,
    centre: shape.centre,
    outline: OUTLINE,
    height: 6,
    footprintArea: 80.001,
    volume: 480.123,
    lods: [1, 2],
  });
  assert.deepEqual(appearanceOf('removed', recordOf(null, {}, null)), {
    change: 'removed',
    type: 'bldg:Building',
    id: null,
    bounds: null,
    centre: null,
    outline: null,
    height: null,
    footprintArea: null,
    volume: null,
    lods: [],
  });
});

test('the same values and the same shape are no change, whatever the ids', () => {
  const usage = { 'bldg:usage': { value: '401', label: '業務施設' } };
  const same = { 'bldg:usage': { value: '401', label: 'office' } };
  const [before, after] = [recordOf(shapeOf(), usage), recordOf(shapeOf(), same, 'two')];
  assert.equal(changeBetween(before, after, 'footprint'), null);
  assert.equal(changeBetween(recordOf(null), recordOf(null), 'id'), null);
});

test('attributes that came, went or changed are told in the order of the newer edition, those that went last', () => {
  const before = { gone: { value: 1 }, kept: { value: [1, { b: 2, a: 1 }] }, other: { value: 'x' } };
  const after = { fresh: { value: null }, other: { value: 'y' }, kept: { value: [1, { a: 1, b: 2 }] } };
  const change = changeBetween(recordOf(shapeOf(), before), recordOf(shapeOf(), after, 'two'), 'stableId');
  assert.deepEqual(change, {
    change: 'changed',
    type: 'bldg:Building',
    id: 'two',
    fromId: 'one',
    bounds: shapeOf().bounds,
    centre: shapeOf().centre,
    outline: OUTLINE,
    matchedBy: 'stableId',
    attributes: [
      { name: 'fresh', to: { value: null } },
      { name: 'other', from: { value: 'x' }, to: { value: 'y' } },
      { name: 'gone', from: { value: 1 } },
    ],
    attributesLeft: 0,
    geometry: null,
  });
});

test('changed attributes are listed up to 20,000 characters, and those behind them are counted', () => {
  /** An attribute whose change has so many characters of JSON. */
  const sized = (name: string, length: number): Record<string, NamedValue> => {
    const empty = JSON.stringify({ name, to: { value: '' } }).length;
    return { [name]: { value: 'x'.repeat(length - empty) } };
  };
  const listed = (...sizes: number[]) => {
    const attributes = Object.assign({}, ...sizes.map((size, i) => sized(`a${i}`, size)));
    const { attributes: names, attributesLeft } = changeBetween(
      recordOf(null),
      recordOf(null, attributes),
      'id',
    ) as Change;
    return [names.map(({ name }) => name).join(), attributesLeft];
  };
  assert.deepEqual(listed(15_000, 5_000), ['a0,a1', 0]);
  assert.deepEqual(listed(15_000, 5_001), ['a0', 1]);
  assert.deepEqual(listed(15_000, 5_001, 60), ['a0', 2], 'none after one that did not fit');
  assert.deepEqual(listed(20_001, 60), ['', 2]);
});

test('a shape that came or went has no way that it moved, and the place of the edition that has it', () => {
  const old = { ...recordOf(shapeOf({ lods: [2] })), type: 'bldg:Old' };
  const gone = changeBetween(old, recordOf(null, {}, 'two'), 'id')!;
  assert.deepEqual([gone.type, gone.id, gone.bounds], ['bldg:Building', 'two', shapeOf().bounds]);
  const elsewhere = shapeOf({ digest: 'b', bounds: [1, 2, 3, 4], centre: [2, 3] });
  const moved = changeBetween(old, recordOf(elsewhere), 'id')!;
  assert.deepEqual([moved.bounds, moved.centre], [elsewhere.bounds, elsewhere.centre]);
  assert.deepEqual(gone.geometry, {
    movedBy: null,
    height: { from: 6, to: null },
    footprintArea: { from: 80, to: null },
    volume: { from: 480, to: null },
    lods: { from: [2], to: [] },
  });
  assert.deepEqual(geometryOf(null, shapeOf({ lods: [2] })), {
    movedBy: null,
    height: { from: null, to: 6 },
    footprintArea: { from: null, to: 80 },
    volume: { from: null, to: 480 },
    lods: { from: [], to: [2] },
  });
});

test('a place is compared at the same level of detail, from a centimetre on, in metres', () => {
  const [lng, lat] = shapeOf().centre;
  const plane = new LocalPlane(lng, lat);
  const north = (metres: number, changes: Partial<ComparedShape> = {}) =>
    geometryOf(shapeOf(), shapeOf({ digest: 'b', centre: [lng, plane.lat(metres)], ...changes }));
  assert.equal(north(0).movedBy, 0);
  assert.equal(north(0.009).movedBy, 0);
  assert.equal(north(0.0104).movedBy, 0.01);
  assert.equal(north(12).movedBy, 12);
  assert.equal(north(12, { lod: 2 }).movedBy, null);
  assert.equal(north(12, { lod: null }).movedBy, null);
});

test('sizes within a tolerance are one size, that of the newer edition', () => {
  const sizes = (before: Partial<ComparedShape>, after: Partial<ComparedShape>) => {
    const { height, footprintArea, volume } = geometryOf(shapeOf(before), shapeOf({ digest: 'b', ...after }));
    return { height, footprintArea, volume };
  };
  assert.deepEqual(
    sizes({ height: 6, area: 80, volume: 480 }, { height: 6.009, area: 80.09, volume: 480.4 }),
    {
      height: { from: 6.009, to: 6.009 },
      footprintArea: { from: 80.09, to: 80.09 },
      volume: { from: 480.4, to: 480.4 },
    },
  );
  // Powers of two, which are exact.
  assert.deepEqual(
    sizes({ height: 6, area: 80, volume: 480.5 }, { height: 6.011, area: 80.125, volume: 480 }),
    {
      height: { from: 6, to: 6.011 },
      footprintArea: { from: 80, to: 80.125 },
      volume: { from: 480.5, to: 480 },
    },
  );
  assert.deepEqual(sizes({ height: null, area: 0, volume: null }, { height: 0, area: null, volume: null }), {
    height: { from: null, to: 0 },
    footprintArea: { from: 0, to: null },
    volume: { from: null, to: null },
  });
});
