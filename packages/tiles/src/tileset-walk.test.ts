import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collectIssues } from './testing/memory-files.ts';
import { TilesetWalk } from './tileset-walk.ts';

type Json = Record<string, unknown>;

const REGION = [2.44, 0.62, 2.4401, 0.6201, 0, 50];
const tile = (more: Json = {}): Json => ({ boundingVolume: { region: REGION }, geometricError: 1, ...more });
const tileset = (root: Json): Json => ({ asset: { version: '1.1' }, geometricError: 1, root });
const withContents = (...uris: string[]) => tile({ contents: uris.map((uri) => ({ uri })) });

/** Follows `tileset.json`; the others are there, those that are no tilesets with the size of their number. */
async function walk(root: Json, others: Record<string, Json | number> = {}) {
  const { sink, issues, codes } = collectIssues();
  const texts = new Map(
    Object.entries(others).flatMap(([path, json]) =>
      typeof json === 'number' ? [] : [[path, new Uint8Array(Buffer.from(JSON.stringify(json)))] as const],
    ),
  );
  const own = tileset(root);
  const files = {
    paths: () => Object.keys(others)[Symbol.iterator](),
    size: (path: string) => {
      const other = others[path];
      return typeof other === 'number' ? other : texts.get(path)?.length;
    },
    read: async (path: string) => texts.get(path) ?? null,
  };
  const found = new TilesetWalk(files, sink);
  await found.follow('tileset.json', own);
  return { found, issues, codes: codes() };
}

const named = (count: number) => Array.from({ length: count }, (_, i) => `${i}.glb`);
const sizes = (paths: readonly string[]) => Object.fromEntries(paths.map((path) => [path, 1]));

test('of the contents the first seven and the last are kept for a look inside', async () => {
  for (const [count, expected] of [
    [0, []],
    [7, named(7)],
    [8, named(8)],
    [20, [...named(7), '19.glb']],
  ] as const) {
    const { found } = await walk(withContents(...named(count)), sizes(named(count)));
    assert.deepEqual(found.contentPaths(), expected);
    assert.deepEqual([found.contents, found.present], [count, count]);
  }
});

test('of implicit tiling eight contents are kept whose paths begin and end as the template', async () => {
  const tiles = Array.from({ length: 12 }, (_, i) => `data/${i}/0.glb`);
  const others = sizes(['data/other.b3dm', 'else/0.glb', ...tiles, 'subtrees/0.subtree']);
  const implicit = tile({
    content: { uri: 'data/{level}/{x}.glb' },
    implicitTiling: { subtrees: { uri: 'subtrees/{level}.subtree' } },
  });
  const { found, codes } = await walk(implicit, others);
  assert.deepEqual(found.contentPaths(), tiles.slice(0, 8));
  assert.deepEqual([found.implicit, found.contents, found.present], [true, 1, 0]);
  assert.deepEqual(found.kinds, { glb: 1, subtree: 1 });
  assert.deepEqual(codes, []);
  // What a draft of the extension says is the same, and no template is anything.
  const draft = tile({
    content: { uri: 'data/3/0.glb' },
    extensions: { '3DTILES_implicit_tiling': { subtrees: { uri: 'subtrees/{level}.subtree' } } },
  });
  assert.deepEqual((await walk(draft, others)).found.implicit, true);
  const gone = tile({ implicitTiling: { subtrees: { uri: 'subtrees/{x}.none' } } });
  assert.deepEqual((await walk(gone, others)).codes, ['SUBTREE_MISSING']);
  assert.deepEqual((await walk(tile({ implicitTiling: {} }), others)).codes, ['SUBTREES_NO_URI']);
});

test('tilesets are followed sixteen deep, and refer to none that leads to them', async () => {
  const chain = (count: number): Record<string, Json> =>
    Object.fromEntries(
      Array.from({ length: count }, (_, i) => [
        `${i}.json`,
        tileset(i === count - 1 ? tile() : withContents(`${i + 1}.json`)),
      ]),
    );
  const deep = await walk(withContents('0.json'), chain(16));
  assert.deepEqual([deep.found.tilesets, deep.codes], [17, []]);
  const deeper = await walk(withContents('0.json'), chain(17));
  assert.deepEqual([deeper.found.tilesets, deeper.codes], [17, ['TILESET_TOO_MANY']]);
  assert.match(deeper.issues[0]!.message, /beyond 20000, or 16 deep/);
  const cycle = await walk(withContents('0.json'), { '0.json': tileset(withContents('0.json')) });
  assert.deepEqual([cycle.found.tilesets, cycle.codes], [2, ['TILESET_CYCLE']]);
  const twice = await walk(tile({ children: [withContents('0.json'), withContents('0.json')] }), {
    '0.json': tileset(tile()),
  });
  assert.deepEqual([twice.found.tilesets, twice.codes], [2, []]);
});

test('messages show two hundred characters of a URI', async () => {
  const uri = `${'a'.repeat(300)}.glb`;
  const { issues } = await walk(withContents(uri, `https://example.com/${uri}`, `../${uri}`));
  assert.deepEqual(
    issues.map(({ code, message }) => [code, /"([^"]*)"/.exec(message)![1]!.length]),
    [
      ['CONTENT_MISSING', 200],
      ['CONTENT_ABSOLUTE', 200],
      ['CONTENT_ESCAPES', 200],
    ],
  );
});

test('documents of more than a gibibyte together are not read', async () => {
  // One may have 32 MiB.
  const documents = (count: number) =>
    Object.fromEntries(named(count).map((name) => [`${name}.json`, 2 ** 25]));
  const read = (others: Record<string, number>) => walk(withContents(...Object.keys(others)), others);
  assert.equal((await read(documents(32))).found.present, 32);
  await assert.rejects(read({ ...documents(32), 'last.json': 1 }), /more than 1073741824 bytes/);
});

test('a volume that is too small or absurd is replaced by what is below it', async () => {
  const better = async (root: number[], ...below: unknown[]) => {
    const volumes = below.map((volume) => tile({ boundingVolume: volume }));
    const { found } = await walk(tile({ boundingVolume: { region: root }, children: volumes }));
    return found.betterThan(found.rootVolume!);
  };
  const [west, south, east, north, low, high] = REGION as [number, number, number, number, number, number];
  const grown = (by: number, up: number) => ({
    region: [west - by, south, east + by, north, low - up, high + up],
  });
  assert.equal(await better(REGION), null);
  assert.equal(await better(REGION, { region: REGION }), null);
  // Rounding, of a billionth of a radian and a centimetre.
  assert.equal(await better(REGION, grown(0.9e-9, 0.009)), null);
  assert.deepEqual(await better(REGION, grown(1e-8, 0)), grown(1e-8, 0));
  assert.deepEqual(await better(REGION, grown(0, 0.02)), grown(0, 0.02));
  // The whole Earth is no city; a region that crosses the antimeridian may be one.
  const earth = [-3.1, -1.5, 3.1, 1.5, 0, 9];
  assert.deepEqual(await better(earth, { region: REGION }), { region: REGION });
  assert.equal(await better(earth), null);
  assert.equal(await better(earth, { region: earth }), null);
  assert.equal(await better(REGION, { region: earth }), null);
  const across = [Math.PI - 0.01, 0, -Math.PI + 0.01, 0.01, 0, 9];
  assert.equal(await better(across, { region: across }), null);
});

test('volumes lie where transforms put them, and ten thousand that are no regions are looked at', async () => {
  const moved = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 100, 0, 0, 1];
  const { found } = await walk(
    tile({ boundingVolume: { sphere: [6.4e6, 0, 0, 50], extras: 1 }, transform: moved }),
  );
  assert.deepEqual(found.rootVolume, { sphere: [6_400_100, 0, 0, 50] });
  const spheres = async (count: number) => {
    const children = Array.from({ length: count }, () =>
      tile({ boundingVolume: { sphere: [6.4e6, 0, 0, 9] } }),
    );
    const { found } = await walk(tile({ children }));
    return found.betterThan(found.rootVolume!) === null;
  };
  assert.deepEqual([await spheres(10_000), await spheres(10_001)], [false, true]);
});

test('a content needs a URI', async () => {
  for (const content of [7, {}, { uri: '' }, { uri: 3 }]) {
    const { found, codes } = await walk(tile({ content }));
    assert.deepEqual([codes, found.contents], [['CONTENT_NO_URI'], 0]);
  }
  assert.equal((await walk(tile({ content: { url: '0.glb' } }), { '0.glb': 1 })).found.present, 1);
});

test('errors do not grow downwards, and tiles and children are objects', async () => {
  const odd = (more: Json) =>
    walk(tile({ geometricError: 8, children: [tile({ geometricError: 8, ...more })] }));
  assert.deepEqual((await odd({})).codes.length, 1, 'more than the tileset says');
  const codes = async (root: Json) => {
    const { codes, issues } = await walk(root);
    return [codes, issues.map(({ message }) => /^\d+/.exec(message)?.[0])];
  };
  const below = (...errors: unknown[]) =>
    tile({ children: errors.map((error) => tile({ geometricError: error })) });
  assert.deepEqual(await codes(below(1, 0.5, 0)), [[], []]);
  assert.deepEqual(await codes(below(1, 1.5, 2)), [['TILE_ERROR_ODD'], ['2']]);
  assert.deepEqual(await codes(below(-1, null, '1')), [['TILE_ERROR_ODD'], ['3']]);
  assert.deepEqual(await codes(tile({ children: [7] })), [['TILE_INVALID'], [undefined]]);
  const volumes = tile({ children: [tile({ boundingVolume: {} }), tile({ boundingVolume: null }), tile()] });
  assert.deepEqual(await codes(volumes), [['TILE_VOLUME_INVALID'], ['2']]);
});
