import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contentTypeOf, isPage } from './content-types.ts';

test('the type follows from what stands behind the last dot, in letters of either case', () => {
  for (const [path, type, page] of [
    ['udx/bldg/53394525_bldg_6697_op.gml', 'application/gml+xml', true],
    ['a.GML', 'application/gml+xml', true],
    ['a.tar.zip', 'application/zip', false],
    ['x_appearance/1.jpg', 'image/jpeg', false],
    ['a.xsd', 'application/xml', true],
    ['a.pdf', 'application/pdf', true],
    ['a.csv', 'text/csv; charset=utf-8', false],
    // A package is data: no page, script or drawing of it is named as such.
    ['a.html', 'application/octet-stream', true],
    ['a.js', 'application/octet-stream', true],
    ['a.svg', 'application/octet-stream', true],
    ['a.unknown', 'application/octet-stream', false],
    ['README', 'application/octet-stream', false],
    ['a.gml.', 'application/octet-stream', false],
  ] as const) {
    assert.deepEqual([contentTypeOf(path), isPage(path)], [type, page], path);
  }
});
