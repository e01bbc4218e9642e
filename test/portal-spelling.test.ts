import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { errorsAllowed, errorsBetween } from '../packages/portal/src/core/spelling.ts';

/** All texts that one error makes of a text, over a small alphabet. */
function* oneError(text: string): Generator<string> {
  for (let i = 0; i <= text.length; i++) {
    for (const letter of 'abc') {
      yield text.slice(0, i) + letter + text.slice(i);
      if (i < text.length) yield text.slice(0, i) + letter + text.slice(i + 1);
    }
    if (i < text.length) yield text.slice(0, i) + text.slice(i + 1);
    if (i + 1 < text.length) yield text.slice(0, i) + text[i + 1] + text[i] + text.slice(i + 2);
  }
}

suite('errors between a typed text and the beginning of a name', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 7 });

  test('agree with all texts of one error', () => {
    fc.assert(
      fc.property(text, text, (typed, name) => {
        const near = new Set([typed, ...oneError(typed)]);
        const begins = Array.from({ length: name.length + 1 }, (_, n) => name.slice(0, n));
        const isNear = typed[0] === name[0] && begins.some((begin) => near.has(begin));
        const expected = begins.includes(typed) ? 0 : isNear ? 1 : Number.POSITIVE_INFINITY;
        assert.equal(errorsBetween(typed, name, 1), expected);
      }),
    );
  });

  test('agree where a text has one, or the name ends before it', () => {
    fc.assert(
      fc.property(text, fc.nat(), fc.nat({ max: 3 }), (typed, which, tail) => {
        const all = [...oneError(typed)];
        const name = `${all[which % all.length]!}${'abc'.slice(0, tail)}`;
        const near = new Set([typed, ...all]);
        const begins = Array.from({ length: name.length + 1 }, (_, n) => name.slice(0, n));
        const least = begins.includes(typed) ? 0 : 1;
        const isNear = typed[0] === name[0] && begins.some((begin) => near.has(begin));
        assert.equal(errorsBetween(typed, name, 1), isNear ? least : Number.POSITIVE_INFINITY);
      }),
    );
    assert.deepEqual(
      [errorsBetween('abcd', 'ab', 2), errorsBetween('abcd', 'ab', 1)],
      [2, Number.POSITIVE_INFINITY],
    );
    assert.equal(errorsBetween('abcd', 'accc', 1), Number.POSITIVE_INFINITY);
  });

  test('count two, and forgive no first letter', () => {
    assert.equal(errorsBetween('yokohoma', 'yokohama-shi', 2), 1);
    assert.equal(errorsBetween('yokhaama', 'yokohama', 2), 2);
    assert.equal(errorsBetween('nagyoa', 'nagoya', 2), 1);
    assert.equal(errorsBetween('happoro', 'sapporo', 2), Number.POSITIVE_INFINITY);
    assert.deepEqual([3, 4, 6, 7].map(errorsAllowed), [0, 1, 1, 2]);
  });
});
