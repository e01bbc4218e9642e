/**
 * Tags from bytes: names, attributes, namespaces, and which elements are open. A tag is one comparison with the tag
 * that followed the same one last time.
 */
import type { IssueSink } from '@citymodel/base';
import { declarationFault } from '../xml/namespaces.ts';
import { Fault, OVER_BUDGET, ScannerInput } from './scanner-input.ts';
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
  IS_NAME,
  IS_SPACE,
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
const EQUALS_QUOTE = Buffer.from('="');

const MAX_DEPTH = 1000;
/** Namespace declarations from the root to one element; real files have some thirty. */
const MAX_IN_SCOPE = 10_000;

/** What is done with the text that comes next. */
export const Text = { outside: 0, skipped: 1, numbers: 2, captured: 3 } as const;

/** What happens with elements as tags begin and end them. */
export interface ElementHandler {
  /**
   * An element begins: its tag is `buffer[at, after)`, its attributes are in the lists, it is the last of `open`.
   * `outer` is the namespace context around it.
   */
  opened(name: ElementName, at: number, end: number, outer: NamespaceContext): void;
  /** An element ends: its end tag is `buffer[at, after)`; it is still the last of `open`. */
  closed(name: ElementName, at: number, end: number): void;
  /** A namespace is declared. */
  declared(uri: string): void;
}

/** Reads tags and keeps the open elements. */
export abstract class TagReader extends ScannerInput {
  protected elements!: ElementHandler;
  /** Names that may be known before this text brings too many. */
  private readonly nameLimit: number;

  textMode: number = Text.outside;
  context: NamespaceContext;
  /** The tag before this one, which foretells this one. */
  private previous: ElementName;
  private afterEnd = false;
  /** Elements that are open, the root first. */
  readonly open: ElementName[] = [];
  rootSeen = false;

  private readonly attributeTable: NameTable<AttributeName>;
  /** Attributes of the start tag that is being read; their values are `buffer[valueStarts[k], valueEnds[k])`. */
  readonly attributes: AttributeName[] = [];
  readonly valueStarts: Int32Array;
  readonly valueEnds: Int32Array;
  attributeCount = 0;

  constructor(onIssue: IssueSink, member: string, memory: ScannerMemory) {
    super(onIssue, member, memory);
    this.context = memory.context;
    this.previous = this.context.anchor;
    this.attributeTable = memory.attributes;
    this.nameLimit = this.context.tally.names + this.attributeTable.size + MAX_NAMES;
    this.valueStarts = memory.valueStarts;
    this.valueEnds = memory.valueEnds;
  }

  protected endTag(at: number, final: boolean): number {
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

  protected startTag(at: number): number {
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

  unbound(prefix: string, at: number): Fault {
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
      this.elements.declared(uri);
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
    this.elements.opened(name, at, end, outer);
    this.previous = name;
    this.afterEnd = false;
  }

  private closeElement(name: ElementName, at: number, end: number): void {
    const { context } = this;
    this.textMode = this.open.length === 1 ? Text.outside : Text.skipped;
    this.elements.closed(name, at, end);
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
