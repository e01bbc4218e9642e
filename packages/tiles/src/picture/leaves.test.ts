import assert from 'node:assert/strict';
import { test } from 'node:test';
import { multiply } from '@citymodel/geo';
import { type Leaf, leavesOf } from './leaves.ts';
import { LeftOut } from './left-out.ts';
import { packageOf, tilesetOf } from './testing/small-city.ts';

const REGION = [0.1, 0.2, 0.3, 0.4, 0, 9];
const OTHER = [0.11, 0.21, 0.29, 0.39, 1, 8];
const moved = (x: number) => [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, x, 0, 0, 1];
const tile = (uri: string | null, more: object = {}): Record<string, unknown> => ({
  ...{ boundingVolume: { region: REGION }, geometricError: 1 },
  ...(uri === null ? {} : { content: { uri } }),
  ...more,
});

/** Leaves and what is left out of a package with these tilesets; all contents are there but for `missing.glb`. */
async function leaves(tilesets: Record<string, object>, signal = new AbortController().signal) {
  const leftOut = new LeftOut();
  const files = packageOf(tilesets);
  const has = (path: string) => /^\w+\.(glb|b3dm)$/.test(path) && path !== 'missing.glb';
  const found = await leavesOf(
    { ...files, size: (path) => files.size(path) ?? (has(path) ? 1 : undefined) },
    leftOut,
    signal,
  );
  return { found, paths: found.map(({ path }) => path).sort(), leftOut };
}

const pathsOf = async (root: object) => (await leaves({ 'tileset.json': tilesetOf(root) })).paths;

test('tiles without finer ones are shown, and those that finer ones are added to', async () => {
  const children = [tile('b.glb'), tile('c.glb', { children: [tile('d.glb')] })];
  assert.deepEqual(await pathsOf(tile('a.glb')), ['a.glb']);
  assert.deepEqual(await pathsOf(tile('a.glb', { children })), ['b.glb', 'd.glb']);
  // What a tile says holds for those below it.
  for (const refine of ['ADD', 'add'])
    assert.deepEqual(await pathsOf(tile('a.glb', { refine, children })), [
      'a.glb',
      'b.glb',
      'c.glb',
      'd.glb',
    ]);
  const replaced = [children[0], { ...children[1], refine: 'REPLACE' }];
  assert.deepEqual(await pathsOf(tile('a.glb', { refine: 'ADD', children: replaced })), [
    'a.glb',
    'b.glb',
    'd.glb',
  ]);
  // What is no tile is passed over, and makes none coarse.
  assert.deepEqual(await pathsOf(tile('a.glb', { children: [null, 7] })), ['a.glb']);
});

test('a tile has one content, several, or one by its old name', async () => {
  assert.deepEqual(
    await pathsOf(tile(null, { contents: [{ uri: 'a.glb' }, { url: 'b.glb' }, null, { uri: 7 }] })),
    ['a.glb', 'b.glb'],
  );
  assert.deepEqual(await pathsOf(tile(null, { content: { url: 'c.b3dm' } })), ['c.b3dm']);
});

test('transforms add up on the way down, over tilesets too, and each leaf has the nearest volume', async () => {
  const inner = tilesetOf(
    tile('a.glb', {
      boundingVolume: {},
      transform: moved(3),
      children: [tile('b.glb', { transform: 'none' })],
    }),
  );
  const root = tile(null, {
    ...{ refine: 'ADD', transform: moved(5) },
    children: [tile('inner.json', { boundingVolume: { region: OTHER }, transform: moved(7) }), tile('c.glb')],
  });
  const { found, leftOut } = await leaves({ 'tileset.json': tilesetOf(root), 'inner.json': inner });
  const by = (path: string) => found.find((leaf) => leaf.path === path)!;
  assert.deepEqual(found.map(({ path }) => path).sort(), ['a.glb', 'b.glb', 'c.glb']);
  assert.deepEqual(by('c.glb'), {
    path: 'c.glb',
    transform: moved(5),
    region: REGION,
    isZUp: false,
  } as unknown as Leaf);
  assert.deepEqual(by('a.glb').transform, multiply(multiply(moved(5), moved(7)), moved(3)));
  assert.deepEqual(by('a.glb').region, OTHER, 'that of the tile with the tileset');
  // What is no transform is none.
  assert.deepEqual(by('b.glb').transform, by('a.glb').transform);
  assert.deepEqual(by('b.glb').region, REGION);
  assert.equal(leftOut.count, 0);
  const plain = (await leaves({ 'tileset.json': tilesetOf(tile('a.glb')) })).found;
  assert.equal(plain[0]!.transform, null);
});

test('models have z up where their own tileset says so', async () => {
  const up = (axis: string, root: object) => ({
    ...tilesetOf(root),
    asset: { version: '0.0', gltfUpAxis: axis },
  });
  const { found } = await leaves({
    'tileset.json': up('Z', tile('a.glb', { refine: 'ADD', children: [tile('inner.json')] })),
    'inner.json': up('Y', tile('b.glb')),
  });
  assert.deepEqual(
    found.map(({ path, isZUp }) => [path, isZUp]),
    [
      ['a.glb', true],
      ['b.glb', false],
    ],
  );
});

test('what cannot be drawn is counted, with the reason of the first', async () => {
  const reason = async (root: object, more: Record<string, object> = {}) => {
    const { paths, leftOut } = await leaves({ 'tileset.json': tilesetOf(root), ...more });
    return [paths, leftOut.count, leftOut.firstReason];
  };
  const gone = 'tileset.json: missing.glb is not in the package.';
  assert.deepEqual(await reason(tile('missing.glb', { refine: 'ADD', children: [tile('a.glb')] })), [
    ['a.glb'],
    1,
    gone,
  ]);
  assert.deepEqual(await reason(tile('../a.glb')), [[], 1, 'tileset.json: ../a.glb is not in the package.']);
  assert.deepEqual(await reason(tile('a.glb', { boundingVolume: {} })), [
    [],
    1,
    'a.glb: Its tile has no bounding volume.',
  ]);
  const implicit = 'tileset.json: Tiles of implicit tiling are not drawn.';
  assert.deepEqual(await reason(tile('a.glb', { implicitTiling: {} })), [[], 1, implicit]);
  assert.deepEqual(await reason(tile('a.glb', { extensions: { '3DTILES_implicit_tiling': {} } })), [
    [],
    1,
    implicit,
  ]);
  assert.deepEqual(await reason(tile('a.glb', { extensions: { other: {} } })), [['a.glb'], 0, null]);
  assert.deepEqual(await reason(tile('inner.json'), { 'inner.json': { root: 7 } }), [
    [],
    1,
    'inner.json: It is no tileset that can be read.',
  ]);
});

test('a tileset is read once, though it refer to itself or two tiles to it', async () => {
  const { paths, leftOut } = await leaves({
    'tileset.json': tilesetOf(tile(null, { children: [tile('inner.json'), tile('inner.json')] })),
    'inner.json': tilesetOf(
      tile('a.glb', { refine: 'ADD', children: [tile('inner.json'), tile('tileset.json')] }),
    ),
  });
  assert.deepEqual([paths, leftOut.count], [['a.glb'], 0]);
});

test('a picture reads 2,000 tilesets and looks at 200,000 tiles at most', async () => {
  const inner = Object.fromEntries(
    Array.from({ length: 2_000 }, (_, i) => [`inner${i}.json`, tilesetOf(tile('a.glb'))]),
  );
  const all = (count: number) =>
    leaves({
      ...inner,
      'tileset.json': tilesetOf(
        tile(null, {
          children: Object.keys(inner)
            .slice(0, count)
            .map((path) => tile(path)),
        }),
      ),
    });
  const fits = await all(1_999);
  assert.deepEqual([fits.found.length, fits.leftOut.count], [1_999, 0]);
  const over = await all(2_000);
  assert.deepEqual([over.found.length, over.leftOut.count], [1_999, 1]);
  assert.match(over.leftOut.firstReason!, /: A picture reads 2000 tilesets at most\.$/);
  const wide = (count: number) =>
    leaves({ 'tileset.json': tilesetOf({ children: Array.from({ length: count - 1 }, () => ({})) }) });
  assert.equal((await wide(200_000)).leftOut.count, 0);
  const { leftOut } = await wide(200_001);
  assert.deepEqual(
    [leftOut.count, leftOut.firstReason],
    [1, 'tileset.json: A picture looks at 200000 tiles at most.'],
  );
});

test('the work ends with the reason of its signal, and a package without a tileset has no leaves', async () => {
  const signal = AbortSignal.abort(new Error('enough'));
  await assert.rejects(leaves({ 'tileset.json': tilesetOf(tile('a.glb')) }, signal), { message: 'enough' });
  assert.deepEqual((await leaves({})).found, []);
});
