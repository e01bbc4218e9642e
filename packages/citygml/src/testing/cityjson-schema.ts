/**
 * CityJSON 2.0.2 as JSON schemas (https://www.cityjson.org/schemas/2.0.2), condensed to what a text sequence of ours
 * may have.
 */

const number = { type: 'number' };

/** Section 3.3, semantics of surfaces. */
const SEMANTICS = [
  ...['RoofSurface', 'GroundSurface', 'WallSurface', 'ClosureSurface', 'OuterCeilingSurface'],
  ...['OuterFloorSurface', 'Window', 'Door', 'InteriorWallSurface', 'CeilingSurface', 'FloorSurface'],
  ...['WaterSurface', 'WaterGroundSurface', 'WaterClosureSurface'],
  ...['TrafficArea', 'AuxiliaryTrafficArea', 'TransportationMarking', 'TransportationHole'],
];

const triple = { type: 'array', minItems: 3, maxItems: 3 };
const vertex = { ...triple, items: { type: 'integer' } };
const index = { type: 'integer', minimum: 0 };
const ring = { type: 'array', minItems: 3, items: index };
const surface = { type: 'array', minItems: 1, items: ring };
const shell = { type: 'array', minItems: 1, items: surface };
const values = (depth: number): object =>
  depth === 0 ? { type: ['integer', 'null'] } : { type: ['array', 'null'], items: values(depth - 1) };
const boundaries = (types: string[], items: object, depth: number | null) => ({
  type: 'object',
  required: ['type', 'lod', 'boundaries'],
  additionalProperties: false,
  properties: {
    type: { enum: types },
    lod: { type: 'string', pattern: '^[0-3](\\.[0-3])?$' },
    boundaries: items,
    ...(depth === null
      ? {}
      : {
          semantics: {
            type: 'object',
            required: ['surfaces', 'values'],
            properties: {
              surfaces: {
                type: 'array',
                items: { type: 'object', required: ['type'], properties: { type: { enum: SEMANTICS } } },
              },
              values: values(depth),
            },
          },
        }),
  },
});

const SURFACES = ['MultiSurface', 'CompositeSurface'];
const SOLIDS = [...SURFACES, 'Solid', 'CompositeSolid'];
const ANY = [...SOLIDS, 'MultiSolid', 'MultiPoint', 'MultiLineString'];
const WAY = [...SURFACES, 'MultiLineString'];

/** Types of city objects with the geometries that each may have. */
const KINDS: Record<string, readonly string[]> = {
  Building: SOLIDS,
  Bridge: SOLIDS,
  Tunnel: SOLIDS,
  OtherConstruction: SOLIDS,
  CityFurniture: ANY,
  GenericCityObject: ANY,
  SolitaryVegetationObject: ANY,
  LandUse: SURFACES,
  PlantCover: [...SOLIDS, 'MultiSolid'],
  TINRelief: ['CompositeSurface'],
  Road: WAY,
  Railway: WAY,
  TransportSquare: WAY,
  Waterway: WAY,
  WaterBody: [...SOLIDS, 'MultiLineString'],
};

/** Types that must have a parent. */
const INNER_KINDS: Record<string, readonly string[]> = {
  ...Object.fromEntries(['BuildingPart', 'BridgePart', 'TunnelPart'].map((type) => [type, SOLIDS])),
  ...Object.fromEntries(
    ['BuildingRoom', 'BuildingStorey', 'BuildingUnit', 'BridgeRoom', 'TunnelHollowSpace'].map((type) => [
      type,
      SOLIDS,
    ]),
  ),
  ...Object.fromEntries(
    ['Building', 'Bridge', 'Tunnel'].flatMap((main) =>
      ['Installation', 'ConstructiveElement', 'Furniture'].map((part) => [main + part, ANY]),
    ),
  ),
};

const typed = (type: string, kinds: readonly string[], required: string[]) => ({
  if: { properties: { type: { const: type } } },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: {
    required,
    properties: { geometry: { items: { properties: { type: { enum: kinds } } } } },
  },
});

/** CityJSON 2.0, clauses 2 (city objects), 3 (geometries). */
const cityObject = {
  allOf: [
    ...Object.entries(KINDS).map(([type, kinds]) => typed(type, kinds, [])),
    ...Object.entries(INNER_KINDS).map(([type, kinds]) => typed(type, kinds, ['parents'])),
  ],
  type: 'object',
  required: ['type'],
  additionalProperties: false,
  properties: {
    type: { enum: [...Object.keys(KINDS), ...Object.keys(INNER_KINDS)] },
    attributes: { type: 'object' },
    parents: { type: 'array', minItems: 1, items: { type: 'string' } },
    children: { type: 'array', items: { type: 'string' } },
    geometry: {
      type: 'array',
      items: {
        oneOf: [
          boundaries(['MultiPoint'], { type: 'array', items: index }, null),
          boundaries(
            ['MultiLineString'],
            { type: 'array', items: { type: 'array', minItems: 2, items: index } },
            null,
          ),
          boundaries(['MultiSurface', 'CompositeSurface'], shell, 1),
          boundaries(['Solid'], { type: 'array', minItems: 1, items: shell }, 2),
          boundaries(
            ['MultiSolid', 'CompositeSolid'],
            { type: 'array', items: { type: 'array', items: shell } },
            3,
          ),
        ],
      },
    },
  },
};

/** CityJSON 2.0, clause 7: the first line of a sequence. */
export const cityJsonHeader = {
  type: 'object',
  required: ['type', 'version', 'transform', 'CityObjects', 'vertices'],
  properties: {
    type: { const: 'CityJSON' },
    version: { const: '2.0' },
    transform: {
      type: 'object',
      required: ['scale', 'translate'],
      properties: { scale: { ...triple, items: number }, translate: { ...triple, items: number } },
    },
    metadata: {
      type: 'object',
      properties: {
        referenceSystem: {
          type: 'string',
          pattern: '^https://www\\.opengis\\.net/def/crs/[^/]+/[^/]+/\\d+$',
        },
      },
    },
    CityObjects: { type: 'object', maxProperties: 0 },
    vertices: { type: 'array', maxItems: 0 },
  },
};

export const cityJsonFeature = {
  type: 'object',
  required: ['type', 'id', 'CityObjects', 'vertices'],
  additionalProperties: false,
  properties: {
    type: { const: 'CityJSONFeature' },
    id: { type: 'string', minLength: 1 },
    CityObjects: { type: 'object', minProperties: 1, additionalProperties: cityObject },
    vertices: { type: 'array', items: vertex },
  },
};
