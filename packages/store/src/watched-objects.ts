import type { ByteRange, StreamOptions } from '@citymodel/zip';
import type { ObjectHandle, ObjectStore } from './object-store.ts';

/** Called when bytes of an object were not what they should be. */
export type TellDamage = (key: string, range: ByteRange) => void;

/** The same store, whose handles tell of damage. */
export function watchedObjects(objects: ObjectStore, onDamage: TellDamage): ObjectStore {
  const open: ObjectStore['open'] = async (key, hint) =>
    new WatchedHandle(key, await objects.open(key, hint), onDamage);
  return new Proxy(objects, {
    get(target, name) {
      if (name === 'open') return open;
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** An object's handle that tells of damage. */
export class WatchedHandle implements ObjectHandle {
  readonly size: number;
  readonly #key: string;
  readonly #inner: ObjectHandle;
  readonly #onDamage: TellDamage | undefined;
  readonly readInto?: NonNullable<ObjectHandle['readInto']>;

  constructor(key: string, inner: ObjectHandle, onDamage: TellDamage | undefined) {
    this.size = inner.size;
    this.#key = key;
    this.#inner = inner;
    this.#onDamage = onDamage;
    if (inner.readInto !== undefined) this.readInto = inner.readInto.bind(inner);
  }

  get descriptor(): number | undefined {
    return this.#inner.descriptor;
  }

  read(offset: number, length: number): Promise<Uint8Array> {
    return this.#inner.read(offset, length);
  }

  stream(offset: number, length: number, options?: StreamOptions): AsyncIterable<Uint8Array> {
    return this.#inner.stream(offset, length, options);
  }

  async damaged(offset: number, length: number): Promise<void> {
    this.#onDamage?.(this.#key, { offset, length });
    await this.#inner.damaged?.(offset, length);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#inner[Symbol.asyncDispose]();
  }
}
