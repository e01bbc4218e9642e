/**
 * What the extensions of STAC that our documents name say about the fields that we use, as JSON Schema (draft 7).
 * Validators would ask the network for the schemas of the extensions themselves.
 */

const FILE = 'https://stac-extensions.github.io/file/v2.1.0/schema.json';
const VERSION = 'https://stac-extensions.github.io/version/v1.2.0/schema.json';
const WEB_MAP_LINKS = 'https://stac-extensions.github.io/web-map-links/v1.3.0/schema.json';
const CITY3D = 'https://cityjson.github.io/stac-city3d/v0.2.0/schema.json';

/** City objects that the extension for city models knows; others begin with `+`. */
const CITY_OBJECTS = [
  ...['', 'Part', 'Installation', 'ConstructiveElement', 'Furniture', 'Storey', 'Room', 'Unit'].map(
    (part) => `Building${part}`,
  ),
  ...['', 'Part', 'Installation', 'ConstructiveElement', 'Room', 'Furniture'].map((part) => `Bridge${part}`),
  ...['', 'Part', 'Installation', 'ConstructiveElement', 'HollowSpace', 'Furniture'].map(
    (part) => `Tunnel${part}`,
  ),
  ...['CityFurniture', 'CityObjectGroup', 'GenericCityObject', 'LandUse', 'OtherConstruction', 'PlantCover'],
  ...['SolitaryVegetationObject', 'Railway', 'Road', 'TINRelief', 'TransportSquare', 'WaterBody'],
  ...['WaterSurface', 'WaterGroundSurface', 'Waterway'],
];

const COUNT = { type: 'integer', minimum: 0 };

const CITY3D_FIELDS: Record<string, object> = {
  'city3d:version': { type: 'string', pattern: '^\\d+\\.\\d+(?:\\.\\d+)?$' },
  'city3d:city_objects': {
    oneOf: [
      COUNT,
      {
        type: 'object',
        required: ['min', 'max', 'total'],
        properties: { min: COUNT, max: COUNT, total: COUNT },
      },
    ],
  },
  'city3d:lods': {
    ...{ type: 'array', minItems: 1, uniqueItems: true },
    items: { type: 'string', pattern: '^\\d+(\\.\\d+)?$' },
  },
  'city3d:co_types': {
    ...{ type: 'array', minItems: 1, uniqueItems: true },
    items: { anyOf: [{ enum: CITY_OBJECTS }, { type: 'string', pattern: '^\\+.+$' }] },
  },
  'city3d:attributes': {},
  'city3d:semantic_surfaces': { type: 'boolean' },
  'city3d:textures': { type: 'boolean' },
  'city3d:materials': { type: 'boolean' },
};

const SOME_OF_CITY3D = { anyOf: Object.keys(CITY3D_FIELDS).map((field) => ({ required: [field] })) };
const CITY3D_RULES = {
  type: 'object',
  properties: CITY3D_FIELDS,
  // A name that the extension does not have is a slip.
  patternProperties: { '^(?!city3d:)': {} },
  additionalProperties: false,
};

/** Fields of an asset; the extension has more, which are not ours. */
const FILE_FIELDS = {
  type: 'object',
  properties: {
    'file:checksum': { type: 'string', pattern: '^[a-f0-9]+$' },
    'file:size': COUNT,
  },
  patternProperties: { '^(?!file:)': {} },
  additionalProperties: false,
};

const MAP_LINK = {
  required: ['rel'],
  properties: { rel: { enum: ['xyz', 'tilejson', 'pmtiles', '3d-tiles'] } },
};

/** Rules of extensions by the addresses that documents name them by. */
export const EXTENSION_SCHEMAS: Readonly<Record<string, object>> = Object.fromEntries(
  Object.entries({
    [FILE]: {
      properties: { assets: { type: 'object', additionalProperties: FILE_FIELDS } },
    },
    [VERSION]: {
      properties: {
        properties: { properties: { version: { type: 'string' }, deprecated: { type: 'boolean' } } },
      },
    },
    [WEB_MAP_LINKS]: { required: ['links'], properties: { links: { type: 'array', contains: MAP_LINK } } },
    [CITY3D]: {
      oneOf: [
        {
          required: ['properties', 'assets'],
          properties: {
            type: { const: 'Feature' },
            properties: { allOf: [SOME_OF_CITY3D, CITY3D_RULES] },
            assets: { type: 'object', additionalProperties: CITY3D_RULES },
          },
        },
        {
          required: ['summaries'],
          properties: { type: { const: 'Collection' }, summaries: SOME_OF_CITY3D },
        },
      ],
    },
  }).map(([id, rules]) => [
    id,
    {
      ...{ $schema: 'http://json-schema.org/draft-07/schema#', $id: id, type: 'object' },
      allOf: [
        {
          required: ['type', 'stac_extensions'],
          properties: { stac_extensions: { type: 'array', contains: { const: id } } },
        },
        rules,
      ],
    },
  ]),
);
