import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileExtras } from './file-extras.ts';
import { gmlFileOf } from './testing/fixtures.ts';

test('what a list says of a file is in the order of the specification, with every key', () => {
  const bounds = { west: 139.75, south: 35.5, east: 139.7625, north: 35.508333333333333 };
  const file = { ...gmlFileOf('53394509'), size: 5, features: 3, lods: [0, 3], sha256: 'ab', bounds };
  assert.equal(
    fileExtras(file),
    '"fileSize":5,"features":3,"lod0":0,"lod1":3,"lod2":null,"lod3":null,"lod4":null,"sha256":"ab",' +
      '"bbox":[139.75,35.5,139.7625,35.50833333333333]',
  );
  assert.match(fileExtras({ ...file, bounds: null }), /"bbox":null$/);
});
