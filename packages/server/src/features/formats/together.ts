/** Small pieces of an answer, sent together: each write to a socket costs as much as some thousand bytes. */

/** Bytes of an answer that are sent together. */
const PIECE = 64 * 1024;

/** Gathers bytes until they are a piece of 64 KiB or more. */
export class Together {
  #pieces: Uint8Array[];
  #length: number;

  /** Begins with the head of an answer. */
  constructor(head: Uint8Array = new Uint8Array(0)) {
    this.#pieces = [head];
    this.#length = head.length;
  }

  /** Takes bytes, which stay as they are; answers with all that wait once they are a piece, with null before. */
  add(bytes: Uint8Array): Uint8Array | null {
    this.#pieces.push(bytes);
    this.#length += bytes.length;
    return this.#length < PIECE ? null : this.rest();
  }

  /** All that wait, which may be no bytes. */
  rest(): Uint8Array {
    const joined = Buffer.concat(this.#pieces, this.#length);
    this.#pieces = [];
    this.#length = 0;
    return joined;
  }
}
