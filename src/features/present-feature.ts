/** One feature as a record of an answer. */
import { type CodeLabels, skipAllButAttributes } from '../citygml/attributes/attributes.ts';
import { geometriesOf } from '../citygml/geometry/feature-geometry.ts';
import type { FeatureEntry } from '../citygml/index/feature-index.ts';
import { parseFeature, type XmlElement } from '../citygml/xml/feature-xml.ts';
import { skimFeature } from '../citygml/xml/skim-feature.ts';
import type { Presentation } from './feature-query.ts';
import { MAX_GEOMETRY_TEXT } from './find-features.ts';
import type { FeatureWriter } from './formats/format.ts';
import type { OpenGml } from './open-gml.ts';

/** Text of a feature from which on its geometry is dropped while it is read, where that is not wanted, bytes. */
export const SKIM_FROM = 4 << 20;

/** Reads features for the writer of an answer. */
export class FeaturePresenter {
  readonly #presentation: Presentation;
  readonly #writer: FeatureWriter;

  constructor(presentation: Presentation, writer: FeatureWriter) {
    this.#presentation = presentation;
    this.#writer = writer;
  }

  /**
   * The record of the feature, whose text is given unless it is very large; a promise only where something has to be read
   * for it. Throws a FeatureXmlError when the text is not well formed, MemberDamaged when the archive is, and what the
   * writer throws.
   */
  present(gml: OpenGml, entry: FeatureEntry, text: Uint8Array | null): string | Promise<string> {
    return text === null ? this.#presentLarge(gml, entry) : this.#presentText(gml, entry, text);
  }

  async #presentLarge(gml: OpenGml, entry: FeatureEntry): Promise<string> {
    return this.#presentText(
      gml,
      entry,
      this.#wantsGeometry(entry) ? await gml.text.read(entry) : await skimFeature(gml.text.stream(entry)),
    );
  }

  #wantsGeometry(entry: FeatureEntry): boolean {
    return this.#presentation.format.needsGeometry && entry.end - entry.start <= MAX_GEOMETRY_TEXT;
  }

  #presentText(gml: OpenGml, entry: FeatureEntry, text: Uint8Array): string | Promise<string> {
    const { context } = gml.index;
    const element = this.#wantsGeometry(entry)
      ? parseFeature(text, context)
      : parseFeature(text, context, skipAllButAttributes);
    if (this.#presentation.rawCodes) return this.#record(gml, entry, element, null);
    const labels = gml.index.labelsFor(element, gml.codeLists, gml.path);
    return labels instanceof Promise
      ? labels.then((loaded) => this.#record(gml, entry, element, loaded))
      : this.#record(gml, entry, element, labels);
  }

  #record(gml: OpenGml, entry: FeatureEntry, element: XmlElement, labels: CodeLabels | null): string {
    return this.#writer.record({
      entry,
      element,
      labels,
      geometries: this.#wantsGeometry(entry) ? geometriesOf(element, gml.index.defaults) : [],
      fallbackId: `${gml.path}#${entry.index}`,
    });
  }
}
