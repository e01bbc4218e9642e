import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Logger } from 'pino';
import type { Metrics } from './metrics.ts';
import { type Answered, RequestLog } from './request-log.ts';

const ANSWERED: Answered = {
  ...{ method: 'GET', url: '/datacatalog/areas?x=1', route: '/datacatalog/areas', status: 200 },
  ...{ id: 'r1', trace: null, ms: 1.23456, bytes: 7, cost: null },
};
const LINE = { id: 'r1', method: 'GET', url: ANSWERED.url, status: 200, ms: 1.23, bytes: 7 };

/** The line of an answer, as it is written. */
function lineOf(more: Partial<Answered>): unknown {
  const lines: string[] = [];
  const counted: Answered[] = [];
  const log = { info: (line: object, words: string) => lines.push(JSON.stringify([words, line])) };
  const metrics = { answered: (one: Answered) => counted.push(one) };
  const answered = { ...ANSWERED, ...more };
  new RequestLog(log as unknown as Logger, metrics as unknown as Metrics).note(answered);
  assert.deepEqual([lines.length, counted], [1, [answered]]);
  const [words, line] = JSON.parse(lines[0]!) as [string, unknown];
  assert.equal(words, 'request');
  return line;
}

test('a line says what was answered, in which trace, and what it cost, as far as these are known', () => {
  assert.deepEqual(lineOf({}), LINE);
  assert.deepEqual(lineOf({ trace: 't' }), { ...LINE, trace: 't' });
  assert.deepEqual(lineOf({ cost: { files: 12, cached: true } }), { ...LINE, files: 12, cached: true });
  assert.deepEqual(lineOf({ trace: 't', cost: { files: 1 } }), { ...LINE, trace: 't', files: 1 });
});

test('times are told to a hundredth of a millisecond', () => {
  assert.deepEqual(lineOf({ ms: 0.004 }), { ...LINE, ms: 0 });
  assert.deepEqual(lineOf({ ms: 1234.567 }), { ...LINE, ms: 1234.57 });
});

test('a URL is told up to 1,000 characters, of those that are longer with a sign that it goes on', () => {
  const url = `/${'x'.repeat(998)}y`;
  assert.deepEqual(lineOf({ url }), { ...LINE, url });
  assert.deepEqual(lineOf({ url: `${url}z` }), { ...LINE, url: `${url}…` });
});
