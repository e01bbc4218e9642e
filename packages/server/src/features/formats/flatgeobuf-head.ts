/** What stands before the features of FlatGeobuf, and their geometry as it takes it. */
import { Builder } from 'flatbuffers';
import { magicbytes } from 'flatgeobuf/lib/mjs/constants.js';
import { Column as ColumnTable } from 'flatgeobuf/lib/mjs/flat-geobuf/column.js';
import { ColumnType } from 'flatgeobuf/lib/mjs/flat-geobuf/column-type.js';
import { Crs } from 'flatgeobuf/lib/mjs/flat-geobuf/crs.js';
import { GeometryType } from 'flatgeobuf/lib/mjs/flat-geobuf/geometry-type.js';
import { Header } from 'flatgeobuf/lib/mjs/flat-geobuf/header.js';
import type { IParsedGeometry } from 'flatgeobuf/lib/mjs/generic/geometry.js';
import { parseGC, parseGeometry } from 'flatgeobuf/lib/mjs/geojson/geometry.js';
import type { Geometry } from 'geojson';
import type { Column } from './feature-table.ts';
import type { Box } from './geoparquet-geometry.ts';

/** JGD2011 in longitude and latitude, which the data is in. */
const CRS = 6668;

const COLUMN_TYPES = {
  number: ColumnType.Double,
  boolean: ColumnType.Bool,
  string: ColumnType.String,
} as const;

/** Of a feature without geometry. */
export const NO_GEOMETRY: Geometry = { type: 'MultiPolygon', coordinates: [] };

export interface FlatGeobufHead {
  readonly columns: readonly Column[];
  /** Kinds of geometry that the features have. */
  readonly types: ReadonlySet<Geometry['type']>;
  /** Features; 0 for an unknown number, with which there is no index. */
  readonly count: number;
  /** Children of a node of the index; 0 without one. */
  readonly nodeSize: number;
  /** Box of all features; null where that is not known. */
  readonly box: Box | null;
}

/** The magic bytes and the header with its size before it. */
export function flatGeobufHead({ columns, types, count, nodeSize, box }: FlatGeobufHead): Buffer {
  const builder = new Builder(1_024);
  const offsets = columns.map(({ name, type }) => {
    const text = builder.createString(name);
    ColumnTable.startColumn(builder);
    ColumnTable.addName(builder, text);
    ColumnTable.addType(builder, COLUMN_TYPES[type]);
    return ColumnTable.endColumn(builder);
  });
  const columnsVector = Header.createColumnsVector(builder, offsets);
  const envelope = box && Header.createEnvelopeVector(builder, [box.xmin, box.ymin, box.xmax, box.ymax]);
  const name = builder.createString('L1');
  Crs.startCrs(builder);
  Crs.addCode(builder, CRS);
  const crs = Crs.endCrs(builder);
  const [only] = types;
  Header.startHeader(builder);
  Header.addCrs(builder, crs);
  Header.addFeaturesCount(builder, BigInt(count));
  Header.addGeometryType(builder, types.size === 1 ? GeometryType[only!] : GeometryType.Unknown);
  Header.addIndexNodeSize(builder, nodeSize);
  Header.addColumns(builder, columnsVector);
  if (envelope !== null) Header.addEnvelope(builder, envelope);
  Header.addName(builder, name);
  builder.finishSizePrefixed(Header.endHeader(builder));
  return Buffer.concat([magicbytes, builder.asUint8Array()]);
}

/** GDAL wants the ends of lines stated of a single line too, which the library leaves out. */
export function flatGeobufGeometry(geometry: Geometry): IParsedGeometry {
  if (geometry.type === 'GeometryCollection') {
    return { ...parseGC(geometry), parts: geometry.geometries.map(flatGeobufGeometry) };
  }
  const parsed = parseGeometry(geometry);
  if (geometry.type === 'MultiLineString') parsed.ends ??= [geometry.coordinates[0]!.length];
  return parsed;
}
