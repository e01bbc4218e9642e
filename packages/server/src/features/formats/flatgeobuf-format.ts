/**
 * FlatGeobuf (https://flatgeobuf.org, version 3): footprints with flat attributes, in EPSG:6668, without a spatial
 * index. The header states all columns, so the features are kept until the last one has been read. Whole packages are
 * answered out of their tables, with an index (`tables/whole-flatgeobuf.ts`).
 */
import type { IParsedGeometry } from 'flatgeobuf/lib/mjs/generic/geometry.js';
import type { Geometry } from 'geojson';
import { FeatureTable, type TableRow } from './feature-table.ts';
import { flatGeobufFeature } from './flatgeobuf-feature.ts';
import { flatGeobufGeometry, flatGeobufHead, NO_GEOMETRY } from './flatgeobuf-head.ts';
import { flattenAttributes } from './flatten-attributes.ts';
import type { FeatureFormat, FeatureWriter } from './format.ts';
import { FORMAT_FACTS } from './format-facts.ts';
import { outlinedFeature } from './outlined-feature.ts';
import { Together } from './together.ts';

/** Rows after which others may go first. */
const ROWS = 32;

export const FLATGEOBUF_FORMAT: FeatureFormat = {
  ...FORMAT_FACTS.flatgeobuf,
  writer({ fields, tableRoom }): FeatureWriter<TableRow<IParsedGeometry>> {
    const table = new FeatureTable<IParsedGeometry>(tableRoom);
    const types = new Set<Geometry['type']>();
    return {
      *record(feature) {
        const { geometry, properties } = yield* outlinedFeature(feature, fields);
        types.add((geometry ?? NO_GEOMETRY).type);
        return table.row(flattenAttributes(properties), flatGeobufGeometry(geometry ?? NO_GEOMETRY));
      },
      async *pieces(batches, slices) {
        await using kept = table;
        for await (const rows of batches) await kept.keep(rows);
        const { columns, size } = kept;
        const together = new Together(
          flatGeobufHead({ columns, types, count: size, nodeSize: 0, box: null }),
        );
        let count = 0;
        for await (const rows of kept.rows()) {
          for (const row of rows) {
            if (++count % ROWS === 0 && slices.due()) await slices.pause();
            const piece = together.add(flatGeobufFeature(row, columns));
            if (piece !== null) yield piece;
          }
        }
        yield together.rest();
      },
    };
  },
};
