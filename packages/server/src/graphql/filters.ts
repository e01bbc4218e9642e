/**
 * What the inputs of queries choose. Every condition must be met; a list is met by any of its entries. Before a filter
 * looks at objects it charges the request's budget: objects times conditions, where each search token is one.
 */
import type { RequestBudget } from '../base/request-budget.ts';
import { isSpecialWard, SPECIAL_WARDS_CODE } from '../catalogue/names/areas.ts';
import { type AreaNode, type AreaType, compareAreas } from './area-node.ts';
import { type CatalogueGraph, cityGmlIn } from './catalogue-graph.ts';
import type { CityGmlNode } from './citygml-node.ts';
import type { DatasetNode } from './dataset-node.ts';
import { badInput } from './limits.ts';
import { searchable } from './search-text.ts';
import { type DatasetTypeNode, withNumber } from './spec-node.ts';

/** A value that was not given, or given as null, chooses nothing out. */
type Given<T> = { [K in keyof T]?: T[K] | null | undefined };

export type DatasetsInput = Given<{
  areaCodes: string[];
  plateauSpec: string;
  year: number;
  registrationYear: number;
  excludeTypes: string[];
  includeTypes: string[];
  searchTokens: string[];
  shallow: boolean;
  groupedOnly: boolean;
  ar: boolean;
  mapSymbols: boolean;
}>;

export type AreasInput = Given<{
  parentCode: string;
  datasetTypes: string[];
  categories: string[];
  areaTypes: AreaType[];
  searchTokens: string[];
  includeParents: boolean;
  includeEmpty: boolean;
  deep: boolean;
}>;

export type DatasetTypesInput = Given<{ category: string; plateauSpec: string; year: number }>;

export type CitygmlDatasetsInput = Given<{ prefectureCodes: string[]; cityCodes: string[]; years: number[] }>;

/** Datasets of the whole catalogue. */
export function findDatasets(
  graph: CatalogueGraph,
  input: DatasetsInput,
  budget: RequestBudget,
): readonly DatasetNode[] {
  const isAll = input.mapSymbols === true;
  if (input.areaCodes == null)
    return filterDatasets(isAll ? graph.everyDataset : graph.datasets, input, budget);
  const covered = [...new Set(input.areaCodes)].map((code) => ({ code, all: graph.datasetsOf(code, isAll) }));
  budget.items(covered.reduce((sum, { all }) => sum + 1 + all.length, 0));
  const chosen = covered.map(({ code, all }) =>
    input.shallow ? all.filter((dataset) => dataset.area.code === code) : all,
  );
  if (chosen.length === 1) return filterDatasets(chosen[0]!, input, budget);
  const inOrder = [...new Set(chosen.flat())].sort((a, b) => a.place - b.place);
  return filterDatasets(inOrder, input, budget);
}

/** The first so many; all of them when no number is given. Throws a GraphQLError for a number below 0. */
export function firstOf<T>(found: readonly T[], limit: unknown): readonly T[] {
  if (limit == null) return found;
  if (Number(limit) < 0) throw badInput(`limit is ${limit}; it must be 0 or more.`);
  return found.slice(0, Number(limit));
}

/** Datasets of an area; `areaCodes` does not count here. */
export function findDatasetsOf(
  graph: CatalogueGraph,
  area: AreaNode,
  input: DatasetsInput,
  budget: RequestBudget,
): readonly DatasetNode[] {
  const all = graph.datasetsIn(area, input.mapSymbols === true);
  if (!input.shallow) return filterDatasets(all, input, budget);
  budget.items(all.length);
  const own = all.filter((dataset) => dataset.area.code === area.code);
  return filterDatasets(own, input, budget);
}

/** Datasets that meet all conditions but those on areas, in the order given. */
export function filterDatasets(
  datasets: readonly DatasetNode[],
  input: DatasetsInput,
  budget: RequestBudget,
): readonly DatasetNode[] {
  const conditions: Array<(dataset: DatasetNode) => boolean> = [];
  const { year, registrationYear, ar } = input;
  if (year != null) conditions.push((dataset) => dataset.year === year);
  if (registrationYear != null) conditions.push((dataset) => dataset.registrationYear === registrationYear);
  if (input.plateauSpec != null) {
    const matches = specMatcher(input.plateauSpec);
    conditions.push(({ plateauSpecMinor: minor }) => matches(minor.version, minor.majorVersion));
  }
  if (input.includeTypes != null) {
    const matches = typeMatcher(input.includeTypes, budget);
    conditions.push((dataset) => matches(dataset.type));
  }
  if (input.excludeTypes != null) {
    const matches = typeMatcher(input.excludeTypes, budget);
    conditions.push((dataset) => !matches(dataset.type));
  }
  for (const token of tokensOf(input.searchTokens)) {
    conditions.push((dataset) => dataset.words.includes(token));
  }
  if (input.groupedOnly) conditions.push((dataset) => dataset.groups !== null);
  if (ar != null) conditions.push((dataset) => dataset.ar === ar);
  if (conditions.length === 0) return datasets;
  budget.items(datasets.length * conditions.length);
  return datasets.filter((dataset) => conditions.every((condition) => condition(dataset)));
}

/** Areas by code. */
export function findAreas(graph: CatalogueGraph, input: AreasInput, budget: RequestBudget): AreaNode[] {
  const tokens = tokensOf(input.searchTokens);
  const types = input.areaTypes == null ? null : new Set(input.areaTypes);
  budget.items(graph.areas.all.length * (1 + tokens.length));
  const hasWanted = holderOf(graph, input, budget);
  const found = candidates(graph, input).filter(
    (area) =>
      (types === null || types.has(area.type)) &&
      tokens.every((token) => area.words.includes(token)) &&
      (input.includeEmpty === true || hasWanted(area)),
  );
  if (!input.includeParents) return found;
  const all = new Set<AreaNode>();
  for (const area of found) {
    for (let ancestor: AreaNode | null = area; ancestor !== null; ancestor = ancestor.parent)
      all.add(ancestor);
  }
  return [...all].sort(compareAreas);
}

function candidates(graph: CatalogueGraph, { parentCode, deep }: AreasInput): readonly AreaNode[] {
  if (parentCode == null) return graph.areas.all;
  return graph.areas.all.filter(
    (area) =>
      area.parent?.code === parentCode ||
      // The special wards are municipalities, and 13100 stands for all of them.
      (parentCode === SPECIAL_WARDS_CODE && area.type === 'CITY' && isSpecialWard(area.code)) ||
      (deep === true && area.parent !== null && area.prefectureCode === parentCode),
  );
}

/** Whether an area, or one below it, has a dataset of the wanted types and categories. */
function holderOf(
  graph: CatalogueGraph,
  { datasetTypes, categories }: AreasInput,
  budget: RequestBudget,
): (area: AreaNode) => boolean {
  if (categories != null && !categories.includes('PLATEAU')) return () => false;
  if (datasetTypes == null) return (area) => graph.datasetsIn(area).length > 0;
  const matches = typeMatcher(datasetTypes, budget);
  budget.items(graph.areas.all.reduce((sum, area) => sum + graph.datasetsIn(area).length, 0));
  return (area) => graph.datasetsIn(area).some((dataset) => matches(dataset.type));
}

export function findDatasetTypes(
  graph: CatalogueGraph,
  input: DatasetTypesInput,
  budget: RequestBudget,
): DatasetTypeNode[] {
  budget.items(graph.datasetTypes.length);
  const matchesSpec = input.plateauSpec == null ? null : specMatcher(input.plateauSpec);
  return graph.datasetTypes.filter(
    (type) =>
      (input.category == null || type.category === input.category) &&
      (input.year == null || type.year === input.year) &&
      (matchesSpec === null ||
        type.plateauSpec.minorVersions.some((minor) => matchesSpec(minor.version, minor.majorVersion))),
  );
}

export function findCityGml(
  graph: CatalogueGraph,
  input: CitygmlDatasetsInput,
  budget: RequestBudget,
): readonly CityGmlNode[] {
  const lists = [input.prefectureCodes, input.cityCodes, input.years];
  const entries = lists.reduce((sum, list) => sum + (list?.length ?? 0), 0);
  budget.items(graph.cityGml.length * lists.filter((list) => list != null).length + entries);
  const prefectures = input.prefectureCodes == null ? null : new Set(input.prefectureCodes);
  const cities = input.cityCodes == null ? null : cityGmlIn(graph, input.cityCodes);
  const years = input.years == null ? null : new Set(input.years);
  return graph.cityGml.filter(
    (node) =>
      (prefectures === null || prefectures.has(node.prefectureCode)) &&
      (cities === null || cities.has(node)) &&
      (years === null || years.has(node.year)),
  );
}

/** Areas whose extent contains the point, edges included. */
export function findAreasAt(
  graph: CatalogueGraph,
  lng: number,
  lat: number,
  budget: RequestBudget,
): AreaNode[] {
  budget.items(graph.areas.all.length);
  return graph.areas.all.filter(({ bbox, hasData }) => {
    if (bbox === null || !hasData) return false;
    const [west, south, east, north] = bbox as [number, number, number, number];
    return west <= lng && lng <= east && south <= lat && lat <= north;
  });
}

/** Types by code (`bldg`), id (`dt_bldg_4`), name (建築物モデル) or category (`plateau`). */
function typeMatcher(codes: readonly string[], budget: RequestBudget): (type: DatasetTypeNode) => boolean {
  budget.items(codes.length);
  const texts = new Set(codes.map((text) => text.trim().toLowerCase()));
  return (type) =>
    texts.has(type.code) ||
    texts.has(type.id) ||
    texts.has(type.name) ||
    texts.has(type.category.toLowerCase());
}

/** Editions by `4`, `4.1`, `第4.1版`, `ps_4` or `ps_4.1`; a major number takes all its editions. */
function specMatcher(text: string): (version: string, majorVersion: number) => boolean {
  const edition = text
    .normalize('NFKC')
    .trim()
    .replace(/^ps_|^v|^第/, '')
    .replace(/版$/, '');
  const major = /^\d+$/.test(edition) ? Number(edition) : null;
  return (version, majorVersion) =>
    major === null ? withNumber(version) === edition : majorVersion === major;
}

function tokensOf(texts: readonly string[] | null | undefined): string[] {
  const tokens = (texts ?? []).map((token) => searchable(token.trim()));
  return [...new Set(tokens)].filter((token) => token !== '');
}
