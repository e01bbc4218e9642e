import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Slices } from '@citymodel/base';
import { bufferSource, MemberIndex, MemberIndexBuilder } from '@citymodel/zip';
import { MemorySink } from '@citymodel/zip/testing';
import { planMetadataZip } from './metadata-zip.ts';

const MEMBERS = 5_000;

async function indexOf(directory: string): Promise<MemberIndex> {
  const sink = new MemorySink();
  const builder = new MemberIndexBuilder(sink);
  const fields = {
    method: 0 as const,
    compressedSize: 9,
    size: 9,
    crc32: 1,
    sha256: new Uint8Array(32),
    modified: 0,
  };
  for (let i = 0; i < MEMBERS; i++)
    await builder.add({ ...fields, path: `${directory}/${i}.pdf`, offset: 100 * i }, {});
  await builder.finish();
  return MemberIndex.open(bufferSource(sink.bytes));
}

test('the zip of a directory of very many members is laid out in slices', async () => {
  let pauses = 0;
  const pause = async () => {
    pauses++;
  };
  const index = await indexOf('specification');
  const layout = await planMetadataZip(index, 'specification', new Slices(pause, 0));
  assert.equal(layout?.count, MEMBERS);
  assert.ok(pauses > 10, `${pauses} pauses`);
  assert.equal(await planMetadataZip(index, 'metadata', new Slices(pause)), null);
});
