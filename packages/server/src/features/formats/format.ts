/**
 * What a format of features is: one file that says how a feature becomes bytes, its facts in `format-facts.ts`, and one
 * line in `formats.ts`. Operations, their description and their documentation read the registry.
 */
import type { Slices, Steps } from '@citymodel/base';
import {
  attributesOf,
  type CodeLabels,
  type FeatureEntry,
  type LodGeometry,
  version2Names,
  type XmlElement,
} from '@citymodel/citygml';
import type { TableRoom } from './feature-table.ts';
import type { FormatFacts } from './format-facts.ts';

export interface FeatureFormat extends FormatFacts {
  /** A writer for one answer. */
  writer(options: WriterOptions): FeatureWriter;
}

export interface WriterOptions {
  /** Attributes that are wanted, by their keys; null for all. */
  readonly fields: ReadonlySet<string> | null;
  /** True turns nested attributes into columns (`flatten-attributes.ts`). */
  readonly flatten: boolean;
  /** Where a format keeps features until it knows all columns. */
  readonly tableRoom: TableRoom;
}

/** A feature that has been read. */
export interface FeatureParts {
  readonly entry: FeatureEntry;
  readonly element: XmlElement;
  /** Null leaves codes as they are. */
  readonly labels: CodeLabels | null;
  /** Empty where the format needs none, and of very large features. */
  readonly geometries: LodGeometry[];
  /** Names a feature without a gml:id: its file and its number there. */
  readonly fallbackId: string;
  /** True gives attributes the names of CityGML 2.0 (`version2-names.ts`). */
  readonly hasVersion2Names: boolean;
}

/**
 * Makes one answer. Features come to `record` in the order in which they are read; their records come to `pieces` in
 * the order of the answer, as the values that the format wants. A text format wants each as its part of the answer,
 * which nobody reads again: the objects of a whole batch would only wait for their turn.
 */
export interface FeatureWriter<R = unknown> {
  /**
   * One feature as the value that `pieces` takes, in steps where its geometry may take long; never null. Throws a
   * ServiceError 413 when a format has more columns than it may.
   */
  record(feature: FeatureParts): Steps<R>;
  /**
   * The answer piece by piece. It takes the next records when its reader asks for more than the last ones gave, or when
   * it keeps them. Where there is no room for these, it throws a ServiceError. Ending it, or breaking it off, gives
   * back what it keeps.
   */
  pieces(batches: AsyncIterable<readonly R[]>, slices: Slices): AsyncGenerator<Uint8Array, void, void>;
}

/** What stands around and between the records of a text. */
export interface Frame {
  /** Made for the first record, or at the end. */
  readonly head: string | (() => string);
  readonly between: string;
  readonly tail: string;
}

/** Characters, or bytes, of an answer that are sent together. */
const PIECE = 1024 * 1024;

/** Texts of records in a frame: what a batch gives is sent with it. */
export function framedText(
  frame: Frame,
  batches: AsyncIterable<readonly string[]>,
  slices: Slices,
): AsyncGenerator<Uint8Array, void, void> {
  const join = (before: string, records: readonly string[]) =>
    Buffer.from(before + records.join(frame.between));
  return framed(frame, batches, slices, join);
}

/** The same of texts that are UTF-8 already. */
export function framedBytes(
  frame: Frame,
  batches: AsyncIterable<readonly Uint8Array[]>,
  slices: Slices,
): AsyncGenerator<Uint8Array, void, void> {
  const between = Buffer.from(frame.between);
  const join = (before: string, records: readonly Uint8Array[]) =>
    Buffer.concat(records.flatMap((record, n) => [n === 0 ? Buffer.from(before) : between, record]));
  return framed(frame, batches, slices, join);
}

/** `join`: puts a text before the first of some records, and what stands between them before the others. */
async function* framed<R extends { readonly length: number }>(
  { head, between, tail }: Frame,
  batches: AsyncIterable<readonly R[]>,
  slices: Slices,
  join: (before: string, records: readonly R[]) => Uint8Array,
): AsyncGenerator<Uint8Array, void, void> {
  const begin = () => (typeof head === 'string' ? head : head());
  let isBegun = false;
  for await (const batch of batches) {
    let from = 0;
    let length = 0;
    for (let to = 1; to <= batch.length; to++) {
      length += batch[to - 1]!.length;
      if (length < PIECE && to < batch.length) continue;
      // Its texts exist: what is left is to copy them.
      if (from > 0 && slices.due()) await slices.pause();
      const records = to - from === batch.length ? batch : batch.slice(from, to);
      yield join(isBegun ? between : begin(), records);
      isBegun = true;
      from = to;
      length = 0;
    }
  }
  const end = (isBegun ? '' : begin()) + tail;
  if (end !== '') yield Buffer.from(end);
}

/** The attributes of a feature that are wanted. */
export function attributesOfParts(
  { element, entry, labels, hasVersion2Names }: FeatureParts,
  fields: WriterOptions['fields'],
): Record<string, unknown> {
  const attributes = attributesOf(element, { labels, extent: entry.extent });
  return chosenAttributes(hasVersion2Names ? version2Names(attributes) : attributes, fields);
}

/** The wanted attributes with their codes and units; `gml:id` and `_type` say what they belong to, and stay. */
export function chosenAttributes(
  attributes: Record<string, unknown>,
  fields: WriterOptions['fields'],
): Record<string, unknown> {
  if (fields === null) return attributes;
  return Object.fromEntries(
    Object.entries(attributes).filter(
      ([key]) =>
        key === 'gml:id' || key === '_type' || fields.has(key) || fields.has(key.replace(/_(code|uom)$/, '')),
    ),
  );
}
