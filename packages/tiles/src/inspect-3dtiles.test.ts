import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type BoundingVolume, geodeticToEcef } from '@citymodel/geo';
import { eastNorthUp, hullPoints, volumeContains } from '@citymodel/geo/testing';
import fc from 'fast-check';
import { inspectTileset } from './inspect-3dtiles.ts';
import { writeB3dm, writeCmpt, writeGlb } from './testing/content-writer.ts';
import { collectIssues, memoryFiles } from './testing/memory-files.ts';
import { openRealPackage, realPackages } from './testing/real-packages.ts';

const REGION = [2.44, 0.62, 2.4401, 0.6201, 0, 50];

function tileset(root: Record<string, unknown> | null, extra: Record<string, unknown> = {}) {
  return { asset: { version: '1.1' }, geometricError: 100, ...extra, ...(root === null ? {} : { root }) };
}

function tile(extra: Record<string, unknown> = {}, region = REGION) {
  return { boundingVolume: { region }, geometricError: 50, refine: 'REPLACE', ...extra };
}

async function inspect(contents: Record<string, unknown>) {
  const { sink, issues, codes } = collectIssues();
  const facts = await inspectTileset(memoryFiles(contents), sink);
  return { facts, issues, codes: codes() };
}

describe('inspectTileset', () => {
  it('reads version, errors, volume, kinds, texture and LOD', async () => {
    const { facts, codes } = await inspect({
      'tileset.json': tileset(
        tile({
          content: { uri: 'data/a.b3dm' },
          children: [tile({ content: { uri: './data/%E6%A9%8B%201.glb?v=2#x' }, geometricError: 0 })],
        }),
        { properties: { height: { minimum: 1, maximum: 2 } } },
      ),
      'data/a.b3dm': writeB3dm(writeGlb(), { lod: ['1', '2'] }, 2),
      'data/橋 1.glb': writeGlb({ textured: true }),
    });
    assert.deepEqual(codes, []);
    assert.deepEqual(facts, {
      entry: 'tileset.json',
      version: '1.1',
      geometricError: 100,
      volume: { region: REGION },
      tightVolume: null,
      region: REGION,
      tiles: 2,
      contents: 2,
      present: 2,
      tilesets: 1,
      kinds: { b3dm: 1, glb: 1 },
      implicit: false,
      foreign: null,
      heights: null,
      textured: true,
      lod: 2,
      lookedAtAll: true,
      properties: ['height'],
    });
  });

  it('applies the root transform to a box, and those of tiles to the tilesets below them', async () => {
    const frame = eastNorthUp(2.44, 0.62, 40);
    const box = [0, 0, 0, 100, 0, 0, 0, 100, 0, 0, 0, 20];
    const { facts, codes } = await inspect({
      'tileset.json': tileset(
        tile({ transform: frame, boundingVolume: { box }, content: { uri: 'sub/tileset.json' } }),
      ),
      'sub/tileset.json': tileset(tile({ boundingVolume: { box: [0, 0, 0, 50, 0, 0, 0, 50, 0, 0, 0, 5] } })),
    });
    assert.deepEqual(codes, []);
    assert.equal(facts?.tightVolume, null);
    assert.deepEqual([facts?.tilesets, facts?.textured], [2, null]);
    const volume = facts?.volume as { box: number[] };
    assert.ok(Math.hypot(...geodeticToEcef(2.44, 0.62, 40).map((v, i) => v - volume.box[i]!)) < 1e-6);
    for (const point of hullPoints(volume)) {
      assert.ok(volumeContains({ region: facts?.region as number[] }, point, 1e-3));
    }
  });

  it('replaces an all-Japan root by the union of what is below it', async () => {
    const japan = [2.13, 0.36, 2.69, 0.79, 0, 4000];
    const east = [2.4401, 0.62, 2.4402, 0.6201, -5, 20];
    const { facts } = await inspect({
      'tileset.json': tileset(tile({ children: [tile(), tile({}, east)] }, japan)),
    });
    assert.deepEqual(facts?.volume, { region: japan });
    assert.deepEqual(facts?.region, [2.44, 0.62, 2.4402, 0.6201, -5, 50]);
  });

  it('widens the volume where tiles stick out of the root', async () => {
    const tall = [2.44, 0.62, 2.4401, 0.6201, 0, 700];
    const { facts } = await inspect({ 'tileset.json': tileset(tile({ children: [tile({}, tall)] })) });
    assert.deepEqual(facts?.tightVolume, { region: tall });
  });

  it('finds the entry one directory down, and among several the one that none refers to', async () => {
    const one = await inspect({ 'lod1/tileset.json': tileset(tile()) });
    assert.equal(one.facts?.entry, 'lod1/tileset.json');
    const several = await inspect({
      'a/tileset.json': tileset(tile()),
      'b/tileset.json': tileset(tile({ content: { uri: '../a/tileset.json' } })),
    });
    assert.deepEqual([several.facts?.entry, several.codes], ['b/tileset.json', []]);
    const unclear = await inspect({ 'a/tileset.json': tileset(tile()), 'b/tileset.json': tileset(tile()) });
    assert.deepEqual([unclear.facts, unclear.codes], [null, ['TILESET_AMBIGUOUS']]);
    const none = await inspect({ 'x.json': '{}' });
    assert.deepEqual([none.facts, none.codes], [null, ['TILESET_MISSING']]);
  });

  it('reports links that dangle, leave the package or go in circles', async () => {
    const { facts, issues } = await inspect({
      'tileset.json': tileset(
        tile({
          children: [
            tile({ content: { uri: 'gone.b3dm' } }),
            tile({ content: { uri: 'https://example.com/a.b3dm' } }),
            tile({ content: { uri: '/a.b3dm' } }),
            tile({ content: { uri: '../../a.b3dm' } }),
            tile({ content: {} }),
            tile({ contents: [{ uri: 'tileset.json' }, { uri: 'next/tileset.json' }] }),
          ],
        }),
      ),
      'next/tileset.json': tileset(tile({ content: { uri: '../tileset.json' } })),
    });
    assert.deepEqual(issues.map((i) => i.code).sort(), [
      'CONTENT_ABSOLUTE',
      'CONTENT_ABSOLUTE',
      'CONTENT_ESCAPES',
      'CONTENT_MISSING',
      'CONTENT_NO_URI',
      'TILESET_CYCLE',
      'TILESET_CYCLE',
    ]);
    assert.equal(facts?.tilesets, 2);
  });

  it('checks the root subtree of implicit tiling and looks at contents of the template', async () => {
    const implicit = (subtree: Record<string, unknown>) => ({
      'tileset.json': tileset(
        tile({
          content: { uri: 'content/{level}/{x}/{y}.glb' },
          implicitTiling: {
            subdivisionScheme: 'QUADTREE',
            subtreeLevels: 2,
            availableLevels: 2,
            subtrees: { uri: 'subtrees/{level}/{x}/{y}.subtree' },
          },
        }),
      ),
      'content/1/0/1.glb': writeGlb({ textured: true }),
      ...subtree,
    });
    const good = await inspect(implicit({ 'subtrees/0/0/0.subtree': 'subt' }));
    assert.deepEqual([good.codes, good.facts?.implicit, good.facts?.textured], [[], true, true]);
    assert.deepEqual(good.facts?.kinds, { subtree: 1, glb: 1 });
    assert.deepEqual((await inspect(implicit({}))).codes, ['SUBTREE_MISSING']);
  });

  it('turns broken documents and contents into issues', async () => {
    const cases: Array<[Record<string, unknown>, string[]]> = [
      [{ 'tileset.json': '{"asset":' }, ['TILESET_UNREADABLE']],
      [{ 'tileset.json': '[1]' }, ['TILESET_UNREADABLE']],
      [{ 'tileset.json': new Uint8Array([0xff, 0xfe, 0x7b]) }, ['TILESET_UNREADABLE']],
      [{ 'tileset.json': '{}' }, ['TILESET_NO_ROOT']],
      [
        { 'tileset.json': { root: {} } },
        ['ROOT_VOLUME_INVALID', 'TILESET_NO_ERROR', 'TILESET_NO_VERSION', 'TILE_ERROR_ODD'],
      ],
      [
        { 'tileset.json': tileset(tile({ boundingVolume: { region: [139, 35, 140, 36, 0, 1] } })) },
        ['ROOT_VOLUME_INVALID'],
      ],
      [{ 'tileset.json': tileset(tile({ transform: [1, 2, 3] })) }, ['TILE_TRANSFORM_INVALID']],
      [{ 'tileset.json': tileset(tile({ transform: Array(16).fill(0) })) }, ['TILE_TRANSFORM_INVALID']],
      [
        { 'tileset.json': tileset(tile({ children: [7, { geometricError: 1 }] })) },
        ['TILE_INVALID', 'TILE_VOLUME_INVALID'],
      ],
      [{ 'tileset.json': tileset(tile({ geometricError: 1, children: [tile()] })) }, ['TILE_ERROR_ODD']],
      [{ 'tileset.json': tileset(tile(), { asset: { version: '2.0' } }) }, ['TILESET_VERSION']],
      [
        { 'tileset.json': tileset(tile({ content: { uri: 'a.b3dm' } })), 'a.b3dm': 'b3dm' },
        ['CONTENT_UNREADABLE'],
      ],
      [
        {
          'tileset.json': tileset(tile({ content: { uri: 'a.b3dm' } })),
          'a.b3dm': writeB3dm(writeGlb()).subarray(0, 99),
        },
        ['CONTENT_UNREADABLE'],
      ],
      [
        { 'tileset.json': tileset(tile({ content: { uri: 'x/tileset.json' } })), 'x/tileset.json': 'no' },
        ['TILESET_UNREADABLE'],
      ],
    ];
    for (const [contents, expected] of cases) {
      const { codes } = await inspect(contents);
      assert.deepEqual(codes, expected.sort(), JSON.stringify(contents).slice(0, 200));
    }
  });

  it('knows two versions, and no other', async () => {
    for (const [version, known] of [
      ['1.0', '1.0'],
      ['1.1', '1.1'],
      ['2.0', null],
      ['', null],
      [1.1, null],
    ]) {
      const { facts } = await inspect({ 'tileset.json': tileset(tile(), { asset: { version } }) });
      assert.equal(facts?.heights, null);
      assert.equal(facts?.version, known);
    }
  });

  it('knows what heights are made of, where the tileset says it', async () => {
    for (const [extras, known] of [
      [{ heights: 'elevation' }, 'elevation'],
      [{ heights: '' }, null],
      [{ heights: 'x'.repeat(201) }, null],
      [{ heights: 1 }, null],
      [null, null],
    ]) {
      const asset = { version: '1.1', extras };
      const { facts } = await inspect({ 'tileset.json': tileset(tile(), { asset }) });
      assert.equal(facts?.heights, known);
    }
  });

  it('accepts a byte order mark and thousands of levels', async () => {
    // Written by hand: JSON.stringify cannot nest this deep, JSON.parse can.
    const open = `${JSON.stringify(tile()).slice(0, -1)},"children":[`;
    const root = `${open.repeat(20_000)}${JSON.stringify(tile())}${']}'.repeat(20_000)}`;
    const text = `\ufeff${JSON.stringify(tileset(null)).slice(0, -1)},"root":${root}}`;
    const { facts, codes } = await inspect({ 'tileset.json': text });
    assert.deepEqual([facts?.tiles, codes], [20_001, []]);
  });

  it('never throws, whatever the document or the content holds', async () => {
    const keys = [
      'asset',
      'version',
      'root',
      'children',
      'content',
      'contents',
      'uri',
      'boundingVolume',
      'box',
      'region',
      'sphere',
      'transform',
      'geometricError',
      'implicitTiling',
      'subtrees',
      'properties',
    ];
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 7, withCrossShrink: true },
        fc.constantFrom<unknown>(null, 1, -1, 1e308, '1.0', 'a.b3dm', '../../x', '{x}', ''),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.array(fc.double({ noNaN: true }), { minLength: 4, maxLength: 16 }),
        fc.dictionary(fc.constantFrom(...keys), tie('value'), { maxKeys: 6 }),
      ),
    }));
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.constantFrom(...keys), value), async (document) => {
        await inspect({ 'tileset.json': document, 'a.b3dm': '' });
      }),
      { numRuns: 500 },
    );
    const content = writeB3dm(writeGlb({ textured: true }), { lod: ['1'] }, 1);
    await fc.assert(
      fc.asyncProperty(
        fc.nat(content.length - 1),
        fc.nat(255),
        fc.nat(content.length),
        async (at, byte, end) => {
          const changed = content.slice(0, end);
          changed[at] = byte;
          await inspect({ 'tileset.json': tileset(tile({ content: { uri: 'a.b3dm' } })), 'a.b3dm': changed });
        },
      ),
      { numRuns: 300 },
    );
  });

  it('looks into composites', async () => {
    const cmpt = writeCmpt([writeB3dm(writeGlb()), writeB3dm(writeGlb({ textured: true }))]);
    const root = tile({ content: { uri: 'a.cmpt' } });
    const { facts, codes } = await inspect({ 'tileset.json': tileset(root), 'a.cmpt': cmpt });
    assert.deepEqual([facts?.textured, codes], [true, []]);
  });

  it('understands real packages', async (t) => {
    const names = realPackages('3dtiles');
    if (names === null) return t.skip('needs ../shared/data');
    const expected: Record<string, [boolean, BoundingVolume | null, number]> = {
      '08220': [false, null, 5],
      '12100': [true, null, 5],
      '13382': [
        false,
        {
          region: [
            2.436201063786475, 0.5910197811693388, 2.436955967493545, 0.5916408007938493, 43.78872730153129,
            715.2013359650599,
          ],
        },
        5,
      ],
    };
    for (const name of names) {
      const { sink, issues } = collectIssues();
      const facts = await inspectTileset(await openRealPackage(name), sink);
      assert.deepEqual(issues, []);
      const [textured, tightVolume, tiles] = expected[name.slice(0, 5)]!;
      assert.equal(facts?.version, '1.0');
      assert.deepEqual(
        [facts?.textured, facts?.tightVolume, facts?.tiles, facts?.kinds],
        [textured, tightVolume, tiles, { b3dm: tiles }],
      );
      assert.ok(facts!.properties.includes('gml_id'));
    }
  });
});
