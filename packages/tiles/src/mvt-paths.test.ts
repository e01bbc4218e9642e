import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findTileLayout } from './mvt-paths.ts';

const layoutOf = (paths: readonly string[], perZoom = 10) => findTileLayout(() => paths, perZoom);

test('tiles below one directory or none have a template, bounds of each zoom and a sample', () => {
  const layout = layoutOf(['metadata.json', 'a/10/909/403.mvt', 'a/10/907/405.mvt', 'a/9/454/201.mvt']);
  assert.deepEqual(layout, {
    prefix: 'a/',
    extension: 'mvt',
    template: 'a/{z}/{x}/{y}.mvt',
    tiles: 3,
    zooms: [
      { z: 9, tiles: 1, x1: 454, y1: 201, x2: 454, y2: 201 },
      { z: 10, tiles: 2, x1: 907, y1: 403, x2: 909, y2: 405 },
    ],
    sample: [
      { path: 'a/9/454/201.mvt', z: 9, x: 454, y: 201 },
      { path: 'a/10/909/403.mvt', z: 10, x: 909, y: 403 },
      { path: 'a/10/907/405.mvt', z: 10, x: 907, y: 405 },
    ],
    complete: true,
    odd: [],
    oddCount: 0,
  });
  const plain = layoutOf(['0/0/0.pbf']);
  assert.deepEqual([plain?.prefix, plain?.extension, plain?.template], ['', 'pbf', '{z}/{x}/{y}.pbf']);
});

test('what most tiles have is the layout, and the rest is named with the reason', () => {
  const layout = layoutOf([
    'b/1/0/0.mvt',
    'b/1/1/0.mvt',
    'a/1/0/1.mvt',
    'b/1/1/1.pbf',
    'b/x/1/1.MVT',
    'b/1.txt',
  ]);
  assert.equal(layout?.template, 'b/{z}/{x}/{y}.mvt');
  assert.equal(layout.tiles, 2);
  assert.deepEqual(layout.odd, [
    { path: 'b/x/1/1.MVT', reason: 'is not named {z}/{x}/{y}.mvt' },
    { path: 'a/1/0/1.mvt', reason: 'lies apart from the tiles b/{z}/{x}/{y}.mvt' },
    { path: 'b/1/1/1.pbf', reason: 'lies apart from the tiles b/{z}/{x}/{y}.mvt' },
  ]);
  assert.equal(layout.oddCount, 3);
  // Of as many tiles the first by name.
  assert.equal(layoutOf(['b/1/0/0.mvt', 'a/1/0/0.mvt'])?.prefix, 'a/');
});

test('tiles outside of the pyramid are no tiles, and only the first odd ones are listed', () => {
  const inside = ['0/0/0.mvt', '1/1/1.mvt', `30/${2 ** 30 - 1}/${2 ** 30 - 1}.mvt`];
  const outside = ['0/1/0.mvt', '0/0/1.mvt', '1/2/0.mvt', '1/0/2.mvt', '31/0/0.mvt', '99/0/0.mvt'];
  const layout = layoutOf([...inside, ...outside]);
  assert.equal(layout?.tiles, 3);
  assert.equal(layout.oddCount, 6);
  assert.deepEqual(
    layout.odd,
    outside
      .slice(0, 5)
      .map((path) => ({ path, reason: 'has no place in a pyramid that has 2^z tiles each way' })),
  );
  assert.equal(layoutOf(outside), null);
  assert.equal(layoutOf(['tileset.json', 'a/b/1/0/0.mvt']), null);
});

test('a sample is spread evenly over each zoom, and says when it is not all', () => {
  const paths = Array.from({ length: 100 }, (_, i) => `7/${i}/5.mvt`);
  const layout = layoutOf(paths, 4);
  const xs = layout?.sample.map(({ x }) => x);
  assert.deepEqual(xs, [0, 16, 32, 48, 64, 80, 96]);
  assert.deepEqual([layout?.tiles, layout?.complete], [100, false]);
  assert.equal(layoutOf(paths.slice(0, 7), 4)?.complete, true);
});
