/** The documents of the STAC API, whose links are addresses of this service. */
import { backgroundSlices, compareTexts, type Slices } from '@citymodel/base';
import type { AssetUrls } from '../catalogue/names/asset-urls.ts';
import type { Snapshot } from '../catalogue/snapshot/snapshot.ts';
import { stacCatalog, stacCollection } from './collections.ts';
import { type StacEntries, type StacEntry, stacEntries } from './entries.ts';
import { stacItem } from './items.ts';
import { type EntryPage, entryPage } from './page.ts';
import type { SearchRequest } from './search-request.ts';
import { type Link, MEDIA, type Places } from './stac-words.ts';

/** The class `oas30` wants the description in this version. */
const OPENAPI = 'application/vnd.oai.openapi+json;version=3.0';

export class StacApi {
  readonly #urls: AssetUrls;
  readonly #root: string;
  /** Entries of the snapshots that are in use. */
  readonly #entries = new WeakMap<Snapshot, Promise<StacEntries>>();

  constructor(urls: AssetUrls) {
    this.#urls = urls;
    this.#root = `${urls.publicUrl}/stac`;
  }

  /** Made once for a snapshot, by no caller's time: others may wait for it when the first one has gone. */
  entries(snapshot: Snapshot): Promise<StacEntries> {
    let entries = this.#entries.get(snapshot);
    if (entries === undefined) {
      entries = stacEntries(snapshot, backgroundSlices());
      this.#entries.set(snapshot, entries);
    }
    return entries;
  }

  catalog(entries: StacEntries): object {
    const { publicUrl } = this.#urls;
    const search = { rel: 'search', href: `${this.#root}/search`, type: MEDIA.geojson };
    return stacCatalog(entries, this.#places(this.#root), [
      { rel: 'data', href: `${this.#root}/collections`, type: MEDIA.json },
      { rel: 'conformance', href: `${this.#root}/conformance`, type: MEDIA.json },
      { ...search, method: 'GET' },
      { ...search, method: 'POST' },
      { rel: 'service-desc', href: `${publicUrl}/ogc/api`, type: OPENAPI },
      { rel: 'service-doc', href: `${publicUrl}/docs`, type: MEDIA.html },
    ]);
  }

  /** Null where there is no such collection. */
  collection(entries: StacEntries, id: string): object | null {
    const list = entries.byCollection.get(id);
    if (list === undefined) return null;
    const self = this.#places(this.#root).collection(id);
    return stacCollection(id, list, this.#places(self), [
      { rel: 'items', href: `${self}/items`, type: MEDIA.geojson },
    ]);
  }

  /** A page of collections by id, from behind the one that the token names. */
  async collections(
    entries: StacEntries,
    { limit, token }: { limit: number; token: string | null },
    slices: Slices,
  ): Promise<object> {
    const rest = [...entries.byCollection.keys()].filter(
      (id) => token === null || compareTexts(id, token) > 0,
    );
    const ids = rest.slice(0, limit);
    const self = `${this.#root}/collections`;
    const query = (from: string | null) =>
      `?${new URLSearchParams({ limit: String(limit), ...(from === null ? {} : { token: from }) })}`;
    const links: Link[] = [
      { rel: 'self', href: `${self}${query(token)}`, type: MEDIA.json },
      { rel: 'root', href: this.#root, type: MEDIA.json },
      ...(ids.length < rest.length
        ? [{ rel: 'next', href: `${self}${query(ids.at(-1)!)}`, type: MEDIA.json }]
        : []),
    ];
    const collections: Array<object | null> = [];
    await slices.each(ids, (id) => void collections.push(this.collection(entries, id)));
    return { collections, links };
  }

  /** Null where there is no such item. */
  item(entries: StacEntries, collection: string, id: string): object | null {
    const entry = entries.byCollection.get(collection)?.find((candidate) => candidate.id === id);
    return entry === undefined ? null : this.#item(entry);
  }

  /** Throws a RangeError where the token is none. */
  page(
    all: readonly StacEntry[],
    { filter, limit, token }: SearchRequest,
    slices: Slices,
  ): Promise<EntryPage> {
    return entryPage(all, filter, { limit, token }, slices);
  }

  /** A feature collection of the entries of a page; `links` lead to it and on from it. */
  async items({ entries }: EntryPage, links: readonly Link[], slices: Slices): Promise<object> {
    const features: object[] = [];
    await slices.each(entries, (entry) => void features.push(this.#item(entry)));
    return {
      type: 'FeatureCollection',
      numberReturned: entries.length,
      features,
      links: [{ rel: 'root', href: this.#root, type: MEDIA.json }, ...links],
    };
  }

  /** Address of a document below the landing page. */
  address(path: string): string {
    return `${this.#root}${path}`;
  }

  #item(entry: StacEntry): object {
    const self = this.#places(this.#root).item(entry.collection, entry.id);
    return stacItem(entry, this.#urls, this.#places(self));
  }

  #places(self: string): Places {
    const collection = (id: string) => `${this.#root}/collections/${encodeURIComponent(id)}`;
    return {
      self,
      root: this.#root,
      collection,
      item: (of, id) => `${collection(of)}/items/${encodeURIComponent(id)}`,
    };
  }
}
