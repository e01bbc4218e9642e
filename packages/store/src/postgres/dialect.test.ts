import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parserOf, toJsonRows, toPostgres, toText } from './dialect.ts';

test('arrays become tables, and lists that an index can answer', () => {
  assert.equal(
    toPostgres('SELECT value FROM each_text($2) WHERE value <> $1'),
    'SELECT value FROM unnest($2::text[]) AS each_text(value) WHERE value <> $1',
  );
  assert.equal(
    toPostgres('SELECT a FROM t WHERE a IN (SELECT value FROM each_int($1))'),
    'SELECT a FROM t WHERE a = ANY ($1::bigint[])',
  );
});

test('every text of a table is compared by its bytes', () => {
  assert.equal(
    toPostgres('CREATE TABLE t (a TEXT NOT NULL, b TEXT COLLATE BINARY, c INTEGER)'),
    'CREATE TABLE t (a TEXT COLLATE "C" NOT NULL, b TEXT COLLATE "C", c INTEGER)',
  );
  assert.equal(toPostgres('ALTER TABLE t ADD COLUMN d TEXT'), 'ALTER TABLE t ADD COLUMN d TEXT COLLATE "C"');
  assert.equal(toPostgres('SELECT CAST(a AS TEXT) FROM t'), 'SELECT CAST(a AS TEXT) FROM t');
});

test('parameters are texts that PostgreSQL can keep', () => {
  assert.equal(toText(null), null);
  assert.equal(toText(-1.5e-7), '-1.5e-7');
  assert.equal(toText('a\0b\uD842'), 'a\uFFFDb\uFFFD');
  assert.equal(
    toText(['a"b', 'c\\d', '', 'NULL', '{,}', '\0']),
    '{"a\\"b","c\\\\d","","NULL","{,}","\uFFFD"}',
  );
  assert.equal(toText([1, -2]), '{1,-2}');
  assert.equal(toText([]), '{}');
});

test('rows become objects by column', () => {
  assert.equal(
    toJsonRows(
      ['a', 'b'],
      [
        [1, '見本"'],
        [null, '\0'],
      ],
    ),
    '[{"a":1,"b":"見本\\""},{"a":null,"b":"\uFFFD"}]',
  );
  assert.throws(() => toJsonRows(['a'], [[Number.NaN]]), RangeError);
});

test('numbers beyond 53 bits are refused', () => {
  const bigint = parserOf(20);
  assert.equal(bigint('9007199254740991'), Number.MAX_SAFE_INTEGER);
  assert.throws(() => bigint('9007199254740992'), /the number 9007199254740992, which is beyond 53 bits/);
  assert.equal(parserOf(1700)('0.5'), 0.5);
  assert.equal(parserOf(701)('1e300'), 1e300);
  assert.equal(parserOf(23)('-7'), -7);
  assert.equal(parserOf(25)('7'), '7');
});
