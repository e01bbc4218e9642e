/** Fetching a large file that may have been begun before. */
import { type FileHandle, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';

export interface DownloadProgress {
  /** Bytes on the disk, those of earlier attempts included. */
  done: number;
  total: number;
}

/** A download that could not be finished; what is there stays for the next attempt. */
export class DownloadFailed extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'DownloadFailed';
  }
}

/** Attempts after each other that bring no byte. */
const MAX_IDLE_ATTEMPTS = 5;
const PAUSE_MS = 500;

/**
 * Downloads to `path`, which appears when it is complete. Until then the bytes are in `{path}.part`, and the entity tag
 * that they belong to in `{path}.part.etag`: a later call continues where an earlier one was cut off, and so does this
 * one when the connection breaks. It begins anew when the server has other bytes now (RFC 9110, section 13.1.5). Throws
 * DownloadFailed.
 */
export async function download(
  url: string,
  path: string,
  onProgress: (progress: DownloadProgress) => void,
): Promise<{ bytes: number; resumedAt: number }> {
  const part = `${path}.part`;
  const tag = `${part}.etag`;
  const resumedAt = await begun(part, tag);
  let idle = 0;
  for (;;) {
    const before = await begun(part, tag);
    try {
      const bytes = await attempt(url, part, tag, onProgress);
      await rename(part, path);
      await rm(tag, { force: true });
      return { bytes, resumedAt };
    } catch (error) {
      if (error instanceof DownloadFailed) throw error;
      // Of the disk, not of the connection, whose errors come as the `cause` of another: trying again does not help.
      if ((error as NodeJS.ErrnoException).syscall !== undefined) {
        throw new DownloadFailed(`${path} cannot be written: ${(error as Error).message}`, { cause: error });
      }
      idle = (await begun(part, tag)) > before ? 0 : idle + 1;
      if (idle >= MAX_IDLE_ATTEMPTS) {
        throw new DownloadFailed(`the download broke off: ${causeOf(error)}; the same command continues it`, {
          cause: error,
        });
      }
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS * idle));
    }
  }
}

/** Bytes of an earlier attempt whose entity tag is known. */
async function begun(part: string, tag: string): Promise<number> {
  try {
    await stat(tag);
    return (await stat(part)).size;
  } catch {
    return 0;
  }
}

/** One request. Resolves with the size when the file is complete; rejects when the connection breaks. */
async function attempt(
  url: string,
  part: string,
  tag: string,
  onProgress: (progress: DownloadProgress) => void,
): Promise<number> {
  const have = await begun(part, tag);
  const headers: Record<string, string> = { 'accept-encoding': 'identity' };
  if (have > 0) {
    headers.range = `bytes=${have}-`;
    headers['if-range'] = await readFile(tag, 'utf8');
  }
  const response = await fetch(url, { headers });
  const etag = response.headers.get('etag');
  if (response.status === 416 && response.headers.get('content-range') === `bytes */${have}`) {
    await response.body?.cancel();
    return have;
  }
  if (!response.ok || response.body === null) {
    throw new DownloadFailed(`${url} answered ${response.status}: ${(await response.text()).slice(0, 500)}`);
  }
  const start = response.status === 206 ? have : 0;
  const total = start + Number(response.headers.get('content-length'));
  const file = await open(part, start === 0 ? 'w' : 'a').catch(async (error: unknown) => {
    await response.body?.cancel();
    throw error;
  });
  try {
    if (etag !== null && !etag.startsWith('W/')) await writeFile(tag, etag);
    await receive(response.body, file, (bytes) => onProgress({ done: start + bytes, total }));
    await file.sync();
  } finally {
    await file.close();
  }
  const { size } = await stat(part);
  if (size !== total) throw new Error(`${size} bytes arrived where ${total} were announced`);
  return size;
}

async function receive(
  body: AsyncIterable<Uint8Array>,
  file: FileHandle,
  onBytes: (bytes: number) => void,
): Promise<void> {
  let bytes = 0;
  for await (const chunk of body) {
    for (let at = 0; at < chunk.length; ) at += (await file.write(chunk, at)).bytesWritten;
    bytes += chunk.length;
    onBytes(bytes);
  }
}

/** What lies behind the `fetch failed` of node's fetch. */
function causeOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? cause.message : message;
}
