/** A group of rows as the columns of a Parquet file. */
import { boundingBox } from '@citymodel/citygml';
import type { Encoding } from 'hyparquet';
import { BOX, type Box } from '../formats/geoparquet-geometry.ts';
import type { ParquetColumn } from '../formats/parquet-groups.ts';
import type { AttributeColumn, AttributeColumns } from './attribute-columns.ts';
import type { PlacedRow } from './feature-row.ts';
import { extentDifference } from './short-extent.ts';
import { FIXED_COLUMNS, ID_COLUMN } from './table-columns.ts';

/** Different values of a column that are kept once each. */
const MAX_SHARED = 4_096;
/** Values that are looked at to choose an encoding. */
const SAMPLE = 1_000;

/** Numbers and texts have little in common, and this level finds most of it. */
const LONG_SEARCH = 19;
/** Of positions and ids, which are as good as random digits, the level above finds no more in 1.6 times the time. */
const DIGITS_LEVEL = 17;
/** JSON repeats words over long distances. Level 19 takes 1.1 times as long, for 1 % of a table. */
const JSON_LEVEL = 9;

/** Share of foreign ids that a filter takes for one of a group; as its bytes are a power of two, it is mostly less. */
const ID_ERRORS = 0.05;

type FixedColumn = (typeof FIXED_COLUMNS)[number];

/** Numbers as they are: some repeat, as heights do, and a long search finds these where a dictionary is too large. */
const NUMBERS = { encoding: 'PLAIN' } as const satisfies Partial<ParquetColumn>;
/** Bytes of whole numbers, differences and numbers of single precision, one beside the other: the first are alike. */
const SPLIT: Encoding = 'BYTE_STREAM_SPLIT';

export class TableGroup {
  readonly #columns: readonly AttributeColumn[];
  readonly #split: AttributeColumns;
  readonly #attributes: unknown[][];
  readonly #shared: Array<Map<unknown, unknown>>;
  readonly #fixed: Record<FixedColumn, unknown[]>;

  constructor(columns: readonly AttributeColumn[], split: AttributeColumns, size: number) {
    this.#columns = columns;
    this.#split = split;
    const empty = () => new Array<unknown>(size).fill(null);
    this.#attributes = columns.map(empty);
    this.#shared = columns.map(() => new Map());
    this.#fixed = Object.fromEntries(FIXED_COLUMNS.map((name) => [name, empty()])) as Record<
      FixedColumn,
      unknown[]
    >;
  }

  /** Puts a row at its place. */
  put(at: number, { row, wkb }: PlacedRow, file: string, isRepeated: boolean): void {
    const rest = this.#split.split(row.attributes, (column, value) => {
      this.#attributes[column]![at] = this.#value(column, value);
    });
    const { drawn, extent, box, lods } = row;
    const fixed = this.#fixed;
    for (const name of [
      'height',
      'minAlt',
      'maxAlt',
      'footprintDissolved',
      'footprintPolygonsLeftOut',
    ] as const) {
      fixed[name][at] = drawn[name] ?? null;
    }
    fixed.lods[at] = Array.from({ length: 8 }, (_, n) => n).filter((n) => (lods >> n) & 1);
    fixed.gml_file[at] = file;
    fixed.gml_start[at] = BigInt(row.start);
    fixed.gml_length[at] = BigInt(row.end - row.start);
    if (isRepeated) fixed.repeated[at] = true;
    if (extent !== null) {
      const [minAlt, maxAlt] = [fixed.minAlt[at] as number | null, fixed.maxAlt[at] as number | null];
      fixed.extent_offset[at] = extentDifference(extent, { box, minAlt, maxAlt });
      if (fixed.extent_offset[at] === null) rest.push([['_bbox'], boundingBox(extent)]);
    }
    if (rest.length > 0) fixed.remainder[at] = jsonBytes(rest);
    if (box === null) return;
    fixed.geometry[at] = wkb;
    fixed.bbox[at] = outwards(box);
  }

  /** The columns in the order of the schema; each is forgotten when the next one is asked for. */
  *columns(): Generator<ParquetColumn> {
    for (const [number, { name, kind }] of this.#columns.entries()) {
      const data = this.#attributes[number]!;
      yield {
        ...{ name, data, level: kind === 'json' ? JSON_LEVEL : LONG_SEARCH },
        ...(kind === 'number' ? encodingOf(data) : {}),
        ...(name === ID_COLUMN ? { level: DIGITS_LEVEL, bloomFilter: { fpp: ID_ERRORS } } : {}),
      };
      this.#attributes[number] = [];
      this.#shared[number]!.clear();
    }
    for (const name of FIXED_COLUMNS) {
      const data = this.#fixed[name];
      yield { name, data, level: LONG_SEARCH, ...FIXED_OPTIONS[name] };
      this.#fixed[name] = [];
    }
  }

  #value(column: number, value: unknown): unknown {
    const { kind } = this.#columns[column]!;
    if (kind === 'number' || kind === 'boolean') return value;
    const key = kind === 'string' ? value : JSON.stringify(value);
    const shared = this.#shared[column]!;
    const known = shared.get(key);
    if (known !== undefined) return known;
    const kept = kind === 'json' ? Buffer.from(key as string) : value;
    if (shared.size < MAX_SHARED) shared.set(key, kept);
    return kept;
  }
}

const FIXED_OPTIONS: Partial<Record<FixedColumn, Partial<ParquetColumn>>> = {
  height: NUMBERS,
  minAlt: NUMBERS,
  maxAlt: NUMBERS,
  gml_start: { encoding: SPLIT },
  gml_length: { encoding: SPLIT },
  extent_offset: { encoding: SPLIT },
  geometry: { statistics: false, level: DIGITS_LEVEL },
  bbox: { encoding: SPLIT },
};

function jsonBytes(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}

/** A dictionary where values repeat, which the library looks for by itself. */
function encodingOf(data: readonly unknown[]): Partial<ParquetColumn> {
  const step = Math.max(1, Math.floor(data.length / SAMPLE));
  const seen = new Set<unknown>();
  let values = 0;
  for (let n = 0; n < data.length; n += step) {
    if (data[n] === null) continue;
    values++;
    seen.add(data[n]);
  }
  return seen.size * 2 > values ? NUMBERS : {};
}

const single = new Float32Array(1);
const bits = new Int32Array(single.buffer);

/** The nearest number of single precision that is not above, or not below. */
function rounded(value: number, isUp: boolean): number {
  single[0] = value;
  const near = single[0];
  if (isUp ? near >= value : near <= value) return near;
  // Positive numbers grow with their bits, negative ones shrink; from 0 it goes to the smallest of either sign.
  if (near === 0) return isUp ? 2 ** -149 : -(2 ** -149);
  bits[0] = bits[0]! + (near > 0 === isUp ? 1 : -1);
  return single[0]!;
}

export function outwards(box: Box): Box {
  return Object.fromEntries(BOX.map((name) => [name, rounded(box[name], name.endsWith('max'))])) as Box;
}
