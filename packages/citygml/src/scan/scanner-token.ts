/**
 * Bytes that the scan expects where it stands, because they stood there last time: a tag, an attribute, a code list.
 * Most of a GML is such repetition. Comparing eight bytes at once, as numbers, takes a third of the time that one by
 * one takes.
 *
 * Eight bytes that stand for NaN (the last 0x7f or 0xff after 0xf0 or more) differ even from themselves, and zero
 * equals minus zero (the last 0x80 after zeros). Neither is text in UTF-8, which is checked apart; and what is not
 * found where it is expected is read byte by byte.
 */
export class Token {
  readonly length: number;
  private readonly bytes: Uint8Array;
  /**
   * From 0, 8, …, the last up to the end, so that it may overlap the one before; none when there are fewer than 8
   * bytes.
   */
  private readonly words: Float64Array;

  constructor(bytes: Uint8Array) {
    const { length } = bytes;
    this.length = length;
    // Memory of its own: a part of the pool of Node.js keeps all of the pool.
    this.bytes = new Uint8Array(bytes);
    this.words = new Float64Array(length < 8 ? 0 : Math.ceil(length / 8));
    const view = new DataView(bytes.buffer, bytes.byteOffset, length);
    for (let k = 0; k < this.words.length; k++) {
      this.words[k] = view.getFloat64(Math.min(k * 8, length - 8), true);
    }
  }

  /** True when the text goes on with these bytes at `at`. As many bytes must be there. */
  isAt(text: DataView, at: number): boolean {
    const { words } = this;
    const last = words.length - 1;
    if (last < 0) return this.isShortAt(text, at);
    for (let k = 0; k < last; k++) if (text.getFloat64(at + k * 8, true) !== words[k]) return false;
    return text.getFloat64(at + this.length - 8, true) === words[last];
  }

  private isShortAt(text: DataView, at: number): boolean {
    const { bytes } = this;
    for (let k = 0; k < bytes.length; k++) if (text.getUint8(at + k) !== bytes[k]) return false;
    return true;
  }
}
