/** Every area with what is published for it, for callers without GraphQL. */

import type { TileFormat } from '@citymodel/base';
import { compareTypes } from '@citymodel/citygml';
import { boundsIntersect } from '@citymodel/geo';
import { readingsOf } from '../catalogue/names/area-readings.ts';
import { membersOf } from '../catalogue/names/areas.ts';
import type { CatalogueQuery } from '../catalogue/snapshot/catalogue-filter.ts';
import type { AreaNode, AreaType } from './area-node.ts';
import type { CatalogueGraph } from './catalogue-graph.ts';
import type { DatasetNode } from './dataset-node.ts';

/** Which areas: null for what does not matter. */
export type AreaQuery = Pick<CatalogueQuery, 'prefCodes' | 'cityCodes' | 'types' | 'bbox'>;

export interface AreaRow {
  code: string;
  name: string;
  /** Hiragana, and Latin letters such as `osaka-shi`; null where unknown. */
  kana: string | null;
  romaji: string | null;
  type: 'prefecture' | 'city' | 'ward';
  /** Code of the prefecture of a municipality, of the city of a ward; null for a prefecture. */
  parent_code: string | null;
  /** West, south, east, north in degrees; null where unknown. */
  bbox: readonly number[] | null;
  /** Codes of the feature types that there are as tiles or in CityGML, in the order of the catalogue. */
  feature_types: string[];
  /** Formats of tiles. */
  formats: TileFormat[];
  /** Years of production, newest first. */
  years: number[];
  /** Number of datasets, each with one or more items. */
  datasets: number;
  /** Whether there is CityGML. */
  citygml: boolean;
}

const TYPES = { PREFECTURE: 'prefecture', CITY: 'city', WARD: 'ward' } as const satisfies Record<
  AreaType,
  string
>;

/**
 * Areas that have anything, by code, each with what it and the areas below it have. Of a query count the prefectures,
 * the municipalities and wards (a designated city with its wards), the types, and the box.
 */
export function listAreas(graph: CatalogueGraph, query: AreaQuery): AreaRow[] {
  const holdings = new Map<AreaNode, { types: Set<string>; years: Set<number> }>();
  for (const { row } of graph.cityGml) {
    for (let area: AreaNode | null = graph.areas.ofRow(row); area !== null; area = area.parent) {
      let holding = holdings.get(area);
      if (holding === undefined) {
        holding = { types: new Set(), years: new Set() };
        holdings.set(area, holding);
      }
      for (const type of row.types) holding.types.add(type);
      holding.years.add(row.year);
    }
  }
  const cities = query.cityCodes === null ? null : new Set(query.cityCodes.flatMap(membersOf));
  const { bbox } = query;
  const rows: AreaRow[] = [];
  for (const area of graph.areas.all) {
    if (!area.hasData) continue;
    if (query.prefCodes !== null && !query.prefCodes.includes(area.prefectureCode)) continue;
    if (cities !== null && !cities.has(area.code) && !cities.has(area.parent?.code ?? '')) continue;
    if (bbox !== null && !touches(area, bbox)) continue;
    const row = describe(area, graph.datasetsIn(area), holdings.get(area));
    if (query.types !== null && !query.types.some((type) => row.feature_types.includes(type))) continue;
    rows.push(row);
  }
  return rows;
}

function describe(
  area: AreaNode,
  datasets: readonly DatasetNode[],
  cityGml: { types: Set<string>; years: Set<number> } | undefined,
): AreaRow {
  const types = new Set(cityGml?.types);
  const years = new Set(cityGml?.years);
  const formats = new Set<TileFormat>();
  for (const dataset of datasets) {
    types.add(dataset.typeCode);
    years.add(dataset.year);
    for (const { source } of dataset.items) formats.add(source.summary.format);
  }
  const readings = readingsOf(area.code);
  return {
    code: area.code,
    name: area.name,
    kana: readings?.kana ?? null,
    romaji: readings?.romaji ?? null,
    type: TYPES[area.type],
    parent_code: area.parent?.code ?? null,
    bbox: area.bbox,
    feature_types: [...types].sort(compareTypes),
    formats: [...formats].sort(),
    years: [...years].sort((a, b) => b - a),
    datasets: datasets.length,
    citygml: cityGml !== undefined,
  };
}

function touches(area: AreaNode, box: NonNullable<CatalogueQuery['bbox']>): boolean {
  if (area.bbox === null) return false;
  const [west, south, east, north] = area.bbox as [number, number, number, number];
  return boundsIntersect({ west, south, east, north }, box);
}
