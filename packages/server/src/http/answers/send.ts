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
import { type ReadyDocument, weakEtag } from '../../base/generated-document.ts';
import { loggedUrl } from '../observe/logged-url.ts';
import { hasKeys, keyCatalogue } from './cache-keys.ts';
import { isUnchanged } from './conditional.ts';

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

/** What tells of this moment, such as the state of a pack, is asked for again each time. */
export const ASKED_AGAIN = 'no-cache, must-revalidate';
/**
 * Documents of the catalogue (interface decisions, section 1). Callers ask for them again each time. Caches that
 * callers share keep them for a second, and answer for ten more while they ask for the next one (RFC 9111, section
 * 5.2.2.10; RFC 5861): so nobody waits, and servers get few requests. Both together stay far below the minute in which
 * a removal has to be seen.
 */
export const DOCUMENT_CACHE = 'public, max-age=0, s-maxage=1, stale-while-revalidate=10';

/** Answers with a generated JSON document: 304 when the caller has it, gzip when it is taken. */
export function sendGenerated(
  request: FastifyRequest,
  reply: FastifyReply,
  document: ReadyDocument,
): FastifyReply | Promise<FastifyReply> {
  mayBeKept(reply);
  reply.header('vary', 'accept-encoding');
  if (isUnchanged(request, reply, document)) return sendUnchanged(request, reply);
  keyUnlessKeyed(reply);
  reply.header('content-type', 'application/json; charset=utf-8');
  return sendReady(request, reply, document);
}

/** A document whose handler says nothing else may be kept as long as DOCUMENT_CACHE says. */
export function mayBeKept(reply: FastifyReply): void {
  if (!reply.hasHeader('cache-control')) reply.header('cache-control', DOCUMENT_CACHE);
}

/**
 * Any package may change a document whose handler says nothing else. A 304 needs no keys: a cache goes on with those
 * that it has (RFC 9111, section 4.3.4), and which these are, the address says.
 */
export function keyUnlessKeyed(reply: FastifyReply): void {
  if (!hasKeys(reply)) keyCatalogue(reply);
}

/** Sends a document whose headers are set, as gzip where it is taken and pays. */
export function sendReady(
  request: FastifyRequest,
  reply: FastifyReply,
  document: ReadyDocument,
): FastifyReply | Promise<FastifyReply> {
  if (document.size >= COMPRESS_FROM && acceptsGzip(request)) {
    if (document.packing === undefined) {
      reply.header('content-encoding', 'gzip');
      return document.gzip().then((body) => reply.send(body));
    }
    const packed = request.method === 'HEAD' ? noBody() : document.packing();
    if (packed !== null) return reply.header('content-encoding', 'gzip').send(packed);
  }
  // The text of a long document is put together for those who read it.
  const body = request.method === 'HEAD' ? noBody() : document.plain();
  return reply.header('content-length', document.size).send(body instanceof Buffer ? shortText(body) : body);
}

/** A text up to so many bytes goes to the system with its head. */
const SHORT_TEXT = 8 * 1_024;

/**
 * A short UTF-8 text as a string, which Node.js writes together with the head. Bytes are a second piece, and the
 * system takes a quarter longer for two pieces than for one.
 */
function shortText(body: Buffer): Buffer | string {
  return body.length <= SHORT_TEXT ? body.toString() : body;
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

/** Media types of texts, all of which are UTF-8 here. */
const TEXT_TYPE = /^(text\/|application\/([a-z.-]+\+)?json)/;

/** Answers with bytes computed for this request, whose content type is set. */
export async function sendComputedBytes(
  request: FastifyRequest,
  reply: FastifyReply,
  body: Buffer,
): Promise<FastifyReply> {
  const isText = TEXT_TYPE.test(String(reply.getHeader('content-type')));
  return sendComputed(request, reply, {
    etag: weakEtag(hash('sha256', body, 'base64url')),
    size: body.length,
    plain: () => (isText ? shortText(body) : body),
    gzip: () => gzipAsync(body, { level: levelFor(body.length) }),
  });
}

/** A document computed for one request, in the encodings that it can be sent in. */
export interface ComputedDocument {
  etag: string;
  /** Bytes of the plain document. */
  size: number;
  /** The document, or a stream of it whose length is in the headers. */
  plain(): Buffer | string | Promise<Buffer | Readable>;
  gzip(): Promise<Buffer>;
}

/** Answers with a document computed for this request, whose content type is set. */
export async function sendComputed(
  request: FastifyRequest,
  reply: FastifyReply,
  { etag, size, plain, gzip }: ComputedDocument,
): Promise<FastifyReply> {
  const vary = reply.getHeader('vary');
  reply.header('vary', vary === undefined ? 'accept-encoding' : `${vary}, accept-encoding`);
  mayBeKept(reply);
  if (isUnchanged(request, reply, { etag })) {
    return sendUnchanged(request, reply.removeHeader('content-type'));
  }
  keyUnlessKeyed(reply);
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
  mayBeKept(reply);
  if (isUnchanged(request, reply, { etag })) return sendUnchanged(request, reply);
  keyUnlessKeyed(reply);
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
  /** `Content-Security-Policy`. */
  policy?: string;
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
  const { headers, method } = request;
  reply.header('cache-control', bytes.cacheControl);
  reply.header('accept-ranges', 'bytes');
  reply.header('vary', 'accept-encoding');
  if (bytes.policy !== undefined) reply.header('content-security-policy', bytes.policy);
  if (isUnchanged(request, reply, bytes)) return sendUnchanged(request, reply);
  let start = 0;
  let end = bytes.size;
  let partial = false;
  // A range is for GET alone (RFC 9110, section 14.2).
  const range = method === 'GET' ? (headers.range ?? '') : '';
  if (/^bytes=/i.test(range) && rangeApplies(headers['if-range']?.toString(), bytes)) {
    const ranges = parseRange(bytes.size, withinSize(range, bytes.size));
    if (ranges === -1) {
      reply.header('content-range', `bytes */${bytes.size}`);
      throw new ServiceError(416, 'range not satisfiable', {
        reason: `The range ${range.slice(0, 100)} lies outside the ${bytes.size} bytes that there are.`,
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
  if (method === 'HEAD') return reply.send(noBody());
  const chunks = bytes.range(start, end);
  if (end - start <= GATHER_BYTES) return gather(chunks, bytes).then((body) => reply.send(body));
  if (bytes.isReused === true) return sendReused(request, reply, chunks);
  return reply.send(Readable.from(chunks, { objectMode: false, highWaterMark: 512 * 1024 }));
}

/** Answers with 304, whose headers are set. */
function sendUnchanged(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return reply.code(304).send(request.method === 'HEAD' ? noBody() : undefined);
}

/**
 * The body of an answer to HEAD: an empty stream. Without one the framework would set a length of 0, and caches would
 * throw theirs away (RFC 9110, section 8.6; RFC 9111, section 4.3.5).
 */
export function noBody(): Readable {
  return Readable.from([], { objectMode: false });
}

async function gather(
  chunks: AsyncIterable<Uint8Array>,
  { isReused = false }: Pick<Bytes, 'isReused'>,
): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(isReused ? Buffer.from(chunk) : chunk);
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
  // What hooks do before an answer is sent, they do not for this one.
  if (reply.endsConnection === true) reply.header('connection', 'close');
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
      if (!raw.destroyed)
        request.log.error({ err: error, url: loggedUrl(request.url) }, 'an answer broke off');
      raw.destroy();
    },
  );
  return reply;
}

/**
 * The parser takes a suffix longer than the bytes for one outside them; it means all of them (RFC 9110, section
 * 14.1.2).
 */
function withinSize(range: string, size: number): string {
  return range.replace(/([=,]\s*)-(\d+)/g, (_, before, last) => `${before}-${Math.min(Number(last), size)}`);
}

/**
 * `If-Range` holds an entity tag or a date; anything but an exact match asks for the whole (RFC 9110, section 13.1.5).
 */
function rangeApplies(header: string | undefined, bytes: Bytes): boolean {
  if (header === undefined) return true;
  if (header.startsWith('"')) return header.trim() === bytes.etag;
  return header === bytes.lastModified.toUTCString();
}
