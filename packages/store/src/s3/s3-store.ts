import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { addAbortSignal, type Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  type HeadObjectCommandOutput,
  ListMultipartUploadsCommand,
  paginateListObjectsV2,
  type S3Client,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
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
import type { S3Address } from './s3-address.ts';
import { type AskOptions, ask, lookAt } from './s3-ask.ts';
import { closeLink, giveUpLink, openLink } from './s3-client.ts';
import { isMissing, isPreconditionFailed, isUploadGone, statusOf, unavailable } from './s3-errors.ts';
import { type KnownRange, S3Handle } from './s3-handle.ts';
import type { S3Link, S3Times } from './s3-link.ts';
import { upload } from './s3-upload.ts';

/** Keys of one request of deletion. */
const DELETE_AT_ONCE = 1_000;
/** Says in an object who wrote it: a write whose answer was lost is told from another writer's by it. */
const WRITER = 'writer';
/** How long the bucket may take to answer who asks whether it is there, ms. */
const PROBE_MS = 2_000;

/** Objects of a bucket of S3, or of a store that speaks like it, below a prefix. */
export class S3Store implements ObjectStore {
  readonly traits: StoreTraits = { handleOutlivesDelete: false, movesLocalFiles: false, readCost: 'remote' };
  readonly #link: S3Link;
  readonly #address: S3Address;

  /** Nothing is asked of the store yet. */
  constructor(address: S3Address, times?: S3Times) {
    this.#address = address;
    this.#link = openLink(address, times);
  }

  async put(
    key: string,
    from: string | AsyncIterable<Uint8Array>,
    { once = false }: PutOptions = {},
  ): Promise<ObjectInfo> {
    assertKey(key);
    const writer = randomUUID();
    const target = {
      link: this.#link,
      ...this.#place(key),
      once,
      contentType: contentTypeOf(key),
      metadata: { [WRITER]: writer },
    };
    // Told apart from what the store throws.
    const failed: { source?: unknown } = {};
    const isFile = typeof from === 'string';
    const size = isFile ? (await stat(from)).size : undefined;
    const source = watched(isFile ? createReadStream(from, { highWaterMark: 2 ** 20 }) : from, failed);
    // Stores exist that do not look at the condition when parts are put together.
    if (once && (await this.head(key)) !== null) throw new ObjectExists(key);
    let sent: number;
    try {
      sent = await upload(target, source, size);
    } catch (error) {
      if ('source' in failed || error instanceof RangeError) throw error;
      // A first try may have succeeded, and only its answer been lost: the next one then meets its own object, or no upload.
      if (!isPreconditionFailed(error) && !isUploadGone(error)) throw unavailable(error, 'store an object');
      const there = await this.#head(key);
      const isOurs = there?.Metadata?.[WRITER] === writer;
      if (!isOurs && isPreconditionFailed(error)) throw new ObjectExists(key);
      if (!isOurs) throw unavailable(error, 'store an object');
      sent = there.ContentLength!;
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
    return found === null ? null : { key, size: found.ContentLength ?? 0, modified: found.LastModified! };
  }

  async open(key: string, hint: OpenHint = {}): Promise<S3Handle> {
    assertKey(key);
    const { first = 0, last = 0 } = hint;
    const ranges = [first > 0 ? `bytes=0-${first - 1}` : '', last > 0 ? `bytes=-${last}` : ''].filter(
      Boolean,
    );
    const known = await Promise.all(ranges.map((range) => this.#readHint(key, range)));
    const facts = known.find((range) => range !== null) ?? (await this.#facts(key));
    const fitting = known.filter((range) => range !== null && range.etag === facts.etag);
    const object = { link: this.#link, ...this.#place(key), key, etag: facts.etag, size: facts.size };
    return new S3Handle(object, fitting as KnownRange[]);
  }

  async *list(prefix: string): AsyncGenerator<ObjectInfo> {
    const { bucket, prefix: before } = this.#address;
    const query = { Bucket: bucket, Prefix: before + prefix };
    try {
      for await (const { Contents = [] } of paginateListObjectsV2({ client: this.#link.client }, query)) {
        for (const { Key, Size, LastModified } of Contents) {
          yield { key: Key!.slice(before.length), size: Size ?? 0, modified: LastModified! };
        }
      }
    } catch (error) {
      throw unavailable(error, 'list objects');
    }
  }

  async delete(key: string): Promise<void> {
    assertKey(key);
    const { bucket, storeKey } = this.#place(key);
    try {
      await this.#send((client, options) =>
        client.send(new DeleteObjectCommand({ Bucket: bucket, Key: storeKey }), options),
      );
    } catch (error) {
      if (!isMissing(error)) throw unavailable(error, 'delete an object');
    }
  }

  async deleteMany(keys: readonly string[]): Promise<void> {
    for (const key of keys) assertKey(key);
    for (let from = 0; from < keys.length; from += DELETE_AT_ONCE) {
      const Objects = keys
        .slice(from, from + DELETE_AT_ONCE)
        .map((key) => ({ Key: this.#place(key).storeKey }));
      try {
        const { Errors = [] } = await this.#send((client, options) =>
          client.send(
            new DeleteObjectsCommand({ Bucket: this.#address.bucket, Delete: { Objects, Quiet: true } }),
            options,
          ),
        );
        const kept = Errors.find(({ Code }) => Code !== 'NoSuchKey');
        if (kept !== undefined) throw Object.assign(new Error(kept.Message), { name: kept.Code ?? 'Error' });
      } catch (error) {
        throw unavailable(error, 'delete objects');
      }
    }
  }

  async abortUploads(before: Date, isWanted: (key: string) => boolean): Promise<number> {
    const { bucket, prefix } = this.#address;
    let aborted = 0;
    let from: { KeyMarker?: string; UploadIdMarker?: string } = {};
    try {
      for (;;) {
        const page = await this.#send((client) =>
          client.send(new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: prefix, ...from })),
        );
        for (const { Key, UploadId, Initiated } of page.Uploads ?? []) {
          if (Initiated === undefined || Initiated >= before || isWanted(Key!.slice(prefix.length))) continue;
          await this.#send((client) =>
            client.send(new AbortMultipartUploadCommand({ Bucket: bucket, Key, UploadId })),
          ).catch(
            // Ended by another sweep, or finished just now.
            (error: unknown) => {
              if (statusOf(error) !== 404) throw error;
            },
          );
          aborted++;
        }
        if (page.IsTruncated !== true || page.NextKeyMarker === undefined) return aborted;
        from = {
          KeyMarker: page.NextKeyMarker,
          ...(page.NextUploadIdMarker && { UploadIdMarker: page.NextUploadIdMarker }),
        };
      }
    } catch (error) {
      throw unavailable(error, 'give up unfinished uploads');
    }
  }

  async sign(
    key: string,
    { seconds, disposition }: { seconds: number; disposition: string },
  ): Promise<string> {
    assertKey(key);
    const { bucket, storeKey } = this.#place(key);
    const command = new GetObjectCommand({
      Bucket: bucket,
      Key: storeKey,
      ResponseContentDisposition: disposition,
      ResponseContentType: contentTypeOf(key),
    });
    try {
      return await getSignedUrl(this.#link.client, command, { expiresIn: seconds });
    } catch (error) {
      throw unavailable(error, 'sign an address');
    }
  }

  async probe(): Promise<void> {
    try {
      this.#link.gate.check();
      await lookAt(this.#link.client, this.#address.bucket, PROBE_MS);
    } catch (error) {
      // An answer to HEAD has no text; 404 can only mean the bucket.
      if (statusOf(error) === 404) Object.assign(error as Error, { name: 'NoSuchBucket' });
      throw unavailable(error, 'answer');
    }
  }

  async figures(): Promise<ObjectStoreFigures> {
    const { client, limit, gate, figures } = this.#link;
    // Keys that cannot be found show in requests, which fail.
    const keys = await client.config.credentials().catch(() => null);
    return {
      requests: figures.all(),
      places: { inUse: limit.inUse, waiting: limit.waiting },
      isAnswering: !gate.isShut,
      slowStreams: figures.slowStreams,
      credentialsEnd: keys?.expiration?.getTime() ?? null,
      cache: null,
    };
  }

  giveUp(): void {
    giveUpLink(this.#link);
  }

  async close(): Promise<void> {
    closeLink(this.#link);
  }

  #send<T>(send: (client: S3Client, options: AskOptions) => Promise<T>): Promise<T> {
    return ask(this.#link, (options) => send(this.#link.client, options));
  }

  #place(key: string): { bucket: string; storeKey: string } {
    return { bucket: this.#address.bucket, storeKey: this.#address.prefix + key };
  }

  async #head(key: string): Promise<HeadObjectCommandOutput | null> {
    const { bucket, storeKey } = this.#place(key);
    try {
      return await this.#send((client, options) =>
        client.send(new HeadObjectCommand({ Bucket: bucket, Key: storeKey }), options),
      );
    } catch (error) {
      if (isMissing(error)) return null;
      throw unavailable(error, 'tell of an object');
    }
  }

  async #facts(key: string): Promise<{ etag: string; size: number }> {
    const found = await this.#head(key);
    if (found === null) throw new ObjectMissing(key);
    return { etag: found.ETag!, size: found.ContentLength ?? 0 };
  }

  /** A range of an object of unknown size; null when the object has no such bytes, or the line was cut. */
  async #readHint(key: string, range: string): Promise<(KnownRange & { etag: string; size: number }) | null> {
    const { bucket, storeKey } = this.#place(key);
    try {
      return await this.#send(async (client, options) => {
        const answer = await client.send(
          new GetObjectCommand({ Bucket: bucket, Key: storeKey, Range: range }),
          options,
        );
        const body = answer.Body as Readable;
        const [, start, end, size] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(answer.ContentRange ?? '') ?? [];
        if (start === undefined) {
          // A store without ranges begins to send everything.
          body.destroy();
          return null;
        }
        if (options.abortSignal !== undefined) addAbortSignal(options.abortSignal, body);
        const bytes = await buffer(body).catch(() => null);
        if (bytes === null || bytes.length !== Number(end) - Number(start) + 1) return null;
        return { offset: Number(start), bytes, etag: answer.ETag!, size: Number(size) };
      });
    } catch (error) {
      if (isMissing(error)) throw new ObjectMissing(key);
      // The object is empty.
      if (statusOf(error) === 416) return null;
      throw unavailable(error, 'read an object');
    }
  }
}

/** For whoever reads the object by an address of the store. */
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
