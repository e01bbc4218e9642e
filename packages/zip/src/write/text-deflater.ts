import { constants, createDeflateRaw, type DeflateRaw, deflateRawSync, type ZlibOptions } from 'node:zlib';
import { engineOf } from '../engine.ts';

const SAMPLE = Buffer.from('<gml:posList/>'.repeat(2));

/**
 * Deflates short texts on the calling thread. The function of node:zlib makes a stream for each, for the memory of
 * which the collector runs. Where the engine is not as expected, that function does the work.
 */
export class TextDeflater {
  readonly #options: ZlibOptions;
  readonly #stream: DeflateRaw;
  #output: Buffer = Buffer.allocUnsafeSlow(1024);
  /** True when the engine is as expected; false means that a release of Node.js has changed it. */
  readonly isFast: boolean;

  constructor(options: ZlibOptions = {}) {
    this.#options = options;
    this.#stream = createDeflateRaw(options);
    this.#stream.on('error', () => {});
    const data = this.#deflate(SAMPLE);
    this.isFast = data !== null && data.equals(deflateRawSync(SAMPLE, options));
  }

  /** Raw deflate data in memory of its own. */
  deflate(text: Uint8Array): Buffer {
    const data = this.isFast && text.length > 0 ? this.#deflate(text) : null;
    if (data !== null) return data;
    return ownCopy(deflateRawSync(text, this.#options));
  }

  /** Null when that did not work. */
  #deflate(text: Uint8Array): Buffer | null {
    const found = engineOf(this.#stream);
    if (found === null) return null;
    const { engine, left } = found;
    // Data is longer than its text by a thousandth at most.
    const most = text.length + (text.length >> 4) + 64;
    if (this.#output.length < most) this.#output = Buffer.allocUnsafeSlow(2 * most);
    engine.writeSync(constants.Z_FINISH, text, 0, text.length, this.#output, 0, this.#output.length);
    const [room, rest] = left as unknown as [number, number];
    engine.reset();
    return rest === 0 && room > 0 ? ownCopy(this.#output.subarray(0, this.#output.length - room)) : null;
  }
}

/** What Node.js shares out of a larger piece would keep all of that. */
function ownCopy(data: Uint8Array): Buffer {
  const copy = Buffer.allocUnsafeSlow(data.length);
  copy.set(data);
  return copy;
}
