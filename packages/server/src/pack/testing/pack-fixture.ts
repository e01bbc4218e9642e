/** Packages in memory with a database on the disk, for tests of packs. */
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32, deflateRawSync } from 'node:zlib';
import {
  Archives,
  type CatalogueStore,
  type ComparisonStore,
  type JobStore,
  type ObjectStore,
  type PackageRow,
  type PackRow,
  type PackSource,
  type PackStore,
} from '@citymodel/store';
import {
  MemoryStore,
  packageOf,
  publish,
  SqlCatalogueStore,
  SqlComparisonStore,
  SqliteDriver,
  SqlJobStore,
  SqlPackStore,
} from '@citymodel/store/testing';
import { ARCHIVE_PAGE_BYTES, ArchiveWriter, MemberIndexBuilder, PageSumsWriter } from '@citymodel/zip';
import { MemorySink } from '@citymodel/zip/testing';
import { packId } from '../pack-id.ts';

/** The file of `acceptPacks`. */
export const PACKED_FILE = 'udx/bldg/a.gml';

export const MODIFIED = Date.UTC(2031, 3, 5, 6, 7, 8);

/** Text of a member, or text with what it refers to: paths in the package, `!` before those that it lacks. */
export type TestMember = string | { text: string; refersTo: readonly string[] };

export interface PackFixture extends AsyncDisposable {
  catalogue: CatalogueStore;
  packs: PackStore;
  jobs: JobStore;
  comparisons: ComparisonStore;
  objects: ObjectStore;
  archives: Archives;
  /** Stores an archive and publishes its package. */
  publish(
    id: string,
    members: Record<string, TestMember>,
    changes?: Partial<PackageRow>,
  ): Promise<PackageRow>;
}

/** Empty stores. */
export async function packFixture(objects: ObjectStore = new MemoryStore()): Promise<PackFixture> {
  const directory = await mkdtemp(join(tmpdir(), 'packs-'));
  const driver = await SqliteDriver.open(join(directory, 'catalogue.sqlite'));
  const catalogue = new SqlCatalogueStore(driver);
  await catalogue.migrate();
  const archives = new Archives(objects, { maxOpen: 8 });
  return {
    catalogue,
    packs: new SqlPackStore(driver),
    comparisons: new SqlComparisonStore(driver),
    jobs: new SqlJobStore(driver),
    objects,
    archives,
    async publish(id, members, changes = {}) {
      const archiveKey = `archives/${id}.zip`;
      const indexKey = `archives/${id}.index`;
      const written = await writeArchive(members);
      await objects.put(archiveKey, once(written.archive));
      await objects.put(indexKey, once(written.index));
      return publish(
        catalogue,
        packageOf(id, {
          archiveKey,
          indexKey,
          archiveSize: written.archive.length,
          archiveSha256: createHash('sha256').update(written.archive).digest('hex'),
          memberCount: Object.keys(members).length,
          ...changes,
        }),
      );
    },
    async [Symbol.asyncDispose]() {
      await archives.close();
      await catalogue.close();
      await rm(directory, { recursive: true });
    },
  };
}

/** All or some of a package. */
export function sourceOf(
  row: PackageRow,
  files: readonly string[],
  metadata: PackSource['metadata'] = [],
): PackSource {
  return {
    packageId: row.id,
    directory: row.name,
    archiveKey: row.archiveKey,
    indexKey: row.indexKey,
    archiveSha256: row.archiveSha256,
    files: [...files],
    metadata,
  };
}

/** Accepts packs of a package with one file, a pack for each id in the order given; gives their pack ids. */
export async function acceptPacks(fixture: PackFixture, ids: readonly string[]): Promise<string[]> {
  const [row] = await fixture.catalogue.findPackages({ id: 'p1' });
  const known =
    row ?? (await fixture.publish('p1', { [PACKED_FILE]: { text: 'a', refersTo: [] } }, { name: 'city' }));
  const times = { now: Date.now(), expiresAt: Date.now() + 1_000_000 };
  for (const id of ids)
    await fixture.packs.accept({ id: packId([id]), sources: [sourceOf(known, [PACKED_FILE])] }, times);
  return ids.map((id) => packId([id]));
}

export async function findPack(fixture: PackFixture, id: string): Promise<PackRow> {
  const [pack] = await fixture.packs.find([id], Date.now());
  return pack!;
}

export async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function writeArchive(members: Record<string, TestMember>) {
  const archive = new MemorySink();
  const index = new MemorySink();
  const writer = new ArchiveWriter(archive);
  const builder = new MemberIndexBuilder(index);
  for (const [path, member] of Object.entries(members)) {
    const { text, refersTo } = typeof member === 'string' ? { text: member, refersTo: null } : member;
    const bytes = Buffer.from(text);
    const stored = path.endsWith('.jpg');
    const data = stored ? bytes : deflateRawSync(bytes);
    const totals = { crc32: crc32(bytes), size: bytes.length, compressedSize: data.length };
    const written = await writer.copy(path, { ...totals, method: stored ? 0 : 8, modified: MODIFIED }, [
      data,
    ]);
    const { name: _, headerOffset: __, ...place } = written;
    await builder.add(
      { ...place, path, sha256: createHash('sha256').update(bytes).digest() },
      refersTo === null ? {} : { dependencies: Buffer.from(refersTo.join('\n')) },
    );
  }
  await writer.finish();
  const sums = new PageSumsWriter(ARCHIVE_PAGE_BYTES);
  sums.push(archive.bytes);
  await builder.finish(sums.finish());
  return { archive: archive.bytes, index: index.bytes };
}
