import assert from 'node:assert/strict';
import { test } from 'node:test';
import { archiveKeys, hasSums, objectKeysOf, pictureKey, tableKey } from './archive-keys.ts';

test('keys of an archive say whose they are, and that its index has sums', () => {
  const { archive, index } = archiveKeys('abc');
  assert.deepEqual([archive, index], ['archives/abc.zip', 'archives/abc.sums.index']);
  assert.equal(hasSums({ indexKey: index }), true);
  assert.equal(hasSums({ indexKey: 'archives/abc.index' }), false);
  // A package without bytes lacks none.
  assert.equal(hasSums({ indexKey: '' }), true);
});

test('the key of a table has type and package, as characters that any program reads', () => {
  assert.equal(
    tableKey('w1', 'bldg:Building', { name: '13101 千代田/a-1.x' }),
    'tables/bldg_Building/13101_____a-1.x/w1.parquet',
  );
  const long = tableKey('w1', 'b', { name: 'ab'.repeat(100) });
  assert.equal(long, `tables/b/${'ab'.repeat(60)}/w1.parquet`);
});

test('the key of a picture says how it looks', () => {
  const look = { theme: 'light', size: 'large', mimeType: 'image/jpeg' } as const;
  assert.equal(pictureKey('w1', look), 'pictures/w1-light-large.jpeg');
});

test('objects of a package are its archive and index, tables and pictures', () => {
  const keys = { archiveKey: 'a', indexKey: 'i' };
  assert.deepEqual(objectKeysOf(keys), ['a', 'i']);
  assert.deepEqual(objectKeysOf({ archiveKey: '', indexKey: '' }), []);
  const table = { type: 'bldg', key: 't', size: 1, sha256: '', features: 1, version: 1, sums: '' };
  const facts = { theme: 'light', size: 'large', mimeType: 'image/jpeg', bytes: 1, sha256: '' } as const;
  const images = [{ ...facts, key: 'p', width: 1, height: 1 }];
  assert.deepEqual(objectKeysOf({ ...keys, tables: [table], pictures: { version: 1, images } }), [
    'a',
    'i',
    't',
    'p',
  ]);
});
