import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { bodyOfPolygons } from '../read/bodies.ts';
import { partContext } from '../read/testing/gml-source.ts';
import { type PackageMember, packageTileset } from './join-tilesets.ts';
import { type OverviewFeature, writeOverview } from './overview.ts';

/** A triangle of so many degrees. */
function feature(degrees: number): OverviewFeature {
  const positions = Float64Array.of(139, 35, 0, 139 + degrees, 35, 0, 139, 35 + degrees, 0);
  const box = { west: 139, south: 35, east: 139 + degrees, north: 35 + degrees, low: 0, high: 0 };
  return {
    head: { id: 'a', type: 'bldg:Building', columns: [{ name: 'gml_id', type: 'STRING', value: 'a' }] },
    body: bodyOfPolygons(positions, Uint32Array.of(3), Uint32Array.of(1), false),
    source: 0,
    lod: 1,
    item: { id: 'a', lng: 139, lat: 35, diagonal: 200, bytes: 100, vertices: 3, pixels: 0, box },
    colours: null,
    geometricError: 0,
  };
}

test('files of which nothing can be drawn have no tiles', async () => {
  const scratch = mkdtempSync(join(tmpdir(), 'citymodel-join-'));
  try {
    const member = (mesh: string, degrees: number): PackageMember => {
      const directory = join(scratch, mesh);
      mkdirSync(directory, { recursive: true });
      writeOverview(directory, [feature(degrees)]);
      const data = { folder: '0', files: [], region: null, geometricError: 0, refine: 'ADD' as const };
      const more = { hasOverview: true, ranges: {}, isOutsideGeoid: false, isRevised: false, elevations: [] };
      return { directory, folder: mesh, mesh, data: { ...data, ...more } };
    };
    const context = { ...partContext(scratch), name: 'a' };
    const nothing = await packageTileset([member('53390000', 0)], context);
    assert.deepEqual(nothing.files, []);
    assert.equal(nothing.tileset.root.children, undefined);
    assert.deepEqual(nothing.tileset.root.boundingVolume, { region: [0, 0, 0, 0, 0, 0] });
    assert.equal(context.issues[0]!.count, 1);
    const codes = () => context.issues.map(({ code, file }) => [code, file]);
    assert.deepEqual(codes(), [['PACKAGE_EMPTY', 'a']]);
    const both = await packageTileset([member('53390000', 0), member('53391000', 0.001)], context);
    assert.equal(both.tileset.root.children!.length, 1);
    assert.deepEqual(
      both.files.map(({ folder }) => folder),
      ['overview/533910_add'],
    );
    assert.equal(codes().length, 1);
  } finally {
    rmSync(scratch, { recursive: true });
  }
});

/** A member of files with a tree in this region, radians. */
function memberIn(mesh: string | null, folder: string, data: Partial<PackageMember['data']>): PackageMember {
  const usual: PackageMember['data'] = {
    ...{ folder: '0', files: [], region: [0, 0, 1e-4, 1e-4, 0, 5], geometricError: 8, refine: 'ADD' },
    ...{ hasOverview: false, ranges: {}, isOutsideGeoid: false, isRevised: false, elevations: [] },
  };
  return { directory: '', folder, mesh, data: { ...usual, ...data } };
}

test('files of a second mesh are below one tile, which is around them; a file alone needs none', async () => {
  const west = { region: [0, 0, 1e-4, 1e-4, 0, 5] as const, geometricError: 8 };
  const east = { region: [2e-4, -1e-4, 3e-4, 0, -1, 2] as const, geometricError: 16 };
  const members = [
    memberIn('53390000', 'a', { ...west, region: [...west.region] }),
    memberIn('53391100', 'b', { geometricError: 4, refine: 'REPLACE' }),
    memberIn('53390011', 'c', { ...east, region: [...east.region] }),
    memberIn(null, 'd', { geometricError: 2 }),
    memberIn('53391200', 'e', { region: null }),
  ];
  const { tileset, files } = await packageTileset(members, { ...partContext(''), name: 'a' });
  const tile = (folder: string, region: readonly number[], geometricError: number) => ({
    ...{ boundingVolume: { region: [...region] }, geometricError },
    content: { uri: `${folder}/tileset.json` },
  });
  assert.deepEqual(tileset.root.children, [
    {
      boundingVolume: { region: [0, -1e-4, 3e-4, 1e-4, -1, 5] },
      geometricError: 16,
      children: [tile('a', west.region, 8), tile('c', east.region, 16)],
    },
    tile('b', west.region, 4),
    tile('d', west.region, 2),
  ]);
  assert.deepEqual([tileset.root.refine, files], ['ADD', []]);
});

test('an overview of a second mesh has its own content, and trees of files below it', async () => {
  const scratch = mkdtempSync(join(tmpdir(), 'citymodel-join-'));
  try {
    writeOverview(scratch, [feature(0.001)]);
    const joined = async (...members: PackageMember[]) => {
      const own = members.map((member) => ({ ...member, directory: scratch }));
      const { tileset, files } = await packageTileset(own, { ...partContext(scratch), name: 'a' });
      return { tiles: tileset.root.children!, files };
    };
    const added = await joined(memberIn('53390000', 'a', { hasOverview: true }));
    const [tile] = added.tiles as [(typeof added.tiles)[number]];
    const [{ folder, file }] = added.files as [(typeof added.files)[number]];
    assert.equal(folder, 'overview/533900_add');
    assert.deepEqual([added.tiles.length, added.files.length], [1, 1]);
    assert.deepEqual([tile.refine, tile.content!.uri], ['ADD', `${folder}/${file.name}`]);
    // The content alone is as large as what it shows, the tile as all below it.
    const { region } = tile.content!.boundingVolume as { region: number[] };
    assert.ok(Math.abs(region[0]! - (139 * Math.PI) / 180) < 1e-6, `${region}`);
    assert.equal((tile.boundingVolume as { region: number[] }).region[0], 0);
    assert.deepEqual(
      tile.children!.map(({ content }) => content!.uri),
      ['a/tileset.json'],
    );
    // What replaces is shown by the file itself where there is only one.
    const replaced = (...folders: string[]) =>
      joined(...folders.map((name) => memberIn('53390000', name, { hasOverview: true, refine: 'REPLACE' })));
    const alone = await replaced('a');
    assert.deepEqual([alone.files.length, alone.tiles[0]!.content!.uri], [0, 'a/tileset.json']);
    const both = await replaced('a', 'b');
    assert.deepEqual([both.files[0]!.folder, both.tiles[0]!.refine], ['overview/533900_replace', 'REPLACE']);
    // Without trees of files there is nothing below it.
    const only = await joined(memberIn('53390000', 'a', { hasOverview: true, region: null }));
    assert.deepEqual([only.tiles.length, only.tiles[0]!.children], [1, undefined]);
  } finally {
    rmSync(scratch, { recursive: true });
  }
});

test('a tileset says what its heights are of, and of which datum where some are of the later one', async () => {
  const scratch = mkdtempSync(join(tmpdir(), 'citymodel-join-'));
  try {
    const heightsOf = async (...parts: Array<Partial<PackageMember['data']>>) => {
      const data: PackageMember['data'] = {
        ...{ folder: '0', files: [], region: [0, 0, 1e-4, 1e-4, 0, 0], geometricError: 8, refine: 'ADD' },
        ...{ hasOverview: false, ranges: {}, isOutsideGeoid: false, isRevised: false, elevations: [] },
      };
      const members = parts.map((part, i) => ({
        ...{ directory: scratch, folder: `a${i}`, mesh: `5339000${i}` },
        data: { ...data, ...part },
      }));
      const { tileset } = await packageTileset(members, { ...partContext(scratch), name: 'a' });
      return (tileset.asset.extras as { heights: string }).heights;
    };
    assert.equal(await heightsOf({}), 'test');
    assert.equal(await heightsOf({ elevations: ['jgd2011'] }), 'test');
    assert.equal(await heightsOf({ elevations: ['jgd2024'] }), 'test, of JGD2024');
    const mixed = 'test, some of JGD2011 and some of JGD2024';
    assert.equal(await heightsOf({ elevations: ['jgd2024'] }, { elevations: ['jgd2011'] }), mixed);
    assert.equal(await heightsOf({}, { isOutsideGeoid: true }), 'test, EGM96 outside of it');
    assert.match(await heightsOf({ isRevised: true }, {}), /^test, heights revised by \S/);
  } finally {
    rmSync(scratch, { recursive: true });
  }
});

test('a package is refined from twice its diagonal, and from 1,000 m at least', async () => {
  const scratch = mkdtempSync(join(tmpdir(), 'citymodel-join-'));
  try {
    const errorOf = async (degrees: number) => {
      const half = (degrees * Math.PI) / 360;
      const region: [number, number, number, number, number, number] = [-half, -half, half, half, 0, 0];
      const data = { folder: '0', files: [], region, geometricError: 8, refine: 'ADD' as const };
      const member = {
        hasOverview: false,
        ranges: {},
        isOutsideGeoid: false,
        isRevised: false,
        elevations: [],
        ...data,
      };
      const { tileset } = await packageTileset(
        [{ directory: scratch, folder: 'a', mesh: '53390000', data: member }],
        { ...partContext(scratch), name: 'a' },
      );
      assert.equal(tileset.geometricError, tileset.root.geometricError);
      return tileset.root.geometricError;
    };
    assert.equal(await errorOf(0.001), 1_000);
    // Some 22.2 km aside and along the meridian at the equator.
    const large = await errorOf(0.2);
    assert.ok(Math.abs(large - 2 * Math.hypot(22_195, 22_195)) < 100, `${large}`);
  } finally {
    rmSync(scratch, { recursive: true });
  }
});
