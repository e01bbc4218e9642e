/**
 * How backups lie in a directory or a bucket. Nothing that is there is ever changed: a program that is killed at any
 * moment leaves all earlier backups whole.
 *
 *     citymodel-backups.json        whose backups these are: {format, database}
 *     data/{2 digits}/{SHA-256}     bytes of objects, each once however many backups have it
 *     backups/{id}/rows.ndjson.gz   rows of the database, see row-dump.ts
 *     backups/{id}/objects.ndjson.gz  one KeptObject a line
 *     backups/{id}/backup.json      what the backup is; comes last, and without it there is no backup
 */
import { createHash } from 'node:crypto';
import { ObjectExists, ObjectMissing, type ObjectStore } from '../object-store.ts';

export const FORMAT = 1;
const MARK_KEY = 'citymodel-backups.json';
const BACKUPS = 'backups/';
const DATA = 'data/';
/** A description is some kilobytes long, and longer only by its faults; more than this is not read, bytes. */
const MAX_DESCRIPTION = 64 * 2 ** 20;

/** One object as a backup has it. */
export interface KeptObject {
  key: string;
  /** Bytes. */
  size: number;
  /** Lower-case hex; the name of its bytes in the backup. */
  sha256: string;
  /** When the store changed it last, ms since 1970: with the same key, size and time it has the same bytes. */
  modified: number;
}

/** What a backup is. */
export interface BackupDescription {
  format: number;
  id: string;
  /** The moment whose state the rows are, ISO 8601 in UTC. */
  cutAt: string;
  /** Version of the program that made it. */
  program: string;
  /** Identity of the database. */
  database: string;
  catalogueVersion: number;
  lastPackageNo: number;
  /** Number and digest of the rows of each table (`tableDigest`). */
  tables: Record<string, TableFacts>;
  /** The two files beside it. */
  rows: FileFacts;
  objects: FileFacts;
  /** Objects that rows refer to, and their bytes. */
  objectCount: number;
  objectBytes: number;
  /** Objects of packages that could not be copied: they are missing, or not what was published. */
  faults: BackupFault[];
  /** Objects of packs and jobs that ended while the backup ran; a restore leaves their rows out. */
  ended: string[];
  /** Objects that no row refers to; they are not in the backup. */
  unreferred: number;
}

export interface TableFacts {
  rows: number;
  /** Lower-case hex. */
  sha256: string;
}

export interface FileFacts {
  size: number;
  sha256: string;
}

export interface BackupFault {
  key: string;
  fault: string;
}

/** A backup is damaged, or no backup. */
export class BackupDamaged extends Error {
  constructor(what: string) {
    super(what);
    this.name = 'BackupDamaged';
  }
}

/** The place has something else than backups of this database. */
export class ForeignBackups extends Error {
  constructor(why: string) {
    super(`this is no place for backups of this database: ${why}. Name an empty directory or prefix`);
    this.name = 'ForeignBackups';
  }
}

export const keyOfData = (sha256: string): string => `${DATA}${sha256.slice(0, 2)}/${sha256}`;
export const keyOfRows = (id: string): string => `${BACKUPS}${id}/rows.ndjson.gz`;
export const keyOfObjects = (id: string): string => `${BACKUPS}${id}/objects.ndjson.gz`;
const keyOfDescription = (id: string): string => `${BACKUPS}${id}/backup.json`;

/** The id of a backup by its moment, such as `20261124T184012345Z`; ids are in the order of time. */
export function backupIdOf(cutAt: Date): string {
  return cutAt.toISOString().replaceAll(/[-:.]/g, '');
}

/**
 * The bytes in a place, by SHA-256, with their sizes. They need not be whole: a program may have been killed after it
 * wrote them.
 */
export async function dataIn(place: ObjectStore): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for await (const { key, size } of place.list(DATA)) found.set(key.slice(key.lastIndexOf('/') + 1), size);
  return found;
}

/** Makes the place one for backups of the database. Throws ForeignBackups. */
export async function claimPlace(place: ObjectStore, database: string): Promise<void> {
  let owner = await ownerOfPlace(place);
  if (owner === null) {
    for await (const { key } of place.list(''))
      throw new ForeignBackups(`it has other files, such as ${key}`);
    const mark = Buffer.from(`${JSON.stringify({ format: FORMAT, database })}\n`);
    try {
      await place.put(MARK_KEY, one(mark), { once: true });
    } catch (error) {
      if (!(error instanceof ObjectExists)) throw error;
    }
    owner = await ownerOfPlace(place);
  }
  if (owner !== database)
    throw new ForeignBackups(`it has those of the database ${owner}, this one is ${database}`);
}

/** The identity of the database whose backups a place has; null when it has none. Throws BackupDamaged. */
export async function ownerOfPlace(place: ObjectStore): Promise<string | null> {
  const bytes = await readWhole(place, MARK_KEY, 10_000);
  if (bytes === null) return null;
  const { format, database } = parsed(bytes, MARK_KEY) as { format?: unknown; database?: unknown };
  if (format !== FORMAT)
    throw new BackupDamaged(`${MARK_KEY} names the format ${String(format)}, known is ${FORMAT}`);
  if (typeof database !== 'string') throw new BackupDamaged(`${MARK_KEY} names no database`);
  return database;
}

/** Ids of the backups in a place, the oldest first. */
export async function backupIds(place: ObjectStore): Promise<string[]> {
  const ids: string[] = [];
  for await (const { key } of place.list(BACKUPS)) {
    const id = /^backups\/(\d{8}T\d{9}Z)\/backup\.json$/.exec(key)?.[1];
    if (id !== undefined) ids.push(id);
  }
  return ids.sort();
}

/** Keys of everything that belongs to a backup that was not finished, or whose description is gone. */
export async function unfinishedFiles(place: ObjectStore): Promise<string[]> {
  const ids = new Set(await backupIds(place));
  const keys: string[] = [];
  for await (const { key } of place.list(BACKUPS)) if (!ids.has(key.split('/')[1] ?? '')) keys.push(key);
  return keys;
}

/** Throws BackupDamaged. */
export async function readDescription(place: ObjectStore, id: string): Promise<BackupDescription> {
  const key = keyOfDescription(id);
  const bytes = await readWhole(place, key, MAX_DESCRIPTION);
  if (bytes === null) throw new BackupDamaged(`there is no backup ${id}`);
  const { sha256, backup } = parsed(bytes, key) as { sha256?: unknown; backup?: BackupDescription };
  if (backup === undefined || sha256 !== digestOf(backup))
    throw new BackupDamaged(`${key} is not what was written`);
  if (backup.format !== FORMAT)
    throw new BackupDamaged(`${key} has the format ${backup.format}, known is ${FORMAT}`);
  return backup;
}

/** Makes a backup one: from here on it is there. */
export async function writeDescription(place: ObjectStore, backup: BackupDescription): Promise<void> {
  const text = `${JSON.stringify({ sha256: digestOf(backup), backup }, null, 1)}\n`;
  await place.put(keyOfDescription(backup.id), one(Buffer.from(text)), { once: true });
}

/** Unmakes a backup; its bytes stay. */
export async function deleteDescription(place: ObjectStore, id: string): Promise<void> {
  await place.delete(keyOfDescription(id));
}

function digestOf(backup: BackupDescription): string {
  return createHash('sha256').update(JSON.stringify(backup)).digest('hex');
}

function parsed(bytes: Uint8Array, key: string): object {
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString());
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // Said below.
  }
  throw new BackupDamaged(`${key} is no JSON object`);
}

async function readWhole(place: ObjectStore, key: string, most: number): Promise<Uint8Array | null> {
  try {
    await using handle = await place.open(key);
    if (handle.size > most)
      throw new BackupDamaged(`${key} has ${handle.size} bytes, at most ${most} are read`);
    return handle.size === 0 ? new Uint8Array(0) : await handle.read(0, handle.size);
  } catch (error) {
    if (error instanceof ObjectMissing) return null;
    throw error;
  }
}

export async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
