import { type Bounds, boundsIntersect, boundsOverlap } from '../../geo/bounds.ts';
import {
  countMeshesIn,
  isMeshCode,
  MESH_DIGITS,
  type MeshDigits,
  meshAncestors,
  meshBounds,
  meshesIn,
  meshOf,
} from '../../geo/mesh.ts';

/**
 * Files by their mesh codes: what an index over the codes can find, and what remains to be checked of each
 * file that it finds. A mesh lies in another exactly when its code starts with the other's, so "inside" is a
 * prefix and "around" is a handful of shorter codes.
 */
export interface MeshSelection {
  /** Files whose code starts with one of these … */
  meshPrefixes: string[];
  /** … or is one of these … */
  meshes: string[];
  /** … if this holds for the code. */
  accepts(mesh: string): boolean;
}

/** Cells that stand for one box; more make a query slower than the files that they would spare. */
const MAX_CELLS = 64;

const always = (): boolean => true;

/** Files whose mesh lies in one of the meshes or contains it; with `exact` those of the same number of digits alone. */
export function selectMeshes(codes: readonly string[], exact: boolean): MeshSelection {
  if (exact) return { meshPrefixes: [], meshes: [...codes], accepts: always };
  return { meshPrefixes: [...codes], meshes: ancestorsOf(codes), accepts: always };
}

/** Files whose mesh contains the point. */
export function selectPoint(lng: number, lat: number): MeshSelection {
  const meshes = MESH_DIGITS.flatMap((digits) => {
    try {
      return [meshOf(lng, lat, digits)];
    } catch {
      // No mesh reaches there.
      return [];
    }
  });
  return { meshPrefixes: [], meshes, accepts: always };
}

/** Files whose mesh shares an area with one of the boxes; with a point or a line, those that it touches. */
export function selectBoxes(boxes: readonly Bounds[]): MeshSelection {
  const cells = new Set(boxes.flatMap((box) => [...meshesIn(box, cellDigits(box))]));
  return { meshPrefixes: [...cells], meshes: ancestorsOf(cells), accepts: meshFilter(boxes) };
}

/** Tells of a mesh code whether its mesh meets one of the boxes; each code is worked out once. */
export function meshFilter(boxes: readonly Bounds[]): (mesh: string) => boolean {
  const known = new Map<string, boolean>();
  return (mesh) => {
    let meets = known.get(mesh);
    if (meets === undefined) {
      // Files without a place on the grid have no mesh code.
      const cell = isMeshCode(mesh) ? meshBounds(mesh) : null;
      meets =
        cell !== null && boxes.some((box) => (hasArea(box) ? boundsOverlap : boundsIntersect)(cell, box));
      known.set(mesh, meets);
    }
    return meets;
  };
}

/** Tells of a mesh code whether its mesh is one of the meshes, lies in one of them or contains one. */
export function relatedMeshes(meshes: Iterable<string>): (mesh: string) => boolean {
  const own = new Set(meshes);
  const around = new Set(ancestorsOf(own));
  return (mesh) =>
    own.has(mesh) || around.has(mesh) || MESH_DIGITS.some((digits) => own.has(mesh.slice(0, digits)));
}

/** The finest meshes of which not too many are needed to cover a box. */
function cellDigits(box: Bounds): MeshDigits {
  return ([8, 6] as const).find((digits) => countMeshesIn(box, digits) <= MAX_CELLS) ?? 4;
}

function ancestorsOf(codes: Iterable<string>): string[] {
  const ancestors = new Set<string>();
  for (const code of codes) {
    if (isMeshCode(code)) for (const ancestor of meshAncestors(code)) ancestors.add(ancestor);
  }
  return [...ancestors];
}

function hasArea(box: Bounds): boolean {
  return box.west < box.east && box.south < box.north;
}
