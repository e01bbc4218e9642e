import { canonicalPrefix } from './namespaces.ts';

/**
 * Reads the text of one feature into a light tree. It is a byte walk and no general XML parser: a feature is
 * a well-formed slice of a file whose root start tag supplies the namespaces, so document types and entities
 * other than the predefined and numeric ones do not occur in it. General parsers over characters took two to
 * three times as long on the same slices, mostly for geometry that attributes do not need.
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
  /** Character data of the element itself, without that of its children and not trimmed; empty when there is only white space beside children. */
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
const MAX_DEPTH = 200;

const LT = 0x3c;
const GT = 0x3e;
const SLASH = 0x2f;
const EQUALS = 0x3d;
const BANG = 0x21;
const QUESTION = 0x3f;

const NO_ATTRIBUTES: Readonly<Record<string, string>> = Object.freeze({});
const XML_NAMESPACE = 'http://www.w3.org/XML/1998/namespace';

/** Prefixes that are bound at some place of a file, and the canonical names of what was seen under them. */
export class NamespaceContext {
  readonly #bound: ReadonlyMap<string, string>;
  readonly #elements = new Map<string, string>();
  readonly #attributes = new Map<string, string>();

  constructor(bound: ReadonlyMap<string, string>) {
    this.#bound = bound;
  }

  /** Canonical name of an element; the written name where the namespace is unknown or the prefix unbound. */
  element(written: string): string {
    let name = this.#elements.get(written);
    if (name === undefined) {
      name = this.#canonical(written, true);
      this.#elements.set(written, name);
    }
    return name;
  }

  /** Canonical name of an attribute; one without a prefix has no namespace (Namespaces in XML, section 6.2). */
  attribute(written: string): string {
    let name = this.#attributes.get(written);
    if (name === undefined) {
      name = this.#canonical(written, false);
      this.#attributes.set(written, name);
    }
    return name;
  }

  /** The context inside an element that declares more. */
  extend(declared: ReadonlyMap<string, string>): NamespaceContext {
    return new NamespaceContext(new Map([...this.#bound, ...declared]));
  }

  #canonical(written: string, defaultApplies: boolean): string {
    const colon = written.indexOf(':');
    if (colon < 0 && !defaultApplies) return written;
    const uri = this.#bound.get(colon < 0 ? '' : written.slice(0, colon));
    const known = uri === undefined ? null : canonicalPrefix(uri);
    return known === null ? written : `${known.prefix}:${written.slice(colon + 1)}`;
  }
}

/**
 * The namespaces that the root start tag of a file declares (`<core:CityModel xmlns:core="…" …>`, as bytes).
 * Throws a FeatureXmlError when the bytes are no start tag.
 */
export function namespaceContext(rootTag: Uint8Array): NamespaceContext {
  const bytes = asBuffer(rootTag);
  const start = bytes.indexOf(LT);
  if (start < 0) throw new FeatureXmlError('Expected the root start tag, found no "<"', 0);
  const tag = readStartTag(bytes, start);
  return new NamespaceContext(new Map([['xml', XML_NAMESPACE], ...(tag.declared ?? [])]));
}

/** True for an element whose content is not wanted; `parent` is the name of the element that holds it. */
export type SkipRule = (name: string, parent: string) => boolean;

/**
 * Reads one element from its `<` on (white space and a byte order mark may precede it; what follows its end
 * tag is ignored). Elements that `skip` names are left out, except for those that point elsewhere by
 * `xlink:href`, which stay as empty elements. Throws a FeatureXmlError when the bytes are malformed or end early.
 */
export function parseFeature(text: Uint8Array, context: NamespaceContext, skip?: SkipRule): XmlElement {
  const bytes = asBuffer(text);
  let position = bytes.indexOf(LT);
  if (position < 0) throw new FeatureXmlError('Expected an element, found no "<"', 0);
  while (bytes[position + 1] === QUESTION || bytes[position + 1] === BANG) {
    position = bytes.indexOf(LT, endOfMarkup(bytes, position));
    if (position < 0) throw new FeatureXmlError('Expected an element, found only comments', bytes.length);
  }

  const open: Array<{ element: XmlElement; written: string; context: NamespaceContext }> = [];
  let textStart = position;
  for (;;) {
    const top = open.at(-1);
    if (top !== undefined && position > textStart) appendText(top.element, bytes, textStart, position);
    const next = bytes[position + 1];

    if (next === SLASH) {
      const end = bytes.indexOf(GT, position);
      if (end < 0) throw new FeatureXmlError('Expected ">" of an end tag, found the end', bytes.length);
      const written = nameAt(bytes, position + 2);
      if (
        top === undefined ||
        written !== top.written ||
        !isBlank(bytes, position + 2 + Buffer.byteLength(written), end)
      ) {
        throw new FeatureXmlError(`Expected </${top?.written ?? ''}>, found </${written}>`, position);
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
      const tag = readStartTag(bytes, position);
      let inner = top?.context ?? context;
      if (tag.declared !== null) inner = inner.extend(tag.declared);
      const name = inner.element(tag.written);
      position = tag.end;
      const unwanted = top !== undefined && skip?.(name, top.element.name) === true;
      if (unwanted && !tag.closed) position = afterContent(bytes, position, tag.written);
      const attributes = canonicalAttributes(tag.attributes, inner);
      const element: XmlElement = { name, attributes, children: [], text: '' };
      if (top !== undefined && (!unwanted || attributes['xlink:href'] !== undefined))
        top.element.children.push(element);
      if (!tag.closed && !unwanted) {
        if (open.length >= MAX_DEPTH) {
          throw new FeatureXmlError(`Elements nest deeper than ${MAX_DEPTH}`, position);
        }
        open.push({ element, written: tag.written, context: inner });
      } else if (top === undefined) {
        return element;
      }
    }

    textStart = position;
    position = bytes.indexOf(LT, position);
    if (position < 0) {
      throw new FeatureXmlError(`Expected </${open.at(-1)?.written}>, found the end`, bytes.length);
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
  written: string;
  /** Name and value by turns, as written but with entities resolved; null when there are none. */
  attributes: string[] | null;
  declared: Map<string, string> | null;
  /** Offset after the `>`. */
  end: number;
  /** True for `<a/>`. */
  closed: boolean;
}

function readStartTag(bytes: Buffer, start: number): StartTag {
  const written = nameAt(bytes, start + 1);
  if (written === '') throw new FeatureXmlError('Expected an element name after "<"', start);
  const tag: StartTag = { written, attributes: null, declared: null, end: 0, closed: false };
  let at = start + 1 + Buffer.byteLength(written);
  for (;;) {
    const blank = at;
    at = afterBlanks(bytes, at);
    const byte = bytes[at];
    if (byte === GT) {
      tag.end = at + 1;
      return tag;
    }
    if (byte === SLASH && bytes[at + 1] === GT) {
      tag.end = at + 2;
      tag.closed = true;
      return tag;
    }
    const name = byte === undefined ? '' : nameAt(bytes, at);
    if (name === '' || at === blank) {
      throw new FeatureXmlError(`Expected an attribute or ">" in <${written}>`, Math.min(at, bytes.length));
    }
    at = afterBlanks(bytes, at + Buffer.byteLength(name));
    if (bytes[at] !== EQUALS) throw new FeatureXmlError(`Expected "=" after the attribute ${name}`, at);
    at = afterBlanks(bytes, at + 1);
    const quote = bytes[at];
    const close = quote === 0x22 || quote === 0x27 ? bytes.indexOf(quote, at + 1) : -1;
    if (close < 0) throw new FeatureXmlError(`Expected a quoted value of the attribute ${name}`, at);
    const value = decode(bytes, at + 1, close);
    if (name === 'xmlns' || name.startsWith('xmlns:')) {
      tag.declared ??= new Map();
      tag.declared.set(name.slice(6), value);
    } else {
      tag.attributes ??= [];
      tag.attributes.push(name, value);
    }
    at = close + 1;
  }
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
 * The offset after the end tag that closes an element whose content begins at `start`. Searching for the end
 * tag's text is several times faster than walking; it is right unless the content holds an element of the
 * same name, a comment or a CDATA section, and then the content is walked after all.
 */
function afterContent(bytes: Buffer, start: number, written: string): number {
  let close = start;
  for (;;) {
    close = bytes.indexOf(`</${written}`, close);
    if (close < 0) throw new FeatureXmlError(`Expected </${written}>, found the end`, bytes.length);
    const end = afterBlanks(bytes, close + 2 + Buffer.byteLength(written));
    if (bytes[end] === GT) {
      const content = bytes.subarray(start, close);
      if (content.includes('<!') || content.includes(`<${written}`))
        return walkContent(bytes, start, written);
      return end + 1;
    }
    close += 2;
  }
}

function walkContent(bytes: Buffer, start: number, written: string): number {
  let depth = 1;
  let position = start;
  for (;;) {
    position = bytes.indexOf(LT, position);
    if (position < 0) throw new FeatureXmlError(`Expected </${written}>, found the end`, bytes.length);
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
      const tag = readStartTag(bytes, position);
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

function appendText(element: XmlElement, bytes: Buffer, start: number, end: number): void {
  if (element.children.length > 0 && element.text === '' && isBlank(bytes, start, end)) return;
  if (element.text === '' && bytes[end + 1] !== SLASH && isBlank(bytes, start, end)) return;
  element.text += decode(bytes, start, end);
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

function nameAt(bytes: Buffer, start: number): string {
  let end = start;
  let ascii = true;
  for (; end < bytes.length; end++) {
    const byte = bytes[end]!;
    if (byte <= 0x20 || byte === GT || byte === SLASH || byte === EQUALS || byte === LT) break;
    if (byte >= 0x80) ascii = false;
  }
  return bytes.toString(ascii ? 'latin1' : 'utf8', start, end);
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
