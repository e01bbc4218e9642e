import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { constants, deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { BlockInflater } from './block-inflater.ts';
import { inflateJob } from './inflate-job.ts';
import { InflateThread } from './inflate-thread.ts';

const TEXTS = Array.from({ length: 5 }, (_, i) =>
  Buffer.from(Array.from({ length: 3_000 * (i + 1) }, (_, n) => `${n * (i + 7)} 棟\n`).join('')),
);
const BLOCKS = TEXTS.map((text) => deflateRawSync(text, { finishFlush: constants.Z_SYNC_FLUSH }));
const DAMAGED = Buffer.alloc(1_000, 0xff);

/** Blocks by their numbers, each with some parts. */
const wanted = fc.array(
  fc.nat(TEXTS.length - 1).chain((block) =>
    fc.record({
      block: fc.constant(block),
      ranges: fc.array(
        fc
          .tuple(fc.nat(TEXTS[block]!.length), fc.nat(TEXTS[block]!.length))
          .map(([a, b]) => ({ start: Math.min(a, b), end: Math.max(a, b) })),
        { maxLength: 4 },
      ),
    }),
  ),
  { minLength: 1, maxLength: 6 },
);

test('a job is done on any thread, and says when it cannot be', () => {
  const inflater = new BlockInflater();
  const memory = { input: Uint8Array.from(BLOCKS[0]!).buffer, output: new ArrayBuffer(4) };
  const block = { dataLength: BLOCKS[0]!.length, ranges: [{ start: 10, end: 2_000 }] };
  const result = inflateJob(inflater, { id: 3, ...memory, blocks: [block] });
  assert.equal(result.id, 3);
  assert.ok(result.done);
  assert.ok(TEXTS[0]!.subarray(10, 2_000).equals(new Uint8Array(result.output)));
  const damaged = { ...memory, input: Uint8Array.from(DAMAGED).buffer };
  const blocks = [{ dataLength: DAMAGED.length, ranges: [{ start: 0, end: 5 }] }];
  assert.equal(inflateJob(inflater, { id: 4, ...damaged, blocks }).done, false);
  assert.ok(inflateJob(inflater, { id: 5, ...memory, blocks: [block] }).done);
});

describe('another thread', { skip: availableParallelism() > 1 ? false : 'needs two processors' }, () => {
  const thread = new InflateThread();

  before(async () => {
    assert.equal(await thread.parts([{ data: BLOCKS[0]!, ranges: [] }]), null, 'nothing before it is there');
    thread.start();
    thread.start();
    while (!thread.isFree) await new Promise((resolve) => setTimeout(resolve, 1));
  });

  test('gives any parts of any blocks, several jobs at once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(wanted, { minLength: 1, maxLength: 4 }), async (jobs) => {
        const results = await Promise.all(
          jobs.map((job) => thread.parts(job.map(({ block, ranges }) => ({ data: BLOCKS[block]!, ranges })))),
        );
        for (const [j, job] of jobs.entries()) {
          for (const [i, { block, ranges }] of job.entries()) {
            for (const [n, { start, end }] of ranges.entries()) {
              assert.ok(TEXTS[block]!.subarray(start, end).equals(results[j]![i]![n]!));
            }
          }
        }
      }),
    );
  });

  test('what it gave stays as it is when it goes on', async () => {
    const all = { start: 0, end: TEXTS[1]!.length };
    const first = await thread.parts([{ data: BLOCKS[1]!, ranges: [all] }]);
    await thread.parts([{ data: BLOCKS[2]!, ranges: [all] }]);
    assert.ok(TEXTS[1]!.equals(first![0]![0]!));
  });

  test('takes no more than it can soon do, and no damaged blocks', async () => {
    const good = { data: BLOCKS[0]!, ranges: [{ start: 0, end: 1_000 }] };
    const bad = { data: DAMAGED, ranges: [{ start: 0, end: 1_000 }] };
    assert.equal(await thread.parts([good, bad]), null);
    assert.equal(await thread.parts([]), null);
    const many = await Promise.all(Array.from({ length: 10 }, () => thread.parts([good])));
    assert.ok(many.slice(0, 2).every((parts) => parts !== null));
    assert.ok(many.slice(-2).every((parts) => parts === null));
    assert.ok(thread.isFree);
  });

  test('when it dies, its jobs are given back, and it takes no more', async () => {
    const program = `import { parentPort } from 'node:worker_threads';
      parentPort.on('message', () => process.exit(1));
      parentPort.postMessage(null);`;
    const mortal = new InflateThread(new URL(`data:text/javascript,${encodeURIComponent(program)}`));
    mortal.start();
    while (!mortal.isFree) await new Promise((resolve) => setTimeout(resolve, 1));
    const block = { data: BLOCKS[0]!, ranges: [{ start: 0, end: 1_000 }] };
    assert.deepEqual(await Promise.all([mortal.parts([block]), mortal.parts([block])]), [null, null]);
    assert.ok(!mortal.isFree);
    mortal.start();
    assert.equal(await mortal.parts([block]), null);
  });

  test('does not keep the process from ending, but its jobs do', async () => {
    const start = `
      import { InflateThread } from ${JSON.stringify(new URL('./inflate-thread.ts', import.meta.url).href)};
      const thread = new InflateThread();
      thread.start();
    `;
    const job = `
      while (!thread.isFree) await new Promise((resolve) => setTimeout(resolve, 1));
      const data = Buffer.from('${BLOCKS[0]!.toString('base64')}', 'base64');
      const parts = await thread.parts([{ data, ranges: [{ start: 0, end: 4 }] }]);
      console.log(parts[0][0].toString());
    `;
    for (const [program, said] of [
      [start, ''],
      [start + job, `${TEXTS[0]!.toString('utf8', 0, 4)}\n`],
    ] as const) {
      const args = ['--input-type=module', '--eval', program];
      const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { timeout: 60_000 });
      assert.equal(stdout, said);
      assert.equal(stderr, '');
    }
  });
});
