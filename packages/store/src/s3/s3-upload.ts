/**
 * Writes an object in parts, several at once, in bounded memory. `lib-storage` does it too, but goes on to read and send
 * the whole source after a part has failed, and copies each byte twice.
 */
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import type { S3Link } from './s3-link.ts';

/** Bytes of a part, unless a known size needs larger ones. An object has at most 10,000 parts. */
const PART = 16 * 2 ** 20;
const MAX_PARTS = 10_000;
/** How long a part may take on a slow line, ms; a line on which nothing moves is given up much earlier. */
const UPLOAD_TIME = { requestTimeout: 15 * 60 * 1_000 };
/** Parts on their way at once; one more is being filled. */
const AT_ONCE = 3;

export interface S3Target {
  link: S3Link;
  bucket: string;
  storeKey: string;
  /** Have the store refuse with 412 when the object exists. */
  once: boolean;
  contentType: string;
  metadata: Record<string, string>;
}

/**
 * Sends the bytes of a source as one object, which appears when all are there. Gives how many there were. `size`, where
 * it is known, decides how large parts are. What was sent is given up when anything fails. Throws what the source throws,
 * errors of the SDK, and a RangeError for more than 10,000 parts hold.
 */
export async function upload(
  target: S3Target,
  source: AsyncIterable<Uint8Array>,
  size?: number,
): Promise<number> {
  const partSize = Math.max(PART, Math.ceil((size ?? 0) / MAX_PARTS / 2 ** 20) * 2 ** 20);
  const parts = partsOf(source, partSize);
  const first = await parts.next();
  if (first.done === true || first.value.length < partSize) {
    await putWhole(target, first.done === true ? new Uint8Array(0) : first.value);
    return first.done === true ? 0 : first.value.length;
  }
  return new MultipartUpload(target).send(first.value, parts);
}

async function putWhole({ link, bucket, storeKey, once, contentType, metadata }: S3Target, body: Uint8Array) {
  await link.limit.run(() =>
    link.client.send(
      new PutObjectCommand({
        Bucket: bucket,
        Key: storeKey,
        Body: body,
        ContentLength: body.length,
        ContentType: contentType,
        Metadata: metadata,
        ...(once ? { IfNoneMatch: '*' } : {}),
      }),
      UPLOAD_TIME,
    ),
  );
}

class MultipartUpload {
  readonly #target: S3Target;
  readonly #running = new Set<Promise<void>>();
  readonly #parts: { PartNumber: number; ETag: string }[] = [];
  #failure: unknown = null;

  constructor(target: S3Target) {
    this.#target = target;
  }

  async send(first: Uint8Array, rest: AsyncGenerator<Uint8Array>): Promise<number> {
    const { link, bucket, storeKey, once, contentType, metadata } = this.#target;
    const place = { Bucket: bucket, Key: storeKey };
    try {
      const { UploadId } = await link.client.send(
        new CreateMultipartUploadCommand({ ...place, ContentType: contentType, Metadata: metadata }),
      );
      try {
        let size = 0;
        let number = 0;
        for (let part: Uint8Array | null = first; part !== null; ) {
          if (++number > MAX_PARTS) throw new RangeError(`an object has at most ${MAX_PARTS} parts`);
          size += part.length;
          await this.#begin(part, number, UploadId!);
          const next = await rest.next();
          part = next.done === true ? null : next.value;
        }
        await Promise.all(this.#running);
        if (this.#failure !== null) throw this.#failure;
        await link.client.send(
          new CompleteMultipartUploadCommand({
            ...place,
            UploadId,
            MultipartUpload: { Parts: this.#parts.sort((a, b) => a.PartNumber - b.PartNumber) },
            ...(once ? { IfNoneMatch: '*' } : {}),
          }),
          UPLOAD_TIME,
        );
        return size;
      } catch (error) {
        // A part that comes after the end of its upload would stay.
        await Promise.all(this.#running);
        // What cannot be given up now is given up by the sweep.
        await link.client.send(new AbortMultipartUploadCommand({ ...place, UploadId })).catch(() => {});
        throw error;
      }
    } finally {
      await rest.return(undefined);
    }
  }

  /** Resolves when there is room for another part. Throws the failure of any part before. */
  async #begin(body: Uint8Array, number: number, uploadId: string): Promise<void> {
    const { link, bucket, storeKey } = this.#target;
    const command = new UploadPartCommand({
      Bucket: bucket,
      Key: storeKey,
      UploadId: uploadId,
      PartNumber: number,
      Body: body,
      ContentLength: body.length,
    });
    const sending = link.limit
      .run(() => link.client.send(command, UPLOAD_TIME))
      .then(
        ({ ETag }) => {
          this.#parts.push({ PartNumber: number, ETag: ETag! });
          this.#running.delete(sending);
        },
        (error: unknown) => {
          this.#failure ??= error;
          this.#running.delete(sending);
        },
      );
    this.#running.add(sending);
    if (this.#running.size >= AT_ONCE) await Promise.race(this.#running);
    if (this.#failure !== null) throw this.#failure;
  }
}

/** The bytes of a source in buffers of `partSize`, the last one smaller; each is the consumer's own. Empty of an empty source. */
async function* partsOf(
  source: AsyncIterable<Uint8Array>,
  partSize: number,
): AsyncGenerator<Uint8Array, undefined> {
  let part: Buffer | null = null;
  let filled = 0;
  for await (const chunk of source) {
    for (let at = 0; at < chunk.length; ) {
      part ??= Buffer.allocUnsafeSlow(partSize);
      const length = Math.min(partSize - filled, chunk.length - at);
      part.set(chunk.subarray(at, at + length), filled);
      at += length;
      filled += length;
      if (filled === partSize) {
        yield part;
        part = null;
        filled = 0;
      }
    }
  }
  if (part !== null) yield part.subarray(0, filled);
  return undefined;
}
