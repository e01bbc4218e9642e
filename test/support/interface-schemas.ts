/**
 * The answers of operations 3 and 7 as JSON schemas, written from the tables of the interface: what is required, of
 * which type, and nothing more. Keys beyond them are allowed.
 */
import assert from 'node:assert/strict';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

const text = { type: 'string', minLength: 1 };
const optionalText = { type: ['string', 'null'] };
const size = { type: 'integer', minimum: 0 };
const url = { type: 'string', pattern: '^https?://[^ ]+$' };
const prefCode = { type: 'string', pattern: '^\\d{2}$' };
const cityCode = { type: 'string', pattern: '^(\\d{5}|\\d{2})$' };
const wardCode = { type: ['string', 'null'], pattern: '^\\d{5}$' };
const typeCode = { type: 'string', pattern: '^[a-z]+$' };
const format = { enum: ['3D Tiles', 'MVT'] };
const formatVersion = { enum: ['1.0', '1.1', null] };
const flag = { type: ['boolean', 'null'] };
const layers = { type: ['array', 'null'], items: text };
const year = { type: 'integer', minimum: 1900, maximum: 2999 };
const count = { type: ['integer', 'null'], minimum: 0 };
const bbox = {
  type: ['array', 'null'],
  minItems: 4,
  maxItems: 4,
  items: { type: 'number' },
};

function row(required: Record<string, unknown>, optional: Record<string, unknown> = {}) {
  return {
    type: 'object',
    required: Object.keys(required),
    properties: { ...required, ...optional },
    not: { required: ['error'] },
  };
}

const place = { pref: text, pref_code: prefCode, city: text, city_code: cityCode };
const ward = { ward: optionalText, ward_code: wardCode };

const ROWS = {
  datasets: row(
    {
      id: text,
      name: text,
      ...place,
      type: { type: 'string', pattern: '[^\\x00-\\x7f]' },
      type_en: typeCode,
      url,
      year,
      registration_year: year,
      spec: text,
      format,
      lod: { type: 'string', pattern: '^\\d$' },
      texture: { type: 'boolean' },
      file_size: size,
      bbox,
    },
    {
      ...ward,
      layers,
      format_version: formatVersion,
      interior: flag,
      composite_url: { type: ['string', 'null'] },
    },
  ),
  composite_tilesets: row(
    {
      id: text,
      url,
      area: { enum: ['all', 'pref'] },
      type: text,
      type_en: typeCode,
      lod: { type: 'integer', minimum: 0, maximum: 4 },
      texture: flag,
      year: { type: 'string', pattern: '^(\\d{4}|latest)$' },
      format_version: { enum: ['1.0', '1.1'] },
      bbox,
    },
    { pref: optionalText, pref_code: { type: ['string', 'null'], pattern: '^\\d{2}$' }, interior: flag },
  ),
  citygml: row(
    {
      id: text,
      ...place,
      url,
      file_size: size,
      composite_url: url,
      feature_types: { type: 'array', minItems: 1, items: typeCode },
      year,
      registration_year: year,
      spec: text,
      bbox,
    },
    {},
  ),
  latest_datasets: row(
    {
      id: text,
      name: text,
      pref: text,
      pref_code: prefCode,
      type: text,
      type_en: typeCode,
      url,
      year: { const: 'latest' },
      format,
      bbox,
    },
    {
      city: optionalText,
      city_code: { type: ['string', 'null'] },
      ...ward,
      layers,
      lod: { type: ['string', 'null'] },
      texture: flag,
      interior: flag,
      format_version: formatVersion,
    },
  ),
  latest_citygml: row({
    id: text,
    ...place,
    url,
    file_size: size,
    feature_types: { type: 'array', minItems: 1, items: typeCode },
    year: { const: 'latest' },
    bbox,
  }),
};

const fileList = {
  cityCode: cityCode,
  cityName: text,
  year,
  registrationYear: year,
  spec: text,
  url,
  metadataZipUrls: {
    type: 'array',
    items: { type: 'string', pattern: '_(codelists|metadata|schemas|specification)\\.zip$' },
  },
  files: {
    type: 'object',
    minProperties: 1,
    additionalProperties: {
      type: 'array',
      minItems: 1,
      items: row({
        code: { type: 'string', pattern: '^\\d*$' },
        maxLod: { type: 'integer', minimum: 0, maximum: 4 },
        url: { type: 'string', pattern: '/udx/' },
        fileSize: size,
        features: size,
        lod0: count,
        lod1: count,
        lod2: count,
        lod3: count,
        lod4: count,
        sha256: { type: 'string', pattern: '^[0-9a-f]{64}$' },
        bbox,
      }),
    },
  },
  featureTypes: { type: 'object', additionalProperties: row({ name: text }) },
};

const ajv = new Ajv2020({ allErrors: true, strictTypes: false, allowUnionTypes: true });

function compile(schema: object): ValidateFunction {
  return ajv.compile(schema);
}

const CATALOGUE = compile({
  ...row(Object.fromEntries(Object.entries(ROWS).map(([name, items]) => [name, { type: 'array', items }]))),
  additionalProperties: false,
});
const FILES = compile(row({ ...fileList, cities: { type: 'array', minItems: 1, items: row(fileList) } }));
const ERROR = compile({
  type: 'object',
  required: ['error'],
  properties: { error: text, reason: { type: 'string', pattern: '^.{10,}$' }, url: { type: 'string' } },
});

/** A row of any of the arrays; which keys it has depends on the array. */
export interface CatalogueRow {
  id: string;
  name: string;
  url: string;
  composite_url: string;
  pref: string;
  pref_code: string;
  city: string;
  city_code: string;
  ward?: string | null;
  ward_code?: string | null;
  area: string;
  type_en: string;
  feature_types?: string[];
  year: number | string;
  spec: string;
  format: string;
  format_version?: string;
  lod: number | string;
  texture: boolean | null;
  layers?: string[] | null;
  file_size: number;
  bbox: [number, number, number, number];
}
export type Catalogue = Record<keyof typeof ROWS, CatalogueRow[]>;
export const CATALOGUE_ARRAYS = Object.keys(ROWS) as Array<keyof typeof ROWS>;

export interface FileListResult {
  cityCode: string;
  cityName: string;
  year: number;
  url: string;
  spec: string;
  metadataZipUrls: string[];
  files: Record<
    string,
    Array<{ code: string; url: string; fileSize: number; features: number; sha256: string }>
  >;
  featureTypes: Record<string, { name: string }>;
  cities: FileListResult[];
}

/** Fails unless the value is a whole catalogue as operation 3 answers it. */
export function assertCatalogue(value: unknown): asserts value is Catalogue {
  assertValid(CATALOGUE, value);
}

/** Fails unless the value is what operation 7 answers. */
export function assertFileList(value: unknown): asserts value is FileListResult {
  assertValid(FILES, value);
  for (const list of [value as FileListResult, ...(value as FileListResult).cities]) {
    assert.deepEqual(Object.keys(list.files), Object.keys(list.featureTypes));
  }
}

/** Fails unless the value is an error object. */
export function assertErrorObject(value: unknown): asserts value is { error: string; reason?: string } {
  assertValid(ERROR, value);
}

function assertValid(validate: ValidateFunction, value: unknown): void {
  if (validate(value)) return;
  const errors = (validate.errors ?? []).slice(0, 5).map((e) => `${e.instancePath} ${e.message}`);
  assert.fail(errors.join('; '));
}
