/** Geoid grids from files: GeoTIFF, `.asc` of the Geospatial Information Authority of Japan, and ISG. */
import { readFile, stat } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { NO_HEIGHT, readGsigeo2011 } from '@citymodel/geo';
import { emptyGrid, type GeoidDatum, type HeightGrid } from './height-grid.ts';

/** Largest file that is read; GSIGEO2011 as text has 20 MB. */
const MAX_FILE_BYTES = 512 * 1024 * 1024;
/** In which the head of a text names its model. */
const HEAD_BYTES = 2_000;

/** A file that is no geoid grid, or cannot be read; the message is for the operator. */
export class BadGrid extends Error {
  override readonly name = 'BadGrid';
}

/** GSIGEO2011, which comes with the program. */
export function gsigeo2011(): HeightGrid {
  const { columns, rows, west, north, perDegreeEast, perDegreeSouth, millimetres } = readGsigeo2011();
  const grid = emptyGrid({
    name: 'GSIGEO2011',
    datum: 'jgd2011',
    columns,
    rows,
    west,
    north,
    stepEast: 1 / perDegreeEast,
    stepSouth: 1 / perDegreeSouth,
  });
  for (let node = 0; node < millimetres.length; node++) {
    if (millimetres[node] !== NO_HEIGHT) grid.metres[node] = millimetres[node]! / 1_000;
  }
  return grid;
}

/**
 * Reads the grid of a file, by the ending of its name. Throws BadGrid, also where the file says that it belongs to
 * another datum.
 */
export async function readGrid(path: string, datum: GeoidDatum = 'jgd2011'): Promise<HeightGrid> {
  const name = basename(path);
  const info = await stat(path).catch(() => null);
  if (info === null || !info.isFile()) throw new BadGrid(`There is no geoid file ${path} (GEOID).`);
  if (info.size > MAX_FILE_BYTES) {
    throw new BadGrid(`${path} (GEOID) has ${info.size} bytes; at most ${MAX_FILE_BYTES} are read.`);
  }
  const bytes = await readFile(path);
  const own = datumOf(name) ?? datumOf(bytes.toString('latin1', 0, HEAD_BYTES));
  if (own !== null && own !== datum) {
    throw new BadGrid(
      `${path} (GEOID) is a geoid of ${own.toUpperCase()}, and GEOID_DATUM is ${datum}. Set GEOID_DATUM to ${own}.`,
    );
  }
  try {
    return { ...(await gridOf(path, name, bytes)), datum };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new BadGrid(`${path} (GEOID) is no geoid grid that can be read: ${reason}`, { cause: error });
  }
}

/** The datum of a geoid whose name is known: that of a file, or of a model in its first lines. */
function datumOf(text: string): GeoidDatum | null {
  if (/(?:jp)?geo(?:id)?_?2024|jgd2024/i.test(text)) return 'jgd2024';
  return /(?:gsi)?geo(?:id)?_?2011|jgd2011/i.test(text) ? 'jgd2011' : null;
}

async function gridOf(path: string, name: string, bytes: Buffer): Promise<HeightGrid> {
  switch (extname(path).toLowerCase()) {
    case '.tif':
    case '.tiff':
      return await fromGeoTiff(name, bytes);
    case '.asc':
      return fromAsc(name, bytes.toString('latin1'));
    case '.isg':
      return fromIsg(name, bytes.toString('latin1'));
    default:
      throw new BadGrid('the name ends in none of .tif, .asc and .isg');
  }
}

/**
 * Heights of the first band in metres, nodes in the middle of pixels (OGC 19-008r4, section 7.1.2.1, PixelIsPoint and
 * PixelIsArea).
 */
async function fromGeoTiff(name: string, bytes: Buffer): Promise<HeightGrid> {
  // The library is loaded only for such a grid.
  const { fromArrayBuffer } = await import('geotiff');
  const tiff = await fromArrayBuffer(Uint8Array.from(bytes).buffer);
  const image = await tiff.getImage();
  const [stepEast, stepNorth] = image.getResolution() as [number, number];
  const [left, top] = image.getOrigin() as [number, number];
  // The origin is the first node where pixels stand for points, else the corner of the first pixel.
  const half = (await image.pixelIsArea()) ? 0.5 : 0;
  const grid = emptyGrid({
    name,
    columns: image.getWidth(),
    rows: image.getHeight(),
    west: left + stepEast * half,
    north: top + stepNorth * half,
    stepEast,
    stepSouth: -stepNorth,
  });
  const noData = image.getGDALNoData();
  const band = (await image.readRasters({ samples: [0], interleave: true })) as ArrayLike<number>;
  for (let node = 0; node < grid.metres.length; node++) {
    if (band[node] !== noData) grid.metres[node] = band[node]!;
  }
  return grid;
}

/**
 * One line `south west step-north step-east rows columns kind version`, then heights in metres row by row from south to
 * north; 999 is unknown.
 */
function fromAsc(name: string, text: string): HeightGrid {
  const end = text.indexOf('\n');
  const header = text
    .slice(0, end < 0 ? 200 : end)
    .trim()
    .split(/\s+/);
  const [south, west, stepNorth, stepEast, rows, columns] = header.slice(0, 6).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  // Steps are rounded in the header: 0.016667 for a sixtieth, which over 1,800 rows is 36 rows' worth of centimetres.
  const [exactNorth, exactEast] = [exactStep(stepNorth), exactStep(stepEast)];
  const grid = emptyGrid({
    name,
    columns,
    rows,
    west,
    north: south + (rows - 1) * exactNorth,
    stepEast: exactEast,
    stepSouth: exactNorth,
  });
  const numbers = new Numbers(text, end);
  for (let row = rows - 1; row >= 0; row--) {
    for (let column = 0; column < columns; column++) {
      const height = numbers.next();
      if (Math.abs(height) < 999) grid.metres[row * columns + column] = height;
    }
  }
  return grid;
}

/** The fraction of a degree that a step with six decimals stands for: 0.016667 is a sixtieth. */
function exactStep(step: number): number {
  const perDegree = Math.round(1 / step);
  return Math.abs(1 / perDegree - step) < 1e-6 ? 1 / perDegree : step;
}

/**
 * ISG 1.0 and 2.0 (International Service for the Geoid): a head of `key : value` lines, then rows from north to south.
 */
function fromIsg(name: string, text: string): HeightGrid {
  const end = /^end_of_head.*$/m.exec(text.slice(0, 20_000));
  if (end === null) throw new Error('a line that begins with end_of_head is missing');
  const head = new Map<string, string>();
  for (const line of text.slice(0, end.index).split(/\r?\n/)) {
    const at = line.search(/[:=]/);
    if (at > 0) head.set(line.slice(0, at).trim().toLowerCase(), line.slice(at + 1).trim());
  }
  const value = (key: string): string => {
    const found = head.get(key);
    if (found === undefined) throw new Error(`the head lacks "${key}"`);
    return found;
  };
  if ((head.get('data format') ?? 'grid').toLowerCase() !== 'grid') {
    throw new Error('its data format is not grid');
  }
  const [columns, rows] = [Number(value('ncols')), Number(value('nrows'))];
  const [south, north] = [degrees(value('lat min')), degrees(value('lat max'))];
  const [west, east] = [degrees(value('lon min')), degrees(value('lon max'))];
  // Limits are those of the cells, as a rule; or those of the nodes, and then one step less fits between them.
  const isNodes = Math.abs((north - south) / degrees(value('delta lat')) - (rows - 1)) < 0.5;
  const [half, less] = isNodes ? [0, 1] : [0.5, 0];
  const stepSouth = (north - south) / (rows - less);
  const stepEast = (east - west) / (columns - less);
  const grid = emptyGrid({
    name,
    columns,
    rows,
    west: west + half * stepEast,
    north: north - half * stepSouth,
    stepEast,
    stepSouth,
  });
  const unknown = Number(head.get('nodata') ?? Number.NaN);
  const numbers = new Numbers(text, end.index + end[0].length);
  for (let node = 0; node < grid.metres.length; node++) {
    const height = numbers.next();
    if (height !== unknown) grid.metres[node] = height;
  }
  return grid;
}

/** `35.5`, or `20°00'30"` as version 2.0 may have it. */
function degrees(text: string): number {
  const parts = /^(-?)(\d+)\D+(\d+)\D+(\d+(?:\.\d+)?)\D*$/.exec(text);
  const value =
    parts === null || /^-?\d+(\.\d+)?$/.test(text)
      ? Number(text)
      : (Number(parts[2]) + Number(parts[3]) / 60 + Number(parts[4]) / 3_600) * (parts[1] === '-' ? -1 : 1);
  if (!Number.isFinite(value)) throw new Error(`"${text.slice(0, 40)}" is no angle`);
  return value;
}

/** The numbers of a text, one after the other, divided by white space. */
class Numbers {
  readonly #text: string;
  #at: number;

  constructor(text: string, from: number) {
    this.#text = text;
    this.#at = from;
  }

  /** Throws an Error at the end of the text and for what is no number. */
  next(): number {
    const text = this.#text;
    let start = this.#at;
    while (start < text.length && text.charCodeAt(start) <= 32) start++;
    let end = start;
    while (end < text.length && text.charCodeAt(end) > 32) end++;
    this.#at = end;
    if (start === end) throw new Error('it ends before the last node');
    const value = Number(text.slice(start, end));
    if (Number.isNaN(value))
      throw new Error(`"${text.slice(start, Math.min(end, start + 40))}" is no height`);
    return value;
  }
}
