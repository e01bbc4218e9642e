import assert from 'node:assert/strict';
import { it } from 'node:test';
import {
  compareTypes,
  FEATURE_TYPES,
  isDisasterType,
  isListedType,
  isTypeCode,
  typeName,
  typeOrder,
} from './feature-types.ts';

it('names and orders feature types, and keeps unknown codes', () => {
  assert.equal(FEATURE_TYPES.length, 25);
  assert.equal(FEATURE_TYPES[0], 'bldg');
  assert.equal(typeName('fld'), '洪水浸水想定区域モデル');
  assert.equal(typeName('xyz'), 'xyz');
  assert.equal(typeName('constructor'), 'constructor');
  assert.equal(isListedType('constructor'), false);
  assert.equal(typeOrder('bldg'), 0);
  assert.deepEqual(['zz', 'gen', 'fld', 'aa', 'bldg', 'tran'].sort(compareTypes), [
    'bldg',
    'tran',
    'fld',
    'gen',
    'aa',
    'zz',
  ]);
  assert.deepEqual(['fld', 'lsld', 'rfld'].map(isDisasterType), [true, false, true]);
});

it('codes of types have digits too, and begin with a letter', () => {
  assert.deepEqual(['bldg', 'x', 'lod2', 'a1b'].map(isTypeCode), [true, true, true, true]);
  assert.deepEqual(['', 'Bldg', '2d', 'a-b', 'a_b', 'bldg\n', 'ｂldg'].map(isTypeCode), Array(7).fill(false));
});
