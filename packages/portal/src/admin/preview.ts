/** Where a package lies and where findings are, as a drawing of meshes and dots. */
import { type Bounds, isMeshCode, meshBounds } from '@citymodel/geo';
import { unite } from '../core/area.ts';

/** Width of the drawing, its units. */
const WIDTH = 480;
/** A package may be a long strip. */
const HIGHEST = 480;
/** Part of the width that is free around it. */
const MARGIN = 0.04;

export interface Dot {
  x: number;
  y: number;
  title: string;
}

export interface Preview {
  width: number;
  height: number;
  meshes: Array<{ code: string; x: number; y: number; width: number; height: number }>;
  dots: Dot[];
}

/** A finding with a position. */
export interface Found {
  place: readonly [lng: number, lat: number];
  title: string;
}

/** The drawing; null where nothing says where it is. North is up, and a degree of longitude as long as it is there. */
export function previewOf(codes: readonly string[], found: readonly Found[]): Preview | null {
  const meshes = codes.filter(isMeshCode).map((code) => ({ code, box: meshBounds(code) }));
  const points = found.map(({ place: [lng, lat] }) => ({ west: lng, east: lng, south: lat, north: lat }));
  const boxes: Bounds[] = [...meshes.map(({ box }) => box), ...points];
  if (boxes.length === 0) return null;
  const all = boxes.reduce(unite);
  const shrink = Math.cos((((all.south + all.north) / 2) * Math.PI) / 180);
  // A single point has some streets around it.
  const wide = Math.max((all.east - all.west) * shrink, 0.002);
  const high = Math.max(all.north - all.south, 0.002);
  const scale = Math.min((WIDTH * (1 - 2 * MARGIN)) / wide, (HIGHEST * (1 - 2 * MARGIN)) / high);
  const edge = WIDTH * MARGIN;
  const x = (lng: number) => round(edge + (lng - all.west) * shrink * scale);
  const y = (lat: number) => round(edge + (all.north - lat) * scale);
  return {
    width: round(wide * scale + 2 * edge),
    height: round(high * scale + 2 * edge),
    meshes: meshes.map(({ code, box }) => ({
      code,
      x: x(box.west),
      y: y(box.north),
      width: round((box.east - box.west) * shrink * scale),
      height: round((box.north - box.south) * scale),
    })),
    dots: found.map(({ place: [lng, lat], title }) => ({ x: x(lng), y: y(lat), title })),
  };
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
