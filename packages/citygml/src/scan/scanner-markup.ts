/**
 * XML markup from bytes in chunks of any size: tags, attributes and namespaces, checked for well-formedness.
 * What they mean is for the class that extends this one.
 *
 *                   ┌──────────── text ────────────┐
 *                   │ outside  blanks only          │ <      ┌─ </name>      closed
 *      bytes ─────▶ │ skipped  nobody needs it      │ ─────▶ ├─ <name …>     opened (attributes, namespaces)
 *                   │ numbers  coordinates          │        ├─ <name …/>    opened, closed
 *                   │ captured a name, a code, …    │        ├─ <!-- <![CDATA[ <?   until --> ]]> ?>
 *                   └──────────────▲────────────────┘        └─ <!DOCTYPE    refused when it declares anything
 *                                  └──────────────────────────────────┘
 *
 * A token that the chunk breaks off stays in the work buffer until the rest has come. The buffer always ends
 * with `<`, so that no inner loop has to look for the end. The first fault in well-formedness stops the pass;
 * what came before it counts.
 *
 * A SAX parser hands over strings, and hundreds of bytes in a thousand are coordinates and indents that nobody
 * wants as such: that costs two thirds of the time. Here a tag is one comparison with the tag that followed the
 * same one last time. The state machine is in one place because its states share the buffer and the place in it;
 * that makes the file longer than most.
 */
import type { Issue, IssueSink } from '@citymodel/base';
import { declarationFault } from '../xml/namespaces.ts';
import { declaredEncoding, detectEncoding, isXmlDeclaration, Utf8Check } from './scanner-encoding.ts';
import { countLineFeeds } from './scanner-lines.ts';
import { MAX_ATTRIBUTES, MAX_NAMES, type ScannerMemory } from './scanner-memory.ts';
import {
  type AttributeName,
  AttributeRole,
  type ElementName,
  HASH_FACTOR,
  isQualifiedName,
  type NamespaceContext,
  type NameTable,
} from './scanner-names.ts';
import {
  decodeText,
  ENDS_NAME,
  IS_CONTROL,
  IS_NAME,
  IS_NAME_START,
  IS_SPACE,
  IS_TEXT_SPECIAL,
  IS_VALUE_SPECIAL,
  referencedText,
} from './scanner-text.ts';
import { Token } from './scanner-token.ts';

export const LESS_THAN = 0x3c;
const LT = LESS_THAN;
const GT = 0x3e;
const SLASH = 0x2f;
const AMP = 0x26;
const QUOTE = 0x22;
const RIGHT_BRACKET = 0x5d;
const QUESTION_MARK = 0x3f;
const LINE_FEED = 0x0a;
const EQUALS_QUOTE = Buffer.from('="');

/** Chunks are taken in slices of this size. */
const SLICE = 256 * 1024;
/** A tag may not be longer. */
const MAX_TAG = 1024 * 1024;
/** Text that is captured may not be longer; it is skipped then. */
export const MAX_CAPTURED = 8 * 1024;
const MAX_DEPTH = 1000;
/** Namespace declarations from the root to one element; real files have some thirty. */
const MAX_IN_SCOPE = 10_000;
/** Bytes of new text below which scanning waits for more, so that tiny chunks cost little. */
const LEAST = 4096;

/** What is done with the text that comes next. */
export const Text = { outside: 0, skipped: 1, numbers: 2, captured: 3 } as const;

/** Indents, as words of eight and four bytes. */
const TABS = wordsOf('\t');
const BLANKS = wordsOf(' ');

function wordsOf(character: string): { eight: number; four: number } {
  const bytes = Buffer.alloc(8, character);
  return { eight: bytes.readDoubleLE(0), four: bytes.readInt32LE(0) };
}

/** References that need no looking up. */
const USUAL_REFERENCES = ['&amp;', '&lt;', '&gt;', '&quot;', '&apos;'].map(
  (text) => new Token(Buffer.from(text)),
);

/** Markup whose end a chunk may break off anywhere: what ends it. */
const COMMENT_END = Buffer.from('--');
const CDATA_END = Buffer.from(']]>');
const PI_END = Buffer.from('?>');

/** Code of the fault that is no fault in well-formedness. */
const OVER_BUDGET = 'OVER_BUDGET';

/** The text is not well formed: code, message and place of the first fault. */
class Fault extends Error {
  readonly code: string;
  /** Index in the work buffer. */
  readonly at: number;
  constructor(code: string, message: string, at: number) {
    super(message);
    this.code = code;
    this.at = at;
  }
}

/** Reads markup. Push the bytes of a text in order, then call `endText` once. No bytes make it throw. */
export abstract class MarkupReader {
  private readonly onIssue: IssueSink;
  private readonly member: string;
  /** Bytes pushed so far. */
  protected size = 0;

  protected buffer: Buffer;
  /** The same memory, by words. */
  protected view: DataView;
  private words: Uint32Array;
  /** Unread bytes are `buffer[at, limit)`; `buffer[0]` is byte `base` of the text. */
  private at = 0;
  protected limit = 0;
  protected base = 0;
  /** Line feeds before `buffer[at]`. */
  private lines = 0;
  /** Index in `buffer` up to which line feeds are in `lines`. */
  private counted = 0;
  private needed = LEAST;
  private readonly utf8 = new Utf8Check();
  private encoding = 'utf-8';
  private faultAt = -1;
  private begun = false;
  /** Why reading was broken off although the text may be well formed, a full sentence. */
  overBudget: string | null = null;
  /** Names that may be known before this text brings too many. */
  private readonly nameLimit: number;

  protected textMode: number = Text.outside;
  /** What ends the comment, CDATA section or instruction that is open. */
  private until: Buffer | null = null;

  protected context: NamespaceContext;
  /** The tag before this one, which foretells this one. */
  private previous: ElementName;
  private afterEnd = false;
  /** Elements that are open, the root first. */
  protected readonly open: ElementName[] = [];
  private rootSeen = false;
  private markupSeen = false;

  private readonly attributeTable: NameTable<AttributeName>;
  /** Attributes of the start tag that is being read; their values are `buffer[valueStarts[k], valueEnds[k])`. */
  protected readonly attributes: AttributeName[] = [];
  protected readonly valueStarts: Int32Array;
  protected readonly valueEnds: Int32Array;
  protected attributeCount = 0;

  constructor(onIssue: IssueSink, member: string, memory: ScannerMemory) {
    this.onIssue = onIssue;
    this.member = member;
    memory.begin();
    this.buffer = memory.buffer;
    this.view = new DataView(this.buffer.buffer);
    this.words = new Uint32Array(this.buffer.buffer);
    this.context = memory.context;
    this.previous = this.context.anchor;
    this.attributeTable = memory.attributes;
    this.nameLimit = this.context.tally.names + this.attributeTable.size + MAX_NAMES;
    this.valueStarts = memory.valueStarts;
    this.valueEnds = memory.valueEnds;
  }

  /**
   * An element begins: its tag is `buffer[at, after)`, its attributes are in the lists, it is the last of `open`.
   * `outer` is the namespace context around it.
   */
  protected abstract opened(name: ElementName, at: number, end: number, outer: NamespaceContext): void;
  /** An element ends: its end tag is `buffer[at, after)`; it is still the last of `open`. */
  protected abstract closed(name: ElementName, at: number, end: number): void;
  /** A namespace is declared. */
  protected abstract declared(uri: string): void;
  /** Reads numbers from `at`; the index of the next `<`, or where to go on when more bytes have come. */
  protected abstract readNumbers(at: number): number;
  /** Text in mode `captured`: `buffer[from, to)`, with references still in it unless it is from a CDATA section. */
  protected abstract capture(from: number, to: number, raw: boolean): void;
  /** A CDATA section in text of mode `numbers`. */
  protected abstract noNumbers(): void;

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
  protected endText(): boolean {
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
  protected lineAt(at: number): number {
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

  private finish(): void {
    const at = this.limit;
    if (this.until !== null) throw this.fault(`The text ends before ${this.until.toString()}.`, at);
    if (this.open.length > 0) {
      const name = decodeText(Buffer.from(this.open.at(-1)!.bytes), 0, 200);
      throw this.fault(`The text ends, but <${name}> is not closed.`, at);
    }
    if (this.at < this.limit) throw this.fault('The text ends inside a tag.', this.at);
    if (!this.rootSeen) {
      throw !this.markupSeen
        ? new Fault('EMPTY_FILE', 'The file is empty, expected a CityGML document.', at)
        : new Fault('NOT_XML', 'The file has no root element, expected a CityGML document.', at);
    }
  }

  protected fault(message: string, at: number): Fault {
    return new Fault('NOT_WELL_FORMED', message, at);
  }

  protected note(
    code: string,
    severity: Issue['severity'],
    message: string,
    byte?: number,
    line?: number,
  ): void {
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

  // ---- the loop

  private run(final: boolean): void {
    const buffer = this.buffer;
    const end = this.limit;
    buffer[end] = LT;
    let i = this.at;
    for (;;) {
      if (this.until !== null) {
        i = this.pass(i, final);
        if (this.until !== null) break;
      }
      const mode = this.textMode;
      if (mode === Text.numbers) {
        i = this.readNumbers(i);
        if (this.textMode !== mode) continue;
        if (i >= end || buffer[i] !== LT) break;
      } else {
        const start = i;
        if (buffer[i] === LINE_FEED) i = this.passIndent(i + 1);
        let c = buffer[i]!;
        let broken = false;
        if (mode === Text.outside) {
          while (IS_SPACE[c] === 1) c = buffer[++i]!;
          if (c !== LT) throw this.outside(i);
        }
        while (c !== LT) {
          if (IS_TEXT_SPECIAL[c] === 1) {
            const after = this.passSpecial(i, final);
            broken = after < 0;
            if (broken) break;
            i = after - 1;
          }
          c = buffer[++i]!;
        }
        if (mode === Text.captured) {
          if (i >= end || broken) {
            if (!final && i - start < MAX_CAPTURED) {
              i = start;
              break;
            }
            this.textMode = Text.skipped;
          } else if (i > start) {
            this.capture(start, i, false);
          }
        }
        if (i >= end || broken) break;
      }
      const next = this.markup(i, final);
      if (next < 0) break;
      i = next;
    }
    this.at = Math.min(i, end);
    if (end - this.at > MAX_TAG) {
      throw this.fault(`A tag is longer than ${MAX_TAG} bytes.`, this.at);
    }
  }

  /** Passes as many blanks or tabs as can be passed several at a time: most lines begin with some. */
  private passIndent(at: number): number {
    const { view } = this;
    const indent = this.buffer[at] === 0x09 ? TABS : BLANKS;
    let i = at;
    while (view.getFloat64(i, true) === indent.eight) i += 8;
    if (view.getInt32(i, true) === indent.four) i += 4;
    return i;
  }

  private outside(at: number): Fault {
    if (this.rootSeen) return this.fault('There is text after the root element.', at);
    return new Fault('NOT_XML', 'The file does not begin with markup, expected a CityGML document.', at);
  }

  /** Checks `&…;`, `]` or a control character in text; the index after it, or -1 when more bytes are needed. */
  private passSpecial(at: number, final: boolean): number {
    const { buffer, limit } = this;
    const c = buffer[at]!;
    if (c === AMP) return this.passReference(at, final);
    if (IS_CONTROL[c] === 1) throw this.controlCharacter(at);
    if (at + 2 >= limit && !final) return -1;
    if (buffer[at + 1] === RIGHT_BRACKET && buffer[at + 2] === GT) {
      throw this.fault('There is ]]> in text, where it is written ]]&gt;.', at);
    }
    return at + 1;
  }

  private controlCharacter(at: number): Fault {
    const code = this.buffer[at]!.toString(16).toUpperCase().padStart(4, '0');
    return this.fault(`There is the control character U+${code}, which XML does not have.`, at);
  }

  /** Checks that a comment, CDATA section or instruction has no control characters between the indices. */
  private refuseControls(from: number, to: number): void {
    const { buffer } = this;
    for (let i = from; i < to; i++) if (IS_CONTROL[buffer[i]!] === 1) throw this.controlCharacter(i);
  }

  /** Checks a reference in text; the index after it, or -1 when more bytes are needed. */
  private passReference(at: number, final: boolean): number {
    const end = this.limit;
    for (const usual of USUAL_REFERENCES) {
      if (at + usual.length <= end && usual.isAt(this.view, at)) return at + usual.length;
    }
    let i = at + 1;
    while (i < end && i - at <= 16 && this.buffer[i] !== 0x3b && this.buffer[i] !== LT) i++;
    if (i >= end && !final) return -1;
    const name = this.buffer.toString('latin1', at + 1, i);
    if (i >= end || this.buffer[i] !== 0x3b || referencedText(name) === null) {
      throw this.fault(`&${name.slice(0, 16)} is no reference that XML knows; & is written &amp;.`, at);
    }
    return i + 1;
  }

  /** Passes what is in a comment, CDATA section or instruction; clears `until` at its end. */
  private pass(at: number, final: boolean): number {
    const { buffer, limit } = this;
    const until = this.until!;
    const found = buffer.indexOf(until, at);
    if (found >= 0 && found + until.length + (until === COMMENT_END ? 1 : 0) <= limit) {
      if (until === COMMENT_END && buffer[found + 2] !== GT) {
        throw this.fault('There is -- inside a comment.', found);
      }
      if (until === CDATA_END && this.textMode === Text.captured) this.capture(at, found, true);
      // Coordinates in a CDATA section are legal, but no writer does it.
      if (until === CDATA_END && this.textMode === Text.numbers && found > at) this.noNumbers();
      this.refuseControls(at, found);
      this.until = null;
      return found + (until === COMMENT_END ? 3 : until.length);
    }
    if (final) throw this.fault(`The text ends before ${until.toString()}.`, limit);
    if (until === CDATA_END && this.textMode >= Text.numbers && limit - at < MAX_CAPTURED) return at;
    if (until === CDATA_END && this.textMode === Text.captured) this.textMode = Text.skipped;
    if (until === CDATA_END && this.textMode === Text.numbers) this.noNumbers();
    const next = Math.max(at, limit - 2);
    this.refuseControls(at, next);
    return next;
  }

  // ---- markup

  /** Reads the markup at `at`, where `<` is; the index after it, or -1 when more bytes are needed. */
  private markup(at: number, final: boolean): number {
    const { buffer, limit } = this;
    const c = buffer[at + 1]!;
    this.markupSeen = true;
    if (at + 1 >= limit) return -1;
    if (c === SLASH) return this.endTag(at, final);
    if (IS_NAME_START[c] === 1) return this.startTag(at);
    if (c === 0x21) return this.declaration(at, final);
    if (c === 0x3f) return this.instruction(at);
    throw this.rootSeen || this.open.length > 0
      ? this.fault('A < stands where no tag begins; in text it is written &lt;.', at)
      : new Fault('NOT_XML', 'The file does not begin with markup, expected a CityGML document.', at);
  }

  private endTag(at: number, final: boolean): number {
    const { buffer, limit } = this;
    const depth = this.open.length;
    let i = at + 2;
    if (depth > 0) {
      const name = this.open[depth - 1]!;
      const { closing } = name;
      if (at + closing.length <= limit && closing.isAt(this.view, at)) {
        const end = at + closing.length;
        this.closeElement(name, at, end);
        return end;
      }
      const { bytes } = name;
      const { length } = bytes;
      let k = 0;
      while (k < length && buffer[i + k] === bytes[k]) k++;
      if (k === length) {
        i += length;
        while (IS_SPACE[buffer[i]!] === 1) i++;
        if (buffer[i] === GT) {
          this.closeElement(name, at, i + 1);
          return i + 1;
        }
        i = at + 2;
      }
    }
    while (IS_NAME[buffer[i]!] === 1) i++;
    const nameEnd = i;
    while (IS_SPACE[buffer[i]!] === 1) i++;
    if (i >= limit && !final) return -1;
    const found = buffer.toString('utf8', at + 2, Math.min(nameEnd, at + 200));
    if (depth === 0) throw this.fault(`</${found}> closes nothing.`, at);
    const bytes = this.open[depth - 1]!.bytes;
    const expected = Buffer.from(bytes).toString();
    if (buffer[i] !== GT) {
      throw this.fault(`</${found} does not end with >.`, at);
    }
    throw new Fault('MISMATCHED_TAG', `</${found}> stands where </${expected}> is expected.`, at);
  }

  private declaration(at: number, final: boolean): number {
    const { buffer, limit } = this;
    const left = limit - at;
    const starts = (text: string) => buffer.toString('latin1', at, at + Math.min(text.length, left)) === text;
    if (starts('<!--')) {
      this.until = COMMENT_END;
      return at + 4;
    }
    if (starts('<![CDATA[')) {
      if (this.open.length === 0) throw this.outside(at);
      this.until = CDATA_END;
      return at + 9;
    }
    if (starts('<!DOCTYPE')) {
      let quote = 0;
      for (let i = at + 9; i < limit; i++) {
        const c = buffer[i]!;
        if (quote !== 0) {
          if (c === quote) quote = 0;
        } else if (c === 0x22 || c === 0x27) {
          quote = c;
        } else if (c === 0x5b) {
          throw new Fault(
            'DOCTYPE',
            'The document type declares entities or elements, which is refused.',
            at,
          );
        } else if (c === GT) {
          if (this.rootSeen) throw this.fault('A document type stands after the root element began.', at);
          this.note('DOCTYPE', 'warning', 'The document type is not read.', this.base + at);
          return i + 1;
        }
      }
      return final ? this.endOfText(at) : -1;
    }
    const possible = ['<!--', '<![CDATA[', '<!DOCTYPE'].some((text) =>
      text.startsWith(buffer.toString('latin1', at, at + Math.min(left, text.length))),
    );
    if (possible && !final) return -1;
    throw this.fault('A <! begins neither a comment nor a CDATA section.', at);
  }

  private endOfText(at: number): never {
    throw this.fault('The text ends inside a tag.', at);
  }

  private instruction(at: number): number {
    const { buffer, limit } = this;
    const first = this.base + at <= 3 && !this.rootSeen;
    let i = at + 2;
    while (IS_NAME[buffer[i]!] === 1) i++;
    if (i >= limit) return -1;
    const target = buffer.toString('latin1', at + 2, Math.min(i, at + 20));
    if (target === 'xml') {
      if (!first) throw this.fault('An XML declaration stands after the beginning of the file.', at);
      const end = buffer.indexOf(PI_END, at);
      if (end < 0 || end + 2 > limit) return -1;
      const text = buffer.toString('latin1', at, end + 2);
      if (!isXmlDeclaration(text)) {
        throw this.fault(
          'The XML declaration is not of the form <?xml version="1.0" encoding="UTF-8"?>.',
          at,
        );
      }
      this.encoding = declaredEncoding(text);
      return end + 2;
    }
    const ends = IS_SPACE[buffer[i]!] === 1 || buffer[i] === QUESTION_MARK;
    if (IS_NAME_START[buffer[at + 2]!] === 0 || !ends || /^xml$/i.test(target)) {
      throw this.fault('A <? begins no processing instruction.', at);
    }
    this.until = PI_END;
    return i;
  }

  private startTag(at: number): number {
    const { buffer, limit } = this;
    const from = at + 1;
    let i = from;
    let name: ElementName | null = null;
    const guess = this.afterEnd ? this.previous.afterEnd : this.previous.afterStart;
    if (guess !== null) {
      const { opening } = guess;
      const end = at + opening.length;
      if (end < limit && opening.isAt(this.view, at) && ENDS_NAME[buffer[end]!] === 1) {
        name = guess;
        i = end;
      }
    }
    let hash = 0;
    if (name === null) {
      let c = buffer[i]!;
      while (IS_NAME[c] === 1) {
        hash = (Math.imul(hash, HASH_FACTOR) + c) | 0;
        c = buffer[++i]!;
      }
      if (i >= limit) return -1;
      if (ENDS_NAME[c] === 0) throw this.fault('A tag has a character that names do not have.', i);
      name = this.context.element(buffer, from, i, hash);
      if (this.context.tally.names + this.attributeTable.size > this.nameLimit) throw this.tooManyNames(at);
      if (this.afterEnd) this.previous.afterEnd = name;
      else this.previous.afterStart = name;
    }
    const nameEnd = i;
    let empty = false;
    this.attributeCount = 0;
    let declares = false;
    for (;;) {
      let c = buffer[i]!;
      const blank = IS_SPACE[c] === 1;
      while (IS_SPACE[c] === 1) c = buffer[++i]!;
      if (c === GT) break;
      if (c === SLASH) {
        if (buffer[i + 1] === GT) {
          empty = true;
          i++;
          break;
        }
        if (i + 1 >= limit) return -1;
        throw this.fault('A / stands inside a tag.', i);
      }
      if (i >= limit) return -1;
      if (!blank) throw this.fault('There is no blank before an attribute.', i);
      i = this.attribute(i, name);
      if (i < 0) return -1;
      if (this.attributes[this.attributeCount - 1]!.declares) declares = true;
    }
    if (i >= limit) return -1;
    const next = i + 1;

    const outer = this.context;
    if (declares) {
      this.context = this.contextInside(outer);
      if (this.context !== outer) name = this.context.element(buffer, from, nameEnd, hashName(name.bytes));
    }
    if (!name.qualified)
      throw this.fault(
        `${decodeText(buffer, from, Math.min(nameEnd, from + 100))} is no name of an element.`,
        at,
      );
    if (name.unbound) throw this.unbound(name.prefix, at);
    this.openElement(name, at, next, outer);
    if (empty) this.closeElement(name, next, next);
    return next;
  }

  /**
   * Reads the attribute of `element` at `at` into the lists; the index after its value, or -1 when more bytes are
   * needed.
   */
  private attribute(at: number, element: ElementName): number {
    const { limit } = this;
    const count = this.attributeCount;
    const guess = count === 0 ? element.attribute : null;
    if (guess !== null && at + guess.opening.length < limit && guess.opening.isAt(this.view, at)) {
      const start = at + guess.opening.length;
      const sound = guess.role === AttributeRole.codeSpace ? element.codeSpace : null;
      const end = this.passValue(start, QUOTE, sound);
      return end < 0 ? -1 : this.addAttribute(guess, start, end);
    }
    const { buffer } = this;
    let i = at;
    let hash = 0;
    let c = buffer[i]!;
    while (IS_NAME[c] === 1) {
      hash = (Math.imul(hash, HASH_FACTOR) + c) | 0;
      c = buffer[++i]!;
    }
    const nameEnd = i;
    while (IS_SPACE[c] === 1) c = buffer[++i]!;
    if (i >= limit) return -1;
    if (nameEnd === at || c !== 0x3d) throw this.fault('An attribute is not of the form name="value".', at);
    c = buffer[++i]!;
    while (IS_SPACE[c] === 1) c = buffer[++i]!;
    if (i >= limit) return -1;
    if (c !== QUOTE && c !== 0x27) throw this.fault('The value of an attribute is not in quotes.', i);
    const start = i + 1;
    const end = this.passValue(start, c, null);
    if (end < 0) return -1;
    const attribute = this.attributeName(at, nameEnd, hash);
    if (count === MAX_ATTRIBUTES) throw this.fault(`A tag has more than ${MAX_ATTRIBUTES} attributes.`, at);
    for (let k = 0; k < count; k++) {
      if (this.attributes[k] === attribute) {
        throw this.fault(`The attribute ${attribute.text} stands twice in one tag.`, at);
      }
    }
    if (count === 0) element.attribute = attribute;
    return this.addAttribute(attribute, start, end);
  }

  private addAttribute(attribute: AttributeName, start: number, end: number): number {
    const count = this.attributeCount++;
    this.attributes[count] = attribute;
    this.valueStarts[count] = start;
    this.valueEnds[count] = end;
    return end + 1;
  }

  /**
   * Passes a value, which may begin with one that is known to be sound; the index of the quote after it, or -1 when
   * more bytes are needed.
   */
  private passValue(start: number, quote: number, sound: Token | null): number {
    const { buffer, limit } = this;
    let i = start;
    if (sound !== null && start + sound.length < limit && sound.isAt(this.view, start)) i += sound.length;
    let c = buffer[i]!;
    while (c !== quote) {
      if (IS_VALUE_SPECIAL[c] === 0) {
        c = buffer[++i]!;
        continue;
      }
      if (c === LT) {
        if (i >= limit) return -1;
        throw this.fault('A < stands in the value of an attribute, where it is written &lt;.', i);
      }
      if (c !== AMP) throw this.controlCharacter(i);
      {
        let k = i + 1;
        while (k < limit && k - i <= 16 && buffer[k] !== 0x3b && buffer[k] !== LT && buffer[k] !== quote) k++;
        if (k >= limit) return -1;
        const name = buffer.toString('latin1', i + 1, k);
        if (buffer[k] !== 0x3b || referencedText(name) === null) {
          throw this.fault(`&${name} is no reference that XML knows; & is written &amp;.`, i);
        }
      }
      c = buffer[++i]!;
    }
    return i;
  }

  /** The attribute name in `buffer[from, to)`. */
  private attributeName(from: number, to: number, hash: number): AttributeName {
    const { buffer } = this;
    const existing = this.attributeTable.find(buffer, from, to, hash);
    if (existing !== undefined) return existing;
    const text = buffer.toString('utf8', from, to);
    if (!isQualifiedName(text)) throw this.fault(`${text.slice(0, 100)} is no name of an attribute.`, from);
    if (this.context.tally.names + this.attributeTable.size > this.nameLimit) throw this.tooManyNames(from);
    const bytes = new Uint8Array(Buffer.from(text));
    return this.attributeTable.add({
      bytes,
      hash,
      opening: new Token(Buffer.concat([bytes, EQUALS_QUOTE])),
      text,
      declares: text.startsWith('xmlns'),
      context: null,
      role: 0,
      unbound: false,
    });
  }

  private tooManyNames(at: number): Fault {
    return new Fault(
      OVER_BUDGET,
      `The file has more than ${MAX_NAMES} names of elements and attributes; all schemas together have some 3,000.`,
      at,
    );
  }

  protected unbound(prefix: string, at: number): Fault {
    return new Fault('UNBOUND_PREFIX', `The prefix ${prefix.slice(0, 100)} is not bound to a namespace.`, at);
  }

  /** The context that the xmlns attributes of the tag lead to. */
  private contextInside(outer: NamespaceContext): NamespaceContext {
    const declared: Array<[string, string]> = [];
    for (let k = 0; k < this.attributeCount; k++) {
      const { text } = this.attributes[k]!;
      const start = this.valueStarts[k]!;
      const prefix = text === 'xmlns' ? '' : text.startsWith('xmlns:') ? text.slice(6) : null;
      if (prefix === null) continue;
      const uri = decodeText(this.buffer, start, this.valueEnds[k]!);
      const fault = declarationFault(prefix, uri);
      if (fault !== null) throw this.fault(fault, start);
      if (prefix === 'xml') continue;
      declared.push([prefix, uri]);
      this.declared(uri);
    }
    const context = outer.extend(declared);
    if (context.inScope > MAX_IN_SCOPE) {
      const message = `More than ${MAX_IN_SCOPE} namespaces are declared around one element.`;
      throw new Fault(OVER_BUDGET, message, this.valueStarts[0]!);
    }
    return context;
  }

  private openElement(name: ElementName, at: number, end: number, outer: NamespaceContext): void {
    if (this.open.length === MAX_DEPTH)
      throw this.fault(`Elements are nested more than ${MAX_DEPTH} deep.`, at);
    if (this.open.length === 0) {
      if (this.rootSeen) throw this.fault('There is a second root element.', at);
      this.rootSeen = true;
    }
    this.open.push(name);
    this.textMode = Text.skipped;
    this.opened(name, at, end, outer);
    this.previous = name;
    this.afterEnd = false;
  }

  private closeElement(name: ElementName, at: number, end: number): void {
    const { context } = this;
    this.textMode = this.open.length === 1 ? Text.outside : Text.skipped;
    this.closed(name, at, end);
    this.open.pop();
    this.previous = this.context === context ? name : this.context.anchor;
    this.afterEnd = true;
  }
}

/** Hash of an element's name, as the loop over a tag computes it. */
function hashName(bytes: Uint8Array): number {
  let hash = 0;
  for (let i = 0; i < bytes.length; i++) hash = (Math.imul(hash, HASH_FACTOR) + bytes[i]!) | 0;
  return hash;
}
