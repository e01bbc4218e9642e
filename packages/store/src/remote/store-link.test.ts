import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StoreUnavailable } from '../catalogue-store.ts';
import { refusal } from '../testing/memory-verbs.ts';
import { DEFAULT_TIMES, storeLink, watchTry } from './store-link.ts';

const WHAT = { store: 'S3', operation: 'GetObject' };
const statusOf = (error: unknown) => (error as { facts: { status: number | undefined } }).facts.status;

/** A link whose gate says what it is told, and a try on it that ends with an error, or without. */
function linkOf() {
  const link = storeLink(async () => {}, DEFAULT_TIMES);
  const heard: string[] = [];
  Object.assign(link.gate, {
    answered: () => heard.push('answered'),
    failed: () => heard.push('failed'),
  });
  const attempt = (error?: unknown) =>
    watchTry(link, WHAT, statusOf, async () => {
      if (error !== undefined) throw error;
      return 'answer';
    });
  return { link, heard, attempt };
}

test('a try counts by its end: an answer opens the gate, none shuts it, and a fault does neither', async () => {
  const { link, heard, attempt } = linkOf();
  assert.equal(await attempt(), 'answer');
  assert.deepEqual(heard.splice(0), ['answered']);
  for (const [status, outcome, gate] of [
    [404, 'refused', ['answered']],
    [499, 'refused', ['answered']],
    [500, 'failed', []],
    [503, 'failed', []],
    [undefined, 'unanswered', ['failed']],
  ] as const) {
    const error = refusal(status);
    await assert.rejects(attempt(error), (thrown) => thrown === error);
    assert.deepEqual(heard.splice(0), gate, `${status}`);
    assert.equal(link.figures.all().find((figure) => figure.outcome === outcome)?.operation, 'GetObject');
  }
  assert.deepEqual(
    link.figures.all().map(({ outcome, count }) => [outcome, count]),
    [
      ['ok', 1],
      ['refused', 2],
      ['failed', 2],
      ['unanswered', 1],
    ],
  );
});

test('what is not asked at all does not count', async () => {
  const { link, heard, attempt } = linkOf();
  const known = new StoreUnavailable('known');
  await assert.rejects(attempt(known), (thrown) => thrown === known);
  link.end.come();
  await assert.rejects(attempt(), /this process stops/);
  assert.deepEqual([heard, link.figures.all()], [[], []]);
});
