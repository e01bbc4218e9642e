/** Tools over the catalogue: areas, datasets, types, versions of the specification. */
import { specPath } from '@citymodel/base';
import { z } from 'zod';
import { askGraphql, askJson, ToolError } from './ask.ts';
import { cut, metadataOf } from './cut.ts';
import { findAreas } from './find-areas.ts';
import { type Tool, texts, tokensOf, tool } from './tool.ts';

const MAX_AREAS = 200;
const MAX_DATASETS = 100;
/** A composite of 1,700 municipalities has 1 MB; the server keeps it for all who ask. */
const MAX_TILESET_BYTES = 4 * 1_024 * 1_024;

const ITEMS = 'items { format url ... on PlateauDatasetItem { lod texture } }';
const DATASET = `id name typeCode year prefectureCode cityCode wardCode ${ITEMS}`;

interface GraphDataset {
  id: string;
  name: string;
  typeCode: string;
  year: number;
  prefectureCode: string | null;
  cityCode: string | null;
  wardCode: string | null;
  items: object[];
}

interface GraphArea {
  id: string;
  type: string;
  code: string;
  name: string;
  parentId: string | null;
  datasetCount: number;
  datasets: GraphDataset[];
  /** Of a municipality. */
  citygml?: { year: number; url: string; featureTypes: string[]; quality?: object | null } | null;
}

interface GraphMetadata {
  years: number[];
  plateauSpecs: Array<{
    id: string;
    majorVersion: number;
    year: number;
    minorVersions: Array<{ version: string }>;
  }>;
  areas: object[];
  datasetCount: number;
  citygmlDatasets: object[];
}

const category = z.enum(['PLATEAU', 'RELATED', 'GENERIC']);
const year = z.number().int().optional().describe('Year of production, such as 2023.');

const AREAS_NARROWER = [
  'Give parent_code: a prefecture code such as 13.',
  'Give area_types or search_text.',
] as const;
const DATASETS_NARROWER = ['Give area_codes.', 'Give dataset_types, such as bldg.', 'Give year.'] as const;

export const CATALOGUE_TOOLS: readonly Tool[] = [
  tool({
    name: 'plateau_get_metadata',
    title: 'What the catalogue holds',
    description:
      'Years of the data, versions of the specification, numbers of areas with tiles, of datasets, and of CityGML ' +
      'packages.',
    parameters: {},
    async run(_given, { ask, signal }) {
      const data = await askGraphql<GraphMetadata>(
        ask,
        '{ years plateauSpecs { id majorVersion year minorVersions { version } } areas { id } datasetCount ' +
          'citygmlDatasets { id } }',
        {},
        signal,
      );
      return {
        available_years: data.years,
        plateau_specs: data.plateauSpecs.map((spec) => ({
          id: spec.id,
          major_version: spec.majorVersion,
          year: spec.year,
          minor_versions: spec.minorVersions.map(({ version }) => version),
        })),
        total_areas: data.areas.length,
        total_datasets: data.datasetCount,
        total_citygml_packages: data.citygmlDatasets.length,
      };
    },
  }),
  tool({
    name: 'plateau_search_areas',
    title: 'Find areas',
    description:
      'Prefectures, municipalities and wards that have tiles or CityGML, by name, type or parent. Those with ' +
      'has_citygml and no datasets have CityGML files alone: plateau_get_citygml_files lists them.',
    parameters: {
      parent_code: z.string().max(10).optional().describe('Code of the area that they lie in, such as 13.'),
      dataset_types: texts('Only areas with tiles or CityGML of these types, such as bldg.', 50),
      categories: z
        .array(category)
        .max(3)
        .optional()
        .describe('Only areas with datasets of these categories.'),
      area_types: z
        .array(z.enum(['PREFECTURE', 'CITY', 'WARD']))
        .max(3)
        .optional()
        .describe('Only areas of these types.'),
      search_text: z.string().max(200).optional().describe('Words of the name, in Japanese.'),
      include_parents: z.boolean().optional().describe('Also the areas that contain those found.'),
      include_empty: z
        .boolean()
        .optional()
        .describe('Also areas without data, such as wards of cities that have some.'),
      deep: z.boolean().optional().describe('With parent_code: at every level below, not the next alone.'),
    },
    async run(parameters, { ask, signal }) {
      const input = {
        parentCode: parameters.parent_code,
        datasetTypes: parameters.dataset_types,
        categories: parameters.categories,
        areaTypes: parameters.area_types,
        searchTokens: tokensOf(parameters.search_text),
        includeParents: parameters.include_parents,
        includeEmpty: parameters.include_empty,
        deep: parameters.deep,
      };
      const found = cut(
        (await findAreas(input, ask, signal)).map((area) => ({
          id: area.id,
          type: area.type,
          code: area.code,
          name: area.name,
          parent_id: area.parentId,
          dataset_count: area.datasetCount,
          feature_types: area.featureTypes,
          has_citygml: area.hasCityGml,
        })),
        MAX_AREAS,
      );
      return { areas: found.items, metadata: metadataOf(found, AREAS_NARROWER) };
    },
  }),
  tool({
    name: 'plateau_get_area',
    title: 'One area',
    description:
      'A prefecture (2 digits), municipality or ward (5 digits) with its datasets, and with the newest CityGML of a ' +
      'municipality and what checks of its quality found.',
    parameters: { code: z.string().max(10).describe('Code of the area, such as 13101.') },
    async run({ code }, { ask, signal }) {
      const { area } = await askGraphql<{ area: GraphArea | null }>(
        ask,
        `query ($code: AreaCode!) { area(code: $code) { id type code name parentId datasetCount datasets(limit: ` +
          `${MAX_DATASETS}) { ${DATASET} } ... on City { citygml { year url featureTypes quality { ` +
          'spec errors warnings complete scope checkedAt } } } } }',
        { code },
        signal,
      );
      if (area === null) {
        throw new ToolError(
          `There is no data for ${code}. plateau_search_areas lists the areas that have data.`,
        );
      }
      const datasets = cut(area.datasets.map(datasetOf), MAX_DATASETS, area.datasetCount);
      return {
        id: area.id,
        type: area.type,
        code: area.code,
        name: area.name,
        parent_id: area.parentId,
        datasets: datasets.items,
        citygml: citygmlOf(area),
        metadata: metadataOf(datasets, ['Use plateau_search_datasets with dataset_types or year.']),
      };
    },
  }),
  tool({
    name: 'plateau_search_datasets',
    title: 'Find datasets',
    description: '3D Tiles and MVT datasets with their URLs, by area, type, year and words of the name.',
    parameters: {
      area_codes: texts('Codes of prefectures, municipalities or wards.', 200),
      dataset_types: texts('Feature types, such as bldg, tran, fld.', 50),
      categories: z.array(category).max(3).optional().describe('Only datasets of these categories.'),
      plateau_spec: z.string().max(20).optional().describe('Version of the specification, such as 4 or 4.1.'),
      year,
      registration_year: z.number().int().optional().describe('Fiscal year of registration.'),
      search_text: z.string().max(200).optional().describe('Words of the name, in Japanese.'),
      shallow: z
        .boolean()
        .optional()
        .describe('Only datasets of the areas themselves, not of areas in them.'),
      include_map_symbols: z
        .boolean()
        .optional()
        .describe('Also vector tiles of map symbols inside of features, such as labels of street furniture.'),
    },
    async run(parameters, { ask, signal }) {
      const types = [
        ...(parameters.dataset_types ?? []),
        ...(parameters.categories ?? []).map((name) => name.toLowerCase()),
      ];
      const input = {
        areaCodes: parameters.area_codes,
        includeTypes: types.length === 0 ? undefined : types,
        plateauSpec: parameters.plateau_spec,
        year: parameters.year,
        registrationYear: parameters.registration_year,
        searchTokens: tokensOf(parameters.search_text),
        shallow: parameters.shallow,
        mapSymbols: parameters.include_map_symbols,
      };
      const { datasetCount, datasets } = await askGraphql<{
        datasetCount: number;
        datasets: GraphDataset[];
      }>(
        ask,
        `query ($input: DatasetsInput) { datasetCount(input: $input) datasets(input: $input, limit: ` +
          `${MAX_DATASETS}) { ${DATASET} } }`,
        { input },
        signal,
      );
      const found = cut(datasets.map(datasetOf), MAX_DATASETS, datasetCount);
      return { datasets: found.items, metadata: metadataOf(found, DATASETS_NARROWER) };
    },
  }),
  tool({
    name: 'plateau_get_dataset',
    title: 'One dataset',
    description: 'A dataset with its items, by the id that the searches give.',
    parameters: { id: z.string().max(300).describe('Id of the dataset; it begins with d_.') },
    async run({ id }, { ask, signal }) {
      const { node } = await askGraphql<{ node: GraphDataset | Record<string, never> | null }>(
        ask,
        `query ($id: ID!) { node(id: $id) { ... on PlateauDataset { ${DATASET} } } }`,
        { id },
        signal,
      );
      if (node === null || !('items' in node)) {
        throw new ToolError(`There is no dataset ${id}. plateau_search_datasets lists the ids.`);
      }
      return datasetOf(node as GraphDataset);
    },
  }),
  tool({
    name: 'plateau_list_dataset_types',
    title: 'Types of datasets',
    description: 'Feature types with their codes and Japanese names.',
    parameters: {
      category: category.optional(),
      plateau_spec: z.string().max(20).optional().describe('Version of the specification, such as 4.'),
      year,
    },
    async run(parameters, { ask, signal }) {
      const { datasetTypes } = await askGraphql<{ datasetTypes: object[] }>(
        ask,
        'query ($input: DatasetTypesInput) { datasetTypes(input: $input) { id code name category } }',
        {
          input: {
            category: parameters.category,
            plateauSpec: parameters.plateau_spec,
            year: parameters.year,
          },
        },
        signal,
      );
      return { dataset_types: datasetTypes };
    },
  }),
  tool({
    name: 'plateau_tileset_url',
    title: 'URL of a composite tileset',
    description: 'One 3D Tiles tileset.json for a whole area, for CesiumJS and other viewers.',
    parameters: {
      area: z
        .string()
        .max(10)
        .describe('all, a prefecture code (13) or a municipality or ward code (13101).'),
      type: z.string().max(10).describe('Feature type, such as bldg.'),
      lod: z
        .string()
        .max(10)
        .default('maxlod2')
        .describe('lod1 for LOD 1 alone, maxlod2 for the highest up to 2.'),
      texture: z
        .enum(['texture', 'notexture'])
        .optional()
        .describe('Only textured, or only untextured tiles.'),
      year: z.string().max(10).default('latest').describe('Four digits, or latest.'),
    },
    async run({ area, type, lod, texture, year: yearOrLatest }, { ask, publicUrl, signal }) {
      const spec = [area, type, lod, ...(texture === undefined ? [] : [texture]), yearOrLatest].join('-');
      const path = specPath('3dtiles', encodeURIComponent(spec));
      const tileset = (await askJson(ask, path, { signal, maxBytes: MAX_TILESET_BYTES })) as {
        root?: { children?: unknown[] };
      };
      return { spec, url: `${publicUrl}${path}`, datasets: tileset.root?.children?.length ?? 0 };
    },
  }),
];

function citygmlOf({ citygml }: GraphArea): object | null {
  return citygml == null
    ? null
    : {
        year: citygml.year,
        url: citygml.url,
        feature_types: citygml.featureTypes,
        quality: citygml.quality ?? null,
      };
}

function datasetOf(dataset: GraphDataset): Record<string, unknown> {
  return {
    id: dataset.id,
    name: dataset.name,
    type: dataset.typeCode,
    year: dataset.year,
    area: dataset.wardCode ?? dataset.cityCode ?? dataset.prefectureCode,
    items: dataset.items,
  };
}
