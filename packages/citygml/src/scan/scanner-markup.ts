/**
 * XML markup from bytes in chunks of any size: tags, attributes and namespaces, checked for well-formedness.
 * What they mean is for those who handle them.
 *
 *                   ┌──────────── text ────────────┐
 *                   │ outside  blanks only          │ <      ┌─ </name>      closed
 *      bytes ─────▶ │ skipped  nobody needs it      │ ─────▶ ├─ <name …>     opened (attributes, namespaces)
 *                   │ numbers  coordinates          │        ├─ <name …/>    opened, closed
 *                   │ captured a name, a code, …    │        ├─ <!-- <![CDATA[ <?   until --> ]]> ?>
 *                   └──────────────▲────────────────┘        └─ <!DOCTYPE    refused when it declares anything
 *                                  └──────────────────────────────────┘
 *
 * A SAX parser hands over strings, and hundreds of bytes in a thousand are coordinates and indents that nobody
 * wants as such: that costs two thirds of the time. Bytes and the place in them are in `scanner-input.ts`, tags in
 * `scanner-tags.ts`.
 */
import { declaredEncoding, isXmlDeclaration } from './scanner-encoding.ts';
import { Fault } from './scanner-input.ts';
import { type ElementHandler, LESS_THAN, TagReader, Text } from './scanner-tags.ts';
import {
  decodeText,
  IS_CONTROL,
  IS_NAME,
  IS_NAME_START,
  IS_SPACE,
  IS_TEXT_SPECIAL,
  referencedText,
} from './scanner-text.ts';
import { Token } from './scanner-token.ts';

const LT = LESS_THAN;
const GT = 0x3e;
const SLASH = 0x2f;
const AMP = 0x26;
const RIGHT_BRACKET = 0x5d;
const QUESTION_MARK = 0x3f;
const LINE_FEED = 0x0a;

/** A tag may not be longer. */
const MAX_TAG = 1024 * 1024;
/** Text that is captured may not be longer; it is skipped then. */
export const MAX_CAPTURED = 8 * 1024;

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

/** Who takes the numbers of a text. */
export interface NumberHandler {
  /** Reads numbers from `at`; the index of the next `<`, or where to go on when more bytes have come. */
  readNumbers(at: number): number;
  /** A CDATA section in text of mode `numbers`. */
  noNumbers(): void;
}

/** Who takes text in mode `captured`. */
export interface TextHandler {
  /** It is `buffer[from, to)`, with references still in it unless it is from a CDATA section. */
  capture(from: number, to: number, raw: boolean): void;
}

/** Who takes what a reader reads. */
export interface MarkupHandlers {
  elements: ElementHandler;
  numbers: NumberHandler;
  texts: TextHandler;
}

/**
 * Reads markup, and hands what it reads to its handlers. Push the bytes of a text in order, then call `endText` once.
 * No bytes make it throw. It is one reader in three files: bytes, tags, and what is between tags.
 */
export class MarkupReader extends TagReader {
  private numbers!: NumberHandler;
  private texts!: TextHandler;
  /** What ends the comment, CDATA section or instruction that is open. */
  private until: Buffer | null = null;
  private markupSeen = false;

  /** Names those who take what is read, before the first bytes come. */
  attach({ elements, numbers, texts }: MarkupHandlers): void {
    this.elements = elements;
    this.numbers = numbers;
    this.texts = texts;
  }

  protected override finish(): void {
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

  protected override run(final: boolean): void {
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
        i = this.numbers.readNumbers(i);
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
            this.texts.capture(start, i, false);
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
      if (until === CDATA_END && this.textMode === Text.captured) this.texts.capture(at, found, true);
      // Coordinates in a CDATA section are legal, but no writer does it.
      if (until === CDATA_END && this.textMode === Text.numbers && found > at) this.numbers.noNumbers();
      this.refuseControls(at, found);
      this.until = null;
      return found + (until === COMMENT_END ? 3 : until.length);
    }
    if (final) throw this.fault(`The text ends before ${until.toString()}.`, limit);
    if (until === CDATA_END && this.textMode >= Text.numbers && limit - at < MAX_CAPTURED) return at;
    if (until === CDATA_END && this.textMode === Text.captured) this.textMode = Text.skipped;
    if (until === CDATA_END && this.textMode === Text.numbers) this.numbers.noNumbers();
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
}
