import assert from 'node:assert/strict';
import test from 'node:test';
import { anyText } from '@citymodel/base/testing';
import fc from 'fast-check';
import { ColumnType } from 'flatgeobuf/lib/mjs/flat-geobuf/column-type.js';
import { buildFeature } from 'flatgeobuf/lib/mjs/generic/feature.js';
import { parseGeometry } from 'flatgeobuf/lib/mjs/geojson/geometry.js';
import type { HeaderMeta } from 'flatgeobuf/lib/mjs/header-meta.js';
import { FeatureTable } from './feature-table.ts';
import { flatGeobufFeature } from './flatgeobuf-feature.ts';
import { SpoolSpace } from './record-spool.ts';

const POINT = { type: 'Point' as const, coordinates: [139.5, 35.5, 4] };
const TYPES = { number: ColumnType.Double, boolean: ColumnType.Bool, string: ColumnType.String };

test('a feature has the bytes that the library writes from all columns', async () => {
  const cell = fc.oneof(anyText(), fc.double({ noNaN: true }), fc.boolean(), fc.constant(null));
  const room = { memoryBytes: 1e6, space: new SpoolSpace('/nowhere', 0) };
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.dictionary(fc.constantFrom('a', 'b', 'c', '高さ', 'e'), cell), { minLength: 1 }),
      async (features) => {
        const table = new FeatureTable<ReturnType<typeof parseGeometry>>(room);
        const shape = parseGeometry(POINT);
        await table.keep(features.map((values) => table.row(new Map(Object.entries(values)), shape)));
        const columns = table.columns.map(({ name, type }) => ({ name, type: TYPES[type] }));
        const header = { columns } as unknown as HeaderMeta;
        for (const row of (await allOf(table.rows())).flat()) {
          const properties = Object.fromEntries(
            table.columns.map(({ name, type }, column) => {
              const value = row.cells[row.columns.indexOf(column)] ?? null;
              return [name, type === 'string' && value !== null ? String(value) : value];
            }),
          );
          assert.deepEqual(
            Buffer.from(flatGeobufFeature(row, table.columns)),
            Buffer.from(buildFeature(parseGeometry(POINT), properties, header)),
          );
        }
      },
    ),
  );
});

async function allOf<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}
