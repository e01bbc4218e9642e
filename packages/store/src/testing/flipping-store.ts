import type { ObjectHandle } from '../object-store.ts';
import { MemoryStore } from './memory-store.ts';

/** A bit that is another whenever bytes of an object with it are read, as often as `times` says. */
export interface Flip {
  key: string;
  at: number;
  times: number;
}

/**
 * A store of whose objects a bit flips on the way. What came once is kept, as in a cache, and comes again until
 * somebody says that it is damaged.
 */
export class FlippingStore extends MemoryStore {
  readonly flip: Flip = { key: '', at: 0, times: 0 };
  /** Whether no bit flips any more when somebody has said that bytes are damaged. */
  heals = false;
  /** What somebody said that it is damaged, by key. */
  readonly damaged: string[] = [];
  readonly #kept = new Map<string, Uint8Array>();

  override async open(key: string): Promise<ObjectHandle> {
    const handle = await super.open(key);
    const read = async (offset: number, length: number) => {
      const { flip } = this;
      const name = `${key} ${offset} ${length}`;
      const kept = this.#kept.get(name);
      if (kept !== undefined) return Uint8Array.from(kept);
      const bytes = Uint8Array.from(await handle.read(offset, length));
      if (flip.times > 0 && flip.key === key && flip.at >= offset && flip.at < offset + length) {
        flip.times--;
        bytes[flip.at - offset]! ^= 4;
        this.#kept.set(name, Uint8Array.from(bytes));
      }
      return bytes;
    };
    return {
      size: handle.size,
      read,
      async *stream(offset, length) {
        if (length > 0) yield await read(offset, length);
      },
      damaged: async () => {
        this.damaged.push(key);
        if (this.heals) this.flip.times = 0;
        for (const name of this.#kept.keys()) if (name.startsWith(`${key} `)) this.#kept.delete(name);
      },
      [Symbol.asyncDispose]: () => handle[Symbol.asyncDispose]() as Promise<void>,
    };
  }
}
