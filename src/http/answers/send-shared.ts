/** Answers made of texts that stand in them several times, or in many answers, and are compressed once. */
import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { weakEtag } from '../../base/generated-document.ts';
import { SharedText, type TextPiece } from '../../catalogue/search/shared-text.ts';
import { type GzipPiece, gzipPiece, joinPieces, storedPiece } from '../../zip/write/gzip-piece.ts';
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
    gzip: async () => joinPieces(await gzipPieces(pieces)),
  });
}

/** Long and packed texts apart, everything between them together. */
async function gzipPieces(pieces: readonly TextPiece[]): Promise<GzipPiece[]> {
  const groups: Array<SharedText | Between> = [];
  let size = 0;
  for (const piece of pieces) {
    const short = typeof piece === 'string' ? piece : piece.short;
    if (short === null) {
      groups.push(piece as SharedText);
      continue;
    }
    let last = groups.at(-1);
    if (last === undefined || last instanceof SharedText) {
      last = { texts: [], sizes: [], size: 0 };
      groups.push(last);
    }
    const bytes = Buffer.byteLength(short);
    last.texts.push(short);
    last.sizes.push(bytes);
    last.size += bytes;
    size += bytes;
  }
  const room =
    (size <= ROOM_BYTES ? rooms.pop() : undefined) ?? Buffer.allocUnsafeSlow(Math.max(size, ROOM_BYTES));
  let at = 0;
  const compressed = groups.map((group) => {
    if (group instanceof SharedText) return group.compressed(levelFor(group.size));
    const text = encode(group, room, at);
    at += group.size;
    if (group.size <= STORED_UP_TO && groups.length > 1) return storedPiece(text);
    return gzipPiece(text, levelFor(group.size));
  });
  try {
    return await Promise.all(compressed);
  } finally {
    // What others still read of it after one has failed is of no use any more.
    if (room.length === ROOM_BYTES && rooms.length < MAX_ROOMS) rooms.push(room);
  }
}

/** Texts between two that are compressed apart. */
interface Between {
  texts: string[];
  /** Bytes of each, and of all. */
  sizes: number[];
  size: number;
}

/**
 * Room for the texts of an answer, used again. Memory outside the heap that has been kept a while is freed by collections
 * of the whole heap alone: when each answer left some, these came every second, and one of a hundred answers met one.
 */
const ROOM_BYTES = 512 * 1024;
/** Rooms that are kept for the next answers. */
const MAX_ROOMS = 8;
const rooms: Buffer[] = [];

/** Writes texts one after the other in UTF-8; as one string, all would be as slow to encode as those with Japanese in them. */
function encode({ texts, sizes, size }: Between, room: Buffer, from: number): Buffer {
  let at = from;
  for (const [i, text] of texts.entries()) {
    room.write(text, at);
    at += sizes[i]!;
  }
  return room.subarray(from, from + size);
}
