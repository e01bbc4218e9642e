/** Answers whose size is not known before they are made. */
import { Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { acceptsGzip, keyUnlessKeyed, mayBeKept, noBody, sendComputedBytes } from './send.ts';

export interface PiecewiseAnswer {
  contentType: string;
  pieces: AsyncGenerator<Uint8Array, void, void>;
  /** One sentence in ASCII each. */
  warnings: ReadonlySet<string>;
}

/** An answer up to so many bytes is sent as a whole, with its length and an entity tag. */
const WHOLE_LENGTH = 256 * 1024;
/** Bytes of a large answer that wait for the caller to take them. */
const STREAM_BYTES = 64 * 1024;
/** Warnings that are sent; a search may meet more faulty files than headers may be long. */
const MAX_WARNINGS = 5;

/**
 * Sends a small answer whole; a large one piece by piece, as fast as the caller takes it, compressed on the way where
 * that is accepted. What fails before the first piece is an error answer as usual; later the connection is cut, so that
 * half an answer cannot be taken for a whole one. A caller that goes away ends the making of pieces.
 */
export async function sendPieces(
  request: FastifyRequest,
  reply: FastifyReply,
  { contentType, pieces, warnings }: PiecewiseAnswer,
): Promise<FastifyReply> {
  const first: Uint8Array[] = [];
  let length = 0;
  let done = false;
  while (!done && length < WHOLE_LENGTH) {
    const { value, done: ended } = await pieces.next();
    done = ended === true;
    if (value === undefined) continue;
    first.push(value);
    length += value.length;
  }
  reply.header('content-type', contentType);
  // Warn-code 199, "miscellaneous" (RFC 7234, section 5.5.7).
  const lines = [...warnings]
    .slice(0, MAX_WARNINGS)
    .map((text) => `199 citymodel "${text.replace(/["\\]/g, ' ')}"`);
  if (lines.length > 0) reply.header('warning', lines.join(', '));
  if (done) return sendComputedBytes(request, reply, Buffer.concat(first));

  reply.header('vary', 'accept-encoding');
  mayBeKept(reply);
  keyUnlessKeyed(reply);
  const compresses = acceptsGzip(request);
  if (compresses) reply.header('content-encoding', 'gzip');
  if (request.method === 'HEAD') {
    await pieces.return();
    return reply.send(noBody());
  }
  const body = Readable.from(chunks(first, pieces), { objectMode: false, highWaterMark: STREAM_BYTES });
  if (!compresses) return reply.send(body);
  const gzip = createGzip({ level: 1, chunkSize: 64 * 1024 });
  body.once('error', (error) => gzip.destroy(error));
  gzip.once('close', () => body.destroy());
  return reply.send(body.pipe(gzip));
}

async function* chunks(
  first: Uint8Array[],
  rest: AsyncGenerator<Uint8Array, void, void>,
): AsyncGenerator<Uint8Array, void, void> {
  try {
    // Not kept until the last piece is taken.
    yield Buffer.concat(first.splice(0));
    yield* rest;
  } finally {
    await rest.return();
  }
}
