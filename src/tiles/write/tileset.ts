/**
 * A tileset with refinement by addition: a tile shows its largest items, its four children the rest, by place.
 * 3D Tiles 1.0 with b3dm, or 1.1 with GLB and a property table.
 */
import type { Vec3 } from '../../geo/ecef.ts';
import { earthFrame, type GeodeticPoint, localFrame, type TileFrame, toRadians } from './frame.ts';
import type { PropertyColumn } from './glb.ts';
import { writeB3dm, writeGlb } from './glb.ts';
import type { TileItem } from './mesh.ts';
import { primitivesOf } from './mesh.ts';

export interface TilesetOptions {
  version: '1.0' | '1.1';
  /**
   * Kind of every bounding volume. Regions and boxes stand under a root transform (which boxes need and regions
   * ignore), spheres in ECEF without one.
   */
  volume: 'region' | 'box' | 'sphere';
  /** Class of the property table, 1.1 only. */
  className: string;
}

/** Items that one tile shows at most. */
const TILE_ITEMS = 24;
/** Metres that volumes are wider than the exact coordinates, because vertices are rounded to 32 bits. */
const MARGIN = 0.02;
/** Metres to a degree of latitude, roughly: sizes of items are compared, not measured. */
const METRES_PER_DEGREE = 111_000;

/** An item with its largest side in metres and its middle in degrees. */
interface PlacedItem extends TileItem {
  size: number;
  centre: readonly [lng: number, lat: number];
}

/** South-west-low and north-east-high corners: local metres, degrees, or radians and metres for regions. */
interface Extent3 {
  low: Vec3;
  high: Vec3;
}

interface TileNode {
  content: PlacedItem[];
  children: TileNode[];
  /** Metres of detail that is missing while the children are not shown. */
  geometricError: number;
  contentExtent: Extent3;
  extent: Extent3;
  contentSphere: Sphere;
  sphere: Sphere;
}

interface Sphere {
  center: Vec3;
  radius: number;
}

/** `tileset.json` and its contents. Every item has the same properties, in the same order. */
export function* writeTileset(
  items: readonly TileItem[],
  options: TilesetOptions,
): Generator<{ path: string; bytes: Uint8Array }> {
  const extent = extentOf(items, asDegrees);
  const [lng, lat] = middleOf(extent);
  const middle: GeodeticPoint = [lng, lat, extent.low[2]];
  const frame = options.volume === 'sphere' ? earthFrame(middle) : localFrame(middle);
  const coordinates = options.volume === 'region' ? toRadians : frame.toLocal;
  // One for the whole tileset, so that no volume sticks out of one that it shares an edge with.
  const farthest = Math.max(Math.abs(extent.low[1]), Math.abs(extent.high[1]));
  const marginAngle = MARGIN / 6_378_000 / Math.cos((farthest * Math.PI) / 180);
  const volumes: Volumes = { kind: options.volume, frame, marginAngle };
  const root = buildNode(items.map(placed), coordinates);
  const contents: TileItem[][] = [];
  const tile = (node: TileNode): object => {
    const inner = node.children.length > 0;
    // Common checkers misjudge boxes in boxes under a tile's own transform, so the root's content has no box.
    const tight = inner && !(node === root && options.volume === 'box');
    contents.push(node.content);
    const name = `data/data${contents.length - 1}.${options.version === '1.0' ? 'b3dm' : 'glb'}`;
    return {
      boundingVolume: volumeOf(node.extent, node.sphere, volumes),
      geometricError: round(node.geometricError),
      refine: 'ADD',
      content: {
        ...(tight ? { boundingVolume: volumeOf(node.contentExtent, node.contentSphere, volumes) } : {}),
        uri: name,
      },
      ...(inner ? { children: node.children.map(tile) } : {}),
    };
  };
  const rootTile = tile(root);
  const largest = Math.max(root.geometricError, ...root.content.map(({ size }) => size));
  const tileset = {
    asset: { version: options.version },
    ...(options.version === '1.0' ? { properties: numericExtremes(items) } : {}),
    geometricError: round(largest + 1),
    root: { ...(frame.transform === null ? {} : { transform: frame.transform }), ...rootTile },
  };
  yield { path: 'tileset.json', bytes: new TextEncoder().encode(`${JSON.stringify(tileset, null, 1)}\n`) };
  for (const [i, content] of contents.entries()) {
    const primitives = primitivesOf(content, frame);
    if (options.version === '1.1') {
      const table = { className: options.className, count: content.length, columns: columnsOf(content) };
      yield {
        path: `data/data${i}.glb`,
        bytes: writeGlb(primitives, { featureIdAttribute: '_FEATURE_ID_0', table }),
      };
    } else {
      const glb = writeGlb(primitives, { featureIdAttribute: '_BATCHID', table: null });
      const center = frame.transform === null ? frame.origin : null;
      yield {
        path: `data/data${i}.b3dm`,
        bytes: writeB3dm(glb, content.length, batchTableOf(content), center),
      };
    }
  }
}

function buildNode(items: readonly PlacedItem[], coordinates: (point: GeodeticPoint) => Vec3): TileNode {
  const bySize = [...items].sort((a, b) => b.size - a.size);
  const split = items.length > TILE_ITEMS;
  const content = split ? bySize.slice(0, TILE_ITEMS / 2) : bySize;
  const rest = split ? bySize.slice(TILE_ITEMS / 2) : [];
  const children = quarters(rest).map((quarter) => buildNode(quarter, coordinates));
  const contentExtent = extentOf(content, coordinates);
  const contentSphere = sphereAround(contentExtent, content, coordinates);
  const extent = children.reduce((sum, child) => unionExtent(sum, child.extent), contentExtent);
  const center = middleOf(extent);
  const radius = Math.max(
    ...[contentSphere, ...children.map((child) => child.sphere)].map(
      (inner) => Math.hypot(...inner.center.map((value, i) => value - center[i]!)) + inner.radius,
    ),
  );
  const sphere = children.length === 0 ? contentSphere : { center, radius: radius + MARGIN };
  const missing = children.map((child) =>
    Math.max(child.geometricError + 1, ...child.content.map(({ size }) => size)),
  );
  return {
    content,
    children,
    geometricError: Math.max(0, ...missing),
    contentExtent,
    extent,
    contentSphere,
    sphere,
  };
}

/** Up to four groups of about the same number, by halves west and east, then south and north. */
function quarters(items: PlacedItem[]): PlacedItem[][] {
  const halves = (list: PlacedItem[], axis: 0 | 1): PlacedItem[][] => {
    const sorted = [...list].sort((a, b) => a.centre[axis] - b.centre[axis]);
    const half = Math.ceil(sorted.length / 2);
    return [sorted.slice(0, half), sorted.slice(half)].filter((group) => group.length > 0);
  };
  return items.length === 0 ? [] : halves(items, 0).flatMap((half) => halves(half, 1));
}

function* pointsOf(item: TileItem): Generator<GeodeticPoint> {
  for (const { rings } of item.patches) for (const ring of rings) yield* ring;
}

const asDegrees = ([lng, lat, height]: GeodeticPoint): Vec3 => [lng, lat, height];

function placed(item: TileItem): PlacedItem {
  const extent = extentOf([item], asDegrees);
  const { low, high } = extent;
  const [lng, lat] = middleOf(extent);
  const perLng = METRES_PER_DEGREE * Math.cos((lat * Math.PI) / 180);
  const sides = [(high[0] - low[0]) * perLng, (high[1] - low[1]) * METRES_PER_DEGREE, high[2] - low[2]];
  return { ...item, size: Math.max(...sides), centre: [lng, lat] };
}

function extentOf(items: readonly TileItem[], coordinates: (point: GeodeticPoint) => Vec3): Extent3 {
  const low: Vec3 = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  const high: Vec3 = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const item of items) {
    for (const point of pointsOf(item)) {
      for (const [i, value] of coordinates(point).entries()) {
        low[i] = Math.min(low[i]!, value);
        high[i] = Math.max(high[i]!, value);
      }
    }
  }
  return { low, high };
}

function unionExtent(a: Extent3, b: Extent3): Extent3 {
  return {
    low: a.low.map((value, i) => Math.min(value, b.low[i]!)) as Vec3,
    high: a.high.map((value, i) => Math.max(value, b.high[i]!)) as Vec3,
  };
}

function middleOf({ low, high }: Extent3): Vec3 {
  return low.map((value, i) => (value + high[i]!) / 2) as Vec3;
}

function sphereAround(
  extent: Extent3,
  items: readonly TileItem[],
  coordinates: (point: GeodeticPoint) => Vec3,
): Sphere {
  const center = middleOf(extent);
  let radius = 0;
  for (const item of items) {
    for (const point of pointsOf(item)) {
      radius = Math.max(radius, Math.hypot(...coordinates(point).map((value, i) => value - center[i]!)));
    }
  }
  return { center, radius: radius + MARGIN };
}

interface Volumes {
  kind: TilesetOptions['volume'];
  frame: TileFrame;
  /** `MARGIN` in radians of longitude. */
  marginAngle: number;
}

/** 3D Tiles 1.1, section 6.7.2.2. */
function volumeOf({ low, high }: Extent3, sphere: Sphere, { kind, frame, marginAngle }: Volumes): object {
  if (kind === 'sphere') {
    return { sphere: [...sphere.center.map((value, i) => value + frame.origin[i]!), sphere.radius] };
  }
  if (kind === 'region') {
    const margin: Vec3 = [marginAngle, marginAngle, MARGIN];
    const [west, south, bottom] = low.map((value, i) => value - margin[i]!) as Vec3;
    const [east, north, top] = high.map((value, i) => value + margin[i]!) as Vec3;
    return { region: [west, south, east, north, bottom, top] };
  }
  const half = low.map((value, i) => (high[i]! - value) / 2 + MARGIN) as Vec3;
  return { box: [...middleOf({ low, high }), half[0], 0, 0, 0, half[1], 0, 0, 0, half[2]] };
}

function batchTableOf(items: readonly TileItem[]): Record<string, unknown[]> {
  const names = Object.keys(items[0]!.properties);
  return Object.fromEntries(names.map((name) => [name, items.map((item) => item.properties[name]!)]));
}

/** Whole numbers from 0 to 65,535 become UINT16, other numbers FLOAT32 with -9999 for unknown. */
function columnsOf(items: readonly TileItem[]): PropertyColumn[] {
  return Object.entries(batchTableOf(items)).map(([name, values]) => {
    const column = { id: name.replaceAll(/\W/g, '_'), name };
    if (values.every((value) => typeof value === 'string')) return { ...column, values };
    const numbers = values as number[];
    const isWhole = /(?:Ground|Construction)$/.test(name);
    return { ...column, values: isWhole ? { uint16: numbers } : { float32: numbers, noData: -9999 } };
  });
}

/** `properties` of a 1.0 tileset: the numeric ones with their extremes (3D Tiles 1.0, section 9.3). */
function numericExtremes(items: readonly TileItem[]): Record<string, { minimum: number; maximum: number }> {
  const extremes: Record<string, { minimum: number; maximum: number }> = {};
  for (const { properties } of items) {
    for (const [name, value] of Object.entries(properties)) {
      if (typeof value !== 'number') continue;
      const range = extremes[name] ?? { minimum: value, maximum: value };
      extremes[name] = { minimum: Math.min(range.minimum, value), maximum: Math.max(range.maximum, value) };
    }
  }
  return extremes;
}

function round(metres: number): number {
  return Math.round(metres * 1000) / 1000;
}
