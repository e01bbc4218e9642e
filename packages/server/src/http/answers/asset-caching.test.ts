import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assetCaching } from './asset-caching.ts';

test('what names no other file is kept for a year, what may name others as long as these are there', () => {
  const caching = assetCaching(900);
  const own = { id: 'abcdef', assetPath: 'ab/cdef' };
  const [forever, naming, mirrored] = [
    'public, max-age=31536000, immutable',
    'public, max-age=900, immutable',
    'public, max-age=60',
  ];
  for (const [path, expected] of [
    ['tileset.json', naming],
    ['a/b.GLB', forever],
    ['a/b.b3dm', forever],
    ['14/1/2.mvt', forever],
    ['udx/bldg/a.gml', naming],
    ['a/image.JPG', forever],
    ['a.jpg/none', naming],
    ['jpg', forever],
    [null, naming],
  ] as const) {
    assert.equal(caching(own, path), expected, String(path));
    // A path that is not made of the id may get other bytes.
    assert.equal(caching({ ...own, assetPath: 'ab/cdeg' }, path), mirrored);
  }
});
