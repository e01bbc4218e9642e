import { fromGeojsonVt } from '@maplibre/vt-pbf';

/** A layer of a test tile: points in tile units with their attributes. */
export interface TestLayer {
  points: Array<{ x: number; y: number; tags?: Record<string, string | number | boolean> }>;
}

/** Writes a vector tile of points (Vector Tile Specification 2.1). */
export function writeMvt(layers: Record<string, TestLayer>, extent = 4096): Uint8Array {
  const tiles = Object.entries(layers).map(([name, layer]) => [
    name,
    { features: layer.points.map(({ x, y, tags }) => ({ type: 1, geometry: [[x, y]], tags: tags ?? {} })) },
  ]);
  return fromGeojsonVt(Object.fromEntries(tiles), { version: 2, extent });
}
