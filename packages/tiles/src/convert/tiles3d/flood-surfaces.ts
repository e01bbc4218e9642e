/** Depths of water as surfaces: polygons of one rank together, whatever feature of the file they belong to. */

import { compareTexts } from '@citymodel/base';
import type { Bounds } from '@citymodel/geo';
import { LRUCache } from 'lru-cache';
import { type Simplifier, simplifyBody } from '../mesh/simplify.ts';
import { type Body, bodyOfPolygons } from '../read/bodies.ts';
import type { Column } from '../read/column.ts';
import type { FeatureHead } from '../read/pack-head.ts';
import type { GmlRecords } from '../read/read-records.ts';
import { depthColour } from './depth-colours.ts';
import { type Look, PLAIN_POLYGON } from './look.ts';
import { FLOOD_LOD } from './outputs.ts';
import type { OverviewFeature } from './overview.ts';
import type { ShownFeature } from './tile-model.ts';
import { type PolygonList, planSurface, type SurfaceNode } from './tree/plan-surface.ts';
import type { TreeNode } from './tree/plan-tree.ts';
import { type Box, boundsOfPlaces, diagonalOf } from './tree/region.ts';
import { type PlacedItem, positionError, type TileContent } from './write-tree.ts';

/** Positions of bodies that are kept decoded: 24 bytes each. */
const KEPT_POSITIONS = 2_000_000;
/** What belongs to one feature, not to all of a rank. */
const OF_ONE = new Set(['gml_id', 'meshcode']);

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

/** What one tile shows. */
export interface FloodItem extends PlacedItem {
  /** Of a leaf. */
  polygons: Uint32Array;
  /** Of a tile above the leaves: ranks, ascending, with the record of the simplified surface of each. */
  coarse: ReadonlyArray<readonly [rank: string, record: number]>;
  /** How far surfaces are from those of the data, metres. */
  error: number;
}

interface PolygonOf {
  body: Body;
  polygon: number;
}

export class FloodSurfaces {
  readonly #read: GmlRecords;
  readonly #simplifier: Simplifier;
  readonly #list: PolygonList;
  /** Record and number in its body of each polygon. */
  readonly #records: Uint32Array;
  readonly #numbers: Uint32Array;
  readonly #bodies: LRUCache<number, Body>;
  /** Ranks, ascending by code, with what their features have in common. */
  readonly #ranks = new Map<string, FeatureHead>();
  readonly #rankOf = new Map<number, string>();

  constructor(read: GmlRecords, simplifier: Simplifier) {
    this.#read = read;
    this.#simplifier = simplifier;
    this.#bodies = new LRUCache({
      maxSize: KEPT_POSITIONS,
      sizeCalculation: ({ positions }) => Math.max(1, positions.length / 3),
    });
    const features = read.features.filter(({ bodies }) => bodies[FLOOD_LOD] != null);
    const count = features.reduce((sum, { bodies }) => sum + bodies[FLOOD_LOD]!.polygons, 0);
    const list = {
      lng: new Float64Array(count),
      lat: new Float64Array(count),
      positions: new Uint32Array(count),
      count,
    };
    this.#list = list;
    this.#records = new Uint32Array(count);
    this.#numbers = new Uint32Array(count);
    let at = 0;
    for (const { record } of features) {
      this.#addRank(record);
      const body = this.#body(record);
      for (let polygon = 0; polygon < body.polygonEnds.length; polygon++) {
        const [from, to] = positionsOf(body, polygon);
        for (let i = from; i < to; i++) {
          list.lng[at]! += body.positions[3 * i]! / (to - from);
          list.lat[at]! += body.positions[3 * i + 1]! / (to - from);
        }
        list.positions[at] = to - from;
        this.#records[at] = record;
        this.#numbers[at++] = polygon;
      }
    }
  }

  /** Around the middles of all polygons. */
  get bounds(): Bounds {
    const { lng, lat, count } = this.#list;
    const places = function* () {
      for (let i = 0; i < count; i++) yield { lng: lng[i]!, lat: lat[i]! };
    };
    return boundsOfPlaces(places());
  }

  /**
   * A tree whose leaves show everything, and tiles above them all of it with fewer triangles; null without polygons.
   */
  plan(cell: Bounds): TreeNode<FloodItem> | null {
    return this.#list.count === 0 ? null : this.#node(planSurface(this.#list, cell));
  }

  /** What a tile shows: a feature for each rank, coloured by its depth. */
  content({ items }: TreeNode<FloodItem>): TileContent {
    const features = [...this.#shapes(items[0]!)].map(([rank, body]) => this.#feature(rank, body));
    return { features, look: new DepthLook(features), error: positionError(FLOOD_LOD), uvError: 0 };
  }

  /** What the overview of all files shows of this one. */
  overview({ items }: TreeNode<FloodItem>): OverviewFeature[] {
    const [item] = items;
    const { shapes, error } = this.#simplified([item!], OVERVIEW_TRIANGLES);
    const features = [...shapes].map(([rank, body]) => this.#feature(rank, body));
    const look = new DepthLook(features);
    return features.map((feature, i) => {
      const triangles = feature.body.polygonEnds.length;
      const { lng, lat, diagonal, box } = item!;
      const sizes = { bytes: 300 + 4 * triangles, vertices: triangles, pixels: 0 };
      return {
        ...feature,
        item: { id: feature.head.id, lng, lat, diagonal, box, ...sizes },
        colours: new Uint32Array(triangles).fill(look.of(i).colour),
        geometricError: PIXELS * (item!.error + error),
      };
    });
  }

  #feature(rank: string, body: Body): ShownFeature {
    return { head: this.#ranks.get(rank)!, body, lod: FLOOD_LOD, source: -1 };
  }

  #node({ polygons, children }: SurfaceNode): TreeNode<FloodItem> {
    if (children.length === 0) return { items: [this.#leaf(polygons)], children: [], geometricError: 0 };
    const below = children.map((child) => this.#node(child));
    const items = below.flatMap((child) => child.items);
    const { shapes, error } = this.#simplified(items, INNER_TRIANGLES);
    const coarse = [...shapes].map(([rank, body]): [string, number] => [
      rank,
      this.#read.records.append(this.#ranks.get(rank)!, [null, body]),
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

  #leaf(polygons: Uint32Array): FloodItem {
    const box: Box = { west: 180, south: 90, east: -180, north: -90, low: Infinity, high: -Infinity };
    for (const polygon of polygons) {
      const body = this.#body(this.#records[polygon]!);
      const [from, to] = positionsOf(body, this.#numbers[polygon]!);
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

  /** What an item shows of each rank, ranks ascending. */
  #shapes({ polygons, coarse }: FloodItem): Map<string, Body> {
    if (coarse.length > 0) {
      return new Map(coarse.map(([rank, record]) => [rank, this.#read.records.body(record, FLOOD_LOD)]));
    }
    const byRank = new Map<string, PolygonOf[]>();
    for (const polygon of polygons) {
      const record = this.#records[polygon]!;
      const rank = this.#rankOf.get(record)!;
      const group = byRank.get(rank) ?? [];
      group.push({ body: this.#body(record), polygon: this.#numbers[polygon]! });
      byRank.set(rank, group);
    }
    return new Map(
      [...byRank].sort(([a], [b]) => compareTexts(a, b)).map(([rank, all]) => [rank, joined(all)]),
    );
  }

  /** Items together with some `triangles` for all ranks, each as many as its share; `error`: metres. */
  #simplified(items: readonly FloodItem[], triangles: number): { shapes: Map<string, Body>; error: number } {
    const all = items.map((item) => this.#shapes(item));
    const ranks = [...new Set(all.flatMap((shapes) => [...shapes.keys()]))].sort();
    const whole = ranks.map((rank) => joined(all.flatMap((shapes) => polygonsOf(shapes.get(rank)))));
    const positions = whole.reduce((sum, body) => sum + body.positions.length, 0);
    const shapes = new Map<string, Body>();
    let error = 0;
    for (const [i, rank] of ranks.entries()) {
      const share = Math.ceil((triangles * whole[i]!.positions.length) / positions);
      const left = simplifyBody(this.#simplifier, whole[i]!, { error: FARTHEST, triangles: share });
      if (left === null) continue;
      shapes.set(rank, left.body);
      error = Math.max(error, left.error);
    }
    return { shapes, error };
  }

  #body(record: number): Body {
    let body = this.#bodies.get(record);
    if (body === undefined) {
      body = this.#read.records.body(record, FLOOD_LOD);
      this.#bodies.set(record, body);
    }
    return body;
  }

  /** Names of the columns of a record whose values the row of its rank has; null for one without a rank. */
  columnsOf(record: number): ReadonlySet<string> | null {
    const rank = this.#ranks.get(this.#rankOf.get(record) ?? '');
    if (rank === undefined) return null;
    const values = new Map(rank.columns.map(({ name, value }) => [name, value]));
    const own = shared(this.#read.records.head(record).columns);
    return new Set(own.filter(({ name, value }) => values.get(name) === value).map(({ name }) => name));
  }

  #addRank(record: number): void {
    const head = this.#read.records.head(record);
    const value = (name: string) => head.columns.find((column) => column.name === name)?.value;
    const rank = String(value('uro:rank_code') ?? value('uro:rank') ?? '').padStart(4, '0');
    this.#rankOf.set(record, rank);
    if (!this.#ranks.has(rank)) this.#ranks.set(rank, { ...head, id: rank, columns: shared(head.columns) });
  }
}

/** Columns of all features of a rank. */
function shared(columns: readonly Column[]): Column[] {
  return columns
    .filter(({ name }) => !OF_ONE.has(name))
    .map((column) => {
      if (column.name !== 'attributes') return column;
      const { 'gml:id': _id, _bbox, ...attributes } = JSON.parse(String(column.value));
      return { ...column, value: JSON.stringify(attributes) };
    });
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

class DepthLook implements Look {
  readonly images = [];
  readonly #colours: number[];

  constructor(features: readonly ShownFeature[]) {
    this.#colours = features.map(({ head }) =>
      depthColour(String(head.columns.find(({ name }) => name === 'uro:rank')?.value ?? '')),
    );
  }

  of(feature: number) {
    return { ...PLAIN_POLYGON, colour: this.#colours[feature]! };
  }
}
