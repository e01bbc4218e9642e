import assert from 'node:assert/strict';
import { test } from 'node:test';
import { numberOf, simpleValue } from './attribute-values.ts';

test('an empty text is null where a number or a boolean is expected, no numbers, and text elsewhere', () => {
  for (const kind of ['number', 'integer', 'measure', 'boolean'] as const) {
    assert.equal(simpleValue(kind, ' \n', true), null, kind);
  }
  assert.deepEqual(simpleValue('numbers', ' ', false), []);
  assert.equal(simpleValue('string', ' ', false), '');
  for (const uom of [true, false]) assert.equal(simpleValue('unknown', ' ', uom), '');
});

test('booleans have four texts; any other stays as it is', () => {
  const values = ['true', ' 1 ', 'false', '0', 'TRUE', 'no', '2'].map((text) =>
    simpleValue('boolean', text, false),
  );
  assert.deepEqual(values, [true, true, false, false, 'TRUE', 'no', '2']);
});

test('a property that the table does not know is a number where it has a unit', () => {
  assert.equal(simpleValue('unknown', ' 07 ', true), 7);
  assert.equal(simpleValue('unknown', ' 07 ', false), '07');
});

test('numbers of a list are read one by one, and what is none stays text', () => {
  assert.deepEqual(simpleValue('numbers', ' 1.5\n-2  Null ', false), [1.5, -2, 'Null']);
});

test('an integer that a double cannot hold stays text, and a decimal is rounded', () => {
  assert.equal(numberOf('9007199254740991'), 9007199254740991);
  assert.equal(numberOf('9007199254740993'), '9007199254740993');
  assert.equal(numberOf('-9007199254740993'), '-9007199254740993');
  assert.equal(numberOf('9007199254740994.0'), 9007199254740994);
  assert.equal(numberOf('1e20'), 1e20);
  assert.equal(numberOf('INF'), 'INF');
});
