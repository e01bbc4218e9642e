/** Assets and links of STAC items: the zip of a package, and the documents by which its tiles are opened. */
import { kindOfFormat, OUTPUT_KINDS } from '@citymodel/base';
import type { PackageRow } from '@citymodel/store';
import type { AssetUrls } from '../catalogue/names/asset-urls.ts';
import { specUrl } from '../catalogue/rows/dataset-rows.ts';
import type { Dataset } from '../catalogue/rows/snapshot-dataset.ts';
import { type Link, MEDIA } from './stac-words.ts';

export interface Asset {
  readonly href: string;
  readonly type?: string;
  readonly title: string;
  readonly roles: readonly string[];
  /** Multihash, hexadecimal: `12 20`, then SHA-256 (extension `file`). */
  readonly 'file:checksum'?: string;
  /** Bytes. */
  readonly 'file:size'?: number;
}

/** The whole package as one zip, with the hash of its bytes. */
export function archiveAsset(row: PackageRow, urls: AssetUrls, title: string): Asset {
  return {
    href: urls.archive(row),
    type: MEDIA.zip,
    title,
    roles: row.kind === 'citygml' ? ['data'] : ['archive'],
    // A made-up row of a bench has no bytes.
    ...(row.archiveSha256 === '' ? {} : { 'file:checksum': `1220${row.archiveSha256}` }),
    'file:size': row.archiveSize,
  };
}

/** Features of a package as GeoParquet, by names of assets: `bldg`, with a number behind it for a further package. */
export function tableAssets(row: PackageRow, urls: AssetUrls, number: number): Array<[string, Asset]> {
  return (row.tables ?? []).map(({ type, size, sha256 }) => [
    number === 1 ? `parquet_${type}` : `parquet_${type}_${number}`,
    {
      href: urls.table(row, type),
      type: MEDIA.parquet,
      title: `${row.name} ${type} GeoParquet`,
      roles: ['data'],
      'file:checksum': `1220${sha256}`,
      'file:size': size,
    },
  ]);
}

/** Names of the assets that are pictures. */
export const PICTURE_ASSETS = ['thumbnail', 'overview'] as const;

/** Pictures of a dataset: one for lists, one for links. */
export function pictureAssets(row: PackageRow | null, urls: AssetUrls): Record<string, Asset> {
  if (row === null) return {};
  const assets: Record<string, Asset> = {};
  for (const [name, size] of [
    ['thumbnail', 'small'],
    ['overview', 'large'],
  ] as const) {
    const image = row.pictures?.images.find((one) => one.theme === 'light' && one.size === size);
    const href = urls.picture(row, 'light', size);
    if (image === undefined || href === null) continue;
    assets[name] = {
      href,
      type: image.mimeType,
      title: `${image.width} × ${image.height}`,
      roles: [name],
      'file:checksum': `1220${image.sha256}`,
      'file:size': image.bytes,
    };
  }
  return assets;
}

/** What people call a dataset: its name, which says nothing of inside and outside, and `屋内` for the inside. */
export function titleOf({ name, interior }: Pick<Dataset, 'name' | 'interior'>): string {
  return interior ? `${name} 屋内` : name;
}

/** The document by which a viewer opens the tiles of a dataset; null where only addresses of tiles are known. */
export function tilesAsset(dataset: Dataset, urls: AssetUrls): Asset | null {
  const href = viewerUrl(dataset, urls);
  if (href === null) return null;
  const { label } = OUTPUT_KINDS[kindOfFormat(dataset.summary.format)];
  return { href, type: MEDIA.json, title: `${titleOf(dataset)} ${label.en}`, roles: ['data', 'tiles'] };
}

/** A link of the extension `web-map-links` to the tiles of a dataset. */
export function mapLink(dataset: Dataset, urls: AssetUrls): Link {
  const href = viewerUrl(dataset, urls);
  const title = titleOf(dataset);
  const kind = kindOfFormat(dataset.summary.format);
  switch (kind) {
    case '3dtiles':
      return { rel: '3d-tiles', href: href!, type: MEDIA.json, title };
    case 'mvt':
      return href === null
        ? { rel: 'xyz', href: urls.member(dataset.package, dataset.summary.entry), title }
        : { rel: 'tilejson', href, type: MEDIA.json, title };
    default:
      return kind satisfies never;
  }
}

/** A tileset is in the package itself; a TileJSON is made for the spec of a dataset that has one. */
function viewerUrl(dataset: Dataset, urls: AssetUrls): string | null {
  const { package: row, summary, spec } = dataset;
  if (!summary.entry.includes('{')) return urls.member(row, summary.entry);
  return spec === null ? null : specUrl(dataset, spec, urls);
}
