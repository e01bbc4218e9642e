/** The feature index of one GML as requests use it: in memory where it is used often, else by ranges. */

import {
  type CodeLabels,
  type CodeLists,
  type CoordinateDefaults,
  codeSpacesOf,
  entryOfText,
  type FeatureEntry,
  FeatureIndex,
  type FeatureIndexFile,
  type Footprint,
  type NamespaceContext,
  namespaceContext,
  numbersOf,
  type XmlElement,
  type XmlMemory,
} from '@citymodel/citygml';
import type { Bounds } from '@citymodel/geo';
import type { PartRange } from '@citymodel/zip';
import type { RequestBudget } from '../base/request-budget.ts';

/** Code spaces of one file whose lists are remembered; real files name some thirty. */
const MAX_CODE_SPACES = 1_000;

/** Ids that are read from the index and from a feature's text alike: no references, nothing to decode. */
const PLAIN_ID = /^[\w.:-]+$/;

/** Features that are handed on together, and gml:ids. */
const BATCH = 256;
const IDS = 1_024;
/** Features of one gml:id that are answered; beyond, a file has one id for everything. */
const MAX_SAME_ID = 1_000;
/** What an index takes besides its own bytes and the names that its root tag declares, bytes: names seen, labels. */
const BASE_BYTES = 16_384;

export class GmlIndex {
  /** Features in the file. */
  readonly size: number;
  /** Features whose gml:id an earlier one has. */
  readonly duplicates: number;
  /** Namespaces that the file's root declares. */
  readonly context: NamespaceContext;
  /** The reference system that holds where geometry names none. */
  readonly defaults: CoordinateDefaults;
  /** What it takes in memory, bytes. */
  readonly bytes: number;
  /** In memory, or read by ranges. */
  readonly #index: FeatureIndex | FeatureIndexFile;
  readonly #labels = new Map<string, CodeLabels>();

  /** `bytes`: of the index, as far as it is in memory; `memory`: what all files share. */
  constructor(index: FeatureIndex | FeatureIndexFile, bytes: number, memory?: XmlMemory) {
    this.#index = index;
    this.size = index.size;
    this.duplicates = index.header.duplicates;
    this.context = namespaceContext(index.rootTag, memory);
    this.bytes = bytes + 4 * index.rootTag.length + BASE_BYTES;
    const { srsName, srsDimension } = index.crs;
    this.defaults = { srsName: srsName || null, srsDimension: Number(srsDimension) || null };
  }

  /** True where finding a feature by its id takes one round of reads or two. */
  get findsQuickly(): boolean {
    return this.#index instanceof FeatureIndex || this.#index.hasPlaces;
  }

  /**
   * Features with this gml:id, in the order of the text, the first thousand. Charges what had to be compared. `onPlace`
   * is told where the text of one will be, before its entry was read; the id of that one may have to be compared with
   * its text (`idIsAssumed`). `placeIsEnough`: of that one the entry is not read (`isPlaceOnly`), which saves a request
   * where the index is far away.
   */
  async find(
    id: string,
    budget: RequestBudget,
    onPlace?: (place: PartRange) => void,
    placeIsEnough = false,
  ): Promise<FeatureEntry[]> {
    const index = this.#index;
    if (index instanceof FeatureIndex) {
      const found = index.find(id);
      budget.items(found.length);
      return found.slice(0, MAX_SAME_ID).map((i) => index.feature(i));
    }
    const candidates = await index.candidates(id);
    budget.items(candidates.length);
    const [only] = candidates;
    if (only !== undefined && only.place !== null && candidates.length === 1 && PLAIN_ID.test(id)) {
      onPlace?.(only.place);
      return [placeIsEnough ? placeOnly(only.index, only.place, id) : await index.assumed(only, id)];
    }
    const found: FeatureEntry[] = [];
    for await (const entries of index.features(numbersOf(candidates))) {
      for (const entry of entries) if (entry.id === id) found.push(entry);
      if (found.length >= MAX_SAME_ID) break;
    }
    return found.slice(0, MAX_SAME_ID);
  }

  /**
   * The whole of an entry that is only a place, out of its text; out of the index where that is null, or no whole
   * feature. Throws a RangeError for a number that the index does not have.
   */
  whole(entry: FeatureEntry, text: Uint8Array | null): FeatureEntry | Promise<FeatureEntry> {
    const { index, id, idIsAssumed, start, end } = entry;
    const read = text === null ? null : entryOfText(text, this.#index);
    if (read !== null) return { ...read, index, id, idIsAssumed: idIsAssumed ?? false, start, end };
    if (this.#index instanceof FeatureIndex) return { ...this.#index.feature(index), id };
    return this.#index.assumed({ index, place: null }, id ?? '');
  }

  /** Entries of features by their ascending numbers, some at a time. */
  async *features(numbers: Iterable<number>): AsyncGenerator<FeatureEntry[], void, void> {
    const index = this.#index;
    if (!(index instanceof FeatureIndex)) {
      yield* index.features(numbers);
      return;
    }
    let batch: FeatureEntry[] = [];
    for (const i of numbers) {
      batch.push(index.feature(i));
      if (batch.length < BATCH) continue;
      yield batch;
      batch = [];
    }
    if (batch.length > 0) yield batch;
  }

  /** Numbers of features whose extent touches the bounds, ascending. */
  async search(bounds: Bounds): Promise<number[]> {
    return this.#index.search(bounds);
  }

  /** All gml:ids in the order of the text, some at a time. */
  async *ids(): AsyncGenerator<string[], void, void> {
    const index = this.#index;
    if (!(index instanceof FeatureIndex)) {
      yield* index.ids();
      return;
    }
    let batch: string[] = [];
    for (const id of index.ids()) {
      batch.push(id);
      if (batch.length < IDS) continue;
      yield batch;
      batch = [];
    }
    yield batch;
  }

  /** What a feature covers on the ground; null when that stands in the text only. */
  footprint(entry: FeatureEntry): Footprint | null | Promise<Footprint | null> {
    return this.#index.footprint(entry);
  }

  /**
   * How codes in the features are looked up: every list that they name is loaded when this returns, which is at
   * once for lists that a feature of this file has named before.
   */
  labelsFor(feature: XmlElement, lists: CodeLists, gmlPath: string): CodeLabels | Promise<CodeLabels> {
    const unknown = codeSpacesOf(feature, this.#labels);
    if (unknown.size === 0) return this.#lookUp;
    return this.#load([...unknown].slice(0, MAX_CODE_SPACES), lists, gmlPath);
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

/** What is known of a feature before its entry was read. */
function placeOnly(index: number, { start, end }: PartRange, id: string): FeatureEntry {
  return {
    index,
    id,
    idIsAssumed: true,
    isPlaceOnly: true,
    element: '',
    start,
    end,
    lods: 0,
    extent: null,
    hasAltitude: false,
    lod1Solid: false,
    footprintInBlock: false,
    footprintOffset: 0,
    footprintLength: 0,
  };
}
