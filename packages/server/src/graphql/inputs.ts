/** Enums and inputs of the schema. */
import type { OUTPUT_KINDS, OutputKind } from '@citymodel/base';
import {
  GraphQLBoolean,
  GraphQLEnumType,
  type GraphQLInputFieldConfigMap,
  GraphQLInputObjectType,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLString,
} from 'graphql';
import { AreaCode } from './scalars.ts';

function enumOf(name: string, description: string, values: Record<string, string>): GraphQLEnumType {
  return new GraphQLEnumType({
    name,
    description,
    values: Object.fromEntries(
      Object.entries(values).map(([value, meaning]) => [value, { description: meaning }]),
    ),
  });
}

export const AreaTypeEnum = enumOf('AreaType', 'Kind of an area.', {
  PREFECTURE: 'A prefecture (都道府県).',
  CITY: 'A municipality (市区町村); the special wards of Tokyo are municipalities.',
  WARD: 'A ward (区) of a designated city, or of Tokyo where data is published for all special wards together.',
});

export const DatasetTypeCategory = enumOf('DatasetTypeCategory', 'Category of a type of datasets.', {
  PLATEAU: 'City models.',
  RELATED: 'Data that goes with city models; this service publishes none.',
  GENERIC: 'Other data; this service publishes none.',
});

/** Values for what packages of this service hold. */
type FormatOfOutput = (typeof OUTPUT_KINDS)[OutputKind]['graphql'];

export const DatasetFormat = enumOf('DatasetFormat', 'Format of a dataset item.', {
  CSV: 'CSV.',
  CZML: 'CZML.',
  CESIUM3DTILES: '3D Tiles.',
  GLTF: 'glTF.',
  GTFS_REALTIME: 'GTFS Realtime.',
  GEOJSON: 'GeoJSON.',
  MVT: 'Mapbox Vector Tiles.',
  TMS: 'Tile Map Service.',
  TILES: 'Raster tiles with a URL of the form `{z}/{x}/{y}.png`.',
  WMS: 'Web Map Service.',
} satisfies Record<FormatOfOutput, string> & Record<string, string>);

export const Texture = enumOf('Texture', 'Whether 3D Tiles have textures.', {
  NONE: 'Without textures.',
  TEXTURE: 'With textures.',
});

export const FloodingScale = enumOf('FloodingScale', 'Rain that a flood model assumes.', {
  PLANNED: 'Rain as it was planned for (計画規模, L1).',
  EXPECTED_MAXIMUM: 'The largest rain expected (想定最大規模, L2).',
});

export const RiverAdmin = enumOf('RiverAdmin', 'Who administers a section of a river.', {
  NATIONAL: 'The state (国管理区間).',
  PREFECTURE: 'The prefecture (都道府県管理区間).',
});

const strings = new GraphQLList(new GraphQLNonNull(GraphQLString));
const codes = new GraphQLList(new GraphQLNonNull(AreaCode));

function inputOf(
  name: string,
  description: string,
  fields: GraphQLInputFieldConfigMap,
): GraphQLInputObjectType {
  return new GraphQLInputObjectType({ name, description, fields });
}

/** An argument of lists that callers read the beginning of. */
export const LIMIT = { type: GraphQLInt, description: 'At most so many, the first; all unless given.' };

const TOKENS = 'Texts that must all occur in its names, codes or the names of the areas around it.';
const SPEC = 'Edition of the product specification: `4`, `4.1`, `第4.1版` or `ps_4.1`.';

export const AreasInput = inputOf('AreasInput', 'Which areas; every condition that is given must be met.', {
  parentCode: { type: AreaCode, description: 'Areas directly below the area of this code.' },
  datasetTypes: {
    type: strings,
    description: 'Areas that have a dataset of one of these types: codes such as `bldg`, or categories.',
  },
  categories: {
    type: new GraphQLList(new GraphQLNonNull(DatasetTypeCategory)),
    description: 'Areas that have a dataset of one of these categories.',
  },
  areaTypes: {
    type: new GraphQLList(new GraphQLNonNull(AreaTypeEnum)),
    description: 'Areas of these kinds.',
  },
  searchTokens: { type: strings, description: TOKENS },
  includeParents: {
    type: GraphQLBoolean,
    description: 'Adds the areas around those that are found, up to their prefectures.',
  },
  includeEmpty: {
    type: GraphQLBoolean,
    description:
      'Adds areas without such datasets: those that have CityGML only, and wards of cities that have data.',
  },
  deep: { type: GraphQLBoolean, description: 'With `parentCode`: areas at any depth below it.' },
});

export const DatasetTypesInput = inputOf(
  'DatasetTypesInput',
  'Which types of datasets; every condition that is given must be met.',
  {
    category: { type: DatasetTypeCategory, description: 'Types of this category.' },
    plateauSpec: { type: GraphQLString, description: SPEC },
    year: { type: GraphQLInt, description: 'Types of the edition of this fiscal year.' },
  },
);

export const DatasetsInput = inputOf(
  'DatasetsInput',
  'Which datasets; every condition that is given must be met, a list by any of its entries.',
  {
    areaCodes: {
      type: codes,
      description:
        'Areas, with all that lies in them: a designated city with its wards, 13100 with the special wards. Ignored ' +
        'where an area is asked for its datasets.',
    },
    plateauSpec: { type: GraphQLString, description: SPEC },
    year: { type: GraphQLInt, description: 'Fiscal year in which the data was produced.' },
    registrationYear: { type: GraphQLInt, description: 'Fiscal year in which the data was registered.' },
    excludeTypes: { type: strings, description: 'Types or categories to leave out.' },
    includeTypes: {
      type: strings,
      description: 'Types to take, by code such as `bldg`, or categories: `plateau`, `related`, `generic`.',
    },
    searchTokens: { type: strings, description: TOKENS },
    shallow: {
      type: GraphQLBoolean,
      description: 'Only datasets of exactly the given areas: of a city, not those of its wards.',
    },
    groupedOnly: { type: GraphQLBoolean, description: 'Only datasets with groups.' },
    ar: {
      type: GraphQLBoolean,
      description: 'Only datasets that are, or are not, made for augmented reality.',
    },
    mapSymbols: {
      type: GraphQLBoolean,
      description:
        'Adds vector tiles of map symbols inside of features. Not where a type or an edition is asked for its ' +
        'datasets.',
    },
  },
);

export const CitygmlDatasetsInput = inputOf(
  'CitygmlDatasetsInput',
  'Which CityGML; every condition that is given must be met, a list by any of its entries.',
  {
    prefectureCodes: { type: codes, description: 'Prefectures.' },
    cityCodes: {
      type: codes,
      description:
        'Municipalities and wards; a designated city with its wards, 13100 with the special wards.',
    },
    years: {
      type: new GraphQLList(new GraphQLNonNull(GraphQLInt)),
      description: 'Fiscal years in which the data was produced. All years unless given.',
    },
  },
);
