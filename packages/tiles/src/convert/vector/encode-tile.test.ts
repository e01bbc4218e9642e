import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { VectorTile } from '@mapbox/vector-tile';
import { PbfReader } from 'pbf';
import { encodeTile, largest, MAX_TILE_BYTES } from './encode-tile.ts';
import type { TileRecord } from './tile-records.ts';

/** Bytes that gzip finds nothing in, always the same. */
const NOISE = createHash('shake256', { outputLength: 1_300_000 }).digest();

/** A record, the properties of which are a list of names and values in turn. */
const record = (id: number, part: Partial<TileRecord> = {}): TileRecord => ({
  ...{
    tile: 0,
    id,
    weight: 1,
    type: 1,
    layer: 'a',
    properties: Buffer.from('[]'),
    commands: Buffer.of(9, 0, 0),
  },
  ...part,
});
const records = (count: number, size: number, part: Partial<TileRecord> = {}) =>
  Array.from({ length: count }, (_, id) =>
    record(id, { commands: NOISE.subarray(id * size, (id + 1) * size), ...part }),
  );

function decoded(bytes: Uint8Array): Record<string, number[]> {
  const { layers } = new VectorTile(new PbfReader(bytes));
  return Object.fromEntries(
    Object.entries(layers).map(([name, layer]) => [
      name,
      Array.from({ length: layer.length }, (_, i) => layer.feature(i).id!),
    ]),
  );
}

test('the heaviest records are kept in their order, of equal ones the earlier', () => {
  const weights = [3, 1, 2, 3, 2, 2];
  const all = weights.map((weight, id) => record(id, { weight }));
  const kept = (count: number) => largest(all, count).map(({ id }) => id);
  assert.deepEqual([0, 1, 2, 3, 4, 9].map(kept), [
    [],
    [0],
    [0, 3],
    [0, 2, 3],
    [0, 2, 3, 4],
    [0, 1, 2, 3, 4, 5],
  ]);
});

test('a tile that is small, or small when it is compressed, keeps everything', () => {
  const small = encodeTile(records(400, 1_000));
  assert.deepEqual([small.dropped, decoded(small.bytes).a!.length], [0, 400]);
  const even = encodeTile(records(700, 0, { commands: new Uint8Array(1_000) }));
  assert.ok(even.bytes.length > MAX_TILE_BYTES && gzipSync(even.bytes).length < MAX_TILE_BYTES);
  assert.equal(even.dropped, 0);
});

test('a tile that is several times too large keeps nearly as much as fits', () => {
  const { bytes, dropped } = encodeTile(records(1_300, 1_000));
  const size = gzipSync(bytes).length;
  assert.ok(size <= MAX_TILE_BYTES && size > 0.98 * MAX_TILE_BYTES, `${size} bytes`);
  // Equally small ones go from the end.
  const ids = decoded(bytes).a!;
  assert.deepEqual(
    ids,
    Array.from({ length: 1_300 - dropped }, (_, i) => i),
  );
});

test('a tile that is a little too large loses a tenth of its features', () => {
  const { bytes, dropped } = encodeTile(records(500, 1_000));
  assert.deepEqual([dropped, decoded(bytes).a!.length], [50, 450]);
});

test('a tile of just as many bytes as it may have keeps everything', () => {
  const of = (size: number) => [record(1, { weight: 9 }), record(2, { commands: NOISE.subarray(0, size) })];
  const size = MAX_TILE_BYTES - (encodeTile(of(400_000)).bytes.length - 400_000);
  assert.equal(MAX_TILE_BYTES, 500_000);
  const just = encodeTile(of(size));
  assert.deepEqual([just.bytes.length, just.dropped], [MAX_TILE_BYTES, 0]);
  // Neither does compression help one of noise, of a byte more.
  assert.equal(encodeTile(of(size + 1)).dropped, 1);
});

test('one feature is kept however large it is', () => {
  const all = [record(1), record(2, { weight: 9, commands: NOISE.subarray(0, 600_000) })];
  const { bytes, dropped } = encodeTile(all);
  assert.deepEqual([dropped, decoded(bytes)], [1, { a: [2] }]);
});

test('layers come by name, each with names and values of its own, once', () => {
  const named = (id: number, layer: string, list: unknown[]) =>
    record(id, { layer, properties: Buffer.from(JSON.stringify(list)) });
  const { bytes } = encodeTile([
    named(1, 'b', ['x', 1, 'y', 'あ']),
    named(2, 'a', ['y', 1]),
    named(3, 'b', ['y', 1, 'x', 'あ']),
  ]);
  assert.deepEqual(decoded(bytes), { a: [2], b: [1, 3] });
  const { layers } = new VectorTile(new PbfReader(bytes));
  assert.deepEqual(Object.keys(layers), ['a', 'b']);
  assert.deepEqual(
    Object.values(layers).map(({ version, extent }) => [version, extent]),
    [
      [2, 4096],
      [2, 4096],
    ],
  );
  assert.deepEqual({ ...layers.b!.feature(0).properties }, { x: 1, y: 'あ' });
  assert.deepEqual({ ...layers.b!.feature(1).properties }, { x: 'あ', y: 1 });
  // Each text is in a layer once: b has two values, and `y` is a name in both layers.
  assert.equal(Buffer.from(bytes).toString().split('あ').length, 2);
});

test('whole numbers are whole on the wire as far as readers have them, others doubles', () => {
  /** Field of a value (section 4.4 of the specification), and what a reader makes of it. */
  const written = (value: string | number) => {
    const { bytes } = encodeTile([record(0, { properties: Buffer.from(JSON.stringify(['k', value])) })]);
    let field = 0;
    const own = new PbfReader(bytes);
    own.readFields((tag, _, pbf) => {
      if (tag !== 3) return;
      const end = pbf.readVarint() + pbf.pos;
      pbf.readFields(
        (inner) => {
          if (inner !== 4) return;
          const behind = pbf.readVarint() + pbf.pos;
          field = pbf.readVarint() >> 3;
          pbf.pos = behind;
        },
        null,
        end,
      );
    }, null);
    const { a } = new VectorTile(new PbfReader(bytes)).layers;
    assert.equal(a!.feature(0).properties.k, value);
    return field;
  };
  const [text, double, unsigned, signed] = [1, 3, 5, 6];
  for (const [value, field] of [
    ['', text],
    ['7', text],
    [0, unsigned],
    [7, unsigned],
    [2 ** 53 - 1, unsigned],
    [2 ** 53, double],
    [0.5, double],
    [-0.5, double],
    [-1, signed],
    [-(2 ** 31), signed],
    [-(2 ** 31) - 1, double],
    [-(2 ** 53), double],
  ] as const) {
    assert.equal(written(value), field, String(value));
  }
});
