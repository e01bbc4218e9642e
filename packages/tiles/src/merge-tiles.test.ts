/** Merged tiles read back by the reader that viewers use. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VectorTile } from '@mapbox/vector-tile';
import { fromGeojsonVt } from '@maplibre/vt-pbf';
import fc from 'fast-check';
import { PbfReader } from 'pbf';
import { mergeTiles } from './merge-tiles.ts';

const scalar = fc.oneof(
  fc.integer(),
  fc.string({ maxLength: 5 }),
  fc.boolean(),
  fc.integer().map((n) => n + 0.5),
);
const feature = fc.record({
  id: fc.nat(),
  type: fc.constant(1 as const),
  geometry: fc.array(fc.tuple(fc.nat(4_096), fc.nat(4_096)), { minLength: 1, maxLength: 2 }),
  tags: fc.dictionary(fc.constantFrom('a', 'b', '高さ', 'c'), scalar),
});
const tile = fc.dictionary(
  fc.constantFrom('Building', 'Road'),
  fc.array(feature, { minLength: 1, maxLength: 4 }),
);
type Tile = Record<string, Array<Record<string, unknown>>>;

const encoded = (layers: Tile) =>
  fromGeojsonVt(
    Object.fromEntries(Object.entries(layers).map(([name, features]) => [name, { features }])) as never,
    { version: 2, extent: 4_096 },
  );

/** Features of a tile by layer. */
function read(bytes: Uint8Array): Record<string, unknown[]> {
  const { layers } = new VectorTile(new PbfReader(bytes));
  return Object.fromEntries(
    Object.entries(layers).map(([name, layer]) => [
      name,
      Array.from({ length: layer.length }, (_, i) => {
        const one = layer.feature(i);
        return {
          id: one.id,
          type: one.type,
          properties: { ...one.properties },
          geometry: one.loadGeometry(),
        };
      }),
    ]),
  );
}

test('merged tiles have the features of each, layer by layer', () => {
  fc.assert(
    fc.property(fc.array(tile, { minLength: 1, maxLength: 4 }), (tiles) => {
      const parts = tiles.map((one) => encoded(one as Tile));
      const expected: Record<string, unknown[]> = {};
      for (const part of parts)
        for (const [name, features] of Object.entries(read(part)))
          expected[name] = [...(expected[name] ?? []), ...features];
      const { bytes, leftOut } = mergeTiles(parts);
      assert.equal(leftOut, 0);
      assert.deepEqual(read(bytes), expected);
    }),
  );
});

test('layers of another extent are counted, and no tile is none', () => {
  const other = fromGeojsonVt({ Road: { features: [] } } as never, { version: 2, extent: 512 });
  const usual = encoded({ Road: [] });
  assert.equal(mergeTiles([usual, other]).leftOut, 1);
  assert.equal(mergeTiles([]).bytes.length, 0);
  assert.throws(() => mergeTiles([Uint8Array.of(0x1a, 0xff)]));
});
