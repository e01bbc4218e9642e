import { quoted } from '@citymodel/base';
import { type Bounds, boundsIntersect } from './bounds.ts';

/*
 * Regional mesh codes (JIS X 0410). A code names a cell of a grid over longitude 100 to 180 degrees east and latitude 0
 * to 66 2/3 degrees north. Each longer code divides the cell of its shorter one: a mesh lies in another exactly when
 * its code starts with the other's code.
 *
 *   digits  name          cell (lat × lng)      per degree of lat, lng
 *   4       1st           40' × 1°              1.5, 1
 *   6       2nd           5' × 7'30"            12, 8
 *   8       3rd           30" × 45"             120, 80
 *   9       half          15" × 22.5"           240, 160
 *   10      quarter       7.5" × 11.25"         480, 320
 *   11      eighth        3.75" × 5.625"        960, 640
 *
 * Rows and columns are counted in whole cells from (0° N, 100° E). A cell holds the points with `edge(row) <= latitude
 * < edge(row + 1)`, where an edge is the double nearest to the exact quotient. So the corner that `meshBounds` gives
 * lies in the mesh that `meshOf` finds for it.
 */

/** Number of digits of a mesh code. */
export type MeshDigits = 4 | 6 | 8 | 9 | 10 | 11;

/** Every length that a mesh code has, coarsest first. */
export const MESH_DIGITS: readonly MeshDigits[] = [4, 6, 8, 9, 10, 11];

/** Cells along one side of a 1st mesh. */
const DIVISIONS: Record<MeshDigits, number> = { 4: 1, 6: 8, 8: 80, 9: 160, 10: 320, 11: 640 };

/** 1st meshes from the equator to the north, and from 100° E to the antimeridian. */
const FIRST_ROWS = 100;
const FIRST_COLUMNS = 80;

const GRID: Bounds = { west: 100, south: 0, east: 100 + FIRST_COLUMNS, north: FIRST_ROWS / 1.5 };

const PATTERN = /^\d{2}[0-7]\d(?:[0-7]{2}(?:\d{2}[1-4]{0,3})?)?$/;

/** True for a mesh code of 4, 6, 8, 9, 10 or 11 digits, each in its range, inside the grid of the standard. */
export function isMeshCode(text: string): boolean {
  return PATTERN.test(text);
}

/**
 * The cell of a mesh code. Throws a RangeError that says what is wrong with a text that is none.
 *
 * @example meshBounds('53394509') // { west: 139.6125, south: 35.666…, east: 139.625, north: 35.675 }
 */
export function meshBounds(code: string): Bounds {
  const { digits, row, column } = cellOf(code);
  return cellBounds(digits, row, column);
}

/**
 * The mesh that holds a point. South and west edges belong to a mesh, north and east edges to its neighbours.
 *
 * @param lng degrees, 100 to below 180
 * @param lat degrees, 0 to below 66 2/3
 * @throws RangeError when the grid does not reach the point
 */
export function meshOf(lng: number, lat: number, digits: MeshDigits): string {
  const row = rowAt(lat, digits);
  const column = columnAt(lng, digits);
  if (!inGrid(row, column, digits)) {
    throw new RangeError(
      `The point ${lng},${lat} (longitude,latitude) lies outside the mesh grid; expected longitude 100 to 180 and ` +
        `latitude 0 to 66.66.`,
    );
  }
  return codeOf(digits, row, column);
}

/**
 * The meshes of one length that share an area with the bounds, from south to north, each row from west to
 * east. Bounds without area (a point, a line) give the meshes that hold them. What lies outside the grid is
 * left out.
 */
export function* meshesIn(bounds: Bounds, digits: MeshDigits): Generator<string> {
  const span = cellSpan(bounds, digits);
  for (let row = span.firstRow; row <= span.lastRow; row++) {
    for (let column = span.firstColumn; column <= span.lastColumn; column++) {
      yield codeOf(digits, row, column);
    }
  }
}

/** How many meshes `meshesIn` gives, without making them. */
export function countMeshesIn(bounds: Bounds, digits: MeshDigits): number {
  const span = cellSpan(bounds, digits);
  return Math.max(0, span.lastRow - span.firstRow + 1) * Math.max(0, span.lastColumn - span.firstColumn + 1);
}

/** The shorter codes whose meshes contain this one, coarsest first; none for a 1st mesh. Throws as `meshBounds`. */
export function meshAncestors(code: string): string[] {
  cellOf(code);
  return MESH_DIGITS.filter((digits) => digits < code.length).map((digits) => code.slice(0, digits));
}

/** The finest mesh of the given lengths that contains the bounds, edges included; null when none does. */
export function finestMeshContaining(bounds: Bounds, sizes: readonly MeshDigits[]): string | null {
  for (const digits of [...sizes].sort((a, b) => b - a)) {
    const row = rowAt(bounds.south, digits);
    const column = columnAt(bounds.west, digits);
    if (!inGrid(row, column, digits)) continue;
    const cell = cellBounds(digits, row, column);
    if (bounds.north <= cell.north && bounds.east <= cell.east) return codeOf(digits, row, column);
  }
  return null;
}

/**
 * The mesh given to a file whose name has none: the finest 3rd or 2nd mesh that contains its extent, else the
 * 3rd mesh of its centre; null when that lies outside the grid.
 */
export function meshForExtent(bounds: Bounds): string | null {
  const containing = finestMeshContaining(bounds, [6, 8]);
  if (containing !== null) return containing;
  const row = rowAt((bounds.south + bounds.north) / 2, 8);
  const column = columnAt((bounds.west + bounds.east) / 2, 8);
  return inGrid(row, column, 8) ? codeOf(8, row, column) : null;
}

/** True when the bounds share a point with the grid of the standard. */
export function touchesGrid(bounds: Bounds): boolean {
  return boundsIntersect(bounds, GRID);
}

/** True when the grid of the standard reaches all of the bounds. */
export function isInGrid({ west, south, east, north }: Bounds): boolean {
  return west >= GRID.west && south >= GRID.south && east <= GRID.east && north <= GRID.north;
}

interface Cell {
  digits: MeshDigits;
  row: number;
  column: number;
}

/** Rows and columns of cells, both ends included; the last is below the first when there are none. */
interface CellSpan {
  firstRow: number;
  lastRow: number;
  firstColumn: number;
  lastColumn: number;
}

/** Latitude of the south edge of a row: a row is 2/3 of a degree over the divisions. */
function southOf(row: number, digits: MeshDigits): number {
  return (row * 2) / (DIVISIONS[digits] * 3);
}

function westOf(column: number, digits: MeshDigits): number {
  return (column + 100 * DIVISIONS[digits]) / DIVISIONS[digits];
}

function cellBounds(digits: MeshDigits, row: number, column: number): Bounds {
  return {
    west: westOf(column, digits),
    south: southOf(row, digits),
    east: westOf(column + 1, digits),
    north: southOf(row + 1, digits),
  };
}

/** The product may be rounded over an edge; the comparison with the edges themselves puts it right. */
function rowAt(lat: number, digits: MeshDigits): number {
  const row = Math.floor((lat * DIVISIONS[digits] * 3) / 2);
  if (lat >= southOf(row + 1, digits)) return row + 1;
  return lat < southOf(row, digits) ? row - 1 : row;
}

function columnAt(lng: number, digits: MeshDigits): number {
  const column = Math.floor((lng - 100) * DIVISIONS[digits]);
  if (lng >= westOf(column + 1, digits)) return column + 1;
  return lng < westOf(column, digits) ? column - 1 : column;
}

function inGrid(row: number, column: number, digits: MeshDigits): boolean {
  return (
    row >= 0 &&
    row < FIRST_ROWS * DIVISIONS[digits] &&
    column >= 0 &&
    column < FIRST_COLUMNS * DIVISIONS[digits]
  );
}

function cellSpan(bounds: Bounds, digits: MeshDigits): CellSpan {
  const firstRow = rowAt(bounds.south, digits);
  const firstColumn = columnAt(bounds.west, digits);
  let lastRow = rowAt(bounds.north, digits);
  let lastColumn = columnAt(bounds.east, digits);
  if (lastRow > firstRow && southOf(lastRow, digits) === bounds.north) lastRow--;
  if (lastColumn > firstColumn && westOf(lastColumn, digits) === bounds.east) lastColumn--;
  return {
    firstRow: Math.max(0, firstRow),
    lastRow: Math.min(FIRST_ROWS * DIVISIONS[digits] - 1, lastRow),
    firstColumn: Math.max(0, firstColumn),
    lastColumn: Math.min(FIRST_COLUMNS * DIVISIONS[digits] - 1, lastColumn),
  };
}

function codeOf(digits: MeshDigits, row: number, column: number): string {
  const perFirst = DIVISIONS[digits];
  const pad = (n: number): string => String(n).padStart(2, '0');
  let code = pad(Math.floor(row / perFirst)) + pad(Math.floor(column / perFirst));
  let cells = perFirst;
  let y = row % perFirst;
  let x = column % perFirst;
  for (const divisor of [8, 10, 2, 2, 2]) {
    if (cells === 1) break;
    cells /= divisor;
    const down = Math.floor(y / cells);
    const across = Math.floor(x / cells);
    // The halves are numbered 1 south-west, 2 south-east, 3 north-west, 4 north-east.
    code += divisor === 2 ? String(down * 2 + across + 1) : `${down}${across}`;
    y %= cells;
    x %= cells;
  }
  return code;
}

function cellOf(code: string): Cell {
  if (!isMeshCode(code)) throw new RangeError(complaint(code));
  let row = Number(code.slice(0, 2));
  let column = Number(code.slice(2, 4));
  for (const [at, divisions] of [
    [4, 8],
    [6, 10],
  ] as const) {
    if (code.length <= at) break;
    row = row * divisions + Number(code[at]);
    column = column * divisions + Number(code[at + 1]);
  }
  for (let at = 8; at < code.length; at++) {
    const quadrant = Number(code[at]) - 1;
    row = row * 2 + (quadrant >> 1);
    column = column * 2 + (quadrant & 1);
  }
  return { digits: code.length as MeshDigits, row, column };
}

function complaint(code: string): string {
  if (!/^\d+$/.test(code)) {
    return `${quoted(code)} is not a mesh code: expected digits only, without hyphens.`;
  }
  if (!(MESH_DIGITS as readonly number[]).includes(code.length)) {
    return `${quoted(code)} is not a mesh code: it has ${code.length} digits, expected 4, 6, 8, 9, 10 or 11.`;
  }
  if (Number(code.slice(2, 4)) >= FIRST_COLUMNS) {
    return (
      `${quoted(code)} is not a mesh code: digits 3 and 4 are ${code.slice(2, 4)}, expected 00 to 79 (100 to ` +
      `180 degrees east).`
    );
  }
  if (!/^[0-7]{0,2}$/.test(code.slice(4, 6))) {
    return `${quoted(code)} is not a mesh code: digits 5 and 6 are ${code.slice(4, 6)}, expected 0 to 7 each.`;
  }
  return `${quoted(code)} is not a mesh code: digits from the 9th on are ${code.slice(8)}, expected 1 to 4 each.`;
}
