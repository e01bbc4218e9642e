/** The feature index of one GML as requests use it: in memory where it is used often, else by ranges. */
import { type CodeLabels, codeSpacesOf } from '../citygml/attributes/attributes.ts';
import type { CodeLists } from '../citygml/attributes/code-lists.ts';
import type { CoordinateDefaults } from '../citygml/geometry/gml-geometry.ts';
import type { FeatureEntry, FeatureIndex, Footprint } from '../citygml/index/feature-index.ts';
import type { FeatureIndexFile } from '../citygml/index/feature-index-file.ts';
import { type NamespaceContext, namespaceContext, type XmlElement } from '../citygml/xml/feature-xml.ts';
import type { Bounds } from '../geo/bounds.ts';

/** Code spaces of one file whose lists are remembered; real files name some thirty. */
const MAX_CODE_SPACES = 1_000;

/** What both ways of reading an index have; the way by ranges answers with promises. */
type AnyIndex = FeatureIndex | FeatureIndexFile;

export class GmlIndex {
  /** The index in memory; null where it is read by ranges. */
  readonly whole: FeatureIndex | null;
  /** Features in the file. */
  readonly size: number;
  /** Features whose gml:id an earlier one has. */
  readonly duplicates: number;
  /** Namespaces that the file's root declares. */
  readonly context: NamespaceContext;
  /** The reference system that holds where geometry names none. */
  readonly defaults: CoordinateDefaults;
  readonly #index: AnyIndex;
  readonly #labels = new Map<string, CodeLabels>();

  constructor(index: AnyIndex, whole: FeatureIndex | null) {
    this.#index = index;
    this.whole = whole;
    this.size = index.size;
    this.duplicates = index.header.duplicates;
    this.context = namespaceContext(index.rootTag);
    const { srsName, srsDimension } = index.crs;
    this.defaults = { srsName: srsName || null, srsDimension: Number(srsDimension) || null };
  }

  /** Features with this gml:id, in the order of the text. */
  async find(id: string): Promise<FeatureEntry[]> {
    const { whole } = this;
    return whole === null
      ? (this.#index as FeatureIndexFile).find(id)
      : whole.find(id).map((i) => whole.feature(i));
  }

  /** The entry of a feature by its number. */
  feature(i: number): FeatureEntry | Promise<FeatureEntry> {
    return this.#index.feature(i);
  }

  /** Numbers of features whose extent touches the bounds, ascending. */
  async search(bounds: Bounds): Promise<number[]> {
    if (this.whole !== null) return this.whole.search(bounds);
    return (await (this.#index as FeatureIndexFile).search(bounds)).map((entry) => entry.index);
  }

  /** All gml:ids in the order of the text. */
  async ids(): Promise<Iterable<string>> {
    if (this.whole !== null) return this.whole.ids();
    const ids: string[] = [];
    for await (const id of this.#index.ids()) ids.push(id);
    return ids;
  }

  /** What a feature covers on the ground; null when that stands in the text only. */
  footprint(i: number): Footprint | null | Promise<Footprint | null> {
    return this.#index.footprint(i);
  }

  /**
   * How codes in the features are looked up: every list that they name is loaded when this returns, which is at
   * once for lists that a feature of this file has named before.
   */
  labelsFor(feature: XmlElement, lists: CodeLists, gmlPath: string): CodeLabels | Promise<CodeLabels> {
    const unknown = [...codeSpacesOf(feature)].filter((codeSpace) => !this.#labels.has(codeSpace));
    if (unknown.length === 0) return this.#lookUp;
    return this.#load(unknown, lists, gmlPath);
  }

  async #load(codeSpaces: readonly string[], lists: CodeLists, gmlPath: string): Promise<CodeLabels> {
    const labels = await lists.labels(gmlPath, codeSpaces);
    if (this.#labels.size + codeSpaces.length > MAX_CODE_SPACES) {
      return (codeSpace, code) => (this.#labels.get(codeSpace) ?? labels)(codeSpace, code);
    }
    for (const codeSpace of codeSpaces) this.#labels.set(codeSpace, labels);
    return this.#lookUp;
  }

  readonly #lookUp: CodeLabels = (codeSpace, code) => this.#labels.get(codeSpace)?.(codeSpace, code);
}
