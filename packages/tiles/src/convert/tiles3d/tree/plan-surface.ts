/**
 * Trees over surfaces that have no parts of their own to show or hide: polygons go into the cell that their middle lies
 * in.
 */
import type { Bounds } from '@citymodel/geo';

/** Many polygons, as columns: a file of terrain has millions. */
export interface PolygonList {
  /** Middle of each polygon, degrees from the origin. */
  lng: Float32Array;
  lat: Float32Array;
  origin: { lng: number; lat: number };
  /** Positions of each. */
  positions: Uint32Array;
  count: number;
}

/** Polygons of a cell by their numbers, ascending: in the leaves only. */
export interface SurfaceNode {
  polygons: Uint32Array;
  cell: Bounds;
  children: SurfaceNode[];
}

/** Positions of a leaf: some 250 kB with Draco. */
const MOST_POSITIONS = 40_000;
/** Levels; cells are smaller than a metre then. */
const MAX_DEPTH = 24;

/** Quarters cells until a leaf has few enough positions. */
export function planSurface(list: PolygonList, cell: Bounds, most = MOST_POSITIONS): SurfaceNode {
  const all = Uint32Array.from({ length: list.count }, (_, i) => i);
  return surfaceNode(list, all, cell, most, 0);
}

function surfaceNode(
  list: PolygonList,
  polygons: Uint32Array,
  cell: Bounds,
  most: number,
  depth: number,
): SurfaceNode {
  let positions = 0;
  for (const polygon of polygons) positions += list.positions[polygon]!;
  if (positions <= most || polygons.length === 1 || depth === MAX_DEPTH)
    return { polygons, cell, children: [] };
  const [lng, lat] = [(cell.west + cell.east) / 2, (cell.south + cell.north) / 2];
  const cells = [
    { ...cell, east: lng, north: lat },
    { ...cell, west: lng, north: lat },
    { ...cell, east: lng, south: lat },
    { ...cell, west: lng, south: lat },
  ];
  const [east, north] = [lng - list.origin.lng, lat - list.origin.lat];
  const children = cells.flatMap((quarter, i) => {
    const own = polygons.filter(
      (polygon) => (list.lng[polygon]! >= east ? 1 : 0) + (list.lat[polygon]! >= north ? 2 : 0) === i,
    );
    return own.length === 0 ? [] : [surfaceNode(list, own, quarter, most, depth + 1)];
  });
  return { polygons: new Uint32Array(), cell, children };
}
