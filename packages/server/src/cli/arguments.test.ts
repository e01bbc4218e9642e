import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Command } from 'commander';
import { addAdopt, wholeNumber } from './arguments.ts';

test('a whole number lies between two others, both allowed', () => {
  const read = wholeNumber(2, 4);
  assert.deepEqual(['2', '3', '4'].map(read), [2, 3, 4]);
  for (const text of ['1', '5', '2.5', 'x', '', '-3']) {
    assert.throws(() => read(text), { message: 'It must be a whole number from 2 to 4.' }, text);
  }
  const open = wholeNumber(30);
  assert.equal(open('900719925474099'), 900719925474099);
  assert.throws(() => open('29'), { message: 'It must be a whole number from 30.' });
});

test('objects are taken over only where somebody says so', () => {
  const flags = (...words: string[]) => addAdopt(new Command()).parse(words, { from: 'user' }).opts();
  assert.deepEqual(flags(), { adopt: false });
  assert.deepEqual(flags('--adopt'), { adopt: true });
});
