/**
 * Which database the objects of a store belong to: an object says so, and the program of another database deletes
 * nothing.
 */
import { type CatalogueStore, StoreUnavailable } from './catalogue-store.ts';
import {
  ObjectExists,
  type ObjectHandle,
  type ObjectInfo,
  ObjectMissing,
  type ObjectStore,
  type OpenHint,
  type PutOptions,
  type StoreTraits,
} from './object-store.ts';

/** The object that names the database, as JSON `{database, since}`. */
export const OWNER_KEY = 'owner.json';
/** The object is some 100 bytes long; more than this is not read. */
const MAX_OWNER = 10_000;
/** The object is read so often until two readings agree. */
const MAX_READINGS = 5;
/** For so long a look at the object counts, ms. */
const KNOWN_MS = 10_000;

/** The database and the objects do not belong together. */
export class ForeignObjects extends Error {
  constructor(why: string) {
    super(
      `the objects in OBJECT_STORE belong to another database than DATABASE_URL names: ${why}. Nothing is deleted. ` +
        'Correct the settings, or let this database own the objects: serve, worker and ingest have --adopt',
    );
    this.name = 'ForeignObjects';
  }
}

interface Ends {
  catalogue: Pick<CatalogueStore, 'identity' | 'version'>;
  objects: ObjectStore;
}

/**
 * Makes sure that the objects belong to the database, and takes objects that belong to nobody yet. With `adopt` it
 * takes them no matter who has them. Throws ForeignObjects, and StoreUnavailable when one of the two cannot answer.
 */
export async function claimObjects(ends: Ends, { adopt = false } = {}): Promise<void> {
  const { catalogue, objects } = ends;
  const identity = await catalogue.identity();
  const owner = adopt ? null : await ownerOf(objects, identity);
  if (owner === identity) return;
  const note = Buffer.from(`${JSON.stringify({ database: identity, since: new Date().toISOString() })}\n`);
  if (adopt) {
    await objects.put(OWNER_KEY, one(note));
    return;
  }
  if (owner !== null) throw new ForeignObjects(`${OWNER_KEY} names ${owner}, this database is ${identity}`);
  // A program of before there were owners has published; or nobody has. An empty database beside full objects is an
  // error.
  if ((await catalogue.version()) === 0 && (await hasObjects(objects))) {
    throw new ForeignObjects(`the database has never had a package, and there are objects`);
  }
  try {
    await objects.put(OWNER_KEY, one(note), { once: true });
  } catch (error) {
    if (!(error instanceof ObjectExists)) throw error;
    // Somebody else was faster: another process over this database, or one over another.
    await claimObjects(ends);
  }
}

/**
 * The identity of the database that objects belong to; null when none has taken them. What is not `expected` counts
 * when the store has said it twice: a bit that flips on the way must not turn the objects into those of another. Throws
 * ForeignObjects for an object that names nobody, and StoreUnavailable when each reading gives something else.
 */
export async function ownerOf(objects: ObjectStore, expected?: string): Promise<string | null> {
  let before: string | null | undefined;
  for (let tries = 0; tries < MAX_READINGS; tries++) {
    const text = await ownerText(objects, tries > 0);
    if (text === null) return null;
    const database = databaseIn(text);
    if (expected !== undefined && database === expected) return database;
    if (text === before) {
      if (database !== null) return database;
      throw new ForeignObjects(`${OWNER_KEY} cannot be read, it names no database: ${text.slice(0, 100)}`);
    }
    before = text;
  }
  throw new StoreUnavailable(`the object store gives ${OWNER_KEY} with other bytes each time`, {
    why: 'the object store gives damaged bytes',
  });
}

/** The whole object, null where there is none. `again`: nothing that is kept of it counts. */
async function ownerText(objects: ObjectStore, again: boolean): Promise<string | null> {
  try {
    await using handle = await objects.open(OWNER_KEY, again ? undefined : { first: MAX_OWNER });
    const length = Math.min(handle.size, MAX_OWNER);
    if (again) await handle.damaged?.(0, length);
    return Buffer.from(await handle.read(0, length)).toString('latin1');
  } catch (error) {
    if (error instanceof ObjectMissing) return null;
    throw error;
  }
}

function databaseIn(text: string): string | null {
  try {
    const database = (JSON.parse(text) as { database?: unknown } | null)?.database;
    return typeof database === 'string' ? database : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

async function hasObjects(objects: ObjectStore): Promise<boolean> {
  for (const prefix of ['archives/', 'packs/']) for await (const _ of objects.list(prefix)) return true;
  return false;
}

async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/**
 * An object store from which objects are deleted only while they belong to the database; else ForeignObjects is thrown.
 */
export class OwnedObjects implements ObjectStore {
  readonly #ends: Ends;
  readonly #inner: ObjectStore;
  readonly abortUploads?: NonNullable<ObjectStore['abortUploads']>;
  readonly sign?: NonNullable<ObjectStore['sign']>;
  readonly figures?: NonNullable<ObjectStore['figures']>;
  #checkedAt: number;

  /** `isChecked`: somebody has claimed the objects just now. */
  constructor(ends: Ends, isChecked = false) {
    this.#checkedAt = isChecked ? performance.now() : Number.NEGATIVE_INFINITY;
    this.#ends = ends;
    this.#inner = ends.objects;
    const { abortUploads, sign, figures } = ends.objects;
    if (abortUploads !== undefined) {
      this.abortUploads = async (before, isWanted) => {
        await this.#check();
        return abortUploads.call(this.#inner, before, isWanted);
      };
    }
    if (sign !== undefined) this.sign = sign.bind(this.#inner);
    if (figures !== undefined) this.figures = figures.bind(this.#inner);
  }

  get traits(): StoreTraits {
    return this.#inner.traits;
  }

  put(key: string, from: string | AsyncIterable<Uint8Array>, options?: PutOptions): Promise<ObjectInfo> {
    return this.#inner.put(key, from, options);
  }

  head(key: string): Promise<ObjectInfo | null> {
    return this.#inner.head(key);
  }

  open(key: string, hint?: OpenHint): Promise<ObjectHandle> {
    return this.#inner.open(key, hint);
  }

  list(prefix: string): AsyncIterable<ObjectInfo> {
    return this.#inner.list(prefix);
  }

  async delete(key: string): Promise<void> {
    await this.#check();
    await this.#inner.delete(key);
  }

  async deleteMany(keys: readonly string[]): Promise<void> {
    if (keys.length === 0) return;
    await this.#check();
    await this.#inner.deleteMany(keys);
  }

  probe(): Promise<void> {
    return this.#inner.probe();
  }

  giveUp(): void {
    this.#inner.giveUp?.();
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  async #check(): Promise<void> {
    if (performance.now() - this.#checkedAt < KNOWN_MS) return;
    await claimObjects(this.#ends);
    this.#checkedAt = performance.now();
  }
}
