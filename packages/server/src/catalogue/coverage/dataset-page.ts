/** The datasets of the catalogue a page at a time, filtered, sorted and counted by what they could be filtered by. */

import { compareTexts, factsOfFormat, type Slices } from '@citymodel/base';
import { compareTypes, isMapSymbols } from '@citymodel/citygml';
import type { Bounds } from '@citymodel/geo';
import { type Filter, type Filters, keyOf } from '../../base/filter.ts';
import { GeneratedDocument, type ReadyDocument } from '../../base/generated-document.ts';
import { foldKana, readingWords } from '../names/area-readings.ts';
import { areaOf } from '../rows/citygml-rows.ts';
import { datasetKeys } from '../rows/dataset-rows.ts';
import type { RowKeys } from '../rows/row-block.ts';
import type { RowFilter } from '../rows/row-filter.ts';
import type { Dataset } from '../rows/snapshot-dataset.ts';
import { blockOf, rowText } from '../rows/snapshot-table.ts';
import { areaKey } from '../snapshot/city-part.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';

export const DATASET_ORDERS = ['place', 'type', 'lod', 'year', 'size'] as const;
export type DatasetOrder = (typeof DATASET_ORDERS)[number];

/** Columns whose values are counted. */
export const FACETS = ['pref_code', 'city_code', 'type_en', 'format', 'lod', 'year', 'texture'] as const;
export type Facet = (typeof FACETS)[number];

/** What is asked of datasets, named as the facet where it is about one. */
export interface DatasetFilter extends Filter {
  /** Whether a dataset passes, of which filters of rows see the keys. */
  accepts(dataset: Dataset, keys: RowKeys): boolean;
}

export interface DatasetPageQuery {
  filters: Filters<DatasetFilter>;
  /** Counts and lists sets of map symbols, too. */
  mapSymbols: boolean;
  order: DatasetOrder;
  offset: number;
  limit: number;
}

/** A value with how many datasets have it, and the name of an area. */
export type FacetValue = [value: string, count: number, name?: string];

/**
 * `{datasets, total, offset, facets}`: rows as the array `datasets` of the catalogue has them, and for each facet its
 * values among the datasets that pass all other filters. Made once for a state of the catalogue, in slices beside other
 * requests; a page that is kept is there at once.
 */
export function datasetPage(
  snapshot: Snapshot,
  query: DatasetPageQuery,
  slices: () => Slices,
): ReadyDocument | Promise<ReadyDocument> {
  const key = keyOf('dataset-page', query);
  const { generated } = snapshot;
  return (
    generated.find(key) ??
    makePage(snapshot, query, slices()).then((document) => generated.keep(key, document))
  );
}

async function makePage(
  snapshot: Snapshot,
  query: DatasetPageQuery,
  slices: Slices,
): Promise<GeneratedDocument> {
  const counts = new Map<Facet, Map<string, number>>(FACETS.map((facet) => [facet, new Map()]));
  const found: Dataset[] = [];
  const all = query.mapSymbols ? [...snapshot.datasets, ...snapshot.mapSymbols] : snapshot.datasets;
  await slices.each(all, (dataset) => {
    // Failing one filter alone still counts for the values of that filter.
    let failed: string | null = null;
    let failures = 0;
    const keys = datasetKeys(dataset, boundsOf(snapshot, dataset));
    for (const filter of query.filters.all) {
      if (filter.accepts(dataset, keys)) continue;
      failed = filter.name;
      if (++failures > 1) break;
    }
    if (failures > 1) return;
    if (failures === 0) found.push(dataset);
    for (const facet of FACETS) {
      if (failures === 1 && failed !== facet) continue;
      const values = counts.get(facet)!;
      // A ward is chosen beside its city.
      const { wardCode } = dataset.package;
      if (facet === 'city_code' && wardCode !== null) values.set(wardCode, (values.get(wardCode) ?? 0) + 1);
      const value = facetValue(dataset, facet);
      values.set(value, (values.get(value) ?? 0) + 1);
    }
  });
  found.sort(COMPARE[query.order]);
  const rows = rowTexts(snapshot, found.slice(query.offset, query.offset + query.limit));
  const names = areaNames(snapshot);
  const facets = Object.fromEntries(
    [...counts].map(([facet, values]) => [
      facet,
      [...values]
        .sort(([a], [b]) => compareTexts(a, b))
        .map(
          ([value, count]): FacetValue =>
            names.has(value) && facet.endsWith('_code') ? [value, count, names.get(value)!] : [value, count],
        ),
    ]),
  );
  const head = JSON.stringify({ total: found.length, offset: query.offset, facets });
  return new GeneratedDocument(Buffer.from(`${head.slice(0, -1)},"datasets":[${rows.join(',')}]}`));
}

/** A filter of catalogue rows, asked of the row of a dataset. */
export function filterOfRow(filter: RowFilter | null): DatasetFilter | null {
  return filter && { ...filter, accepts: (_, keys) => filter.accepts(keys) };
}

/** Textured or untextured datasets; null for both. */
export function textureFilter(texture: boolean | null): DatasetFilter | null {
  if (texture === null) return null;
  return {
    name: 'texture' satisfies Facet,
    key: `texture=${texture}`,
    words: texture ? 'textured' : 'untextured',
    accepts: (dataset) => facetValue(dataset, 'texture') === String(texture),
  };
}

/** Datasets in whose id, names and readings all words occur. */
export function wordsFilter(asked: readonly string[]): DatasetFilter | null {
  if (asked.length === 0) return null;
  const folded = asked.map(foldWord);
  return {
    name: 'text',
    key: JSON.stringify(['text', ...folded]),
    words: `with ${asked.join(' ')}`,
    accepts: (dataset) => folded.every((word) => wordsOf(dataset).includes(word)),
  };
}

/** The extent of a dataset as its row has it. */
function boundsOf(snapshot: Snapshot, { package: row }: Dataset): Bounds | null {
  return row.bounds ?? snapshot.boundsOf(areaOf(row)) ?? snapshot.boundsOf(row.cityCode);
}

function facetValue({ package: row, summary, lod }: Dataset, facet: Facet): string {
  switch (facet) {
    case 'pref_code':
      return row.prefCode;
    case 'city_code':
      return row.cityCode;
    case 'type_en':
      return summary.type;
    case 'format':
      return summary.format;
    case 'lod':
      return String(lod);
    case 'year':
      return String(row.year);
    case 'texture':
      return String(factsOfFormat(summary.format).isTextured && summary.texture);
  }
}

const byId = (a: Dataset, b: Dataset) => compareTexts(a.id, b.id);

/** Municipalities by code, what is of a whole prefecture after them: buildings come before floods of a region. */
function compareAreas(a: string, b: string): number {
  return (
    compareTexts(a.slice(0, 2), b.slice(0, 2)) ||
    Number(a.length === 2) - Number(b.length === 2) ||
    compareTexts(a, b)
  );
}

/** The municipality of a dataset, also of one of its wards; a prefecture's two digits where it is of none. */
function municipalityOf({ area, package: row }: Dataset): string {
  return area.length === 2 ? area : row.cityCode;
}

/** In the order of types, buildings first, the highest LOD before others; of one thing all wards, and all years. */
function byKind(a: Dataset, b: Dataset): number {
  return (
    compareTypes(a.summary.type, b.summary.type) ||
    compareTexts(a.sub, b.sub) ||
    compareTexts(a.summary.format, b.summary.format) ||
    b.lodRank - a.lodRank ||
    Number(b.summary.texture) - Number(a.summary.texture) ||
    compareTexts(a.area, b.area) ||
    b.package.year - a.package.year
  );
}

const COMPARE: Record<DatasetOrder, (a: Dataset, b: Dataset) => number> = {
  place: (a, b) => compareAreas(municipalityOf(a), municipalityOf(b)) || byKind(a, b) || byId(a, b),
  type: (a, b) => compareTexts(a.summary.type, b.summary.type) || byId(a, b),
  lod: (a, b) => b.lodRank - a.lodRank || byId(a, b),
  year: (a, b) => b.package.year - a.package.year || byId(a, b),
  size: (a, b) => b.package.archiveSize - a.package.archiveSize || byId(a, b),
};

const words = new WeakMap<Dataset, string>();

function wordsOf(dataset: Dataset): string {
  let text = words.get(dataset);
  if (text === undefined) {
    const { package: row, summary, id, name, area } = dataset;
    text = foldWord(
      [
        id,
        name,
        row.pref,
        row.city,
        row.cityCode,
        row.ward ?? '',
        row.wardCode ?? '',
        summary.type,
        row.name,
      ].join(' ') + ` ${readingWords(area)}`,
    );
    words.set(dataset, text);
  }
  return text;
}

/** Kana and letters brought to one form; blanks between words stay. */
function foldWord(text: string): string {
  return text
    .split(' ')
    .map((word) => foldKana(word.toLowerCase().replaceAll('ō', 'o').replaceAll('ū', 'u')))
    .join(' ');
}

/** The rows of datasets as the catalogue has them. */
function rowTexts(snapshot: Snapshot, datasets: readonly Dataset[]): string[] {
  const ofSymbols = datasets.some(({ summary }) => isMapSymbols(summary.sub))
    ? new Map(snapshot.withMapSymbols!.datasets.blocks.map((block) => [block.key, block]))
    : null;
  return datasets.map((dataset) => {
    // A set of map symbols is a block of its own.
    if (isMapSymbols(dataset.summary.sub)) return rowText(ofSymbols!.get(dataset.id)!, 0);
    const block = blockOf(snapshot.tables.datasets, areaKey(dataset.area))!;
    return rowText(block, snapshot.datasetsOfArea(dataset.area).indexOf(dataset));
  });
}

const names = new WeakMap<Snapshot, Map<string, string>>();

/** Names of prefectures and municipalities that have datasets, by code. */
function areaNames(snapshot: Snapshot): Map<string, string> {
  let found = names.get(snapshot);
  if (found === undefined) {
    found = new Map();
    for (const { package: row } of snapshot.datasets) {
      found.set(row.prefCode, row.pref);
      found.set(row.cityCode, row.city);
      if (row.wardCode !== null) found.set(row.wardCode, `${row.city} ${row.ward ?? row.wardCode}`);
    }
    names.set(snapshot, found);
  }
  return found;
}
