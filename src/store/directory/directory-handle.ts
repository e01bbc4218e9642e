import { FileSource, type OpenFile } from '../../zip/file-source.ts';
import type { Lease } from '../lease-cache.ts';
import type { ObjectHandle } from '../object-store.ts';

/** Ranged reads of an object's file, which is on loan until the handle is disposed of. */
export class DirectoryHandle extends FileSource implements ObjectHandle {
  readonly #lease: Lease<OpenFile>;

  constructor(key: string, lease: Lease<OpenFile>) {
    super(lease.value, `the object ${key}`);
    this.#lease = lease;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#lease[Symbol.asyncDispose]();
  }
}
