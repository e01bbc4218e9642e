import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bufferSource } from '../source.ts';
import { MemorySink } from '../testing/memory-sink.ts';
import { MemberIndex, MemberIndexBuilder } from './member-index.ts';
import { verifyMemberIndex } from './verify-member-index.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);

test('every flipped bit of an index is found, by opening it or by verifying it', async () => {
  const sink = new MemorySink();
  const builder = new MemberIndexBuilder(sink);
  const member = { method: 8, offset: 30, compressedSize: 9, size: 9, crc32: 7, modified: 0 } as const;
  const sections = { blocks: bytesOf('blocks'), features: bytesOf('features!'), dependencies: bytesOf('') };
  await builder.add({ ...member, path: 'a.gml', sha256: new Uint8Array(32) }, sections);
  await builder.add({ ...member, path: 'b.jpg', sha256: new Uint8Array(32) }, {});
  await builder.finish();
  const isWhole = async (bytes: Uint8Array) => {
    const source = bufferSource(bytes);
    const opened = await MemberIndex.open(source).catch(() => null);
    return opened !== null && (await verifyMemberIndex(source)) === null;
  };
  assert.equal(await isWhole(sink.bytes), true);
  for (let at = 0; at < sink.bytes.length; at++) {
    const flipped = Uint8Array.from(sink.bytes);
    flipped[at]! ^= 1 << (at % 8);
    assert.equal(await isWhole(flipped), false, `byte ${at}`);
  }
});
