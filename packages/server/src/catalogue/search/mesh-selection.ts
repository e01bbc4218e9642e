import {
  type Bounds,
  boundsIntersect,
  boundsOverlap,
  countMeshesIn,
  isMeshCode,
  MESH_DIGITS,
  type MeshDigits,
  meshAncestors,
  meshBounds,
  meshesIn,
  meshOf,
} from '@citymodel/geo';

/**
 * Files by their mesh codes: what an index over the codes can find, and the exact test, because the index may find
 * more. A mesh lies in another exactly when its code starts with the other's. So "inside" is a prefix, and "around" is
 * a few shorter codes.
 */
export interface MeshSelection {
  /** Files whose code starts with one of these … */
  meshPrefixes: string[];
  /** … or is one of these. */
  meshes: string[];
  /** True for the codes of the files that are meant. */
  accepts(mesh: string): boolean;
}

/** Cells that stand for one box; more make a query slower than the files that they would spare. */
const MAX_CELLS = 64;

/** Files whose mesh lies in one of the meshes or contains it; with `exact` those of the same number of digits alone. */
export function selectMeshes(codes: readonly string[], exact: boolean): MeshSelection {
  if (exact) return oneOf(codes);
  return { meshPrefixes: [...codes], meshes: ancestorsOf(codes), accepts: relatedMeshes(codes) };
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
  return oneOf(meshes);
}

function oneOf(codes: readonly string[]): MeshSelection {
  const distinct = new Set(codes);
  return { meshPrefixes: [], meshes: [...distinct], accepts: (mesh) => distinct.has(mesh) };
}

/** Files whose mesh shares an area with one of the boxes; with a point or a line, those that it touches. */
export function selectBoxes(boxes: readonly Bounds[]): MeshSelection {
  const cells = new Set<string>();
  for (const box of boxes) for (const cell of meshesIn(box, cellDigits(box))) cells.add(cell);
  return { meshPrefixes: [...cells], meshes: ancestorsOf(cells), accepts: meshFilter(boxes) };
}

/**
 * Tells of a mesh code whether its mesh meets one of the boxes. Each code is worked out once, and looks only at the
 * boxes that reach into the 2nd mesh around it: with a thousand boxes, few are left.
 */
export function meshFilter(boxes: readonly Bounds[]): (mesh: string) => boolean {
  const results = new Map<string, boolean>();
  const reaching = new Map<string, readonly Bounds[]>();
  const boxesAround = (mesh: string): readonly Bounds[] => {
    const ancestor = mesh.length > 6 ? mesh.slice(0, 6) : mesh.length > 4 ? mesh.slice(0, 4) : '';
    if (ancestor === '') return boxes;
    let found = reaching.get(ancestor);
    if (found === undefined) {
      const cell = meshBounds(ancestor);
      found = boxesAround(ancestor).filter((box) => boundsIntersect(cell, box));
      const covering = found.find((box) => hasArea(box) && contains(box, cell));
      if (covering !== undefined) found = [covering];
      reaching.set(ancestor, found);
    }
    return found;
  };
  return (mesh) => {
    let meets = results.get(mesh);
    if (meets === undefined) {
      // Files without a place on the grid have no mesh code.
      const cell = isMeshCode(mesh) ? meshBounds(mesh) : null;
      meets =
        cell !== null &&
        boxesAround(mesh).some((box) => (hasArea(box) ? boundsOverlap : boundsIntersect)(cell, box));
      results.set(mesh, meets);
    }
    return meets;
  };
}

/** Tells of a mesh code whether its mesh is one of the meshes, lies in one of them or contains one. */
export function relatedMeshes(meshes: Iterable<string>): (mesh: string) => boolean {
  const own = new Set(meshes);
  const ancestors = new Set(ancestorsOf(own));
  return (mesh) =>
    own.has(mesh) || ancestors.has(mesh) || MESH_DIGITS.some((digits) => own.has(mesh.slice(0, digits)));
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

function contains(outer: Bounds, inner: Bounds): boolean {
  return (
    outer.west <= inner.west &&
    inner.east <= outer.east &&
    outer.south <= inner.south &&
    inner.north <= outer.north
  );
}

function hasArea(box: Bounds): boolean {
  return box.west < box.east && box.south < box.north;
}
