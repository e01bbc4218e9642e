import { constants, createDeflateRaw, type DeflateRaw, type ZlibOptions } from 'node:zlib';

/** A piece of a block, compressed. */
export interface CompressedPiece {
  textBytes: number;
  data: Uint8Array;
  /** Data of its window behind the shared one; null for the piece that begins the block. */
  window: Uint8Array | null;
}

/**
 * Data of the pieces of a block that end at these offsets of its text, each up to a byte border. The first begins with
 * an empty window, each other one with its own of `windows`. Works on the libuv pool; the text must not change
 * meanwhile. `options`: level, and room for data.
 */
export async function compressPieces(
  text: Uint8Array,
  ends: readonly number[],
  windows: readonly Uint8Array[],
  options: ZlibOptions,
): Promise<Uint8Array[]> {
  // One stream for a block, as making one for each piece would have the garbage collector run for their memory. What it
  // has compressed before has an influence on few bytes, so that it must not serve for several blocks.
  const deflate = new KeptDeflate(options);
  const pieces: Uint8Array[] = [];
  let start = 0;
  for (const [i, end] of ends.entries()) {
    deflate.reset();
    if (i > 0) await deflate.write(windows[i - 1] as Uint8Array);
    pieces.push(await deflate.write(text.subarray(start, end)));
    start = end;
  }
  deflate.close();
  return pieces;
}

/** A deflate stream that begins anew for each text. */
export class KeptDeflate {
  readonly #stream: DeflateRaw;
  #chunks: Buffer[] = [];

  constructor(options: ZlibOptions) {
    this.#stream = createDeflateRaw({ ...options, flush: constants.Z_SYNC_FLUSH });
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
