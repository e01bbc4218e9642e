/** The terrain below the models of the 3D view, without a browser. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import draco3d from 'draco3d';
import fc from 'fast-check';
import type { Bounds } from '../packages/geo/src/index.ts';
import { ecefToGeodetic, geodeticToEcef } from '../packages/geo/src/index.ts';
import type { DatasetRow } from '../packages/portal/src/core/catalogue.ts';
import { type MeshForm, meshOf } from '../packages/portal/src/three/scene/ground-mesh.ts';
import { Relief } from '../packages/portal/src/three/scene/ground-relief.ts';
import { boundsOfTile, METRES_PER_DEGREE } from '../packages/portal/src/three/scene/ground-tiles.ts';
import { HeightGrid } from '../packages/portal/src/three/scene/terrain-grid.ts';
import {
  type DracoDecoder,
  readSurfaces,
  type Surface,
} from '../packages/portal/src/three/scene/terrain-mesh.ts';
import {
  type TerrainTile,
  type TileJson,
  tilesShowing,
} from '../packages/portal/src/three/scene/terrain-tree.ts';
import { terrainDatasets } from '../packages/portal/src/three/terrain-datasets.ts';
import { compressionOf } from '../packages/tiles/src/convert/tiles3d/compression.ts';
import { writeTileGlb } from '../packages/tiles/src/convert/tiles3d/glb.ts';

/** Of WebGL, and CesiumJS beside it. */
const [TRIANGLES, FLOAT, DOUBLE] = [4, 5126, 5130];

/** Some 1,000 m wide and high. */
const BOX: Bounds = { west: 139, south: 35, east: 139.011, north: 35.009 };
const [WIDE, HIGH] = [BOX.east - BOX.west, BOX.north - BOX.south];

/** A box of two triangles at heights over a part of `BOX`, 0 to 1. */
function sheet(
  heightAt: (s: number, t: number) => number,
  [west, south, east, north] = [0, 0, 1, 1] as readonly number[],
): Surface {
  const corners = [
    [west!, south!],
    [east!, south!],
    [east!, north!],
    [west!, north!],
  ] as const;
  return {
    places: Float64Array.from(
      corners.flatMap(([s, t]) => [BOX.west + WIDE * s, BOX.south + HIGH * t, heightAt(s, t)]),
    ),
    indices: [0, 1, 2, 0, 2, 3],
  };
}

const at = (s: number, t: number): [number, number] => [BOX.west + WIDE * s, BOX.south + HIGH * t];

describe('tiles of a terrain', () => {
  const region = ([west, south, east, north]: readonly number[]): TileJson['boundingVolume'] => ({
    region: [
      ...[BOX.west + WIDE * west!, BOX.south + HIGH * south!, BOX.west + WIDE * east!].map(
        (degrees) => (degrees * Math.PI) / 180,
      ),
      ((BOX.south + HIGH * north!) * Math.PI) / 180,
      0,
      100,
    ] as NonNullable<TileJson['boundingVolume']['region']>,
  });
  const leaf = (name: string, box: readonly number[]): TileJson => ({
    boundingVolume: region(box),
    geometricError: 0,
    content: { uri: name },
  });
  const quarters = [
    leaf('sw.glb', [0, 0, 0.49, 0.49]),
    leaf('se.glb', [0.51, 0, 1, 0.49]),
    leaf('n.glb', [0, 0.51, 1, 1]),
  ];
  const inner: TileJson = {
    boundingVolume: region([0, 0, 1, 1]),
    geometricError: 8,
    content: { uri: 'all.glb' },
    children: quarters,
  };
  const root = (tile: TileJson, refine = 'REPLACE', url = 'http://a/t/tileset.json'): TerrainTile => ({
    tile,
    url,
    refine,
  });
  const none = async () => null;
  const names = (urls: string[]) => urls.map((url) => url.slice('http://a/t/'.length)).sort();

  test('are as fine as what they show is drawn, and no more than wanted', async () => {
    const all = (tile: TileJson, error: number, most = 9, refine = 'REPLACE') =>
      tilesShowing([root(tile, refine)], BOX, error, most, none).then(names);
    assert.deepEqual(await all(inner, 8), ['all.glb']);
    assert.deepEqual(await all(inner, 7), ['n.glb', 'se.glb', 'sw.glb']);
    assert.deepEqual(await all(inner, 7, 9, 'ADD'), ['all.glb', 'n.glb', 'se.glb', 'sw.glb']);
    assert.deepEqual(await all(inner, 0, 1), ['all.glb'], 'too many');
    const { content, ...bare } = inner;
    assert.deepEqual(await all(bare, 100, 1), ['n.glb', 'se.glb', 'sw.glb'], 'nothing else has content');
    const corner = {
      west: BOX.west,
      south: BOX.south,
      ...{ east: BOX.west + 1e-4, north: BOX.south + 1e-4 },
    };
    assert.deepEqual(names(await tilesShowing([root(inner)], corner, 0, 9, none)), ['sw.glb']);
  });

  test('give way by their errors, those without content first', async () => {
    const other: TileJson = { ...inner, geometricError: 4, content: { uri: 'other.glb' } };
    const found = (roots: TileJson[], most: number, error = 0) =>
      tilesShowing(
        roots.map((tile) => root(tile)),
        BOX,
        error,
        most,
        none,
      ).then((urls) => names(urls).join(' '));
    const three = 'n.glb se.glb sw.glb';
    assert.equal(await found([inner, other], 2), 'all.glb other.glb');
    assert.equal(await found([inner, other], 3), `n.glb other.glb se.glb sw.glb`);
    const { content, ...bare } = { ...inner, geometricError: 1 };
    assert.equal(await found([other, bare], 3), 'n.glb other.glb se.glb sw.glb');
    const one = { ...inner, children: quarters.slice(0, 1) };
    assert.deepEqual([await found([one], 9), await found([inner], 9)], ['sw.glb', three]);
    // A tile says itself how its children refine it.
    const adds = { ...inner, children: [{ ...other, refine: 'ADD', children: quarters.slice(0, 1) }] };
    assert.equal(await found([adds], 9), 'other.glb sw.glb');
    const nested: TileJson = {
      ...inner,
      geometricError: 1,
      content: { uri: 'deep/tileset.json' },
      children: [],
    };
    const opened: string[] = [];
    await tilesShowing(
      [other, nested].map((tile) => root(tile)),
      BOX,
      0,
      3,
      async (url) => {
        opened.push(url);
        return root(inner, 'REPLACE', url);
      },
    );
    assert.equal(opened.length, 1);
  });

  test('are found in tilesets within tilesets, which may be missing', async () => {
    const outer: TileJson = {
      boundingVolume: region([0, 0, 1, 1]),
      geometricError: 1_000,
      children: [
        { boundingVolume: region([0, 0, 1, 1]), geometricError: 0, content: { uri: 'data/tileset.json' } },
        { boundingVolume: region([0, 0, 1, 1]), geometricError: 0, content: { uri: 'gone/tileset.json' } },
      ],
    };
    const opened: string[] = [];
    const found = await tilesShowing([root(outer, 'ADD')], BOX, 1, 9, async (url) => {
      opened.push(url);
      return url.includes('gone') ? null : root(inner, 'REPLACE', url);
    });
    assert.deepEqual(opened.sort(), ['http://a/t/data/tileset.json', 'http://a/t/gone/tileset.json']);
    assert.deepEqual(names(found), ['data/n.glb', 'data/se.glb', 'data/sw.glb']);
  });

  /** As the worker of CesiumJS does it. */
  const draco: DracoDecoder = async (bytes, position) => {
    const module = await draco3d.createDecoderModule({});
    const [decoder, buffer, mesh] = [new module.Decoder(), new module.DecoderBuffer(), new module.Mesh()];
    buffer.Init(new Int8Array(bytes.buffer), bytes.length);
    decoder.DecodeBufferToMesh(buffer, mesh);
    const values = new module.DracoFloat32Array();
    decoder.GetAttributeFloatForAllPoints(mesh, decoder.GetAttributeByUniqueId(mesh, position), values);
    const face = new module.DracoInt32Array();
    return {
      positions: Array.from({ length: 3 * mesh.num_points() }, (_, i) => values.GetValue(i)),
      indices: Array.from({ length: mesh.num_faces() }, (_, i) => i).flatMap((i) => {
        decoder.GetFaceFromMesh(mesh, i, face);
        return [0, 1, 2].map((corner) => face.GetValue(corner));
      }),
    };
  };

  for (const compression of ['draco', 'meshopt', 'none'] as const) {
    test(`are read as they are written, compression ${compression}`, async () => {
      const { places } = sheet((s, t) => 30 + 20 * s + 40 * t, [-0.1, -0.1, 1.1, 1.1]);
      const corners = Array.from({ length: 4 }, (_, i) => {
        const [lng, lat, height] = places.subarray(3 * i, 3 * i + 3);
        return geodeticToEcef((lng! * Math.PI) / 180, (lat! * Math.PI) / 180, height!);
      });
      const [x, y, z] = corners[0]!;
      const mesh = {
        positions: Float32Array.from(corners.flatMap(([a, b, c]) => [a - x, c - z, -(b - y)])),
        normals: Float32Array.from({ length: 12 }, (_, i) => (i % 3 === 1 ? 1 : 0)),
        uvs: null,
        colours: null,
        features: new Uint16Array(4),
        indices: Uint32Array.of(0, 1, 2, 0, 2, 3),
      };
      const primitive = { mesh, image: null, blend: false, isTwoSided: false, table: 0 };
      const glb = writeTileGlb(
        { translation: [x, z, -y], primitives: [primitive], images: [], tables: [], places: [] },
        {
          compression: await compressionOf({ compression }),
          error: 0.01,
          uvError: 0,
          tables: false,
          unlit: false,
        },
      )!;
      const [surface, ...others] = await readSurfaces(glb.slice().buffer, draco);
      assert.equal(others.length, 0);
      assert.equal(surface!.indices.length, 6);
      const grid = new HeightGrid(BOX, 8, 8, [surface!]);
      for (const [s, t] of [
        [0.1, 0.2],
        [0.5, 0.5],
        [0.9, 0.3],
      ] as const) {
        const height = grid.heightAt(...at(s, t), () => Number.NaN);
        assert.ok(Math.abs(height - (30 + 20 * s + 40 * t)) < 0.1, `${height} at ${s}, ${t}`);
      }
    });
  }

  describe('are read whatever they are written in', () => {
    const CORNERS = [
      [0, 0, 1],
      [100, 0, 2],
      [100, 100, 3],
      [0, 100, 4],
    ] as const;
    const ORIGIN = geodeticToEcef((BOX.west * Math.PI) / 180, (BOX.south * Math.PI) / 180, 50);
    /** Longitude, latitude and height of a corner that is moved from the origin by metres. */
    const placeOf = (moved: readonly number[]) => {
      const [lng, lat, height] = ecefToGeodetic(ORIGIN.map((value, i) => value + moved[i]!) as never);
      return [(lng * 180) / Math.PI, (lat * 180) / Math.PI, height];
    };
    /** As glTF has it: y is up, and z is south. */
    const turned = ([x, y, z]: readonly number[]) => [x!, z!, -y!];
    type Json = Record<string, unknown>;
    /** A GLB of parts of a buffer, each with the accessor and view that a test gives it. */
    const glbOf = (
      parts: ReadonlyArray<{ bytes: ArrayBufferView; accessor?: Json; view?: Json }>,
      json: Json,
    ) => {
      let length = 0;
      const bufferViews = parts.map(({ bytes, view }) => {
        const byteOffset = length;
        length += Math.ceil(bytes.byteLength / 4) * 4;
        return { buffer: 0, ...(byteOffset > 0 && { byteOffset }), byteLength: bytes.byteLength, ...view };
      });
      const accessors = parts.map(({ accessor }, bufferView) => ({ bufferView, ...accessor }));
      const text = new TextEncoder().encode(JSON.stringify({ bufferViews, accessors, ...json }));
      const start = 28 + text.length;
      const glb = new Uint8Array(start + length);
      const header = new DataView(glb.buffer);
      for (const [i, word] of [0x46546c67, 2, glb.length, text.length, 0x4e4f534a].entries())
        header.setUint32(4 * i, word, true);
      glb.set(text, 20);
      header.setUint32(20 + text.length, length, true);
      header.setUint32(24 + text.length, 0x004e4942, true);
      for (const [i, { bytes }] of parts.entries())
        glb.set(
          new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength),
          start + ((bufferViews[i]!.byteOffset as number) ?? 0),
        );
      return glb.buffer;
    };
    const positions = {
      bytes: Float32Array.from(CORNERS.flatMap(turned)),
      accessor: { componentType: FLOAT, count: 4, type: 'VEC3' },
    };
    const node = (primitive: Json, more: Json = {}): Json => ({
      meshes: [{ primitives: [{ attributes: { POSITION: 0 }, ...primitive }] }],
      nodes: [{}, { mesh: 0, translation: turned(ORIGIN), ...more }],
    });
    const INDICES = [0, 1, 2, 0, 2, 3];
    const check = (surfaces: Surface[], indices = INDICES) => {
      assert.equal(surfaces.length, 1);
      assert.deepEqual([...Array.from(surfaces[0]!.indices)], indices);
      const { places } = surfaces[0]!;
      assert.equal(places.length, 12);
      for (const [i, corner] of CORNERS.entries()) {
        for (const [k, value] of placeOf(corner).entries())
          assert.ok(
            Math.abs(places[3 * i + k]! - value) < (k === 2 ? 1e-3 : 1e-8),
            `${places[3 * i + k]}, not ${value}`,
          );
      }
    };

    test('of one, two or four bytes an index, or none', async () => {
      for (const [type, componentType] of [
        [Uint8Array, 5121],
        [Uint16Array, 5123],
        [Uint32Array, 5125],
      ] as const) {
        const indices = { bytes: type.from(INDICES), accessor: { componentType, count: 6, type: 'SCALAR' } };
        check(await readSurfaces(glbOf([positions, indices], node({ indices: 1, mode: TRIANGLES })), draco));
      }
      const large = {
        bytes: Uint32Array.of(16_777_217, 1, 2),
        accessor: { componentType: 5125, count: 3, type: 'SCALAR' },
      };
      const [surface] = await readSurfaces(glbOf([positions, large], node({ indices: 1 })), draco);
      assert.deepEqual([...Array.from(surface!.indices)], [16_777_217, 1, 2]);
      check(await readSurfaces(glbOf([positions], node({})), draco), [0, 1, 2, 3]);
      const signed = { ...positions, accessor: { ...positions.accessor, componentType: 5122 } };
      await assert.rejects(readSurfaces(glbOf([signed], node({})), draco), /5122/);
    });

    test('with other values between them, and before them', async () => {
      const rows = Float32Array.from(CORNERS.flatMap((corner) => [9, ...turned(corner), 9, 9]));
      const apart = {
        bytes: rows,
        accessor: { ...positions.accessor, byteOffset: 4 },
        view: { byteStride: 24 },
      };
      check(await readSurfaces(glbOf([apart], node({})), draco), [0, 1, 2, 3]);
      const indices = {
        bytes: Uint16Array.from([7, 7, ...INDICES]),
        accessor: { componentType: 5123, count: 6, type: 'SCALAR', byteOffset: 4 },
      };
      check(await readSurfaces(glbOf([positions, indices], node({ indices: 1 })), draco));
      // The last index lies at the end of the buffer.
      const end = {
        ...indices,
        bytes: Uint8Array.from(INDICES),
        accessor: { componentType: 5121, count: 6 },
      };
      check(await readSurfaces(glbOf([positions, end], node({ indices: 1 })), draco));
    });

    test('of Draco in any part of the buffer', async () => {
      const asked: unknown[] = [];
      const decoder: DracoDecoder = async (bytes, position) => {
        asked.push([[...bytes], bytes.byteOffset, position]);
        return { positions: CORNERS.flatMap(turned), indices: INDICES };
      };
      const packed = (bufferView: number) =>
        node({ extensions: { KHR_draco_mesh_compression: { bufferView, attributes: { POSITION: 3 } } } });
      const parts = [{ bytes: Uint8Array.of(1, 2, 3, 4) }, { bytes: Uint8Array.of(5, 6) }];
      for (const bufferView of [0, 1]) check(await readSurfaces(glbOf(parts, packed(bufferView)), decoder));
      assert.deepEqual(asked, [
        [[1, 2, 3, 4], 0, 3],
        [[5, 6], 0, 3],
      ]);
    });

    test('as far as they are triangles, of nodes that are moved or stay', async () => {
      const lines = await readSurfaces(glbOf([positions], node({ mode: 1 })), draco);
      assert.deepEqual(lines, []);
      const near = Float32Array.from(
        CORNERS.flatMap((corner) => turned(corner.map((value, i) => value + ORIGIN[i]!))),
      );
      const stays = glbOf([{ ...positions, bytes: near }], { ...node({}), nodes: [{ mesh: 0 }] });
      const [surface] = await readSurfaces(stays, draco);
      // As exact as such large numbers are.
      assert.ok(Math.abs(surface!.places[2]! - placeOf(CORNERS[0])[2]!) < 1);
      assert.ok(
        Math.abs(surface!.places[0]! - BOX.west) < 1e-5 && Math.abs(surface!.places[1]! - BOX.south) < 1e-5,
      );
      for (const name of ['rotation', 'scale', 'matrix'])
        await assert.rejects(readSurfaces(glbOf([positions], node({}, { [name]: [] })), draco), /turned/);
      assert.deepEqual(await readSurfaces(glbOf([], {}), draco), []);
    });
  });

  test('that are none are refused', async () => {
    await assert.rejects(readSurfaces(new ArrayBuffer(8), draco), /No GLB/);
    const json = new TextEncoder().encode('{"nodes":[{"mesh":0,"scale":[2,2,2]}]}  ');
    const glb = new Uint8Array(20 + json.length);
    new Uint32Array(glb.buffer, 0, 5).set([0x46546c67, 2, glb.length, json.length, 0x4e4f534a]);
    glb.set(json, 20);
    await assert.rejects(readSurfaces(glb.buffer, draco), /turned/);
    for (const at of [0, 16]) {
      const other = glb.slice();
      other[at]!++;
      await assert.rejects(readSurfaces(other.buffer, draco), /No GLB/);
    }
    // One without anything in it has 20 bytes, but its JSON is none.
    await assert.rejects(readSurfaces(glb.slice(0, 20).buffer, draco), RangeError);
    await assert.rejects(readSurfaces(glb.slice(0, 19).buffer, draco), /No GLB/);
  });
});

describe('heights of a terrain', () => {
  test('are those of its triangles, whatever their turn', () => {
    const number = (min: number, max: number) => fc.integer({ min, max });
    fc.assert(
      fc.property(
        number(-90, 90),
        number(-90, 90),
        fc.boolean(),
        number(0, 100),
        number(0, 100),
        (east, north, isTurned, s, t) => {
          const surface = sheet((a, b) => 10 + east * a + north * b);
          if (isTurned) surface.indices = [2, 1, 0, 3, 2, 0];
          const grid = new HeightGrid(BOX, 16, 12, [surface]);
          const place = at(s / 100, t / 100);
          const height = grid.heightAt(...place, () => Number.NaN);
          assert.ok(Math.abs(height - (10 + (east * s) / 100 + (north * t) / 100)) < 1e-3);
          assert.equal(grid.shareAt(...place), 1);
        },
      ),
    );
  });

  test('count as much as corners of the grid are near to triangles, and less around feet', () => {
    const number = (min: number, max: number) => fc.integer({ min, max });
    const parts = fc.array(
      fc.record({
        box: fc.tuple(number(0, 6), number(0, 6), number(1, 3), number(1, 3)),
        rise: number(-9, 9),
      }),
      { minLength: 1, maxLength: 3 },
    );
    const feet = fc.array(fc.tuple(number(-3, 25), number(-3, 25)), { maxLength: 3 });
    const smooth = (share: number) => share ** 2 * (3 - 2 * share);
    fc.assert(
      fc.property(parts, number(2, 40), number(2, 40), feet, (drawn, columns, rows, steps) => {
        const boxes = drawn.map(({ box: [west, south, wide, high], rise }) => ({
          rise,
          box: [west / 8, south / 8, (west + wide) / 8, (south + high) / 8] as const,
        }));
        const grid = new HeightGrid(
          BOX,
          columns,
          rows,
          boxes.map(({ box, rise }) => sheet((s, t) => 50 + rise * (s + 2 * t), box)),
        );
        const corners = Array.from({ length: (columns + 1) * (rows + 1) }, (_, i) => {
          const [x, y] = [i % (columns + 1), Math.floor(i / (columns + 1))];
          const [s, t] = [x / columns, y / rows];
          const heights = boxes
            .filter(({ box }) => s >= box[0] && t >= box[1] && s <= box[2] && t <= box[3])
            .map(({ rise }) => 50 + rise * (s + 2 * t));
          return { x, y, s, t, highest: Math.max(...heights) };
        });
        const known = corners.filter(({ highest }) => highest > -Infinity);
        assert.equal(grid.isEmpty, known.length === 0);
        if (known.length === 0) return;
        const [wide, high] = [
          (WIDE / columns) * METRES_PER_DEGREE * Math.cos((35.0045 * Math.PI) / 180),
          (HIGH / rows) * METRES_PER_DEGREE,
        ];
        /** Metres to the nearest of some corners, by way of corners. */
        const nearest = (x: number, y: number, others: ReadonlyArray<{ x: number; y: number }>) =>
          others.reduce((least, other) => {
            const [across, up] = [Math.abs(x - other.x), Math.abs(y - other.y)];
            const both = Math.min(across, up);
            const way = both * Math.hypot(wide, high) + (across - both) * wide + (up - both) * high;
            return Math.min(least, way);
          }, Number.POSITIVE_INFINITY);
        const reach = Math.max(80, 3 * Math.max(wide, high));
        const shareOf = ({ x, y }: { x: number; y: number }) => Math.max(0, 1 - nearest(x, y, known) / reach);
        const heightAt = (s: number, t: number) => grid.heightAt(...at(s, t), () => -1_000);
        const close = (found: number, expected: number, what: string) =>
          assert.ok(Math.abs(found - expected) < 1e-2, `${what}: ${found}, not ${expected}`);
        for (const corner of corners) {
          close(grid.shareAt(...at(corner.s, corner.t)), shareOf(corner), 'share');
          if (corner.highest > -Infinity) close(heightAt(corner.s, corner.t), corner.highest, 'height');
        }
        // Alone, heights are those of the terrain, whatever it is beside it.
        grid.follow([]);
        const alone = corners.map(({ s, t }) => heightAt(s, t));
        const [low, top] = [
          Math.min(...known.map(({ highest }) => highest)),
          Math.max(...known.map(({ highest }) => highest)),
        ];
        for (const height of alone) assert.ok(height > low - 1e-3 && height < top + 1e-3, `${height}`);
        const places = steps.map(([s, t]) => ({
          lng: at(s / 22.37, 0)[0],
          lat: at(0, t / 22.37)[1],
          low: 0,
        }));
        grid.follow(places);
        const trodden = steps
          .map(([s, t]) => ({ x: Math.round((s / 22.37) * columns), y: Math.round((t / 22.37) * rows) }))
          .filter(({ x, y }) => x >= 0 && y >= 0 && x <= columns && y <= rows);
        for (const [i, corner] of corners.entries()) {
          const near = Math.min(1, Math.max(0, (260 - nearest(corner.x, corner.y, trodden)) / 200));
          const weight = 1 - smooth(near) * (1 - smooth(shareOf(corner)));
          close(heightAt(corner.s, corner.t), alone[i]! * weight - 1_000 * (1 - weight), 'beside');
        }
      }),
      { numRuns: 12 },
    );
  });

  test('lie on planes between the corners of a square, and nowhere beyond the grid', () => {
    const grid = new HeightGrid(BOX, 4, 3, [sheet(() => 1, [0, 0, 0.25, 1 / 3])]);
    const share = (x: number, y: number) => grid.shareAt(...at(x / 4, y / 3));
    for (const [x, y] of [
      [1, 0],
      [1, 1],
      [3, 2],
      [0, 2],
    ] as const) {
      const [west, east] = [share(x, y), share(x + 1, y)];
      const [north, far] = [share(x, y + 1), share(x + 1, y + 1)];
      for (const [s, t] of [
        [0.25, 0],
        [0, 0.75],
        [0.5, 0.25],
      ] as const) {
        const expected = (west * (1 - s) + east * s) * (1 - t) + (north * (1 - s) + far * s) * t;
        assert.ok(Math.abs(share(x + s, y + t) - expected) < 1e-6, `${x + s} ${y + t}`);
      }
    }
    const whole = new HeightGrid(BOX, 4, 3, [sheet(() => 1)]);
    for (const [s, t] of [
      [-1e-3, 0.5],
      [1.001, 0.5],
      [0.5, -1e-3],
      [0.5, 1.001],
    ] as const) {
      assert.equal(whole.shareAt(...at(s, t)), 0);
      assert.equal(
        whole.heightAt(...at(s, t), () => 7),
        7,
      );
    }
    // The last digit of a place may lie beyond the edge.
    for (const edge of [-1e-8, 1 + 1e-8]) {
      assert.ok(Math.abs(whole.shareAt(...at(edge, 0.5)) - 1) < 1e-6);
      assert.ok(Math.abs(whole.shareAt(...at(0.5, edge)) - 1) < 1e-6);
    }
  });

  test('are those of triangles alone, not of what is beside their long side, or has no area', () => {
    const { places } = sheet((s, t) => 10 * s + t);
    for (const indices of [
      [0, 1, 2],
      [2, 3, 0],
      [3, 1, 0],
      [1, 2, 3],
    ] as const) {
      const grid = new HeightGrid(BOX, 7, 9, [{ places, indices }]);
      const [a, b, c] = indices.map((corner) => [corner === 1 || corner === 2 ? 1 : 0, corner > 1 ? 1 : 0]);
      const side = (p: number[], q: number[], x: number, y: number) =>
        (q[0]! - p[0]!) * (y - p[1]!) - (q[1]! - p[1]!) * (x - p[0]!);
      for (let x = 0; x <= 7; x++) {
        for (let y = 0; y <= 9; y++) {
          const turns = [side(a!, b!, x / 7, y / 9), side(b!, c!, x / 7, y / 9), side(c!, a!, x / 7, y / 9)];
          const isInside = turns.every((turn) => turn > -1e-9) || turns.every((turn) => turn < 1e-9);
          assert.equal(grid.shareAt(...at(x / 7, y / 9)) > 0.999, isInside, `${indices} ${x} ${y}`);
        }
      }
    }
    for (const indices of [
      [0, 1, 1],
      [2, 2, 2],
    ])
      assert.equal(new HeightGrid(BOX, 7, 9, [{ places, indices }]).isEmpty, true);
  });

  test('count 80 metres beside the terrain, along every way there is', () => {
    const [wide, high] = [
      (WIDE / 64) * METRES_PER_DEGREE * Math.cos((35.0045 * Math.PI) / 180),
      (HIGH / 64) * METRES_PER_DEGREE,
    ];
    // At each corner of the grid a speck of terrain, and the corners beside it.
    for (const [x, y] of [
      [0, 0],
      [64, 0],
      [0, 64],
      [64, 64],
    ] as const) {
      const [s, t] = [x / 64, y / 64];
      const speck = sheet(() => 5, [s - 1e-3, t - 1e-3, s + 1e-3, t + 1e-3]);
      const grid = new HeightGrid(BOX, 64, 64, [speck]);
      const [across, up] = [x === 0 ? 1 : -1, y === 0 ? 1 : -1];
      for (const [i, j] of [
        [1, 0],
        [0, 1],
        [1, 1],
        [2, 1],
      ] as const) {
        const metres =
          Math.min(i, j) * Math.hypot(wide, high) + Math.max(0, i - j) * wide + Math.max(0, j - i) * high;
        const share = grid.shareAt(...at((x + i * across) / 64, (y + j * up) / 64));
        assert.ok(Math.abs(share - (1 - metres / 80)) < 1e-6, `${x} ${y} ${i} ${j}`);
      }
    }
  });

  test('count by feet at the edges of the grid, and not by those beyond', () => {
    const grid = new HeightGrid(BOX, 16, 16, [sheet(() => 60, [0.4, 0.4, 0.6, 0.6])]);
    const heightsAfter = (...feet: Array<readonly [number, number]>) => {
      grid.follow(feet.map(([s, t]) => ({ lng: at(s, 0)[0], lat: at(0, t)[1], low: 0 })));
      return Array.from({ length: 17 ** 2 }, (_, i) =>
        grid.heightAt(...at((i % 17) / 16, Math.floor(i / 17) / 16), () => 0),
      );
    };
    const alone = heightsAfter();
    for (const [s, t] of [
      [-0.1, 0.5],
      [1.1, 0.5],
      [0.5, -0.1],
      [0.5, 1.1],
    ] as const) {
      assert.deepEqual(heightsAfter([s, t]), alone, `${s} ${t}`);
      const edge = [Math.min(1, Math.max(0, s)), Math.min(1, Math.max(0, t))] as const;
      heightsAfter(edge);
      assert.ok(Math.abs(grid.heightAt(...at(...edge), () => 0)) < 1e-9);
      assert.ok(alone.every((height) => height > 59));
    }
  });

  test('beside terrains that are not as high are smooth, and drawn to no side', () => {
    const squares = 32;
    /** A terrain turned by half with what it has to the east of the north. */
    const heightsOf = (isTurned: boolean) => {
      const turn = (part: number) => (isTurned ? 1 - part : part);
      const part = (heightAt: (s: number, t: number) => number, [west, south, east, north]: number[]) =>
        sheet(
          (s, t) => heightAt(turn(s), turn(t)),
          isTurned ? [1 - east!, 1 - north!, 1 - west!, 1 - south!] : [west!, south!, east!, north!],
        );
      const grid = new HeightGrid(BOX, squares, squares, [
        part((s) => 100 * s, [0, 0, 0.25, 1]),
        part((_, t) => 100 * t + 20, [0.75, 0, 1, 0.5]),
      ]);
      grid.follow([]);
      return (x: number, y: number) => grid.heightAt(...at(turn(x / squares), turn(y / squares)), () => 0);
    };
    const [one, other] = [heightsOf(false), heightsOf(true)];
    const within = (number: number) => Math.min(squares, Math.max(0, number));
    for (let x = 9; x <= squares; x++) {
      for (let y = x < 24 ? 0 : 17; y <= squares; y++) {
        assert.ok(Math.abs(one(x, y) - other(x, y)) < 4, `${x} ${y}`);
        const beside = [
          one(within(x - 1), y),
          one(within(x + 1), y),
          one(x, within(y - 1)),
          one(x, within(y + 1)),
        ];
        assert.ok(
          Math.abs(one(x, y) - beside.reduce((sum, height) => sum + height / 4, 0)) < 1.1,
          `${x} ${y}`,
        );
      }
    }
  });

  test('become those of the ground around without a cliff, and end beyond', () => {
    // The western half, 50 m above what lies beside it
    const grid = new HeightGrid(BOX, 64, 64, [sheet(() => 60, [0, 0, 0.5, 1])]);
    const heights = Array.from({ length: 101 }, (_, i) => grid.heightAt(...at(i / 100, 0.5), () => 10));
    assert.equal(heights[20], 60);
    assert.equal(heights[50], 60);
    assert.equal(heights[100], 10);
    assert.equal(heights[65], 10);
    for (const [i, height] of heights.entries()) {
      if (i > 0) assert.ok(heights[i - 1]! - height >= 0 && heights[i - 1]! - height < 11, `a cliff at ${i}`);
    }
    assert.equal(grid.shareAt(BOX.west - 0.1, BOX.south), 0);
    assert.equal(new HeightGrid(BOX, 4, 4, []).isEmpty, true);
    assert.equal(grid.isEmpty, false);
  });

  test('go on beside a slanted border without steps, but for around feet', () => {
    // Three corners, the long side of which rises by 100 m from the north-west to the south-east
    const { places } = sheet((s) => 100 * s);
    const grid = new HeightGrid(BOX, 64, 64, [{ places, indices: [0, 1, 3] }]);
    grid.follow([]);
    const heightAt = (s: number, beside: number) => grid.heightAt(...at(s + beside, 1 - s + beside), () => 0);
    for (const beside of [0.03, 0.1]) {
      const along = Array.from({ length: 41 }, (_, i) => heightAt(0.3 + i / 100, beside));
      const steps = along.slice(1).map((height, i) => height - along[i]!);
      assert.ok(
        Math.max(...steps) < 1.5 && Math.min(...steps) > 0.3,
        steps.map((step) => step.toFixed(1)).join(' '),
      );
    }
    const [lng, lat] = at(0.7, 0.7);
    assert.ok(heightAt(0.5, 0.2) > 40);
    grid.follow([{ lng, lat, low: 0 }]);
    assert.equal(heightAt(0.5, 0.2), 0);
    assert.ok(heightAt(0.5, 0.02) > 30, 'no cliff');
    assert.ok(heightAt(0.95, 0.05) > 60, 'far from the foot');
  });

  test('of the ground are those of the finest terrain, and else guessed from feet', () => {
    const relief = new Relief();
    const feet = [0.2, 0.3, 0.4, 0.5, 0.6, 0.7].map((t) => {
      const [lng, lat] = at(0.99, t);
      return { lng, lat, low: 12 };
    });
    relief.follow(feet, 0);
    assert.equal(Math.round(relief.heightAt(...at(0.1, 0.5))), 12);
    assert.equal(relief.hasTerrain, false);
    assert.deepEqual(relief.looksOf(BOX).heights.map(Math.round), [12, 12, 12, 12, 12]);
    assert.equal(relief.looksOf(BOX).isRugged, false);
    relief.whole = new HeightGrid(BOX, 16, 16, [sheet((s) => 40 * s, [0, 0, 0.5, 1])]);
    assert.ok(Math.abs(relief.heightAt(...at(0.25, 0.5)) - 10) < 1e-3);
    assert.equal(relief.isTerrain(...at(0.25, 0.5)), true);
    assert.equal(relief.isTerrain(...at(0.8, 0.5)), false);
    // Far from feet as high as the rim
    assert.ok(Math.abs(relief.heightAt(...at(0.6, 0.5)) - 20) < 1);
    assert.ok(Math.abs(relief.heightAt(...at(0.989, 0.5)) - 12) < 0.1);
    relief.follow([], 0);
    assert.ok(Math.abs(relief.heightAt(...at(0.989, 0.5)) - 20) < 1);
    relief.follow(feet, 0);
    const { heights, isRugged } = relief.looksOf(BOX);
    assert.equal(heights.length, 17 ** 2);
    assert.equal(isRugged, true);
    const part = { ...BOX, east: at(0.2, 0)[0] };
    relief.finer = new HeightGrid(part, 16, 16, [sheet(() => 7, [0, 0, 0.2, 1])]);
    assert.equal(relief.heightAt(...at(0.1, 0.5)), 7);
    assert.ok(Math.abs(relief.heightAt(...at(0.4, 0.5)) - 16) < 1e-3);
    relief.finer = null;
    assert.ok(Math.abs(relief.heightAt(...at(0.1, 0.5)) - 4) < 1e-3);
    const alone = new Relief();
    assert.deepEqual([alone.heightAt(...at(0, 0)), alone.hasTerrain], [0, false]);
    alone.finer = relief.whole;
    assert.equal(alone.hasTerrain, true);
  });

  test('of the ground are looked at all over a box, and without a terrain at its corners and in its middle', () => {
    const relief = new Relief();
    const feet = Array.from({ length: 40 }, (_, i) => {
      const [lng, lat] = at((i % 8) / 7, Math.floor(i / 8) / 4);
      return { lng, lat, low: 10 * i + ((i * 7) % 11) };
    });
    relief.follow(feet, 0);
    const few = [
      [0, 0],
      [1, 0],
      [0, 1],
      [1, 1],
      [0.5, 0.5],
    ] as const;
    assert.deepEqual(relief.looksOf(BOX), {
      heights: few.map(([s, t]) => relief.heightAt(...at(s, t))),
      isRugged: false,
    });
    for (const [rise, isRugged] of [
      [0.9, false],
      [1.1, true],
      [1.9, true],
    ] as const) {
      relief.whole = new HeightGrid(BOX, 16, 16, [sheet((s, t) => 50 + rise * (0.7 * s + 0.3 * t))]);
      const looks = relief.looksOf(BOX);
      assert.equal(looks.isRugged, isRugged, `${rise}`);
      for (const [i, height] of looks.heights.entries()) {
        const expected = 50 + rise * ((0.7 * (i % 17)) / 16 + (0.3 * Math.floor(i / 17)) / 16);
        assert.ok(Math.abs(height - expected) < 1e-4, `${i}`);
      }
    }
  });
});

describe('the surface of a tile', () => {
  const FORM: MeshForm = { squares: 4, below: 1, slopes: () => 1, hasSkirts: true, isLeftOut: () => false };
  const tile = { z: 16, x: 58_000, y: 25_800 };
  const box = boundsOfTile(tile);
  /** Rises by 1 m in 2 m to the east. */
  const slope = (lng: number, lat: number) =>
    ((lng - box.west) * METRES_PER_DEGREE * Math.cos((lat * Math.PI) / 180)) / 2;
  const valuesOf = (form: Partial<MeshForm>, bounds = box, heightAt = slope) => {
    const geometry = meshOf(bounds, heightAt, { ...FORM, ...form })!;
    const { position, normal } = geometry.attributes as unknown as Record<string, { values: number[] }>;
    const three = ({ values }: { values: number[] }) =>
      Array.from({ length: values.length / 3 }, (_, i) => [...values.slice(3 * i, 3 * i + 3)]);
    return { positions: three(position!), normals: three(normal!), indices: [...geometry.indices!] };
  };

  test('has slopes that light shows, and else looks up', () => {
    const up = geodeticToEcef((box.west * Math.PI) / 180, (box.south * Math.PI) / 180, 0);
    const cosine = ([x, y, z]: number[]) =>
      (x! * up[0] + y! * up[1] + z! * up[2]) / Math.hypot(x!, y!, z!) / Math.hypot(...up);
    for (const normal of valuesOf({}).normals) {
      assert.ok(Math.abs(cosine(normal) - 1 / Math.hypot(0.5, 1)) < 1e-3, `${cosine(normal)}`);
    }
    for (const normal of valuesOf({ slopes: () => 0 }).normals) assert.ok(cosine(normal) > 0.99999);
  });

  test('meets the one beside it in places and normals, and has a skirt around it', () => {
    const here = valuesOf({});
    const there = valuesOf({}, boundsOfTile({ ...tile, x: tile.x + 1 }));
    const side = FORM.squares + 1;
    for (let row = 0; row < side; row++) {
      for (const kind of ['positions', 'normals'] as const) {
        const [mine, other] = [here[kind][row * side + side - 1]!, there[kind][row * side]!];
        assert.ok(mine.every((value, i) => Math.abs(value - other[i]!) < 1e-3));
      }
    }
    const skirts = 4 * FORM.squares;
    assert.equal(here.positions.length, side ** 2 + 2 * skirts);
    assert.equal(here.indices.length, 6 * (FORM.squares ** 2 + skirts));
    assert.equal(valuesOf({ hasSkirts: false }).indices.length, 6 * FORM.squares ** 2);
  });

  test('lies on the ellipsoid at its heights, in lines as far apart as in Web Mercator, with its slopes', () => {
    const radians = (degrees: number) => (degrees * Math.PI) / 180;
    const heightAt = (lng: number, lat: number) =>
      40 + 30 * Math.sin((lng - box.west) * 900) + 20 * Math.cos((lat - box.south) * 1_100);
    const slopes = (lng: number, lat: number) =>
      lng < (box.west + box.east) / 2 ? 0.5 : lat > box.south ? 1 : 0;
    for (const { z, x, y } of [
      tile,
      { z: 21, x: 32 * tile.x, y: 32 * tile.y },
      { z: 16, x: 5_000, y: 40_000 },
    ]) {
      const bounds = boundsOfTile({ z, x, y });
      const geometry = meshOf(bounds, heightAt, { ...FORM, squares: 3, below: 2, slopes })!;
      const { position, normal, st } = geometry.attributes as unknown as Record<
        string,
        { values: number[]; componentsPerAttribute: number; componentDatatype: number }
      >;
      assert.deepEqual(
        [position, normal, st].map((one) => [one!.componentsPerAttribute, one!.componentDatatype]),
        [
          [3, DOUBLE],
          [3, FLOAT],
          [2, FLOAT],
        ],
      );
      assert.equal(geometry.primitiveType, TRIANGLES);
      const of = (
        { values, componentsPerAttribute: n }: { values: number[]; componentsPerAttribute: number },
        at: number,
      ) => Array.from(values.slice(n * at, n * at + n));
      const close = (found: readonly number[], expected: readonly number[], by: number, what: string) => {
        assert.equal(found.length, expected.length, what);
        const far = Math.hypot(...found.map((value, i) => value - expected[i]!));
        assert.ok(far < by, `${what}: ${found.join(' ')}, not ${expected.join(' ')}`);
      };
      for (const one of [position, normal, st])
        assert.equal(one!.values.length, one!.componentsPerAttribute * (16 + 2 * 12));
      // Lines are as far from each other as in Web Mercator.
      const line = (part: number): [number, number] => {
        const turns = Math.PI * (1 - (2 * (y + 1 - part)) / 2 ** z);
        return [((x + part) / 2 ** z) * 360 - 180, (Math.atan(Math.sinh(turns)) * 180) / Math.PI];
      };
      const high = (line(1 / 3)[1] - line(0)[1]) * METRES_PER_DEGREE;
      const depth = Math.max(2, high / 2);
      const corner = (row: number, column: number) => [line(column / 3)[0], line(row / 3)[1]] as const;
      for (let row = 0; row < 4; row++) {
        for (let column = 0; column < 4; column++) {
          const at = 4 * row + column;
          const [lng, lat] = corner(row, column);
          const place = (height: number) => geodeticToEcef(radians(lng), radians(lat), height);
          close(of(position!, at), place(heightAt(lng, lat) - 2), 1e-3, 'place');
          close(of(st!, at), [column / 3, row / 3], 1e-6, 'part');
          const wide = (corner(0, 1)[0] - corner(0, 0)[0]) * METRES_PER_DEGREE * Math.cos(radians(lat));
          const step = line(1 / 3)[0] - line(0)[0];
          const up = (steps: number) => {
            // Beyond the tile the lines go on as far apart as the last two.
            const at = row + steps;
            if (at < 0) return 2 * line(0)[1] - line(1 / 3)[1];
            return at > 3 ? 2 * line(1)[1] - line(2 / 3)[1] : line(at / 3)[1];
          };
          const shown = slopes(lng, lat);
          const east = (shown * (heightAt(lng + step, lat) - heightAt(lng - step, lat))) / 2 / wide;
          const north = (shown * (heightAt(lng, up(1)) - heightAt(lng, up(-1)))) / 2 / high;
          const [sinX, cosX, sinY, cosY] = [
            ...[Math.sin(radians(lng)), Math.cos(radians(lng))],
            ...[Math.sin(radians(lat)), Math.cos(radians(lat))],
          ] as [number, number, number, number];
          const axes = [
            [-sinX, cosX, 0],
            [-sinY * cosX, -sinY * sinX, cosY],
            [cosY * cosX, cosY * sinX, sinY],
          ] as const;
          const length = Math.hypot(east, north, 1);
          const looks = [0, 1, 2].map(
            (i) => (axes[2][i]! - east * axes[0][i]! - north * axes[1][i]!) / length,
          );
          close(of(normal!, at), looks, 1e-4, 'normal');
        }
      }
      // Below each corner of the border hang two of the skirt, which look as it does.
      const indices = [...geometry.indices!];
      const below = new Map<number, number>();
      for (let i = 6 * 9; i < indices.length; i += 6) {
        const [a, first, second, again, last, b] = indices.slice(i, i + 6) as [
          number,
          number,
          number,
          number,
          number,
          number,
        ];
        assert.deepEqual([again, last, second], [a, second, first + 1]);
        for (const [over, under] of [
          [a, first],
          [b, second],
        ] as const) {
          below.set(over, (below.get(over) ?? 0) + 1);
          const [lng, lat] = corner(Math.floor(over / 4), over % 4);
          const place = geodeticToEcef(radians(lng), radians(lat), heightAt(lng, lat) - 2 - depth);
          close(of(position!, under), place, 1e-3, 'foot of the skirt');
          assert.deepEqual(of(normal!, under), of(normal!, over));
          assert.deepEqual(of(st!, under), of(st!, over));
        }
      }
      assert.deepEqual(
        [...below.keys()].sort((a, b) => a - b),
        [0, 1, 2, 3, 4, 7, 8, 11, 12, 13, 14, 15],
      );
      assert.ok([...below.values()].every((times) => times === 2));
    }
  });

  test('leaves out squares, whose edges have skirts, and is nothing without any', () => {
    const [lng, lat] = [(box.west + box.east) / 2, (box.south + box.north) / 2];
    const isLeftOut = (square: Bounds) => square.east <= lng + 1e-9 && square.north <= lat + 1e-5;
    assert.equal(valuesOf({ isLeftOut }).indices.length, 6 * (12 + 16));
    assert.equal(meshOf(box, slope, { ...FORM, isLeftOut: () => true }), null);
  });

  test('is closed whatever is left out: each edge is that of a neighbour, or of a skirt, the other way', () => {
    const side = FORM.squares + 1;
    for (const period of [1_000, 2, 3, 5]) {
      let asked = 0;
      const { indices } = valuesOf({ isLeftOut: () => ++asked % period === 0 });
      const edges = new Map<string, number>();
      let squares = 0;
      for (let at = 0; at < indices.length; at += 3) {
        const corners = indices.slice(at, at + 3);
        for (const [i, from] of corners.entries()) {
          const to = corners[(i + 1) % 3]!;
          const isOfGrid = from < side ** 2 && to < side ** 2;
          if (isOfGrid) edges.set(`${from} ${to}`, (edges.get(`${from} ${to}`) ?? 0) + 1);
        }
        if (corners.some((corner) => corner >= side ** 2)) continue;
        const [a, b, c] = corners.map((corner) => [corner % side, Math.floor(corner / side)]) as number[][];
        const doubled = (b![0]! - a![0]!) * (c![1]! - a![1]!) - (b![1]! - a![1]!) * (c![0]! - a![0]!);
        assert.equal(doubled, 1, 'half a square, seen from above');
        squares += 0.5;
      }
      assert.equal(squares, asked - Math.floor(asked / period));
      for (const [edge, times] of edges) {
        assert.deepEqual([times, edges.get(edge.split(' ').reverse().join(' '))], [1, 1], edge);
      }
    }
  });
});

test('a terrain is that of the year of the model where there is one, else the newest, of each ward', () => {
  const row = (changes: Partial<DatasetRow>): DatasetRow =>
    ({
      format: '3D Tiles',
      type_en: 'dem',
      year: 2024,
      ward_code: null,
      bbox: [139, 35, 139.1, 35.1],
      ...changes,
    }) as DatasetRow;
  const spec = (year: number) => `http://a/3dtiles/47900-bldg-lod1-${year}/tileset.json`;
  const buildings = [2020, 2023].map((year) =>
    row({ type_en: 'bldg', year, lod: '1', composite_url: spec(year), name: '建築物モデル' }),
  );
  const terrains = [2020, 2021, 2024].map((year) => row({ year }));
  const all = [...buildings, ...terrains, row({ format: 'MVT', year: 2030 })];
  const years = (model: string, rows = all, bounds = BOX) =>
    terrainDatasets(model, rows, bounds).map(({ year }) => year);
  assert.deepEqual(years('47900-bldg-lod1-2020'), [2020]);
  assert.deepEqual(years('47900-bldg-lod1-latest'), [2024], 'none of 2023');
  assert.deepEqual(years('47900-bldg-lod1-latest', [...all, row({ year: 2023 })]), [2023]);
  assert.deepEqual(years('47900-bldg-lod1-2020', all.toReversed()), [2020]);
  assert.deepEqual(
    years('47900-bldg-lod1-2020', [...all, row({ year: 2022, ward_code: '47901' })]),
    [2020, 2022],
  );
  const wards = ['47901', '47902'].map((ward_code) => row({ ward_code }));
  assert.deepEqual(terrainDatasets('', wards, BOX), wards);
  const equals = ['a', 'b'].map((id) => row({ id, lod: '1' }));
  assert.deepEqual(
    terrainDatasets('', equals, BOX).map(({ id }) => id),
    ['a'],
    'the first of equals',
  );
  const levels = ['1', '2'].map((lod) => row({ lod }));
  for (const rows of [levels, levels.toReversed()]) {
    assert.deepEqual(
      terrainDatasets('', rows, BOX).map(({ lod }) => lod),
      ['2'],
    );
  }
  const far = { west: 140, south: 35, east: 140.1, north: 35.1 };
  assert.deepEqual(years('47900-bldg-lod1-2020', all, far), []);
});
