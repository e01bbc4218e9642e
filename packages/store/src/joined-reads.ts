/**
 * Joins reads that are asked for at the same time: over a network, one request for two ranges and what lies between
 * them is faster than two.
 */
export interface JoinedReadsOptions {
  /** Reads `length` bytes from `offset`. */
  read(offset: number, length: number): Promise<Uint8Array>;
  /** Ranges with at most so many bytes between them are read as one. */
  gap: number;
  /** Longest range that joining makes, bytes. */
  maxLength: number;
  /** Reads that run at once; further ones wait. */
  atOnce: number;
}

interface Wanted {
  offset: number;
  length: number;
  resolve(bytes: Uint8Array): void;
  reject(error: unknown): void;
}

/** Reads of one object. Those of one turn of the event loop are joined. */
export class JoinedReads {
  readonly #options: JoinedReadsOptions;
  #wanted: Wanted[] = [];
  readonly #waiting: Wanted[][] = [];
  #running = 0;

  constructor(options: JoinedReadsOptions) {
    this.#options = options;
  }

  /** The bytes of a range, in memory that may be shared with other readers. Rejects as `read` does. */
  read(offset: number, length: number): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      if (this.#wanted.length === 0) setImmediate(() => this.#begin());
      this.#wanted.push({ offset, length, resolve, reject });
    });
  }

  #begin(): void {
    const { gap, maxLength } = this.#options;
    const wanted = this.#wanted.sort((a, b) => a.offset - b.offset);
    this.#wanted = [];
    let group: Wanted[] = [];
    let end = 0;
    for (const one of wanted) {
      const first = group[0];
      const joins =
        first !== undefined &&
        one.offset - end <= gap &&
        Math.max(end, one.offset + one.length) - first.offset <= maxLength;
      if (!joins && group.length > 0) {
        this.#waiting.push(group);
        group = [];
        end = 0;
      }
      group.push(one);
      end = Math.max(end, one.offset + one.length);
    }
    if (group.length > 0) this.#waiting.push(group);
    this.#next();
  }

  #next(): void {
    while (this.#running < this.#options.atOnce) {
      const group = this.#waiting.shift();
      if (group === undefined) return;
      this.#running++;
      void this.#run(group).finally(() => {
        this.#running--;
        this.#next();
      });
    }
  }

  async #run(group: Wanted[]): Promise<void> {
    const start = group[0]!.offset;
    const end = group.reduce((last, { offset, length }) => Math.max(last, offset + length), 0);
    try {
      const bytes = await this.#options.read(start, end - start);
      for (const { offset, length, resolve } of group) {
        resolve(bytes.subarray(offset - start, offset - start + length));
      }
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  }
}
