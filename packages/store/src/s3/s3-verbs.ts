/** What an object store has to do, as a bucket of S3 does it. */
import type { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  PutObjectCommand,
  paginateListObjectsV2,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { ObjectInfo } from '../object-store.ts';
import { type AskOptions, ask } from '../remote/ask.ts';
import { UPLOAD_MS } from '../remote/upload.ts';
import type {
  ByteRange,
  OpenedObject,
  PutTarget,
  RangeAnswer,
  RemoteVerbs,
  SentPart,
  StoredFacts,
} from '../remote/verbs.ts';
import type { S3Address } from './s3-address.ts';
import { lookAt } from './s3-client.ts';
import { S3_FAULTS } from './s3-errors.ts';
import type { S3Link } from './s3-link.ts';
import { openSocketStream } from './socket-stream.ts';

/** Says in an object who wrote it. */
const WRITER = 'writer';
const UPLOAD_TIME = { requestTimeout: UPLOAD_MS };

export class S3Verbs implements RemoteVerbs {
  readonly faults = S3_FAULTS;
  readonly maxParts = 10_000;
  readonly deletesAtOnce = 1_000;
  readonly #link: S3Link;
  readonly #address: S3Address;

  constructor(link: S3Link, address: S3Address) {
    this.#link = link;
    this.#address = address;
  }

  async head(key: string, options: AskOptions): Promise<StoredFacts> {
    const { ETag, ContentLength, LastModified, Metadata } = await this.#link.client.send(
      new HeadObjectCommand(this.#place(key)),
      options,
    );
    return {
      etag: ETag!,
      size: ContentLength ?? 0,
      modified: LastModified!,
      writer: Metadata?.[WRITER] ?? null,
    };
  }

  async get(key: string, range: ByteRange, etag: string | null, options: AskOptions): Promise<RangeAnswer> {
    const Range =
      'last' in range ? `bytes=-${range.last}` : `bytes=${range.offset}-${range.offset + range.length - 1}`;
    const answer = await this.#link.client.send(
      new GetObjectCommand({ ...this.#place(key), Range, ...(etag === null ? {} : { IfMatch: etag }) }),
      options,
    );
    const body = answer.Body as Readable;
    const whole = answer.ContentLength ?? 0;
    const [, start, end, size] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(answer.ContentRange ?? '') ?? [];
    if (start === undefined)
      return { body, offset: 0, length: whole, etag: answer.ETag!, size: whole, isPart: false };
    const offset = Number(start);
    const length = Number(end) - offset + 1;
    return { body, offset, length, etag: answer.ETag!, size: Number(size), isPart: true };
  }

  stream(object: OpenedObject, offset: number, length: number): Promise<AsyncIterable<Uint8Array> | null> {
    const { Bucket: bucket, Key: storeKey } = this.#place(object.key);
    return openSocketStream({ ...object, link: this.#link, bucket, storeKey }, offset, length);
  }

  async put({ key, once, contentType, writer }: PutTarget, body: Uint8Array): Promise<void> {
    await this.#link.client.send(
      new PutObjectCommand({
        ...this.#place(key),
        Body: body,
        ContentLength: body.length,
        ContentType: contentType,
        Metadata: { [WRITER]: writer },
        ...(once ? { IfNoneMatch: '*' } : {}),
      }),
      UPLOAD_TIME,
    );
  }

  async beginParts({ key, contentType, writer }: PutTarget): Promise<string> {
    const { UploadId } = await this.#link.client.send(
      new CreateMultipartUploadCommand({
        ...this.#place(key),
        ContentType: contentType,
        Metadata: { [WRITER]: writer },
      }),
    );
    return UploadId!;
  }

  async putPart({ key }: PutTarget, upload: string, number: number, body: Uint8Array): Promise<string> {
    const { ETag } = await this.#link.client.send(
      new UploadPartCommand({
        ...this.#place(key),
        UploadId: upload,
        PartNumber: number,
        Body: body,
        ContentLength: body.length,
      }),
      UPLOAD_TIME,
    );
    return ETag!;
  }

  async joinParts({ key, once }: PutTarget, upload: string, parts: readonly SentPart[]): Promise<void> {
    await this.#link.client.send(
      new CompleteMultipartUploadCommand({
        ...this.#place(key),
        UploadId: upload,
        MultipartUpload: { Parts: parts.map(({ number, tag }) => ({ PartNumber: number, ETag: tag })) },
        ...(once ? { IfNoneMatch: '*' } : {}),
      }),
      UPLOAD_TIME,
    );
  }

  async dropParts({ key }: PutTarget, upload: string): Promise<void> {
    await this.#link.client.send(new AbortMultipartUploadCommand({ ...this.#place(key), UploadId: upload }));
  }

  async *list(prefix: string): AsyncGenerator<ObjectInfo> {
    const { bucket, prefix: before } = this.#address;
    const query = { Bucket: bucket, Prefix: before + prefix };
    for await (const { Contents = [] } of paginateListObjectsV2({ client: this.#link.client }, query)) {
      for (const { Key, Size, LastModified } of Contents) {
        yield { key: Key!.slice(before.length), size: Size ?? 0, modified: LastModified! };
      }
    }
  }

  async delete(keys: readonly string[], options: AskOptions): Promise<void> {
    const [only] = keys;
    if (only !== undefined && keys.length === 1) {
      try {
        await this.#link.client.send(new DeleteObjectCommand(this.#place(only)), options);
      } catch (error) {
        if (!this.faults.isMissing(error)) throw error;
      }
      return;
    }
    const Objects = keys.map((key) => ({ Key: this.#place(key).Key }));
    const { Errors = [] } = await this.#link.client.send(
      new DeleteObjectsCommand({ Bucket: this.#address.bucket, Delete: { Objects, Quiet: true } }),
      options,
    );
    const kept = Errors.find(({ Code }) => Code !== 'NoSuchKey');
    if (kept !== undefined) throw Object.assign(new Error(kept.Message), { name: kept.Code ?? 'Error' });
  }

  async abortUploads(before: Date, isWanted: (key: string) => boolean): Promise<number> {
    const { bucket, prefix } = this.#address;
    const { client } = this.#link;
    let aborted = 0;
    let from: { KeyMarker?: string; UploadIdMarker?: string } = {};
    for (;;) {
      const page = await ask(this.#link, () =>
        client.send(new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: prefix, ...from })),
      );
      for (const { Key, UploadId, Initiated } of page.Uploads ?? []) {
        if (Initiated === undefined || Initiated >= before || isWanted(Key!.slice(prefix.length))) continue;
        await ask(this.#link, () =>
          client.send(new AbortMultipartUploadCommand({ Bucket: bucket, Key, UploadId })),
        ).catch(
          // Ended by another sweep, or finished just now.
          (error: unknown) => {
            if (this.faults.statusOf(error) !== 404) throw error;
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
  }

  sign(
    key: string,
    { seconds, disposition, contentType }: { seconds: number; disposition: string; contentType: string },
  ): Promise<string> {
    const command = new GetObjectCommand({
      ...this.#place(key),
      ResponseContentDisposition: disposition,
      ResponseContentType: contentType,
    });
    return getSignedUrl(this.#link.client, command, { expiresIn: seconds });
  }

  async look(ms: number): Promise<void> {
    try {
      await lookAt(this.#link.client, this.#address.bucket, ms);
    } catch (error) {
      // An answer to HEAD has no text; 404 can only mean the bucket.
      if (this.faults.statusOf(error) === 404) Object.assign(error as Error, { name: 'NoSuchBucket' });
      throw error;
    }
  }

  async credentialsEnd(): Promise<number | null> {
    // Keys that cannot be found show in requests, which fail.
    const keys = await this.#link.client.config.credentials().catch(() => null);
    return keys?.expiration?.getTime() ?? null;
  }

  close(): void {
    this.#link.client.destroy();
  }

  #place(key: string): { Bucket: string; Key: string } {
    return { Bucket: this.#address.bucket, Key: this.#address.prefix + key };
  }
}
