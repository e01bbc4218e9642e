import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { DecimalReader } from './decimal-reader.ts';

function read(text: string, commas = false): { values: number[]; malformed: boolean } {
  const bytes = Buffer.from(`${text}<<`);
  const reader = new DecimalReader(64);
  reader.read(bytes, 0, bytes.length - 1, commas);
  return { values: [...reader.values.subarray(0, reader.count)], malformed: reader.malformed };
}

test('numbers are exactly those of Number()', () => {
  const digits = (max: number) =>
    fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: max }).map((d) => d.join(''));
  const decimal = fc
    .tuple(fc.constantFrom('', '-', '+'), digits(12), fc.option(digits(22)))
    .map(([sign, whole, part]) => `${sign}${whole}${part === null ? '' : `.${part}`}`);
  const coordinate = fc.double({ min: 20, max: 154, noNaN: true }).map(String);
  const exponent = fc.double({ noNaN: true, noDefaultInfinity: true }).map(String);
  const number = fc.oneof(decimal, coordinate, exponent);
  fc.assert(
    fc.property(
      fc.array(number, { maxLength: 20 }),
      fc.constantFrom(' ', '\n', '\r\n\t', '  '),
      (texts, blank) => {
        const { values, malformed } = read(texts.join(blank));
        assert.equal(malformed, false);
        assert.deepEqual(values, texts.map(Number));
      },
    ),
    { numRuns: 5000 },
  );
});

test('what is no number stops the reading', () => {
  for (const text of ['x', '1 2 NaN', '1 . 2', '1e', '--1', '1.2.3', '1,2', 'Infinity', '0x10', '1e999']) {
    assert.equal(read(text).malformed, true, text);
  }
  assert.deepEqual(read(' 1,2 3,4 ', true), { values: [1, 2, 3, 4], malformed: false });
  assert.deepEqual(read('.5 5. -.25'), { values: [0.5, 5, -0.25], malformed: false });
});

test('a token of very many digits is malformed', () => {
  assert.equal(read(`1 ${'1'.repeat(500_000)}x`).malformed, true);
  assert.equal(read(`1 ${'1'.repeat(500_000)}`).malformed, true);
});

test('a full reader stops before the number that does not fit', () => {
  const bytes = Buffer.from('1 2 3<<');
  const reader = new DecimalReader(2);
  reader.read(bytes, 0, 6, false);
  assert.equal(reader.count, 2);
  assert.equal(reader.position, 4);
});

test('a number that reaches the end of the bytes is left for later', () => {
  for (const [text, values, position] of [
    ['1.5 2.5<', [1.5], 4],
    ['1.5 2e<', [1.5], 4],
    ['1.5 -<', [1.5], 4],
    ['1.5 <', [1.5], 4],
  ] as const) {
    const bytes = Buffer.from(text);
    const reader = new DecimalReader(4);
    reader.read(bytes, 0, text.length - 1, false);
    assert.deepEqual([...reader.values.subarray(0, reader.count)], values);
    assert.equal(reader.position, position, text);
    assert.equal(reader.malformed, false);
  }
});
