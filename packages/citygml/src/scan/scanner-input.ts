/**
 * Bytes in chunks of any size as a buffer with a place in it: what is unread, in which line, in which encoding. The
 * buffer always ends with `<`, so that no inner loop has to look for the end.
 *
 * A token that the chunk breaks off stays in the buffer until the rest has come. The first fault in well-formedness
 * stops the pass; what came before it counts.
 */
import type { Issue, IssueSink } from '@citymodel/base';
import { detectEncoding, Utf8Check } from './scanner-encoding.ts';
import { countLineFeeds } from './scanner-lines.ts';
import type { ScannerMemory } from './scanner-memory.ts';

/** Chunks are taken in slices of this size. */
const SLICE = 256 * 1024;
/** Bytes of new text below which scanning waits for more, so that tiny chunks cost little. */
const LEAST = 4096;

/** Code of the fault that is no fault in well-formedness. */
export const OVER_BUDGET = 'OVER_BUDGET';

/** The text is not well formed: code, message and place of the first fault. */
export class Fault extends Error {
  readonly code: string;
  /** Index in the work buffer. */
  readonly at: number;
  constructor(code: string, message: string, at: number) {
    super(message);
    this.code = code;
    this.at = at;
  }
}

/** Takes bytes and has the class that extends it read them. Push the bytes of a text in order, then call `endText` once. */
export abstract class ScannerInput {
  private readonly onIssue: IssueSink;
  private readonly member: string;
  /** Bytes pushed so far. */
  size = 0;

  buffer: Buffer;
  /** The same memory, by words. */
  view: DataView;
  private words: Uint32Array;
  /** Unread bytes are `buffer[at, limit)`; `buffer[0]` is byte `base` of the text. */
  at = 0;
  limit = 0;
  base = 0;
  /** Line feeds before `buffer[at]`. */
  private lines = 0;
  /** Index in `buffer` up to which line feeds are in `lines`. */
  private counted = 0;
  private needed = LEAST;
  private readonly utf8 = new Utf8Check();
  encoding = 'utf-8';
  private faultAt = -1;
  private begun = false;
  /** Why reading was broken off although the text may be well formed, a full sentence. */
  overBudget: string | null = null;

  constructor(onIssue: IssueSink, member: string, memory: ScannerMemory) {
    this.onIssue = onIssue;
    this.member = member;
    memory.begin();
    this.buffer = memory.buffer;
    this.view = new DataView(this.buffer.buffer);
    this.words = new Uint32Array(this.buffer.buffer);
  }

  /** Reads what can be read, from `at`, and moves that; `final` where no more bytes come. */
  protected abstract run(final: boolean): void;
  /** Throws the fault of a text that ends here. */
  protected abstract finish(): void;

  /** The next bytes of the text; they are not kept. */
  push(chunk: Uint8Array): void {
    this.size += chunk.length;
    for (let from = 0; from < chunk.length && this.faultAt < 0; from += SLICE) {
      const slice = chunk.subarray(from, from + SLICE);
      this.utf8.push(slice);
      this.take(slice);
      if (this.limit - this.at >= this.needed) this.scan(false);
    }
  }

  /** Ends the text; true when it was well formed. */
  endText(): boolean {
    if (this.faultAt < 0) {
      this.utf8.end();
      this.scan(true);
    }
    const readable = this.checkEncoding();
    return this.faultAt < 0 && readable;
  }

  private take(slice: Uint8Array): void {
    const unread = this.limit - this.at;
    if (unread + slice.length + 8 > this.buffer.length) {
      const larger = Buffer.from(new ArrayBuffer(Math.ceil((unread + slice.length) / 4096) * 8192));
      larger.set(this.buffer.subarray(this.at, this.limit));
      this.buffer = larger;
      this.view = new DataView(larger.buffer);
      this.words = new Uint32Array(larger.buffer);
    } else if (this.at > 0) {
      this.buffer.copyWithin(0, this.at, this.limit);
    }
    this.base += this.at;
    this.at = 0;
    this.buffer.set(slice, unread);
    this.limit = unread + slice.length;
  }

  private scan(final: boolean): void {
    const from = this.at;
    const before = this.lines;
    this.counted = from;
    try {
      if (!this.begun) this.begin(final);
      if (this.begun) this.run(final);
      if (final) this.finish();
      this.lineAt(this.at);
      const unread = this.limit - this.at;
      // Doubling what must come before the next try keeps the cost of long tokens linear.
      this.needed = unread + Math.max(LEAST, unread);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      this.faultAt = this.base + error.at;
      if (error.code === OVER_BUDGET) {
        this.overBudget = error.message;
        return;
      }
      const line = before + countLineFeeds(this.buffer, this.words, from, error.at) + 1;
      this.note(error.code, 'error', error.message, this.faultAt, line);
    }
  }

  /** Offset up to which the text was read. */
  get readTo(): number {
    return this.base + this.at;
  }

  /** 1-based line of an index in `buffer`, not below the last one that was asked for. */
  lineAt(at: number): number {
    this.lines += countLineFeeds(this.buffer, this.words, this.counted, at);
    this.counted = at;
    return this.lines + 1;
  }

  /** Byte order mark, and what can be told from the first bytes. */
  private begin(final: boolean): void {
    if (this.limit < 4 && !final) return;
    const { mark, wide } = detectEncoding(this.buffer.subarray(0, this.limit));
    if (wide !== null) {
      throw new Fault('ENCODING', `The text is in ${wide}; only UTF-8 is read.`, 0);
    }
    this.at = mark;
    this.begun = true;
  }

  fault(message: string, at: number): Fault {
    return new Fault('NOT_WELL_FORMED', message, at);
  }

  note(code: string, severity: Issue['severity'], message: string, byte?: number, line?: number): void {
    this.onIssue({
      code,
      severity,
      message,
      member: this.member,
      ...(byte === undefined ? {} : { byte }),
      ...(line === undefined ? {} : { line }),
    });
  }

  /** Reports a text that is not in UTF-8 up to where it was read; false when it is damaged by that. */
  private checkEncoding(): boolean {
    const invalid = this.utf8.invalidAt;
    if (invalid >= 0 && (this.faultAt < 0 || invalid < this.faultAt)) {
      const declared = this.encoding === 'utf-8' ? '' : ` and declares ${this.encoding}`;
      this.note('ENCODING', 'error', `The text is not UTF-8${declared}; only UTF-8 is read.`, invalid);
      return false;
    }
    if (this.encoding !== 'utf-8' && this.encoding !== 'us-ascii') {
      this.note('ENCODING', 'warning', `The text declares ${this.encoding}, but is UTF-8 and read so.`, 0);
    }
    return true;
  }

  controlCharacter(at: number): Fault {
    const code = this.buffer[at]!.toString(16).toUpperCase().padStart(4, '0');
    return this.fault(`There is the control character U+${code}, which XML does not have.`, at);
  }
}
