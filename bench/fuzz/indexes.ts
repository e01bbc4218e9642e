/**
 * Indexes and layouts as a failing disk leaves them. What carries a checksum is refused or unchanged; a feature index
 * and a block table, which are parts of an index with one, must not do worse than throw.
 */
import assert from 'node:assert/strict';
import { crc32 } from 'node:zlib';
import { FeatureIndex } from '../../packages/citygml/src/index/feature-index.ts';
import { FeatureIndexFile } from '../../packages/citygml/src/index/feature-index-file.ts';
import { GmlScanner } from '../../packages/citygml/src/scan/scanner.ts';
import { KnownPages } from '../../packages/server/src/pack/known-pages.ts';
import { decodeLayout, encodeLayout } from '../../packages/server/src/pack/layout-file.ts';
import { decodePieces } from '../../packages/zip/src/block-pieces.ts';
import { BlockTable } from '../../packages/zip/src/block-table.ts';
import { MemberIndex, MemberIndexBuilder } from '../../packages/zip/src/index/member-index.ts';
import { verifyMemberIndex } from '../../packages/zip/src/index/verify-member-index.ts';
import { bufferSource } from '../../packages/zip/src/source.ts';
import { featureText } from '../../packages/zip/src/testing/features.ts';
import { MemorySink } from '../../packages/zip/src/testing/memory-sink.ts';
import { SeekableDeflate } from '../../packages/zip/src/write/seekable-deflate.ts';
import { planZip } from '../../packages/zip/src/write/zip-layout.ts';
import type { OpenKind, Verdict } from './kind.ts';
import { mutateBytes } from './mutate.ts';
import { seedMembers } from './seeds.ts';

const WORLD = { west: -180, south: -90, east: 180, north: 90 };
const TOKENS = [
  Buffer.from([0xff, 0xff, 0xff, 0xff]),
  Buffer.alloc(8),
  Buffer.from([0, 0, 0, 0, 0, 0, 0xf0, 0x7f]),
];

export const openMemberIndexes: OpenKind = async () => {
  const index = await memberIndex();
  const layout = await layoutFile();
  return {
    name: 'member-indexes',
    batch: 200,
    async run(random, keep) {
      const isLayout = random.int(0, 1) === 0;
      const original = isLayout ? layout : index;
      const changed = mutateBytes(original, random, TOKENS);
      keep(() => changed);
      try {
        if (isLayout) await decodeLayout(changed);
        else await readMemberIndex(changed);
      } catch (error) {
        return expected(error);
      }
      assert.ok(changed.equals(original), 'damage that no checksum notices');
      return 'accepted';
    },
  };
};

export const openFeatureIndexes: OpenKind = async () => {
  const indexes = (await seedMembers('citygml', /\.gml$/)).slice(0, 12).map((gml) => {
    const scanner = new GmlScanner({ member: 'a.gml', onIssue: () => {} });
    scanner.push(gml);
    return scanner.end().featureIndex;
  });
  const table = BlockTable.fromLengths([5, 6, 7], [3, 4, 5]).encode();
  const divided = await dividedBlocks();
  return {
    name: 'feature-indexes',
    batch: 50,
    async run(random, keep) {
      const kind = random.int(0, 4);
      const original = kind === 0 ? table : kind === 1 ? divided.pieces : random.pick(indexes);
      const changed = mutateBytes(original, random, TOKENS);
      keep(() => changed);
      try {
        if (kind === 0) readBlockTable(changed);
        else if (kind === 1) {
          decodePieces(changed, divided.blocks, 'a.gml');
          assert.ok(changed.equals(original), 'damage that no checksum notices');
        } else {
          readFeatureIndex(changed);
          await readIndexFile(changed);
        }
        return 'accepted';
      } catch (error) {
        return expected(error);
      }
    },
  };
};

/** Errors that say what was found; anything that the engine throws by itself but a RangeError is a fault. */
function expected(error: unknown): Verdict {
  assert.ok(error instanceof Error, String(error));
  if (error instanceof TypeError || error instanceof SyntaxError || error instanceof ReferenceError)
    throw error;
  if (error instanceof assert.AssertionError) throw error;
  if (/call stack|invalid array length|Array buffer/i.test(error.message)) throw error;
  return 'refused';
}

async function readMemberIndex(bytes: Uint8Array): Promise<void> {
  const source = bufferSource(bytes);
  const index = await MemberIndex.open(source);
  for (const member of index.members()) assert.equal(index.find(member.path)?.offset, member.offset);
  const fault = await verifyMemberIndex(source);
  if (fault !== null) throw new Error(fault);
}

function readFeatureIndex(bytes: Uint8Array): void {
  const index = FeatureIndex.open(bytes);
  let count = 0;
  for (const id of index.ids()) {
    if (count++ > 100) break;
    index.find(id);
  }
  for (let i = 0; i < Math.min(index.size, 100); i++) index.footprint(index.feature(i));
  index.search(WORLD);
}

async function readIndexFile(bytes: Uint8Array): Promise<void> {
  const index = await FeatureIndexFile.open(bufferSource(bytes));
  await index.find('bldg_a');
  const found = await index.search(WORLD);
  for await (const entries of index.features(found.slice(0, 50))) assert.ok(entries.length > 0);
}

function readBlockTable(bytes: Uint8Array): void {
  const table = BlockTable.decode(bytes);
  const size = table.textOffset(table.count);
  for (const offset of [0, size / 2, size]) assert.ok(table.find(Math.floor(offset)) < table.count);
}

/** Blocks that have pieces. */
async function dividedBlocks(): Promise<{ blocks: BlockTable; pieces: Uint8Array }> {
  const { text, ends } = featureText(100_000);
  const deflate = new SeekableDeflate({ target: 4_000, pieceCost: 0.02, onBytes: () => {} });
  for (const end of ends) deflate.cutAt(end);
  await deflate.push(text);
  const { blocks, blockCrcs, pieces } = await deflate.end();
  const checks = { table: 0, features: 0, blocks: Uint32Array.from(blockCrcs) };
  return { blocks: blocks.withChecks(checks), pieces: pieces! };
}

async function memberIndex(): Promise<Uint8Array> {
  const sink = new MemorySink();
  const builder = new MemberIndexBuilder(sink);
  for (let i = 0; i < 20; i++) {
    const path = `udx/bldg/${i}.gml`;
    const member = {
      path,
      method: 8 as const,
      offset: i * 100,
      compressedSize: 50,
      size: 90,
      crc32: crc32(path),
      modified: 2_000 * i,
    };
    await builder.add(
      { ...member, sha256: new Uint8Array(32) },
      i % 2 === 0 ? { features: Buffer.from(path) } : {},
    );
  }
  await builder.finish(Buffer.from('sums of a few pages.'));
  return sink.bytes;
}

function layoutFile(): Promise<Buffer> {
  const pages = KnownPages.all(32_768, Buffer.from('sums of a few pages.'));
  const source = { key: 'archives/a.zip', sha256: '0'.repeat(64), pages };
  const fields = {
    source,
    method: 8 as const,
    compressedSize: 50,
    size: 90,
    crc32: 1,
    modified: Date.UTC(2024, 0, 1),
  };
  return encodeLayout(
    planZip(Array.from({ length: 20 }, (_, i) => ({ ...fields, name: `a/${i}.gml`, offset: i * 100 }))),
  );
}
