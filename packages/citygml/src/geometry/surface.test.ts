/** Rings as they are written, without positions that repeat others. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reverse, withoutRepeats } from './surface.ts';

/** Places of a ring by their letters, each 3 numbers that nothing else has. */
const ringOf = (letters: string) =>
  Float64Array.from([...letters].flatMap((letter) => [0, 1, 2].map((i) => letter.charCodeAt(0) + i / 4)));
const lettersOf = (ring: Float64Array) =>
  Array.from({ length: ring.length / 3 }, (_, i) => String.fromCharCode(ring[3 * i]!)).join('');

test('a ring loses positions that repeat the one before, and those at its end that repeat its first', () => {
  for (const [written, left, kept] of [
    ['abc', 'abc', null],
    ['abca', 'abc', null],
    ['abcaa', 'abc', [0, 1, 2]],
    ['aabc', 'abc', [0, 2, 3]],
    ['abbbc', 'abc', [0, 1, 4]],
    ['aabbcca', 'abc', [0, 2, 4]],
    ['abbcdefgh', 'abcdefgh', [0, 1, 3, 4, 5, 6, 7, 8]],
    ['abab', 'abab', null],
    ['aaa', 'a', [0]],
    ['a', 'a', null],
    ['', '', null],
  ] as const) {
    const ring = ringOf(written);
    const { positions, written: facts } = withoutRepeats(ring, 'r');
    assert.equal(lettersOf(positions), left, written);
    assert.deepEqual(
      { ...facts, kept: facts.kept && [...facts.kept] },
      { id: 'r', positions: written.length, kept },
      written,
    );
    assert.equal(lettersOf(ring), written, 'what was read stays as it is');
  }
});

test('positions that differ in one coordinate are two', () => {
  for (const axis of [0, 1, 2]) {
    const ring = ringOf('aab');
    ring[3 + axis]! += 0.001;
    assert.equal(withoutRepeats(ring, null).positions.length, 9, `${axis}`);
  }
});

test('a surface from its other side knows where its positions were written', () => {
  const surfaceOf = (letters: string) => {
    const { positions, written } = withoutRepeats(ringOf(letters), null);
    return reverse({ rings: [positions], written: [written], element: null, isTurned: false } as never);
  };
  for (const [letters, kept] of [
    ['abc', [2, 1, 0]],
    ['aabc', [3, 2, 0]],
  ] as const) {
    const { rings, written, isTurned } = surfaceOf(letters);
    assert.equal(lettersOf(rings[0]!), 'cba');
    assert.deepEqual([...written[0]!.kept!], kept);
    assert.equal(isTurned, true);
  }
});
