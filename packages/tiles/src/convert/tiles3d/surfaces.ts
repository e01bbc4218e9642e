/**
 * Large surfaces: water of a flood, or terrain. Polygons that are shown alike lie together, whatever feature of the
 * file they belong to; a `SurfaceGrouping` says which these are.
 */

import type { Bounds } from '@citymodel/geo';
import { LRUCache } from 'lru-cache';
import { type Simplifier, simplifyBody } from '../mesh/simplify.ts';
import { type Body, bodyOfPolygons } from '../read/bodies.ts';
import type { FeatureFacts } from '../read/feature-facts.ts';
import type { FeatureHead } from '../read/pack-head.ts';
import type { GmlRecords } from '../read/read-records.ts';
import { MADE } from './drawn-bodies.ts';
import type { Look } from './look.ts';
import type { OverviewFeature } from './overview.ts';
import type { ShownFeature } from './tile-model.ts';
import { type PolygonList, planSurface, type SurfaceNode } from './tree/plan-surface.ts';
import type { TreeNode } from './tree/plan-tree.ts';
import { type Box, boundsOfPlaces, diagonalOf, emptyBox } from './tree/region.ts';
import { type PlacedItem, positionError, type TileContent } from './write-tree.ts';

/** Positions of bodies that are kept decoded: 24 bytes each. */
const KEPT_POSITIONS = 2_000_000;

/** Triangles of a tile above the leaves: some 100 kB with Draco. */
const INNER_TRIANGLES = 20_000;
/** Triangles of what one file adds to the overview, where a hundred files share a tile. */
const OVERVIEW_TRIANGLES = 400;
/** Most that a surface may be moved, metres. */
const FARTHEST = 1_000;
/** Geometric error by how far a surface was moved: then that is a pixel where its tile is replaced. */
const PIXELS = 16;
/** Least geometric error of a tile above the leaves, metres: level surfaces lose triangles without being moved. */
const LEAST_ERROR = 4;
/** Where records have simplified surfaces, among levels of detail. */
const COARSE_SLOT = 1;
/** Of records whose attributes others have. */
const NO_HEAD: FeatureHead = { id: '', type: '', columns: [] };

/** A feature, or a piece of one, at the level of detail that it is shown at. */
export interface SurfaceMember {
  facts: FeatureFacts;
  lod: number;
  /** What it is shown as: the number of its group, and of that in tiles above the leaves, where groups may be one. */
  group: number;
  coarse: number;
}

/** What is shown together, as one row, and how it looks. */
export interface SurfaceGrouping {
  readonly members: readonly SurfaceMember[];
  /** Highest level of detail of the members. */
  readonly lod: number;
  /** The row of a group, and the number that its polygons are accounted for by. */
  row(group: number): Pick<ShownFeature, 'head' | 'source'>;
  /** The row of a group in tiles above the leaves. */
  coarseHead(coarse: number): FeatureHead;
  /** Told of each body before anything is shown. */
  note(body: Body): void;
  look(features: readonly ShownFeature[]): Look;
}

/** What one tile shows. */
export interface SurfaceItem extends PlacedItem {
  /** Of a leaf. */
  polygons: Uint32Array;
  /** Of a tile above the leaves: groups there, ascending, with the record of the simplified surface of each. */
  coarse: ReadonlyArray<readonly [group: number, record: number]>;
  /** How far surfaces are from those of the data, metres. */
  error: number;
}

interface PolygonOf {
  body: Body;
  polygon: number;
}

/** Surfaces by numbers of groups, ascending. */
type Shapes = Map<number, Body>;

export class Surfaces {
  readonly #read: Pick<GmlRecords, 'records'>;
  readonly #simplifier: Simplifier;
  readonly #grouping: SurfaceGrouping;
  readonly #list: PolygonList;
  /** The first polygon of each member, and the number of all behind the last. */
  readonly #firsts: Uint32Array;
  /** Bodies of members. */
  readonly #bodies: LRUCache<number, Body>;

  constructor(read: Pick<GmlRecords, 'records'>, simplifier: Simplifier, grouping: SurfaceGrouping) {
    this.#read = read;
    this.#simplifier = simplifier;
    this.#grouping = grouping;
    this.#bodies = new LRUCache({
      maxSize: KEPT_POSITIONS,
      sizeCalculation: ({ positions }) => Math.max(1, positions.length / 3),
    });
    const { members } = grouping;
    const count = members.reduce((sum, { facts, lod }) => sum + facts.bodies[lod]!.polygons, 0);
    const first = members[0];
    const { west: lng, south: lat } = first?.facts.bodies[first.lod] ?? { west: 0, south: 0 };
    const list = {
      lng: new Float32Array(count),
      lat: new Float32Array(count),
      origin: { lng, lat },
      positions: new Uint32Array(count),
      count,
    };
    this.#list = list;
    this.#firsts = new Uint32Array(members.length + 1);
    let at = 0;
    for (let member = 0; member < members.length; member++) {
      const body = this.#body(member);
      grouping.note(body);
      for (let polygon = 0; polygon < body.polygonEnds.length; polygon++) {
        const [from, to] = positionsOf(body, polygon);
        let [east, north] = [0, 0];
        for (let i = from; i < to; i++) {
          east += body.positions[3 * i]! - lng;
          north += body.positions[3 * i + 1]! - lat;
        }
        list.lng[at] = east / (to - from);
        list.lat[at] = north / (to - from);
        list.positions[at++] = to - from;
      }
      this.#firsts[member + 1] = at;
    }
  }

  /** Around the middles of all polygons. */
  get bounds(): Bounds {
    const { lng, lat, origin, count } = this.#list;
    const places = function* () {
      for (let i = 0; i < count; i++) yield { lng: origin.lng + lng[i]!, lat: origin.lat + lat[i]! };
    };
    return boundsOfPlaces(places());
  }

  /**
   * A tree whose leaves show everything, and tiles above them all of it with fewer triangles; null without polygons.
   */
  plan(cell: Bounds): TreeNode<SurfaceItem> | null {
    return this.#list.count === 0 ? null : this.#node(planSurface(this.#list, cell));
  }

  /** What a tile shows: a feature for each group. */
  content({ items }: TreeNode<SurfaceItem>): TileContent {
    const [item] = items as [SurfaceItem];
    const { lod } = this.#grouping;
    const features =
      item.coarse.length > 0
        ? this.#coarseFeatures(this.#coarseShapes(item))
        : [...this.#leafShapes(item, 'group')].map(([group, body]) => ({
            ...this.#grouping.row(group),
            body,
            lod,
          }));
    return { features, look: this.#grouping.look(features), error: positionError(lod), uvError: 0 };
  }

  /** What the overview of all files shows of this one. */
  overview({ items }: TreeNode<SurfaceItem>): OverviewFeature[] {
    const [item] = items;
    const { shapes, error } = this.#simplified([item!], OVERVIEW_TRIANGLES);
    const features = this.#coarseFeatures(shapes);
    const look = this.#grouping.look(features);
    return features.map((feature, i) => {
      const triangles = feature.body.polygonEnds.length;
      const { lng, lat, diagonal, box } = item!;
      const sizes = { bytes: 300 + 4 * triangles, vertices: triangles, pixels: 0 };
      const looks = Array.from({ length: triangles }, (_, polygon) => look.of(i, polygon));
      return {
        ...feature,
        item: { id: feature.head.id, lng, lat, diagonal, box, ...sizes },
        colours: Uint32Array.from(looks, ({ colour }) => colour),
        shades: looks.map(({ shade }) => shade),
        geometricError: PIXELS * (item!.error + error),
      };
    });
  }

  #coarseFeatures(shapes: Shapes): ShownFeature[] {
    const { lod } = this.#grouping;
    return [...shapes].map(([coarse, body]) => ({
      head: this.#grouping.coarseHead(coarse),
      ...{ body, lod, source: MADE },
    }));
  }

  #node({ polygons, children }: SurfaceNode): TreeNode<SurfaceItem> {
    if (children.length === 0) return { items: [this.#leaf(polygons)], children: [], geometricError: 0 };
    const below = children.map((child) => this.#node(child));
    const items = below.flatMap((child) => child.items);
    const { shapes, error } = this.#simplified(items, INNER_TRIANGLES);
    const coarse = [...shapes].map(([group, body]): [number, number] => [
      group,
      this.#read.records.append(NO_HEAD, [null, body]),
    ]);
    const own = {
      ...placed(unionOf(items.map(({ box }) => box))),
      polygons: new Uint32Array(),
      coarse,
      error: error + Math.max(...items.map((item) => item.error)),
    };
    const geometricError = Math.max(
      LEAST_ERROR,
      PIXELS * own.error,
      ...below.map((child) => child.geometricError),
    );
    return { items: [own], children: below, geometricError };
  }

  #leaf(polygons: Uint32Array): SurfaceItem {
    const box = emptyBox();
    for (const [member, polygon] of this.#placesOf(polygons)) {
      const body = this.#body(member);
      const [from, to] = positionsOf(body, polygon);
      for (let i = from; i < to; i++) {
        const [lng, lat, height] = [
          body.positions[3 * i]!,
          body.positions[3 * i + 1]!,
          body.positions[3 * i + 2]!,
        ];
        box.west = Math.min(box.west, lng);
        box.east = Math.max(box.east, lng);
        box.south = Math.min(box.south, lat);
        box.north = Math.max(box.north, lat);
        box.low = Math.min(box.low, height);
        box.high = Math.max(box.high, height);
      }
    }
    return { ...placed(box), polygons, coarse: [], error: 0 };
  }

  /** What an item shows of each group of tiles above the leaves. */
  #coarseShapes(item: SurfaceItem): Shapes {
    if (item.coarse.length === 0) return this.#leafShapes(item, 'coarse');
    return new Map(
      item.coarse.map(([group, record]) => [group, this.#read.records.body(record, COARSE_SLOT)]),
    );
  }

  #leafShapes({ polygons }: SurfaceItem, by: 'group' | 'coarse'): Shapes {
    const groups = new Map<number, PolygonOf[]>();
    for (const [member, polygon] of this.#placesOf(polygons)) {
      const number = this.#grouping.members[member]![by];
      const group = groups.get(number) ?? [];
      group.push({ body: this.#body(member), polygon });
      groups.set(number, group);
    }
    return new Map([...groups].sort(([a], [b]) => a - b).map(([number, all]) => [number, joined(all)]));
  }

  /** Items together with some `triangles` for all groups, each as many as its share; `error`: metres. */
  #simplified(items: readonly SurfaceItem[], triangles: number): { shapes: Shapes; error: number } {
    const all = items.map((item) => this.#coarseShapes(item));
    const groups = [...new Set(all.flatMap((shapes) => [...shapes.keys()]))].sort((a, b) => a - b);
    const whole = groups.map((group) => joined(all.flatMap((shapes) => polygonsOf(shapes.get(group)))));
    const positions = whole.reduce((sum, body) => sum + body.positions.length, 0);
    const shapes: Shapes = new Map();
    let error = 0;
    for (const [i, group] of groups.entries()) {
      const share = Math.ceil((triangles * whole[i]!.positions.length) / positions);
      const left = simplifyBody(this.#simplifier, whole[i]!, { error: FARTHEST, triangles: share });
      if (left === null) continue;
      shapes.set(group, left.body);
      error = Math.max(error, left.error);
    }
    return { shapes, error };
  }

  /** Members and numbers in their bodies of polygons, which ascend. */
  *#placesOf(polygons: Uint32Array): Generator<[member: number, polygon: number]> {
    let member = 0;
    for (const polygon of polygons) {
      while (this.#firsts[member + 1]! <= polygon) member++;
      yield [member, polygon - this.#firsts[member]!];
    }
  }

  #body(member: number): Body {
    let body = this.#bodies.get(member);
    if (body === undefined) {
      const { facts, lod } = this.#grouping.members[member]!;
      body = this.#read.records.body(facts.record, lod);
      this.#bodies.set(member, body);
    }
    return body;
  }
}

function positionsOf(body: Body, polygon: number): [from: number, to: number] {
  const first = body.polygonEnds[polygon - 1] ?? 0;
  return [body.ringEnds[first - 1] ?? 0, body.ringEnds[body.polygonEnds[polygon]! - 1]!];
}

function polygonsOf(body: Body | undefined): PolygonOf[] {
  if (body === undefined) return [];
  return Array.from(body.polygonEnds, (_, polygon) => ({ body, polygon }));
}

function unionOf(boxes: readonly Box[]): Box {
  return {
    west: Math.min(...boxes.map(({ west }) => west)),
    south: Math.min(...boxes.map(({ south }) => south)),
    east: Math.max(...boxes.map(({ east }) => east)),
    north: Math.max(...boxes.map(({ north }) => north)),
    low: Math.min(...boxes.map(({ low }) => low)),
    high: Math.max(...boxes.map(({ high }) => high)),
  };
}

function placed(box: Box): PlacedItem {
  const [lng, lat] = [(box.west + box.east) / 2, (box.south + box.north) / 2];
  return { id: '', lng, lat, diagonal: diagonalOf(box), bytes: 0, vertices: 0, pixels: 0, box };
}

/** Polygons of several bodies as one. */
function joined(parts: readonly PolygonOf[]): Body {
  const positions: Float64Array[] = [];
  const [ringEnds, polygonEnds]: [number[], number[]] = [[], []];
  let count = 0;
  for (const { body, polygon } of parts) {
    const [from, to] = positionsOf(body, polygon);
    positions.push(body.positions.subarray(3 * from, 3 * to));
    for (let ring = body.polygonEnds[polygon - 1] ?? 0; ring < body.polygonEnds[polygon]!; ring++) {
      ringEnds.push(count + body.ringEnds[ring]! - from);
    }
    count += to - from;
    polygonEnds.push(ringEnds.length);
  }
  const all = new Float64Array(3 * count);
  let at = 0;
  for (const part of positions) {
    all.set(part, at);
    at += part.length;
  }
  return bodyOfPolygons(all, Uint32Array.from(ringEnds), Uint32Array.from(polygonEnds), true);
}
