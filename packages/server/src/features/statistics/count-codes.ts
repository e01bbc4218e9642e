/** Counts a group of rows by the codes of its columns: what a code means is looked at once, not in every row. */
import type { Slices } from '@citymodel/base';
import type { RangedSource } from '@citymodel/zip';
import type { AttributeFilter } from '../attribute-filter.ts';
import { type CodedColumn, emptyColumn, joinedColumns, readCoded } from '../tables/coded-column.ts';
import type { TableFoot } from '../tables/table-reader.ts';
import type { Wanted } from './first-of-repeated.ts';
import { addNumber, addValue, countedNumber, type Group, type Groups, groupValue } from './groups.ts';
import type { Value } from './named-values.ts';

/** Places of groups that are kept in a list, for all pairs of codes; more are numbered as they come. */
const MAX_PLACES = 1 << 18;
/** Rows between two looks at the clock. */
const ROWS = 4_096;

/** What is counted, by names of attributes. */
export interface NamedQuestion {
  readonly by: readonly string[];
  /** For each of `by`, how wide the classes of its numbers are; 0 for numbers as they are. */
  readonly steps: readonly number[];
  readonly of: readonly string[];
  readonly where: AttributeFilter | null;
}

export interface CodedQuestion extends NamedQuestion {
  readonly part: Wanted;
  /** The columns that have the values of a name. */
  columnsOf(name: string): readonly string[];
}

/** Adds the rows of a group of a table, repeated ones left out. Throws what reading throws, and like `Groups.add`. */
export async function countCodes(
  groups: Groups,
  { source, foot, number }: { source: RangedSource; foot: TableFoot; number: number },
  { by, steps, of, where, part, columnsOf }: CodedQuestion,
  slices: Slices,
): Promise<void> {
  const size = foot.starts[number + 1]! - foot.starts[number]!;
  const read = new Map<string, CodedColumn>();
  const columnOf = async (name: string): Promise<CodedColumn> => {
    const known = read.get(name);
    if (known !== undefined) return known;
    const column = (await readCoded(source, foot, number, name)) ?? emptyColumn(size);
    read.set(name, column);
    if (slices.due()) await slices.pause();
    return column;
  };
  const valuesUnder = async (name: string): Promise<CodedColumn> => {
    const columns: CodedColumn[] = [];
    for (const one of columnsOf(name)) columns.push(await columnOf(one));
    return columns.length === 0 ? emptyColumn(size) : joinedColumns(columns);
  };
  let isLeft: Uint8Array | null = null;
  const keep = async ({ codes, cells }: CodedColumn, isMet: (cell: unknown) => boolean) => {
    const met = Uint8Array.from(cells, (cell) => Number(isMet(cell)));
    isLeft ??= new Uint8Array(size).fill(1);
    for (let row = 0; row < size; row++) isLeft[row]! &= met[codes[row]!]!;
    if (slices.due()) await slices.pause();
  };
  const { paths, elements } = part;
  if (paths !== null) await keep(await columnOf('gml_file'), (path) => paths.has(String(path)));
  if (elements !== null) await keep(await columnOf('_type'), (element) => elements.has(String(element)));
  if (foot.facts.repeated > 0) await keep(await columnOf('repeated'), (mark) => mark !== true);
  for (const name of where?.names ?? []) {
    await keep(await valuesUnder(name), (cell) => where!.acceptsNamed(name, valuesOf(cell)));
  }
  const [parts, added]: [CodedColumn[], CodedColumn[]] = [[], []];
  for (const name of by) parts.push(await valuesUnder(name));
  for (const name of of) added.push(await valuesUnder(name));
  const left = isLeft as Uint8Array | null;
  const places = placesOf(parts, size);
  const found: Array<Group | undefined> = [];
  const numbers = added.map(({ cells }) => Float64Array.from(cells, numberOf));
  for (let row = 0; row < size; row++) {
    if (row % ROWS === 0 && slices.due()) await slices.pause();
    if (left !== null && left[row] === 0) continue;
    const place = places[row]!;
    let group = found[place];
    if (group === undefined) {
      const values = parts.map(({ codes, cells }, n) => groupValue(valuesOf(cells[codes[row]!]), steps[n]!));
      group = groups.group(values, of.length);
      found[place] = group;
    }
    group.count++;
    for (let n = 0; n < added.length; n++) {
      const { codes, cells } = added[n]!;
      const code = codes[row]!;
      const value = numbers[n]![code]!;
      if (!Number.isNaN(value)) addNumber(group.of[n]!, value);
      else for (const one of valuesOf(cells[code])) addValue(group.of[n]!, one);
    }
  }
}

/** For each row a number that is the same only where all columns have the same. */
function placesOf(columns: readonly CodedColumn[], size: number): Uint32Array {
  const [first, ...others] = columns;
  if (first === undefined) return new Uint32Array(size);
  let places = first.codes;
  let count = first.cells.length;
  for (const { codes, cells } of others) {
    const before = places;
    const width = cells.length;
    if (count * width <= MAX_PLACES) {
      places = codes.map((code, row) => before[row]! * width + code);
      count *= width;
      continue;
    }
    const known = new Map<number, number>();
    places = codes.map((code, row) => {
      const pair = before[row]! * width + code;
      const place = known.get(pair) ?? known.size;
      if (place === known.size) known.set(pair, place);
      return place;
    });
    count = known.size;
  }
  return places;
}

function valuesOf(cell: unknown): readonly Value[] {
  if (cell === null || cell === undefined) return [];
  return Array.isArray(cell) ? (cell as Value[]) : [cell as Value];
}

/** Not a number where a cell has several, or another value. */
function numberOf(cell: unknown): number {
  const [value, ...more] = valuesOf(cell);
  return value === undefined || more.length > 0 ? Number.NaN : (countedNumber(value) ?? Number.NaN);
}
