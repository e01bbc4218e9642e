/**
 * The STAC catalogue as files, which any bucket or web server can serve: `catalog.json`, `{collection}/collection.json`
 * and `{collection}/{item}/{item}.json`. Their links are relative; assets are addresses of the service (STAC best
 * practices, relative published catalogs).
 */
import type { AssetUrls } from '../catalogue/names/asset-urls.ts';
import { stacCatalog, stacCollection } from './collections.ts';
import type { StacEntries } from './entries.ts';
import { stacItem } from './items.ts';
import { MEDIA, type Places } from './stac-words.ts';

export interface StaticFile {
  /** Relative, with `/` between its parts. */
  readonly path: string;
  readonly document: object;
}

/** Every file of the catalogue, the landing page last: so it names nothing that is not there yet. */
export function* staticCatalog(entries: StacEntries, urls: AssetUrls): Generator<StaticFile> {
  for (const [id, list] of entries.byCollection) {
    for (const entry of list) {
      yield { path: itemPath(id, entry.id), document: stacItem(entry, urls, placesFrom('../../')) };
    }
    const items = list.map((entry) => ({
      rel: 'item',
      href: `./${encoded(entry.id)}/${encoded(entry.id)}.json`,
      type: MEDIA.geojson,
    }));
    yield { path: `${id}/collection.json`, document: stacCollection(id, list, placesFrom('../'), items) };
  }
  yield { path: 'catalog.json', document: stacCatalog(entries, placesFrom('./'), []) };
}

function placesFrom(up: string): Places {
  return {
    self: null,
    root: `${up}catalog.json`,
    collection: (id) => `${up}${encoded(id)}/collection.json`,
    item: (collection, id) => `${up}${encoded(collection)}/${encoded(id)}/${encoded(id)}.json`,
  };
}

function itemPath(collection: string, id: string): string {
  return `${collection}/${id}/${id}.json`;
}

const encoded = encodeURIComponent;
