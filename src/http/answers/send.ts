/** Sending bodies: encoding by what the caller accepts, conditional requests, ranges. */
import { hash } from 'node:crypto';
import type { OutgoingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import parseRange from 'range-parser';
import { ServiceError } from '../../base/errors.ts';
import { type GeneratedDocument, weakEtag } from '../../base/generated-document.ts';

const gzipAsync = promisify(gzip);

/** Answers up to this size are read whole and sent at once: a stream costs more than it saves. */
const GATHER_BYTES = 256 * 1_024;
/** Below this size a compressed body costs more than it saves. */
const COMPRESS_FROM = 1_024;

/** True when the caller takes gzip at least as gladly as the plain bytes (RFC 9110, section 12.5.3). */
export function acceptsGzip(request: FastifyRequest): boolean {
  const accept = request.headers['accept-encoding'];
  if (accept === undefined) return false;
  if (accept === 'gzip' || accept === 'gzip, deflate, br' || accept === 'gzip, deflate') return true;
  return new Negotiator(request.raw).encodings(['gzip', 'identity'])[0] === 'gzip';
}

/** Weak comparison of `If-None-Match` with an entity tag (RFC 9110, section 13.1.2). */
export function matchesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header === etag) return true;
  if (header.trim() === '*') return true;
  const bare = etag.replace(/^W\//, '');
  return header.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === bare);
}

/** Generated documents may be kept, but are asked for again each time (interface decisions, section 1). */
export const GENERATED_CACHE = 'no-cache, must-revalidate';

/** Answers with a generated JSON document: 304 when the caller has it, gzip when it is taken. */
export function sendGenerated(
  request: FastifyRequest,
  reply: FastifyReply,
  document: GeneratedDocument,
): FastifyReply | Promise<FastifyReply> {
  reply.header('etag', document.etag);
  reply.header('cache-control', GENERATED_CACHE);
  reply.header('vary', 'accept-encoding');
  if (matchesEtag(request.headers['if-none-match'], document.etag)) return reply.code(304).send();
  reply.header('content-type', 'application/json; charset=utf-8');
  if (document.body.length >= COMPRESS_FROM && acceptsGzip(request)) {
    reply.header('content-encoding', 'gzip');
    return document.gzip().then((body) => reply.send(body));
  }
  return reply.send(document.body);
}

/** From this size on a higher level than 1 would take longer than sending what it saves. */
const FAST_FROM = 512 * 1_024;

/** zlib level for a body of so many bytes that is compressed for one answer. */
function levelFor(size: number): number {
  return size >= FAST_FROM ? 1 : 4;
}

/** Answers with a JSON value computed for this request. */
export async function sendJson(
  request: FastifyRequest,
  reply: FastifyReply,
  value: unknown,
): Promise<FastifyReply> {
  reply.header('content-type', 'application/json; charset=utf-8');
  return sendText(request, reply, JSON.stringify(value));
}

/** Answers with a text computed for this request, whose content type is set. */
export async function sendText(
  request: FastifyRequest,
  reply: FastifyReply,
  text: string,
): Promise<FastifyReply> {
  return sendComputedBytes(request, reply, Buffer.from(text));
}

/** Answers with bytes computed for this request, whose content type is set. */
export async function sendComputedBytes(
  request: FastifyRequest,
  reply: FastifyReply,
  body: Buffer,
): Promise<FastifyReply> {
  return sendComputed(request, reply, {
    etag: weakEtag(hash('sha256', body, 'base64url')),
    size: body.length,
    plain: async () => body,
    gzip: () => gzipAsync(body, { level: levelFor(body.length) }),
  });
}

/** A document computed for one request, in the encodings that it can be sent in. */
export interface ComputedDocument {
  etag: string;
  /** Bytes of the plain document. */
  size: number;
  /** The document, or a stream of it whose length is in the headers. */
  plain(): Promise<Buffer | Readable>;
  gzip(): Promise<Buffer>;
}

/** Answers with a document computed for this request, whose content type is set. */
export async function sendComputed(
  request: FastifyRequest,
  reply: FastifyReply,
  { etag, size, plain, gzip }: ComputedDocument,
): Promise<FastifyReply> {
  reply.header('vary', 'accept-encoding');
  reply.header('cache-control', GENERATED_CACHE);
  reply.header('etag', etag);
  if (matchesEtag(request.headers['if-none-match'], etag)) {
    return reply.removeHeader('content-type').code(304).send();
  }
  if (size < COMPRESS_FROM || !acceptsGzip(request)) return reply.send(await plain());
  reply.header('content-encoding', 'gzip');
  return reply.send(await gzip());
}

/** Redirects with 302 to an absolute URL; the entity tag is that of the target (interface decisions, section 1). */
export function sendRedirect(
  request: FastifyRequest,
  reply: FastifyReply,
  { location, etag }: { location: string; etag: string },
): FastifyReply {
  reply.header('etag', etag);
  reply.header('cache-control', GENERATED_CACHE);
  if (matchesEtag(request.headers['if-none-match'], etag)) return reply.code(304).send();
  return reply.code(302).header('location', location).send();
}

/** Bytes of known length that can be read by range. */
export interface Bytes {
  size: number;
  /** Strong entity tag, quoted. */
  etag: string;
  contentType: string;
  contentEncoding?: 'gzip';
  lastModified: Date;
  cacheControl: string;
  /** Bytes `[start, end)`. */
  range(start: number, end: number): AsyncIterable<Uint8Array>;
  /** True when the memory of a chunk is used again once the next one is asked for. */
  isReused?: boolean;
  /** `Content-Disposition`, where the file should be saved under a name. */
  disposition?: string;
}

/**
 * Answers GET and HEAD with `200`, `206`, `304`, `412` or `416` (RFC 9110, sections 13 and 14). Several ranges in one
 * request are answered with the whole, which the standard allows.
 */
export function sendBytes(
  request: FastifyRequest,
  reply: FastifyReply,
  bytes: Bytes,
): FastifyReply | Promise<FastifyReply> {
  const headers = request.headers;
  reply.header('etag', bytes.etag);
  reply.header('last-modified', bytes.lastModified.toUTCString());
  reply.header('cache-control', bytes.cacheControl);
  reply.header('accept-ranges', 'bytes');
  reply.header('vary', 'accept-encoding');
  if (headers['if-match'] !== undefined) {
    if (!strongMatch(headers['if-match'], bytes.etag)) throw otherBytes('If-Match');
  } else if (modifiedSince(headers['if-unmodified-since'], bytes.lastModified)) {
    throw otherBytes('If-Unmodified-Since');
  }
  if (headers['if-none-match'] !== undefined) {
    if (matchesEtag(headers['if-none-match'], bytes.etag)) return reply.code(304).send();
  } else if (notModifiedSince(headers['if-modified-since'], bytes.lastModified)) {
    return reply.code(304).send();
  }
  let start = 0;
  let end = bytes.size;
  let partial = false;
  const wanted = headers.range ?? '';
  if (/^bytes=/i.test(wanted) && rangeApplies(headers['if-range']?.toString(), bytes)) {
    const ranges = parseRange(bytes.size, withinSize(wanted, bytes.size));
    if (ranges === -1) {
      reply.header('content-range', `bytes */${bytes.size}`);
      throw new ServiceError(416, 'range not satisfiable', {
        reason: `The range ${wanted} lies outside the ${bytes.size} bytes that there are.`,
      });
    }
    if (ranges !== -2 && ranges.length === 1) {
      start = ranges[0]!.start;
      end = ranges[0]!.end + 1;
      partial = true;
    }
  }
  reply.header('content-type', bytes.contentType);
  if (bytes.contentEncoding !== undefined) reply.header('content-encoding', bytes.contentEncoding);
  if (bytes.disposition !== undefined) reply.header('content-disposition', bytes.disposition);
  reply.header('content-length', end - start);
  if (partial) reply.code(206).header('content-range', `bytes ${start}-${end - 1}/${bytes.size}`);
  // An empty stream: without one the framework would set the length of the body that HEAD does not have, 0.
  if (request.method === 'HEAD') return reply.send(Readable.from([], { objectMode: false }));
  if (bytes.isReused === true) return sendReused(request, reply, bytes.range(start, end));
  if (end - start <= GATHER_BYTES) return gather(bytes.range(start, end)).then((body) => reply.send(body));
  return reply.send(Readable.from(bytes.range(start, end), { objectMode: false, highWaterMark: 512 * 1024 }));
}

async function gather(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
}

/** Writes the answer to the socket chunk by chunk, each when the system has taken the one before. */
async function sendReused(
  request: FastifyRequest,
  reply: FastifyReply,
  chunks: AsyncIterable<Uint8Array>,
): Promise<FastifyReply> {
  const iterator = chunks[Symbol.asyncIterator]();
  // Before the head: what cannot be read at all is answered with an error, not by hanging up.
  const first = await iterator.next();
  reply.hijack();
  const { raw } = reply;
  raw.writeHead(reply.statusCode, reply.getHeaders() as OutgoingHttpHeaders);
  let onClose = () => {};
  raw.once('close', () => onClose());
  const write = (bytes: Uint8Array) =>
    new Promise<void>((resolve, reject) => {
      onClose = () => reject(new Error('the caller went away'));
      if (raw.destroyed) onClose();
      else raw.write(bytes, (error) => (error ? reject(error) : resolve()));
    });
  const writeAll = async () => {
    try {
      for (let next = first; !next.done; next = await iterator.next()) await write(next.value);
    } finally {
      await iterator.return?.();
    }
  };
  writeAll().then(
    () => raw.end(),
    (error: unknown) => {
      // Half an answer cannot be taken back; a connection that breaks off tells the caller so.
      if (!raw.destroyed) request.log.error({ err: error, url: request.url }, 'an answer broke off');
      raw.destroy();
    },
  );
  return reply;
}

/** The parser takes a suffix longer than the bytes for one outside them; it means all of them (RFC 9110, section 14.1.2). */
function withinSize(range: string, size: number): string {
  return range.replace(/([=,]\s*)-(\d+)/g, (_, before, last) => `${before}-${Math.min(Number(last), size)}`);
}

function otherBytes(header: string): ServiceError {
  return new ServiceError(412, 'precondition failed', {
    reason: `The bytes are not those that ${header} names.`,
  });
}

function strongMatch(header: string, etag: string): boolean {
  return header.trim() === '*' || header.split(',').some((candidate) => candidate.trim() === etag);
}

/** False for a date that is none, which counts as not sent (RFC 9110, sections 13.1.3 and 13.1.4). */
function notModifiedSince(header: string | undefined, modified: Date): boolean {
  return Math.floor(modified.getTime() / 1000) * 1000 <= Date.parse(header ?? '');
}

function modifiedSince(header: string | undefined, modified: Date): boolean {
  return Math.floor(modified.getTime() / 1000) * 1000 > Date.parse(header ?? '');
}

/** `If-Range` holds an entity tag or a date; anything but an exact match asks for the whole (RFC 9110, section 13.1.5). */
function rangeApplies(header: string | undefined, bytes: Bytes): boolean {
  if (header === undefined) return true;
  if (header.startsWith('"')) return header.trim() === bytes.etag;
  return header === bytes.lastModified.toUTCString();
}
