import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { wholeEntries } from './json-prefix.ts';

const entriesOf = (text: string, depth: number): unknown => {
  const whole = wholeEntries(Buffer.from(text), depth);
  return whole === null ? null : JSON.parse(whole.toString());
};

test('a list that is cut anywhere gives its first entries, all but one of those that are complete', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue({ maxDepth: 3 })), fc.nat(), (list, at) => {
      const text = Buffer.from(JSON.stringify(list));
      const cut = text.subarray(0, at % text.length);
      const whole = wholeEntries(cut, 1);
      const found: unknown[] = whole === null ? [] : JSON.parse(whole.toString());
      let complete = 0;
      while (
        complete < list.length &&
        Buffer.byteLength(JSON.stringify(list.slice(0, complete + 1))) <= cut.length
      ) {
        complete++;
      }
      assert.deepEqual(found, JSON.parse(JSON.stringify(list.slice(0, found.length))));
      assert.ok(found.length <= complete && found.length >= complete - 1, `${found.length} of ${complete}`);
    }),
  );
});

test('entries of a list within an object are made whole with what is around them', () => {
  assert.deepEqual(entriesOf('{"ids":["a,b","c\\"]","d', 2), { ids: ['a,b', 'c"]'] });
  assert.deepEqual(entriesOf('{"n":1,"files":{"bldg":[{"a":[1,2]},{"a":[3', 3), {
    n: 1,
    files: { bldg: [{ a: [1, 2] }] },
  });
});

test('nothing complete is null', () => {
  for (const text of ['', '[', '["a', '[1', '{"ids":["a'])
    assert.equal(wholeEntries(Buffer.from(text), 2), null);
});
