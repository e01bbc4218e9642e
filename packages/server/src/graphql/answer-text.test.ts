import assert from 'node:assert/strict';
import { test } from 'node:test';
import { textOf } from '../base/testing/text-of.ts';
import { AnswerText } from './answer-text.ts';

test('a short text stays as it is, and what was added last can be taken back', async () => {
  const text = new AnswerText();
  text.add('{"a":');
  const { position } = text;
  assert.equal(position, 5);
  text.add('"住宅"');
  assert.equal(text.cut(position), true);
  text.add('null}');
  assert.equal(text.isFull, false);
  const document = await text.finish();
  assert.deepEqual([await textOf(document), document.size], ['{"a":null}', 10]);
});

test('a long text is compressed on the way, and only what is not yet can be taken back', async () => {
  const text = new AnswerText();
  const row = '住宅 '.repeat(1_000);
  let bytes = 0;
  const expected: string[] = [];
  for (let n = 0; n < 60; n++) {
    text.add(row);
    expected.push(row);
    if (text.isFull) bytes += await text.pack();
  }
  assert.ok(bytes > 0 && bytes < Buffer.byteLength(row) * 60);
  const sent = await text.pack();
  bytes += sent;
  assert.equal(text.position, row.length * 60);
  text.add('kept');
  const { position } = text;
  text.add('taken back');
  assert.equal(text.cut(position), true);
  assert.equal(text.cut(row.length * 60), true);
  assert.equal(text.cut(row.length * 60 - 1), false);
  assert.equal(text.position, row.length * 60);
  text.add('end');
  const document = await text.finish();
  const whole = `${expected.join('')}end`;
  assert.equal(await textOf(document), whole);
  assert.deepEqual([document.size, bytes + 3], [Buffer.byteLength(whole), Buffer.byteLength(whole)]);
  // The same text has the same tag, another one has another.
  const tagOf = async (...parts: string[]) => {
    const again = new AnswerText();
    for (const part of parts) {
      again.add(part);
      await again.pack();
    }
    return (await again.finish()).etag;
  };
  assert.equal(await tagOf(whole.slice(0, 70_000), whole.slice(70_000)), document.etag);
  assert.notEqual(await tagOf(whole, '.'), document.etag);
});
