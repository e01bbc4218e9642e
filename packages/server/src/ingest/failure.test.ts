import assert from 'node:assert/strict';
import { it } from 'node:test';
import { StoreUnavailable } from '@citymodel/store';
import { failureOf } from './failure.ts';

const system = (code: string) =>
  Object.assign(new Error(`${code}: something, open '/x'`), { code, syscall: 'open', path: '/x' });
const sqlite = Object.assign(new Error('database or disk is full'), { errcode: 13 });

it('names a full disk, whatever it was noticed by', () => {
  const errors = [
    system('ENOSPC'),
    system('EDQUOT'),
    new StoreUnavailable('the database cannot answer', { cause: sqlite }),
    // Higher bits of SQLite's code tell more of the same.
    Object.assign(new Error('database or disk is full'), { errcode: 13 | (2 << 8) }),
    // What is disposed of on the way out may fail as well.
    new SuppressedError(new Error('the intent cannot be ended'), system('ENOSPC')),
  ];
  for (const error of errors) assert.equal(failureOf(error).code, 'NO_SPACE', error.message);
});

it('tells other failures apart, each with a sentence', () => {
  assert.equal(failureOf(new StoreUnavailable('the database is away')).code, 'STORE_UNAVAILABLE');
  const broken = Object.assign(new Error('disk I/O error'), { errcode: 10 });
  const unavailable = new StoreUnavailable('the database cannot answer', { cause: broken });
  assert.equal(failureOf(unavailable).code, 'STORE_UNAVAILABLE');
  assert.deepEqual(failureOf(system('EACCES')), {
    code: 'UNREADABLE',
    reason: "EACCES: something, open '/x'.",
  });
  assert.equal(failureOf(new TypeError('x is not a function')).code, 'UNFORESEEN');
  assert.match(failureOf('thrown text').reason, /thrown text\.$/i);
});
