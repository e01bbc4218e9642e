import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { StoreUnavailable } from '../catalogue-store.ts';
import { isMissingTable, isPassing, translate } from './sqlite-error.ts';

const fault = (errcode: unknown) => Object.assign(new Error('x'), { code: 'ERR_SQLITE_ERROR', errcode });

function whyOf(error: unknown): string | null {
  const shown = translate(error, '/data/catalogue.sqlite');
  if (!(shown instanceof StoreUnavailable)) return null;
  assert.equal(shown.cause, error);
  return /^the database \/data\/catalogue\.sqlite cannot answer: (.*)$/.exec(shown.message)![1]!;
}

test('codes that say "not now" are said in words, and extended codes as their primary ones', () => {
  const words: Record<number, string> = {
    3: 'access is denied',
    5: 'it is busy',
    6: 'it is locked',
    7: 'memory ran out',
    8: 'it is read-only',
    10: 'reading or writing the disk failed',
    11: 'it is damaged',
    13: 'the disk is full',
    14: 'the file cannot be opened',
    15: 'its lock protocol failed',
    26: 'the file is not a database',
  };
  for (let code = 0; code < 30; code++) {
    assert.equal(whyOf(fault(code)), words[code] ?? null, `${code}`);
    // SQLITE_BUSY_SNAPSHOT is 5 + 2 * 256.
    assert.equal(whyOf(fault(code + 2 * 256)), words[code] ?? null, `${code} extended`);
    assert.equal(isPassing(fault(code + 256)), [5, 6, 15].includes(code), `${code}`);
  }
});

test('what is no error of SQLite stays as it is', () => {
  for (const error of [new Error('x'), 'x', null, { errcode: 5 }, fault('5')]) {
    assert.equal(translate(error, 'p'), error);
    assert.equal(isPassing(error), false);
    assert.equal(isMissingTable(error), false);
  }
});

test('a connection that was closed, and a table that is missing, are told by what node:sqlite throws', () => {
  const database = new DatabaseSync(':memory:');
  const thrownBy = (work: () => unknown): unknown => {
    try {
      return work();
    } catch (error) {
      return error;
    }
  };
  const missing = thrownBy(() => database.prepare('SELECT 1 FROM none'));
  assert.equal(isMissingTable(missing), true);
  assert.equal(translate(missing, 'p'), missing);
  assert.equal(isMissingTable(thrownBy(() => database.prepare('nonsense'))), false);
  database.close();
  assert.equal(whyOf(thrownBy(() => database.prepare('SELECT 1'))), 'it is closed');
});
