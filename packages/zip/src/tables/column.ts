/** Numbers of one kind, one for each of many members: 1 to 8 bytes each, where an array takes 8 and a copy to grow. */
export class Column<
  T extends Float64Array<ArrayBuffer> | Uint32Array<ArrayBuffer> | Uint8Array<ArrayBuffer>,
> {
  #values: T;
  #count = 0;
  readonly #make: (length: number) => T;

  /** Room for `expected` numbers is there from the start; what is not used takes no memory. */
  constructor(make: (length: number) => T, expected: number) {
    this.#make = make;
    this.#values = make(Math.max(expected, 16));
  }

  get count(): number {
    return this.#count;
  }

  push(value: number): void {
    this.#reserve(1);
    this.#values[this.#count++] = value;
  }

  append(values: ArrayLike<number>): void {
    this.#reserve(values.length);
    this.#values.set(values, this.#count);
    this.#count += values.length;
  }

  at(i: number): number {
    return this.#values[i] as number;
  }

  /** Numbers `start` to `end` (exclusive), over the same memory. */
  slice(start: number, end: number): T {
    return this.#values.subarray(start, end) as T;
  }

  /** Gives the memory back without waiting for a collection. Nothing can be read any more. */
  release(): void {
    this.#values.buffer.transfer(0);
    this.#count = 0;
  }

  #reserve(more: number): void {
    if (this.#count + more <= this.#values.length) return;
    const full = this.#values;
    this.#values = this.#make(Math.max(this.#count + more, full.length * 2));
    this.#values.set(full);
    full.buffer.transfer(0);
  }
}
