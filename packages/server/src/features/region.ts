/**
 * Where features are looked for: spatial IDs, a box, polygons. Where several kinds are given, a feature has to meet
 * each, be it in different places of it.
 */
import {
  type AltitudeRange,
  type FeatureShape,
  meetsAltitudes,
  meetsBox,
  meetsPolygon,
  type SearchPolygon,
} from '@citymodel/citygml';
import {
  type Bounds,
  boundsIntersect,
  type SpatialId,
  spatialIdAltitudes,
  spatialIdBounds,
} from '@citymodel/geo';

/** One column of the spatial-ID grid with the floors that are asked for; null: every altitude. */
interface Column {
  bounds: Bounds;
  floors: AltitudeRange[] | null;
}

/** A box with its edges, the lowest and the highest altitude too; `altitudes` null means every altitude. */
export interface SearchBox {
  bounds: Bounds;
  altitudes: AltitudeRange | null;
}

/** What a region is made of; null where that kind is not given. */
export interface RegionParts {
  ids: readonly SpatialId[] | null;
  box: SearchBox | null;
  /** Any of them; rings as in GeoJSON. */
  polygons: readonly SearchPolygon[] | null;
}

/** What of a feature is known without its footprint. */
interface Outline {
  bounds: Bounds;
  altitudes: FeatureShape['altitudes'];
}

const WORLD: Bounds = { west: -180, south: -90, east: 180, north: 90 };

export class Region {
  /**
   * True when everything is asked for, also what has no place: a spatial ID of zoom 0 without a floor, or `0/0/0/0`.
   */
  readonly everything: boolean;
  /** Boxes of which every feature that meets the region touches at least one. */
  readonly searchBoxes: readonly Bounds[];
  /** Boxes, and corners of polygons, that a feature is compared with; at least 1. */
  readonly parts: number;
  /** The same for each part of the region. */
  readonly #parts: ReadonlyArray<readonly Bounds[]>;
  readonly #columns: readonly Column[] | null;
  readonly #box: SearchBox | null;
  readonly #polygons: ReadonlyArray<{ polygon: SearchPolygon; bounds: Bounds }> | null;

  constructor({ ids, box, polygons }: RegionParts) {
    const all = ids?.some((id) => id.z === 0 && spatialIdAltitudes(id) === null) ?? true;
    this.#columns = ids === null || all ? null : columnsOf(ids);
    this.#box = box;
    this.#polygons =
      polygons?.map((polygon) => ({ polygon, bounds: boundsOfRing(polygon[0] ?? []) })) ?? null;
    this.everything = all && box === null && polygons === null;
    this.#parts = [
      this.#columns?.map((column) => column.bounds),
      this.#polygons?.map((polygon) => polygon.bounds),
      box === null ? undefined : [box.bounds],
    ].filter((boxes) => boxes !== undefined);
    this.searchBoxes = this.#parts[0] ?? [WORLD];
    const corners = polygons?.flat().reduce((sum, ring) => sum + ring.length, 0) ?? 0;
    this.parts = Math.max(1, (this.#columns?.length ?? 0) + corners);
  }

  /** True when something in the bounds may meet the region. */
  mayMeet(bounds: Bounds): boolean {
    return this.#parts.every((boxes) => boxes.some((box) => boundsIntersect(box, bounds)));
  }

  /**
   * What the outline of a feature alone tells: true when it meets the region whatever its footprint, false when it
   * cannot, null when the footprint decides.
   */
  meetsOutline(outline: Outline): boolean | null {
    const { bounds, altitudes } = outline;
    if (this.everything) return true;
    let sure = true;
    if (this.#box !== null) {
      if (
        !boundsIntersect(this.#box.bounds, bounds) ||
        !meetsAltitudes(altitudes, this.#box.altitudes, 'closed')
      )
        return false;
      sure = inside(bounds, this.#box.bounds);
    }
    if (this.#polygons !== null) {
      if (!this.#polygons.some((polygon) => boundsIntersect(polygon.bounds, bounds))) return false;
      sure = false;
    }
    if (this.#columns !== null) {
      const columns = this.#columns.filter(
        (column) =>
          boundsIntersect(column.bounds, bounds) &&
          (column.floors?.some((floor) => meetsAltitudes(altitudes, floor, 'cell')) ?? true),
      );
      if (columns.length === 0) return false;
      sure &&= columns.some((column) => inside(bounds, column.bounds));
    }
    return sure ? true : null;
  }

  /** Whether a feature meets the region. */
  meets(shape: FeatureShape, bounds: Bounds): boolean {
    return (
      (this.#box === null || meetsBox(shape, this.#box.bounds, this.#box.altitudes, 'closed')) &&
      (this.#columns?.some((column) => meetsColumn(shape, bounds, column)) ?? true) &&
      (this.#polygons?.some(
        (column) => boundsIntersect(column.bounds, bounds) && meetsPolygon(shape, column.polygon, null),
      ) ??
        true)
    );
  }
}

function meetsColumn(shape: FeatureShape, bounds: Bounds, column: Column): boolean {
  if (!boundsIntersect(column.bounds, bounds)) return false;
  if (column.floors === null) return meetsBox(shape, column.bounds, null);
  return (
    column.floors.some((floor) => meetsAltitudes(shape.altitudes, floor, 'cell')) &&
    meetsBox(shape, column.bounds, null)
  );
}

/** Cells of the same column together, so that a tower of floors is one horizontal test. */
function columnsOf(ids: readonly SpatialId[]): Column[] {
  const columns = new Map<string, Column>();
  for (const id of ids) {
    const key = `${id.z}/${id.x}/${id.y}`;
    let column = columns.get(key);
    if (column === undefined) {
      column = { bounds: spatialIdBounds(id), floors: [] };
      columns.set(key, column);
    }
    const altitudes = spatialIdAltitudes(id);
    if (altitudes === null) column.floors = null;
    else column.floors?.push(altitudes);
  }
  return [...columns.values()];
}

/** Wholly inside, without touching an edge, so that it does not matter which edges belong to the box. */
function inside(bounds: Bounds, box: Bounds): boolean {
  return (
    bounds.west > box.west && bounds.east < box.east && bounds.south > box.south && bounds.north < box.north
  );
}

function boundsOfRing(ring: SearchPolygon[number]): Bounds {
  const bounds = { west: Infinity, south: Infinity, east: -Infinity, north: -Infinity };
  for (const [lng, lat] of ring) {
    bounds.west = Math.min(bounds.west, lng);
    bounds.east = Math.max(bounds.east, lng);
    bounds.south = Math.min(bounds.south, lat);
    bounds.north = Math.max(bounds.north, lat);
  }
  return bounds;
}
