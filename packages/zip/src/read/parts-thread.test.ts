import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { until } from '@citymodel/base/testing';
import { BEFORE, type SeekableFile, seekableFile } from '../testing/seekable-file.ts';
import { type BlockParts, BlockPartsReader } from './block-parts.ts';
import { PartsThread } from './parts-thread.ts';

const TEXT = Buffer.from(
  Array.from({ length: 9_000 }, (_, i) => `<a n="${(i * 7_919) % 9_973}"/>`).join('\n'),
);

function wholeBlocks({ blocks, crcs }: SeekableFile): BlockParts[] {
  return Array.from({ length: blocks.count }, (_, i) => ({
    position: BEFORE + blocks.dataOffset(i),
    length: blocks.dataOffset(i + 1) - blocks.dataOffset(i),
    crc32: crcs[i]!,
    head: null,
    ranges: [{ start: 0, end: blocks.textOffset(i + 1) - blocks.textOffset(i) }],
  }));
}

/** A thread that says that it is ready, and then does this. */
const program = (then: string) =>
  new URL(
    `data:text/javascript,import { parentPort } from 'node:worker_threads';${encodeURIComponent(then)}` +
      `;parentPort.postMessage(null);`,
  );

test('the thread gives what reading on the calling thread gives', async () => {
  await using file = await seekableFile(TEXT, 8_000);
  const thread = new PartsThread({ processors: 2, restMs: 0 });
  thread.start();
  await until(() => thread.isReady);
  const parts = wholeBlocks(file);
  const jobs = Array.from({ length: 50 }, (_, n) => parts.slice(n % 7, (n % 7) + 5));
  const asked = jobs.map((blocks) => thread.begin(file.descriptor, blocks));
  const reader = new BlockPartsReader();
  // The last are wanted at once, the first once the thread has had the time to begin.
  for (const n of [49, 48, ...Array(48).keys()]) {
    if (n === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    const output = await asked[n]!.take();
    if (output === null) continue;
    assert.ok(Buffer.from(output).equals(reader.read(file.descriptor, jobs[n]!)!));
    assert.equal(await asked[n]!.take(), output);
  }
});

test('a job that the thread has not begun is withdrawn', async () => {
  const late =
    "parentPort.on('message', ({ id }) => setTimeout(() => parentPort.postMessage({ id, output: null, took: 0 }), " +
    '100))';
  const thread = new PartsThread({ processors: 2, program: program(late) });
  thread.start();
  await until(() => thread.isReady);
  const asked = thread.begin(0, []);
  assert.equal(await asked.take(), null);
  assert.equal(await asked.take(), null);
});

test('a job that the thread has begun is waited for, and damage gives null', async () => {
  const bad = 2;
  await using file = await seekableFile(TEXT, 8_000, (data, blocks) => {
    data.fill(0, blocks.dataOffset(bad), blocks.dataOffset(bad + 1));
  });
  const thread = new PartsThread({ processors: 2, restMs: 0 });
  thread.start();
  await until(() => thread.isReady);
  const parts = wholeBlocks(file);
  const outcome = async (blocks: BlockParts[]) => {
    const one = thread.begin(file.descriptor, blocks);
    // Answers come in order: a second job that is answered shows that the first was begun.
    let isAnswered = false;
    while (!isAnswered) {
      const later = thread.begin(file.descriptor, []);
      await setImmediate();
      isAnswered = (await later.take()) !== null;
    }
    return one.take();
  };
  assert.notEqual(await outcome(parts.slice(0, bad)), null);
  assert.equal(await outcome(parts.slice(0, bad + 1)), null);
  assert.notEqual(await outcome(parts.slice(bad + 1)), null);
});

test('a thread that dies answers null and is not started again', async () => {
  const thread = new PartsThread({
    processors: 2,
    program: program("parentPort.on('message', ({ claim }) => { claim[0] = 1; process.exit(); })"),
  });
  thread.start();
  await until(() => thread.isReady);
  const asked = thread.begin(0, []);
  await until(() => !thread.isReady);
  assert.equal(await asked.take(), null);
  thread.start();
  for (let i = 0; i < 20; i++) await setImmediate();
  assert.equal(thread.isReady, false);
  assert.equal(await thread.begin(0, []).take(), null);
});

test('a thread that is slow rests: jobs are left to the one who asks', async () => {
  const slow =
    "parentPort.on('message', ({ id, claim }) => { claim[0] = 1; parentPort.postMessage({ id, output: new " +
    'Uint8Array(1), took: 60 }); })';
  const thread = new PartsThread({ processors: 2, program: program(slow), restMs: 200 });
  thread.start();
  await until(() => thread.isReady);
  const asked = thread.begin(0, []);
  await until(() => !thread.isReady);
  assert.equal((await asked.take())?.length, 1, 'what it has done is taken');
  assert.equal(await thread.begin(0, []).take(), null);
  await until(() => thread.isReady);
});

test('with one processor there is no thread', async () => {
  const thread = new PartsThread({ processors: 1 });
  thread.start();
  for (let i = 0; i < 20; i++) await setImmediate();
  assert.equal(thread.isReady, false);
});

test('a thread that nobody uses ends, and is there again when it is wanted', async () => {
  const thread = new PartsThread({
    processors: 2,
    program: program("parentPort.on('message', () => {})"),
    idleMs: 100,
  });
  for (let i = 0; i < 2; i++) {
    thread.start();
    await until(() => thread.isReady);
    await until(() => !thread.isReady);
  }
});
