/** The operator's drawing of a package before it is published. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { meshBounds } from '../packages/geo/src/mesh.ts';
import { previewOf } from '../packages/portal/src/admin/preview.ts';

test('meshes and places of findings lie in the drawing as on a map: north is up, and widths are true', () => {
  const preview = previewOf(
    ['53394509', '53394519', 'no mesh'],
    [{ place: [139.74, 35.675], title: 'L02' }],
  )!;
  const [south, north] = preview.meshes as [(typeof preview.meshes)[0], (typeof preview.meshes)[0]];
  assert.deepEqual([south.code, north.code], ['53394509', '53394519']);
  assert.ok(north.y < south.y && Math.abs(north.x - south.x) < 0.2);
  const { west, east, south: low, north: high } = meshBounds('53394509');
  const shape = ((east - west) * Math.cos((low * Math.PI) / 180)) / (high - low);
  assert.ok(Math.abs(south.width / south.height - shape) < 0.01);
  const [dot] = preview.dots;
  const share = [(dot!.x - south.x) / south.width, (dot!.y - south.y) / south.height];
  const expected = [(139.74 - west) / (east - west), (high - 35.675) / (high - low)];
  for (const i of [0, 1]) assert.ok(Math.abs(share[i]! - expected[i]!) < 0.01, `${share} ${expected}`);
  for (const { x, y, width, height } of preview.meshes)
    assert.ok(x >= 0 && y >= 0 && x + width <= preview.width && y + height <= preview.height);
  assert.equal(previewOf([], []), null);
});
