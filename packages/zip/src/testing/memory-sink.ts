import type { ArchiveSink } from '../buffered-sink.ts';

/** A sink in memory, for tests. Refuses calls that overlap and patches beyond the end, as a careful file would. */
export class MemorySink implements ArchiveSink {
  #bytes = Buffer.alloc(0);
  #busy = false;
  /** How often each method was called. */
  readonly calls = { write: 0, patch: 0, rewind: 0 };

  get bytes(): Uint8Array {
    return this.#bytes;
  }

  async write(bytes: Uint8Array): Promise<void> {
    await this.#alone('write');
    this.#bytes = Buffer.concat([this.#bytes, bytes]);
  }

  async patch(offset: number, bytes: Uint8Array): Promise<void> {
    await this.#alone('patch');
    if (offset + bytes.length > this.#bytes.length) throw new Error('patch beyond the end');
    this.#bytes.set(bytes, offset);
  }

  async rewind(offset: number): Promise<void> {
    await this.#alone('rewind');
    if (offset > this.#bytes.length) throw new Error('rewind beyond the end');
    this.#bytes = this.#bytes.subarray(0, offset);
  }

  async #alone(method: 'write' | 'patch' | 'rewind'): Promise<void> {
    if (this.#busy) throw new Error(`${method} while another call is running`);
    this.calls[method]++;
    this.#busy = true;
    await Promise.resolve();
    this.#busy = false;
  }
}
