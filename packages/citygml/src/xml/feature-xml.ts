import { canonicalPrefix, isOwnPrefix, XML_NAMESPACE } from './namespaces.ts';
import { interned, type Name, NO_NAME, occursAt, type TagRest, XmlMemory } from './xml-names.ts';

/**
 * Reads the text of one feature into a light tree. It is a byte walk and no general XML parser: a feature is a
 * well-formed slice of a file, and the root start tag of the file supplies the namespaces. No document types occur in
 * it, and only predefined and numeric entities. General parsers over characters took two to three times as long on the
 * same slices, mostly for geometry that attributes do not need.
 *
 * States of the walk, by what the next byte begins:
 *
 *   content ──"<name"──▶ start tag ──">"──▶ content of the child   (skipped whole when the caller wants none)
 *      │                     └──"/>"──▶ content
 *      ├──"</"──▶ end tag ──▶ content of the parent, or done after the feature's own
 *      ├──"<!--"…"-->", "<?"…"?>" ──▶ content
 *      └──"<![CDATA["…"]]>" ──▶ text ──▶ content
 */

/** One element. Names are qualified with the canonical prefix of their namespace, whatever the file uses. */
export interface XmlElement {
  name: string;
  /** By canonical name; namespace declarations are not among them. */
  attributes: Readonly<Record<string, string>>;
  children: XmlElement[];
  /**
   * Character data of the element itself, without that of its children and not trimmed; empty when there is only white
   * space beside children.
   */
  text: string;
}

/** The bytes are not a well-formed element. */
export class FeatureXmlError extends Error {
  /** Offset in the bytes that were given. */
  readonly byte: number;

  constructor(message: string, byte: number) {
    super(`${message} at byte ${byte}`);
    this.name = 'FeatureXmlError';
    this.byte = byte;
  }
}

/** Elements below each other; real features stay under 30. */
export const MAX_DEPTH = 200;

/** Elements nest deeper than `MAX_DEPTH`, in a text that may be well formed. */
export class FeatureTooDeep extends FeatureXmlError {
  constructor(byte: number) {
    super(`Elements nest deeper than ${MAX_DEPTH}`, byte);
    this.name = 'FeatureTooDeep';
  }
}

/** Prefixes in scope; real files declare some twenty. */
const MAX_BOUND = 10_000;
/** Names whose canonical form a context keeps; the schemas have 2,000. */
const REMEMBERED = 10_000;

const LT = 0x3c;
const GT = 0x3e;
const SLASH = 0x2f;
const EQUALS = 0x3d;
const BANG = 0x21;
const QUESTION = 0x3f;

/** Those of an element that has none: the same object for all of them. */
export const NO_ATTRIBUTES: Readonly<Record<string, string>> = Object.freeze({});

/** Prefixes that are bound at some place of a file, and the canonical names of what was seen under them. */
export class NamespaceContext {
  /** What was seen in other places and files. */
  readonly memory: XmlMemory;
  readonly #bound: ReadonlyMap<string, string>;
  /** What is bound outside. */
  readonly #outer: NamespaceContext | null;
  /** Bindings in scope. */
  readonly #size: number;
  readonly #elements = new Map<string, string>();
  readonly #attributes = new Map<string, string>();

  constructor(bound: ReadonlyMap<string, string>, memory: XmlMemory, outer: NamespaceContext | null = null) {
    this.memory = memory;
    this.#bound = bound;
    this.#outer = outer;
    this.#size = bound.size + (outer === null ? 0 : outer.#size);
  }

  /**
   * Canonical name of an element; the written name where the namespace is unknown or the prefix unbound. An unknown
   * namespace whose prefix is one of ours (`gml`) gets `x-` before it, so that its elements are not taken for ours.
   */
  element(written: string): string {
    let name = this.#elements.get(written);
    if (name === undefined) {
      name = this.#canonical(written, true);
      if (this.#elements.size < REMEMBERED) this.#elements.set(written, name);
    }
    return name;
  }

  /** Canonical name of an attribute; one without a prefix has no namespace (Namespaces in XML, section 6.2). */
  attribute(written: string): string {
    let name = this.#attributes.get(written);
    if (name === undefined) {
      name = this.#canonical(written, false);
      if (this.#attributes.size < REMEMBERED) this.#attributes.set(written, name);
    }
    return name;
  }

  /** The context inside an element that declares more; null when too many prefixes would be in scope. */
  extend(declared: ReadonlyMap<string, string>): NamespaceContext | null {
    return this.#size + declared.size > MAX_BOUND ? null : new NamespaceContext(declared, this.memory, this);
  }

  /** The namespace that a prefix is bound to; undefined for one that is not declared. */
  uriOf(prefix: string): string | undefined {
    return this.#bound.get(prefix) ?? (this.#outer === null ? undefined : this.#outer.uriOf(prefix));
  }

  /**
   * The version of a module, by its usual prefix (`core`, `gml`), whatever prefix the file binds it to; null where
   * it is not bound, or says no version.
   */
  versionOf(module: string): string | null {
    for (const uri of this.#bound.values()) {
      const canonical = canonicalPrefix(uri);
      if (canonical?.prefix === module) return canonical.version;
    }
    return this.#outer?.versionOf(module) ?? null;
  }

  #canonical(written: string, defaultApplies: boolean): string {
    const colon = written.indexOf(':');
    if (colon < 0 && !defaultApplies) return written;
    const prefix = colon < 0 ? '' : written.slice(0, colon);
    const uri = this.uriOf(prefix);
    const canonical = uri === undefined ? null : canonicalPrefix(uri);
    if (canonical !== null) return interned(`${canonical.prefix}:${written.slice(colon + 1)}`);
    return uri !== undefined && isOwnPrefix(prefix) ? interned(`x-${written}`) : written;
  }
}

/**
 * The namespaces that the root start tag of a file declares (`<core:CityModel xmlns:core="…" …>`, as bytes); no bytes
 * stand for a file that has a fault before its root. `memory` is what the caller's files share. Throws a
 * FeatureXmlError when the bytes are no start tag.
 */
export function namespaceContext(rootTag: Uint8Array, memory = new XmlMemory()): NamespaceContext {
  const bytes = asBuffer(rootTag);
  if (bytes.length === 0) return new NamespaceContext(new Map([['xml', XML_NAMESPACE]]), memory);
  const start = bytes.indexOf(LT);
  if (start < 0) throw new FeatureXmlError('Expected the root start tag, found no "<"', 0);
  const tag = readStartTag(bytes, start, memory);
  return new NamespaceContext(new Map([['xml', XML_NAMESPACE], ...(tag.declared ?? [])]), memory);
}

/**
 * True for an element that is not wanted, `inside` for one that is wanted without its content; `parent` is the name of
 * the element that holds it.
 */
export type SkipRule = (name: string, parent: string) => boolean | 'inside';

/**
 * Reads one element from its `<` on (white space and a byte order mark may precede it; what follows its end
 * tag is ignored). Elements that `skip` names are left out, except for those that point elsewhere by
 * `xlink:href`, which stay as empty elements. Throws a FeatureXmlError when the bytes are malformed or end early.
 */
export function parseFeature(text: Uint8Array, context: NamespaceContext, skip?: SkipRule): XmlElement {
  const bytes = asBuffer(text);
  const { memory } = context;
  let position = bytes.indexOf(LT);
  if (position < 0) throw new FeatureXmlError('Expected an element, found no "<"', 0);
  while (bytes[position + 1] === QUESTION || bytes[position + 1] === BANG) {
    position = bytes.indexOf(LT, endOfMarkup(bytes, position));
    if (position < 0) throw new FeatureXmlError('Expected an element, found only comments', bytes.length);
  }

  const open: Array<{ element: XmlElement; written: Name; context: NamespaceContext }> = [];
  const markup: Markup = { next: -1 };
  let textStart = position;
  const room = newStartTag();
  for (;;) {
    const top = open[open.length - 1];
    if (top !== undefined && position > textStart)
      appendText(top.element, bytes, textStart, position, memory);
    const next = bytes[position + 1];

    if (next === SLASH) {
      const nameEnd = position + 2 + (top?.written.bytes.length ?? 0);
      const end = afterBlanks(bytes, nameEnd);
      if (top === undefined || !occursAt(top.written.bytes, bytes, position + 2) || bytes[end] !== GT) {
        throw new FeatureXmlError(
          `Expected </${top?.written.text ?? ''}>, found </${memory.nameAt(bytes, position + 2).text}`,
          position,
        );
      }
      open.pop();
      if (open.length === 0) return top.element;
      position = end + 1;
    } else if (next === BANG || next === QUESTION) {
      const end = endOfMarkup(bytes, position);
      if (bytes[position + 2] === 0x5b && top !== undefined)
        top.element.text += bytes.toString('utf8', position + 9, end - 3);
      position = end;
    } else {
      const tag = readStartTag(bytes, position, memory, room);
      const outer = top?.context ?? context;
      const inner = tag.declared === null ? outer : outer.extend(tag.declared);
      if (inner === null) throw new FeatureXmlError(`More than ${MAX_BOUND} prefixes are in scope`, position);
      const name = inner.element(tag.written.text);
      position = tag.end;
      const skipped = skip !== undefined && top !== undefined ? skip(name, top.element.name) : false;
      const unwanted = skipped !== false;
      if (unwanted && !tag.closed) position = afterContent(bytes, position, tag.written, markup, memory);
      const attributes = tag.rest?.attributes ?? canonicalAttributes(tag.attributes, inner);
      const element: XmlElement = { name, attributes, children: [], text: '' };
      if (top !== undefined && (skipped !== true || attributes['xlink:href'] !== undefined))
        top.element.children.push(element);
      if (!tag.closed && !unwanted) {
        if (open.length >= MAX_DEPTH) {
          throw new FeatureTooDeep(position);
        }
        // Most elements hold a text and nothing else: they are read at once.
        const close = nextTag(bytes, position);
        if (top !== undefined && isEndTag(bytes, close, tag.written.bytes)) {
          if (close > position) element.text = memory.text(bytes, position, close, decode);
          position = close + tag.written.bytes.length + 3;
        } else {
          open.push({ element, written: tag.written, context: inner });
        }
      } else if (top === undefined) {
        return element;
      }
    }

    textStart = position;
    position = nextTag(bytes, position);
    if (position < 0) {
      throw new FeatureXmlError(`Expected </${open.at(-1)?.written.text}>, found the end`, bytes.length);
    }
  }
}

/** The part of a qualified name after the prefix. */
export function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

/** The prefix of a qualified name, empty when there is none. */
export function prefixOf(name: string): string {
  const colon = name.indexOf(':');
  return colon < 0 ? '' : name.slice(0, colon);
}

interface StartTag {
  written: Name;
  /** Where the tag goes on as it did the last time: the attributes then, and the next field is null. */
  rest: TagRest | null;
  /** Name and value by turns, as written but with entities resolved; null when there are none. */
  attributes: string[] | null;
  declared: Map<string, string> | null;
  /** Offset after the `>`. */
  end: number;
  /** True for `<a/>`. */
  closed: boolean;
}

function newStartTag(): StartTag {
  return { written: NO_NAME, rest: null, attributes: null, declared: null, end: 0, closed: false };
}

/** `tag`: what is filled and returned. */
function readStartTag(bytes: Buffer, start: number, memory: XmlMemory, tag = newStartTag()): StartTag {
  const written = memory.nameAt(bytes, start + 1);
  if (written === NO_NAME) throw new FeatureXmlError('Expected an element name after "<"', start);
  const nameEnd = start + 1 + written.bytes.length;
  tag.written = written;
  tag.rest = null;
  tag.attributes = null;
  tag.declared = null;
  let at = nameEnd;
  for (const rest of written.rests) {
    if (!occursAt(rest.bytes, bytes, at)) continue;
    tag.rest = rest;
    tag.end = at + rest.bytes.length;
    tag.closed = rest.closed;
    return tag;
  }
  for (;;) {
    const blank = at;
    at = afterBlanks(bytes, at);
    const byte = bytes[at];
    if (byte === GT || (byte === SLASH && bytes[at + 1] === GT)) {
      tag.closed = byte === SLASH;
      tag.end = at + (tag.closed ? 2 : 1);
      remember(tag, bytes, nameEnd, memory);
      return tag;
    }
    const name = memory.nameAt(bytes, at);
    if (name === NO_NAME || at === blank) {
      throw new FeatureXmlError(
        `Expected an attribute or ">" in <${written.text}>`,
        Math.min(at, bytes.length),
      );
    }
    at = afterBlanks(bytes, at + name.bytes.length);
    if (bytes[at] !== EQUALS) throw new FeatureXmlError(`Expected "=" after the attribute ${name.text}`, at);
    at = afterBlanks(bytes, at + 1);
    const quote = bytes[at];
    const close = quote === 0x22 || quote === 0x27 ? bytes.indexOf(quote, at + 1) : -1;
    if (close < 0) throw new FeatureXmlError(`Expected a quoted value of the attribute ${name.text}`, at);
    const value = decode(bytes, at + 1, close);
    if (name.text.startsWith('xmlns') && (name.text.length === 5 || name.text[5] === ':')) {
      tag.declared ??= new Map();
      tag.declared.set(name.text.slice(6), value);
    } else {
      tag.attributes ??= [];
      tag.attributes.push(name.text, value);
    }
    at = close + 1;
  }
}

/** Keeps the rest of a tag with its name, unless it depends on the file or is likely to be the only one. */
function remember(tag: StartTag, bytes: Buffer, nameEnd: number, memory: XmlMemory): void {
  const { written, attributes, declared, end, closed } = tag;
  if (declared !== null) return;
  const known: Record<string, string> = Object.create(null);
  for (let i = 0; attributes !== null && i < attributes.length; i += 2) {
    // Attributes with a prefix (gml:id, xlink:href) have a namespace, and a value of their own in each tag.
    if (attributes[i]!.includes(':')) return;
    known[attributes[i]!] = attributes[i + 1]!;
  }
  const fixed = attributes === null ? NO_ATTRIBUTES : Object.freeze(known);
  memory.keepRest(written, bytes, nameEnd, end, { attributes: fixed, closed });
}

function canonicalAttributes(
  written: string[] | null,
  context: NamespaceContext,
): Readonly<Record<string, string>> {
  if (written === null) return NO_ATTRIBUTES;
  const attributes: Record<string, string> = Object.create(null);
  for (let i = 0; i < written.length; i += 2) attributes[context.attribute(written[i]!)] = written[i + 1]!;
  return attributes;
}

/**
 * The offset after the end tag that closes an element whose content begins at `start`. Searching for the end tag's text
 * is several times faster than walking; it is right unless the content has an element of the same name, a comment or a
 * CDATA section. Then the content is walked.
 */
function afterContent(
  bytes: Buffer,
  start: number,
  written: Name,
  markup: Markup,
  memory: XmlMemory,
): number {
  const { length } = written.bytes;
  let nested = false;
  let at = start;
  for (;;) {
    at = bytes.indexOf(written.search, at);
    if (at < 0) throw new FeatureXmlError(`Expected </${written.text}>, found the end`, bytes.length);
    const before = bytes[at - 1];
    if (before === LT) nested = true;
    else if (before === SLASH && bytes[at - 2] === LT) {
      const end = afterBlanks(bytes, at + length);
      if (bytes[end] === GT) {
        const close = at - 2;
        return nested || hasMarkup(bytes, start, close, markup)
          ? walkContent(bytes, start, written, memory)
          : end + 1;
      }
    }
    at += length;
  }
}

/** The next `!` that is known of; content that goes by in order is searched for it once. */
interface Markup {
  next: number;
}

/** True when there may be a comment or a CDATA section between the two offsets. */
function hasMarkup(bytes: Buffer, start: number, end: number, markup: Markup): boolean {
  if (markup.next < start) {
    const found = bytes.indexOf(BANG, start);
    markup.next = found < 0 ? Infinity : found;
  }
  return markup.next < end;
}

function walkContent(bytes: Buffer, start: number, written: Name, memory: XmlMemory): number {
  let depth = 1;
  let position = start;
  for (;;) {
    position = bytes.indexOf(LT, position);
    if (position < 0) throw new FeatureXmlError(`Expected </${written.text}>, found the end`, bytes.length);
    const next = bytes[position + 1];
    if (next === SLASH) {
      const end = bytes.indexOf(GT, position);
      if (end < 0) throw new FeatureXmlError('Expected ">" of an end tag, found the end', bytes.length);
      depth--;
      position = end + 1;
      if (depth === 0) return position;
    } else if (next === BANG || next === QUESTION) {
      position = endOfMarkup(bytes, position);
    } else {
      const tag = readStartTag(bytes, position, memory);
      if (!tag.closed) depth++;
      position = tag.end;
    }
  }
}

/** The offset after a comment, CDATA section or processing instruction that begins at `start`. */
function endOfMarkup(bytes: Buffer, start: number): number {
  const [opening, closing] =
    bytes[start + 1] === QUESTION
      ? ['<?', '?>']
      : bytes[start + 2] === 0x5b
        ? ['<![CDATA[', ']]>']
        : ['<!--', '-->'];
  if (bytes.toString('latin1', start, start + opening.length) !== opening) {
    throw new FeatureXmlError('Expected a comment or a CDATA section after "<!"', start);
  }
  const end = bytes.indexOf(closing, start + opening.length);
  if (end < 0) throw new FeatureXmlError(`Expected "${closing}", found the end`, bytes.length);
  return end + closing.length;
}

function appendText(element: XmlElement, bytes: Buffer, start: number, end: number, memory: XmlMemory): void {
  const mayBeLayout = element.text === '' && (element.children.length > 0 || bytes[end + 1] !== SLASH);
  if (mayBeLayout && isBlank(bytes, start, end)) return;
  const text = memory.text(bytes, start, end, decode);
  element.text = element.text === '' ? text : element.text + text;
}

/** Bytes that are looked at here; calling the search costs as much as some thirty. */
const NEAR = 32;

/** True when an end tag of the name, without blanks, stands at the offset; negative offsets are none. */
function isEndTag(bytes: Buffer, at: number, name: Uint8Array): boolean {
  return (
    at >= 0 && bytes[at + 1] === SLASH && bytes[at + 2 + name.length] === GT && occursAt(name, bytes, at + 2)
  );
}

/** The next `<`; -1 when there is none. */
function nextTag(bytes: Buffer, start: number): number {
  const limit = Math.min(start + NEAR, bytes.length);
  for (let at = start; at < limit; at++) if (bytes[at] === LT) return at;
  return bytes.indexOf(LT, limit);
}

function decode(bytes: Buffer, start: number, end: number): string {
  const text = bytes.toString('utf8', start, end);
  return text.includes('&') ? text.replace(/&(#x?[0-9a-fA-F]+|[a-z]+);/g, resolveEntity) : text;
}

const PREDEFINED: Record<string, string> = { lt: '<', gt: '>', amp: '&', apos: "'", quot: '"' };

/** An entity that is not predefined stays as it is written. */
function resolveEntity(written: string, name: string): string {
  if (name[0] !== '#') return Object.hasOwn(PREDEFINED, name) ? PREDEFINED[name]! : written;
  const code = name[1] === 'x' ? Number.parseInt(name.slice(2), 16) : Number.parseInt(name.slice(1), 10);
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : written;
}

function afterBlanks(bytes: Buffer, start: number): number {
  let at = start;
  while (at < bytes.length && isBlankByte(bytes[at]!)) at++;
  return at;
}

function isBlank(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (!isBlankByte(bytes[at]!)) return false;
  return true;
}

function isBlankByte(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
