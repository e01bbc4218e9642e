/**
 * Uploads in the object store, where every worker reaches them: `incoming/jobs/{UUID}`, one object each. What people put beside
 * them below `incoming/` is theirs, and stays.
 */
import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ObjectStore } from '../store/object-store.ts';

/** What keys of uploads begin with. */
export const INCOMING = 'incoming/jobs/';
/** Longest name of an upload, bytes; file systems allow 255 with the directory's own. */
const MAX_NAME_BYTES = 200;

/** A key for an upload that nobody has used. */
export function incomingKey(): string {
  return `${INCOMING}${randomUUID()}`;
}

/**
 * The name of a file from a caller as the name of one local file: without directories, control characters and what some file
 * systems refuse, and not too long. Never empty.
 */
export function safeFileName(name: string): string {
  const last = basename(name.replaceAll('\\', '/'));
  const plain = withoutOuterDots(last.normalize('NFC').replace(/[\p{Cc}\p{Cf}\p{Cs}<>:"|?*]/gu, '_'));
  const extension = /\.[A-Za-z0-9]{1,10}$/.exec(plain)?.[0] ?? '';
  let stem = plain.slice(0, plain.length - extension.length);
  while (Buffer.byteLength(stem) > MAX_NAME_BYTES - extension.length) stem = [...stem].slice(0, -1).join('');
  return stem + extension === '' ? 'upload' : stem + extension;
}

/** The text without dots and white space at both ends. */
function withoutOuterDots(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && /[.\s]/.test(text[from]!)) from++;
  while (to > from && /[.\s]/.test(text[to - 1]!)) to--;
  return text.slice(from, to);
}

/** Writes the object into a local file of the given name in an existing directory, and gives its path. Throws ObjectMissing. */
export async function fetchIncoming(
  objects: ObjectStore,
  key: string,
  to: { directory: string; name: string },
  signal: AbortSignal,
  onBytes: (done: number, total: number) => void,
): Promise<string> {
  const path = join(to.directory, safeFileName(to.name));
  await using handle = await objects.open(key);
  async function* counted() {
    let done = 0;
    for await (const chunk of handle.stream(0, handle.size)) {
      done += chunk.length;
      onBytes(done, handle.size);
      yield chunk;
    }
  }
  await pipeline(Readable.from(counted(), { objectMode: false }), createWriteStream(path, { flags: 'wx' }), {
    signal,
  });
  return path;
}
