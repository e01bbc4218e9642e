/** Answers made of texts that stand in them several times, or in many answers, and are compressed once. */
import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { weakEtag } from '../catalogue/catalogue-document.ts';
import type { TextPiece } from '../catalogue/shared-text.ts';
import { type GzipPiece, gzipPiece, joinPieces, storedPiece } from '../zip/gzip-piece.ts';
import { levelFor, sendComputed } from './send.ts';

/** Up to this size, text between two that are compressed apart is sent as it is. */
const STORED_UP_TO = 4 * 1024;

/** Answers with a text in pieces that was computed for this request, whose content type is set. */
export function sendShared(
  request: FastifyRequest,
  reply: FastifyReply,
  pieces: readonly TextPiece[],
): Promise<FastifyReply> {
  const digest = createHash('sha256');
  let size = 0;
  for (const piece of pieces) {
    digest.update(typeof piece === 'string' ? piece : piece.digest);
    size += typeof piece === 'string' ? Buffer.byteLength(piece) : piece.size;
  }
  return sendComputed(request, reply, {
    etag: weakEtag(digest.digest('base64url')),
    size,
    plain: async () => {
      const bytes = pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece.bytes()));
      return Buffer.concat(await Promise.all(bytes));
    },
    gzip: async () => joinPieces(await Promise.all(gzipPieces(pieces))),
  });
}

/** Long and packed texts apart, everything between them together. */
function gzipPieces(pieces: readonly TextPiece[]): Array<GzipPiece | Promise<GzipPiece>> {
  const compressed: Array<GzipPiece | Promise<GzipPiece>> = [];
  let between: string[] = [];
  const flush = (isAll: boolean) => {
    if (between.length > 0) compressed.push(together(between, isAll));
    between = [];
  };
  for (const piece of pieces) {
    const short = typeof piece === 'string' ? piece : piece.short;
    if (short !== null) {
      between.push(short);
    } else if (typeof piece !== 'string') {
      flush(false);
      compressed.push(piece.compressed(levelFor(piece.size)));
    }
  }
  flush(compressed.length === 0);
  return compressed;
}

/** Bytes of text that is compressed in memory which is used again: outside the heap, collecting it takes all the rest along. */
const ROOM_BYTES = 512 * 1024;
/** Rooms that are kept for the next. */
const MAX_ROOMS = 4;
const rooms: Buffer[] = [];

/** Texts as one piece, compressed unless they are short and lie between others. */
function together(texts: readonly string[], isAll: boolean): GzipPiece | Promise<GzipPiece> {
  const sizes = texts.map((text) => Buffer.byteLength(text));
  const size = sizes.reduce((sum, each) => sum + each, 0);
  if (size <= STORED_UP_TO && !isAll) return storedPiece(encode(texts, sizes, Buffer.alloc(size)));
  if (size > ROOM_BYTES) return gzipPiece(encode(texts, sizes, Buffer.allocUnsafeSlow(size)), levelFor(size));
  const room = rooms.pop() ?? Buffer.allocUnsafeSlow(ROOM_BYTES);
  return gzipPiece(encode(texts, sizes, room).subarray(0, size), levelFor(size)).finally(() => {
    if (rooms.length < MAX_ROOMS) rooms.push(room);
  });
}

/** Writes texts one after the other in UTF-8; as one string, all would be as slow to encode as those with Japanese in them. */
function encode(texts: readonly string[], sizes: readonly number[], room: Buffer): Buffer {
  let at = 0;
  for (const [i, text] of texts.entries()) {
    room.write(text, at);
    at += sizes[i]!;
  }
  return room;
}
