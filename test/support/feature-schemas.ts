/** The answers of operations 11 to 13 as JSON schemas: the interface's own, RFC 7946 and CityJSON 2.0, condensed. */
import assert from 'node:assert/strict';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { cityJsonFeature, cityJsonHeader } from '../../packages/citygml/src/testing/cityjson-schema.ts';

const number = { type: 'number' };
const corner = {
  type: 'object',
  required: ['lng', 'lat', 'alt'],
  properties: { lng: number, lat: number, alt: number },
  additionalProperties: false,
};

/** Interface specification, "Feature attribute object". */
const attributes = {
  type: 'array',
  items: {
    type: 'object',
    required: ['_type'],
    properties: {
      'gml:id': { type: 'string', minLength: 1 },
      _type: { type: 'string', pattern: '^[a-z]+:[A-Z]' },
      _bbox: {
        type: 'object',
        required: ['min', 'max', 'center'],
        properties: { min: corner, max: corner, center: corner },
      },
    },
    not: { required: ['error'] },
  },
};

const featureIds = {
  type: 'object',
  required: ['featureIds'],
  properties: { featureIds: { type: 'array', items: { type: 'string' }, uniqueItems: true } },
  additionalProperties: false,
};

/** RFC 7946, section 3.1: longitude, latitude, perhaps altitude. */
const position = {
  type: 'array',
  prefixItems: [
    { type: 'number', minimum: -180, maximum: 180 },
    { type: 'number', minimum: -90, maximum: 90 },
    number,
  ],
  minItems: 2,
  maxItems: 3,
};
const line = { type: 'array', minItems: 2, items: position };
const polygon = { type: 'array', minItems: 1, items: { type: 'array', minItems: 4, items: position } };
const geometryOf = (type: string, coordinates: object) => ({
  type: 'object',
  required: ['type', 'coordinates'],
  properties: { type: { const: type }, coordinates },
});
const simple = [
  geometryOf('MultiPolygon', { type: 'array', items: polygon }),
  geometryOf('Polygon', polygon),
  geometryOf('MultiLineString', { type: 'array', items: line }),
  geometryOf('MultiPoint', { type: 'array', items: position }),
];

/** RFC 7946, sections 3.2 and 3.3. */
const geoJson = {
  type: 'object',
  required: ['type', 'features'],
  properties: {
    type: { const: 'FeatureCollection' },
    features: {
      type: 'array',
      items: {
        type: 'object',
        required: ['type', 'geometry', 'properties'],
        properties: {
          type: { const: 'Feature' },
          id: { type: ['string', 'number'] },
          properties: { type: ['object', 'null'] },
          geometry: {
            oneOf: [
              { type: 'null' },
              ...simple,
              {
                type: 'object',
                required: ['type', 'geometries'],
                properties: {
                  type: { const: 'GeometryCollection' },
                  geometries: { type: 'array', items: { oneOf: simple } },
                },
              },
            ],
          },
        },
      },
    },
  },
  // Section 4: other systems than WGS 84 are gone.
  not: { required: ['crs'] },
};

const ajv = new Ajv2020({ strict: false, allErrors: true });
const checks = {
  attributes: ajv.compile(attributes),
  featureIds: ajv.compile(featureIds),
  geoJson: ajv.compile(geoJson),
  cityJsonHeader: ajv.compile(cityJsonHeader),
  cityJsonFeature: ajv.compile(cityJsonFeature),
};

function assertValid(check: keyof typeof checks, value: unknown): void {
  assert.ok(checks[check](value), `${check}: ${ajv.errorsText(checks[check].errors).slice(0, 2_000)}`);
}

export type FeatureAttributes = Record<string, unknown> & {
  'gml:id': string;
  _type: string;
  _bbox: Record<'min' | 'max' | 'center', { lng: number; lat: number; alt: number }>;
};

export function assertAttributes(value: unknown): asserts value is FeatureAttributes[] {
  assertValid('attributes', value);
}

export function assertFeatureIds(value: unknown): asserts value is { featureIds: string[] } {
  assertValid('featureIds', value);
}

export interface FeatureCollection {
  features: Array<{
    id?: string;
    geometry: { type: string; coordinates: number[][][][] } | null;
    properties: Record<string, unknown>;
  }>;
}

/** The schema, and what a schema cannot say: rings are closed, and wound as section 3.1.6 wants it. */
export function assertGeoJson(value: unknown): asserts value is FeatureCollection {
  assertValid('geoJson', value);
  for (const { geometry } of (value as FeatureCollection).features) {
    if (geometry?.type !== 'MultiPolygon') continue;
    for (const rings of geometry.coordinates) {
      for (const [i, ring] of rings.entries()) {
        assert.deepEqual(ring[0], ring.at(-1));
        let area = 0;
        for (let k = 1; k < ring.length; k++) {
          const [x0, y0] = ring[0]!;
          area +=
            (ring[k - 1]![0]! - x0!) * (ring[k]![1]! - y0!) - (ring[k]![0]! - x0!) * (ring[k - 1]![1]! - y0!);
        }
        assert.ok(i === 0 ? area > 0 : area < 0, 'exterior counter-clockwise, holes clockwise');
      }
    }
  }
}

export interface CityJsonLine {
  id: string;
  CityObjects: Record<
    string,
    { type: string; parents?: string[]; children?: string[]; geometry?: Array<{ boundaries: unknown[] }> }
  >;
  vertices: number[][];
}

/** Lines of a sequence: schemas, and that references between objects and to vertices lead somewhere. */
export function assertCityJsonSeq(text: string): CityJsonLine[] {
  assert.ok(text.endsWith('\n'));
  const [header, ...features] = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  assertValid('cityJsonHeader', header);
  for (const feature of features as CityJsonLine[]) {
    assertValid('cityJsonFeature', feature);
    assert.ok(Object.hasOwn(feature.CityObjects, feature.id));
    for (const [name, object] of Object.entries(feature.CityObjects)) {
      assert.equal(object.parents === undefined, name === feature.id, name);
      for (const parent of object.parents ?? []) {
        assert.ok(feature.CityObjects[parent]!.children!.includes(name));
      }
      for (const child of object.children ?? []) {
        assert.ok(feature.CityObjects[child]!.parents!.includes(name));
      }
      for (const { boundaries: all } of object.geometry ?? []) {
        for (const index of all.flat(5) as number[]) assert.ok(index < feature.vertices.length);
      }
    }
  }
  return features;
}
