/** What an object store has to do, as a container of Azure Blob Storage does it. */
import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import {
  BlobSASPermissions,
  type BlockBlobClient,
  generateBlobSASQueryParameters,
  type StorageSharedKeyCredential,
} from '@azure/storage-blob';
import type { ObjectInfo } from '../object-store.ts';
import type { AskOptions } from '../remote/ask.ts';
import type { StoreLink } from '../remote/store-link.ts';
import { tried } from '../remote/tries.ts';
import { UPLOAD_MS } from '../remote/upload.ts';
import type {
  ByteRange,
  PutTarget,
  RangeAnswer,
  RemoteVerbs,
  SentPart,
  StoredFacts,
} from '../remote/verbs.ts';
import type { AzureAddress } from './azure-address.ts';
import type { AzureClient } from './azure-client.ts';
import { AZURE_FAULTS } from './azure-errors.ts';

/** Names of a page of a list: as many as Azure gives. */
const PAGE = 5_000;
/** How often the end of a blob is looked for that others replace meanwhile. */
const MOST_LOOKS = 3;
const UPLOAD_TIME = { requestTimeout: UPLOAD_MS };

/** Parts that nobody joins are forgotten by the store after a week, so there is nothing to give up. */
export class AzureVerbs implements RemoteVerbs {
  readonly faults = AZURE_FAULTS;
  readonly maxParts = 50_000;
  /** Each is a request of its own. */
  readonly deletesAtOnce = 16;
  readonly sign?: NonNullable<RemoteVerbs['sign']>;
  readonly #client: AzureClient;
  readonly #link: StoreLink;
  readonly #address: AzureAddress;

  constructor(link: StoreLink, client: AzureClient, address: AzureAddress) {
    this.#link = link;
    this.#client = client;
    this.#address = address;
    const { signer } = client;
    if (signer !== null) this.sign = async (key, options) => this.#signed(signer, key, options);
  }

  async head(key: string, options: AskOptions): Promise<StoredFacts> {
    const found = await this.#ask('HeadBlob', options, (abort) => this.#blob(key).getProperties(abort));
    return {
      etag: found.etag!,
      size: found.contentLength ?? 0,
      modified: found.lastModified!,
      writer: found.metadata?.writer ?? null,
    };
  }

  async get(key: string, range: ByteRange, etag: string | null, options: AskOptions): Promise<RangeAnswer> {
    if ('offset' in range) return this.#get(key, range.offset, range.length, etag, options);
    // No range of Azure begins at the end; a blob that is replaced between the two requests is asked for again.
    for (let looks = 1; ; looks++) {
      const facts = await this.head(key, options);
      if (facts.size === 0) throw Object.assign(new Error('it is empty'), { statusCode: 416 });
      const offset = Math.max(0, facts.size - range.last);
      try {
        return await this.#get(key, offset, facts.size - offset, facts.etag, options);
      } catch (error) {
        if (looks === MOST_LOOKS || !this.faults.isChanged(error)) throw error;
      }
    }
  }

  async #get(
    key: string,
    offset: number,
    length: number,
    etag: string | null,
    options: AskOptions,
  ): Promise<RangeAnswer> {
    const answer = await this.#ask('GetBlob', options, (abort) =>
      this.#blob(key).download(offset, length, {
        ...abort,
        // A read that broke goes on outside, for all stores alike.
        maxRetryRequests: 0,
        ...(etag === null ? {} : { conditions: { ifMatch: etag } }),
      }),
    );
    const body = answer.readableStreamBody as Readable;
    const whole = answer.contentLength ?? 0;
    const [, start, end, size] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(answer.contentRange ?? '') ?? [];
    if (start === undefined)
      return { body, offset: 0, length: whole, etag: answer.etag!, size: whole, isPart: false };
    const from = Number(start);
    return {
      body,
      offset: from,
      length: Number(end) - from + 1,
      etag: answer.etag!,
      size: Number(size),
      isPart: true,
    };
  }

  async put(target: PutTarget, body: Uint8Array): Promise<void> {
    await this.#ask('PutBlob', UPLOAD_TIME, (abort) =>
      this.#blob(target.key).upload(body, body.length, { ...abort, ...factsOf(target) }),
    );
  }

  async beginParts(): Promise<string> {
    return randomUUID();
  }

  async putPart({ key }: PutTarget, upload: string, number: number, body: Uint8Array): Promise<string> {
    // Names of all parts of a blob are of one length.
    const name = Buffer.from(`${upload}-${String(number).padStart(5, '0')}`).toString('base64');
    await this.#ask('PutBlock', UPLOAD_TIME, (abort) =>
      this.#blob(key).stageBlock(name, body, body.length, abort),
    );
    return name;
  }

  async joinParts(target: PutTarget, _upload: string, parts: readonly SentPart[]): Promise<void> {
    await this.#ask('PutBlockList', UPLOAD_TIME, (abort) =>
      this.#blob(target.key).commitBlockList(
        parts.map(({ tag }) => tag),
        { ...abort, ...factsOf(target) },
      ),
    );
  }

  async *list(prefix: string): AsyncGenerator<ObjectInfo> {
    const { prefix: before } = this.#address;
    let from: string | undefined;
    do {
      const page = await this.#ask('ListBlobs', {}, (abort) =>
        this.#page(before + prefix, PAGE, from, abort),
      );
      for (const { name, properties } of page.segment.blobItems) {
        yield {
          key: name.slice(before.length),
          size: properties.contentLength ?? 0,
          modified: properties.lastModified,
        };
      }
      from = page.continuationToken;
    } while (from);
  }

  async delete(keys: readonly string[], options: AskOptions): Promise<void> {
    const done = await Promise.allSettled(
      keys.map((key) => this.#ask('DeleteBlob', options, (abort) => this.#blob(key).delete(abort))),
    );
    for (const one of done) {
      if (one.status === 'rejected' && !this.faults.isMissing(one.reason)) throw one.reason;
    }
  }

  async look(ms: number): Promise<void> {
    const { prefix } = this.#address;
    await this.#page(prefix, 1, undefined, { abortSignal: AbortSignal.timeout(ms) });
  }

  async credentialsEnd(): Promise<number | null> {
    return this.#client.keysEnd;
  }

  close(): void {
    this.#client.close();
  }

  #blob(key: string): BlockBlobClient {
    return this.#client.container.getBlockBlobClient(this.#address.prefix + key);
  }

  async #page(prefix: string, maxPageSize: number, continuationToken: string | undefined, abort: Abort) {
    const pages = this.#client.container
      .listBlobsFlat({ prefix, ...abort })
      .byPage({ maxPageSize, ...(continuationToken && { continuationToken }) });
    const { value } = await pages.next();
    return value as NonNullable<typeof value>;
  }

  #ask<T>(operation: string, options: AskOptions, send: (abort: Abort) => Promise<T>): Promise<T> {
    return tried(this.#link, { store: 'Azure', operation, faults: this.faults }, options, (signal) =>
      send(signal === undefined ? {} : { abortSignal: signal }),
    );
  }

  #signed(
    signer: StorageSharedKeyCredential,
    key: string,
    { seconds, disposition, contentType }: { seconds: number; disposition: string; contentType: string },
  ): string {
    const blob = this.#blob(key);
    const query = generateBlobSASQueryParameters(
      {
        containerName: this.#address.container,
        blobName: blob.name,
        permissions: BlobSASPermissions.from({ read: true }),
        expiresOn: new Date(Date.now() + seconds * 1_000),
        contentDisposition: disposition,
        contentType,
      },
      signer,
    );
    return `${blob.url}?${query}`;
  }
}

/** As the SDK takes a signal. */
interface Abort {
  abortSignal?: AbortSignal;
}

function factsOf({ once, contentType, writer }: PutTarget) {
  return {
    blobHTTPHeaders: { blobContentType: contentType },
    metadata: { writer },
    ...(once ? { conditions: { ifNoneMatch: '*' } } : {}),
  };
}
