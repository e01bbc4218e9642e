import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BlockParts, PartsThread } from '@citymodel/zip';
import { PartsAhead, textsOf } from './parts-ahead.ts';

/** A block with one part of so many bytes. */
const block = (bytes: number): BlockParts => ({
  ...{ position: 0, length: 1, crc32: null, head: null, ranges: [{ start: 5, end: 5 + bytes }] },
});

/** A thread whose jobs are noted, and answered with zeros, or not at all. */
function threadOf(answers: (job: number) => boolean = () => true) {
  const begun: number[] = [];
  let taken = 0;
  const thread = {
    begin(descriptor: number, blocks: BlockParts[]) {
      assert.equal(descriptor, 7);
      const job = begun.push(blocks.length) - 1;
      const bytes = blocks
        .flatMap(({ ranges }) => ranges)
        .reduce((sum, { start, end }) => sum + end - start, 0);
      return {
        async take() {
          taken++;
          return answers(job) ? new Uint8Array(bytes).fill(job) : null;
        },
      };
    },
  } as unknown as PartsThread;
  return { thread, begun, taken: () => taken };
}

/** Sizes of the jobs of these blocks. */
async function jobsOf(blocks: Array<BlockParts | null>): Promise<number[]> {
  const { thread, begun } = threadOf();
  await using ahead = new PartsAhead(thread, 7, blocks);
  for (const place of blocks.keys()) await ahead.texts(place);
  return begun;
}

test('the first jobs are of few blocks, later ones of sixteen', async () => {
  assert.deepEqual(await jobsOf(Array(50).fill(block(10))), [4, 8, 16, 16, 6]);
  assert.deepEqual(await jobsOf([]), []);
});

test('a job has 512 KiB of text at most, unless one block has more', async () => {
  const quarter = 128 * 1_024;
  assert.deepEqual(await jobsOf(Array(6).fill(block(quarter))), [4, 2]);
  assert.deepEqual(await jobsOf([quarter, quarter, quarter, quarter + 1].map(block)), [3, 1]);
  assert.deepEqual(await jobsOf([10, 600_000, 600_000, 10].map(block)), [1, 1, 1, 1]);
});

test('what the thread does not read parts jobs, and has no texts', async () => {
  assert.deepEqual(await jobsOf([block(1), null, block(1), block(1)]), [1, 2]);
  const { thread } = threadOf();
  await using ahead = new PartsAhead(thread, 7, [null, block(3)]);
  assert.deepEqual([ahead.has(0), ahead.has(1), ahead.has(2)], [false, true, false]);
  assert.equal(await ahead.texts(0), null);
  assert.deepEqual(await ahead.texts(1), [new Uint8Array(3)]);
});

test('two jobs are begun before their turn, and all that were begun are waited for', async () => {
  const { thread, begun, taken } = threadOf();
  const ahead = new PartsAhead(thread, 7, Array(60).fill(block(1)));
  assert.deepEqual(begun, []);
  await ahead.texts(0);
  assert.deepEqual([begun.length, taken()], [3, 1]);
  await ahead.texts(1);
  assert.deepEqual([begun.length, taken()], [3, 1], 'of the same job');
  assert.deepEqual(await ahead.texts(4), [Uint8Array.of(1)]);
  assert.deepEqual([begun.length, taken()], [4, 2]);
  await ahead[Symbol.asyncDispose]();
  assert.equal(taken(), 2 + 4);
});

test('blocks of a job that the thread could not do are left to the one who needs them', async () => {
  const { thread } = threadOf((job) => job !== 0);
  await using ahead = new PartsAhead(thread, 7, Array(6).fill(block(2)));
  assert.equal(ahead.has(0), true);
  assert.equal(await ahead.texts(0), null);
  assert.deepEqual(
    [0, 3, 4].map((place) => ahead.has(place)),
    [false, false, true],
  );
  assert.equal(await ahead.texts(3), null);
  assert.deepEqual(await ahead.texts(5), null, 'the first of its job has not been asked for');
  assert.deepEqual(await ahead.texts(4), [Uint8Array.of(1, 1)]);
  assert.deepEqual(await ahead.texts(5), [Uint8Array.of(1, 1)]);
});

test('texts lie one behind the other, by block and range', () => {
  const range = (start: number, end: number) => ({ start, end });
  const blocks = [{ ranges: [range(3, 5), range(9, 10)] }, { ranges: [] }, { ranges: [range(0, 3)] }];
  assert.deepEqual(textsOf(blocks, Uint8Array.of(1, 2, 3, 4, 5, 6)), [
    [Uint8Array.of(1, 2), Uint8Array.of(3)],
    [],
    [Uint8Array.of(4, 5, 6)],
  ]);
});
