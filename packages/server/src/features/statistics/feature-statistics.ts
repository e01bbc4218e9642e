/**
 * Statistics of features out of the columns of tables: counted once for each municipality, kept, and added up. Features
 * are those that operation 12 finds, out of the files that it looks at.
 */
import { hash } from 'node:crypto';
import { type Caller, quoted } from '@citymodel/base';
import type { PackageTable } from '@citymodel/store';
import { LRUCache } from 'lru-cache';
import { ServiceError } from '../../base/errors.ts';
import { areaOf } from '../../catalogue/rows/citygml-rows.ts';
import type { FileFilters } from '../../catalogue/search/file-filter.ts';
import type { Snapshot } from '../../catalogue/snapshot/snapshot.ts';
import { elementsIn } from '../feature-query.ts';
import type { FeatureWork, FeatureWorkshop } from '../feature-work.ts';
import { type GmlFiles, packagesByArea } from '../gml-files.ts';
import { Region } from '../region.ts';
import { TABLE_VERSION } from '../tables/table-facts.ts';
import type { TableObjects } from '../tables/table-objects.ts';
import { countTables, type TableCounts, type TablePart } from './count-tables.ts';
import { Groups, type GroupValue } from './groups.ts';
import { filesAsked, filesOfArea, isAreaName, type StatisticsQuestion } from './statistics-query.ts';

export interface StatisticsOptions {
  files: GmlFiles;
  /** Null where none are read: no package has one then. */
  tables: TableObjects | null;
  workshop: FeatureWorkshop;
  limits?: StatisticsLimits;
}

export interface StatisticsLimits {
  /** Rows of tables that one request may have read; those of answers that are kept are not read. */
  maxRows: number;
  /** Milliseconds that one request may read. */
  maxMs: number;
  /** Bytes of counts that are kept. */
  keptBytes: number;
}

const LIMITS: StatisticsLimits = { maxRows: 100_000_000, maxMs: 25_000, keptBytes: 32 << 20 };
/** Municipalities whose tables are read at the same time for one request; each has a group of rows in memory. */
const AT_ONCE = 2;
/** Packages without a table, and areas, that an answer names. */
const NAMED = 50;
/** Attributes that an answer lists. */
const LISTED = 300;
/** Tables, and paths of files, in the plans that are kept. */
const PLANNED = 100_000;
/** What a kept count takes beside its groups, bytes. */
const ENTRY_BYTES = 4_000;
const ADVICE = 'Ask for a smaller area, or for fewer types.';
const EVERYTHING = new Region({ ids: null, box: null, polygons: null });

/** The tables of a municipality. */
interface Municipality {
  readonly code: string;
  readonly parts: TablePart[];
}

interface Plan {
  readonly municipalities: Municipality[];
  readonly packages: number;
  readonly withoutTable: { packages: Set<string>; features: number };
}

/** Tables and paths in a plan. */
function sizeOf({ municipalities }: Plan): number {
  const parts = municipalities.flatMap((one) => one.parts);
  return parts.reduce((sum, { paths }) => sum + 1 + (paths?.size ?? 0), 1);
}

export interface Statistics {
  readonly groups: Groups;
  readonly packages: number;
  readonly withoutTable: { packages: number; features: number; names: string[] };
  /** Features of the tables that cannot be read, so that no search answers them. */
  readonly leftOut: number;
  /** Attributes that the tables have, as many as are listed. */
  readonly attributes: readonly string[];
}

export class FeatureStatistics {
  readonly #options: StatisticsOptions;
  readonly #limits: StatisticsLimits;
  readonly #kept: LRUCache<string, TableCounts>;
  readonly #plans = new WeakMap<Snapshot, LRUCache<string, Plan>>();

  constructor(options: StatisticsOptions) {
    this.#options = options;
    this.#limits = options.limits ?? LIMITS;
    const { keptBytes } = this.#limits;
    this.#kept = new LRUCache({
      maxSize: keptBytes,
      sizeCalculation: ({ groups }) => ENTRY_BYTES + groups.bytes,
    });
  }

  /**
   * Throws ServiceError 404 where there is nothing to count or no feature has a name, with what there is; 413 for too
   * many groups, 400 for too many rows, 503 when the time is over, where what was counted is kept; the caller's reason.
   */
  async count(question: StatisticsQuestion, snapshot: Snapshot, caller: Caller): Promise<Statistics> {
    const limits = this.#limits;
    const end = performance.now() + limits.maxMs;
    let rowsRead = 0;
    let hasFailed = false;
    const rows = (count: number) => {
      caller.throwIfAborted();
      // One that failed ends those beside it.
      if (hasFailed || performance.now() > end) throw tooLate();
      rowsRead += count;
      if (rowsRead > limits.maxRows) throw tooManyRows(limits.maxRows);
    };
    const work = this.#options.workshop.begin(caller, ADVICE);
    const plan = await this.#plan(question, snapshot, work);
    if (plan.packages === 0) throw await this.#nothing(question, snapshot, work);
    const attributes = attributesOf(question);
    const counts: Array<TableCounts & { code: string }> = [];
    const waiting = plan.municipalities.values();
    const countSome = async () => {
      for (const { code, parts } of waiting) {
        counts.push({ ...(await this.#counted(parts, attributes, work, rows)), code });
      }
    };
    const turns = Array.from({ length: AT_ONCE }, () =>
      countSome().catch((error: unknown) => {
        hasFailed = true;
        throw error;
      }),
    );
    const ends = await Promise.allSettled(turns);
    // The first failure is the reason of the others.
    const failed = ends.filter((one) => one.status === 'rejected').map(({ reason }) => reason as unknown);
    if (failed.length > 0) throw failed.find((reason) => !isLate(reason)) ?? failed[0];
    this.#checkNames(attributes, counts);
    const groups = new Groups();
    for (const one of counts) groups.addAll(one.groups, (by) => withAreas(question.by, by, one.code));
    const { packages, features } = plan.withoutTable;
    return {
      groups,
      packages: plan.packages,
      withoutTable: { packages: packages.size, features, names: [...packages].slice(0, NAMED) },
      leftOut: counts.reduce((sum, { leftOut }) => sum + leftOut, 0),
      attributes: [...new Set(counts.flatMap(({ names }) => names))].slice(0, LISTED),
    };
  }

  /** What tables a question is about, kept with the catalogue of the moment: files of a country take long to list. */
  async #plan(question: StatisticsQuestion, snapshot: Snapshot, work: FeatureWork): Promise<Plan> {
    let plans = this.#plans.get(snapshot);
    if (plans === undefined) {
      plans = new LRUCache({ maxSize: PLANNED, sizeCalculation: sizeOf });
      this.#plans.set(snapshot, plans);
    }
    const { key } = filesAsked(question);
    const known = plans.get(key);
    if (known !== undefined) return known;
    const plan = await this.#newPlan(question, snapshot, work);
    plans.set(key, plan);
    return plan;
  }

  /** The tables of each municipality that hold the features of the files that a search would look at. */
  async #newPlan(
    question: StatisticsQuestion,
    snapshot: Snapshot,
    { slices, budget }: FeatureWork,
  ): Promise<Plan> {
    const { files, tables } = this.#options;
    const test = await files.testOf(snapshot, filesAsked(question));
    const municipalities = new Map<string, Municipality>();
    const packages = new Set<number>();
    const withoutTable: Plan['withoutTable'] = { packages: new Set(), features: 0 };
    const asked = packagesByArea(snapshot).flatMap((row) =>
      row.types
        .filter((type) => test.mayHave(row, type))
        .sort()
        .map((type) => ({ row, type })),
    );
    for (const { row, type } of asked) {
      budget.items(1);
      if (slices.due()) await slices.pause();
      const isOf = (table: PackageTable) => table.type === type && table.version === TABLE_VERSION;
      const table = tables === null ? undefined : row.tables?.find(isOf);
      // Files of a country take long to list, and mostly all of a package are wanted.
      const isWhole = table !== undefined && test.hasAll?.(row, type) === true;
      const all = isWhole ? [] : (await files.ofPackage(row)).filter((file) => file.type === type);
      const wanted = all.filter((file) => test.accepts(row, file));
      if (!isWhole && wanted.length === 0) continue;
      budget.items(wanted.length);
      packages.add(row.no);
      if (table === undefined) {
        withoutTable.packages.add(row.name);
        withoutTable.features += wanted.reduce((sum, { features }) => sum + features, 0);
        continue;
      }
      // A ward and its city may have the same feature; wards without one of their city have none together.
      const around = snapshot.cityAround(areaOf(row));
      const code = around !== null && snapshot.cityGml.has(around) ? around : areaOf(row);
      const one = municipalities.get(code) ?? { code, parts: [] };
      municipalities.set(code, one);
      const elements = elementsIn(question.types, type);
      const paths = wanted.length === all.length ? null : new Set(wanted.map(({ path }) => path));
      one.parts.push({ table, paths, elements });
    }
    return { municipalities: [...municipalities.values()], packages: packages.size, withoutTable };
  }

  async #counted(
    parts: readonly TablePart[],
    { by, steps, of, where, whereText, hasVersion2Names }: StatisticsQuestion,
    { slices }: FeatureWork,
    rows: (count: number) => void,
  ): Promise<TableCounts> {
    const what = parts.map(({ table, paths, elements }) => [
      table.key,
      paths && [...paths].sort(),
      elements && [...elements].sort(),
    ]);
    const key = hash('sha256', JSON.stringify([what, by, steps, of, whereText, hasVersion2Names]), 'base64');
    const kept = this.#kept.get(key);
    if (kept !== undefined) return kept;
    const counts = await countTables(
      this.#options.tables!,
      parts,
      { by, steps, of, where, hasVersion2Names },
      { slices, rows },
    );
    this.#kept.set(key, counts);
    return counts;
  }

  /** A name that no table has is a mistake of the caller; where only some lack it, their features have no value. */
  #checkNames({ by, of, area }: StatisticsQuestion, counts: readonly TableCounts[]): void {
    if (counts.length === 0) return;
    for (const [n, name] of [...by, ...of].entries()) {
      if (counts.some(({ known }) => known[n]!)) continue;
      const there = [...new Set(counts.flatMap(({ names }) => names))].slice(0, NAMED);
      throw new ServiceError(404, 'not found', {
        reason:
          `No feature of these types in ${area} has the attribute ${quoted(name)}. ` +
          `They have: ${there.join(', ')}.`,
      });
    }
  }

  /** What there is instead. */
  async #nothing(question: StatisticsQuestion, snapshot: Snapshot, work: FeatureWork): Promise<ServiceError> {
    const types = await this.#types(filesOfArea(question), snapshot, work);
    if (types.size > 0) {
      return new ServiceError(404, 'no citygml files for the given types', {
        reason: `There is no such CityGML of ${question.area}. There are: ${[...types].sort().join(', ')}.`,
      });
    }
    const { area } = question;
    const all = [...snapshot.cityGml.keys()].sort();
    const near = all.filter((code) => code.startsWith(area.slice(0, 2)));
    const there = near.length > 0 ? near : [...new Set(all.map((code) => code.slice(0, 2)))];
    return new ServiceError(404, 'not found', {
      reason:
        `There is no CityGML of ${area}. ` +
        (there.length === 0 ? 'There is none at all.' : `There is of: ${there.slice(0, NAMED).join(', ')}.`),
    });
  }

  /** Types with the years that the files have. */
  async #types(filters: FileFilters, snapshot: Snapshot, work: FeatureWork): Promise<Set<string>> {
    const types = new Set<string>();
    for await (const { row, file } of this.#options.files.inRegion(snapshot, EVERYTHING, filters, work)) {
      types.add(`${file.type} of ${row.year}`);
    }
    return types;
  }
}

/** The question without what is known of a whole municipality. */
function attributesOf(question: StatisticsQuestion): StatisticsQuestion {
  const isAttribute = (_: unknown, n: number) => !isAreaName(question.by[n]!);
  return { ...question, by: question.by.filter(isAttribute), steps: question.steps.filter(isAttribute) };
}

/** Values of the names, those of attributes in their order. */
function withAreas(names: readonly string[], values: readonly GroupValue[], code: string): GroupValue[] {
  let at = 0;
  return names.map((name) => {
    if (!isAreaName(name)) return values[at++]!;
    return name === '_prefecture' ? code.slice(0, 2) : code;
  });
}

const LATE = 'The time for this answer is over.';

function tooLate(): ServiceError {
  return new ServiceError(503, 'unavailable', {
    reason: `${LATE} What has been counted is kept: ask again to go on. ${ADVICE}`,
    retryAfter: 1,
  });
}

function isLate(reason: unknown): boolean {
  return reason instanceof ServiceError && reason.reason?.startsWith(LATE) === true;
}

function tooManyRows(most: number): ServiceError {
  return new ServiceError(400, 'request too large', {
    reason: `The answer needs more than ${most} rows of tables, which is the most that is accepted. ${ADVICE}`,
  });
}
