import { hash } from 'node:crypto';
import { type GzipPiece, gzipPiece, inflatePiece } from '../../zip/write/gzip-piece.ts';

/** A piece of an answer: text of this answer alone, or text that stands in it, or in others, several times. */
export type TextPiece = string | SharedText;

/** Below this size a text is not worth being compressed apart from its surroundings. */
const SHORT_BELOW = 16 * 1024;

/** A text that is compressed at most once, however often it is sent. */
export class SharedText {
  /** Bytes in UTF-8. */
  readonly size: number;
  /** SHA-256, base64url. */
  readonly digest: string;
  /** A short text is kept as it is: memory outside the heap would be collected seldom, and then with all the rest. */
  #plain: string | Buffer | null;
  #piece: Promise<GzipPiece> | null = null;

  constructor(text: string) {
    this.size = Buffer.byteLength(text);
    this.#plain = this.size < SHORT_BELOW ? text : Buffer.from(text);
    this.digest = hash('sha256', this.#plain, 'base64url');
  }

  /** The text where it is short and was not packed; it is best compressed together with what surrounds it. */
  get short(): string | null {
    return typeof this.#plain === 'string' ? this.#plain : null;
  }

  /** The text as UTF-8. */
  async bytes(): Promise<Buffer> {
    return this.#plain === null ? inflatePiece(await this.#piece!) : Buffer.from(this.#plain);
  }

  /** The text as a piece of a gzip stream, of zlib's `level` when it is made now. */
  compressed(level: number): Promise<GzipPiece> {
    this.#piece ??= gzipPiece(
      typeof this.#plain === 'string' ? Buffer.from(this.#plain) : this.#plain!,
      level,
    );
    return this.#piece;
  }

  /** Compresses the text and keeps nothing else of it. Gives the bytes that it takes then. */
  async pack(level: number): Promise<number> {
    const { deflated } = await this.compressed(level);
    this.#plain = null;
    return deflated.length;
  }
}
