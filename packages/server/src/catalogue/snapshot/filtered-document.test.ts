import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import test from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { gunzipSync } from 'node:zlib';
import { backgroundSlices } from '@citymodel/base';
import fc from 'fast-check';
import { ColumnValues, rowBlock } from '../rows/row-block.ts';
import { rowTable } from '../rows/snapshot-table.ts';
import { filteredDocument } from './filtered-document.ts';

/** A table of blocks with so many rows, each of some bytes. */
async function tableOf(counts: readonly number[], text = '') {
  const values = new ColumnValues();
  let no = 0;
  const blocks = counts.flatMap((count, key) => {
    const rows = Array.from({ length: count }, () => ({ row: { no: no++, text }, keys: { bounds: null } }));
    return rowBlock(String(key).padStart(5, '0'), rows, values) ?? [];
  });
  return rowTable(blocks, values, backgroundSlices());
}

const bodyOf = (plain: Buffer | Readable) => (plain instanceof Readable ? buffer(plain) : plain);

test('a document has the chosen rows, its size and a tag of its content, long and short alike', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat(6), { maxLength: 8 }),
      fc.infiniteStream(fc.boolean()),
      fc.boolean(),
      async (counts, chosen, isLong) => {
        const table = await tableOf(counts, isLong ? '都市'.repeat(10_000) : '');
        const keep = Uint8Array.from({ length: table.count }, () => Number(chosen.next().value));
        const rows = { name: 'a', table, keep };
        const document = filteredDocument([rows, { ...rows, name: 'b' }]);
        const body = await bodyOf(document.plain());
        const numbers = [...keep.keys()].filter((no) => keep[no] === 1);
        const found = JSON.parse(body.toString()) as Record<string, Array<{ no: number }>>;
        assert.deepEqual(
          Object.entries(found).map(([name, list]) => [name, list.map(({ no }) => no)]),
          [
            ['a', numbers],
            ['b', numbers],
          ],
        );
        assert.equal(document.size, body.length);
        assert.deepEqual(gunzipSync(await document.gzip()), body);
        assert.equal(document.packing !== undefined, document.size > 256 * 1_024);
        assert.equal(filteredDocument([rows, { ...rows, name: 'b' }]).etag, document.etag);
        if (numbers.length > 0) {
          const fewer = Uint8Array.from(keep);
          fewer[numbers[0]!] = 0;
          assert.notEqual(
            filteredDocument([
              { ...rows, keep: fewer },
              { ...rows, name: 'b' },
            ]).etag,
            document.etag,
          );
        }
      },
    ),
    { numRuns: 60 },
  );
});

test('twenty long documents beside each other take little memory, and so do readers that stop', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const table = await tableOf(Array(200).fill(10), 'x'.repeat(10_000));
  const keep = new Uint8Array(table.count).fill(1);
  keep[3] = 0;
  collect();
  const { external } = process.memoryUsage();
  const readers = Array.from(
    { length: 20 },
    () => filteredDocument([{ name: 'a', table, keep }]).plain() as Readable,
  );
  for (const reader of readers) await once(reader, 'readable');
  collect();
  assert.ok(process.memoryUsage().external - external < 10e6);
  for (const reader of readers) reader.destroy();
});

test('a caller beyond those for whom gzip is made reads the plain text, until one of them goes', async () => {
  const table = await tableOf(Array(40).fill(1), 'x'.repeat(10_000));
  const keep = new Uint8Array(table.count).fill(1);
  const document = filteredDocument([{ name: 'a', table, keep }]);
  const packed = Array.from({ length: 16 }, () => document.packing!()!);
  assert.equal(document.packing!(), null);
  packed[0]!.destroy();
  await new Promise((resolve) => packed[0]!.once('close', resolve));
  const next = document.packing!()!;
  assert.deepEqual(gunzipSync(await buffer(next)), await bodyOf(document.plain()));
  for (const stream of packed) stream.destroy();
});
