/** One feature as text of an answer. */
import { attributesOf, type CodeLabels, skipAllButAttributes } from '../citygml/attributes/attributes.ts';
import { type CityJsonTransform, toCityJsonFeature } from '../citygml/formats/to-cityjson.ts';
import { toGeoJson } from '../citygml/formats/to-geojson.ts';
import { geometriesOf, type LodGeometry } from '../citygml/geometry/feature-geometry.ts';
import { footprintOf } from '../citygml/geometry/feature-shape.ts';
import type { FeatureEntry } from '../citygml/index/feature-index.ts';
import { parseFeature, type XmlElement } from '../citygml/xml/feature-xml.ts';
import { skimFeature } from '../citygml/xml/skim-feature.ts';
import type { Presentation } from './feature-query.ts';
import { altitudesOf, MAX_GEOMETRY_TEXT } from './find-features.ts';
import type { OpenGml } from './open-gml.ts';

/** Text of a feature from which on its geometry is dropped while it is read, where that is not wanted, bytes. */
export const SKIM_FROM = 4 << 20;

/** Makes texts of features in one format. */
export class FeaturePresenter {
  readonly #presentation: Presentation;
  readonly #transform: CityJsonTransform | null;

  /** `transform` is that of the sequence's header, for `cityjsonseq`. */
  constructor(presentation: Presentation, transform: CityJsonTransform | null) {
    this.#presentation = presentation;
    this.#transform = transform;
  }

  /**
   * JSON of the feature, whose text is given unless it is very large; a promise only where something has to be read for
   * it. Throws a FeatureXmlError when the text is not well formed, MemberDamaged when the archive is.
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
    return this.#presentation.format !== 'json' && entry.end - entry.start <= MAX_GEOMETRY_TEXT;
  }

  #presentText(gml: OpenGml, entry: FeatureEntry, text: Uint8Array): string | Promise<string> {
    const { context } = gml.index;
    const feature = this.#wantsGeometry(entry)
      ? parseFeature(text, context)
      : parseFeature(text, context, skipAllButAttributes);
    if (this.#presentation.rawCodes) return this.#write(gml, entry, feature, null);
    const labels = gml.index.labelsFor(feature, gml.codeLists, gml.path);
    return labels instanceof Promise
      ? labels.then((loaded) => this.#write(gml, entry, feature, loaded))
      : this.#write(gml, entry, feature, labels);
  }

  #write(gml: OpenGml, entry: FeatureEntry, feature: XmlElement, labels: CodeLabels | null): string {
    const { format } = this.#presentation;
    if (format === 'json') return JSON.stringify(this.#attributes(feature, entry, labels));
    const geometries = this.#wantsGeometry(entry) ? geometriesOf(feature, gml.index.defaults) : [];
    return JSON.stringify(
      format === 'geojson'
        ? this.#geoJson(feature, geometries, entry, labels)
        : this.#cityJson(gml, feature, geometries, entry, labels),
    );
  }

  #attributes(feature: XmlElement, entry: FeatureEntry, labels: CodeLabels | null): Record<string, unknown> {
    return this.#chosen(attributesOf(feature, { labels, extent: entry.extent }));
  }

  #geoJson(
    feature: XmlElement,
    geometries: LodGeometry[],
    entry: FeatureEntry,
    labels: CodeLabels | null,
  ): object {
    return toGeoJson(this.#attributes(feature, entry, labels), footprintOf(geometries), altitudesOf(entry));
  }

  #cityJson(
    gml: OpenGml,
    feature: XmlElement,
    geometries: LodGeometry[],
    entry: FeatureEntry,
    labels: CodeLabels | null,
  ): object {
    // Features without a gml:id are known by where they stand in their file.
    const id = `${gml.path}#${entry.index}`;
    const made = toCityJsonFeature(feature, geometries, labels, this.#transform!, id);
    for (const object of Object.values(made.CityObjects)) object.attributes = this.#chosen(object.attributes);
    return made;
  }

  /** The wanted attributes with their codes and units; `gml:id` and `_type` say what they are of, and stay. */
  #chosen(attributes: Record<string, unknown>): Record<string, unknown> {
    const { fields } = this.#presentation;
    if (fields === null) return attributes;
    return Object.fromEntries(
      Object.entries(attributes).filter(
        ([key]) =>
          key === 'gml:id' ||
          key === '_type' ||
          fields.has(key) ||
          fields.has(key.replace(/_(code|uom)$/, '')),
      ),
    );
  }
}
