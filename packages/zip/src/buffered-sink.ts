/**
 * Where an archive is written: a file, or memory. Calls come one at a time; each waits for the promise of the one
 * before.
 */
export interface ArchiveSink {
  /** Appends bytes. They may be reused once the promise has resolved. */
  write(bytes: Uint8Array): Promise<void> | void;
  /** Overwrites bytes that were written before; what is appended next still goes to the end. */
  patch(offset: number, bytes: Uint8Array): Promise<void> | void;
  /** Forgets everything from the offset on, which becomes the end. */
  rewind(offset: number): Promise<void> | void;
}

/** Bytes that are gathered at most, and the room for them at first: small packages are many, and need little. */
const BUFFER_BYTES = 1024 * 1024;
const FIRST_BYTES = 32 * 1024;

/**
 * Gathers small writes, so that a hundred thousand small members are not as many calls of the system.
 * Patching and rewinding within what is gathered does not reach the sink at all.
 */
export class BufferedSink {
  readonly #sink: ArchiveSink;
  #buffer = Buffer.allocUnsafeSlow(FIRST_BYTES);
  #used = 0;
  /** Bytes that the sink has. */
  #written = 0;

  constructor(sink: ArchiveSink) {
    this.#sink = sink;
  }

  /** Bytes so far; the next byte goes here. */
  get position(): number {
    return this.#written + this.#used;
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (this.#used + bytes.length > BUFFER_BYTES) await this.flush();
    if (bytes.length > BUFFER_BYTES / 2) {
      await this.flush();
      await this.#sink.write(bytes);
      this.#written += bytes.length;
    } else {
      const end = this.#used + bytes.length;
      if (end > this.#buffer.length) this.#grow(end);
      this.#buffer.set(bytes, this.#used);
      this.#used = end;
    }
  }

  async patch(offset: number, bytes: Uint8Array): Promise<void> {
    if (offset + bytes.length > this.position)
      throw new RangeError('a patch must not reach beyond what was written');
    if (offset < this.#written && offset + bytes.length > this.#written) await this.flush();
    if (offset >= this.#written) this.#buffer.set(bytes, offset - this.#written);
    else await this.#sink.patch(offset, bytes);
  }

  async rewind(offset: number): Promise<void> {
    if (offset > this.position) throw new RangeError('a sink is rewound backwards only');
    this.#used = Math.max(0, offset - this.#written);
    if (offset < this.#written) {
      await this.#sink.rewind(offset);
      this.#written = offset;
    }
  }

  #grow(least: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.min(BUFFER_BYTES, Math.max(least, 4 * this.#buffer.length)));
    larger.set(this.#buffer.subarray(0, this.#used));
    this.#buffer = larger;
  }

  async flush(): Promise<void> {
    if (this.#used === 0) return;
    const used = this.#used;
    await this.#sink.write(this.#buffer.subarray(0, used));
    this.#written += used;
    this.#used = 0;
  }
}
