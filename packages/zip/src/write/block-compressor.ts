import { constants, createDeflateRaw, type DeflateRaw } from 'node:zlib';
import { blanked } from '../blanked.ts';
import { WINDOW_DEFLATE } from '../block-pieces.ts';

/** A piece of a block, compressed. */
export interface CompressedPiece {
  textBytes: number;
  data: Uint8Array;
  /** Data of its window behind the shared one; null for the piece that begins the block. */
  window: Uint8Array | null;
}

/** Room for the data of most pieces. */
const CHUNK_BYTES = 64 * 1024;

/**
 * Compresses blocks on the libuv pool, one at a time, with the same streams for all. Node.js's functions make a stream
 * for each text, and the garbage collector runs for the memory of these.
 */
export class BlockCompressor {
  readonly #pieces: KeptDeflate;
  #windows: { shared: Uint8Array; deflate: KeptDeflate } | null = null;

  constructor(level: number) {
    this.#pieces = new KeptDeflate(level);
  }

  /**
   * Pieces of a text that end at these offsets, each up to a byte border. The first begins with an empty window, and
   * each other one with the blanked text before it, as long as `shared`. Data of windows follows that of `shared`. The
   * text must not change meanwhile.
   */
  async compress(
    text: Uint8Array,
    ends: readonly number[],
    shared: Uint8Array | null,
  ): Promise<CompressedPiece[]> {
    const pieces: CompressedPiece[] = [];
    let start = 0;
    for (const end of ends) {
      const own = text.subarray(start, end);
      this.#pieces.reset();
      if (start === 0 || shared === null) {
        pieces.push({ textBytes: own.length, data: await this.#pieces.write(own), window: null });
      } else {
        const window = blanked(text.subarray(start - shared.length, start));
        await this.#pieces.write(window);
        const data = await this.#pieces.write(own);
        pieces.push({ textBytes: own.length, data, window: await this.#windowData(window, shared) });
      }
      start = end;
    }
    return pieces;
  }

  #windowData(window: Uint8Array, shared: Uint8Array): Promise<Uint8Array> {
    if (this.#windows?.shared !== shared) {
      this.#windows?.deflate.close();
      this.#windows = { shared, deflate: new KeptDeflate(WINDOW_DEFLATE.level, shared) };
    }
    this.#windows.deflate.reset();
    return this.#windows.deflate.write(window);
  }
}

/** A deflate stream that begins anew for each text. */
class KeptDeflate {
  readonly #stream: DeflateRaw;
  #chunks: Buffer[] = [];

  constructor(level: number, dictionary?: Uint8Array) {
    this.#stream = createDeflateRaw({
      level,
      flush: constants.Z_SYNC_FLUSH,
      chunkSize: CHUNK_BYTES,
      ...(dictionary === undefined ? {} : { dictionary }),
    });
    this.#stream.on('data', (chunk: Buffer) => this.#chunks.push(chunk));
    // The one who writes is told.
    this.#stream.on('error', () => {});
  }

  /** Begins with an empty window, or with the dictionary. */
  reset(): void {
    this.#stream.reset();
  }

  /** Data of a text up to a byte border, behind what was written before. */
  async write(text: Uint8Array): Promise<Uint8Array> {
    await new Promise<void>((resolve, reject) => {
      this.#stream.write(text, (error) => (error ? reject(error) : resolve()));
    });
    const chunks = this.#chunks;
    this.#chunks = [];
    return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
  }

  close(): void {
    this.#stream.close();
  }
}
