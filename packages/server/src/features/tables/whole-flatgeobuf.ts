/**
 * FlatGeobuf of whole packages, with a spatial index. It stands before the features and has the place of each, so the
 * tables are read twice: for lengths and boxes, then for the features themselves. Nothing waits in memory or on a disk.
 */
import type { Geometry } from 'geojson';
import { ServiceError } from '../../base/errors.ts';
import type { TableRow } from '../formats/feature-table.ts';
import { flatGeobufFeature } from '../formats/flatgeobuf-feature.ts';
import { flatGeobufGeometry, flatGeobufHead, NO_GEOMETRY } from '../formats/flatgeobuf-head.ts';
import { FlatGeobufIndex, NODE_SIZE } from '../formats/flatgeobuf-index.ts';
import { flattenAttributes } from '../formats/flatten-attributes.ts';
import { boxOf } from '../formats/geoparquet-geometry.ts';
import { Together } from '../formats/together.ts';
import type { TableFeature } from './table-features.ts';
import { type Pieces, propertiesOf, type WholeAnswer, wanted } from './whole-answer.ts';

/** Features of tables that get an index; each takes 36 bytes of memory until the answer begins. */
const MAX_INDEXED = 2_000_000;
/** The same for all answers that are made at the same time. */
const MAX_AT_ONCE = 2 * MAX_INDEXED;
/** The format counts columns in 16 bits. */
const MAX_COLUMNS = 2 ** 16;

let indexed = 0;

/** Throws ServiceError 413 for more columns than the format has, 503 where others are being indexed. */
export async function* flatGeobufPieces(answer: WholeAnswer): Pieces {
  const columns = wanted(answer.columns, answer.fields);
  if (columns.length > MAX_COLUMNS) {
    throw new ServiceError(413, 'request too large', {
      reason: `The features have more than ${MAX_COLUMNS} columns. Ask for fewer types, or give fields.`,
    });
  }
  const numbers = new Map(columns.map(({ name }, number) => [name, number]));
  async function* features(): AsyncGenerator<{ bytes: Uint8Array; geometry: Geometry }, void, void> {
    for await (const batch of answer.features()) {
      for (const feature of batch) {
        const geometry = feature.geometry ?? NO_GEOMETRY;
        const row = rowOf(feature, geometry, answer.fields, numbers);
        yield { bytes: flatGeobufFeature(row, columns), geometry };
      }
    }
  }
  const { types, index } = await indexOf(features(), answer.most);
  const count = index?.size ?? 0;
  const nodeSize = count === 0 ? 0 : NODE_SIZE;
  yield flatGeobufHead({ columns, types, count, nodeSize, box: index?.box ?? null });
  if (index !== null && count > 0) yield* index.bytes();
  const together = new Together();
  for await (const { bytes } of features()) {
    const piece = together.add(bytes);
    if (piece !== null) yield piece;
  }
  const rest = together.rest();
  if (rest.length > 0) yield rest;
}

/** Lengths and boxes of all features; no index of more than get one. */
async function indexOf(
  features: AsyncIterable<{ bytes: Uint8Array; geometry: Geometry }>,
  most: number,
): Promise<{ types: ReadonlySet<Geometry['type']>; index: FlatGeobufIndex | null }> {
  const types = new Set<Geometry['type']>();
  if (most > MAX_INDEXED) return { types, index: null };
  if (indexed + most > MAX_AT_ONCE) {
    throw new ServiceError(503, 'unavailable', {
      reason: 'Other answers of this format are being made. Try again later.',
      retryAfter: 30,
    });
  }
  indexed += most;
  try {
    const index = new FlatGeobufIndex();
    for await (const { bytes, geometry } of features) {
      types.add(geometry.type);
      index.add(boxOf(geometry), bytes.length);
    }
    return { types, index };
  } finally {
    indexed -= most;
  }
}

function rowOf(
  feature: TableFeature,
  geometry: Geometry,
  fields: WholeAnswer['fields'],
  numbers: ReadonlyMap<string, number>,
): TableRow<ReturnType<typeof flatGeobufGeometry>> {
  const columns: number[] = [];
  const cells: TableRow<unknown>['cells'] = [];
  for (const [name, cell] of flattenAttributes(propertiesOf(feature, fields))) {
    if (cell === null) continue;
    columns.push(numbers.get(name)!);
    cells.push(cell);
  }
  return { columns, cells, geometry: flatGeobufGeometry(geometry) };
}
