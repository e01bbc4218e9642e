/** Features of a package as rows of its tables: what is known of each, as bytes that wait on the disk. */

import type { Steps } from '@citymodel/base';
import { attributesOf, type FeatureEntry, footprintOf, geoJsonInSteps } from '@citymodel/citygml';
import type { Extent } from '@citymodel/geo';
import type { Geometry } from 'geojson';
import { altitudesOf } from '../find-features.ts';
import type { FeatureParts } from '../formats/format.ts';
import { type Box, placeOf } from '../formats/geoparquet-geometry.ts';
import { shortened } from './short-positions.ts';

/** What a table has of a feature. */
export interface FeatureRow {
  /** As operation 11 answers them, without `_bbox`. */
  readonly attributes: Record<string, unknown>;
  /** Of `_bbox`; null where there is none. */
  readonly extent: Extent | null;
  /** `height`, `minAlt`, `maxAlt`, and what is said of a footprint that was not dissolved. */
  readonly drawn: Readonly<Record<string, number | boolean>>;
  readonly geometryType: Geometry['type'] | null;
  readonly box: Box | null;
  /** Bit n: there is geometry at LOD n. */
  readonly lods: number;
  /** Range of the feature in the text of its file, bytes, end exclusive. */
  readonly start: number;
  readonly end: number;
}

/** A row with its footprint as WKB. */
export interface PlacedRow {
  readonly row: FeatureRow;
  readonly wkb: Uint8Array;
}

const NO_WKB = new Uint8Array(0);

/** The record of a feature, in steps where its geometry takes long. */
export function* rowOfFeature({
  element,
  labels,
  entry,
  geometries,
}: Pick<FeatureParts, 'element' | 'labels' | 'entry' | 'geometries'>): Steps<PlacedRow> {
  const attributes = attributesOf(element, { labels, extent: null });
  const footprint = footprintOf(geometries);
  yield;
  const drawn = yield* geoJsonInSteps({}, footprint, altitudesOf(entry));
  yield;
  return placedRow(attributes, drawn.geometry, drawn.properties as FeatureRow['drawn'], entry);
}

function placedRow(
  attributes: FeatureRow['attributes'],
  geometry: Geometry | null,
  drawn: FeatureRow['drawn'],
  { extent, lods, start, end }: FeatureEntry,
): PlacedRow {
  const place = geometry === null ? null : placeOf(shortened(geometry));
  const geometryType = place === null ? null : geometry!.type;
  const row = { attributes, extent, drawn, geometryType, box: place?.box ?? null, lods, start, end };
  return { row, wkb: place?.wkb ?? NO_WKB };
}

/** A row of a file of so many before it, as bytes. */
export function packRow(fileNumber: number, isRepeated: boolean, { row, wkb }: PlacedRow): Buffer {
  const text = Buffer.from(JSON.stringify([fileNumber, isRepeated, row]));
  const head = Buffer.allocUnsafe(4);
  head.writeUInt32LE(text.length);
  return Buffer.concat([head, text, wkb]);
}

export function unpackRow(bytes: Buffer): { fileNumber: number; isRepeated: boolean } & PlacedRow {
  const end = 4 + bytes.readUInt32LE(0);
  const [fileNumber, isRepeated, row] = JSON.parse(bytes.toString('utf8', 4, end));
  // The memory of the file is used again.
  return { fileNumber, isRepeated, row, wkb: Uint8Array.from(bytes.subarray(end)) };
}
