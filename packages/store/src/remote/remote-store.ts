import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { addAbortSignal } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { StoreUnavailable } from '../catalogue-store.ts';
import { assertKey } from '../object-key.ts';
import {
  ObjectExists,
  type ObjectInfo,
  ObjectMissing,
  type ObjectStore,
  type OpenHint,
  type PutOptions,
  type StoreTraits,
} from '../object-store.ts';
import type { ObjectStoreFigures } from '../store-figures.ts';
import { type AskOptions, ask } from './ask.ts';
import { type KnownRange, RemoteHandle } from './remote-handle.ts';
import type { StoreLink } from './store-link.ts';
import { upload } from './upload.ts';
import type { ByteRange, RemoteVerbs, StoredFacts } from './verbs.ts';

/** How long the store may take to answer who asks whether it is there, ms. */
const PROBE_MS = 2_000;

/**
 * A store over a network, made of its verbs: with patience, places and a gate, reads that go on after a break, uploads
 * in parts.
 */
export class RemoteStore implements ObjectStore {
  readonly traits: StoreTraits = { handleOutlivesDelete: false, movesLocalFiles: false, readCost: 'remote' };
  readonly abortUploads?: NonNullable<ObjectStore['abortUploads']>;
  readonly sign?: NonNullable<ObjectStore['sign']>;
  readonly #link: StoreLink;
  readonly #verbs: RemoteVerbs;

  /** Nothing is asked of the store yet. */
  constructor(link: StoreLink, verbs: RemoteVerbs) {
    this.#link = link;
    this.#verbs = verbs;
    const { faults } = verbs;
    if (verbs.abortUploads !== undefined) {
      this.abortUploads = async (before, isWanted) => {
        try {
          return await verbs.abortUploads!(before, isWanted);
        } catch (error) {
          throw faults.unavailable(error, 'give up unfinished uploads');
        }
      };
    }
    if (verbs.sign !== undefined) {
      this.sign = async (key, options) => {
        assertKey(key);
        try {
          return await verbs.sign!(key, { ...options, contentType: contentTypeOf(key) });
        } catch (error) {
          throw faults.unavailable(error, 'sign an address');
        }
      };
    }
  }

  async put(
    key: string,
    from: string | AsyncIterable<Uint8Array>,
    { once = false }: PutOptions = {},
  ): Promise<ObjectInfo> {
    assertKey(key);
    const { faults } = this.#verbs;
    const target = { key, once, contentType: contentTypeOf(key), writer: randomUUID() };
    // Told apart from what the store throws.
    const failed: { source?: unknown } = {};
    const isFile = typeof from === 'string';
    const size = isFile ? (await stat(from)).size : undefined;
    const source = watched(isFile ? createReadStream(from, { highWaterMark: 2 ** 20 }) : from, failed);
    // Stores exist that do not look at the condition when parts are put together.
    if (once && (await this.head(key)) !== null) throw new ObjectExists(key);
    let sent: number;
    try {
      sent = await upload(this.#link, this.#verbs, target, source, size);
    } catch (error) {
      if ('source' in failed || error instanceof RangeError) throw error;
      // A first try may have succeeded, and only its answer been lost: the next one then meets its own object, or no
      // upload.
      if (!faults.isTaken(error) && !faults.isUploadGone(error))
        throw faults.unavailable(error, 'store an object');
      const there = await this.#head(key);
      const isOurs = there?.writer === target.writer;
      // Parts that another writer has thrown out belong to an object that is there as well.
      if (!isOurs && (faults.isTaken(error) || (once && there !== null))) throw new ObjectExists(key);
      if (!isOurs) throw faults.unavailable(error, 'store an object');
      sent = there.size;
    }
    const info = await this.head(key);
    if (info === null) throw new StoreUnavailable(`the object store has lost what it just took`);
    // Another writer may have replaced it meanwhile, but what is written once has its size for ever.
    if (once && info.size !== sent) throw new StoreUnavailable('the object store has not kept all bytes');
    if (isFile) await rm(from);
    return info;
  }

  async head(key: string): Promise<ObjectInfo | null> {
    assertKey(key);
    const found = await this.#head(key);
    return found === null ? null : { key, size: found.size, modified: found.modified };
  }

  async open(key: string, hint: OpenHint = {}): Promise<RemoteHandle> {
    assertKey(key);
    const { first = 0, last = 0 } = hint;
    const ranges: ByteRange[] = [];
    if (first > 0) ranges.push({ offset: 0, length: first });
    if (last > 0) ranges.push({ last });
    const known = await Promise.all(ranges.map((range) => this.#readHint(key, range)));
    const facts = known.find((range) => range !== null) ?? (await this.#head(key));
    if (facts === null) throw new ObjectMissing(key);
    const { etag, size } = facts;
    const fitting = known.filter((range) => range !== null && range.etag === etag);
    return new RemoteHandle(
      { link: this.#link, verbs: this.#verbs, key, etag, size },
      fitting as KnownRange[],
    );
  }

  async *list(prefix: string): AsyncGenerator<ObjectInfo> {
    try {
      yield* this.#verbs.list(prefix);
    } catch (error) {
      throw this.#verbs.faults.unavailable(error, 'list objects');
    }
  }

  async delete(key: string): Promise<void> {
    assertKey(key);
    await this.#delete([key], 'delete an object');
  }

  async deleteMany(keys: readonly string[]): Promise<void> {
    for (const key of keys) assertKey(key);
    const { deletesAtOnce } = this.#verbs;
    for (let from = 0; from < keys.length; from += deletesAtOnce)
      await this.#delete(keys.slice(from, from + deletesAtOnce), 'delete objects');
  }

  async probe(): Promise<void> {
    try {
      this.#link.gate.check();
      await this.#verbs.look(PROBE_MS);
    } catch (error) {
      throw this.#verbs.faults.unavailable(error, 'answer');
    }
  }

  async figures(): Promise<ObjectStoreFigures> {
    const { limit, gate, figures } = this.#link;
    return {
      requests: figures.all(),
      places: { inUse: limit.inUse, waiting: limit.waiting },
      isAnswering: !gate.isShut,
      slowStreams: figures.slowStreams,
      credentialsEnd: (await this.#verbs.credentialsEnd?.()) ?? null,
      cache: null,
    };
  }

  giveUp(): void {
    this.#link.gate.close();
    this.#link.end.come();
    // Answers that have begun end with their connections.
    this.#verbs.close();
  }

  async close(): Promise<void> {
    this.#link.gate.close();
    this.#verbs.close();
  }

  async #delete(keys: readonly string[], doing: string): Promise<void> {
    try {
      await this.#ask((options) => this.#verbs.delete(keys, options));
    } catch (error) {
      throw this.#verbs.faults.unavailable(error, doing);
    }
  }

  #ask<T>(work: (options: AskOptions) => Promise<T>): Promise<T> {
    return ask(this.#link, work);
  }

  async #head(key: string): Promise<StoredFacts | null> {
    const { faults } = this.#verbs;
    try {
      return await this.#ask((options) => this.#verbs.head(key, options));
    } catch (error) {
      if (faults.isMissing(error)) return null;
      throw faults.unavailable(error, 'tell of an object');
    }
  }

  /** A range of an object of unknown size; null when the object has no such bytes, or the line was cut. */
  async #readHint(
    key: string,
    range: ByteRange,
  ): Promise<(KnownRange & { etag: string; size: number }) | null> {
    const { faults } = this.#verbs;
    try {
      return await this.#ask(async (options) => {
        const { body, offset, length, etag, size, isPart } = await this.#verbs.get(key, range, null, options);
        if (!isPart) {
          // A store without ranges begins to send everything.
          body.destroy();
          return null;
        }
        if (options.abortSignal !== undefined) addAbortSignal(options.abortSignal, body);
        const bytes = await buffer(body).catch(() => null);
        return bytes === null || bytes.length !== length ? null : { offset, bytes, etag, size };
      });
    } catch (error) {
      if (faults.isMissing(error)) throw new ObjectMissing(key);
      // The object is empty.
      if (faults.statusOf(error) === 416) return null;
      throw faults.unavailable(error, 'read an object');
    }
  }
}

/** For the caller that reads the object by an address of the store. */
function contentTypeOf(key: string): string {
  return key.endsWith('.zip') ? 'application/zip' : 'application/octet-stream';
}

/** The chunks of a source; what it throws is noted, to be told from what the store throws. */
async function* watched(
  source: AsyncIterable<Uint8Array>,
  failed: { source?: unknown },
): AsyncGenerator<Uint8Array> {
  try {
    yield* source;
  } catch (error) {
    failed.source = error;
    throw error;
  }
}
