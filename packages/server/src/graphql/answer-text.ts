/**
 * The text of an answer while it is written. A short one stays as it is. Of a long one, all but the first pieces is
 * compressed at once: never more than some 100 KiB are in memory as text.
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { constants, createGzip, type Gzip } from 'node:zlib';
import {
  CompressedDocument,
  GeneratedDocument,
  type ReadyDocument,
  weakEtag,
} from '../base/generated-document.ts';

/** UTF-16 code units that are gathered before they are compressed. */
const PIECE = 64 * 1_024;

export class AnswerText {
  #text = '';
  /** Code units that have been compressed. */
  #sent = 0;
  #bytes = 0;
  #packer: Gzip | null = null;
  readonly #hash = createHash('sha256');
  readonly #packed: Buffer[] = [];

  add(text: string): void {
    this.#text += text;
  }

  /** Place of what comes next, for `cut`. */
  get position(): number {
    return this.#sent + this.#text.length;
  }

  /** Takes back what was added after a position; false when some of it is compressed already. */
  cut(position: number): boolean {
    if (position < this.#sent) return false;
    this.#text = this.#text.slice(0, position - this.#sent);
    return true;
  }

  /** True when `pack` should be called soon. */
  get isFull(): boolean {
    return this.#text.length >= PIECE;
  }

  /** Compresses what is there; returns its bytes. */
  async pack(): Promise<number> {
    if (this.#packer === null) {
      this.#packer = createGzip({ level: constants.Z_BEST_SPEED });
      this.#packer.on('data', (chunk: Buffer) => this.#packed.push(chunk));
    }
    const piece = Buffer.from(this.#text);
    this.#sent += this.#text.length;
    this.#bytes += piece.length;
    this.#text = '';
    this.#hash.update(piece);
    if (!this.#packer.write(piece)) await once(this.#packer, 'drain');
    return piece.length;
  }

  /** The whole text. */
  async finish(): Promise<ReadyDocument> {
    if (this.#packer === null) return new GeneratedDocument(Buffer.from(this.#text));
    await this.pack();
    this.#packer.end();
    await once(this.#packer, 'end');
    const etag = weakEtag(this.#hash.digest('base64url'));
    return new CompressedDocument(Buffer.concat(this.#packed), this.#bytes, etag);
  }

  /** Frees the compressor of a text that nobody wants. */
  drop(): void {
    this.#packer?.destroy();
  }
}
