import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isFlatJson } from './flat-json.ts';

test('accepts any number of strings, and few lists and objects', () => {
  const urls = Array.from({ length: 50_000 }, (_, i) => `https://a.example/[{${i}:"\\"`);
  assert.ok(isFlatJson(JSON.stringify({ urls })));
  assert.ok(isFlatJson('{"urls": ["a\\\\", "b"], "latest": true}'));
  assert.ok(isFlatJson('not JSON at all "'));
});

test('refuses many brackets or keys', () => {
  assert.ok(!isFlatJson('['.repeat(2_000)));
  assert.ok(!isFlatJson('{},'.repeat(2_000)));
  assert.ok(!isFlatJson(`{${'"a":1,'.repeat(2_000)}}`));
  assert.ok(!isFlatJson(`["\\\\",${'['.repeat(2_000)}`));
});

test('a thousand lists, objects and keys are few', () => {
  for (const [one, signs] of [
    ['[', 1],
    ['{', 1],
    ['"a":1,', 1],
    ['{"a":[],', 3],
    ['],}', 0],
  ] as const) {
    const most = signs === 0 ? 5_000 : Math.floor(1_000 / signs);
    const rest = '['.repeat(1_000 - most * signs);
    assert.ok(isFlatJson(one.repeat(most) + rest), one);
    assert.ok(!isFlatJson(`${one.repeat(most) + rest}[`), one);
  }
});

test('a string ends at the first quote that an even number of backslashes stands before', () => {
  for (let escapes = 0; escapes < 6; escapes++) {
    // Brackets count outside of strings alone.
    const text = `["${'\\'.repeat(escapes)}"${'['.repeat(2_000)}"`;
    assert.equal(isFlatJson(text), escapes % 2 === 1, text.slice(0, 20));
  }
});
