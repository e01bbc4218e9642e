/**
 * Coordinate systems of the EPSG registry beside those of Japan. `scripts/make-epsg-table.ts` makes the table, which is
 * read when the first file names such a system.
 */
import { readFileSync } from 'node:fs';

/** Degrees; `west` is greater than `east` where the area reaches over 180°. */
export type AreaOfUse = readonly [west: number, south: number, east: number, north: number];

export interface RegisteredSystem {
  /** Definition for PROJ. */
  proj: string;
  /** Degrees in place of metres. */
  geographic: boolean;
  /**
   * Positions are northing, easting or latitude, longitude; false for the other order. By the registry, but for the
   * systems above.
   */
  northFirst: boolean;
  /** True for the systems above: neither order is odd. */
  eitherOrder: boolean;
  area: AreaOfUse;
  /** Numbers of a position; 3 with heights above the ellipsoid. */
  dimension: 2 | 3;
}

const COMPOUND = '+';
/**
 * Berlin's Soldner system, and the Gauss-Krüger systems of Germany: registered northing first, delivered easting first.
 */
const DELIVERED_EASTING_FIRST: ReadonlySet<number> = new Set([3_068, 31_466, 31_467, 31_468, 31_469]);
let table: Map<string, string> | null = null;

/** The system of a code; null where the table lacks it, and for a system of two. */
export function registeredSystem(code: number): RegisteredSystem | null {
  const row = rowOf(code);
  if (row === null || row[1] === COMPOUND) return null;
  const [, order, area, definition] = row;
  const eitherOrder = DELIVERED_EASTING_FIRST.has(code);
  const proj = `+${definition!.replaceAll(' ', ' +')} +no_defs`;
  return {
    proj,
    geographic: definition!.startsWith('proj=longlat'),
    northFirst: order!.startsWith('N') && !eitherOrder,
    eitherOrder,
    area: area!.split(' ').map(Number) as unknown as AreaOfUse,
    dimension: order!.endsWith('H') ? 3 : 2,
  };
}

/** The codes of the horizontal and the vertical part of a system of two; null for any other code. */
export function compoundOf(code: number): [horizontal: number, vertical: number] | null {
  const row = rowOf(code);
  return row?.[1] === COMPOUND ? (row[2]!.split(' ').map(Number) as [number, number]) : null;
}

function rowOf(code: number): string[] | null {
  table ??= readTable();
  return table.get(String(code))?.split('\t') ?? null;
}

function readTable(): Map<string, string> {
  const text = readFileSync(new URL('./data/epsg-systems.tsv', import.meta.url), 'utf8');
  return new Map(
    text
      .trimEnd()
      .split('\n')
      .map((row) => [row.slice(0, row.indexOf('\t')), row]),
  );
}
