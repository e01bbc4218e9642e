import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { eastNorthUp } from '@citymodel/geo/testing';
import { writeB3dm, writeCmpt, writeGlb } from './content-writer.ts';
import { memoryFiles } from './memory-files.ts';
import { openRealPackage, realPackages } from './real-packages.ts';
import { validateTileset } from './validate-tileset.ts';

const FRAME = eastNorthUp(2.44, 0.62, 30);
/** Holds the triangle of the test writer: x and (z up) z from 0 to 10 metres. */
const BOX = [5, 0, 5, 5, 0, 0, 0, 1, 0, 0, 0, 5];
const WIDE = [5, 0, 5, 50, 0, 0, 0, 50, 0, 0, 0, 50];

type Json = Record<string, unknown>;

function good(): { tileset: Json; root: Json; child: Json; files: Json } {
  const child: Json = { boundingVolume: { box: BOX }, geometricError: 0, content: { uri: 'a.b3dm' } };
  const root: Json = {
    boundingVolume: { box: WIDE },
    geometricError: 10,
    refine: 'ADD',
    transform: FRAME,
    children: [child],
  };
  const tileset: Json = { asset: { version: '1.0' }, geometricError: 20, root };
  const batched = writeB3dm(writeGlb(), { name: ['a'] }, 1);
  return { tileset, root, child, files: { 'a.b3dm': batched } };
}

type Good = ReturnType<typeof good>;

async function codes(change: (g: Good) => void): Promise<string[]> {
  const g = good();
  change(g);
  const issues = await validateTileset(
    memoryFiles({ 'tileset.json': g.tileset, ...g.files }),
    'tileset.json',
  );
  return [...new Set(issues.map((i) => i.code))].sort();
}

/** The good b3dm with a 32-bit number of its header, or any byte, changed. */
function edited(at: number, value: number): Uint8Array {
  const bytes = writeB3dm(writeGlb(), { name: ['a'] }, 1);
  new DataView(bytes.buffer).setUint32(at, value, true);
  return bytes;
}

describe('validateTileset', () => {
  it('finds nothing in a good tileset, of 1.0 or 1.1, with tilesets below it', async () => {
    assert.deepEqual(await codes(() => {}), []);
    const nested = (g: Good) => {
      g.tileset.asset = { version: '1.1' };
      g.child.content = { uri: 'sub/tileset.json' };
      g.files['sub/tileset.json'] = {
        asset: { version: '1.1' },
        geometricError: 5,
        root: {
          boundingVolume: { box: BOX },
          geometricError: 0,
          refine: 'ADD',
          content: { uri: '../b.glb' },
        },
      };
      g.files['b.glb'] = writeGlb({ textured: true });
    };
    assert.deepEqual(await codes(nested), []);
    const composite = (g: Good) => {
      g.files['a.b3dm'] = writeCmpt([writeB3dm(writeGlb()), writeB3dm(writeGlb())]);
    };
    assert.deepEqual(await codes(composite), []);
  });

  const defects: Array<[string, string, (g: Good) => void]> = [
    ['a missing key', 'TILESET_SCHEMA', (g) => delete g.root.refine],
    ['an unknown version', 'TILESET_SCHEMA', (g) => Object.assign(g.tileset, { asset: { version: '1.2' } })],
    [
      'a key of 1.1 in 1.0',
      'TILESET_SCHEMA',
      (g) => Object.assign(g.child, { contents: [{ uri: 'a.b3dm' }] }),
    ],
    ['no children in a list', 'TILESET_SCHEMA', (g) => Object.assign(g.child, { children: [] })],
    [
      'two volumes',
      'TILESET_SCHEMA',
      (g) => Object.assign(g.child.boundingVolume as Json, { sphere: [0, 0, 0, 1] }),
    ],
    [
      'a region in degrees',
      'VOLUME_INVALID',
      (g) => Object.assign(g.child, { boundingVolume: { region: [139, 35, 140, 36, 0, 9] } }),
    ],
    [
      'a child outside',
      'VOLUME_OUTSIDE_PARENT',
      (g) => Object.assign(g.child, { boundingVolume: { box: [5, 0, 46, 5, 0, 0, 0, 1, 0, 0, 0, 50] } }),
    ],
    ['an error that grows', 'GEOMETRIC_ERROR', (g) => Object.assign(g.child, { geometricError: 11 })],
    [
      'a root error above the tileset',
      'GEOMETRIC_ERROR',
      (g) => Object.assign(g.root, { geometricError: 21 }),
    ],
    [
      'a singular transform',
      'TRANSFORM_INVALID',
      (g) => Object.assign(g.child, { transform: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1] }),
    ],
    ['a dangling content', 'CONTENT_MISSING', (g) => delete g.files['a.b3dm']],
    [
      'a content elsewhere',
      'CONTENT_OUTSIDE',
      (g) => Object.assign(g.child, { content: { uri: 'https://example.com/a.b3dm' } }),
    ],
    [
      'vertices outside',
      'CONTENT_OUTSIDE_VOLUME',
      (g) =>
        Object.assign(g.child, {
          transform: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1],
          boundingVolume: { box: [5, 0, 5, 4, 0, 0, 0, 1, 0, 0, 0, 5] },
        }),
    ],
    [
      'a content volume that is too small',
      'CONTENT_OUTSIDE_VOLUME',
      (g) => Object.assign(g.child.content as Json, { boundingVolume: { sphere: [5, 0, 5, 5] } }),
    ],
    [
      'a content volume that sticks out by less than can be seen',
      'CONTENT_VOLUME_OUTSIDE',
      (g) => {
        g.child.boundingVolume = { region: [2.44, 0.62, 2.4401, 0.6201, 0, 50] };
        g.child.content = {
          uri: 'a.b3dm',
          boundingVolume: { region: [2.44 - 1e-15, 0.62, 2.4401, 0.6201, 0, 50] },
        };
      },
    ],
    [
      'a box in a box below one transform',
      'CONTENT_VOLUME_TURNED',
      (g) => Object.assign(g.root, { content: { uri: 'a.b3dm', boundingVolume: { box: BOX } } }),
    ],
    ['glTF in 1.0', 'CONTENT_GLTF_IN_1_0', (g) => Object.assign(g.files, { 'a.b3dm': writeGlb() })],
    [
      'an undeclared extension',
      'EXTENSION_UNDECLARED',
      (g) => Object.assign(g.root, { extensions: { X_y: {} } }),
    ],
    [
      'an extension that nothing uses',
      'EXTENSION_UNUSED',
      (g) => Object.assign(g.tileset, { extensionsUsed: ['X_y'] }),
    ],
    ['a cycle', 'TILESET_CYCLE', (g) => Object.assign(g.child, { content: { uri: 'tileset.json' } })],
    ['something else', 'CONTENT_UNKNOWN', (g) => Object.assign(g.files, { 'a.b3dm': 'hello' })],
    ['a wrong version', 'CONTENT_VERSION', (g) => Object.assign(g.files, { 'a.b3dm': edited(4, 2) })],
    ['a wrong length', 'CONTENT_UNREADABLE', (g) => Object.assign(g.files, { 'a.b3dm': edited(8, 99_999) })],
    [
      'a table that is misaligned',
      'CONTENT_UNREADABLE',
      (g) => Object.assign(g.files, { 'a.b3dm': edited(12, 21) }),
    ],
    [
      'no count of features',
      'FEATURE_TABLE_INVALID',
      (g) => Object.assign(g.files, { 'a.b3dm': writeB3dm(writeGlb(), null, 'x' as never) }),
    ],
    [
      'too few values',
      'BATCH_TABLE_INVALID',
      (g) => Object.assign(g.files, { 'a.b3dm': writeB3dm(writeGlb(), { name: ['a'] }, 2) }),
    ],
    [
      'a table without features',
      'BATCH_TABLE_INVALID',
      (g) => Object.assign(g.files, { 'a.b3dm': writeB3dm(writeGlb(), { name: [] }, 0) }),
    ],
    ['broken glTF', 'GLTF_ACCESSOR_MAX_MISMATCH', (g) => Object.assign(g.files, { 'a.b3dm': tampered() })],
    ['a broken document', 'TILESET_UNREADABLE', (g) => Object.assign(g.files, { 'tileset.json': '{' })],
  ];
  for (const [name, code, change] of defects) {
    it(`finds ${name}`, async () =>
      assert.ok((await codes(change)).includes(code), `${code} in ${await codes(change)}`));
  }

  it('finds tiles that eight does not divide', async () => {
    const change = (g: Good) => {
      const bytes = Buffer.concat([writeB3dm(writeGlb()), Buffer.alloc(4)]);
      bytes.writeUInt32LE(bytes.length, 8);
      g.files['a.b3dm'] = new Uint8Array(bytes);
    };
    assert.deepEqual(await codes(change), ['CONTENT_ALIGNMENT']);
  });

  it('follows absolute URLs that the caller knows', async () => {
    const g = good();
    g.child.content = { uri: 'http://host/assets/p/a.b3dm' };
    const issues = await validateTileset(
      memoryFiles({ 'tileset.json': g.tileset, ...g.files }),
      'tileset.json',
      {
        memberOfUrl: (url) => url.replace('http://host/assets/p/', ''),
      },
    );
    assert.deepEqual(issues, []);
  });

  it('checks the root of implicit tiling', async () => {
    const implicit = (subtree: Uint8Array | null) => (g: Good) => {
      g.tileset.asset = { version: '1.1' };
      g.child.content = { uri: '{level}/{x}/{y}.glb' };
      g.child.implicitTiling = {
        subdivisionScheme: 'QUADTREE',
        subtreeLevels: 1,
        availableLevels: 1,
        subtrees: { uri: '{level}.{x}.{y}.subtree' },
      };
      if (subtree !== null) g.files['0.0.0.subtree'] = subtree;
    };
    const subtree = Buffer.alloc(32);
    subtree.write('subt');
    subtree.writeUInt32LE(1, 4);
    subtree.writeBigUInt64LE(8n, 8);
    subtree.write('{}      ', 24);
    assert.deepEqual(await codes(implicit(subtree)), []);
    assert.deepEqual(await codes(implicit(subtree.subarray(0, 30))), ['SUBTREE_INVALID']);
    assert.deepEqual(await codes(implicit(null)), ['SUBTREE_MISSING']);
  });

  it('finds in real packages only what is wrong with them', async (t) => {
    const names = realPackages('3dtiles');
    if (names === null) return t.skip('needs ../shared/data');
    for (const name of names) {
      const issues = await validateTileset(await openRealPackage(name), 'tileset.json');
      // Their `properties` lack minimum and maximum, and leaves have empty lists of children.
      assert.deepEqual([...new Set(issues.map((i) => i.code))], ['TILESET_SCHEMA']);
    }
  });
});

/** A b3dm whose glTF declares other bounds than its positions have. */
function tampered(): Uint8Array {
  const text = Buffer.from(writeGlb()).toString('latin1').replace('"max":[10,10,0]', '"max":[90,10,0]');
  return writeB3dm(new Uint8Array(Buffer.from(text, 'latin1')));
}
