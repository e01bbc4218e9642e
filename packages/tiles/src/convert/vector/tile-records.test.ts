import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { VectorTile } from '@mapbox/vector-tile';
import fc from 'fast-check';
import { PbfReader } from 'pbf';
import { encodeTile, MAX_TILE_BYTES } from './encode-tile.ts';
import { decodeRecord, RecordSorter, readRecords, type TileRecord } from './tile-records.ts';

const directory = mkdtempSync(join(tmpdir(), 'citymodel-records-'));
after(() => rmSync(directory, { recursive: true, force: true }));
let count = 0;

function scratch(): string {
  const path = join(directory, String(count++));
  mkdirSync(path);
  return path;
}

const record = (part: Partial<TileRecord>): TileRecord => ({
  tile: 1,
  id: 2 ** 53 - 1,
  weight: 1,
  type: 3,
  layer: '土地',
  properties: Buffer.from('["a",1]'),
  commands: Buffer.of(9, 0, 0),
  ...part,
});

async function read(files: string[], from: string): Promise<TileRecord[]> {
  const found: TileRecord[] = [];
  for await (const records of readRecords(files, from)) {
    assert.ok(records.length > 0);
    for (const { encoded } of records) found.push(decodeRecord(Buffer.from(encoded)));
  }
  return found;
}

test('records come back sorted by tile, those of a tile in the order of files and of adding', async () => {
  const files = fc.array(fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 30 }), {
    minLength: 1,
    maxLength: 40,
  });
  await fc.assert(
    fc.asyncProperty(files, async (lists) => {
      const own = scratch();
      const paths: string[] = [];
      const expected: Array<[number, number]> = [];
      for (const [i, tiles] of lists.entries()) {
        const sorter = new RecordSorter(own, `sorter-${i}`);
        for (const [k, tile] of tiles.entries()) {
          await sorter.add(record({ tile, id: i * 1_000 + k }));
          expected.push([tile, i * 1_000 + k]);
        }
        paths.push(join(own, `${i}.tiles`));
        await sorter.finish(paths.at(-1)!);
      }
      expected.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
      const found = await read(paths, own);
      assert.deepEqual(
        found.map(({ tile, id }) => [tile, id]),
        expected,
      );
      // Nothing but the results is left in the scratch directory.
      assert.equal(readdirSync(own).length, lists.length);
      rmSync(own, { recursive: true });
    }),
    { numRuns: 20 },
  );
});

test('a record keeps every value, and more than fits in memory is sorted on disk', async () => {
  const own = scratch();
  const sorter = new RecordSorter(own, 'large');
  const commands = Buffer.alloc(1 << 20, 5);
  for (let i = 0; i < 40; i++) await sorter.add(record({ tile: 40 - i, weight: i, commands }));
  assert.ok(readdirSync(own).length > 1, 'runs lie on the disk');
  const path = join(own, 'large.tiles');
  await sorter.finish(path);
  const found = await read([path], own);
  assert.deepEqual(
    found.map(({ tile }) => tile),
    Array.from({ length: 40 }, (_, i) => i + 1),
  );
  assert.deepEqual(
    { ...found[39]!, commands: found[39]!.commands.length },
    {
      ...record({ tile: 40, weight: 0 }),
      commands: commands.length,
    },
  );
});

test('a crowded tile loses its smallest features and keeps their order', () => {
  // Hashes hardly compress.
  const text = (i: number) =>
    Array.from({ length: 6 }, (_, k) => hash('sha512', `${i} ${k}`, 'base64')).join('');
  const records = Array.from({ length: 3_000 }, (_, i) =>
    record({
      id: i,
      weight: (i * 7_919) % 3_000,
      properties: Buffer.from(JSON.stringify(['k', text(i)])),
    }),
  );
  const { bytes, dropped } = encodeTile(records);
  assert.ok(gzipSync(bytes).length <= MAX_TILE_BYTES);
  assert.ok(dropped > 0);
  const layer = new VectorTile(new PbfReader(bytes)).layers.土地!;
  assert.equal(layer.length, 3_000 - dropped);
  const ids = Array.from({ length: layer.length }, (_, i) => layer.feature(i).id!);
  assert.deepEqual(
    ids,
    [...ids].sort((a, b) => a - b),
  );
  const least = Math.min(...ids.map((id) => records[id]!.weight));
  assert.equal(least, dropped);
});

test('values of tiles are texts, whole numbers and doubles', () => {
  const properties = ['t', 'あ', 'n', 3, 'm', -3, 'd', 1.5, 'big', 2 ** 53 - 1, 'low', -(2 ** 40)];
  const { bytes } = encodeTile([record({ properties: Buffer.from(JSON.stringify(properties)) })]);
  const feature = new VectorTile(new PbfReader(bytes)).layers.土地!.feature(0);
  assert.deepEqual(
    { ...feature.properties },
    { t: 'あ', n: 3, m: -3, d: 1.5, big: 2 ** 53 - 1, low: -(2 ** 40) },
  );
  assert.equal(feature.id, 2 ** 53 - 1);
});
