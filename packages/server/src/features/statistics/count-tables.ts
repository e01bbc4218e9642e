/** Counts the features of the tables of one municipality, each gml:id once, as searches answer them. */
import { hash } from 'node:crypto';
import type { Slices } from '@citymodel/base';
import type { PackageTable } from '@citymodel/store';
import { LRUCache } from 'lru-cache';
import { IdSet } from '../id-set.ts';
import { hasValues } from '../tables/coded-column.ts';
import type { TableObjects } from '../tables/table-objects.ts';
import { readGroup, type TableFoot } from '../tables/table-reader.ts';
import { countCodes, type NamedQuestion } from './count-codes.ts';
import { firstOfRepeated, PLACE_COLUMNS, type Wanted, wantedIn } from './first-of-repeated.ts';
import { Groups, groupValue } from './groups.ts';
import { isAnyNamed, NamedValues, type Value } from './named-values.ts';
import { columnNamesIn2, namesIn2 } from './names-of-2.ts';

/** A table, and what of it is counted. */
export interface TablePart extends Wanted {
  readonly table: PackageTable;
}

export interface CountQuestion extends NamedQuestion {
  /** Names are those of CityGML 2.0. */
  readonly hasVersion2Names: boolean;
}

export interface TableCounts {
  readonly groups: Groups;
  /** For each name of `by` and `of`, whether a table has it. */
  readonly known: readonly boolean[];
  /** Some names that the tables have. */
  readonly names: readonly string[];
  /** Features of the tables that no search answers, because they cannot be read. */
  readonly leftOut: number;
}

export interface CountWork {
  readonly slices: Slices;
  /** Told of rows before they are read. Throws what ends the work. */
  rows(count: number): void;
}

/** Names that are kept, which the answer lists. */
const SOME_NAMES = 120;
/** Most packages have the same names, which are kept once. */
const NAME_LISTS = new LRUCache<string, readonly string[]>({ max: 500 });
/** Rows between two looks at the clock. */
const ROWS = 256;
/** Read in any case where ids are compared. */
const ID = 'gml:id';

/** Tables in the order in which searches look at them. Throws what reading throws, and for too many groups. */
export async function countTables(
  tables: TableObjects,
  parts: readonly TablePart[],
  question: CountQuestion,
  { slices, rows }: CountWork,
): Promise<TableCounts> {
  const { by, steps, of, where, hasVersion2Names } = question;
  const asked = [...by, ...of];
  const names = [...new Set([...asked, ...(where?.names ?? [])])];
  const numbers = asked.map((name) => names.indexOf(name));
  const numberOf = new Map(names.map((name, number) => [name, number]));
  const groups = new Groups();
  const known = asked.map(() => false);
  const some = new Set<string>();
  let leftOut = 0;
  const seen = new IdSet();
  for (const part of parts) {
    const foot = await tables.foot(part.table);
    const { columns, repeated, leftOut: lost } = foot.facts;
    leftOut += lost;
    const values = new NamedValues(columns, names, hasVersion2Names);
    const types = new Set<string>();
    const isPart = part.paths !== null || part.elements !== null;
    const isWanted = wantedIn(part);
    // The mark of a repeated feature is about the whole table.
    const comparesPlaces = repeated > 0 && isPart;
    const comparesIds = parts.length > 1;
    const read = [
      ...new Set([
        ...values.columns,
        ...(repeated > 0 && !isPart ? ['repeated'] : []),
        ...(part.paths === null ? [] : ['gml_file']),
        ...(part.elements === null ? [] : ['_type']),
        ...(comparesIds ? [ID] : []),
        ...(comparesPlaces ? PLACE_COLUMNS : []),
      ]),
    ];
    await using source = await tables.open(part.table);
    const isFirst = comparesPlaces ? await firstOfRepeated(source, foot, isWanted, slices) : null;
    const coded = comparesIds || comparesPlaces ? null : values.coded;
    for (let number = 0; number + 1 < foot.starts.length; number++) {
      rows(groupRows(foot, number));
      if (coded !== null && !hasValues(foot, number, 'remainder')) {
        const columnsOf = (name: string) => coded[numberOf.get(name)!]!;
        await countCodes(groups, { source, foot, number }, { ...question, part, columnsOf }, slices);
        continue;
      }
      const group = await readGroup(source, foot, number, read, slices);
      const [files, elements, marks, ids, starts] = ['gml_file', '_type', 'repeated', ID, 'gml_start'].map(
        (name) => group.columns.get(name),
      );
      if (values.isIn2) addTypes(types, elements);
      const row = values.of(group);
      for (let n = 0; n < group.size; n++) {
        if (n % ROWS === 0 && slices.due()) await slices.pause();
        if (!isWanted(files?.[n], elements?.[n])) continue;
        if (isFirst === null ? marks?.[n] === true : !isFirst(ids?.[n], files?.[n], starts?.[n])) continue;
        const id = comparesIds ? ids?.[n] : null;
        if (typeof id === 'string' && !seen.add(id)) continue;
        if (where?.acceptsValues((name) => row.values(n, numberOf.get(name)!)) === false) continue;
        const found: ReadonlyArray<readonly Value[]> = numbers.map((name) => row.values(n, name));
        const values = found.slice(0, by.length).map((all, at) => groupValue(all, steps[at]!));
        groups.add(values, found.slice(by.length));
      }
    }
    const listed = values.isIn2
      ? columnNamesIn2(columns, types)
      : columns.map(({ path }) => path.flat().join('.'));
    for (const name of listed) if (some.size < SOME_NAMES) some.add(name);
    const there = values.isIn2 ? namesIn2(columns, types) : null;
    for (const [n, number] of numbers.entries()) {
      known[n] ||= values.known[number]! && (there === null || isAnyNamed(there, asked[n]!));
    }
  }
  return { groups, known, names: shared([...some]), leftOut };
}

function addTypes(types: Set<string>, column: ArrayLike<unknown> | undefined): void {
  for (const type of Array.from(column ?? [])) if (typeof type === 'string') types.add(type);
}

function shared(names: readonly string[]): readonly string[] {
  const key = hash('sha256', JSON.stringify(names), 'base64');
  const known = NAME_LISTS.get(key);
  if (known !== undefined) return known;
  NAME_LISTS.set(key, names);
  return names;
}

function groupRows({ starts }: TableFoot, number: number): number {
  return number + 1 < starts.length ? starts[number + 1]! - starts[number]! : 0;
}
