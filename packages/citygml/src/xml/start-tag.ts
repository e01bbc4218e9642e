/** Start tags, from bytes: name, attributes, declarations of namespaces. */

import type { NamespaceContext } from './namespace-context.ts';
import { FeatureXmlError, NO_ATTRIBUTES } from './xml-element.ts';
import { type Name, NO_NAME, occursAt, type TagRest, type XmlMemory } from './xml-names.ts';

/** `>` and `/`. */
export const GT = 0x3e;
export const SLASH = 0x2f;
const EQUALS = 0x3d;

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

/** One to be filled. */
export function newStartTag(): StartTag {
  return { written: NO_NAME, rest: null, attributes: null, declared: null, end: 0, closed: false };
}

/** `tag`: what is filled and returned. */
export function readStartTag(bytes: Buffer, start: number, memory: XmlMemory, tag = newStartTag()): StartTag {
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

/** Attributes by their canonical names. */
export function canonicalAttributes(
  written: string[] | null,
  context: NamespaceContext,
): Readonly<Record<string, string>> {
  if (written === null) return NO_ATTRIBUTES;
  const attributes: Record<string, string> = Object.create(null);
  for (let i = 0; i < written.length; i += 2) attributes[context.attribute(written[i]!)] = written[i + 1]!;
  return attributes;
}

/** Text with entities resolved. */
export function decode(bytes: Buffer, start: number, end: number): string {
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

/** The offset after blanks. */
export function afterBlanks(bytes: Buffer, start: number): number {
  let at = start;
  while (at < bytes.length && isBlankByte(bytes[at]!)) at++;
  return at;
}

/** True for white space of XML. */
export function isBlankByte(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
