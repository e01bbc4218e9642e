import { constants, createDeflateRaw } from 'node:zlib';

/** Deflaters of one level; each takes a third of a megabyte, and more than the pool has threads make nothing faster. */
const MAX_DEFLATERS = 4;
/** What zlib writes into at a time; an answer mostly fits. */
const CHUNK_BYTES = 64 * 1024;
/** The last four bytes of what a full flush gives: an empty stored block (RFC 1951, section 3.2.4). */
const FLUSHED = 0x0000ffff;

/** The deflaters of one level that are there, those that nobody uses now, and who waits for one. */
interface Deflaters {
  count: number;
  idle: Deflater[];
  waiting: Array<(deflater: Deflater) => void>;
}

const levels = new Map<number, Deflaters>();

/**
 * Deflates a text (RFC 1951), off the main thread, at zlib's `level`, 1 to 9. What comes out refers to nothing before it, ends
 * on a byte boundary and has no last block. The text must stay as it is meanwhile. Throws what zlib throws.
 */
export async function deflateText(text: Uint8Array, level: number): Promise<Uint8Array> {
  if (text.length === 0) return new Uint8Array();
  let deflaters = levels.get(level);
  if (deflaters === undefined) {
    deflaters = { count: 0, idle: [], waiting: [] };
    levels.set(level, deflaters);
  }
  let deflater = deflaters.idle.pop();
  if (deflater === undefined && deflaters.count < MAX_DEFLATERS) {
    deflaters.count++;
    deflater = new Deflater(level);
  }
  const { idle, waiting } = deflaters;
  deflater ??= await new Promise<Deflater>((resolve) => waiting.push(resolve));
  try {
    return await deflater.deflate(text);
  } catch (error) {
    // Its stream is of no more use.
    deflater = new Deflater(level);
    throw error;
  } finally {
    const next = waiting.shift();
    if (next === undefined) idle.push(deflater);
    else next(deflater);
  }
}

/**
 * Deflates one text after the other, with a full flush of the stream after each. A stream for each text is garbage that
 * only a collection of the whole heap finds, and a quarter of a megabyte outside it: of the boxes of wards, every
 * eightieth waited for that.
 */
class Deflater {
  readonly #stream;
  #chunks: Buffer[] = [];

  constructor(level: number) {
    this.#stream = createDeflateRaw({ level, flush: constants.Z_FULL_FLUSH, chunkSize: CHUNK_BYTES });
    this.#stream.on('data', (chunk: Buffer) => this.#chunks.push(chunk));
    // Whoever writes is told.
    this.#stream.on('error', () => {});
  }

  async deflate(text: Uint8Array): Promise<Uint8Array> {
    await new Promise<void>((resolve, reject) => {
      this.#stream.write(text, (error) => (error ? reject(error) : resolve()));
    });
    const chunks = this.#chunks;
    this.#chunks = [];
    // Copied: chunks are parts of memory that other texts are in, too.
    const deflated = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
    let at = 0;
    for (const chunk of chunks) {
      deflated.set(chunk, at);
      at += chunk.length;
    }
    if (at < 4 || new DataView(deflated.buffer).getUint32(at - 4) !== FLUSHED) {
      throw new Error('zlib said that a text was deflated before it had given all of it');
    }
    return deflated;
  }
}
