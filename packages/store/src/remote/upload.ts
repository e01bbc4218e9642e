/**
 * Writes an object in parts, several at once, in bounded memory. Libraries do it too, but that of S3 (`lib-storage`)
 * copies each byte twice, and reads and sends the whole source after a part has failed.
 */
import type { StoreLink } from './store-link.ts';
import type { PutTarget, RemoteVerbs, SentPart } from './verbs.ts';

/** Bytes of a part, unless a known size needs larger ones. */
const PART = 16 * 2 ** 20;
/** How long a part may take on a slow line, ms; a line on which nothing moves is given up much earlier. */
export const UPLOAD_MS = 15 * 60 * 1_000;
/** Parts on their way at once; one more is being filled. */
const AT_ONCE = 3;

/**
 * Sends the bytes of a source as one object, which appears when all are there. Gives how many there were. `size`, where
 * it is known, decides how large parts are. What was sent is given up when anything fails. Throws what the source
 * throws, errors of the store, and a RangeError for more than an object's parts hold.
 */
export async function upload(
  link: StoreLink,
  verbs: RemoteVerbs,
  target: PutTarget,
  source: AsyncIterable<Uint8Array>,
  size?: number,
): Promise<number> {
  const partSize = Math.max(PART, Math.ceil((size ?? 0) / verbs.maxParts / 2 ** 20) * 2 ** 20);
  const parts = partsOf(source, partSize);
  const first = await parts.next();
  if (first.done === true || first.value.length < partSize) {
    const whole = first.done === true ? new Uint8Array(0) : first.value;
    await link.limit.run(() => verbs.put(target, whole));
    return whole.length;
  }
  return new PartsUpload(link, verbs, target).send(first.value, parts);
}

class PartsUpload {
  readonly #link: StoreLink;
  readonly #verbs: RemoteVerbs;
  readonly #target: PutTarget;
  readonly #running = new Set<Promise<void>>();
  readonly #parts: SentPart[] = [];
  #failure: unknown = null;

  constructor(link: StoreLink, verbs: RemoteVerbs, target: PutTarget) {
    this.#link = link;
    this.#verbs = verbs;
    this.#target = target;
  }

  async send(first: Uint8Array, rest: AsyncGenerator<Uint8Array>): Promise<number> {
    const verbs = this.#verbs;
    const target = this.#target;
    try {
      const name = await verbs.beginParts(target);
      try {
        let size = 0;
        let number = 0;
        for (let part: Uint8Array | null = first; part !== null; ) {
          if (++number > verbs.maxParts)
            throw new RangeError(`an object has at most ${verbs.maxParts} parts`);
          size += part.length;
          await this.#begin(part, number, name);
          const next = await rest.next();
          part = next.done === true ? null : next.value;
        }
        await Promise.all(this.#running);
        if (this.#failure !== null) throw this.#failure;
        await verbs.joinParts(
          target,
          name,
          this.#parts.sort((a, b) => a.number - b.number),
        );
        return size;
      } catch (error) {
        // A part that comes after the end of its upload would stay.
        await Promise.all(this.#running);
        // What cannot be given up now is given up by the sweep.
        await verbs.dropParts?.(target, name).catch(() => {});
        throw error;
      }
    } finally {
      await rest.return(undefined);
    }
  }

  /** Resolves when there is room for another part. Throws the failure of any part before. */
  async #begin(body: Uint8Array, number: number, name: string): Promise<void> {
    const sending = this.#link.limit
      .run(() => this.#verbs.putPart(this.#target, name, number, body))
      .then(
        (tag) => {
          this.#parts.push({ number, tag });
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

/**
 * The bytes of a source in buffers of `partSize`, the last one smaller; each is the consumer's own. Empty of an empty
 * source.
 */
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
