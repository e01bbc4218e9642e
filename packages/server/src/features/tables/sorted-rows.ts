/**
 * Rows that wait on the disk until the last one has come, and are then read in the order of their keys. In memory each
 * takes 20 bytes. Rows that come one after the other mostly have near keys, so a group of them is read in few pieces.
 */
import { type FileHandle, open } from 'node:fs/promises';

/** Bytes that are written, or read, together. */
const PIECE = 1 << 20;

export class SortedRows implements AsyncDisposable {
  readonly #file: FileHandle;
  #keys = new Float64Array(1_024);
  #offsets = new Float64Array(1_024);
  #lengths = new Uint32Array(1_024);
  #size = 0;
  /** Rows that are not written yet, or were read; as small buffers of their own they stay until a full collection. */
  #piece = Buffer.allocUnsafe(PIECE);
  #waiting = 0;
  #end = 0;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  /** In a file that does not exist yet; who makes its directory deletes it. */
  static async create(path: string): Promise<SortedRows> {
    return new SortedRows(await open(path, 'wx+', 0o600));
  }

  get size(): number {
    return this.#size;
  }

  /** Adds a row; those with equal keys stay in their order. */
  async add(key: number, row: Uint8Array): Promise<void> {
    if (row.length > this.#piece.length - this.#waiting) await this.#flush();
    if (row.length > this.#piece.length) this.#piece = Buffer.allocUnsafe(row.length);
    this.#piece.set(row, this.#waiting);
    this.#waiting += row.length;
    if (this.#size === this.#keys.length) this.#grow();
    this.#keys[this.#size] = key;
    this.#offsets[this.#size] = this.#end;
    this.#lengths[this.#size] = row.length;
    this.#size++;
    this.#end += row.length;
  }

  /**
   * The rows by key, in groups of up to so many rows and bytes, which have one row at least. `place`: where in the
   * group a row stands; rows of a group come in the order of the file. Bytes of a row are good until the next comes.
   */
  async *groups(
    rows: number,
    bytes: number,
  ): AsyncGenerator<{ size: number; rows: AsyncGenerator<{ place: number; row: Buffer }, void, void> }> {
    await this.#flush();
    const keys = this.#keys;
    const order = Uint32Array.from({ length: this.#size }, (_, n) => n).sort(
      (a, b) => keys[a]! - keys[b]! || a - b,
    );
    for (let from = 0; from < order.length; ) {
      let to = from;
      let length = 0;
      do length += this.#lengths[order[to++]!]!;
      while (to < order.length && to - from < rows && length < bytes);
      yield { size: to - from, rows: this.#rowsOf(order.subarray(from, to)) };
      from = to;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close();
  }

  async *#rowsOf(numbers: Uint32Array): AsyncGenerator<{ place: number; row: Buffer }, void, void> {
    const places = Uint32Array.from(numbers.keys()).sort((a, b) => numbers[a]! - numbers[b]!);
    let start = 0;
    let end = 0;
    for (const place of places) {
      const offset = this.#offsets[numbers[place]!]!;
      const length = this.#lengths[numbers[place]!]!;
      if (offset + length > end) {
        const wanted = Math.min(this.#piece.length, this.#end - offset);
        const { bytesRead } = await this.#file.read(this.#piece, 0, wanted, offset);
        if (bytesRead < wanted) throw new Error('The file of waiting rows ends too early.');
        start = offset;
        end = offset + wanted;
      }
      yield { place, row: this.#piece.subarray(offset - start, offset - start + length) };
    }
  }

  async #flush(): Promise<void> {
    await this.#file.write(this.#piece, 0, this.#waiting, this.#end - this.#waiting);
    this.#waiting = 0;
  }

  #grow(): void {
    const size = this.#size * 2;
    const keys = new Float64Array(size);
    keys.set(this.#keys);
    const offsets = new Float64Array(size);
    offsets.set(this.#offsets);
    const lengths = new Uint32Array(size);
    lengths.set(this.#lengths);
    this.#keys = keys;
    this.#offsets = offsets;
    this.#lengths = lengths;
  }
}
