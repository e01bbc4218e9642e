import { addAbortSignal, type Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { GetObjectCommand, type GetObjectCommandOutput } from '@aws-sdk/client-s3';
import { isAwaited } from '@citymodel/base';
import type { StreamOptions } from '@citymodel/zip';
import { ObjectMissing } from '../object-store.ts';
import { type AskOptions, ask, askAside } from './s3-ask.ts';
import { isMissing, isPassing, isPreconditionFailed, isTimeout, statusOf, unavailable } from './s3-errors.ts';
import type { S3Object } from './s3-link.ts';
import { openSocketStream } from './socket-stream.ts';

/** How often a range is asked for again when the line was cut while it came; the SDK tries only until an answer begins. */
const RESUMES = 4;
/** From this length on a stream whose memory is lent is read from a socket of its own, bytes; opening one is a round trip or two. */
const OWN_SOCKET = 2 ** 20;
/** Pauses before that grow from this, doubling, and are cut at random, ms. */
const PAUSE_MS = 100;

/**
 * Fills `target` with the bytes from `offset` of the object that was opened (`If-Match`). A line that is cut is taken up
 * where it broke. Throws ObjectMissing when the object is deleted or replaced, StoreUnavailable.
 */
export async function readRange(object: S3Object, target: Uint8Array, offset: number): Promise<void> {
  let filled = 0;
  for (let broken = 0; filled < target.length; ) {
    const before = filled;
    try {
      await ask(object.link, async (options) => {
        const body = await getRange(object, offset + filled, target.length - filled, options);
        if (options.abortSignal !== undefined) addAbortSignal(options.abortSignal, body);
        for await (const chunk of body as AsyncIterable<Uint8Array>) {
          if (filled + chunk.length > target.length)
            throw new Error('the store sent more than was asked for');
          target.set(chunk, filled);
          filled += chunk.length;
        }
      });
      if (filled < target.length) throw new Error('the store sent less than was asked for');
    } catch (error) {
      broken = await afterBreak(error, filled > before, broken);
    }
  }
}

/**
 * The bytes from `offset` as they come. A consumer who pauses for longer than the store may take loses the connection, which is
 * opened again where it was. `lent`: a chunk may be overwritten once the next one is asked for. Throws like `readRange`.
 */
export async function* streamRange(
  object: S3Object,
  offset: number,
  length: number,
  { lent = false }: StreamOptions = {},
): AsyncGenerator<Uint8Array, void, void> {
  const end = offset + length;
  let position = offset;
  for (let broken = 0; position < end; ) {
    const before = position;
    try {
      const left = end - position;
      const body = await openStream(object, position, left, lent);
      for await (const chunk of body) {
        position += chunk.length;
        if (position > end) throw new Error('the store sent more than was asked for');
        yield chunk;
      }
      if (position < end) throw new Error('the store sent less than was asked for');
    } catch (error) {
      broken = await afterBreak(error, position > before, broken);
    }
  }
}

/** Waits before the next try. Gives how many tries brought nothing, and throws when they are too many. */
async function afterBreak(error: unknown, hasProgress: boolean, broken: number): Promise<number> {
  if (error instanceof ObjectMissing) throw error;
  // Bytes that came show that the store is there; only tries that bring none count.
  const tries = hasProgress ? 1 : broken + 1;
  // A store that is silent for as long as an answer may wait would be so again.
  const isHopeless = isAwaited() && isTimeout(error);
  if (isHopeless || tries > RESUMES || (statusOf(error) ?? 0) >= 300 || !isPassing(error)) {
    throw unavailable(error, 'read an object');
  }
  await pause(PAUSE_MS * 2 ** tries * Math.random());
  return tries;
}

/** The bytes as they come; `lent` ones from a socket of its own, where they are many. */
function openStream(
  object: S3Object,
  offset: number,
  length: number,
  lent: boolean,
): Promise<AsyncIterable<Uint8Array>> {
  return askAside(object.link, async (options) => {
    const own = lent && length >= OWN_SOCKET ? await openSocketStream(object, offset, length) : null;
    return own ?? getRange(object, offset, length, options);
  });
}

async function getRange(
  object: S3Object,
  offset: number,
  length: number,
  options: AskOptions,
): Promise<Readable> {
  const { link, bucket, storeKey, key, etag, size } = object;
  let answer: GetObjectCommandOutput;
  try {
    answer = await link.client.send(
      new GetObjectCommand({
        Bucket: bucket,
        Key: storeKey,
        Range: `bytes=${offset}-${offset + length - 1}`,
        IfMatch: etag,
      }),
      options,
    );
  } catch (error) {
    if (isMissing(error) || isPreconditionFailed(error)) throw new ObjectMissing(key);
    throw error;
  }
  const body = answer.Body as Readable;
  const expected = `bytes ${offset}-${offset + length - 1}/${size}`;
  // A store, or a proxy before it, that ignores If-Match or ranges must not slip other bytes in.
  if (answer.ETag !== etag || (answer.ContentRange !== expected && answer.ContentLength !== length)) {
    body.destroy();
    if (answer.ETag !== etag) throw new ObjectMissing(key);
    throw new Error(`the store answered ${answer.ContentRange} in place of ${expected}`);
  }
  return body;
}
