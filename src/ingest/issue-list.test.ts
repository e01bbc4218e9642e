import assert from 'node:assert/strict';
import { test } from 'node:test';
import { IssueList, MAX_MESSAGE } from './issue-list.ts';

test('messages that quote megabytes of a package are cut', () => {
  const issues = new IssueList();
  const issue = { code: 'TILESET_CONTENT_MISSING', severity: 'error', member: 'tileset.json' } as const;
  issues.sink({ ...issue, message: `The content ${'a'.repeat(5_000_000)} is missing.` });
  issues.sink({ ...issue, message: 'The content b is missing.' });
  const [long, short] = issues.all();
  assert.equal(long!.message.length, MAX_MESSAGE);
  assert.match(long!.message, /^The content a+…$/);
  assert.equal(short!.message, 'The content b is missing.');
});
