/**
 * An invented country on real codes: which municipalities have packages, where they lie and how large they are.
 * Each prefecture lies around its capital, its municipalities side by side on a grid of third meshes; nothing
 * else about the places is true.
 */

import type { Bounds } from '../../packages/geo/src/bounds.ts';
import {
  AREAS,
  type Area,
  area,
  isSpecialWard,
  wardsOf,
} from '../../packages/server/src/catalogue/names/areas.ts';
import { Random } from './random.ts';

/** Degrees: a third mesh (JIS X 0410). */
export const MESH_WIDTH = 45 / 3600;
export const MESH_HEIGHT = 30 / 3600;

/** A part of a city that has tile packages of its own, or the whole city. */
export interface Quarter {
  code: string;
  name: string;
  bounds: Bounds;
}

export interface City extends Quarter {
  prefCode: string;
  pref: string;
  wards: Quarter[];
  /** South-west corner in third meshes, and size. */
  meshes: { column: number; row: number; columns: number; rows: number };
  /** Share of the country's files. */
  weight: number;
}

/** Longitude and latitude of the prefectures' capitals, degrees, by code from 01 to 47. */
const CAPITALS =
  '141.3 43.1,140.7 40.8,141.2 39.7,140.9 38.3,140.1 39.7,140.3 38.2,140.5 37.8,140.4 36.3,139.9 36.6,139.1 36.4,' +
  '139.6 35.9,140.1 35.6,139.7 35.7,139.6 35.4,139.0 37.9,137.2 36.7,136.6 36.6,136.2 36.1,138.6 35.7,138.2 36.7,' +
  '136.7 35.4,138.4 35.0,136.9 35.2,136.5 34.7,135.9 35.0,135.8 35.0,135.5 34.7,135.2 34.7,135.8 34.7,135.2 34.2,' +
  '134.2 35.5,133.1 35.5,133.9 34.7,132.5 34.4,131.5 34.2,134.6 34.1,134.0 34.3,132.8 33.8,133.5 33.6,130.4 33.6,' +
  '130.3 33.2,129.9 32.7,130.7 32.8,131.6 33.2,131.4 31.9,130.6 31.6,127.7 26.2';

/**
 * `count` cities, the same for the same seed: every designated city, 13100, and others by chance, in order of
 * code. Their weights add up to 1.
 */
export function inventCountry(seed: string, count: number): City[] {
  const random = new Random(`${seed}/country`);
  const municipalities = [...AREAS.values()].filter(
    (area) => area.kind === 'municipality' && !isSpecialWard(area.code),
  );
  const ranked = municipalities
    .map((area) => ({ each: area, rank: wardsOf(area.code).length > 0 ? -1 : random.next() }))
    .sort((a, b) => a.rank - b.rank)
    .slice(0, count)
    .map(({ each: area }) => area)
    .sort((a, b) => (a.code < b.code ? -1 : 1));
  const weights = ranked.map((area) => random.skewed() * (1 + wardsOf(area.code).length / 3));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const capitals = CAPITALS.split(',').map((pair) => pair.split(' ').map(Number) as [number, number]);
  const placed = new Map<string, number>();
  return ranked.map((ward, i) => {
    const prefecture = area(ward.parent!)!;
    const place = placed.get(prefecture.code) ?? 0;
    placed.set(prefecture.code, place + 1);
    const capital = capitals[Number(prefecture.code) - 1]!;
    return layOut(ward, prefecture, weights[i]! / total, capital, place);
  });
}

/** The n-th city of a prefecture, on a spiral of squares around the capital. */
function layOut(city: Area, prefecture: Area, weight: number, capital: [number, number], n: number): City {
  const side = Math.max(4, Math.round(Math.sqrt(weight * 40_000)));
  const [x, y] = spiral(n);
  const column = Math.round(capital[0] / MESH_WIDTH) + x * 16 - (side >> 1);
  const row = Math.round(capital[1] / MESH_HEIGHT) + y * 16 - (side >> 1);
  const meshes = { column, row, columns: side, rows: side };
  const wards = wardsOf(city.code);
  return {
    code: city.code,
    name: city.name,
    prefCode: prefecture.code,
    pref: prefecture.name,
    meshes,
    weight,
    bounds: meshBox(column, row, column + side, row + side),
    wards: wards.map((ward, i) => ({
      code: ward.code,
      name: ward.name,
      bounds: meshBox(
        column + Math.floor((i * side) / wards.length),
        row,
        column +
          Math.max(Math.floor((i * side) / wards.length) + 1, Math.floor(((i + 1) * side) / wards.length)),
        row + side,
      ),
    })),
  };
}

function meshBox(west: number, south: number, east: number, north: number): Bounds {
  return {
    west: west * MESH_WIDTH,
    south: south * MESH_HEIGHT,
    east: east * MESH_WIDTH,
    north: north * MESH_HEIGHT,
  };
}

/** Steps from the middle of a square spiral: 0 is the middle. */
function spiral(n: number): [number, number] {
  let [x, y, dx, dy] = [0, 0, 1, 0];
  for (let run = 1, left = 1, turns = 0; n > 0; n--) {
    x += dx;
    y += dy;
    if (--left === 0) {
      [dx, dy] = [-dy, dx];
      run += ++turns % 2 === 0 ? 1 : 0;
      left = run;
    }
  }
  return [x, y];
}
