/** What caches before the service have to drop after versions of the catalogue. */
import { type PackageChange, TABLE_PREFIX } from '@citymodel/store';
import type { AssetUrls } from '../names/asset-urls.ts';
import { cityAreaOf } from '../rows/snapshot-dataset.ts';
import { CATALOGUE, catalogueKey, EVERYTHING, packageKey } from './cache-keys.ts';

/** What lies below these addresses may differ after any change of the catalogue; `*` stands for whatever follows. */
const DOCUMENTS = [
  'citygml/*',
  'datacatalog/*',
  'dcat.jsonld*',
  'llms.txt',
  'ogc*',
  'sdk/*',
  'sitemap.xml',
  'stac*',
] as const;
/** Zips beside a package that caches may keep. */
const METADATA_ZIPS = ['codelists', 'metadata', 'schemas', 'specification'] as const;

export interface PurgeList {
  /** False when the changes are not known any more: then everything is to be dropped. */
  isComplete: boolean;
  /** Keys of answers that may differ from what is kept, sorted. */
  keys: string[];
  /** The same as URLs; `*` at the end stands for whatever follows. */
  urls: string[];
  /** Packages that changed, by number. */
  packages: Array<{ no: number; name: string | null; state: PackageChange['now'] }>;
  /**
   * Asset paths (`2 hex/rest of an id`) whose files must not be kept any longer, each with the version of its last
   * change.
   */
  gone: Array<{ path: string; version: number }>;
}

/** The list of the changes that a store gives; null: it does not know them any more. */
export function purgeList(
  changes: readonly PackageChange[] | null,
  urls: AssetUrls,
  { redirect = '' } = {},
): PurgeList {
  if (changes === null || changes.some(({ located, now }) => located === null && now === 'forgotten')) {
    const addresses = [`${urls.assetUrl}/*`, `${urls.publicUrl}/*`];
    if (redirect !== '') addresses.push(`${redirect}/*`);
    return { isComplete: false, keys: [EVERYTHING], urls: addresses, packages: [], gone: [] };
  }
  const keys = new Set<string>();
  const changed = new Set<string>();
  const packages = new Map<number, PurgeList['packages'][number]>();
  const gone = new Map<string, number>();
  if (changes.length > 0) {
    keys.add(CATALOGUE);
    for (const documents of DOCUMENTS) changed.add(`${urls.publicUrl}/${documents}`);
  }
  for (const { version, packageNo, now, located, tableKeys } of changes) {
    packages.set(packageNo, { no: packageNo, name: located?.name ?? null, state: now });
    if (located === null) continue;
    keys.add(catalogueKey(located.prefCode)).add(catalogueKey(cityAreaOf(located)));
    if (now === 'live' || now === 'retired') continue;
    keys.add(packageKey(packageNo));
    gone.set(located.assetPath, version);
    changed.add(urls.member(located, '*')).add(urls.archive(located)).add(urls.tables(located));
    for (const directory of METADATA_ZIPS) changed.add(urls.metadataZip(located, directory));
    if (redirect !== '' && located.archiveKey !== '') changed.add(`${redirect}/${located.archiveKey}`);
    if (redirect === '') continue;
    if (tableKeys === null) changed.add(`${redirect}/${TABLE_PREFIX}*`);
    else for (const key of tableKeys) changed.add(`${redirect}/${key}`);
  }
  return {
    isComplete: true,
    keys: [...keys].sort(),
    urls: [...changed].sort(),
    packages: [...packages.values()].sort((a, b) => a.no - b.no),
    gone: [...gone].map(([path, version]) => ({ path, version })),
  };
}

/**
 * The newest version that all servers show for sure, which is where the next list may begin. Until then a server may
 * still answer from the state before, and a cache may keep that answer: the list has to be made again. `settleMs`: how
 * long servers may take; `now` by the clock of the database, ms since 1970.
 */
export function settledVersion(
  changes: readonly PackageChange[],
  { since, now, settleMs }: { since: number; now: number; settleMs: number },
): number {
  let settled = since;
  for (const { version, changedAt } of changes) {
    // A program of an older version does not say when.
    if (changedAt === null || changedAt > now - settleMs) break;
    settled = version;
  }
  return settled;
}
