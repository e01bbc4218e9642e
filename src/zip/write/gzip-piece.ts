import { promisify } from 'node:util';
import { crc32, inflateRaw } from 'node:zlib';
import { deflateText } from './deflater.ts';

const inflateRawAsync = promisify(inflateRaw);

/**
 * A text that is compressed once and can then stand, also several times, in any gzip stream: it refers to nothing before
 * it and ends on a byte boundary.
 */
export interface GzipPiece {
  /** Bytes of the text. */
  readonly size: number;
  /** CRC-32 of the text. */
  readonly crc32: number;
  /** Raw deflate (RFC 1951) without a last block. */
  readonly deflated: Uint8Array;
}

/** Longest text of a stored block (RFC 1951, section 3.2.4). */
const MAX_STORED = 0xffff;
/** An empty last block: ends a stream of pieces. */
const END = Uint8Array.of(0x03, 0x00);
/** No name, no time, unknown system (RFC 1952, section 2.3). */
const HEADER = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255);

/** Compresses a text, off the main thread. `level` is zlib's, 1 to 9. */
export async function gzipPiece(text: Uint8Array, level: number): Promise<GzipPiece> {
  return { size: text.length, crc32: crc32(text), deflated: await deflateText(text, level) };
}

/** The same without compression, for a text so short that compressing it takes longer. Throws a RangeError above 65,535 bytes. */
export function storedPiece(text: Uint8Array): GzipPiece {
  const { length } = text;
  if (length > MAX_STORED) throw new RangeError(`${length} bytes do not fit into one stored block of 65535.`);
  const deflated = new Uint8Array(5 + length);
  const view = new DataView(deflated.buffer);
  view.setUint16(1, length, true);
  view.setUint16(3, ~length & 0xffff, true);
  deflated.set(text, 5);
  return { size: length, crc32: crc32(text), deflated };
}

/** One gzip stream (RFC 1952) of all pieces, in their order. */
export function joinPieces(pieces: readonly GzipPiece[]): Buffer {
  let size = 0;
  let crc = 0;
  const parts: Uint8Array[] = [HEADER];
  for (const piece of pieces) {
    crc = joinedCrc32(crc, piece.crc32, piece.size);
    size += piece.size;
    parts.push(piece.deflated);
  }
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(crc, 0);
  trailer.writeUInt32LE(size % 2 ** 32, 4);
  parts.push(END, trailer);
  return Buffer.concat(parts);
}

/** The text of a piece. */
export function inflatePiece({ deflated }: GzipPiece): Promise<Buffer> {
  return inflateRawAsync(Buffer.concat([deflated, END]));
}

/** The reflected polynomial of CRC-32 (ISO 3309; RFC 1952, section 8). */
const POLYNOMIAL = 0xedb88320;
/** The polynomial 1: the highest bit stands for the lowest power. */
const ONE = 0x80000000;

/** CRC-32 of two texts one after the other, from the CRC-32 of each and the length of the second, below 2³² bytes. */
export function joinedCrc32(first: number, second: number, secondSize: number): number {
  // The register after n more zero bytes is the register times x^(8n), and the second text is added to that.
  let power = ONE;
  let square = SQUARES[3]!;
  for (let n = secondSize, i = 3; n > 0; n = Math.floor(n / 2)) {
    if (n % 2 === 1) power = multiply(power, square);
    square = SQUARES[++i % 32]!;
  }
  return (multiply(power, first) ^ second) >>> 0;
}

/** Product of two polynomials over GF(2), modulo the one of CRC-32, bits reflected. */
function multiply(a: number, b: number): number {
  let product = 0;
  let shifted = b;
  for (let bit = ONE; bit !== 0; bit >>>= 1) {
    if ((a & bit) !== 0) product ^= shifted;
    shifted = (shifted & 1) === 1 ? (shifted >>> 1) ^ POLYNOMIAL : shifted >>> 1;
  }
  return product >>> 0;
}

/** x^(2^i) for i from 0; as the order of x divides 2³² − 1, number 32 is number 0 again. */
const SQUARES: readonly number[] = (() => {
  const squares = [ONE >>> 1];
  for (let i = 1; i < 32; i++) squares.push(multiply(squares[i - 1]!, squares[i - 1]!));
  return squares;
})();
