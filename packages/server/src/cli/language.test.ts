import assert from 'node:assert/strict';
import { test } from 'node:test';
import { languageOf } from './language.ts';

test('the first of LC_ALL, LC_MESSAGES and LANG that has a value names the language', () => {
  assert.equal(languageOf({ LANG: 'ja_JP.UTF-8' }), 'ja');
  assert.equal(languageOf({ LANG: 'ja' }), 'ja');
  assert.equal(languageOf({ LC_ALL: '', LC_MESSAGES: 'ja-JP', LANG: 'C' }), 'ja');
  assert.equal(languageOf({ LC_ALL: 'C.UTF-8', LANG: 'ja_JP.UTF-8' }), 'en');
  assert.equal(languageOf({ LC_MESSAGES: 'en_GB', LANG: 'ja_JP' }), 'en');
  assert.equal(languageOf({ LANG: 'jam_JM' }), 'en');
  assert.equal(languageOf({}), 'en');
});
