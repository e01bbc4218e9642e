import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Tile, Tileset } from '../../tileset.ts';
import { convertGml, geoidOffset, type PackageFilesInMemory } from './testing/convert-gml.ts';
import { box, building, fixture, solid } from './testing/fixture-gml.ts';
import { type Place, readForeignTile } from './testing/foreign-tiles.ts';

/** South-west corner of the fixture's mesh, and degrees to a metre, as `fixture-gml.ts` has them. */
const [SOUTH, WEST, LAT, LNG] = [35.68, 139.77, 1 / 110_950, 1 / 91_290];
/** Metres that a position may be moved, and what floats and the sphere of degrees take. */
const CLOSE = 0.03;

interface Case {
  id: string;
  at: readonly [number, number, number];
  size: readonly [number, number, number];
}

const BUILDINGS: Case[] = [
  { id: 'low', at: [10, 20, 3], size: [8, 9, 5] },
  { id: 'high', at: [40, 20, 2], size: [12, 10, 60] },
  { id: 'far', at: [700, 640, 30], size: [7, 30, 11] },
];

const source = fixture(
  BUILDINGS.map(({ id, at, size }) => building(id, solid(1, box(at, size)), `<gml:name>家 ${id}</gml:name>`)),
);

/** Every content of a package's tilesets with its volume and whether it has tiles below it. */
function* contentsOf(
  files: PackageFilesInMemory,
  path = 'tileset.json',
): Generator<{ path: string; tile: Tile; volume: unknown }> {
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  const { root } = JSON.parse(Buffer.from(files.get(path)!).toString()) as Tileset;
  const waiting: Tile[] = [root];
  for (let tile = waiting.pop(); tile !== undefined; tile = waiting.pop()) {
    waiting.push(...(tile.children ?? []));
    if (tile.content === undefined) continue;
    const at = folder + tile.content.uri;
    if (at.endsWith('.json')) yield* contentsOf(files, at);
    else yield { path: at, tile, volume: tile.content.boundingVolume };
  }
}

function assertBox(places: readonly Place[], { id, at, size }: Case): void {
  const ranges = [0, 1, 2].map((axis) => {
    const values = places.map((place) => place[axis]!);
    return [Math.min(...values), Math.max(...values)] as const;
  });
  const [lng, lat, height] = ranges as [
    readonly [number, number],
    readonly [number, number],
    readonly [number, number],
  ];
  const geoid = geoidOffset(WEST, SOUTH);
  for (const side of [0, 1] as const) {
    const metres = [
      (lng[side] - WEST) / LNG - (at[0] + side * size[0]),
      (lat[side] - SOUTH) / LAT - (at[1] + side * size[1]),
      height[side] - geoid - (at[2] + side * size[2]),
    ];
    for (const [axis, off] of metres.entries())
      assert.ok(Math.abs(off) < CLOSE, `${id} is ${off} m off along axis ${axis}`);
  }
}

for (const version of ['1.1', '1.0'] as const) {
  for (const compression of ['draco', 'meshopt', 'none'] as const) {
    test(
      `glTF-Transform and CesiumJS find every building at its place with its row: ${version}, ` +
        `${compression}`,
      async () => {
        const { packages } = await convertGml([source], { compression, tiles: version });
        const files = packages.get('bldg_3dtiles_lod1')!;
        const found = new Map<
          unknown,
          { row: Record<string, unknown>; places: Place[]; triangles: number }
        >();
        for (const { path } of contentsOf(files)) {
          for (const feature of (await readForeignTile(path, files.get(path)!)).features) {
            assert.ok(!found.has(feature.row.gml_id), `${feature.row.gml_id} is there twice`);
            found.set(feature.row.gml_id, feature);
          }
        }
        assert.deepEqual([...found.keys()].sort(), BUILDINGS.map(({ id }) => id).sort());
        for (const one of BUILDINGS) {
          const { row, places, triangles } = found.get(one.id)!;
          assertBox(places, one);
          assert.equal(triangles, 12);
          assert.equal(row['gml:name'], `家 ${one.id}`);
          assert.equal(row['bldg:measuredHeight'], 10);
          assert.equal(row.feature_type, 'bldg:Building');
        }
      },
    );
  }
}

describe('volumes of contents', () => {
  test('hold what glTF-Transform finds in them, and stand where tiles lie below', async () => {
    const filler = `<gml:name>${'あ'.repeat(1_000)}</gml:name>`;
    const town = Array.from({ length: 500 }, (_, i) =>
      building(
        `b${i}`,
        solid(1, box([(i % 25) * 35, Math.floor(i / 25) * 35, 3], [8, 9, 4 + (i % 31)])),
        filler,
      ),
    );
    const { packages } = await convertGml([fixture(town)], { compression: 'none' });
    const files = packages.get('bldg_3dtiles_lod1')!;
    let above = 0;
    for (const { path, tile, volume } of contentsOf(files)) {
      const hasTilesBelow = (tile.children ?? []).length > 0;
      assert.equal(volume !== undefined, hasTilesBelow, path);
      const { region } = (volume ?? tile.boundingVolume) as { region: number[] };
      const [west, south, east, north] = region.slice(0, 4).map((radians) => (radians * 180) / Math.PI);
      const [low, high] = region.slice(4) as [number, number];
      if (hasTilesBelow) above++;
      for (const { places } of (await readForeignTile(path, files.get(path)!)).features) {
        for (const [lng, lat, height] of places) {
          assert.ok(lng >= west! && lng <= east! && lat >= south! && lat <= north!, path);
          assert.ok(height >= low && height <= high, path);
        }
      }
    }
    assert.ok(above > 0, 'some tiles have tiles below them');
  });
});
