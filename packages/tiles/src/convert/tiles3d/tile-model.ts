/** What a tile shows: features at one level of detail each, as meshes with tables of their attributes. */

import { MeshBuilder } from '../mesh/mesh-builder.ts';
import type { TileFrame } from '../mesh/tile-frame.ts';
import {
  areaOfCut,
  NO_AREA,
  ringsArea,
  SMALLEST_AREA,
  type Triangulation,
  triangulate,
} from '../mesh/triangulate.ts';
import { type Body, surfaceKeysOf } from '../read/bodies.ts';
import type { FeatureHead } from '../read/pack-head.ts';
import { stoppable } from '../stoppable.ts';
import type { Drawn, DrawnSink } from './drawn-bodies.ts';
import { FeatureTableBuilder } from './feature-table.ts';
import type { TileModel, TilePrimitive } from './glb.ts';
import type { Look, PolygonLook } from './look.ts';

/** A feature as a tile shows it. */
export interface ShownFeature {
  head: FeatureHead;
  body: Body;
  /** Level of detail of the body. */
  lod: number;
  /** Number by which the body, or the part of one, is accounted for; `MADE` for one that is made. */
  source: number;
}

/** Polygons between two looks at the clock. */
const POLYGONS_A_LOOK = 16;
/**
 * Furniture is lifted by this, metres, so that it does not flicker in the surface of the road that it lies in, as
 * published.
 */
const LIFTED = new Map([['frn:CityFurniture', 0.003]]);

/**
 * One mesh for each image, transparency, table, and for what is seen from both sides; `look` says how polygons look.
 * `byType`: a table for each type, else one for all. `step`: metres that positions are rounded to; null to keep them.
 * `sink` is told what of each body is drawn. Throws the reason of the signal.
 */
export async function tileModel(
  features: readonly ShownFeature[],
  frame: TileFrame,
  look: Look,
  sink: DrawnSink,
  byType: boolean,
  step: number | null,
  signal: AbortSignal,
): Promise<TileModel> {
  const slices = stoppable(signal);
  const types = byType ? [...new Set(features.map(({ head }) => head.type))].sort() : ['feature'];
  const tables = types.map((type) => new FeatureTableBuilder(type));
  const meshes = new Meshes(step);
  const places: Array<[table: number, row: number]> = [];
  for (const [number, feature] of features.entries()) {
    const table = byType ? types.indexOf(feature.head.type) : 0;
    const { body, head } = feature;
    const row = tables[table]!.add(head.columns);
    // Buildings say at which level of detail they are shown, as published.
    places.push([table, row]);
    if (head.type.startsWith('bldg:')) tables[table]!.set(row, '_lod', 'INT32', feature.lod);
    const lift = LIFTED.get(head.type) ?? 0;
    const drawn: Drawn = {
      ...{ polygons: 0, area: 0, tiny: 0, tinyArea: 0 },
      ...{ crossed: 0, crossedArea: 0, crossing: 0, bent: 0 },
    };
    const points = frame.toLocal(lift === 0 ? body.positions : lifted(body.positions, lift));
    const shape = new Shape(body, points, drawn);
    for (let polygon = 0; polygon < body.polygonEnds.length; polygon++) {
      if (polygon % POLYGONS_A_LOOK === 0 && slices.due()) await slices.pause();
      const cut = shape.cut(polygon);
      if (cut !== null) meshes.add(shape, polygon, cut, look.of(number, polygon), table, row);
    }
    sink(feature.source, head.id, drawn);
  }
  return {
    translation: frame.translation,
    primitives: meshes.finish(),
    images: look.images,
    tables: tables.map((table) => table.finish()),
    places,
  };
}

/** A body in the frame of its tile. */
class Shape {
  readonly body: Body;
  readonly points: Float64Array;
  readonly #drawn: Drawn;
  #areas: Map<string, number> | null = null;

  /** `drawn` counts what becomes of polygons. */
  constructor(body: Body, points: Float64Array, drawn: Drawn) {
    this.body = body;
    this.points = points;
    this.#drawn = drawn;
  }

  /** The first position of a polygon. */
  startOf(polygon: number): number {
    return this.body.ringEnds[this.#firstRing(polygon) - 1] ?? 0;
  }

  /** Null for a polygon that has no triangles. */
  cut(polygon: number): Triangulation | null {
    const { body, points } = this;
    const from = this.startOf(polygon);
    const rings = body.ringEnds.subarray(this.#firstRing(polygon), body.polygonEnds[polygon]!);
    let cut = triangulate(points, from, rings);
    if (cut === 'tiny') {
      // Small triangles of something that is large enough together are seen: handles, railings.
      this.#areas ??= patchAreas(body, points);
      if (this.#areas.get(patchOf(body, polygon))! >= SMALLEST_AREA)
        cut = triangulate(points, from, rings, NO_AREA);
    }
    const drawn = this.#drawn;
    if (typeof cut === 'string') {
      drawn[cut]++;
      drawn[`${cut}Area`] += ringsArea(points, from, rings);
      return null;
    }
    drawn.polygons++;
    const area = areaOfCut(points, from, rings, cut);
    // Bent and crossing polygons have more in triangles than their rings tell.
    drawn.area += Math.min(area.triangles, area.rings);
    if (cut.bent) drawn.bent++;
    if (area.crosses) {
      drawn.crossing++;
      drawn.crossedArea += Math.max(0, area.rings - area.triangles);
    }
    return cut;
  }

  #firstRing(polygon: number): number {
    return this.body.polygonEnds[polygon - 1] ?? 0;
  }
}

/** The meshes of a tile. */
class Meshes {
  readonly #step: number | null;
  readonly #groups: Array<{ builder: MeshBuilder; primitive: Omit<TilePrimitive, 'mesh'> }> = [];

  constructor(step: number | null) {
    this.#step = step;
  }

  add(
    shape: Shape,
    polygon: number,
    cut: Triangulation,
    look: PolygonLook,
    table: number,
    row: number,
  ): void {
    const { image, colour } = look;
    const blend = (colour & 0xff) !== 0xff;
    const isTwoSided = shape.body.twoSided[polygon] === 1;
    // A handful: images are few, and most tiles have one table.
    let group = this.#groups.find(
      ({ primitive: own }) =>
        own.image === image && own.blend === blend && own.isTwoSided === isTwoSided && own.table === table,
    );
    if (group === undefined) {
      const primitive = { image, blend, isTwoSided, table };
      group = { builder: new MeshBuilder(image !== null, this.#step), primitive };
      this.#groups.push(group);
    }
    addPolygon(group.builder, shape.points, cut, shape.startOf(polygon), look, row);
  }

  /** Those that have triangles. */
  finish(): TilePrimitive[] {
    return this.#groups.flatMap(({ builder, primitive }) => {
      const mesh = builder.finish();
      return mesh === null ? [] : [{ ...primitive, mesh }];
    });
  }
}

/** The patch that a polygon belongs to: the geometry with an id around it, and the part of the feature. */
function patchOf(body: Body, polygon: number): string {
  const [, around, owner] = surfaceKeysOf(body, polygon);
  return `${around} ${owner}`;
}

/** Square metres of each patch. */
function patchAreas(body: Body, points: Float64Array): Map<string, number> {
  const areas = new Map<string, number>();
  for (let polygon = 0; polygon < body.polygonEnds.length; polygon++) {
    const [firstRing, lastRing] = [body.polygonEnds[polygon - 1] ?? 0, body.polygonEnds[polygon]!];
    const from = body.ringEnds[firstRing - 1] ?? 0;
    const key = patchOf(body, polygon);
    const area = ringsArea(points, from, body.ringEnds.subarray(firstRing, lastRing));
    areas.set(key, (areas.get(key) ?? 0) + area);
  }
  return areas;
}

function addPolygon(
  builder: MeshBuilder,
  points: Float64Array,
  { triangles, normal }: Triangulation,
  from: number,
  { uvs, colour, shade }: PolygonLook,
  row: number,
): void {
  // Positions of a polygon are few: their vertices are found once.
  const vertices: number[] = [];
  const vertex = (position: number): number => {
    const place = position - from;
    vertices[place] ??= builder.vertex(
      points[3 * position]!,
      points[3 * position + 1]!,
      points[3 * position + 2]!,
      shade === undefined ? normal : normalAt(shade.normals, place),
      uvs?.[2 * place] ?? 0,
      uvs?.[2 * place + 1] ?? 0,
      colour,
      row,
    );
    return vertices[place]!;
  };
  const [second, third] = shade?.isTurned === true ? [2, 1] : [1, 2];
  for (let i = 0; i < triangles.length; i += 3) {
    builder.triangle(vertex(triangles[i]!), vertex(triangles[i + second]!), vertex(triangles[i + third]!));
  }
}

function normalAt(normals: Float32Array, place: number): [number, number, number] {
  return [normals[3 * place]!, normals[3 * place + 1]!, normals[3 * place + 2]!];
}

function lifted(positions: Float64Array, by: number): Float64Array {
  const raised = positions.slice();
  for (let i = 2; i < raised.length; i += 3) raised[i]! += by;
  return raised;
}
