import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { propertyId } from './property-name.ts';

/** Of the schema of EXT_structural_metadata: keys of `properties`. */
const IDENTIFIER = /^[a-zA-Z_][a-zA-Z0-9_]*$/;

test('every name of a column has an identifier of glTF, always the same, and names that differ have others', () => {
  assert.equal(propertyId('bldg:measuredHeight'), 'bldg_measuredHeight');
  assert.equal(propertyId('_lod'), '_lod');
  assert.equal(propertyId('a1'), 'a1');
  const names = fc.oneof(
    fc.string({ minLength: 1 }),
    fc.constantFrom('建物名', '1st', 'a b', 'a-b', 'gen:高さ', '', '9', 'é'),
  );
  fc.assert(
    fc.property(names, names, (a, b) => {
      assert.match(propertyId(a), IDENTIFIER);
      assert.equal(propertyId(a), propertyId(a));
      if (a.replaceAll(':', '_') !== b.replaceAll(':', '_')) assert.notEqual(propertyId(a), propertyId(b));
    }),
  );
  for (const name of ['建物名', '1st', 'a b', 'a-b', 'a.b', ''])
    assert.match(propertyId(name), /^x_[0-9a-f]{8}$/);
});
