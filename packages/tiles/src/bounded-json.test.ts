import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JSON_LIMIT, JsonTooLarge, parseBoundedJson } from './bounded-json.ts';

const MOST_SIGNS = 6_000_000;

test('a document is parsed as UTF-8, with a mark of the byte order or without', () => {
  const value = { あ: ['"', '\\', '{[:,'], n: 1 };
  for (const mark of ['', '\ufeff']) {
    assert.deepEqual(parseBoundedJson(Buffer.from(mark + JSON.stringify(value))), value);
  }
  assert.throws(() => parseBoundedJson(Uint8Array.of(0x22, 0xff, 0x22)), TypeError);
  assert.throws(() => parseBoundedJson(Buffer.from('{')), SyntaxError);
});

test('a document of too many bytes is not parsed', () => {
  assert.throws(
    () => parseBoundedJson(Buffer.alloc(JSON_LIMIT + 1)),
    (error) =>
      error instanceof JsonTooLarge && /has 33554433 bytes; at most 33554432 are parsed/.test(error.message),
  );
});

test('signs of lists, objects, keys and entries are counted outside of texts, whatever the document is', () => {
  const signs = (count: number, behind: string) =>
    Buffer.concat([Buffer.alloc(count, '{[:,'), Buffer.from(behind)]);
  assert.throws(() => parseBoundedJson(signs(MOST_SIGNS + 1, '')), JsonTooLarge);
  assert.throws(() => parseBoundedJson(signs(MOST_SIGNS, '"[" ]}')), SyntaxError);
  assert.throws(() => parseBoundedJson(signs(MOST_SIGNS, '"\\""{')), JsonTooLarge);
  const text = Buffer.concat([Buffer.from('"\\"'), Buffer.alloc(MOST_SIGNS + 9, '{[:,'), Buffer.from('"')]);
  assert.equal((parseBoundedJson(text) as string).length, MOST_SIGNS + 10);
});
