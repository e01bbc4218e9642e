import assert from 'node:assert/strict';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import fc from 'fast-check';
import { jsonPieces, printJson } from './print-json.ts';

const whole = (value: unknown) => JSON.stringify(value, null, 2);

test('pieces say what the whole does, at any depth', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 7 }), fc.nat(8), (value, depth) => {
      assert.equal([...jsonPieces(value, depth)].join(''), whole(value));
    }),
  );
});

test('values of objects that are not there, numbers that are none, empty ones, line feeds', () => {
  const value = {
    a: undefined,
    b: [undefined, NaN, Infinity],
    c: {},
    d: [],
    e: { f: undefined },
    'g\n"': '\n',
  };
  assert.equal([...jsonPieces(value)].join(''), whole(value));
});

test('a long value waits for its reader, and is printed whole', async () => {
  const value = Array.from({ length: 20_000 }, (_, i) => ({ id: `feature ${i}`, at: [i, i + 1] }));
  const stream = new PassThrough();
  let isPrinted = false;
  const printing = printJson(value, stream).then(() => {
    isPrinted = true;
    stream.end();
  });
  await once(stream, 'readable');
  assert.equal(isPrinted, false);
  assert.equal(await text(stream), `${whole(value)}\n`);
  await printing;
});

test('a reader that goes away ends the wait', async () => {
  const stream = new PassThrough();
  const printing = printJson('a long text '.repeat(100_000).split(' '), stream);
  stream.destroy();
  await printing;
});
