/** What is asked of statistics: which features, by what they are grouped, and which numbers are added up. */
import { quoted, readDecimal } from '@citymodel/base';
import { ServiceError } from '../../base/errors.ts';
import { Filters } from '../../base/filter.ts';
import type { FileFilter, FileFilters } from '../../catalogue/search/file-filter.ts';
import { type Years, type YearsQuery, yearsOf } from '../../catalogue/search/years.ts';
import { AttributeFilter } from '../attribute-filter.ts';
import { readVersion2Names, requiredTypes, type TypeFilter } from '../feature-query.ts';
import { wantedFiles } from '../wanted-files.ts';

export interface StatisticsQuery extends YearsQuery {
  area?: string | undefined;
  type?: readonly string[];
  by?: readonly string[];
  step?: readonly string[];
  of?: readonly string[];
  where?: string | undefined;
  names?: string | undefined;
}

/** What an `area` is: a municipality or ward, a prefecture, or `all`. */
export const AREA = /^(\d{5}|\d{2}|all)$/;

/** Names that features are grouped by, and whose numbers are added up. */
export const MAX_BY = 4;
export const MAX_OF = 8;
/** Width of classes of numbers. */
const MIN_STEP = 0.001;
const MAX_STEP = 1e9;
/** Characters of a name. */
const MAX_NAME = 300;

/** Names in `by` that are no attributes: of where a feature is, by the package that has it. */
const AREA_NAMES = ['_municipality', '_prefecture'] as const;

export function isAreaName(name: string): name is (typeof AREA_NAMES)[number] {
  return AREA_NAMES.some((one) => one === name);
}

export interface StatisticsQuestion {
  readonly area: string;
  readonly types: TypeFilter;
  /** Feature-type codes and element names as they were given. */
  readonly typeWords: readonly string[];
  readonly years: Years;
  readonly by: readonly string[];
  /** For each of `by`, how wide the classes of its numbers are; 0 for numbers as they are. */
  readonly steps: readonly number[];
  readonly of: readonly string[];
  readonly where: AttributeFilter | null;
  /** As it was given. */
  readonly whereText: string | null;
  /** Names of attributes are those of CityGML 2.0. */
  readonly hasVersion2Names: boolean;
}

/** Throws ServiceError 400 for what is missing, not accepted, or more than is accepted. */
export function statisticsQuestion(query: StatisticsQuery): StatisticsQuestion {
  const { area, type = [], where, names: version } = query;
  if (area === undefined) {
    throw invalid('area is missing; expected a code of 5 digits, a prefecture of 2 digits, or all.');
  }
  if (!AREA.test(area)) {
    throw invalid(`area is ${quoted(area)}; expected a code of 5 digits, a prefecture of 2 digits, or all.`);
  }
  const by = names('by', query.by, MAX_BY);
  return {
    area,
    types: requiredTypes({ type }),
    typeWords: [...new Set(type)],
    years: yearsOf(query),
    by,
    steps: stepsOf(by, query.step),
    of: names('of', query.of, MAX_OF),
    where: where === undefined ? null : new AttributeFilter(where),
    whereText: where ?? null,
    hasVersion2Names: readVersion2Names(version),
  };
}

/** The files that a question is about, as operation 12 chooses them. */
export function filesAsked({ area, types, years }: StatisticsQuestion): FileFilters {
  if (area.length === 5) return wantedFiles(types, years, [area]);
  if (area === 'all') return wantedFiles(types, years);
  return new Filters([...wantedFiles(types, years).all, prefectureFilter(area)]);
}

/** The same for all types and years. */
export function filesOfArea({ area }: Pick<StatisticsQuestion, 'area'>): FileFilters {
  const question = { area, types: { codes: null, elements: null }, years: 'all' as const };
  const nothing = { typeWords: [], by: [], steps: [], of: [], where: null, whereText: null };
  return filesAsked({ ...question, ...nothing, hasVersion2Names: false });
}

function prefectureFilter(code: string): FileFilter {
  const isOf = ({ cityCode }: { cityCode: string }) => cityCode.slice(0, 2) === code;
  return {
    name: 'areas',
    key: JSON.stringify(['prefecture', code]),
    words: `of ${code}`,
    at: () => ({ accepts: isOf, mayHave: isOf, hasAll: isOf }),
  };
}

function names(parameter: string, values: readonly string[] = [], most: number): string[] {
  const all = [...new Set(values)];
  if (all.length > most) {
    throw invalid(`${parameter} has ${all.length} names; at most ${most} are accepted.`);
  }
  const long = all.find(({ length }) => length > MAX_NAME);
  if (long !== undefined) {
    throw invalid(`${parameter} has a name of ${long.length} characters; at most ${MAX_NAME} are accepted.`);
  }
  return all;
}

function stepsOf(by: readonly string[], texts: readonly string[] = []): number[] {
  if (texts.length > by.length) {
    throw invalid(
      `step has ${texts.length} values, and by has ${by.length} names: one for each is accepted.`,
    );
  }
  return by.map((_, n) => {
    const text = texts[n] ?? '0';
    const step = readDecimal(text);
    if (step === null || !(step === 0 || (step >= MIN_STEP && step <= MAX_STEP))) {
      throw invalid(
        `step has ${quoted(text)}; expected a number from ${MIN_STEP} to ${MAX_STEP}, or 0 for none.`,
      );
    }
    return step;
  });
}

function invalid(reason: string): ServiceError {
  return new ServiceError(400, 'invalid parameter', { reason });
}
