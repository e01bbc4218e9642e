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
async function walk(
  root: Json,
  others: Record<string, Json | number> = {},
  most?: ConstructorParameters<typeof TilesetWalk>[2],
) {
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
  const found = new TilesetWalk(files, sink, most);
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
  const others = sizes(['data/other.b3dm', 'data/other-glb', 'else/0.glb', ...tiles, 'subtrees/0.subtree']);
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
  for (const content of [7, null, {}, { uri: '' }, { uri: 3 }]) {
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

/** Degrees. */
const region = (west: number, south: number, east: number, north: number, low = 0, high = 9) => [
  ...[west, south, east, north].map((angle) => (angle * Math.PI) / 180),
  low,
  high,
];

test('wider or higher than ten degrees is no city, also across the antimeridian', async () => {
  const better = async (root: number[], ...below: number[][]) => {
    const children = below.map((volume) => tile({ boundingVolume: { region: volume } }));
    const { found } = await walk(tile({ boundingVolume: { region: root }, children }));
    return found.betterThan(found.rootVolume!);
  };
  const cases: Array<[root: number[], below: number[], isAbsurd: boolean]> = [
    [region(0, 0, 10, 10), region(4, 4, 5, 5), false],
    [region(0, 0, 9.98, 1), region(4, 0, 5, 1), false],
    [region(20, 0, 30.02, 1), region(24, 0, 25, 1), true],
    [region(20, 0, 29.98, 1), region(24, 0, 25, 1), false],
    [region(20, 35, 21, 44.98), region(20, 39, 21, 40), false],
    [region(20, 35, 21, 45.02), region(20, 39, 21, 40), true],
    [region(20, -45.02, 21, -35), region(20, -40, 21, -39), true],
    [region(175.02, 0, -175, 1), region(179, 0, 179.5, 1), false],
    [region(174.98, 0, -175, 1), region(179, 0, 179.5, 1), true],
  ];
  for (const [root, below, isAbsurd] of cases) {
    const covered = await better(root, below);
    // One that crosses the antimeridian covers nothing, as its sides are compared as numbers.
    if (isAbsurd) assert.deepEqual(covered, { region: below }, `${root}`);
    else assert.notDeepEqual(covered, { region: below }, `${root}`);
    if (!isAbsurd && root[0]! <= root[2]!) assert.equal(covered, null, `${root}`);
  }
  // One of no width is narrow.
  const narrow = await better(region(20, 0, 20, 1), region(19, 0.4, 21, 0.6));
  assert.deepEqual(narrow, { region: region(19, 0, 21, 1) });
  // Two cities far apart are absurd together, so that nothing better is known.
  const cities = [region(20, 0, 21, 1), region(40, 0, 41, 1)] as const;
  assert.equal(await better(region(0, 0, 90, 10), ...cities), null);
  assert.deepEqual(await better(region(0, 0, 90, 10), cities[0]), { region: cities[0] });
});

test('below a sphere a hundredth counts for nothing, since its region is a little too large', async () => {
  const ball = { sphere: [-3_950_000, 3_350_000, 3_700_000, 800] };
  assert.equal((await walk(tile({ boundingVolume: ball }))).found.unionBelow(), null);
  const { found } = await walk(tile({ boundingVolume: ball, children: [tile({ boundingVolume: ball })] }));
  const { region: around } = found.unionBelow() as { region: number[] };
  for (let side = 0; side < 6; side++) {
    const opposite = side > 3 ? 9 - side : (side + 2) % 4;
    const size = around[side]! - around[opposite]!;
    for (const [part, isCovered] of [
      [0.0095, true],
      [0.0105, false],
    ] as const) {
      const larger = around.map((value, at) => (at === side ? value + part * size : value));
      const child = tile({ boundingVolume: { region: larger } });
      const { found } = await walk(tile({ boundingVolume: ball, children: [child] }));
      assert.equal(found.betterThan(found.rootVolume!) === null, isCovered, `side ${side}: ${part}`);
      // Beside a region it counts.
      assert.notEqual(found.betterThan({ region: around as never }), null);
    }
  }
});

test('version and error are those of the first tileset, and the larger error of it and its root', async () => {
  const facts = async (own: Json, others: Record<string, Json> = {}) => {
    const { sink, codes } = collectIssues();
    const texts = new Map(
      Object.entries(others).map(([path, json]) => [path, Buffer.from(JSON.stringify(json))]),
    );
    const files = {
      paths: () => texts.keys()[Symbol.iterator](),
      size: (path: string) => texts.get(path)?.length,
      read: async (path: string) => texts.get(path) ?? null,
    };
    const found = new TilesetWalk(files, sink);
    await found.follow('tileset.json', own);
    return [found.version, found.geometricError, found.tilesets, ...codes()];
  };
  const asset = { version: '1.1' };
  const root = tile({ geometricError: 5 });
  assert.deepEqual(await facts({ asset, geometricError: 9, root }), ['1.1', 9, 1]);
  assert.deepEqual(await facts({ asset, geometricError: 3, root }), ['1.1', 5, 1, 'TILE_ERROR_ODD']);
  assert.deepEqual(await facts({ asset, root }), ['1.1', 5, 1, 'TILESET_NO_ERROR']);
  const vague = tile({ geometricError: 'much' });
  assert.deepEqual(await facts({ asset, geometricError: 0, root: vague }), ['1.1', 0, 1, 'TILE_ERROR_ODD']);
  assert.deepEqual(await facts({ asset, root: vague }), [
    ...['1.1', null, 1],
    ...['TILESET_NO_ERROR', 'TILE_ERROR_ODD'],
  ]);
  assert.deepEqual(await facts({ asset, geometricError: 3 }), [null, null, 1, 'TILESET_NO_ROOT']);
  const other = { asset: { version: '1.0' }, geometricError: 1, root: tile() };
  const leading = tile({ geometricError: 5, content: { uri: 'other.json' } });
  assert.deepEqual(await facts({ asset, geometricError: 9, root: leading }, { 'other.json': other }), [
    ...['1.1', 9, 2],
  ]);
});

test('a transform below another one moves what that has turned', async () => {
  const turned = [0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
  const moved = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 6.4e6, 0, 0, 1];
  const ball = tile({ boundingVolume: { sphere: [0, 0, 0, 50] }, transform: moved });
  const placed = tile({ boundingVolume: { sphere: [0, 6.4e6, 0, 50] } });
  const both = await walk(tile({ transform: turned, children: [ball] }));
  const plain = await walk(tile({ children: [placed] }));
  assert.deepEqual(both.found.unionBelow(), plain.found.unionBelow());
  assert.notEqual(both.found.unionBelow(), null);
});

test('a root says whether its volume is missing or wrong', async () => {
  const messages = async (boundingVolume: unknown) =>
    (await walk(tile({ boundingVolume }))).issues.map(({ message }) => message.split(';')[0]);
  assert.deepEqual(await messages(undefined), ['The root tile has no bounding volume']);
  assert.deepEqual(await messages({}), ['The root tile has an invalid bounding volume']);
});

test('the first URI that leads to another host is kept, two hundred characters of it', async () => {
  const long = `https://example.com/${'a'.repeat(300)}.glb`;
  const { found } = await walk(withContents('0.glb', long, 'https://example.org/1.glb'), { '0.glb': 1 });
  assert.deepEqual(found.foreign, { member: 'tileset.json', uri: long.slice(0, 200) });
  assert.equal((await walk(withContents('/0.glb'))).found.foreign, null);
});

test('that there are too many tiles is said once, also where balls were too many before', async () => {
  const most = { tiles: 10_010, tilesets: 3, nesting: 16 };
  const ball = tile({ boundingVolume: { sphere: [6.4e6, 0, 0, 9] } });
  const many = (count: number, of: Json) => Array.from({ length: count }, () => of);
  const whole = await walk(tile({ children: many(10_009, ball) }), {}, most);
  assert.deepEqual([whole.found.tiles, whole.codes], [10_010, []]);
  const other = { 'other.json': tileset(tile()) };
  const root = tile({ content: { uri: 'other.json' }, children: many(10_010, ball) });
  const beyond = await walk(root, other, most);
  assert.deepEqual([beyond.found.tiles, beyond.codes], [10_010, ['TILESET_TOO_MANY_TILES']]);
  assert.match(beyond.issues[0]!.message, /^Only the first 10010 tiles/);
  assert.equal(beyond.issues.length, 1);
  // What lies there may be larger, so that the root's own volume counts; what was wrong before is still said.
  const large = tile({ boundingVolume: { region: region(139, 35, 141, 36) } });
  const seen = await walk(tile({ children: [large, ...many(10_009, {})] }), {}, most);
  assert.equal(seen.found.betterThan(seen.found.rootVolume!), null);
  assert.deepEqual(seen.codes, ['TILESET_TOO_MANY_TILES', 'TILE_ERROR_ODD', 'TILE_VOLUME_INVALID']);
});

test('no more tilesets are followed than the walk may', async () => {
  const most = { tiles: 100, tilesets: 3, nesting: 16 };
  const others = { '0.json': tileset(tile()), '1.json': tileset(tile()), '2.json': tileset(tile()) };
  const codes = async (...uris: string[]) => {
    const { found, codes } = await walk(withContents(...uris), others, most);
    return [found.tilesets, codes];
  };
  assert.deepEqual(await codes('0.json', '1.json'), [3, []]);
  assert.deepEqual(await codes('0.json', '1.json', '2.json'), [3, ['TILESET_TOO_MANY']]);
});

test('a template without a variable is a path', async () => {
  const implicit = (uri: string) =>
    tile({ content: { uri }, implicitTiling: { subtrees: { uri: 'subtrees/{level}.subtree' } } });
  const others = sizes(['subtrees/0.subtree', 'data/0.glb', 'data/0.glb.old', '{x}/1.glb']);
  assert.deepEqual((await walk(implicit('data/0.glb'), others)).found.contentPaths(), ['data/0.glb']);
  assert.deepEqual((await walk(implicit('{x}'), others)).found.contentPaths().length, 4);
});
