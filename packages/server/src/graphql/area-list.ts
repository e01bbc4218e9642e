/** Every area with what is published for it, for callers without GraphQL. */

import type { TileFormat } from '@citymodel/base';
import { compareTypes } from '@citymodel/citygml';
import { readingsOf } from '../catalogue/names/area-readings.ts';
import type { RowKeys } from '../catalogue/rows/row-block.ts';
import type { RowFilters } from '../catalogue/rows/row-filter.ts';
import type { AreaNode, AreaType } from './area-node.ts';
import type { CatalogueGraph } from './catalogue-graph.ts';
import type { DatasetNode } from './dataset-node.ts';

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
 * Areas that have anything, by code, each with what it and the areas below it have. Filters see of an area its
 * prefecture, itself and what it is a part of, its types and its box.
 */
export function listAreas(graph: CatalogueGraph, { all }: RowFilters): AreaRow[] {
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
  const rows: AreaRow[] = [];
  for (const area of graph.areas.all) {
    if (!area.hasData) continue;
    const place = placeKeys(area);
    if (!all.every((filter) => filter.accepts(place))) continue;
    const row = describe(area, graph.datasetsIn(area), holdings.get(area));
    const types = { types: row.feature_types.join() };
    if (!all.every((filter) => filter.accepts(types))) continue;
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

/** What filters see of where an area is. */
function placeKeys({ prefectureCode, code, parent, bbox }: AreaNode): Partial<RowKeys> {
  const [west, south, east, north] = (bbox ?? []) as [number, number, number, number];
  const bounds = bbox === null ? null : { west, south, east, north };
  return { pref: prefectureCode, city: code, ward: parent?.code ?? '', bounds };
}
