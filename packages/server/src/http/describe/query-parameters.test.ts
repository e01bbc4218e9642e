import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ServiceError } from '../../base/errors.ts';
import { decimal, flag, list, type QueryParameter, required, text, whole } from './query-parameters.ts';

/** What is told about a value that is refused. */
function refusal(parameter: QueryParameter<unknown>, value: unknown): string {
  try {
    parameter.read({ p: value });
  } catch (error) {
    assert.ok(error instanceof ServiceError);
    assert.equal(error.status, 400);
    assert.equal(error.message, 'invalid parameter');
    return String(error.reason);
  }
  return assert.fail(`${value} was accepted`);
}

describe('a parameter of the query', () => {
  it('is a text without the blanks around it, once', () => {
    const parameter = text('p', '', { type: 'string' });
    assert.equal(parameter.read({ p: ' a b ' }), 'a b');
    assert.equal(parameter.read({ p: '  ' }), undefined);
    assert.equal(parameter.read({}), undefined);
    assert.equal(refusal(parameter, ['a', 'b']), 'p is given 2 times; expected once.');
  });

  it('is a list with commas between, also when it is repeated', () => {
    const parameter = list('p', '', { type: 'string' });
    assert.deepEqual(parameter.read({ p: ['a, b', ',c,'] }), ['a', 'b', 'c']);
    assert.deepEqual(parameter.read({}), []);
    assert.equal(parameter.list, true);
  });

  it('is a flag in the ways that programs write it', () => {
    const parameter = flag('p', '');
    for (const value of ['true', 'True', '1', '']) assert.equal(parameter.read({ p: value }), true);
    for (const value of ['false', 'FALSE', '0', undefined]) assert.equal(parameter.read({ p: value }), false);
    assert.equal(refusal(parameter, 'yes'), 'p is "yes"; it must be true or false.');
  });

  it('is a whole number between two, ends included', () => {
    const parameter = whole('p', '', { least: 1, most: 100, otherwise: 20 });
    assert.deepEqual(
      ['1', '100', undefined].map((p) => parameter.read({ p })),
      [1, 100, 20],
    );
    for (const value of ['0', '101', '1.5', 'x', '']) {
      assert.match(refusal(parameter, value), /must be a whole number from 1 to 100/);
    }
  });

  it('is a decimal number between two, ends included', () => {
    const parameter = decimal('p', '', { least: -90, most: 90, unit: 'decimal degrees' });
    assert.deepEqual(
      ['-90', ' 90 ', '1e1', '', undefined].map((p) => parameter.read({ p })),
      [-90, 90, 10, undefined, undefined],
    );
    assert.equal(refusal(parameter, '90.1'), 'p is "90.1"; expected decimal degrees, -90 to 90.');
    for (const value of ['-90.1', 'x', '0x10', '1e999', ['1', '2']]) refusal(parameter, value);
  });

  it('may have to be there', () => {
    const parameter = required(decimal('p', '', { least: 0, most: 1, unit: 'metres' }));
    assert.equal(parameter.required, true);
    assert.equal(parameter.read({ p: '0' }), 0);
    assert.equal(refusal(parameter, ''), 'p is missing.');
  });
});
