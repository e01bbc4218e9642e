import { traced, tracedParts } from '@citymodel/base';
import type { StreamOptions } from '@citymodel/zip';
import type {
  ObjectHandle,
  ObjectInfo,
  ObjectStore,
  OpenHint,
  PutOptions,
  StoreTraits,
} from '../object-store.ts';

/** A store whose work on objects is spans, with what its caches spare it. */
export class TracedObjects implements ObjectStore {
  readonly #inner: ObjectStore;
  readonly abortUploads?: NonNullable<ObjectStore['abortUploads']>;
  readonly sign?: NonNullable<ObjectStore['sign']>;
  readonly figures?: NonNullable<ObjectStore['figures']>;
  readonly giveUp?: NonNullable<ObjectStore['giveUp']>;

  constructor(inner: ObjectStore) {
    this.#inner = inner;
    const { abortUploads, sign, figures, giveUp } = inner;
    if (abortUploads !== undefined) this.abortUploads = abortUploads.bind(inner);
    if (sign !== undefined) this.sign = sign.bind(inner);
    if (figures !== undefined) this.figures = figures.bind(inner);
    if (giveUp !== undefined) this.giveUp = giveUp.bind(inner);
  }

  get traits(): StoreTraits {
    return this.#inner.traits;
  }

  put(key: string, from: string | AsyncIterable<Uint8Array>, options?: PutOptions): Promise<ObjectInfo> {
    return traced(
      'objects put',
      () => attributesOf(key),
      () => this.#inner.put(key, from, options),
    );
  }

  head(key: string): Promise<ObjectInfo | null> {
    return traced(
      'objects head',
      () => attributesOf(key),
      () => this.#inner.head(key),
    );
  }

  async open(key: string, hint?: OpenHint): Promise<ObjectHandle> {
    const handle = await traced(
      'objects open',
      () => attributesOf(key),
      () => this.#inner.open(key, hint),
    );
    return new TracedHandle(key, handle);
  }

  list(prefix: string): AsyncIterable<ObjectInfo> {
    return tracedParts(
      'objects list',
      () => attributesOf(prefix),
      () => this.#inner.list(prefix),
    );
  }

  delete(key: string): Promise<void> {
    return traced(
      'objects delete',
      () => attributesOf(key),
      () => this.#inner.delete(key),
    );
  }

  deleteMany(keys: readonly string[]): Promise<void> {
    return traced(
      'objects delete',
      () => ({ 'citymodel.objects': keys.length }),
      () => this.#inner.deleteMany(keys),
    );
  }

  probe(): Promise<void> {
    return traced(
      'objects probe',
      () => ({}),
      () => this.#inner.probe(),
    );
  }

  close(): Promise<void> {
    return this.#inner.close();
  }
}

class TracedHandle implements ObjectHandle {
  readonly size: number;
  readonly #key: string;
  readonly #inner: ObjectHandle;
  readonly readInto?: NonNullable<ObjectHandle['readInto']>;
  readonly damaged?: NonNullable<ObjectHandle['damaged']>;

  constructor(key: string, inner: ObjectHandle) {
    this.#key = key;
    this.#inner = inner;
    this.size = inner.size;
    const { readInto, damaged } = inner;
    if (readInto !== undefined) {
      this.readInto = (target, offset) =>
        traced(
          'objects read',
          () => attributesOf(key, offset, target.length),
          () => readInto.call(inner, target, offset),
        );
    }
    if (damaged !== undefined) this.damaged = damaged.bind(inner);
  }

  read(offset: number, length: number): Promise<Uint8Array> {
    return traced(
      'objects read',
      () => attributesOf(this.#key, offset, length),
      () => this.#inner.read(offset, length),
    );
  }

  stream(offset: number, length: number, options?: StreamOptions): AsyncIterable<Uint8Array> {
    return tracedParts(
      'objects stream',
      () => attributesOf(this.#key, offset, length),
      () => this.#inner.stream(offset, length, options),
    );
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#inner[Symbol.asyncDispose]() as Promise<void>;
  }
}

function attributesOf(key: string, offset?: number, length?: number): Record<string, string | number> {
  return {
    'citymodel.object.key': key,
    ...(offset !== undefined && { 'citymodel.object.offset': offset }),
    ...(length !== undefined && { 'citymodel.object.length': length }),
  };
}
