/**
 * FlatGeobuf (https://flatgeobuf.org, version 3): footprints with flat attributes, in EPSG:6668, without a spatial
 * index. The header states all columns, so the features are kept until the last one has been read.
 */

import { magicbytes } from 'flatgeobuf/lib/mjs/constants.js';
import { ColumnType } from 'flatgeobuf/lib/mjs/flat-geobuf/column-type.js';
import { GeometryType } from 'flatgeobuf/lib/mjs/flat-geobuf/geometry-type.js';
import { buildHeader } from 'flatgeobuf/lib/mjs/generic/featurecollection.js';
import type { IParsedGeometry } from 'flatgeobuf/lib/mjs/generic/geometry.js';
import { parseGC, parseGeometry } from 'flatgeobuf/lib/mjs/geojson/geometry.js';
import type { HeaderMeta } from 'flatgeobuf/lib/mjs/header-meta.js';
import type { Geometry } from 'geojson';
import { FeatureTable, type TableRow } from './feature-table.ts';
import { flatGeobufFeature } from './flatgeobuf-feature.ts';
import { flattenAttributes } from './flatten-attributes.ts';
import type { FeatureFormat, FeatureWriter } from './format.ts';
import { FORMAT_FACTS } from './format-facts.ts';
import { outlinedFeature } from './outlined-feature.ts';

/** JGD2011 in longitude and latitude, which the data is in. */
const CRS = 6668;
/** Bytes of an answer that are sent together. */
const PIECE = 64 * 1024;
/** Rows after which others may go first. */
const ROWS = 32;
const NO_GEOMETRY: Geometry = { type: 'MultiPolygon', coordinates: [] };

const COLUMN_TYPES = {
  number: ColumnType.Double,
  boolean: ColumnType.Bool,
  string: ColumnType.String,
} as const;

export const FLATGEOBUF_FORMAT: FeatureFormat = {
  ...FORMAT_FACTS.flatgeobuf,
  writer({ fields, tableRoom }): FeatureWriter<TableRow<IParsedGeometry>> {
    const table = new FeatureTable<IParsedGeometry>(tableRoom);
    const types = new Set<Geometry['type']>();
    return {
      *record(feature) {
        const { geometry, properties } = yield* outlinedFeature(feature, fields);
        types.add((geometry ?? NO_GEOMETRY).type);
        return table.row(flattenAttributes(properties ?? {}), geometryOf(geometry ?? NO_GEOMETRY));
      },
      async *pieces(batches, slices) {
        await using kept = table;
        for await (const rows of batches) await kept.keep(rows);
        const header = headerOf(kept, types);
        let pieces = [magicbytes, buildHeader(header, CRS)];
        let length = 0;
        let count = 0;
        for await (const rows of kept.rows()) {
          for (const row of rows) {
            if (++count % ROWS === 0 && slices.due()) await slices.pause();
            const bytes = flatGeobufFeature(row, kept.columns);
            pieces.push(bytes);
            length += bytes.length;
            if (length < PIECE) continue;
            yield Buffer.concat(pieces);
            pieces = [];
            length = 0;
          }
        }
        yield Buffer.concat(pieces);
      },
    };
  },
};

/** GDAL wants the ends of lines stated of a single line too, which the library leaves out. */
function geometryOf(geometry: Geometry): IParsedGeometry {
  if (geometry.type === 'GeometryCollection') {
    return { ...parseGC(geometry), parts: geometry.geometries.map(geometryOf) };
  }
  const parsed = parseGeometry(geometry);
  if (geometry.type === 'MultiLineString') parsed.ends ??= [geometry.coordinates[0]!.length];
  return parsed;
}

function headerOf(table: FeatureTable<IParsedGeometry>, types: ReadonlySet<Geometry['type']>): HeaderMeta {
  const [only] = types;
  return {
    geometryType: types.size === 1 ? GeometryType[only!] : GeometryType.Unknown,
    columns: table.columns.map(({ name, type }) => ({
      name,
      type: COLUMN_TYPES[type],
      title: null,
      description: null,
      width: -1,
      precision: -1,
      scale: -1,
      nullable: true,
      unique: false,
      primary_key: false,
    })),
    envelope: null,
    featuresCount: table.size,
    indexNodeSize: 0,
    crs: null,
    title: null,
    description: null,
    metadata: null,
  };
}
