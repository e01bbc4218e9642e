/** What the check of regular expressions takes for linear without trying. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isPlainlyLinear } from '../scripts/linear-patterns.ts';

const isPlain = ({ source, flags }: RegExp) => isPlainlyLinear({ source, flags });

describe('plainly linear patterns', () => {
  it('repeat nothing without an end, or one thing from the start of the text', () => {
    for (const pattern of [
      /^[0-9a-f]{64}$/,
      /a{0,9}b{0,9}/,
      /^[a-z][a-z0-9+.-]*:/i,
      /^(\d{5}|\d{2})$/,
      /^(?:ps_)?\d+$/,
      /\*[*+]/u,
      /\p{L}/u,
    ]) {
      assert.equal(isPlain(pattern), true, String(pattern));
    }
  });

  it('are no others: they are tried', () => {
    for (const pattern of [
      /-.*$/,
      /^-.*$/m,
      /^a|b*c/,
      /^a*a*$/,
      /(a*)*b/,
      /^(a{1,9}){1,9}$/,
      /(?:a|a)+b/,
      /a{0,200}a{0,200}b/,
      /^(a+)\1$/,
      /(?<=a*)b/,
      /a{2,}b/,
    ]) {
      assert.equal(isPlain(pattern), false, String(pattern));
    }
  });
});
