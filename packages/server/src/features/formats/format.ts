/**
 * What a format of features is: one file that says how a feature becomes bytes, its facts in `format-facts.ts`, and one
 * line in `formats.ts`. Operations, their description and their documentation read the registry.
 */
import type { Steps } from '@citymodel/base';
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
  /** True when features are read with their geometry; without it they are read faster. */
  readonly needsGeometry: boolean;
  /** True when operation 12 answers with gml:ids in place of features. */
  readonly listsIds: boolean;
  /** What `flatten` means here: a choice, always so, or not possible. */
  readonly flatten: 'optional' | 'always' | 'never';
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
 * Makes one answer. Features come to `record` in the order in which they are read; their records come to `batch` in the
 * order of the answer.
 */
export interface FeatureWriter {
  /**
   * One feature as the text that `batch` takes, in steps where its geometry may take long. Throws a ServiceError 413
   * when a format has more columns than it may.
   */
  record(feature: FeatureParts): string | Steps<string>;
  /**
   * The next bytes of the answer; none while a format keeps its records, which throws a ServiceError where there is no
   * room.
   */
  batch(records: readonly string[]): Uint8Array | Promise<Uint8Array>;
  /** What follows the last record. */
  end(): Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
  /** Gives back what it keeps; an answer that is broken off needs it too. */
  close?(): Promise<void>;
}

/** What stands around and between the records of a text. */
export interface Frame {
  readonly head: string;
  readonly between: string;
  readonly tail: string;
}

/** Batches of texts as bytes in a frame. */
export class FramedText {
  readonly #frame: Frame;
  #begun = false;

  constructor(frame: Frame) {
    this.#frame = frame;
  }

  batch(records: readonly string[]): Uint8Array {
    if (records.length === 0) return new Uint8Array();
    const before = this.#begun ? this.#frame.between : this.#frame.head;
    this.#begun = true;
    return Buffer.from(before + records.join(this.#frame.between));
  }

  *end(): Iterable<Uint8Array> {
    yield Buffer.from((this.#begun ? '' : this.#frame.head) + this.#frame.tail);
  }
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
