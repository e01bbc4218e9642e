import { backgroundSlices } from '@citymodel/base';
import type { Archives, MetadataDirectory, PackageRow } from '@citymodel/store';
import { layoutDigest, type ZipLayout } from '@citymodel/zip';
import { LRUCache } from 'lru-cache';
import { planMetadataZip } from '../../catalogue/names/metadata-zip.ts';

/** A metadata zip: which byte is where, and what decides its bytes (hex). */
export interface MetadataLayout {
  layout: ZipLayout<null>;
  digest: string;
}

interface MetadataOf {
  row: PackageRow;
  directory: MetadataDirectory;
}

/** Layouts of metadata zips that are kept, and their members in all, of about 130 bytes each. */
const LIMITS = { layouts: 200, members: 200_000 };

/** Metadata zips are laid out when first asked for, once for all that ask at the time, and the layout is kept. */
export class MetadataLayouts {
  readonly #archives: Pick<Archives, 'open'>;
  readonly #layouts: LRUCache<string, { found: MetadataLayout | null }, MetadataOf>;

  constructor(archives: Pick<Archives, 'open'>, limits = LIMITS) {
    this.#archives = archives;
    this.#layouts = new LRUCache({
      max: limits.layouts,
      maxSize: limits.members,
      // One that is larger than all may be together is kept alone: making it takes longest.
      sizeCalculation: ({ found }) => Math.min(limits.members, Math.max(1, found?.layout.count ?? 1)),
      // A caller who waits for a layout gets it, also when the cache has no place for it any more.
      ignoreFetchAbort: true,
      fetchMethod: (_key, _stale, { context }) => this.#layOut(context),
    });
  }

  /** The layout of a directory of a package; null when the package lacks it. Throws what opening the archive throws. */
  async of(row: PackageRow, directory: MetadataDirectory): Promise<MetadataLayout | null> {
    const key = `${row.archiveKey} ${directory}`;
    return (await this.#layouts.forceFetch(key, { context: { row, directory } })).found;
  }

  async #layOut({ row, directory }: MetadataOf): Promise<{ found: MetadataLayout | null }> {
    await using archive = await this.#archives.open(row);
    const slices = backgroundSlices();
    const layout = await planMetadataZip(archive.index, directory, slices);
    if (layout === null) return { found: null };
    return { found: { layout, digest: await layoutDigest(layout, () => row.id, slices) } };
  }
}
