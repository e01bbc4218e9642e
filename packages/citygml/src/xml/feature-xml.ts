import { MAX_BOUND, NamespaceContext } from './namespace-context.ts';
import { XML_NAMESPACE } from './namespaces.ts';
import {
  afterBlanks,
  canonicalAttributes,
  decode,
  GT,
  isBlankByte,
  newStartTag,
  readStartTag,
  SLASH,
} from './start-tag.ts';
import { FeatureTooDeep, FeatureXmlError, MAX_DEPTH, type XmlElement } from './xml-element.ts';
import { type Name, occursAt, XmlMemory } from './xml-names.ts';

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

const LT = 0x3c;
const BANG = 0x21;
const QUESTION = 0x3f;

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

function isBlank(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (!isBlankByte(bytes[at]!)) return false;
  return true;
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
