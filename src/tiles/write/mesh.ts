/** Polygons to the triangles of glTF. */
import earcut from 'earcut';
import type { Vec3 } from '../../geo/ecef.ts';
import type { GeodeticPoint, TileFrame } from './frame.ts';
import type { GlbMaterial, GlbPrimitive } from './glb.ts';

export interface Patch<P = GeodeticPoint> {
  /** Outside first, then holes; counter-clockwise seen from outside. */
  rings: ReadonlyArray<readonly P[]>;
  /** Texture coordinates from the lower left, ring by ring; used where the material has a picture. */
  uvs: ReadonlyArray<ReadonlyArray<readonly [u: number, v: number]>> | null;
  material: GlbMaterial;
}

/** One feature of a tile. */
export interface TileItem<P = GeodeticPoint> {
  patches: Patch<P>[];
  /** Values by property, the same properties for every item of a tileset. */
  properties: Record<string, string | number>;
}

interface Growing {
  positions: number[];
  normals: number[];
  uvs: number[];
  featureIds: number[];
  indices: number[];
}

/** One primitive for each material; the feature id of an item is its place in the list. */
export function primitivesOf(items: readonly TileItem[], frame: TileFrame): GlbPrimitive[] {
  const byMaterial = new Map<GlbMaterial, Growing>();
  for (const [id, item] of items.entries()) {
    for (const patch of item.patches) {
      let growing = byMaterial.get(patch.material);
      if (growing === undefined) {
        growing = { positions: [], normals: [], uvs: [], featureIds: [], indices: [] };
        byMaterial.set(patch.material, growing);
      }
      addPatch(growing, patch, id, frame);
    }
  }
  return [...byMaterial].map(([material, growing]) => ({
    positions: new Float32Array(growing.positions),
    normals: new Float32Array(growing.normals),
    uvs: material.image === null ? null : new Float32Array(growing.uvs),
    featureIds: new Float32Array(growing.featureIds),
    indices: new Uint32Array(growing.indices),
    material,
  }));
}

function addPatch(growing: Growing, patch: Patch, id: number, frame: TileFrame): void {
  const rings = patch.rings.map((ring) => ring.map((point) => frame.toLocal(point)));
  const points = rings.flat();
  const normal = ringNormal(rings[0]!);
  // Flattened along the axis that the face looks along most.
  const axis = normal.reduce((best, value, i) => (Math.abs(value) > Math.abs(normal[best]!) ? i : best), 0);
  const flat = points.flatMap((point) => point.filter((_, i) => i !== axis));
  const holes = rings
    .slice(0, -1)
    .map((_, i) => rings.slice(0, i + 1).reduce((sum, ring) => sum + ring.length, 0));
  const first = growing.positions.length / 3;
  for (const point of points) {
    growing.positions.push(...yUp(point));
    growing.normals.push(...yUp(normal));
    growing.featureIds.push(id);
  }
  // CityGML counts v from below, glTF from above.
  for (const [u, v] of patch.uvs?.flat() ?? []) growing.uvs.push(u, 1 - v);
  const triangles = earcut(flat, holes);
  for (let i = 0; i < triangles.length; i += 3) {
    const [a, b, c] = [triangles[i]!, triangles[i + 1]!, triangles[i + 2]!];
    const turned = dot(ringNormal([points[a]!, points[b]!, points[c]!]), normal) < 0;
    growing.indices.push(first + a, first + (turned ? c : b), first + (turned ? b : c));
  }
}

/** Unit normal by Newell's method: sums over the edges, so that no single corner decides. */
function ringNormal(ring: readonly Vec3[]): Vec3 {
  const sum: Vec3 = [0, 0, 0];
  for (let i = 0; i < ring.length; i++) {
    const [a, b] = [ring[i]!, ring[(i + 1) % ring.length]!];
    sum[0] += (a[1] - b[1]) * (a[2] + b[2]);
    sum[1] += (a[2] - b[2]) * (a[0] + b[0]);
    sum[2] += (a[0] - b[0]) * (a[1] + b[1]);
  }
  const length = Math.hypot(...sum);
  return length === 0 ? [0, 0, 1] : [sum[0] / length, sum[1] / length, sum[2] / length];
}

const dot = (a: Vec3, b: Vec3) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

/** From z up, as tiles have it, to y up, as glTF has it. */
const yUp = ([x, y, z]: Vec3): Vec3 => [x, z, -y];
