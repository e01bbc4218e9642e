import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import type { Issue } from './issue.ts';
import { bySeverity, countIssues, moreOfKind, standsFor } from './issue-counts.ts';

const issue = (code: string, severity: Issue['severity'], message = 'One.'): Issue => ({
  code,
  severity,
  message,
  member: null,
});

test('errors come before warnings, and these before notes', () => {
  const severities = ['info', 'error', 'warning', 'info', 'error'] as const;
  assert.deepEqual(
    severities.map((severity) => ({ severity })).sort(bySeverity),
    ['error', 'error', 'warning', 'info', 'info'].map((severity) => ({ severity })),
  );
  assert.equal(bySeverity({ severity: 'warning' }, { severity: 'warning' }), 0);
});

test('the message for those that are not listed stands for as many', () => {
  fc.assert(
    fc.property(fc.nat(2 ** 40), fc.constantFrom('file', 'package'), (count, where) => {
      assert.equal(standsFor(issue('A', 'error', moreOfKind(count, where as 'file'))), count);
    }),
  );
  assert.equal(moreOfKind(3, 'package'), 'There are 3 more of this kind in this package.');
  const others = [
    'One.',
    '',
    'There are many more of this kind in this file.',
    'There are 3 more of this kind in this tile.',
    'And There are 3 more of this kind in this file.',
    'There are 3 more of this kind in this file. Or not.',
  ];
  for (const message of others) assert.equal(standsFor(issue('A', 'error', message)), 1, message);
});

test('issues are counted by code and severity, the worst first, and otherwise as they came', () => {
  const counts = countIssues([
    issue('NOTE', 'info'),
    issue('TWICE', 'warning'),
    issue('BAD', 'error'),
    issue('TWICE', 'error'),
    issue('TWICE', 'warning', moreOfKind(41, 'file')),
    issue('NOTE', 'info'),
  ]);
  assert.deepEqual(counts, [
    { code: 'BAD', severity: 'error', count: 1 },
    { code: 'TWICE', severity: 'error', count: 1 },
    { code: 'TWICE', severity: 'warning', count: 42 },
    { code: 'NOTE', severity: 'info', count: 2 },
  ]);
  assert.deepEqual(countIssues([]), []);
});
