/** The OGC API over a snapshot: its collections, pages of features, features. */
import { backgroundSlices } from '@citymodel/base';
import type { PackageRow } from '@citymodel/store';
import { Filters } from '../base/filter.ts';
import type { FileFilter } from '../catalogue/search/file-filter.ts';
import type { Snapshot } from '../catalogue/snapshot/snapshot.ts';
import type { FeaturePage, FeaturePages, PageQuery, RecordMaker } from '../features/feature-pages.ts';
import type { Presentation } from '../features/feature-query.ts';
import type { FeatureWork } from '../features/feature-work.ts';
import { formatNamed } from '../features/formats/formats.ts';
import type { Interval } from '../stac/item-filter.ts';
import { fiscalYearStart } from '../stac/stac-words.ts';
import { filesOf, type OgcCollection, type OgcCollections, ogcCollections } from './collections.ts';
import type { ItemRequest } from './item-request.ts';
import { columnsMaker, LOOKED_AT, queryablesDocument } from './queryables.ts';

/** The signal of work that is not a single caller's. */
const NOBODYS = new AbortController().signal;
/** Packages of a collection whose features are counted beside a page of all of them. */
const MAX_COUNTED = 50;

export class OgcApi {
  readonly root: string;
  readonly #pages: FeaturePages;
  readonly #collections = new WeakMap<Snapshot, Promise<OgcCollections>>();
  readonly #queryables = new WeakMap<Snapshot, Map<string, Promise<object>>>();
  readonly #counts = new WeakMap<Snapshot, Map<string, number>>();

  constructor(publicUrl: string, pages: FeaturePages) {
    this.root = `${publicUrl}/ogc`;
    this.#pages = pages;
  }

  /** Made once for a snapshot, by no caller's time. */
  collections(snapshot: Snapshot): Promise<OgcCollections> {
    let collections = this.#collections.get(snapshot);
    if (collections === undefined) {
      collections = ogcCollections(snapshot, backgroundSlices());
      this.#collections.set(snapshot, collections);
    }
    return collections;
  }

  /** What the features of one request may cost; it ends with the signal. */
  begin(signal: AbortSignal): FeatureWork {
    return this.#pages.begin(signal);
  }

  /** A page of features. Throws as `FeaturePages.page`. */
  page<R>(
    snapshot: Snapshot,
    collection: OgcCollection,
    request: ItemRequest,
    record: RecordMaker<R>,
    work: FeatureWork,
  ): Promise<FeaturePage<R>> {
    const { limit, after, regions, where, hasVersion2Names } = request;
    const query: PageQuery = {
      snapshot,
      type: collection.type,
      filters: filtersOf(collection, request.interval),
      regions,
      presentation: presentationOf('geojson', where, hasVersion2Names),
      limit,
      after,
      ...(where === null ? {} : { prepare: (gml, entries, work) => where.prepare(gml, entries, work) }),
    };
    return this.#pages.page(query, record, work);
  }

  /** The first feature of a collection that has the gml:id; null where none has. */
  item<R>(
    snapshot: Snapshot,
    collection: OgcCollection,
    id: string,
    record: RecordMaker<R>,
    work: FeatureWork,
    hasVersion2Names = false,
  ): Promise<R | null> {
    const query = {
      snapshot,
      type: collection.type,
      filters: filesOf(collection),
      presentation: presentationOf('geojson', null, hasVersion2Names),
    };
    return this.#pages.one(query, id, record, work);
  }

  /** By which properties a collection can be searched: read once for a snapshot, by no caller's time. */
  queryables(snapshot: Snapshot, collection: OgcCollection, hasVersion2Names = false): Promise<object> {
    const kept = this.#queryables.get(snapshot) ?? new Map<string, Promise<object>>();
    this.#queryables.set(snapshot, kept);
    const key = `${collection.id} ${hasVersion2Names}`;
    let document = kept.get(key);
    if (document === undefined) {
      document = this.#readQueryables(snapshot, collection, hasVersion2Names);
      kept.set(key, document);
      // The next caller tries again.
      document.catch(() => kept.delete(key));
    }
    return document;
  }

  async #readQueryables(
    snapshot: Snapshot,
    collection: OgcCollection,
    hasVersion2Names: boolean,
  ): Promise<object> {
    const query: PageQuery = {
      snapshot,
      type: collection.type,
      filters: filesOf(collection),
      regions: [],
      presentation: presentationOf('json', null, hasVersion2Names),
      limit: LOOKED_AT,
      after: null,
    };
    const { records } = await this.#pages.page(query, columnsMaker, this.begin(NOBODYS));
    const self = `${this.root}/collections/${collection.id}/queryables`;
    return queryablesDocument(collection, records, hasVersion2Names ? `${self}?attributes=v2` : self);
  }

  /** How many features a request means; null where only reading them tells. */
  async matched(
    snapshot: Snapshot,
    collection: OgcCollection,
    { regions, where, interval }: ItemRequest,
    work: FeatureWork,
  ): Promise<number | null> {
    if (regions.length > 0 || where !== null || interval !== null) return null;
    if (collection.rows.length > MAX_COUNTED) return null;
    const counts = this.#counts.get(snapshot) ?? new Map<string, number>();
    this.#counts.set(snapshot, counts);
    const known = counts.get(collection.id);
    if (known !== undefined) return known;
    const count = await this.#pages.count(
      { snapshot, type: collection.type, filters: filesOf(collection) },
      work,
    );
    counts.set(collection.id, count);
    return count;
  }
}

function filtersOf(collection: OgcCollection, interval: Interval | null) {
  const filters = filesOf(collection);
  return interval === null ? filters : new Filters<FileFilter>([...filters.all, timeFilter(interval)]);
}

/** Files of editions whose fiscal year shares a moment with the interval. */
function timeFilter({ start, end }: Interval): FileFilter {
  const meets = ({ year }: PackageRow) => end >= fiscalYearStart(year) && start < fiscalYearStart(year + 1);
  return {
    name: 'time',
    key: JSON.stringify(['time', String(start), String(end)]),
    words: 'of that time',
    at: () => ({ accepts: meets, mayHave: meets }),
  };
}

/** Features with their geometry and with labels of codes, as operation 11 has them. */
function presentationOf(
  name: 'geojson' | 'json',
  where: ItemRequest['where'],
  hasVersion2Names: boolean,
): Presentation {
  const format = formatNamed(name)!;
  return { format, rawCodes: false, fields: null, flatten: true, hasVersion2Names, where };
}
