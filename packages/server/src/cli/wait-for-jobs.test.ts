import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JobRow, JobStore } from '@citymodel/store';
import { percent, stateText, waitForJobs } from './wait-for-jobs.ts';

const NEW = { id: 'a', label: 'city', state: 'queued', reason: null, progress: null } as JobRow;
const progressOf = (done: number, total: number) => ({ done, total, unit: 'files', text: '' });
const TOWN = { ...NEW, id: 'b', label: 'town' };

/** A store in which every look at a job shows its next row; the last one stays. */
function storeOf(rows: Record<string, Array<Partial<JobRow> | null>>): JobStore {
  return {
    async find(id: string) {
      const left = rows[id]!;
      const row = left.length > 1 ? left.shift()! : left[0]!;
      return row === null ? null : { ...(id === 'a' ? NEW : TOWN), ...row };
    },
  } as JobStore;
}

/** What is written, on a terminal of a width or elsewhere. */
function sink(columns?: number) {
  const written: string[] = [];
  const stream = { isTTY: columns !== undefined, columns, write: (text: string) => written.push(text) };
  return { written, stream: stream as unknown as NodeJS.WriteStream };
}

test('jobs are looked at until all have ended, and each change of state is a line', async () => {
  const out = sink();
  const progress = progressOf(1, 3);
  const store = storeOf({
    a: [
      { state: 'queued' },
      { state: 'running', progress },
      { state: 'running', progress },
      { state: 'succeeded' },
    ],
    b: [{ state: 'running' }, { state: 'dead', reason: 'It was no zip.' }],
  });
  const rows = await waitForJobs(store, [NEW, TOWN], out.stream, 1);
  assert.deepEqual(
    rows.map(({ id, state }) => [id, state]),
    [
      ['a', 'succeeded'],
      ['b', 'dead'],
    ],
  );
  assert.deepEqual(out.written, [
    'b  town  runs\n',
    'a  city  runs\n',
    'b  town  given up: It was no zip.\n',
    'a  city  succeeded\n',
  ]);
});

test('a terminal has one line of what runs, cut at its width, and a line of each that has ended', async () => {
  const out = sink(60);
  const store = storeOf({
    a: [{ state: 'running', progress: progressOf(1, 3) }, { state: 'succeeded' }],
    b: [{ state: 'running', progress: null }, { state: 'running', progress: null }, { state: 'cancelled' }],
  });
  await waitForJobs(store, [NEW, TOWN], out.stream, 1);
  const clear = '\r\x1b[2K';
  assert.deepEqual(out.written, [
    `${clear}0 of 2 done, 2 running: city 33 %, town `,
    clear,
    'a  city  succeeded\n',
    `${clear}1 of 2 done, 1 running: town `,
    clear,
    'b  town  cancelled\n',
    clear,
  ]);
  for (const [columns, length] of [
    [30, 29],
    [5, 20],
  ] as const) {
    const narrow = sink(columns);
    const long = storeOf({ a: [{ state: 'running', label: 'a'.repeat(200) }, { state: 'succeeded' }] });
    await waitForJobs(long, [NEW], narrow.stream, 1);
    assert.equal(narrow.written[0]!.length, clear.length + length);
  }
});

test('a job that is forgotten stays as it was seen last, and one that has ended is not asked for', async () => {
  const store = storeOf({ a: [{ state: 'running' }, null], b: [{ state: 'dead' }] });
  const ended = { ...NEW, id: 'b', state: 'succeeded' } as JobRow;
  const rows = await waitForJobs(store, [NEW, ended], sink().stream, 1);
  assert.deepEqual(
    rows.map(({ state }) => state),
    ['queued', 'succeeded'],
  );
});

test('states have words, with the reason where there is one', () => {
  const of = (changes: Partial<JobRow>) => stateText({ ...NEW, attempts: 2, maxAttempts: 5, ...changes });
  assert.equal(of({}), 'waits');
  assert.equal(of({ state: 'running' }), 'runs');
  assert.equal(of({ state: 'running', isCancelling: true }), 'is being cancelled');
  assert.equal(
    of({ state: 'failed', reason: 'no room' }),
    'failed, will be retried (2 of 5 attempts): no room',
  );
  assert.equal(of({ state: 'succeeded' }), 'succeeded');
  assert.equal(of({ state: 'dead' }), 'given up');
  assert.equal(of({ state: 'cancelled' }), 'cancelled');
});

test('percents are whole, and nothing where nobody knows', () => {
  const of = (progress: JobRow['progress']) => percent({ ...NEW, progress });
  assert.equal(of(null), '');
  assert.equal(of(progressOf(0, 0)), '');
  assert.equal(of(progressOf(1, 1)), '100 %');
  assert.equal(of(progressOf(199, 200)), '99 %');
  assert.equal(of(progressOf(0, 9)), '0 %');
});
