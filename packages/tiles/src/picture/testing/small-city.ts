/** A tileset of a few boxes, in memory. */
import { geodeticToEcef } from '@citymodel/geo';
import { loadDraco } from '../../convert/mesh/draco.ts';
import type { TriangleMesh } from '../../convert/mesh/mesh-builder.ts';
import { loadMeshopt } from '../../convert/mesh/meshopt.ts';
import { type TileImage, writeTileGlb } from '../../convert/tiles3d/glb.ts';

export const LNG = (139.7 * Math.PI) / 180;
export const LAT = (35.6 * Math.PI) / 180;
/** Half the side of the tile's region, radians. */
const HALF = 1e-5;

/** A box on the ground, metres: middle east and north, half its side, height. */
export interface Box {
  east: number;
  north: number;
  half: number;
  height: number;
}

/** Where glTF with y up lies when its node is moved there: at the place, upright. */
export function transformAt(): number[] {
  const [x, y, z] = geodeticToEcef(LNG, LAT, 0);
  const [sl, cl, sp, cp] = [Math.sin(LNG), Math.cos(LNG), Math.sin(LAT), Math.cos(LAT)];
  return [-sl, cl, 0, 0, -sp * cl, -sp * sl, cp, 0, cp * cl, cp * sl, sp, 0, x, y, z, 1];
}

/** Walls and roofs of boxes, y up. */
export function boxMesh(boxes: readonly Box[], colour: readonly number[] | null): TriangleMesh {
  const positions: number[] = [];
  const indices: number[] = [];
  for (const { east, north, half, height } of boxes) {
    const first = positions.length / 3;
    for (const up of [0, height]) {
      for (const [x, y] of [
        [-1, -1],
        [1, -1],
        [1, 1],
        [-1, 1],
      ] as const) {
        positions.push(east + x * half, up, -(north + y * half));
      }
    }
    const quads = [
      [4, 5, 6, 7],
      [0, 1, 5, 4],
      [1, 2, 6, 5],
      [2, 3, 7, 6],
      [3, 0, 4, 7],
    ] as const;
    for (const [a, b, c, d] of quads) indices.push(...[a, b, c, a, c, d].map((i) => first + i));
  }
  const count = positions.length / 3;
  return {
    positions: Float32Array.from(positions),
    normals: Float32Array.from({ length: 3 * count }, (_, i) => (i % 3 === 1 ? 1 : 0)),
    uvs: null,
    colours: colour === null ? null : Uint8Array.from({ length: 4 * count }, (_, i) => colour[i % 4]!),
    features: new Uint16Array(count),
    indices: Uint32Array.from(indices),
  };
}

/** The bytes of a tile with one mesh. */
export async function glbOf(
  mesh: TriangleMesh,
  kind: 'draco' | 'meshopt' | 'none',
  image: TileImage | null = null,
): Promise<Uint8Array> {
  const compression =
    kind === 'draco'
      ? { kind, module: await loadDraco() }
      : kind === 'meshopt'
        ? { kind, encoder: await loadMeshopt() }
        : { kind };
  const primitive = { mesh, image: image === null ? null : 0, blend: false, isTwoSided: false, table: 0 };
  return writeTileGlb(
    {
      translation: [0, 0, 0],
      primitives: [primitive],
      images: image === null ? [] : [image],
      tables: [],
      places: [],
    },
    { compression, error: 0.005, uvError: 0.001, tables: false, unlit: false },
  )!;
}

/** Files by their paths; `tileset.json` shows `content` unless it is among them. */
export function packageOf(members: Record<string, Uint8Array | object>) {
  const files = new Map(
    Object.entries(members).map(([path, value]) => [
      path,
      value instanceof Uint8Array ? value : new Uint8Array(Buffer.from(JSON.stringify(value))),
    ]),
  );
  return {
    paths: () => files.keys(),
    size: (path: string) => files.get(path)?.length,
    read: async (path: string) => files.get(path) ?? null,
  };
}

/** A tile of the place. */
export function tileOf(uri: string | null, more: object = {}): Record<string, unknown> {
  return {
    boundingVolume: { region: [LNG - HALF, LAT - HALF, LNG + HALF, LAT + HALF, 0, 60] },
    geometricError: 1,
    refine: 'REPLACE',
    transform: transformAt(),
    ...(uri === null ? {} : { content: { uri } }),
    ...more,
  };
}

export function tilesetOf(root: object): Record<string, unknown> {
  return { asset: { version: '1.1' }, geometricError: 100, root };
}
