/** Where surfaces lie that a picture is drawn of, without drawing any. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { geodeticToEcef } from '@citymodel/geo';
import sharp from 'sharp';
import { writeB3dm } from '../write/b3dm.ts';
import { loadScene } from './load-surfaces.ts';
import { boxMesh, glbOf, LAT, LNG, packageOf, tileOf, tilesetOf, transformAt } from './testing/small-city.ts';

const LOOK = { isPlain: true, tint: null };
const OPTIONS = { signal: new AbortController().signal };
/** Two boxes, east and north of the middle of the tile, whose region reaches from 0 to 60 m. */
const MESH = boxMesh(
  [
    { east: 20, north: 0, half: 5, height: 12 },
    { east: 0, north: 30, half: 2, height: 40 },
  ],
  null,
);

/** A tile that holds others (3D Tiles 1.0, "Composite"). */
function cmptOf(...tiles: Uint8Array[]): Uint8Array {
  const head = Buffer.alloc(16);
  head.write('cmpt', 'latin1');
  head.writeUInt32LE(1, 4);
  head.writeUInt32LE(16 + tiles.reduce((sum, { length }) => sum + length, 0), 8);
  head.writeUInt32LE(tiles.length, 12);
  return Buffer.concat([head, ...tiles]);
}

/** The least and most of each axis, to the centimetre. */
async function boundsOf(members: Record<string, Uint8Array | object>): Promise<number[][]> {
  const scene = (await loadScene(packageOf(members), LOOK, OPTIONS))!;
  assert.equal(scene.leftOut.count, 0);
  const bounds = [0, 1, 2].map(() => [Infinity, -Infinity]);
  for (const { positions } of scene.surfaces) {
    for (const [i, value] of positions.entries()) {
      const of = bounds[i % 3]!;
      [of[0], of[1]] = [Math.min(of[0]!, value), Math.max(of[1]!, value)];
    }
  }
  return bounds.map((of) => of.map((value) => Math.round(value * 100) / 100));
}

test('surfaces are east, north and up of the middle, in metres, whatever content they come in', async () => {
  const glb = await glbOf(MESH, 'none');
  const expected = [
    [-2, 25],
    [-5, 32],
    [0, 40],
  ];
  const plain = await boundsOf({ 'tileset.json': tilesetOf(tileOf('a.glb')), 'a.glb': glb });
  // The frame stands at the middle of the region, or below it.
  const [low] = plain[2]!;
  assert.deepEqual(
    plain.map((of, axis) => of.map((value) => (axis === 2 ? value - low! : value))),
    expected,
  );
  const b3dm = writeB3dm(glb, 2, {}, null);
  for (const [name, content] of [
    ['a.b3dm', b3dm],
    ['a.cmpt', cmptOf(b3dm)],
    ['b.cmpt', cmptOf(cmptOf(b3dm))],
  ] as const) {
    assert.deepEqual(
      await boundsOf({ 'tileset.json': tilesetOf(tileOf(name)), [name]: content }),
      plain,
      name,
    );
  }
  // The place may be in the content: in the frame of the tile, whose axes are turned.
  const m = transformAt();
  const [x, y, z] = geodeticToEcef(LNG, LAT, 0);
  const centre = [0, 4, 8].map((i) => m[i]! * x + m[i + 1]! * y + m[i + 2]! * z);
  const turned = { ...tileOf('a.b3dm'), transform: [...m.slice(0, 12), 0, 0, 0, 1] };
  assert.deepEqual(
    await boundsOf({ 'tileset.json': tilesetOf(turned), 'a.b3dm': writeB3dm(glb, 2, {}, centre) }),
    plain,
  );
});

test('photographs lie on surfaces by the same places, whatever meshes are compressed with', async () => {
  const bytes = await sharp({ create: { width: 8, height: 8, channels: 3, background: '#e01010' } })
    .webp()
    .toBuffer();
  const image = { bytes, mimeType: 'image/webp', repeats: false, seeThrough: false } as const;
  const uvs = Float32Array.from({ length: (MESH.positions.length / 3) * 2 }, (_, i) => (i % 6) / 5);
  const placesOf = async (kind: 'none' | 'draco' | 'meshopt', isPhotograph = true) => {
    const glb = await glbOf(isPhotograph ? { ...MESH, uvs } : MESH, kind, isPhotograph ? image : null);
    const members = { 'tileset.json': tilesetOf(tileOf('a.glb')), 'a.glb': glb };
    const scene = (await loadScene(packageOf(members), LOOK, OPTIONS))!;
    // Of each corner of each triangle: vertices come in another order.
    return scene.surfaces.flatMap(({ positions, indices, uvs, texture }) => {
      assert.equal(texture !== null, isPhotograph);
      assert.equal(uvs !== null, isPhotograph, kind);
      return Array.from(indices, (index) =>
        [...positions.subarray(3 * index, 3 * index + 3), ...(uvs ?? []).slice(2 * index, 2 * index + 2)]
          .map((value) => (Math.round(value * 10) / 10 + 0).toFixed(1))
          .join(' '),
      ).sort();
    });
  };
  const plain = await placesOf('none');
  for (const kind of ['draco', 'meshopt'] as const) {
    assert.deepEqual(await placesOf(kind), plain, kind);
    await placesOf(kind, false);
  }
});

/** How far to the east tiles lie, the nearest to the middle first, in sides of a tile. */
const PLACES = [0, 1.5, -1.8, 3, -3];

/** A model of tiles whose files say other sizes than they have; the one in the middle comes first. */
async function sceneOf(sizes: readonly number[]) {
  const glb = await glbOf(MESH, 'none');
  const names = sizes.map((_, i) => `${i}.glb`);
  const children = names.map((name, i) => {
    const tile = tileOf(name);
    const [west, south, east, ...rest] = (tile.boundingVolume as { region: [number, number, number] }).region;
    const away = PLACES[i]! * (east - west);
    return { ...tile, boundingVolume: { region: [west + away, south, east + away, ...rest] } };
  });
  const files = packageOf({
    'tileset.json': tilesetOf(tileOf(null, { children, transform: undefined })),
    ...Object.fromEntries(names.map((name) => [name, glb])),
  });
  const read: string[] = [];
  const claimed = new Map(names.map((name, i) => [name, sizes[i]]));
  const scene = (await loadScene(
    {
      ...files,
      size: (path) => (claimed.has(path) ? claimed.get(path) : files.size(path)),
      read: (path) => {
        read.push(path);
        return files.read(path);
      },
    },
    LOOK,
    OPTIONS,
  ))!;
  const { beyond, leftOut, surfaces } = scene;
  return {
    ...{ beyond, leftOut: leftOut.count, reason: leftOut.firstReason },
    ...{ surfaces: surfaces.length, read: read.filter((path) => path.endsWith('.glb')).length },
  };
}

test('files are read up to 64 MiB, and all together up to 128 MiB', async () => {
  const MIB = 1 << 20;
  const fits = await sceneOf([64 * MIB, 64 * MIB]);
  assert.deepEqual([fits.surfaces, fits.read, fits.beyond, fits.leftOut], [2, 2, 0, 0]);
  const beyond = await sceneOf([64 * MIB, 63 * MIB, MIB + 1, 10, 10]);
  assert.deepEqual([beyond.surfaces, beyond.read, beyond.beyond, beyond.leftOut], [2, 2, 3, 0]);
  // One that is too large counts for nothing.
  const large = await sceneOf([64 * MIB + 1, 64 * MIB, 64 * MIB]);
  assert.deepEqual([large.surfaces, large.read, large.beyond, large.leftOut], [2, 2, 0, 1]);
  assert.equal(large.reason, '0.glb: It has 67108865 bytes, of 67108864 that are drawn at most.');
});

test('of a large model the picture shows what is around the part with the most bytes near it', async () => {
  // Seven kilometres from west to east; a lone large file in the west, many small ones in the east.
  const SIDE = 2e-5;
  const places: Array<[aside: number, bytes: number]> = [
    [-500, 3 << 20],
    [0, 10],
    [300, 600_000],
    [301, 600_000],
    [302, 600_000],
    [500, 10],
  ];
  const glb = await glbOf(MESH, 'none');
  const children = places.map(([aside], i) => {
    const { boundingVolume, ...rest } = tileOf(`${i}.glb`, { transform: undefined });
    const [west, south, east, north, ...heights] = (boundingVolume as { region: number[] }).region;
    const [left, right] = [west! + aside * SIDE, east! + aside * SIDE];
    return { ...rest, boundingVolume: { region: [left, south, right, north, ...heights] } };
  });
  const files = packageOf({
    'tileset.json': tilesetOf(tileOf(null, { children, transform: undefined })),
    ...Object.fromEntries(places.map((_, i) => [`${i}.glb`, glb])),
  });
  const read = new Set<string>();
  const shown = async (wide?: number) => {
    read.clear();
    const scene = await loadScene(
      {
        ...files,
        size: (path) => places[Number.parseInt(path, 10)]?.[1] ?? files.size(path),
        read: (path) => {
          read.add(path);
          return files.read(path);
        },
      },
      LOOK,
      { ...OPTIONS, ...(wide === undefined ? {} : { wide }) },
    );
    return { radius: scene!.radius, read: [...read].filter((path) => path.endsWith('.glb')).sort() };
  };
  // A file counts for a mebibyte at most: three of 600,000 bytes are more than one of three mebibytes.
  assert.deepEqual(await shown(), { radius: 300, read: ['2.glb', '3.glb', '4.glb'] });
  // From afar all of it is seen, around the same place.
  const { radius, read: all } = await shown(20_000);
  assert.equal(all.length, places.length);
  assert.ok(radius > 40, `${radius} m`);
});
