import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Footprint } from '@citymodel/citygml';
import { SummaryBuilder } from './layer-summary.ts';
import type { FieldType } from './vector-properties.ts';

const shape = (parts: Partial<Footprint>) =>
  ({ polygons: [], lines: [], points: [], ...parts }) as unknown as Footprint;
const fields = (all: Record<string, FieldType>) => new Map(Object.entries(all));
const path = (...numbers: number[]) => Float64Array.from(numbers);

test('a layer has the geometry of its first feature, and all places are within its bounds', () => {
  const builder = new SummaryBuilder();
  builder.add('b', shape({ points: [path(3, 4)] }), fields({ name: 'String' }));
  builder.add('a', shape({ lines: [path(-1, 0, 5, 6)], points: [path(0, 0)] }), fields({}));
  builder.add(
    'c',
    shape({ polygons: [[path(1, -2, 2, -2, 2, 9), path(-50, -50)]], lines: [path(0, 0)] }),
    fields({}),
  );
  builder.add('c', shape({ points: [path(7, 0)] }), fields({}));
  const { layers, bounds } = builder.result();
  assert.deepEqual(
    Object.entries(layers).map(([name, { features, geometry }]) => [name, features, geometry]),
    [
      ['a', 1, 'LineString'],
      ['b', 1, 'Point'],
      ['c', 2, 'Polygon'],
    ],
  );
  assert.deepEqual(bounds, { west: -1, south: -2, east: 7, north: 9 }, 'holes are within');
  assert.equal(builder.features, 4);
});

test('a column of two types is one of texts, also where summaries are joined', () => {
  const one = new SummaryBuilder();
  const point = shape({ points: [path(0, 0)] });
  one.add('a', point, fields({ year: 'Number', isOld: 'Number', name: 'String' }));
  one.add('a', point, fields({ year: 'Number', isOld: 'Number', name: 'Number' }));
  const other = new SummaryBuilder();
  other.add('a', shape({ points: [path(8, 9)] }), fields({ year: 'String', more: 'Number' }));
  other.merge(one.result());
  const { layers, bounds } = other.result();
  assert.deepEqual(layers.a!.fields, { isOld: 'Number', more: 'Number', name: 'String', year: 'String' });
  assert.deepEqual(Object.keys(layers.a!.fields), ['isOld', 'more', 'name', 'year']);
  assert.deepEqual([layers.a!.features, other.features], [3, 3]);
  assert.deepEqual(bounds, { west: 0, south: 0, east: 8, north: 9 });
});
