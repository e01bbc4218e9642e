/** `citymodel check`: every archive against its index and the database, byte by byte. */
import { createHash } from 'node:crypto';
import { sharedNow } from '@citymodel/base';
import {
  type CatalogueStore,
  hasSums,
  ObjectMissing,
  type ObjectStore,
  objectKeysOf,
  type PackageRow,
  type PackageTable,
  PICTURE_PREFIX,
  StoreUnavailable,
  TABLE_PREFIX,
} from '@citymodel/store';
import { MemberDamaged, MemberIndex, readMember, readZipDirectory, verifyMemberIndex } from '@citymodel/zip';
import type { ProgressSink } from '../base/progress.ts';
import { archiveFacts } from './archive-sums.ts';

/** Tables and pictures are made of the archive. */
const TABLE_ADVICE = 'Make it again by `citymodel reindex --all`.';
const PICTURE_ADVICE = 'Draw it again by `citymodel reindex --all`.';

export interface CheckReport {
  packages: number;
  members: number;
  faults: Array<{ place: string; fault: string }>;
  /**
   * Packages whose index has no sums of pages: damage on the way from the store is not noticed in zips, packs and parts
   * of their files.
   */
  withoutSums: string[];
  /**
   * Packages of which something was wrong at a first look and right at a second: the way from the store has a fault.
   */
  passing: string[];
  /**
   * Archives, indexes, tables and pictures that nothing refers to, bytes. They do no harm: a copy of the objects that
   * is newer than that of the database has them.
   */
  orphans: Array<{ key: string; size: number }>;
}

export interface CheckOptions {
  /** Only packages of these names; null for all, and for objects that nothing refers to. */
  names: readonly string[] | null;
  /** Give orphans to the sweep, which deletes them as it deletes objects of packages that were removed. */
  repair?: boolean;
  onProgress: ProgressSink;
}

/** Reads everything that the catalogue refers to and compares. Never throws for what it finds. */
export async function checkStores(
  stores: { catalogue: CatalogueStore; objects: ObjectStore },
  options: CheckOptions,
): Promise<CheckReport> {
  const report: CheckReport = {
    packages: 0,
    members: 0,
    faults: [],
    withoutSums: [],
    passing: [],
    orphans: [],
  };
  const keys = new Set<string>();
  const toCheck: PackageRow[] = [];
  for await (const page of stores.catalogue.packages(['live', 'retired', 'removed'])) {
    for (const row of page) {
      if (row.archiveKey === '') continue;
      for (const key of objectKeysOf(row)) keys.add(key);
      if (row.state === 'live' && (options.names === null || options.names.includes(row.name)))
        toCheck.push(row);
    }
  }
  for (const name of options.names ?? []) {
    if (!toCheck.some((row) => row.name === name))
      report.faults.push({ place: name, fault: 'There is no such package.' });
  }
  for (const row of toCheck) {
    const first = await lookAt(stores, row, options.onProgress);
    // What the store has is told apart from what the way to it does.
    const found = first.faults.length === 0 ? first : await lookAt(stores, row, options.onProgress);
    if (found.faults.length < first.faults.length) report.passing.push(row.name);
    report.packages++;
    report.members += found.members;
    report.faults.push(...found.faults);
    if (!found.hasSums) report.withoutSums.push(row.name);
  }
  if (options.names === null) await findOrphans(stores, keys, report);
  if (options.repair === true && report.orphans.length > 0) {
    await stores.catalogue.addGarbage(
      report.orphans.map(({ key }) => key),
      sharedNow(),
    );
  }
  return report;
}

/** What one look at a package found. */
interface Look {
  members: number;
  faults: CheckReport['faults'];
  hasSums: boolean;
}

async function lookAt(
  stores: { catalogue: CatalogueStore; objects: ObjectStore },
  row: PackageRow,
  onProgress: ProgressSink,
): Promise<Look> {
  const look: Look = { members: 0, faults: [], hasSums: true };
  try {
    await checkPackage(stores, row, look, onProgress);
  } catch (error) {
    const missing = error instanceof ObjectMissing;
    look.faults.push({
      place: row.name,
      fault: missing
        ? `${error.message}; ingest the package again.`
        : `It cannot be read: ${(error as Error).message}`,
    });
  }
  return look;
}

async function checkPackage(
  stores: { catalogue: CatalogueStore; objects: ObjectStore },
  row: PackageRow,
  report: Look,
  onProgress: ProgressSink,
): Promise<void> {
  const fault = (place: string, text: string) =>
    report.faults.push({ place: `${row.name}: ${place}`, fault: text });
  await using archive = await stores.objects.open(row.archiveKey);
  await using indexSource = await stores.objects.open(row.indexKey);
  if (archive.size !== row.archiveSize) {
    fault('archive', `It has ${archive.size} bytes; the database says ${row.archiveSize}.`);
    return;
  }
  let done = 0;
  const total = row.archiveSize + row.memberBytes;
  const progress = (bytes: number, member: string | null) => {
    done += bytes;
    onProgress({ label: row.name, phase: 'verifying', done, total, member });
  };
  const { sha256, pageSums } = await archiveFacts(archive, (bytes) => progress(bytes, null));
  const isRight = sha256 === row.archiveSha256;
  if (!isRight) fault('archive', 'Its SHA-256 is not the one in the database.');
  const index = await MemberIndex.open(indexSource);
  const damage = await verifyMemberIndex(indexSource);
  if (damage !== null) fault('index', damage);
  const sums = index.archiveSums;
  if (sums !== null) {
    const known = await indexSource.read(sums.offset, sums.length);
    if (isRight && !pageSums.equals(known)) fault('index', 'Its sums of pages are not those of the archive.');
  } else {
    report.hasSums = false;
    // Servers go by the name.
    if (hasSums(row)) fault('index', 'It has no sums of pages, though its key says so.');
  }
  const directory = await readZipDirectory(archive);
  if (index.count !== row.memberCount) {
    fault('index', `It has ${index.count} members; the database says ${row.memberCount}.`);
  }
  if (directory.count !== index.count) {
    fault('archive', `Its directory has ${directory.count} members; the index has ${index.count}.`);
  }
  for (const entry of directory.entries()) {
    const path = entry.name.slice(row.rootPrefix.length);
    const member = index.find(path);
    if (member === undefined) {
      fault(path, 'The archive has it, the index does not.');
      continue;
    }
    report.members++;
    const hash = createHash('sha256');
    // One read for the header and the data: on a bucket each is a request.
    const onPlace = (offset: number) => {
      if (
        member.offset !== offset ||
        member.compressedSize !== entry.compressedSize ||
        member.size !== entry.size ||
        member.crc32 !== entry.crc32 ||
        member.method !== entry.method
      ) {
        fault(path, 'Place, size, method or CRC in the index are not those of the archive.');
      }
    };
    try {
      for await (const chunk of readMember(archive, entry, { onPlace })) {
        hash.update(chunk);
        progress(chunk.length, path);
      }
      if (!hash.digest().equals(member.sha256)) fault(path, 'Its SHA-256 is not the one in the index.');
    } catch (error) {
      // Nothing of what follows could be read, either.
      if (error instanceof StoreUnavailable || error instanceof ObjectMissing) throw error;
      const { message } = error as Error;
      const isDamaged = error instanceof MemberDamaged;
      fault(path, isDamaged ? `Its data is damaged: ${message}` : `It cannot be read: ${message}`);
    }
  }
  for (const file of await stores.catalogue.gmlFiles({ packageNos: [row.no] })) {
    const member = index.find(file.path);
    if (member === undefined) fault(file.path, 'The database lists it, the index does not have it.');
    else if (Buffer.from(member.sha256).toString('hex') !== file.sha256 || member.size !== file.size) {
      fault(file.path, 'Size or SHA-256 in the database are not those of the index.');
    }
  }
  for (const table of row.tables ?? []) await checkTable(stores, table, fault);
  for (const { theme, size, key, bytes, sha256 } of row.pictures?.images ?? []) {
    const picture = { place: `picture ${theme} ${size}`, key, size: bytes, sha256, advice: PICTURE_ADVICE };
    await checkObject(stores, picture, fault);
  }
}

function checkTable(
  stores: { objects: ObjectStore },
  { type, key, size, sha256 }: PackageTable,
  fault: (place: string, text: string) => void,
): Promise<void> {
  const table = { place: `table of ${type}`, key, size, sha256, advice: TABLE_ADVICE };
  return checkObject(stores, table, fault);
}

async function checkObject(
  { objects }: { objects: ObjectStore },
  {
    place,
    key,
    size,
    sha256,
    advice,
  }: Record<'place' | 'key' | 'sha256' | 'advice', string> & { size: number },
  fault: (place: string, text: string) => void,
): Promise<void> {
  try {
    await using object = await objects.open(key);
    if (object.size !== size) {
      fault(place, `It has ${object.size} bytes; the database says ${size}. ${advice}`);
      return;
    }
    const found = await archiveFacts(object);
    if (found.sha256 !== sha256) fault(place, `Its SHA-256 is not the one in the database. ${advice}`);
  } catch (error) {
    if (!(error instanceof ObjectMissing)) throw error;
    fault(place, `${error.message}. ${advice}`);
  }
}

async function findOrphans(
  stores: { catalogue: CatalogueStore; objects: ObjectStore },
  keys: ReadonlySet<string>,
  report: CheckReport,
): Promise<void> {
  const expected = new Set(keys);
  for (const intent of await stores.catalogue.intents()) for (const key of intent.keys) expected.add(key);
  for (const key of await stores.catalogue.garbage()) expected.add(key);
  for (const prefix of ['archives/', TABLE_PREFIX, PICTURE_PREFIX]) {
    for await (const { key, size } of stores.objects.list(prefix)) {
      if (!expected.has(key)) report.orphans.push({ key, size });
    }
  }
}
