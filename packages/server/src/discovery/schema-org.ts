/**
 * What search engines read of a page of the portal: a dataset or the whole catalogue in the words of schema.org, as
 * JSON-LD.
 */
import { EVERY_OUTPUT_KIND, type PackageKind, packageKindLabel } from '@citymodel/base';
import { compareTypes, typeName } from '@citymodel/citygml';
import { type Bounds, unionBounds } from '@citymodel/geo';
import type { PackageRow } from '@citymodel/store';
import { area } from '../catalogue/names/areas.ts';
import type { AssetUrls } from '../catalogue/names/asset-urls.ts';
import { linkPictureOf } from '../catalogue/names/link-picture.ts';
import { bestPicture } from '../catalogue/rows/best-picture.ts';
import type { Snapshot } from '../catalogue/snapshot/snapshot.ts';
import { nameOfArea } from '../stac/items.ts';
import { MEDIA, spdxOf, yearsInterval } from '../stac/stac-words.ts';
import { pageOfArea } from './texts.ts';

/** The dataset of a municipality, ward or prefecture; the catalogue where nothing of it is published. */
export function structuredData(snapshot: Snapshot, urls: AssetUrls, code: string | null): object {
  const rows = code === null ? [] : packagesOf(snapshot, code);
  const newest = rows.reduce((best, row) => (row.year > best.year ? row : best), rows[0]!);
  if (newest === undefined) {
    return {
      '@context': 'https://schema.org',
      '@type': 'DataCatalog',
      name: '3D city models',
      url: `${urls.publicUrl}/`,
    };
  }
  const bounds = rows.reduce<Bounds | null>((sum, row) => unionBounds(sum, row.bounds), null);
  const types = [...new Set(rows.flatMap((row) => row.types))].sort(compareTypes);
  const formats = formatsOf(rows);
  const licenses = new Set(rows.map(({ license }) => spdxOf(license)));
  const [license] = licenses;
  // What stands in for a ward has the name of its city.
  const isOwn = (newest.wardCode ?? newest.cityCode) === code;
  const name = (isOwn ? undefined : area(code!)?.name) ?? nameOfArea(newest);
  return {
    '@context': 'https://schema.org',
    '@type': 'Dataset',
    name: `${newest.pref}${name === newest.pref ? '' : ` ${name}`} 3D都市モデル`,
    description:
      `3D city model of ${name} (${code}), ${newest.year}: ${types.map(typeName).join('、')}. ` +
      `${formats.join(', ')}.`,
    url: urls.publicUrl + pageOfArea(code!),
    identifier: code,
    isAccessibleForFree: true,
    keywords: ['3D', ...formats, ...types],
    temporalCoverage: yearsInterval(rows.map(({ year }) => year))!.join('/'),
    dateModified: rows
      .map(({ ingestedAt }) => ingestedAt)
      .sort()
      .at(-1),
    ...(bounds === null
      ? {}
      : {
          spatialCoverage: {
            '@type': 'Place',
            geo: {
              '@type': 'GeoShape',
              box: [bounds.south, bounds.west, bounds.north, bounds.east].join(' '),
            },
          },
        }),
    ...(licenses.size === 1 && license !== 'other'
      ? { license: `https://spdx.org/licenses/${license}` }
      : {}),
    ...imageOf(rows, urls),
    includedInDataCatalog: { '@type': 'DataCatalog', name: '3D city models', url: `${urls.publicUrl}/` },
    distribution: rows
      .filter(({ kind }) => kind === 'citygml')
      .flatMap((row) => [
        downloadOf(row.name, MEDIA.zip, urls.archive(row), row.archiveSize),
        ...(row.tables ?? []).map(({ type, size }) =>
          downloadOf(`${row.name} ${type}`, MEDIA.parquet, urls.table(row, type), size),
        ),
      ]),
  };
}

/** The picture that shows most. */
function imageOf(rows: readonly PackageRow[], urls: AssetUrls): object {
  const drawn = bestPicture(rows);
  if (drawn === null) return {};
  const { url, width, height, mimeType } = linkPictureOf(drawn, urls) ?? {};
  const image = { '@type': 'ImageObject', contentUrl: url, width, height, encodingFormat: mimeType };
  return { ...(url === undefined ? {} : { image }), thumbnailUrl: urls.picture(drawn, 'light', 'small') };
}

/** What people call the forms in which the packages are there. */
function formatsOf(rows: readonly PackageRow[]): string[] {
  const kinds = new Set<PackageKind>(rows.map(({ kind }) => kind));
  const known = (['citygml', ...EVERY_OUTPUT_KIND] as const).filter((kind) => kinds.has(kind));
  const hasTables = rows.some(({ tables }) => tables !== undefined && tables.length > 0);
  return [...known.map((kind) => packageKindLabel(kind)), ...(hasTables ? ['GeoParquet'] : [])];
}

function downloadOf(name: string, encodingFormat: string, contentUrl: string, bytes: number): object {
  return { '@type': 'DataDownload', name, encodingFormat, contentUrl, contentSize: `${bytes} B` };
}

/** Packages of an area itself, else those of its wards, else those of the city that a ward lies in. */
function packagesOf({ packages, cityAround }: Snapshot, code: string): readonly PackageRow[] {
  const own = (area: string) => packages.filter((row) => (row.wardCode ?? row.cityCode) === area);
  const found = own(code);
  if (found.length > 0) return found;
  const wards = packages.filter(({ cityCode }) => cityCode === code);
  return wards.length > 0 ? wards : own(cityAround(code) ?? '');
}
