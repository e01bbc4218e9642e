/** What answers read: no more than the index section and the blocks of the features, and warm the blocks alone. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { writeBenchmarkGml } from '@citymodel/sample/testing';
import { type BlockTable, type ByteRange, type Member, PAGE_BYTES } from '@citymodel/zip';
import { answerOf, ask, bodyOf, type Hosted, host, type Read } from './testing/hosted.ts';

const PACKAGE = '47980_hakari-shi_city_2024_citygml_1_op';
const PATH = 'udx/bldg/38295544_bldg_6697_op.gml';
/** Enough for an index that is not read at once. */
const BYTES = 20_000_000;

let directory: string;
let hosted: Hosted;
let url: string;
let ids: string[];
let member: Member;
/** Its feature index with the whole pages around it. */
let features: ByteRange;
let blocks: BlockTable;
let pieces: BlockTable;
/** Keys of the archive and of its index. */
let archiveKey: string;
let indexKey: string;

before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'citymodel-budget-'));
  await mkdir(join(directory, PACKAGE, 'udx/bldg'), { recursive: true });
  await writeBenchmarkGml(join(directory, PACKAGE, PATH), { bytes: BYTES });
  hosted = await host([join(directory, PACKAGE)]);
  url = hosted.url(PACKAGE, PATH);
  ({ archiveKey, indexKey } = hosted.rows[0]!);
  await using archive = await hosted.archives.open(hosted.rows[0]!);
  member = archive.index.find(PATH)!;
  blocks = (await archive.blocks(member))!;
  pieces = (await archive.pieces(member))!;
  assert.ok(pieces.count > blocks.count);
  const range = member.sections.features!;
  const offset = Math.max(64, Math.floor(range.offset / PAGE_BYTES) * PAGE_BYTES);
  const end = Math.ceil((range.offset + range.length) / PAGE_BYTES) * PAGE_BYTES;
  features = { offset, length: Math.min(end, archive.index.sectionsEnd!) - offset };
  const list = await ask<{ featureIds: string[] }>(hosted.another(), 'features', { url, sid: '0/0/0/0' });
  ids = list.featureIds;
  // The code lists that features name are not in the package, which is known from here on.
  await ask(hosted.service, 'attributes', { url, id: ids[0] });
});

after(async () => {
  await hosted?.[Symbol.asyncDispose]();
  await rm(directory, { recursive: true, force: true });
});

/** Runs the work and returns what was read for it, apart from the archive's own opening. */
async function readsOf(work: () => Promise<unknown>): Promise<Read[]> {
  hosted.reads.length = 0;
  await work();
  return [...hosted.reads];
}

function assertWithin(reads: Read[], range: { offset: number; length: number }): void {
  for (const { offset, length } of reads) {
    assert.ok(offset >= range.offset && offset + length <= range.offset + range.length);
  }
}

/** The reads of whole blocks, or of whole pieces of them, by their numbers. */
function partsRead(reads: Read[], table: BlockTable): number[] {
  return reads
    .filter(({ key }) => key === archiveKey)
    .map(({ offset, length }) => {
      const i = Array.from({ length: table.count }, (_, n) => n).find(
        (n) => member.offset + table.dataOffset(n) === offset,
      );
      assert.ok(i !== undefined, `a read at ${offset} that begins none`);
      assert.equal(length, table.dataOffset(i + 1) - table.dataOffset(i));
      return i;
    });
}

describe('reads', () => {
  test('one id in a large file: some ranges of its index, and its block', async () => {
    const service = hosted.another();
    for (const id of [ids[0]!, ids[ids.length >> 1]!, ids.at(-1)!]) {
      const fresh = hosted.another();
      const reads = await readsOf(() => ask(fresh, 'attributes', { url, id, skip_code_list_fetch: 'true' }));
      const ofIndex = reads.filter(({ key }) => key === indexKey);
      assertWithin(ofIndex, features);
      assert.ok(ofIndex.length <= 6, `${ofIndex.length} reads`);
      assert.ok(ofIndex.reduce((sum, read) => sum + read.length, 0) < 96_000);
      assert.equal(partsRead(reads, pieces).length, 1);
    }
    await ask(service, 'attributes', { url, id: ids[5] });
    const second = await readsOf(() => ask(service, 'attributes', { url, id: ids[6] }));
    assert.deepEqual(
      second.filter(({ key }) => key === indexKey),
      [{ key: indexKey, ...features }],
      'the second id reads the index at once',
    );
  });

  test('warm, an id costs its block alone, and nothing when that is kept', async () => {
    const service = hosted.another({ blockCacheBytes: 0 });
    await ask(service, 'attributes', { url, id: ids.slice(0, 20).join(',') });
    for (const id of [ids.at(-1)!, ids[0]!, ids[ids.length >> 1]!]) {
      const reads = await readsOf(() => ask(service, 'attributes', { url, id }));
      assert.equal(reads.length, 1);
      assert.equal(partsRead(reads, pieces).length, 1);
    }
    const kept = hosted.another();
    await ask(kept, 'attributes', { url, id: ids.slice(0, 20).join(',') });
    await ask(kept, 'attributes', { url, id: ids.at(-1) });
    await ask(kept, 'attributes', { url, id: ids.at(-1) });
    assert.deepEqual(await readsOf(() => ask(kept, 'attributes', { url, id: ids.at(-1) })), []);
  });

  test('what was asked for by its id reads nothing the next time, and is the same', async () => {
    const bare = hosted.another({ blockCacheBytes: 0 });
    const service = hosted.another({ blockCacheBytes: 0, recordCacheBytes: 1e6 });
    const few = [ids[3]!, ids[900]!, ids[40]!].join(',');
    await ask(service, 'attributes', { url, id: few });
    const expected = await ask(bare, 'attributes', { url, id: few });
    let answer: object[] = [];
    const reads = await readsOf(async () => {
      answer = await ask(service, 'attributes', { url, id: few });
    });
    assert.deepEqual(answer, expected);
    assert.deepEqual(partsRead(reads, pieces), []);
    // What has another form is made of the text.
    for (const other of [
      { skip_code_list_fetch: 'true' },
      { fields: 'bldg:usage' },
      { flatten: 'true' },
      { attributes: 'v2' },
      { where: 'bldg:measuredHeight>0' },
      { format: 'geojson' },
    ]) {
      const query = { url, id: few, ...other };
      const texts = await Promise.all(
        [service, bare].map((one) => bodyOf(answerOf(one, 'attributes', query))),
      );
      assert.equal(texts[0], texts[1], Object.keys(other)[0]);
    }
  });

  test('many ids read each block once, whatever their order', async () => {
    const service = hosted.another({ blockCacheBytes: 0 });
    const wanted = Array.from({ length: 300 }, (_, i) => ids[(i * 7_919) % ids.length]!);
    await ask(service, 'attributes', { url, id: wanted[0] });
    await ask(service, 'attributes', { url, id: wanted[0] });
    let answer: Array<{ 'gml:id': string }> = [];
    const reads = await readsOf(async () => {
      answer = await ask(service, 'attributes', { url, id: wanted.join(',') });
    });
    assert.deepEqual(
      answer.map((one) => one['gml:id']),
      wanted,
    );
    const read = partsRead(reads, blocks);
    assert.equal(new Set(read).size, read.length);
    assert.equal(reads.length, read.length);
  });

  test('listing a file reads its index and no text', async () => {
    const service = hosted.another();
    const reads = await readsOf(() => ask(service, 'features', { url, sid: '0/0/0/0' }));
    assert.deepEqual(reads, [{ key: indexKey, ...features }]);
    assert.deepEqual(await readsOf(() => ask(service, 'features', { url, sid: '0/0/0/0' })), []);
  });

  test('without any caches answers are the same', async () => {
    const bare = hosted.another({ indexCacheBytes: 0, blockCacheBytes: 0 });
    const wanted = ids.filter((_, i) => i % 50 === 0).join(',');
    assert.deepEqual(
      await ask(bare, 'attributes', { url, id: wanted }),
      await ask(hosted.service, 'attributes', { url, id: wanted }),
    );
    assert.deepEqual(await ask(bare, 'features', { url, sid: '0/0/0/0' }), { featureIds: ids });
    const bbox = '129.687,25.791,129.689,25.793';
    assert.deepEqual(
      await ask(bare, 'features', { url, bbox }),
      await ask(hosted.service, 'features', { url, bbox }),
    );
  });

  test('a search that finds features at once stops when its caller goes away', async () => {
    const service = hosted.another({ blockCacheBytes: 0 });
    const controller = new AbortController();
    const answer = await service.features({ url, sid: ['0/0/0/0'], format: 'geojson' }, controller.signal);
    await answer.pieces.next();
    controller.abort(new Error('gone'));
    const before = answer.cost.features;
    await assert.rejects(async () => {
      for await (const _ of answer.pieces);
    }, /gone/);
    assert.ok(answer.cost.features - before < ids.length / 2);
    const other = await service.features(
      { url, sid: ['0/0/0/0'], format: 'geojson' },
      new AbortController().signal,
    );
    await other.pieces.next();
    await other.pieces.return();
    const reads = await readsOf(() => new Promise((resolve) => setImmediate(resolve)));
    assert.deepEqual(reads, [], 'nothing goes on reading');
  });
});
