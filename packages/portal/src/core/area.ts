/**
 * The area of a basket, as the address bar holds it: `b:west,south,east,north` a box, `p:lng,lat;lng,lat;…` a polygon,
 * `m:code,code` meshes, `g:name` a prefecture or another place by its name, or five digits for a municipality. Degrees
 * throughout, longitude first.
 */
import { type Bounds, isMeshCode, meshBounds } from '@citymodel/geo';

export type Position = readonly [lng: number, lat: number];

export type Area =
  | { kind: 'box'; bounds: Bounds }
  | { kind: 'polygon'; ring: Position[] }
  | { kind: 'meshes'; codes: string[] }
  | { kind: 'city'; code: string }
  | { kind: 'place'; name: string };

/** Reads an area; null for a text that is none. */
export function parseArea(text: string): Area | null {
  const [kind, rest = ''] = splitOnce(text, ':');
  if (/^\d{5}$/.test(text)) return { kind: 'city', code: text };
  if (kind === 'b') {
    const numbers = rest.split(',').map(Number);
    const [west, south, east, north] = numbers;
    if (numbers.length !== 4 || !numbers.every(Number.isFinite)) return null;
    return west! < east! && south! < north!
      ? { kind: 'box', bounds: { west: west!, south: south!, east: east!, north: north! } }
      : null;
  }
  if (kind === 'p') {
    const ring = rest.split(';').map((pair) => pair.split(',').map(Number));
    if (ring.length < 3 || !ring.every((p) => p.length === 2 && p.every(Number.isFinite))) return null;
    return { kind: 'polygon', ring: ring as unknown as Position[] };
  }
  if (kind === 'g') return rest.trim() === '' || rest.includes('~') ? null : { kind: 'place', name: rest };
  if (kind === 'm') {
    const codes = [...new Set(rest.split(',').filter((code) => code !== ''))];
    return codes.length > 0 && codes.every(isMeshCode) ? { kind: 'meshes', codes } : null;
  }
  return null;
}

/** Writes an area; coordinates to about 10 cm. */
export function formatArea(area: Area): string {
  switch (area.kind) {
    case 'box': {
      const { west, south, east, north } = area.bounds;
      return `b:${[west, south, east, north].map(round).join(',')}`;
    }
    case 'polygon':
      return `p:${area.ring.map(([lng, lat]) => `${round(lng)},${round(lat)}`).join(';')}`;
    case 'meshes':
      return `m:${area.codes.join(',')}`;
    case 'city':
      return area.code;
    case 'place':
      return `g:${area.name}`;
  }
}

/** The smallest box around an area; null for a municipality or a place, whose extent the catalogue knows. */
export function areaBounds(area: Area): Bounds | null {
  if (area.kind === 'box') return area.bounds;
  if (area.kind === 'polygon') return boundsOf(area.ring);
  if (area.kind === 'city' || area.kind === 'place') return null;
  return area.codes.map(meshBounds).reduce(unite);
}

/** The condition of operation 7 that finds the files of an area, and perhaps some around it. */
export function areaCondition(area: Area): string {
  if (area.kind === 'meshes') return `m:${area.codes.join(',')}`;
  if (area.kind === 'city' || area.kind === 'place') return formatArea(area);
  const { west, south, east, north } = areaBounds(area)!;
  return `r:${[west, south, east, north].map(round).join(',')}`;
}

/** True when a file's extent meets the area; operation 7 has decided already unless the area is a polygon. */
export function areaMeets(area: Area, file: Bounds): boolean {
  return area.kind !== 'polygon' || polygonMeetsBox(area.ring, file);
}

/** True when a polygon and a box share a point: a corner of one lies in the other, or edges cross. */
export function polygonMeetsBox(ring: readonly Position[], box: Bounds): boolean {
  const corners: Position[] = [
    [box.west, box.south],
    [box.east, box.south],
    [box.east, box.north],
    [box.west, box.north],
  ];
  const inBox = ([lng, lat]: Position) =>
    lng >= box.west && lng <= box.east && lat >= box.south && lat <= box.north;
  if (ring.some(inBox) || corners.some((corner) => contains(ring, corner))) return true;
  return edges(ring).some(([a, b]) => edges(corners).some(([c, d]) => crosses(a, b, c, d)));
}

/** Even-odd rule. */
export function contains(ring: readonly Position[], [lng, lat]: Position): boolean {
  let inside = false;
  for (const [[x1, y1], [x2, y2]] of edges(ring)) {
    if (y1 > lat !== y2 > lat && lng < ((x2 - x1) * (lat - y1)) / (y2 - y1) + x1) inside = !inside;
  }
  return inside;
}

/** The corners of an area that is being drawn. */
export function areaCorners(area: Area): readonly Position[] {
  if (area.kind === 'polygon') return area.ring;
  return area.kind === 'box' ? boxRing(area.bounds).slice(0, 4) : [];
}

/** Square kilometres of an area; null for a municipality or a place. */
export function areaSize(area: Area): number | null {
  if (area.kind === 'city' || area.kind === 'place') return null;
  const size = areaRings(area).reduce((sum, ring) => sum + Math.abs(ringSize(ring)), 0);
  return size;
}

/** Of a closed ring on a sphere, by the plane that touches it in its middle. */
function ringSize(ring: readonly Position[]): number {
  const middle = ring.reduce((sum, [, lat]) => sum + lat, 0) / ring.length;
  const [x, y] = [111.32 * Math.cos((middle * Math.PI) / 180), 110.95];
  const doubled = edges(ring).reduce((sum, [[ax, ay], [bx, by]]) => sum + (ax * by - bx * ay) * x * y, 0);
  return doubled / 2;
}

/** The closed outline of an area for drawing. */
export function areaRings(area: Area): Position[][] {
  // Of a polygon that is being drawn there may be one corner or two.
  if (area.kind === 'polygon') return area.ring.length < 2 ? [] : [[...area.ring, area.ring[0]!]];
  if (area.kind === 'box') return [boxRing(area.bounds)];
  return area.kind === 'meshes' ? area.codes.map((code) => boxRing(meshBounds(code))) : [];
}

/** A box as a closed ring, counter-clockwise. */
export function boxRing({ west, south, east, north }: Bounds): Position[] {
  return [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ];
}

/** The smallest box around both. */
export function unite(a: Bounds, b: Bounds): Bounds {
  return {
    west: Math.min(a.west, b.west),
    south: Math.min(a.south, b.south),
    east: Math.max(a.east, b.east),
    north: Math.max(a.north, b.north),
  };
}

function boundsOf(ring: readonly Position[]): Bounds {
  const lngs = ring.map(([lng]) => lng);
  const lats = ring.map(([, lat]) => lat);
  return {
    west: Math.min(...lngs),
    south: Math.min(...lats),
    east: Math.max(...lngs),
    north: Math.max(...lats),
  };
}

function edges(ring: readonly Position[]): Array<[Position, Position]> {
  return ring.map((point, i) => [point, ring[(i + 1) % ring.length]!]);
}

function crosses(a: Position, b: Position, c: Position, d: Position): boolean {
  const side = (p: Position, q: Position, r: Position) =>
    Math.sign((q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]));
  return side(a, b, c) !== side(a, b, d) && side(c, d, a) !== side(c, d, b);
}

function round(degrees: number): number {
  return Math.round(degrees * 1e6) / 1e6;
}

function splitOnce(text: string, separator: string): [string, string?] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
