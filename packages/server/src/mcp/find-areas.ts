/** Areas for assistants: those with tiles, and those that have CityGML alone, which GraphQL lists as empty. */
import { compareTexts } from '@citymodel/base';
import { type Ask, askGraphql, askJson } from './ask.ts';

/** 1,900 areas have 0.6 MB. */
const MAX_BYTES = 8 * 1_024 * 1_024;

/** The input of GraphQL. */
export interface AreasWanted {
  parentCode?: string | undefined;
  datasetTypes?: readonly string[] | undefined;
  categories?: readonly string[] | undefined;
  areaTypes?: readonly string[] | undefined;
  searchTokens?: readonly string[] | undefined;
  includeParents?: boolean | undefined;
  includeEmpty?: boolean | undefined;
  deep?: boolean | undefined;
}

interface GraphArea {
  id: string;
  type: string;
  code: string;
  name: string;
  parentId: string | null;
  datasetCount: number;
}

export interface FoundArea extends GraphArea {
  /** Types of which it has CityGML or tiles. */
  featureTypes: readonly string[];
  hasCityGml: boolean;
}

interface AreaRow {
  code: string;
  type: string;
  feature_types: string[];
  citygml: boolean;
}

const AREA = '{ id type code name parentId datasetCount }';
const QUERY = `query ($input: AreasInput, $all: AreasInput, $around: AreasInput) {
  tiled: areas(input: $input) ${AREA} all: areas(input: $all) { id } around: areas(input: $around) ${AREA} }`;

/** Areas that have tiles or CityGML of what is wanted, by code. Throws as `askJson`. */
export async function findAreas(wanted: AreasWanted, ask: Ask, signal: AbortSignal): Promise<FoundArea[]> {
  const everything = { ...wanted, datasetTypes: undefined, categories: undefined, includeEmpty: true };
  const variables = {
    input: wanted,
    all: { ...everything, includeParents: false },
    around: everything,
  };
  const [graph, rest] = await Promise.all([
    askGraphql<Record<'tiled' | 'around', GraphArea[]> & { all: Array<{ id: string }> }>(
      ask,
      QUERY,
      variables,
      signal,
    ),
    askJson(ask, '/datacatalog/areas', { signal, maxBytes: MAX_BYTES }) as Promise<{ areas: AreaRow[] }>,
  ]);
  const rows = new Map(rest.areas.map((row) => [keyOf(row), row]));
  const isWanted = wantedBy(wanted);
  const areas = new Map(graph.around.map((area) => [area.id, area]));
  const chosen = new Set(graph.tiled.map(({ id }) => id));
  for (const { id } of graph.all) {
    const area = areas.get(id);
    const row = area === undefined ? undefined : rows.get(keyOf(area));
    if (row === undefined || !row.citygml || !isWanted(row)) continue;
    chosen.add(id);
    if (wanted.includeParents !== true) continue;
    for (let at = area; at !== undefined; at = areas.get(at.parentId ?? '')) chosen.add(at.id);
  }
  return [...new Map([...graph.tiled, ...graph.around].map((area) => [area.id, area])).values()]
    .filter(({ id }) => chosen.has(id))
    .sort((a, b) => compareTexts(a.code, b.code))
    .map((area) => {
      const row = rows.get(keyOf(area));
      return { ...area, featureTypes: row?.feature_types ?? [], hasCityGml: row?.citygml ?? false };
    });
}

/** A code may be that of a municipality and of a ward. */
function keyOf({ type, code }: { type: string; code: string }): string {
  return `${type.toLowerCase()} ${code}`;
}

/** Whether CityGML of an area counts: its types are of the category PLATEAU. */
function wantedBy({
  datasetTypes,
  categories,
}: Pick<AreasWanted, 'datasetTypes' | 'categories'>): (row: AreaRow) => boolean {
  if (categories !== undefined && !categories.includes('PLATEAU')) return () => false;
  if (datasetTypes === undefined || datasetTypes.includes('plateau')) return () => true;
  const types = new Set(datasetTypes);
  return (row) => row.feature_types.some((type) => types.has(type));
}
