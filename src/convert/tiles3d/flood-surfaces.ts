/** Depths of water as surfaces: polygons of one rank together, whatever feature of the file they belong to. */
import { LRUCache } from 'lru-cache';
import type { Bounds } from '../../geo/bounds.ts';
import type { Body } from '../read/bodies.ts';
import type { Column } from '../read/columns.ts';
import type { FeatureHead } from '../read/pack-head.ts';
import type { GmlRecords } from '../read/read-records.ts';
import { type PolygonList, planSurface, type SurfaceNode } from '../tree/plan-surface.ts';
import type { TreeNode } from '../tree/plan-tree.ts';
import { type Box, boundsOfPlaces, diagonalOf } from '../tree/region.ts';
import { depthColour } from './depth-colours.ts';
import { type Look, PLAIN_POLYGON } from './look.ts';
import type { ShownFeature } from './tile-model.ts';
import type { PlacedItem, TileContent } from './write-tree.ts';

/** Levels of detail that depths have. */
const LOD = 1;
/** Positions of bodies that are kept decoded: 24 bytes each. */
const KEPT_POSITIONS = 2_000_000;
/** What belongs to one feature, not to all of a rank. */
const OF_ONE = new Set(['gml_id', 'meshcode']);

/** The polygons of one tile. */
export interface FloodItem extends PlacedItem {
  polygons: Uint32Array;
}

export class FloodSurfaces {
  readonly #read: GmlRecords;
  readonly #list: PolygonList;
  /** Record and number in its body of each polygon. */
  readonly #records: Uint32Array;
  readonly #numbers: Uint32Array;
  readonly #bodies: LRUCache<number, Body>;
  /** Ranks, ascending by code, with what their features have in common. */
  readonly #ranks = new Map<string, FeatureHead>();
  readonly #rankOf = new Map<number, string>();

  constructor(read: GmlRecords) {
    this.#read = read;
    this.#bodies = new LRUCache({
      maxSize: KEPT_POSITIONS,
      sizeCalculation: ({ positions }) => Math.max(1, positions.length / 3),
    });
    const features = read.features.filter(({ bodies }) => bodies[LOD] != null);
    const count = features.reduce((sum, { bodies }) => sum + bodies[LOD]!.polygons, 0);
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

  /** A tree whose leaves show everything; null without polygons. */
  plan(cell: Bounds): TreeNode<FloodItem> | null {
    return this.#list.count === 0 ? null : this.#node(planSurface(this.#list, cell));
  }

  /** What a tile shows: a feature for each rank, coloured by its depth. */
  content(node: TreeNode<FloodItem>): TileContent {
    const byRank = new Map<string, Array<{ body: Body; polygon: number }>>();
    for (const polygon of node.items.flatMap((item) => [...item.polygons])) {
      const record = this.#records[polygon]!;
      const rank = this.#rankOf.get(record)!;
      const entry = { body: this.#body(record), polygon: this.#numbers[polygon]! };
      const group = byRank.get(rank);
      if (group === undefined) byRank.set(rank, [entry]);
      else group.push(entry);
    }
    const ranks = [...byRank.keys()].sort();
    const features = ranks.map(
      (rank): ShownFeature => ({ head: this.#ranks.get(rank)!, body: joined(byRank.get(rank)!), lod: LOD }),
    );
    return { features, look: new DepthLook(features), error: 0.0085, uvError: 0 };
  }

  #node({ polygons, children }: SurfaceNode): TreeNode<FloodItem> {
    const below = children.map((child) => this.#node(child));
    if (below.length > 0) {
      // Nothing can stand for surfaces from afar: a tile without content that is always refined in view.
      const error = below.reduce(
        (sum, child) => Math.max(sum, child.geometricError, 2 * (child.items[0]?.diagonal ?? 0)),
        0,
      );
      return { items: [], children: below, geometricError: error };
    }
    return { items: [this.#item(polygons)], children: [], geometricError: 0 };
  }

  #item(polygons: Uint32Array): FloodItem {
    const box: Box = { west: 180, south: 90, east: -180, north: -90, low: Infinity, high: -Infinity };
    let vertices = 0;
    for (const polygon of polygons) {
      const body = this.#body(this.#records[polygon]!);
      const [from, to] = positionsOf(body, this.#numbers[polygon]!);
      vertices += to - from;
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
    const [lng, lat] = [(box.west + box.east) / 2, (box.south + box.north) / 2];
    return { id: '', lng, lat, diagonal: diagonalOf(box), bytes: 0, vertices, pixels: 0, box, polygons };
  }

  #body(record: number): Body {
    let body = this.#bodies.get(record);
    if (body === undefined) {
      body = this.#read.records.body(record, LOD);
      this.#bodies.set(record, body);
    }
    return body;
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

/** Polygons of several bodies as one. */
function joined(parts: ReadonlyArray<{ body: Body; polygon: number }>): Body {
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
  return {
    positions: all,
    ringEnds: Uint32Array.from(ringEnds),
    polygonEnds: Uint32Array.from(polygonEnds),
    roles: new Uint8Array(polygonEnds.length),
    ringKeys: new Float64Array(ringEnds.length),
    ringWritten: new Uint32Array(ringEnds.length),
    written: null,
    surfaceKeys: new Float64Array(3 * polygonEnds.length),
  };
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
