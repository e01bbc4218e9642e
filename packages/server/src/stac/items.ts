/** Items of the STAC catalogue as GeoJSON features (STAC 1.1.0, item specification). */
import { compareTexts, factsOfFormat, kindOfFormat } from '@citymodel/base';
import { compareTypes } from '@citymodel/citygml';
import { type Bounds, boundsToArray } from '@citymodel/geo';
import type { PackageRow } from '@citymodel/store';
import type { AssetUrls } from '../catalogue/names/asset-urls.ts';
import { bestPicture } from '../catalogue/rows/best-picture.ts';
import {
  type Asset,
  archiveAsset,
  mapLink,
  pictureAssets,
  tableAssets,
  tilesAsset,
  titleOf,
} from './assets.ts';
import type { StacEntry } from './entries.ts';
import {
  cityObjectsOf,
  EXTENSIONS,
  type Link,
  MEDIA,
  type Places,
  producersOf,
  STAC_VERSION,
  spdxOf,
  yearsInterval,
} from './stac-words.ts';

/** What differs between the two kinds of items. */
interface ItemParts {
  readonly title: string;
  readonly rows: readonly PackageRow[];
  readonly types: readonly string[];
  readonly lods: readonly string[];
  readonly isTextured: boolean;
  /** True for the inside of features alone. */
  readonly isInterior: boolean;
  readonly assets: Readonly<Record<string, Asset>>;
  readonly mapLinks: readonly Link[];
  /** Top-level features; null where nobody counted them. */
  readonly features: number | null;
}

/** The item of an entry. Longitude and latitude are degrees (WGS 84), as GeoJSON has them. */
export function stacItem(entry: StacEntry, urls: AssetUrls, places: Places) {
  const parts = partsOf(entry, urls);
  const { rows, lods, types } = parts;
  const [first] = rows as [PackageRow, ...PackageRow[]];
  const [start, end] = yearsInterval([entry.year])!;
  // What says nothing of a licence has none that is known.
  const licenses = new Set(rows.map(({ license }) => spdxOf(license)));
  const written = [...new Set(rows.map(({ license }) => license))].filter((license) => license !== null);
  const times = rows.map(({ ingestedAt }) => ingestedAt).sort();
  return {
    type: 'Feature',
    stac_version: STAC_VERSION,
    stac_extensions: [
      EXTENSIONS.file,
      EXTENSIONS.version,
      EXTENSIONS.city3d,
      ...(parts.mapLinks.length > 0 ? [EXTENSIONS.webMapLinks] : []),
    ],
    id: entry.id,
    collection: entry.collection,
    geometry: entry.bounds === null ? null : boxPolygon(entry.bounds),
    ...(entry.bounds === null ? {} : { bbox: boundsToArray(entry.bounds) }),
    properties: {
      title: parts.title,
      datetime: null,
      start_datetime: start,
      end_datetime: end,
      created: times[0]!,
      updated: times.at(-1)!,
      license: licenses.size === 1 ? [...licenses][0]! : 'other',
      providers: producersOf(rows).map((name) => ({ name, roles: ['producer', 'licensor'] })),
      version: String(entry.year),
      'city3d:co_types': cityObjectsOf(types),
      ...(lods.length === 0 ? {} : { 'city3d:lods': lods }),
      'city3d:textures': parts.isTextured,
      ...(parts.features === null ? {} : { 'city3d:city_objects': parts.features }),
      'citymodel:feature_types': types,
      'citymodel:specs': [...new Set(rows.map(({ spec }) => spec))].sort(compareTexts),
      ...(parts.isInterior ? { 'citymodel:interior': true } : {}),
      'citymodel:pref_code': first.prefCode,
      'citymodel:city_code': first.cityCode,
      ...(first.wardCode === null ? {} : { 'citymodel:ward_code': first.wardCode }),
      'citymodel:latest': entry.versions.at(-1) === entry.id,
      ...(written.length === 0 ? {} : { 'citymodel:license': written.join('; ') }),
    },
    links: [...placeLinks(entry, places), ...versionLinks(entry, places), ...parts.mapLinks],
    assets: parts.assets,
  };
}

function partsOf(entry: StacEntry, urls: AssetUrls): ItemParts {
  switch (entry.kind) {
    case 'tiles': {
      const { dataset } = entry;
      const { package: row, summary } = dataset;
      const facts = factsOfFormat(summary.format);
      const tiles = tilesAsset(dataset, urls);
      return {
        title: `${titleOf(dataset)} ${summary.format} ${entry.year}`,
        rows: [row],
        types: [summary.type],
        lods: facts.showsLod ? [String(dataset.lod)] : [],
        isTextured: facts.isTextured && summary.texture,
        isInterior: dataset.interior,
        assets: {
          ...(tiles === null ? {} : { [kindOfFormat(summary.format)]: tiles }),
          archive: archiveAsset(row, urls, row.uploadName),
          ...pictureAssets(row, urls),
        },
        mapLinks: [mapLink(dataset, urls)],
        features: null,
      };
    }
    case 'edition': {
      const { packages, datasets } = entry;
      const rows = [...packages, ...datasets.map((dataset) => dataset.package)];
      const types = [
        ...new Set([...packages.flatMap((row) => row.types), ...datasets.map((d) => d.summary.type)]),
      ];
      const shown = datasets.filter(({ summary }) => factsOfFormat(summary.format).showsLod);
      const citygml = packages.map((row, n): [string, Asset] => [
        n === 0 ? 'citygml' : `citygml_${n + 1}`,
        archiveAsset(row, urls, `CityGML ${row.name}`),
      ]);
      const tables = packages.flatMap((row, n) => tableAssets(row, urls, n + 1));
      const tiles = datasets.flatMap((dataset): Array<[string, Asset]> => {
        const asset = tilesAsset(dataset, urls);
        return asset === null ? [] : [[dataset.id, asset]];
      });
      return {
        title: `${rows[0]!.pref} ${nameOfArea(rows[0]!)} ${entry.year}`,
        rows,
        types: types.sort(compareTypes),
        lods: [...new Set(shown.map(({ lod }) => String(lod)))].sort(),
        isTextured: datasets.some(({ summary }) => summary.texture),
        isInterior: false,
        assets: {
          ...Object.fromEntries([...citygml, ...tables, ...tiles]),
          ...pictureAssets(bestPicture(datasets.map((dataset) => dataset.package)), urls),
        },
        mapLinks: datasets.map((dataset) => mapLink(dataset, urls)),
        features: packages.length === 0 ? null : packages.reduce((sum, row) => sum + row.features, 0),
      };
    }
  }
}

/** What people call the area of a package. */
export function nameOfArea({ pref, city, ward }: Pick<PackageRow, 'pref' | 'city' | 'ward'>): string {
  return ward === null ? (city === '' ? pref : city) : ward;
}

function placeLinks(entry: StacEntry, places: Places): Link[] {
  const collection = { href: places.collection(entry.collection), type: MEDIA.json };
  return [
    ...(places.self === null ? [] : [{ rel: 'self', href: places.self, type: MEDIA.geojson }]),
    { rel: 'root', href: places.root, type: MEDIA.json },
    { rel: 'parent', ...collection },
    { rel: 'collection', ...collection },
  ];
}

/** The editions before and after, and the newest (extension `version`). */
function versionLinks({ collection, id, versions }: StacEntry, places: Places): Link[] {
  const at = versions.indexOf(id);
  const link = (rel: string, other: string | undefined): Link[] =>
    other === undefined || other === id
      ? []
      : [{ rel, href: places.item(collection, other), type: MEDIA.geojson }];
  return [
    ...link('predecessor-version', versions[at - 1]),
    ...link('successor-version', versions[at + 1]),
    ...link('latest-version', versions.at(-1)),
  ];
}

/** Counter-clockwise from south-west (RFC 7946, section 3.1.6). */
function boxPolygon({ west, south, east, north }: Bounds): object {
  return {
    type: 'Polygon',
    coordinates: [
      [
        [west, south],
        [east, south],
        [east, north],
        [west, north],
        [west, south],
      ],
    ],
  };
}
