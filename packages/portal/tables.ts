/**
 * Tables that the page fetches when it first needs them, made at the build from what the project has already: land for
 * the map from afar and near, and names and places of all municipalities for search. `import url from 'virtual:land'`
 * gives the address of one.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FeatureCollection, MultiPolygon, Position } from 'geojson';
import { feature } from 'topojson-client';
import type { GeometryCollection, Topology } from 'topojson-specification';
import type { Plugin } from 'vite';
import { clipRing } from './src/map/clip-ring.ts';
import { COAST_STEPS, type Coasts } from './src/map/shores.ts';

const ROOT = join(import.meta.dirname, '../..');
/** What the map can show: Japan and its surroundings, degrees. */
const WINDOW = { west: 108, south: 14, east: 172, north: 60 };
/** Where coasts keep every point of the source; elsewhere they are for orientation alone. */
const JAPAN = { west: 122, south: 23.5, east: 149.5, north: 46.2 };
/** Islands that lie in it are in the table of coasts. */
const COASTS = { west: 122.8, south: 23.8, east: 149, north: 45.8 };
/** Neighbours that lie in it too, Korea and Russia, by boxes that hold no island of Japan. */
const ABROAD = [
  { west: 122, south: 33, east: 127.3, north: 43 },
  { west: 122, south: 33.9, east: 128.9, north: 43 },
  { west: 128, south: 34.75, east: 129.1, north: 43 },
  { west: 129, south: 35.05, east: 131.5, north: 46 },
  { west: 131, south: 41.8, east: 139, north: 46 },
  { west: 141, south: 45.6, east: 144, north: 46.5 },
];
/** Steps of a degree that coordinates are rounded to. */
const STEPS = 1_000;
/** Points of coasts outside of Japan that are nearer to each other are left out, degrees. */
const COARSE = 0.06;

type Box = typeof WINDOW;

const TABLES: Record<string, () => unknown> = { land: landTable, coast: coastTable, areas: areaTable };

/** A Vite plugin for `virtual:land`, `virtual:coast` and `virtual:areas`. */
export function tables(): Plugin {
  return {
    name: 'tables',
    resolveId: (id) => (id.startsWith('virtual:') && id.slice(8) in TABLES ? `\0${id}` : undefined),
    load(id) {
      if (!id.startsWith('\0virtual:')) return undefined;
      const name = id.slice('\0virtual:'.length);
      const source = JSON.stringify(TABLES[name]!());
      const reference = this.emitFile({ type: 'asset', name: `${name}.json`, source });
      return `export default import.meta.ROLLUP_FILE_URL_${reference};`;
    },
  };
}

/**
 * Land as GeoJSON, rounded to a hundred metres: first what `coastTable` has finer, then the rest. Borders are in none
 * of it.
 */
export function landTable(): FeatureCollection<MultiPolygon> {
  const topology = JSON.parse(
    readFileSync(join(ROOT, 'node_modules/world-atlas/land-10m.json'), 'utf8'),
  ) as Topology<{ land: GeometryCollection }>;
  const [fine, rest]: [Position[][][], Position[][][]] = [[], []];
  for (const { geometry } of feature(topology, topology.objects.land).features) {
    const polygons =
      geometry.type === 'MultiPolygon'
        ? geometry.coordinates
        : geometry.type === 'Polygon'
          ? [geometry.coordinates]
          : [];
    for (const polygon of polygons) {
      const rings = polygon.map((ring) => closed(thin(clipRing(ring as Position[], WINDOW))));
      if (rings[0]!.length < 4) continue;
      (isOfJapan(polygon[0] as Position[]) ? fine : rest).push(rings.filter((ring) => ring.length >= 4));
    }
  }
  return {
    type: 'FeatureCollection',
    features: [fine, rest].map((coordinates) => ({
      type: 'Feature',
      properties: {},
      geometry: { type: 'MultiPolygon', coordinates },
    })),
  };
}

/** Whether a ring is the coast of an island of Japan, which the table of coasts has: all of it lies there. */
export function isOfJapan(ring: readonly Position[]): boolean {
  const inside = ([x, y]: Position, { west, south, east, north }: Box) =>
    x! > west && x! < east && y! > south && y! < north;
  return ring.every((place) => inside(place, COASTS)) && !ABROAD.some((box) => inside(ring[0]!, box));
}

/**
 * Coasts of the islands of Japan and of its lakes, to some fifty metres, and of the land around as `landTable` has it;
 * `Shores` of the map reads them.
 */
export function coastTable(): Coasts {
  const { land, lakes } = JSON.parse(
    readFileSync(join(import.meta.dirname, 'data/coast.json'), 'utf8'),
  ) as Coasts;
  const [, around] = landTable().features;
  const rings = (isLake: boolean) =>
    around!.geometry.coordinates.flatMap((polygon) => (isLake ? polygon.slice(1) : polygon.slice(0, 1)));
  return {
    land: [...land, ...rings(false).map(stepsOf)],
    lakes: [...lakes, ...rings(true).map(stepsOf)],
  };
}

/** The first place of a closed ring, and the way from point to point. */
function stepsOf(ring: readonly Position[]): number[] {
  const steps: number[] = [];
  let [x, y] = [0, 0];
  for (const place of ring.slice(0, -1)) {
    const [east, north] = place.map((degrees) => Math.round(degrees * COAST_STEPS)) as [number, number];
    steps.push(east - x, north - y);
    [x, y] = [east, north];
  }
  return steps;
}

/** Code, name and reading of every prefecture, municipality and ward, and of municipalities longitude and latitude. */
export function areaTable(): Array<
  [code: string, name: string, reading: string, lng?: number, lat?: number]
> {
  const lines = (name: string) =>
    readFileSync(join(ROOT, 'packages/server/src/catalogue/names/data', name), 'utf8')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => line.split('\t'));
  const names = new Map(lines('areas.tsv').map(([code, name]) => [code!, name!]));
  const places = new Map(
    lines('area-places.tsv').map(([code, lng, lat]) => [code!, [Number(lng), Number(lat)] as const]),
  );
  return lines('area-readings.tsv').flatMap(([code, reading]) => {
    const name = names.get(code!);
    if (name === undefined) return [];
    const at = places.get(code!);
    return [at === undefined ? [code!, name, reading!] : [code!, name, reading!, ...at]];
  });
}

/** Leaves out points of foreign coasts that lie close to the one before, and with them islands of that size. */
function thin(ring: readonly Position[]): Position[] {
  const kept: Position[] = [];
  for (const point of ring) {
    const last = kept.at(-1);
    const isOurs =
      point[0]! > JAPAN.west && point[0]! < JAPAN.east && point[1]! > JAPAN.south && point[1]! < JAPAN.north;
    if (last !== undefined && !isOurs && Math.hypot(point[0]! - last[0]!, point[1]! - last[1]!) < COARSE)
      continue;
    kept.push(point);
  }
  return kept;
}

/** Rounded, and back to where it begins. */
function closed(ring: readonly Position[]): Position[] {
  const rounded = ring.map((point) => point.map((degrees) => Math.round(degrees * STEPS) / STEPS));
  const kept = rounded.filter((point, i) => i === 0 || String(point) !== String(rounded[i - 1]));
  if (kept.length > 0 && String(kept[0]) !== String(kept.at(-1))) kept.push(kept[0]!);
  return kept;
}
