import { addAbortSignal, type Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { isAwaited } from '@citymodel/base';
import type { StreamOptions } from '@citymodel/zip';
import { ObjectMissing } from '../object-store.ts';
import { type AskOptions, ask, askAside } from './ask.ts';
import { isTimeout } from './store-faults.ts';
import type { StoreLink } from './store-link.ts';
import type { OpenedObject, RangeAnswer, RemoteVerbs } from './verbs.ts';

/** An object that is open, and the way to it. */
export interface RemoteObject extends OpenedObject {
  link: StoreLink;
  verbs: RemoteVerbs;
}

/**
 * How often a range is asked for again when the line was cut while it came; libraries try only until an answer begins.
 */
const RESUMES = 4;
/**
 * From this length on a stream whose memory is lent is read from a socket of its own, bytes; opening one is a round
 * trip or two.
 */
const OWN_SOCKET = 2 ** 20;
/** Pauses before that grow from this, doubling, and are cut at random, ms. */
const PAUSE_MS = 100;

/**
 * Fills `target` with the bytes from `offset` of the object that was opened (`If-Match`). A line that is cut is taken
 * up where it broke. Throws ObjectMissing when the object is deleted or replaced, StoreUnavailable.
 */
export async function readRange(object: RemoteObject, target: Uint8Array, offset: number): Promise<void> {
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
      broken = await afterBreak(object, error, filled > before, broken);
    }
  }
}

/**
 * The bytes from `offset` as they come. A consumer who pauses for longer than the store may take loses the connection,
 * which is opened again where it was. `lent`: a chunk may be overwritten once the next one is asked for. Throws like
 * `readRange`.
 */
export async function* streamRange(
  object: RemoteObject,
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
      broken = await afterBreak(object, error, position > before, broken);
    }
  }
}

/** Waits before the next try. Gives how many tries brought nothing, and throws when they are too many. */
async function afterBreak(
  { verbs: { faults } }: RemoteObject,
  error: unknown,
  hasProgress: boolean,
  broken: number,
): Promise<number> {
  if (error instanceof ObjectMissing) throw error;
  // Bytes that came show that the store is there; only tries that bring none count.
  const tries = hasProgress ? 1 : broken + 1;
  // A store that is silent for as long as an answer may wait would be so again.
  const isHopeless = isAwaited() && isTimeout(error);
  if (isHopeless || tries > RESUMES || (faults.statusOf(error) ?? 0) >= 300 || !faults.isPassing(error)) {
    throw faults.unavailable(error, 'read an object');
  }
  await pause(PAUSE_MS * 2 ** tries * Math.random());
  return tries;
}

/** The bytes as they come; `lent` ones in the store's faster way, where they are many. */
function openStream(
  object: RemoteObject,
  offset: number,
  length: number,
  lent: boolean,
): Promise<AsyncIterable<Uint8Array>> {
  const { link, verbs } = object;
  return askAside(link, async (options) => {
    const isLong = lent && length >= OWN_SOCKET;
    const own = isLong ? ((await verbs.stream?.(object, offset, length)) ?? null) : null;
    return own ?? getRange(object, offset, length, options);
  });
}

async function getRange(
  { verbs, key, etag, size }: RemoteObject,
  offset: number,
  length: number,
  options: AskOptions,
): Promise<Readable> {
  let answer: RangeAnswer;
  try {
    answer = await verbs.get(key, { offset, length }, etag, options);
  } catch (error) {
    const { faults } = verbs;
    if (faults.isMissing(error) || faults.isChanged(error)) throw new ObjectMissing(key);
    throw error;
  }
  // A store, or a proxy before it, that ignores conditions or ranges must not slip other bytes in.
  const isOther = answer.etag !== etag;
  if (isOther || answer.offset !== offset || answer.length !== length || answer.size !== size) {
    answer.body.destroy();
    if (isOther) throw new ObjectMissing(key);
    const come = `${answer.offset}+${answer.length}/${answer.size}`;
    throw new Error(`the store answered with bytes ${come} in place of ${offset}+${length}/${size}`);
  }
  return answer.body;
}
