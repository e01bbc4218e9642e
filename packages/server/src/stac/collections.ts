/** Collections of the STAC catalogue and its landing page (STAC 1.1.0; STAC API 1.0.0). */
import { factsOfFormat } from '@citymodel/base';
import { typeName } from '@citymodel/citygml';
import { type Bounds, boundsToArray, unionBounds } from '@citymodel/geo';
import type { StacEntries, StacEntry } from './entries.ts';
import { nameOfArea } from './items.ts';
import {
  CONFORMS_TO,
  EXTENSIONS,
  type Link,
  MEDIA,
  type Places,
  STAC_VERSION,
  spdxOf,
  yearsInterval,
} from './stac-words.ts';

const WORLD = [-180, -90, 180, 90];
const CATALOG_ID = 'citymodel';
const TITLE = '3D city models';
const DESCRIPTION =
  '3D city models of municipalities: CityGML, and the 3D Tiles and vector tiles that were made from it. A ' +
  'collection is a feature type, whose items are packages of tiles, or an area, whose items are editions with all ' +
  'that was published together.';

/** The document of a collection; its entries are at least one. `extra` are further links. */
export function stacCollection(
  id: string,
  entries: readonly StacEntry[],
  places: Places,
  extra: readonly Link[],
): object {
  const bounds = entries.reduce<Bounds | null>((sum, entry) => unionBounds(sum, entry.bounds), null);
  const years = entries.map(({ year }) => year);
  const licenses = new Set(entries.flatMap((entry) => rowsOf(entry).map(({ license }) => spdxOf(license))));
  const lods = [...new Set(entries.flatMap(lodsOf))].sort();
  return {
    type: 'Collection',
    stac_version: STAC_VERSION,
    stac_extensions: lods.length === 0 ? [] : [EXTENSIONS.city3d],
    id,
    title: titleOf(entries[0]!),
    description: descriptionOf(entries),
    license: licenses.size === 1 ? [...licenses][0]! : 'other',
    extent: {
      spatial: { bbox: [bounds === null ? WORLD : boundsToArray(bounds)] },
      temporal: { interval: [yearsInterval(years)!] },
    },
    summaries: {
      'citymodel:year': { minimum: years.reduce(least), maximum: years.reduce(most) },
      ...(lods.length === 0 ? {} : { 'city3d:lods': lods }),
    },
    links: [
      ...(places.self === null ? [] : [{ rel: 'self', href: places.self, type: MEDIA.json }]),
      { rel: 'root', href: places.root, type: MEDIA.json },
      { rel: 'parent', href: places.root, type: MEDIA.json },
      ...extra,
    ],
  };
}

/** The landing page, or the first file of a static catalogue; `extra` are links that only one of them has. */
export function stacCatalog(entries: StacEntries, places: Places, extra: readonly Link[]): object {
  return {
    type: 'Catalog',
    stac_version: STAC_VERSION,
    id: CATALOG_ID,
    title: TITLE,
    description: DESCRIPTION,
    ...(places.self === null ? {} : { conformsTo: CONFORMS_TO }),
    links: [
      ...(places.self === null ? [] : [{ rel: 'self', href: places.self, type: MEDIA.json }]),
      { rel: 'root', href: places.root, type: MEDIA.json },
      ...extra,
      ...[...entries.byCollection].map(([id, list]) => ({
        rel: 'child',
        href: places.collection(id),
        type: MEDIA.json,
        title: titleOf(list[0]!),
      })),
    ],
  };
}

function titleOf(entry: StacEntry): string {
  if (entry.kind === 'tiles') return typeName(entry.collection);
  const [row] = rowsOf(entry);
  const name = nameOfArea(row!);
  return name === row!.pref ? name : `${row!.pref}${/^[\x20-\x7e]*$/.test(name) ? ' ' : ''}${name}`;
}

function descriptionOf(entries: readonly StacEntry[]): string {
  const [entry] = entries as readonly [StacEntry, ...StacEntry[]];
  switch (entry.kind) {
    case 'tiles':
      return (
        `3D Tiles and vector tiles of the feature type ${entry.collection} (${typeName(entry.collection)}), an ` +
        `item for each package.`
      );
    case 'edition':
      return `What was published of ${titleOf(entry)} (${entry.collection}), an item for each year.`;
  }
}

function lodsOf(entry: StacEntry): string[] {
  const datasets = entry.kind === 'tiles' ? [entry.dataset] : entry.datasets;
  return datasets
    .filter(({ summary }) => factsOfFormat(summary.format).showsLod)
    .map(({ lod }) => String(lod));
}

function rowsOf(entry: StacEntry) {
  if (entry.kind === 'tiles') return [entry.dataset.package];
  return [...entry.packages, ...entry.datasets.map((dataset) => dataset.package)];
}

/** Of two: a collection may have more years than a call takes arguments. */
function least(a: number, b: number): number {
  return Math.min(a, b);
}

function most(a: number, b: number): number {
  return Math.max(a, b);
}
