/**
 * GeoParquet 1.1 (https://geoparquet.org/releases/v1.1.0): footprints as WKB with flat attributes, in EPSG:6668, and a
 * column with the box of each. All groups have the same columns, so the features are kept until the last one has been
 * read. Near rows stand near each other: each group is in the order of a Hilbert curve.
 */

import type { Slices } from '@citymodel/base';
import type { Geometry } from 'geojson';
import type { SchemaElement } from 'hyparquet-writer';
import { type Column, FeatureTable, type TableRow } from './feature-table.ts';
import { flattenAttributes } from './flatten-attributes.ts';
import type { FeatureFormat, FeatureWriter } from './format.ts';
import { FORMAT_FACTS } from './format-facts.ts';
import { BOX, type Box, geoMetadata, type Place, placeOf, unionBoxes } from './geoparquet-geometry.ts';
import { hilbertPlace } from './hilbert-place.ts';
import { outlinedFeature } from './outlined-feature.ts';
import { type ParquetColumn, ParquetGroups } from './parquet-groups.ts';

/** Rows of a group: readers skip whole groups by the boxes of their rows. */
const GROUP_ROWS = 50_000;
/** Values of a group: its columns are laid out, and each is written, in one turn of the event loop. */
const GROUP_CELLS = 500_000;
/** Bytes of geometry of a group, which one turn compresses. */
const GROUP_BYTES = 8 * 1024 * 1024;
/** Rows between looks at the clock. */
const ROWS = 512;

const TYPES = { number: 'DOUBLE', boolean: 'BOOLEAN', string: 'STRING' } as const;

export const GEOPARQUET_FORMAT: FeatureFormat = {
  ...FORMAT_FACTS.geoparquet,
  writer({ fields, tableRoom }): FeatureWriter<TableRow<Place>> {
    const table = new FeatureTable<Place>(tableRoom);
    const types = new Set<Geometry['type']>();
    return {
      *record(feature) {
        const { geometry, properties } = yield* outlinedFeature(feature, fields);
        if (geometry !== null) types.add(geometry.type);
        return table.row(flattenAttributes(properties), placeOf(geometry));
      },
      async *pieces(batches, slices) {
        await using kept = table;
        for await (const rows of batches) await kept.keep(rows);
        const names = namesOf(kept.columns);
        const groups = new ParquetGroups(schemaOf(kept.columns, names));
        let all: Box | null = null;
        for await (const rows of groupsOf(kept, slices)) {
          for (const { geometry: place } of rows) all = place === null ? all : unionBoxes(all, place.box);
          yield* groups.group(columnsOf(rows, kept.columns, names), slices);
        }
        yield groups.finish([{ key: 'geo', value: JSON.stringify(geoMetadata([...types].sort(), all)) }]);
      },
    };
  },
};

/** Rows of the table as groups, each in the order of the curve. */
async function* groupsOf(
  table: FeatureTable<Place>,
  slices: Slices,
): AsyncGenerator<Array<TableRow<Place>>, void, void> {
  const most = Math.min(GROUP_ROWS, Math.max(1, Math.floor(GROUP_CELLS / (table.columns.length + 2))));
  let group: Array<TableRow<Place>> = [];
  let bytes = 0;
  for await (const rows of table.rows()) {
    for (const row of rows) {
      group.push(row);
      bytes += row.geometry?.wkb.length ?? 0;
      if (group.length < most && bytes < GROUP_BYTES) continue;
      yield await inCurve(group, slices);
      group = [];
      bytes = 0;
    }
    if (slices.due()) await slices.pause();
  }
  // Without rows it adds nothing.
  yield inCurve(group, slices);
}

/** Features without a place come last. */
async function inCurve(rows: Array<TableRow<Place>>, slices: Slices): Promise<Array<TableRow<Place>>> {
  const extent = rows.reduce<Box | null>(
    (all, { geometry }) => (geometry === null ? all : unionBoxes(all, geometry.box)),
    null,
  );
  if (extent === null) return rows;
  const keyed: Array<{ row: TableRow<Place>; key: number }> = [];
  for (const [n, row] of rows.entries()) {
    if (n % ROWS === 0 && slices.due()) await slices.pause();
    const { geometry: place } = row;
    const key =
      place === null
        ? Infinity
        : hilbertPlace(
            share((place.box.xmin + place.box.xmax) / 2, extent.xmin, extent.xmax),
            share((place.box.ymin + place.box.ymax) / 2, extent.ymin, extent.ymax),
          );
    keyed.push({ row, key });
  }
  keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  return keyed.map(({ row }) => row);
}

function share(value: number, from: number, to: number): number {
  return to > from ? (value - from) / (to - from) : 0;
}

/** Names of columns; one that is called as the geometry or its box gets an underscore. */
function namesOf(columns: readonly Column[]): string[] {
  const names = new Set(['geometry', 'bbox']);
  return columns.map(({ name }) => {
    let free = name;
    while (names.has(free)) free += '_';
    names.add(free);
    return free;
  });
}

function schemaOf(columns: readonly Column[], names: readonly string[]): SchemaElement[] {
  return [
    { name: 'root', num_children: columns.length + 2 },
    ...columns.map(({ type }, n): SchemaElement => {
      const optional = { name: names[n]!, repetition_type: 'OPTIONAL' } as const;
      if (type === 'string') {
        return { ...optional, type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } };
      }
      return { ...optional, type: type === 'number' ? 'DOUBLE' : 'BOOLEAN' };
    }),
    { name: 'geometry', type: 'BYTE_ARRAY', repetition_type: 'OPTIONAL' },
    { name: 'bbox', repetition_type: 'OPTIONAL', num_children: BOX.length },
    ...BOX.map((name): SchemaElement => ({ name, type: 'DOUBLE', repetition_type: 'REQUIRED' })),
  ];
}

function* columnsOf(
  rows: ReadonlyArray<TableRow<Place>>,
  columns: readonly Column[],
  names: readonly string[],
): Generator<ParquetColumn> {
  // A row lists its columns in any order, and each column of the file has a value or null for each row.
  const values = columns.map(() => new Array<unknown>(rows.length).fill(null));
  for (const [n, row] of rows.entries()) {
    for (const [at, number] of row.columns.entries()) {
      const cell = row.cells[at]!;
      values[number]![n] = columns[number]!.type === 'string' ? String(cell) : cell;
    }
  }
  for (const [number, { type }] of columns.entries()) {
    yield { name: names[number]!, data: values[number]!, type: TYPES[type] };
    values[number] = [];
  }
  yield {
    name: 'geometry',
    data: rows.map(({ geometry }) => geometry?.wkb ?? null),
    type: 'BYTE_ARRAY',
    statistics: false,
  };
  yield { name: 'bbox', data: rows.map(({ geometry }) => geometry?.box ?? null) };
}
