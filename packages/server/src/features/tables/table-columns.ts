/** Columns of a table of features beside its attributes, and the schema of all. */
import type { SchemaElement } from 'hyparquet-writer';
import { BOX } from '../formats/geoparquet-geometry.ts';
import type { AttributeColumn, ColumnKind } from './attribute-columns.ts';

export const EXTENT = ['west', 'south', 'east', 'north', 'minAlt', 'maxAlt'] as const;

/** The column of gml:ids, an attribute. */
export const ID_COLUMN = 'gml:id';

/** Names of columns that no attribute has. */
export const FIXED_COLUMNS = [
  'height',
  'minAlt',
  'maxAlt',
  'footprintDissolved',
  'footprintPolygonsLeftOut',
  'lods',
  'gml_file',
  'gml_start',
  'gml_length',
  'repeated',
  'remainder',
  'extent_offset',
  'geometry',
  'bbox',
] as const;

const OPTIONAL = { repetition_type: 'OPTIONAL' } as const;

function leaf(name: string, kind: Exclude<ColumnKind, 'strings' | 'numbers'>): SchemaElement {
  if (kind === 'number') return { name, ...OPTIONAL, type: 'DOUBLE' };
  if (kind === 'boolean') return { name, ...OPTIONAL, type: 'BOOLEAN' };
  if (kind === 'json') return { name, ...OPTIONAL, type: 'BYTE_ARRAY', logical_type: { type: 'JSON' } };
  return { name, ...OPTIONAL, type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } };
}

/** A list in three levels (Apache Parquet, LogicalTypes.md, "Lists"). */
function list(name: string, element: SchemaElement): SchemaElement[] {
  return [
    { name, ...OPTIONAL, num_children: 1, converted_type: 'LIST', logical_type: { type: 'LIST' } },
    { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
    element,
  ];
}

function struct(name: string, fields: readonly string[], type: 'FLOAT' | 'DOUBLE'): SchemaElement[] {
  return [
    { name, ...OPTIONAL, num_children: fields.length },
    ...fields.map((field): SchemaElement => ({ name: field, repetition_type: 'REQUIRED', type })),
  ];
}

function elementsOf({ name, kind }: AttributeColumn): SchemaElement[] {
  if (kind === 'strings') return list(name, leaf('element', 'string'));
  if (kind === 'numbers') return list(name, leaf('element', 'number'));
  return [leaf(name, kind)];
}

/** Attributes first, as answers have them; then what the program adds. */
export function tableSchema(columns: readonly AttributeColumn[]): SchemaElement[] {
  return [
    { name: 'root', num_children: columns.length + FIXED_COLUMNS.length },
    ...columns.flatMap(elementsOf),
    leaf('height', 'number'),
    leaf('minAlt', 'number'),
    leaf('maxAlt', 'number'),
    leaf('footprintDissolved', 'boolean'),
    leaf('footprintPolygonsLeftOut', 'number'),
    ...list('lods', { name: 'element', ...OPTIONAL, type: 'INT32' }),
    leaf('gml_file', 'string'),
    { name: 'gml_start', ...OPTIONAL, type: 'INT64' },
    { name: 'gml_length', ...OPTIONAL, type: 'INT64' },
    leaf('repeated', 'boolean'),
    leaf('remainder', 'json'),
    ...struct('extent_offset', EXTENT, 'DOUBLE'),
    { name: 'geometry', ...OPTIONAL, type: 'BYTE_ARRAY' },
    // Single precision, rounded outwards: readers only skip by it.
    ...struct('bbox', BOX, 'FLOAT'),
  ];
}
