/** The file of a package that is made: a zip with the same bytes for the same members, or one PMTiles file. */
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { promisify } from 'node:util';
import { crc32, deflateRaw } from 'node:zlib';
import { ArchiveWriter, createArchiveFile } from '@citymodel/zip';
import type { PackageSink } from './part-maker.ts';

/** Members from files are read whole up to this size; larger ones are stored, and read twice, bytes. */
const WHOLE_BYTES = 32 << 20;
const CHUNK_BYTES = 1 << 20;
/** Members that are deflated at a time, beside each other and beside reading the next ones; and their bytes at most. */
const AHEAD = { members: 8, bytes: 8 << 20 };

/** A package file that is being written; `finish` or `abandon` ends it. */
export interface PackageFile extends PackageSink {
  /** The file is complete and appears under its name; says its bytes and members. */
  finish(): Promise<{ bytes: number; members: number }>;
  abandon(): Promise<void>;
}

/** A zip; all members have the time `modified`, milliseconds since 1970. One that was there before is replaced. */
export async function createZip(path: string, modified: number): Promise<PackageFile> {
  const partial = `${path}.part`;
  await rm(partial, { force: true });
  const file = await createArchiveFile(partial);
  const writer = new ArchiveWriter(file);
  /** Members in the order in which they are written. */
  const ahead: Array<{ bytes: number; write(): Promise<void> }> = [];
  let bytesAhead = 0;
  const writeUntil = async (members: number, bytes: number) => {
    while (ahead.length > members || bytesAhead > bytes) {
      const next = ahead.shift()!;
      bytesAhead -= next.bytes;
      await next.write();
    }
  };
  const add: PackageSink['add'] = async (name, bytes, { stored = false } = {}) => {
    const method = stored ? 0 : 8;
    const deflated = stored ? Promise.resolve(bytes) : promisify(deflateRaw)(bytes);
    // What went wrong is told when the member's turn comes.
    deflated.catch(() => {});
    const write = async () => {
      const data = await deflated;
      const totals = { crc32: crc32(bytes), size: bytes.length, compressedSize: data.length };
      await writer.copy(name, { method, modified, ...totals }, [data]);
    };
    ahead.push({ bytes: bytes.length, write });
    bytesAhead += bytes.length;
    await writeUntil(AHEAD.members - 1, AHEAD.bytes);
  };
  return {
    add,
    async addFile(name, from, { start = 0, end, stored = false, deflated } = {}) {
      const source = await open(from, 'r');
      try {
        const length = (end ?? (await source.stat()).size) - start;
        if (deflated !== undefined) {
          await writeUntil(0, 0);
          const totals = { ...deflated, compressedSize: length };
          await writer.copy(name, { method: 8, modified, ...totals }, chunksOf(source, start, length));
          return;
        }
        if (length <= WHOLE_BYTES) {
          const bytes = Buffer.alloc(length);
          await readFully(source, bytes, start);
          await add(name, bytes, { stored });
          return;
        }
        await writeUntil(0, 0);
        let sum = 0;
        for await (const chunk of chunksOf(source, start, length)) sum = crc32(chunk, sum);
        const totals = { crc32: sum, size: length, compressedSize: length };
        await writer.copy(name, { method: 0, modified, ...totals }, chunksOf(source, start, length));
      } finally {
        await source.close();
      }
    },
    async finish() {
      await writeUntil(0, 0);
      const { size, count } = await writer.finish();
      await file.sync();
      await file[Symbol.asyncDispose]();
      await rename(partial, path);
      return { bytes: size, members: count };
    },
    async abandon() {
      await file[Symbol.asyncDispose]();
      await rm(partial, { force: true });
    },
  };
}

/** A single file: what is added is appended, whatever it is called. */
export async function createSingleFile(path: string): Promise<PackageFile> {
  const partial = `${path}.part`;
  await rm(partial, { force: true });
  const file = await createArchiveFile(partial);
  let bytes = 0;
  const write = async (chunk: Uint8Array) => {
    await file.write(chunk);
    bytes += chunk.length;
  };
  return {
    add: (_name, chunk) => write(chunk),
    async addFile(_name, from, { start = 0, end } = {}) {
      const source = await open(from, 'r');
      try {
        const length = (end ?? (await source.stat()).size) - start;
        for await (const chunk of chunksOf(source, start, length)) await write(chunk);
      } finally {
        await source.close();
      }
    },
    async finish() {
      await file.sync();
      await file[Symbol.asyncDispose]();
      await rename(partial, path);
      return { bytes, members: 1 };
    },
    async abandon() {
      await file[Symbol.asyncDispose]();
      await rm(partial, { force: true });
    },
  };
}

async function* chunksOf(file: FileHandle, start: number, length: number): AsyncGenerator<Uint8Array> {
  const buffer = Buffer.alloc(Math.min(length, CHUNK_BYTES));
  for (let at = 0; at < length; ) {
    const chunk = buffer.subarray(0, Math.min(buffer.length, length - at));
    await readFully(file, chunk, start + at);
    yield chunk;
    at += chunk.length;
  }
}

async function readFully(file: FileHandle, into: Buffer, position: number): Promise<void> {
  for (let done = 0; done < into.length; ) {
    const { bytesRead } = await file.read(into, done, into.length - done, position + done);
    if (bytesRead === 0) throw new Error('A file of a part is shorter than it was.');
    done += bytesRead;
  }
}
