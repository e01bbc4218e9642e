import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Issue } from '@citymodel/base';
import { shortIssues } from './short-issues.ts';

const issue = (severity: Issue['severity'], code: string, n: number): Issue => ({
  severity,
  code,
  member: `${n}`,
  message: 'x'.repeat(2_000),
});

test('a short list of issues has some of each code, and the worst besides', () => {
  const issues = [
    issue('info', 'NOTE', 0),
    ...Array.from({ length: 300 }, (_, n) => issue('warning', 'MANY', n)),
    ...Array.from({ length: 7 }, (_, n) => issue('error', 'BAD', n)),
  ];
  const short = shortIssues(issues);
  assert.equal(short.length, 200);
  const counts = Map.groupBy(short, ({ code }) => code);
  assert.deepEqual(
    [...counts].map(([code, found]) => [code, found.length]),
    [
      ['BAD', 7],
      ['MANY', 192],
      ['NOTE', 1],
    ],
  );
  assert.ok(short.every(({ message }) => message.length === 1_000));
  assert.deepEqual(shortIssues([]), []);
});

test('five of each code stay, whatever else there is', () => {
  const issues = [
    ...Array.from({ length: 9 }, (_, n) => issue('info', 'NOTE', n)),
    ...Array.from({ length: 400 }, (_, n) => issue('error', 'BAD', n)),
  ];
  const notes = shortIssues(issues).filter(({ code }) => code === 'NOTE');
  assert.deepEqual(
    notes.map(({ member }) => member),
    ['0', '1', '2', '3', '4'],
  );
});
