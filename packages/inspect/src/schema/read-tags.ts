/**
 * Reads the tags of a text that is known to be well-formed, with their namespaces (Namespaces in XML 1.0). Memory grows
 * with the longest tag or text, and with depth. Texts are made to strings only where the caller needs them: most of a
 * file are positions, which it looks at as bytes.
 *
 *   chunk ─▶ buffer ─▶ "<name …>" ─▶ start │ text ─▶ blank? bytes? string? ─▶ text │ "</" ─▶ end
 *   (comments and instructions are passed over)
 */
import type { TagAttribute, TagHandler } from './tags.ts';

const [LT, GT, SLASH, BANG, QUESTION, BRACKET, EQUALS, DASH, FEED] = [
  0x3c, 0x3e, 0x2f, 0x21, 0x3f, 0x5b, 0x3d, 0x2d, 0x0a,
];
const XML = 'http://www.w3.org/XML/1998/namespace';
const XMLNS = 'http://www.w3.org/2000/xmlns/';
const NO_ATTRIBUTES: readonly TagAttribute[] = [];
/** Names that a scope remembers: they come from files. */
const REMEMBERED = 5000;

/** Prefixes that are bound in an element, and the names that were seen under them. */
class Scope {
  readonly outer: Scope | null;
  readonly #bound: ReadonlyMap<string, string>;
  readonly #names = new Map<string, { uri: string; local: string }>();

  constructor(bound: ReadonlyMap<string, string>, outer: Scope | null) {
    this.#bound = bound;
    this.outer = outer;
  }

  uriOf(prefix: string): string | undefined {
    return this.#bound.get(prefix) ?? this.outer?.uriOf(prefix);
  }

  /** The name of an element; the default namespace holds for it. */
  element(written: string): { uri: string; local: string } {
    let name = this.#names.get(written);
    if (name === undefined) {
      const colon = written.indexOf(':');
      name = { uri: this.uriOf(written.slice(0, Math.max(colon, 0))) ?? '', local: written.slice(colon + 1) };
      if (this.#names.size < REMEMBERED) this.#names.set(written, name);
    }
    return name;
  }

  attribute(written: string): { uri: string; local: string } {
    const colon = written.indexOf(':');
    if (colon < 0) return { uri: written === 'xmlns' ? XMLNS : '', local: written };
    return { uri: this.uriOf(written.slice(0, colon)) ?? '', local: written.slice(colon + 1) };
  }
}

export class TagReader {
  readonly #handler: TagHandler;
  #buffer = Buffer.alloc(1 << 18);
  #end = 0;
  /** Where the next token begins, and up to where its end was looked for. */
  #at = 0;
  #searched = 0;
  #line = 1;
  /** The last token was a start tag. */
  #isAfterStart = false;
  /** Offset of the next line feed in the buffer; beyond its end when there is none. */
  #feed = 0;
  #scope = new Scope(
    new Map([
      ['xml', XML],
      ['xmlns', XMLNS],
    ]),
    null,
  );
  /** Scopes of the elements that are open. */
  readonly #scopes: Scope[] = [];
  readonly #resolve = (prefix: string) => this.#scope.uriOf(prefix);

  constructor(handler: TagHandler) {
    this.#handler = handler;
  }

  push(chunk: Uint8Array): void {
    this.#append(chunk);
    while (this.#token());
  }

  #append(chunk: Uint8Array): void {
    const rest = this.#end - this.#at;
    let into = this.#buffer;
    if (rest + chunk.length > into.length) into = Buffer.alloc(2 * (rest + chunk.length));
    this.#buffer.copy(into, 0, this.#at, this.#end);
    into.set(chunk, rest);
    this.#buffer = into;
    this.#searched -= this.#at;
    this.#at = 0;
    this.#end = rest + chunk.length;
    this.#feed = -1;
    this.#nextFeed(0);
  }

  /** Offset of a byte in what is there; -1 when it is not. */
  #find(byte: number, from: number): number {
    const at = this.#buffer.indexOf(byte, from);
    return at < this.#end ? at : -1;
  }

  #nextFeed(from: number): void {
    const at = this.#find(FEED, from);
    this.#feed = at < 0 ? this.#buffer.length : at;
  }

  /** Goes on to an offset, and counts lines on the way. */
  #moveTo(at: number): void {
    while (this.#feed < at) {
      this.#line++;
      this.#nextFeed(this.#feed + 1);
    }
    this.#at = at;
    this.#searched = at;
  }

  /** Reads a text or a piece of markup; false when its end is not there yet. */
  #token(): boolean {
    const buffer = this.#buffer;
    if (this.#at >= this.#end) return false;
    if (buffer[this.#at] !== LT) {
      const next = this.#find(LT, this.#searched);
      if (next < 0 || next + 1 >= this.#end) {
        this.#searched = next < 0 ? this.#end : next;
        return false;
      }
      this.#text(this.#at, next, buffer[next + 1] === SLASH);
      this.#moveTo(next);
      return true;
    }
    const second = this.#at + 1 < this.#end ? buffer[this.#at + 1]! : -1;
    if (second === BANG || second === QUESTION) return this.#markup(second);
    return second < 0 ? false : second === SLASH ? this.#endTag() : this.#startTag();
  }

  #text(from: number, to: number, isWhole: boolean): void {
    if (this.#scopes.length === 0) return;
    const wanted = this.#handler.wanted();
    if (wanted === 'nothing') return;
    const bytes = this.#buffer;
    if (wanted === 'blank') {
      for (let at = from; at < to; at++) {
        if (isBlank(bytes[at]!)) continue;
        this.#handler.text(resolved(bytes.toString('utf8', from, to)));
        return;
      }
      return;
    }
    // A text before or after a comment is a part of a value.
    if (wanted === 'doubles' && isWhole && this.#isAfterStart && areDoubles(bytes, from, to)) {
      this.#handler.doubles();
    } else this.#handler.text(resolved(bytes.toString('utf8', from, to)));
  }

  /** A comment, an instruction, a CDATA section. */
  #markup(second: number): boolean {
    const third = this.#at + 2 < this.#end ? this.#buffer[this.#at + 2]! : -1;
    if (third < 0) return false;
    const isData = second === BANG && third === BRACKET;
    const close = second === QUESTION ? '?>' : isData ? ']]>' : third === DASH ? '-->' : '>';
    const from = this.#at + (second === QUESTION ? 2 : isData ? 9 : 4);
    const at = this.#buffer.indexOf(close, Math.max(from, this.#searched - 2));
    if (at < 0 || at + close.length > this.#end || from > this.#end) {
      this.#searched = this.#end;
      return false;
    }
    this.#isAfterStart = false;
    const wanted = isData && this.#scopes.length > 0 ? this.#handler.wanted() : 'nothing';
    if (wanted !== 'nothing') this.#handler.text(this.#buffer.toString('utf8', from, at));
    this.#moveTo(at + close.length);
    return true;
  }

  #endTag(): boolean {
    const close = this.#find(GT, this.#searched);
    if (close < 0) {
      this.#searched = this.#end;
      return false;
    }
    this.#isAfterStart = false;
    this.#handler.end();
    this.#scope = this.#scopes.pop() ?? this.#scope;
    this.#moveTo(close + 1);
    return true;
  }

  #startTag(): boolean {
    const close = this.#tagEnd();
    if (close < 0) return false;
    const bytes = this.#buffer;
    const isClosed = bytes[close - 1] === SLASH;
    const end = isClosed ? close - 1 : close;
    let at = this.#at + 1;
    while (at < end && !isBlank(bytes[at]!)) at++;
    const written = bytes.toString('utf8', this.#at + 1, at);
    // The line of a start tag is that of its end, as parsers tell it.
    const outer = this.#scope;
    let attributes = NO_ATTRIBUTES;
    const pairs = at < end ? this.#pairs(at, end) : [];
    if (pairs.length > 0) {
      const bound = new Map<string, string>();
      for (const [name, value] of pairs) {
        if (name === 'xmlns') bound.set('', value);
        else if (name.startsWith('xmlns:')) bound.set(name.slice(6), value);
      }
      if (bound.size > 0) this.#scope = new Scope(bound, outer);
      const scope = this.#scope;
      attributes = pairs.map(([name, value]) => ({ ...scope.attribute(name), name, value }));
    }
    this.#moveTo(close + 1);
    this.#scopes.push(outer);
    const { uri, local } = this.#scope.element(written);
    this.#handler.start({ uri, local, attributes, line: this.#line, resolve: this.#resolve });
    this.#isAfterStart = true;
    if (isClosed) {
      this.#handler.end();
      this.#scope = this.#scopes.pop()!;
    }
    return true;
  }

  /** Offset of the ">" of a start tag, which values may have too; -1 when it is not there yet. */
  #tagEnd(): number {
    let close = this.#find(GT, this.#at);
    for (let from = this.#at; close >= 0; ) {
      const quote = quoteIn(this.#buffer, from, close);
      if (quote < 0) return close;
      const after = this.#find(this.#buffer[quote]!, quote + 1);
      if (after < 0) return -1;
      from = after + 1;
      if (close < from) close = this.#find(GT, from);
    }
    return -1;
  }

  /** Names and values of attributes. */
  #pairs(from: number, end: number): Array<[name: string, value: string]> {
    const bytes = this.#buffer;
    const pairs: Array<[string, string]> = [];
    let at = from;
    for (;;) {
      while (at < end && isBlank(bytes[at]!)) at++;
      if (at >= end) return pairs;
      const start = at;
      while (at < end && bytes[at] !== EQUALS && !isBlank(bytes[at]!)) at++;
      const name = bytes.toString('utf8', start, at);
      const quote = quoteIn(bytes, at, end);
      if (quote < 0) return pairs;
      const close = bytes.indexOf(bytes[quote]!, quote + 1);
      pairs.push([name, resolved(bytes.toString('utf8', quote + 1, close).replace(/[\t\r\n]/g, ' '))]);
      at = close + 1;
    }
  }
}

function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === FEED || byte === 0x09 || byte === 0x0d;
}

function quoteIn(bytes: Buffer, from: number, to: number): number {
  for (let at = from; at < to; at++) if (bytes[at] === 0x22 || bytes[at] === 0x27) return at;
  return -1;
}

/**
 * True for decimal numbers with white space between; false also for forms that are rare (`1e5`, `INF`), which another
 * one looks at.
 */
export function areDoubles(bytes: Uint8Array, from: number, to: number): boolean {
  let at = from;
  for (;;) {
    while (at < to && isBlank(bytes[at]!)) at++;
    if (at === to) return true;
    if (bytes[at] === 0x2d || bytes[at] === 0x2b) at++;
    let digits = 0;
    let points = 0;
    for (; at < to && !isBlank(bytes[at]!); at++) {
      const byte = bytes[at]!;
      if (byte >= 0x30 && byte <= 0x39) digits++;
      else if (byte === 0x2e && points === 0) points++;
      else return false;
    }
    if (digits === 0) return false;
  }
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

/** A text with its entities resolved, and line ends as XML has them (XML 1.0, sections 2.11 and 4.6). */
function resolved(text: string): string {
  const lines = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
  if (!lines.includes('&')) return lines;
  return lines.replace(/&(?:#x([0-9a-fA-F]{1,6})|#(\d{1,7})|(\w{2,4}));/g, (whole, hex, decimal, name) => {
    if (name !== undefined) return ENTITIES[name] ?? whole;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
