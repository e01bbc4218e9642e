/** One feature as a record of an answer. */
import { finish, inSlices, type Slices } from '@citymodel/base';
import {
  attributesOf,
  type CodeLabels,
  type FeatureEntry,
  geometriesOf,
  gmlIdOf,
  type LodGeometry,
  parseFeature,
  skimFeature,
  skipAllButAttributes,
  version2Names,
  type XmlElement,
} from '@citymodel/citygml';
import type { Presentation } from './feature-query.ts';
import type { FeatureWork } from './feature-work.ts';
import type { FeatureWriter } from './formats/format.ts';
import type { OpenGml } from './open-gml.ts';

/**
 * Text of a feature from which on it is read by itself, bytes: its geometry is dropped while it is read where that is
 * not wanted; where it is, the feature takes a turn of the event loop for each step of the work.
 */
export const LARGE_TEXT = 512 << 10;
/** Text from which on the record of a feature with geometry is made in slices, bytes; some hundred polygons. */
const SLICED_TEXT = 64 << 10;

/** Records that are kept for answers that are made of the same, by the key of their file. */
export interface KeptRecords<R> {
  get(file: string, entry: FeatureEntry): R | undefined;
  put(file: string, entry: FeatureEntry, record: R): void;
}

/** Reads features for the writer of an answer. */
export class FeaturePresenter<R> {
  readonly #presentation: Presentation;
  readonly #writer: Pick<FeatureWriter<R>, 'record'>;
  readonly #records: KeptRecords<R> | null;

  /** `records`: what was made for others, where the answer is made of the same. */
  constructor(
    presentation: Presentation,
    writer: Pick<FeatureWriter<R>, 'record'>,
    records: KeptRecords<R> | null = null,
  ) {
    this.#presentation = presentation;
    this.#writer = writer;
    this.#records = records;
  }

  /** The record of a feature, where it is kept. */
  kept(gml: OpenGml, entry: FeatureEntry): R | null {
    return this.#records?.get(gml.key, entry) ?? null;
  }

  /** A record that was made, for the next one who asks. */
  keep(gml: OpenGml, entry: FeatureEntry, record: R): void {
    this.#records?.put(gml.key, entry, record);
  }

  /**
   * The record of the feature, whose text is given unless it is larger than `LARGE_TEXT`; null for one that the
   * conditions leave out; a promise only where something has to be read for it. Throws a FeatureXmlError when the text
   * is not well formed, FeatureTooLarge when its attributes are, MemberDamaged when the archive is, and what the writer
   * throws.
   */
  present(
    gml: OpenGml,
    entry: FeatureEntry,
    text: Uint8Array | null,
    work: FeatureWork,
  ): R | null | Promise<R | null> {
    if (entry.isPlaceOnly === true) {
      const whole = gml.index.whole(entry, text);
      return whole instanceof Promise
        ? whole.then((read) => this.present(gml, read, text, work))
        : this.present(gml, whole, text, work);
    }
    return text === null ? this.#presentLarge(gml, entry, work) : this.#presentText(gml, entry, text, work);
  }

  /** True when the geometry of the feature is left out of an answer that has geometry. */
  lacksGeometry(entry: FeatureEntry, { limits }: FeatureWork): boolean {
    return this.#presentation.format.needsGeometry && entry.end - entry.start > limits.maxGeometryBytes;
  }

  /** In steps, with a pause before each. */
  #presentLarge(gml: OpenGml, entry: FeatureEntry, work: FeatureWork): Promise<R | null> {
    const { slices } = work;
    const wantsGeometry = this.#wantsGeometry(entry, work);
    return work.large.run(async () => {
      const text = wantsGeometry
        ? await gml.text.read(entry)
        : await skimFeature(inTurns(gml.text.stream(entry), slices));
      await slices.pause();
      const element = parseFeature(text, gml.index.context, wantsGeometry ? undefined : skipAllButAttributes);
      if (!hasAssumedId(entry, element)) return null;
      const labels = this.#presentation.rawCodes
        ? null
        : await gml.index.labelsFor(element, gml.codeLists, gml.path);
      await slices.pause();
      if (!this.#isWanted(entry, element, labels)) return null;
      const geometries = wantsGeometry ? geometriesOf(element, gml.index.defaults, work.repeats) : [];
      await slices.pause();
      return this.#record(gml, entry, element, labels, geometries, work);
    });
  }

  #wantsGeometry(entry: FeatureEntry, { limits }: FeatureWork): boolean {
    return this.#presentation.format.needsGeometry && entry.end - entry.start <= limits.maxGeometryBytes;
  }

  #presentText(
    gml: OpenGml,
    entry: FeatureEntry,
    text: Uint8Array,
    work: FeatureWork,
  ): R | null | Promise<R | null> {
    const { context, defaults } = gml.index;
    const wantsGeometry = this.#wantsGeometry(entry, work);
    const element = parseFeature(text, context, wantsGeometry ? undefined : skipAllButAttributes);
    if (!hasAssumedId(entry, element)) return null;
    const record = (labels: CodeLabels | null) => {
      if (!this.#isWanted(entry, element, labels)) return null;
      const geometries = wantsGeometry ? geometriesOf(element, defaults, work.repeats) : [];
      return this.#record(gml, entry, element, labels, geometries, work);
    };
    if (this.#presentation.rawCodes) return record(null);
    const labels = gml.index.labelsFor(element, gml.codeLists, gml.path);
    return labels instanceof Promise ? labels.then(record) : record(labels);
  }

  #isWanted(entry: FeatureEntry, element: XmlElement, labels: CodeLabels | null): boolean {
    const { where, hasVersion2Names } = this.#presentation;
    if (where === null) return true;
    const attributes = attributesOf(element, { labels, extent: entry.extent });
    return where.accepts(hasVersion2Names ? version2Names(attributes) : attributes, entry);
  }

  #record(
    gml: OpenGml,
    entry: FeatureEntry,
    element: XmlElement,
    labels: CodeLabels | null,
    geometries: LodGeometry[],
    { slices }: FeatureWork,
  ): R | Promise<R> {
    const fallbackId = `${gml.path}#${entry.index}`;
    const { hasVersion2Names } = this.#presentation;
    const parts = { entry, element, labels, geometries, fallbackId, hasVersion2Names };
    const record = this.#writer.record(parts);
    return entry.end - entry.start < SLICED_TEXT ? finish(record) : inSlices(record, slices);
  }
}

/** False when the entry was found by the hash of an id that the feature does not have. */
function hasAssumedId({ id, idIsAssumed }: FeatureEntry, element: XmlElement): boolean {
  return idIsAssumed !== true || gmlIdOf(element) === id;
}

async function* inTurns(chunks: AsyncIterable<Uint8Array>, slices: Slices): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    if (slices.due()) await slices.pause();
    yield chunk;
  }
}
