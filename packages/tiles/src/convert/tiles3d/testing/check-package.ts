/** What must hold for every converted package. */
import assert from 'node:assert/strict';
import type { Issue } from '@citymodel/base';
import { geodeticToEcef, type Vec3 } from '@citymodel/geo';
import { volumeContains } from '@citymodel/geo/testing';
import { inspectTileset } from '../../../inspect-3dtiles.ts';
import { memoryFiles } from '../../../testing/memory-files.ts';
import { validateTileset } from '../../../testing/validate-tileset.ts';
import type { PackageFilesInMemory } from './convert-gml.ts';
import { type ReadFeature, type ReadTile, readTiles } from './read-tiles.ts';

/** Metres that arithmetic in 32-bit floats may take. */
const ROUNDING = 0.001;

/** Checks tilesets, volumes, errors and glTF; returns the tiles. Throws an AssertionError. */
export async function checkPackage(files: PackageFilesInMemory): Promise<ReadTile[]> {
  const found: Issue[] = [];
  const members = memoryFiles(Object.fromEntries(files));
  const facts = await inspectTileset(members, (issue) => found.push(issue));
  assert.deepEqual(found, []);
  // The validator of glTF does not know Draco, and says so.
  const faults = await validateTileset(members, 'tileset.json');
  assert.deepEqual(
    faults.filter(({ severity }) => severity !== 'info'),
    [],
  );
  assert.equal(facts?.entry, 'tileset.json');
  assert.equal(facts.tightVolume, null, 'the volume of the root is wrong');
  const tiles = await readTiles(files);
  for (const tile of tiles) {
    const { parent, path, region } = tile;
    if (parent !== null) {
      assert.ok(tile.geometricError <= parent.geometricError, `the error of ${path} grows downwards`);
      for (const [i, edge] of tile.tileRegion.entries()) {
        const outer = parent.tileRegion[i]!;
        assert.ok(i < 2 || i === 4 ? edge >= outer : edge <= outer, `${path} sticks out of its parent`);
      }
    }
    if (tile.isLeaf) assert.equal(tile.geometricError, 0, path);
    for (const { vertices } of tile.features) {
      for (const vertex of vertices) {
        assert.ok(volumeContains({ region }, vertex, ROUNDING), `${path} has a vertex outside of its region`);
      }
    }
  }
  return tiles;
}

/** Features of the tiles that show everything: all tiles of a tree that adds, the leaves of one that replaces. */
export function finestFeatures(tiles: readonly ReadTile[]): ReadFeature[] {
  return tiles.filter((tile) => tile.refine === 'ADD' || tile.isLeaf).flatMap((tile) => tile.features);
}

/** How far each vertex is from the nearest of some positions (degrees and ellipsoidal height), metres, at most. */
export function farthestFrom(
  positions: Iterable<readonly [number, number, number]>,
  vertices: readonly Vec3[],
): number {
  // Polygons share positions.
  const different = new Map(Array.from(positions, (position) => [position.join(), position]));
  const points = Array.from(different.values(), ([lng, lat, height]) =>
    geodeticToEcef((lng * Math.PI) / 180, (lat * Math.PI) / 180, height),
  );
  let farthest = 0;
  for (const [x, y, z] of vertices) {
    let nearest = Infinity;
    for (const point of points) {
      const [dx, dy, dz] = [point[0] - x, point[1] - y, point[2] - z];
      nearest = Math.min(nearest, dx * dx + dy * dy + dz * dz);
    }
    farthest = Math.max(farthest, nearest);
  }
  return Math.sqrt(farthest);
}
