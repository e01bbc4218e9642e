/** Inflating members with every promise of their directory entry checked: length, end of the stream, CRC. */
import { constants, crc32, createInflateRaw, type InflateRaw, inflateRaw, inflateRawSync } from 'node:zlib';
import type { Member } from '../member.ts';
import { MemberDamaged } from '../member-damaged.ts';

/** How many bytes are promised, before and after inflating. */
export interface PromisedSizes {
  /** For messages. */
  name: string;
  compressedSize: number;
  size: number;
}

/** What is promised about a member's data. */
export interface Promised extends PromisedSizes {
  crc32: number;
}

/** What the index says of a member. */
export function promisedOf(member: Member): Promised {
  return { name: member.path, compressedSize: member.compressedSize, size: member.size, crc32: member.crc32 };
}

/** Bytes per output chunk. */
export const OUTPUT_CHUNK = 1024 * 1024;
/** Compressed bytes that are read before the inflater has asked for them. */
const INPUT_AHEAD = 256 * 1024;
/**
 * Inflates a stream of raw deflate chunks into chunks of 1 MiB (the last of each input chunk may be
 * shorter). Stops with MemberDamaged as soon as more than `size` bytes come out, and at the end unless exactly
 * `size` bytes came out of exactly `compressedSize`. The input is read only as fast as the output is taken;
 * cancelling the iteration frees the inflater and closes the input before it returns. With `lent`, a chunk is freed
 * when the next one is asked for.
 */
export async function* inflateStream(
  raw: AsyncIterable<Uint8Array>,
  promised: PromisedSizes,
  lent = false,
): AsyncGenerator<Uint8Array, void, void> {
  const inflater = createInflateRaw({
    chunkSize: OUTPUT_CHUNK,
    // Lets the pool work on while the consumer is busy with the chunk before, and does not join them.
    readableObjectMode: true,
    readableHighWaterMark: 2,
    writableHighWaterMark: INPUT_AHEAD,
  } as Parameters<typeof createInflateRaw>[0]);
  let sourceFailed = false;
  const feeding = feed(raw, inflater).catch((error: unknown) => {
    sourceFailed = true;
    inflater.destroy(error as Error);
  });
  let produced = 0;
  try {
    for await (const chunk of inflater as AsyncIterable<Buffer>) {
      produced += chunk.length;
      if (produced > promised.size) throw tooFar(promised);
      yield chunk;
      if (lent) free(chunk);
    }
  } catch (error) {
    throw sourceFailed || error instanceof MemberDamaged ? error : badDeflate(promised, error);
  } finally {
    inflater.destroy();
    await feeding;
  }
  checkEnd(promised, produced, inflater.bytesWritten);
}

/**
 * Frees the buffer that ends with this chunk, which was the last in it that anybody had to read: zlib fills a buffer
 * from front to back. Left to the garbage collector, they made it run for a sixth of all processor time.
 */
function free(chunk: Buffer): void {
  const { buffer } = chunk;
  if (chunk.byteOffset + chunk.length === buffer.byteLength) (buffer as ArrayBuffer).transfer(0);
}

async function feed(raw: AsyncIterable<Uint8Array>, inflater: InflateRaw): Promise<void> {
  for await (const chunk of raw) {
    if (!inflater.write(chunk) && !inflater.destroyed) await drained(inflater);
    if (inflater.destroyed) return;
  }
  inflater.end();
}

function drained(inflater: InflateRaw): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      inflater.off('drain', done);
      inflater.off('close', done);
      resolve();
    };
    inflater.on('drain', done);
    inflater.on('close', done);
  });
}

export interface InflateWholeOptions {
  /** False for a block of a seekable member other than the last, which closes with a sync flush. */
  ended: boolean;
  /**
   * On a thread of the pool, side by side with others; else on the calling thread, which saves the way to the
   * pool and back.
   */
  pooled: boolean;
}

/**
 * Inflates bytes that are all there, into one buffer of `size` bytes. Throws MemberDamaged like inflateStream;
 * the CRC is not checked.
 */
export async function inflateWhole(
  data: Uint8Array,
  promised: PromisedSizes,
  { ended, pooled }: InflateWholeOptions,
): Promise<Uint8Array> {
  const options = {
    // One byte more than promised, so that too much shows and the promised bytes fit at once.
    chunkSize: Math.max(64, promised.size + 1),
    maxOutputLength: promised.size + 1,
    finishFlush: ended ? constants.Z_FINISH : constants.Z_SYNC_FLUSH,
    info: true,
  };
  let result: Inflated;
  try {
    result = pooled
      ? await new Promise<Inflated>((resolve, reject) => {
          inflateRaw(data, options, (error, done) =>
            error === null ? resolve(done as unknown as Inflated) : reject(error),
          );
        })
      : (inflateRawSync(data, options) as unknown as Inflated);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooFar(promised);
    throw badDeflate(promised, error);
  }
  checkEnd(promised, result.buffer.length, result.engine.bytesWritten);
  return result.buffer;
}

/** What the one-call functions return with `info`. */
interface Inflated {
  buffer: Buffer;
  engine: { bytesWritten: number };
}

/**
 * Passes the chunks on, the last one when length and CRC are what was promised. Else it throws MemberDamaged: a caller
 * who counts the bytes never has all of them.
 */
export async function* checked(
  chunks: AsyncIterable<Uint8Array>,
  promised: Promised,
): AsyncGenerator<Uint8Array, void, void> {
  let crc = 0;
  let size = 0;
  for await (const chunk of chunks) {
    crc = crc32(chunk, crc);
    size += chunk.length;
    if (size > promised.size) throw tooFar(promised);
    if (size === promised.size) checkCrc(promised, crc);
    yield chunk;
  }
  checkEnd(promised, size, promised.compressedSize);
  checkCrc(promised, crc);
}

/** Throws MemberDamaged unless the CRC-32 is the promised one. */
export function checkCrc(promised: Promised, crc: number): void {
  if (crc === promised.crc32) return;
  const hex = (value: number) => value.toString(16).padStart(8, '0');
  throw new MemberDamaged(
    'CRC_MISMATCH',
    promised.name,
    `The CRC-32 of the data is ${hex(crc)}; the directory says ${hex(promised.crc32)}.`,
  );
}

/** Throws MemberDamaged unless so much came out, of so much data, as was promised. */
export function checkEnd(promised: PromisedSizes, produced: number, consumed: number): void {
  if (produced > promised.size) throw tooFar(promised);
  if (produced < promised.size) {
    throw new MemberDamaged(
      'INFLATES_SHORT',
      promised.name,
      `The data gives ${produced} bytes; the directory says ${promised.size}.`,
    );
  }
  if (consumed !== promised.compressedSize) {
    throw new MemberDamaged(
      'BAD_DEFLATE',
      promised.name,
      `The compressed data ends after ${consumed} bytes; the directory says ${promised.compressedSize}.`,
    );
  }
}

export function tooFar(promised: PromisedSizes): MemberDamaged {
  return new MemberDamaged(
    'INFLATES_TOO_FAR',
    promised.name,
    `The data gives more than the ${promised.size} bytes that the directory declares.`,
  );
}

export function badDeflate(promised: PromisedSizes, cause: unknown): MemberDamaged {
  const truncated = (cause as NodeJS.ErrnoException).code === 'Z_BUF_ERROR';
  return truncated
    ? new MemberDamaged('TRUNCATED', promised.name, 'The compressed data ends in the middle.', { cause })
    : new MemberDamaged(
        'BAD_DEFLATE',
        promised.name,
        `The compressed data is not deflate: ${(cause as Error).message}.`,
        { cause },
      );
}
