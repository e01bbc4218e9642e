/**
 * The single pass over a CityGML file: features, levels of detail, boxes, footprints, references and names,
 * from bytes in chunks of any size, in memory that only the index makes grow.
 *
 *                   ┌──────────── text ────────────┐
 *                   │ outside  blanks only          │ <      ┌─ </name>      close
 *      bytes ─────▶ │ skipped  nobody needs it      │ ─────▶ ├─ <name …>     open   (attributes, namespaces)
 *                   │ numbers  coordinates          │        ├─ <name …/>    open, close
 *                   │ captured a name, a code, …    │        ├─ <!-- <![CDATA[ <?   until --> ]]> ?>
 *                   └──────────────▲────────────────┘        └─ <!DOCTYPE    refused when it declares anything
 *                                  └──────────────────────────────────┘
 *
 * A token that the chunk breaks off stays in the work buffer until the rest has come. The buffer always ends
 * with `<`, so that no inner loop has to look for the end. The first fault in well-formedness stops the pass;
 * what came before it counts.
 *
 * The file is longer than most because the loop over the bytes must be one: everything that is not markup
 * (names, numbers, geometry, inventory, index) is in a file of its own.
 */
import type { IssueSink } from '../base/issue.ts';
import type { Extent } from '../geo/bounds.ts';
import { type Crs, crsOf } from './crs.ts';
import { FeatureIndexWriter, MAX_ID_LENGTH } from './feature-index-writer.ts';
import { PartKind } from './footprint.ts';
import { canonicalPrefix } from './namespaces.ts';
import { declaredEncoding, detectEncoding, Utf8Check } from './scanner-encoding.ts';
import { GeometryCollector, NO_LOD, Slot } from './scanner-geometry.ts';
import { Inventory } from './scanner-inventory.ts';
import { countLineFeeds } from './scanner-lines.ts';
import {
  type AttributeName,
  AttributeRole,
  type ElementName,
  isQualifiedName,
  NamespaceContext,
  NameTable,
  Role,
  sameBytes,
} from './scanner-names.ts';
import { DecimalReader } from './scanner-numbers.ts';
import { decodeText, ENDS_NAME, IS_NAME, IS_NAME_START, IS_SPACE, referencedText } from './scanner-text.ts';
import type { GmlSummary } from './summary.ts';

export interface GmlScannerOptions {
  onIssue: IssueSink;
  /** Path of the file in its package, for issues. */
  member: string;
  /** Called with the offset after each feature's end, ascending: cutting the text there splits no feature. */
  blockHint?: (textOffset: number) => void;
  /** Most names of places that are kept. */
  placeLimit?: number;
}

const LT = 0x3c;
const GT = 0x3e;
const SLASH = 0x2f;
const AMP = 0x26;

/** Chunks are taken in slices of this size. */
const SLICE = 256 * 1024;
/** A tag may not be longer. */
const MAX_TAG = 1024 * 1024;
/** Text that is captured may not be longer; it is skipped then. */
const MAX_CAPTURED = 64 * 1024;
const MAX_DEPTH = 1000;
const MAX_ATTRIBUTES = 500;
/** Bytes of new text below which scanning waits for more, so that tiny chunks cost little. */
const LEAST = 4096;

const USUAL_CRS = 'EPSG:6697';

const Text = { outside: 0, skipped: 1, numbers: 2, captured: 3 } as const;

/** Markup whose end a chunk may break off anywhere: what ends it. */
const COMMENT_END = Buffer.from('--');
const CDATA_END = Buffer.from(']]>');
const PI_END = Buffer.from('?>');

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

/** One srsName and how often geometry uses it. */
interface CrsUse {
  srsName: string;
  crs: Crs | null;
  uses: number;
}

/** What holds inside an element and must be put back after it. */
interface Saved {
  depth: number;
  context: NamespaceContext;
  crs: CrsUse | null;
  dimension: number;
  slot: number;
  inProperty: boolean;
  inAttribute: boolean;
  skipping: boolean;
  id: number;
}

/** Scans one GML. Push its bytes in order, then `end` once. No bytes make it throw. */
export class GmlScanner {
  private readonly options: GmlScannerOptions;
  private size = 0;

  private buffer: Buffer = Buffer.from(new ArrayBuffer(SLICE + LEAST * 4));
  private words = new Uint32Array(this.buffer.buffer);
  /** Unread bytes are `buffer[at, limit)`; `buffer[0]` is byte `base` of the text. */
  private at = 0;
  private limit = 0;
  private base = 0;
  /** Line feeds before `buffer[at]`. */
  private lines = 0;
  private needed = LEAST;
  private readonly utf8 = new Utf8Check();
  private encoding = 'utf-8';
  private faultAt = -1;
  private begun = false;

  private textMode: number = Text.outside;
  private captured = '';
  private capturing: ElementName | null = null;
  /** Element depth at which `capturing` is open. */
  private captureDepth = 0;
  /** What ends the comment, CDATA section or instruction that is open. */
  private until: Buffer | null = null;

  private context = new NamespaceContext(new Map());
  private previous: ElementName = this.context.anchor;
  private afterEnd = false;
  private readonly open: ElementName[] = [];
  private readonly saved: Saved[] = [];
  private savedCount = 0;
  private savedDepth = -1;
  private rootTag: Uint8Array = new Uint8Array(0);
  private rootSeen = false;
  private markupSeen = false;

  private readonly attributeTable = new NameTable<AttributeName>();
  private readonly attributes: AttributeName[] = [];
  private readonly valueStarts = new Int32Array(MAX_ATTRIBUTES);
  private readonly valueEnds = new Int32Array(MAX_ATTRIBUTES);
  private attributeCount = 0;

  private memberDepth = 0;
  private memberChildren = 0;
  private featureDepth = 0;
  private featureStart = 0;
  private featureId: Uint8Array | null = null;

  private crs: CrsUse | null = null;
  private dimension = 0;
  private fileCrs: CrsUse | null = null;
  private fileDimension = 0;
  private featureCrs: CrsUse | null = null;
  private featureDimension = 0;
  private readonly crsUses = new Map<string, CrsUse>();

  private readonly geometry = new GeometryCollector();
  /** Divisible by 2 and 3, so that a full reader holds whole positions. */
  private readonly numbers = new DecimalReader(12_288);
  private slot: number = Slot.body + NO_LOD;
  /** Inside a property whose content is geometry of a known slot. */
  private inProperty = false;
  private inAttribute = false;
  private skipping = false;
  private demLod = -1;
  private partKind = -1;
  private partStarted = false;
  private partBroken = false;
  private partDimension = 0;
  private partCrs: CrsUse | null = null;
  private isHole = false;

  private readonly index = new FeatureIndexWriter();
  private readonly inventory: Inventory;
  private readonly lods: GmlSummary['lods'] = [0, 0, 0, 0, 0];
  private readonly elements = new Map<string, number>();
  private extent: Extent | null = null;
  private citygmlVersion: string | null = null;
  private readonly iurVersions = new Set<string>();
  private lineAddress = '';

  constructor(options: GmlScannerOptions) {
    this.options = options;
    this.inventory = new Inventory(options.placeLimit ?? 20_000);
  }

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

  /** Ends the text. */
  end(): GmlSummary {
    if (this.faultAt < 0) {
      this.utf8.end();
      this.scan(true);
    }
    const readable = this.checkEncoding();
    const { references, areaCodes, places } = this.inventory.result();
    const fallback = this.fileCrs;
    return {
      size: this.size,
      features: this.index.features,
      featuresWithoutId: this.index.withoutId,
      lods: this.lods,
      extent: this.extent,
      crs: [...this.crsUses.values()]
        .filter((use) => use.uses > 0)
        .sort((a, b) => b.uses - a.uses)
        .map((use) => (use.crs === null ? use.srsName : `EPSG:${use.crs.epsg}`))
        .filter((name, i, all) => all.indexOf(name) === i),
      elements: [...this.elements]
        .map(([name, count]) => ({ name, count }))
        .sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1)),
      citygmlVersion: this.citygmlVersion,
      iurVersions: [...this.iurVersions].sort(),
      references,
      areaCodes,
      places,
      wellFormed: this.faultAt < 0 && readable,
      featureIndex: this.index.finish(this.rootTag, {
        srsName: fallback?.srsName ?? '',
        srsDimension: this.fileDimension === 0 ? '' : String(this.fileDimension),
      }),
    };
  }

  // ---- bytes in

  private take(slice: Uint8Array): void {
    const unread = this.limit - this.at;
    if (unread + slice.length + 8 > this.buffer.length) {
      const larger = Buffer.from(new ArrayBuffer(Math.ceil((unread + slice.length) / 4096) * 8192));
      larger.set(this.buffer.subarray(this.at, this.limit));
      this.buffer = larger;
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
    try {
      if (!this.begun) this.begin(final);
      if (this.begun) this.run(final);
      if (final) this.finish();
      this.lines += countLineFeeds(this.buffer, this.words, from, this.at);
      const unread = this.limit - this.at;
      // Doubling what must come before the next try keeps the cost of long tokens linear.
      this.needed = unread + Math.max(LEAST, unread);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      this.faultAt = this.base + error.at;
      this.options.onIssue({
        code: error.code,
        severity: 'error',
        message: error.message,
        member: this.options.member,
        line: this.lines + countLineFeeds(this.buffer, this.words, from, error.at) + 1,
        byte: this.faultAt,
      });
    }
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

  private fault(message: string, at: number): Fault {
    return new Fault('NOT_WELL_FORMED', message, at);
  }

  private note(
    code: string,
    severity: 'error' | 'warning' | 'info',
    message: string,
    byte?: number,
    line?: number,
  ): void {
    this.options.onIssue({
      code,
      severity,
      message,
      member: this.options.member,
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
        if (i >= end || buffer[i] !== LT) break;
      } else {
        const start = i;
        let c = buffer[i]!;
        while (c !== LT) {
          if (c === AMP) {
            const after = this.passReference(i, final);
            if (after < 0) break;
            i = after - 1;
          } else if (mode === Text.outside && IS_SPACE[c] === 0) {
            throw this.outside(i);
          }
          c = buffer[++i]!;
        }
        if (mode === Text.captured) {
          if (i >= end || c === AMP) {
            if (!final && i - start < MAX_CAPTURED) {
              i = start;
              break;
            }
            this.textMode = Text.skipped;
          } else if (i > start) {
            this.capture(start, i);
          }
        }
        if (i >= end || c === AMP) break;
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

  private outside(at: number): Fault {
    if (this.rootSeen) return this.fault('There is text after the root element.', at);
    return new Fault('NOT_XML', 'The file does not begin with markup, expected a CityGML document.', at);
  }

  /** Checks a reference in text; the index after it, or -1 when more bytes are needed. */
  private passReference(at: number, final: boolean): number {
    if (this.open.length === 0) throw this.outside(at);
    const end = this.limit;
    let i = at + 1;
    while (i < end && i - at <= 16 && this.buffer[i] !== 0x3b && this.buffer[i] !== LT) i++;
    if (i >= end && !final) return -1;
    const name = this.buffer.toString('latin1', at + 1, i);
    if (i >= end || this.buffer[i] !== 0x3b || referencedText(name) === null) {
      throw this.fault(`&${name.slice(0, 16)} is no reference that XML knows; & is written &amp;.`, at);
    }
    return i + 1;
  }

  /** Reads numbers from `at`; the index of the next `<`, or where to go on when more bytes have come. */
  private readNumbers(at: number): number {
    const { numbers, buffer, limit } = this;
    let i = at;
    for (;;) {
      if (this.partBroken) {
        while (buffer[i] !== LT) i++;
        return i;
      }
      numbers.read(buffer, i, limit, this.open.at(-1)!.role === Role.coordinates);
      i = numbers.position;
      if (
        numbers.malformed ||
        (buffer[i] !== LT && numbers.count < numbers.values.length && limit - i > 1000)
      ) {
        this.partBroken = true;
      } else if (numbers.count === numbers.values.length) {
        this.absorb();
      } else {
        return i;
      }
    }
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
      if (until === CDATA_END) this.characterData(at, found);
      this.until = null;
      return found + (until === COMMENT_END ? 3 : until.length);
    }
    if (final) throw this.fault(`The text ends before ${until.toString()}.`, limit);
    if (until === CDATA_END && this.textMode >= Text.numbers && limit - at < MAX_CAPTURED) return at;
    if (until === CDATA_END && this.textMode === Text.captured) this.textMode = Text.skipped;
    if (until === CDATA_END && this.textMode === Text.numbers) this.partBroken = true;
    return Math.max(at, limit - 2);
  }

  private characterData(from: number, to: number): void {
    if (this.textMode === Text.captured) this.captured += this.buffer.toString('utf8', from, to);
    // Coordinates in a CDATA section are legal, but no writer does it.
    else if (this.textMode === Text.numbers && to > from) this.partBroken = true;
  }

  private capture(from: number, to: number): void {
    if (this.captured.length < MAX_CAPTURED) this.captured += decodeText(this.buffer, from, to);
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
      const { bytes } = name;
      const { length } = bytes;
      let k = 0;
      while (k < length && buffer[i + k] === bytes[k]) k++;
      if (k === length) {
        i += length;
        while (IS_SPACE[buffer[i]!] === 1) i++;
        if (buffer[i] === GT) {
          this.close(name, at, i + 1);
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
    if (limit - at < 6) return -1;
    if (buffer.toString('latin1', at, at + 5) === '<?xml' && IS_SPACE[buffer[at + 5]!] === 1) {
      if (!first) throw this.fault('An XML declaration stands after the beginning of the file.', at);
      const end = buffer.indexOf(PI_END, at);
      if (end < 0 || end + 2 > limit) return -1;
      this.encoding = declaredEncoding(buffer.toString('latin1', at, end));
      return end + 2;
    }
    this.until = PI_END;
    return at + 2;
  }

  private startTag(at: number): number {
    const { buffer, limit } = this;
    const from = at + 1;
    let i = from;
    let name: ElementName | null = null;
    const guess = this.afterEnd ? this.previous.afterEnd : this.previous.afterStart;
    if (guess !== null) {
      const { bytes } = guess;
      const { length } = bytes;
      let k = 0;
      while (k < length && buffer[from + k] === bytes[k]) k++;
      if (k === length && ENDS_NAME[buffer[from + k]!] === 1) {
        name = guess;
        i = from + length;
      }
    }
    let hash = 0;
    if (name === null) {
      let c = buffer[i]!;
      while (IS_NAME[c] === 1) {
        hash = (Math.imul(hash, 31) + c) | 0;
        c = buffer[++i]!;
      }
      if (i >= limit) return -1;
      if (ENDS_NAME[c] === 0) throw this.fault('A tag has a character that names do not have.', i);
      name = this.context.element(buffer, from, i, hash);
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
      i = this.attribute(i);
      if (i < 0) return -1;
      if (this.attributes[this.attributeCount - 1]!.declares) declares = true;
    }
    if (i >= limit) return -1;
    const after = i + 1;

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
    this.opened(name, at, after, outer);
    if (empty) this.close(name, after, after);
    return after;
  }

  /** Reads the attribute at `at` into the lists; the index after its value, or -1 when more bytes are needed. */
  private attribute(at: number): number {
    const { buffer, limit } = this;
    let i = at;
    let hash = 0;
    let c = buffer[i]!;
    while (IS_NAME[c] === 1) {
      hash = (Math.imul(hash, 31) + c) | 0;
      c = buffer[++i]!;
    }
    const nameEnd = i;
    while (IS_SPACE[c] === 1) c = buffer[++i]!;
    if (i >= limit) return -1;
    if (nameEnd === at || c !== 0x3d) throw this.fault('An attribute is not of the form name="value".', at);
    c = buffer[++i]!;
    while (IS_SPACE[c] === 1) c = buffer[++i]!;
    if (i >= limit) return -1;
    if (c !== 0x22 && c !== 0x27) throw this.fault('The value of an attribute is not in quotes.', i);
    const quote = c;
    const start = ++i;
    c = buffer[i]!;
    while (c !== quote) {
      if (c === LT) {
        if (i >= limit) return -1;
        throw this.fault('A < stands in the value of an attribute, where it is written &lt;.', i);
      }
      if (c === AMP) {
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
    let attribute = this.attributeTable.find(buffer, at, nameEnd, hash);
    if (attribute === undefined) {
      const text = buffer.toString('utf8', at, nameEnd);
      if (!isQualifiedName(text)) throw this.fault(`${text.slice(0, 100)} is no name of an attribute.`, at);
      attribute = {
        bytes: Buffer.from(text),
        hash,
        text,
        declares: text.startsWith('xmlns'),
        context: null,
        role: 0,
        unbound: false,
      };
      this.attributeTable.add(attribute);
    }
    const count = this.attributeCount;
    if (count === MAX_ATTRIBUTES) throw this.fault(`A tag has more than ${MAX_ATTRIBUTES} attributes.`, at);
    for (let k = 0; k < count; k++) {
      if (this.attributes[k] === attribute) {
        throw this.fault(`The attribute ${attribute.text} stands twice in one tag.`, at);
      }
    }
    this.attributes[count] = attribute;
    this.valueStarts[count] = start;
    this.valueEnds[count] = i;
    this.attributeCount++;
    return i + 1;
  }

  private unbound(prefix: string, at: number): Fault {
    return new Fault('UNBOUND_PREFIX', `The prefix ${prefix.slice(0, 100)} is not bound to a namespace.`, at);
  }

  /** The context that the xmlns attributes of the tag lead to. */
  private contextInside(outer: NamespaceContext): NamespaceContext {
    const declared: Array<[string, string]> = [];
    for (let k = 0; k < this.attributeCount; k++) {
      const { text } = this.attributes[k]!;
      const start = this.valueStarts[k]!;
      const prefix = text === 'xmlns' ? '' : text.startsWith('xmlns:') ? text.slice(6) : null;
      if (prefix === null || prefix === 'xml') continue;
      const uri = decodeText(this.buffer, start, this.valueEnds[k]!);
      if (prefix !== '' && uri === '') throw this.fault(`The prefix ${prefix} is bound to nothing.`, start);
      declared.push([prefix, uri]);
      const known = canonicalPrefix(uri);
      if (known?.prefix === 'core') this.citygmlVersion ??= known.version;
      if (known?.prefix.startsWith('ur') && known.version !== null && this.iurVersions.size < 100) {
        this.iurVersions.add(known.version);
      }
    }
    return outer.extend(declared);
  }

  // ---- elements

  /** An element begins: its tag is `buffer[at, after)`, its attributes are in the lists. */
  private opened(name: ElementName, at: number, after: number, outer: NamespaceContext): void {
    const depth = this.open.length + 1;
    if (depth > MAX_DEPTH) throw this.fault(`Elements are nested more than ${MAX_DEPTH} deep.`, at);
    if (depth === 1) this.root(name, at, after);
    let saved: Saved | null = null;
    if (this.context !== outer) {
      saved = this.save(depth);
      saved.context = outer;
    }
    const inFeature = this.featureDepth > 0;
    let feature = false;
    if (!inFeature && this.memberDepth > 0 && depth === this.memberDepth + 1) {
      this.memberChildren++;
      feature = name.role !== Role.container;
      if (feature) this.beginFeature(depth, at);
    }

    let hasHref = false;
    let hasCodeSpace = false;
    let authorities = false;
    let srsDimension = 0;
    let crs: CrsUse | null = null;
    for (let k = 0; k < this.attributeCount; k++) {
      const attribute = this.attributes[k]!;
      if (attribute.context !== this.context) this.context.bind(attribute);
      if (attribute.unbound) throw this.unbound(attribute.text.replace(/:.*/, ''), this.valueStarts[k]!);
      const start = this.valueStarts[k]!;
      const end = this.valueEnds[k]!;
      switch (attribute.role) {
        case AttributeRole.id:
          if (feature) {
            this.featureId = this.idBytes(start, end);
          } else if (name.gml && inFeature && this.inProperty && this.geometry.wantsIds) {
            saved ??= this.save(depth);
            saved.id = this.geometry.openId(
              hashBytes(this.buffer, start, end, 31),
              hashBytes(this.buffer, start, end, 0x01000193),
            );
          }
          break;
        case AttributeRole.href:
          hasHref = true;
          if (this.buffer[start] !== 0x23) this.inventory.refer('hrefs', decodeText(this.buffer, start, end));
          break;
        case AttributeRole.codeSpace:
          hasCodeSpace = true;
          authorities = this.codeSpace(name, start, end);
          break;
        case AttributeRole.srsName:
          crs = this.crsUse(decodeText(this.buffer, start, end).trim());
          break;
        case AttributeRole.srsDimension: {
          const value = Number(decodeText(this.buffer, start, end));
          if (value === 2 || value === 3) srsDimension = value;
          break;
        }
        case AttributeRole.schemaLocation:
          this.inventory.schemaLocations(decodeText(this.buffer, start, end));
          break;
      }
    }
    if (crs !== null || srsDimension !== 0) {
      saved ??= this.save(depth);
      if (crs !== null) {
        this.crs = crs;
        this.dimension = srsDimension;
      } else {
        this.dimension = srsDimension;
      }
    }
    this.open.push(name);
    if (depth > 1) this.textMode = Text.skipped;
    if (this.capturing !== null && depth > this.captureDepth) this.captured = '';
    if (name.role !== Role.none) this.openRole(name, depth, saved);
    if (authorities) this.startCapture(name, depth);
    if (name.role === Role.name && (hasCodeSpace || depth !== this.featureDepth + 1)) this.stopCapture();
    if (hasHref && this.inProperty && !this.skipping) this.reference();
    this.previous = name;
    this.afterEnd = false;
  }

  private openRole(name: ElementName, depth: number, saved: Saved | null): void {
    const inFeature = this.featureDepth > 0;
    switch (name.role) {
      case Role.member:
        if (!inFeature) {
          this.memberDepth = depth;
          this.memberChildren = 0;
        }
        break;
      case Role.lod:
      case Role.terrain:
      case Role.relief: {
        if (!inFeature) break;
        if (saved === null) this.save(depth);
        const lod = name.role === Role.relief ? this.demLod : name.lod;
        const base = this.inAttribute ? Slot.attribute : name.role === Role.terrain ? Slot.aside : Slot.body;
        this.slot = name.solid && !this.inAttribute ? Slot.lod1Solid : base + (lod < 0 ? NO_LOD : lod);
        this.inProperty = true;
        break;
      }
      case Role.attributeObject:
        if (!inFeature) break;
        if (saved === null) this.save(depth);
        this.inAttribute = true;
        this.slot = Slot.attribute + NO_LOD;
        break;
      case Role.relative:
        if (saved === null) this.save(depth);
        this.skipping = true;
        break;
      case Role.implicit:
        if (inFeature && this.inProperty) this.geometry.mark(this.slot);
        break;
      case Role.envelope: {
        const use = this.crs;
        if (use !== null && inFeature) {
          this.featureCrs = use;
          this.featureDimension = this.dimension;
        } else if (use !== null && this.fileCrs === null) {
          this.fileCrs = use;
          this.fileDimension = this.dimension;
        }
        if (saved === null) this.save(depth);
        this.skipping = true;
        break;
      }
      case Role.linearRing:
        this.beginPart(this.isHole ? PartKind.hole : PartKind.polygon);
        break;
      case Role.line:
        this.beginPart(PartKind.line);
        break;
      case Role.point:
        this.beginPart(PartKind.point);
        break;
      case Role.curveRing:
        if (inFeature && !this.skipping) this.geometry.notPlain(this.slot);
        break;
      case Role.exterior:
        this.isHole = false;
        break;
      case Role.interior:
        this.isHole = true;
        break;
      case Role.positions:
      case Role.coordinates:
        this.beginCoordinates();
        break;
      case Role.demLod:
      case Role.image:
      case Role.library:
      case Role.city:
      case Role.addressLine:
      case Role.locality:
      case Role.district:
        this.startCapture(name, depth);
        break;
      case Role.name:
        if (inFeature && this.open[this.featureDepth - 1]?.canonical.startsWith('bldg:')) {
          this.startCapture(name, depth);
        }
        break;
    }
  }

  /** An element ends: its end tag is `buffer[at, after)`. */
  private close(name: ElementName, at: number, after: number): void {
    const depth = this.open.length;
    const { context } = this;
    if (this.capturing !== null && depth === this.captureDepth) this.endCapture();
    switch (name.role) {
      case Role.linearRing:
      case Role.line:
      case Role.point:
        this.endPart(at);
        break;
      case Role.positions:
      case Role.coordinates:
        if (this.partKind < 0 && this.partStarted) this.endPart(at);
        break;
      case Role.address:
        if (this.lineAddress !== '' && this.featureDepth > 0) this.inventory.name('town', this.lineAddress);
        this.lineAddress = '';
        break;
      case Role.member:
        if (depth === this.memberDepth) this.endMember(at);
        break;
    }
    if (depth === this.featureDepth) this.endFeature(name, after);
    if (depth === this.savedDepth) this.restore();
    this.open.pop();
    this.textMode =
      depth === 1
        ? Text.outside
        : this.capturing !== null && depth - 1 === this.captureDepth
          ? Text.captured
          : Text.skipped;
    this.previous = this.context === context ? name : this.context.anchor;
    this.afterEnd = true;
  }

  private root(name: ElementName, at: number, after: number): void {
    if (this.rootSeen) throw this.fault('There is a second root element.', at);
    this.rootSeen = true;
    this.textMode = Text.skipped;
    this.rootTag = Uint8Array.prototype.slice.call(this.buffer, at, after);
    if (name.role !== Role.container) {
      this.note(
        'NOT_CITYGML',
        'error',
        `The root element is ${name.canonical.slice(0, 100)}, expected core:CityModel.`,
        this.base + at,
      );
    }
  }

  private save(depth: number): Saved {
    const index = this.savedCount++;
    let state = this.saved[index];
    if (state === undefined) {
      state = {} as Saved;
      this.saved[index] = state;
    }
    state.depth = depth;
    state.context = this.context;
    state.crs = this.crs;
    state.dimension = this.dimension;
    state.slot = this.slot;
    state.inProperty = this.inProperty;
    state.inAttribute = this.inAttribute;
    state.skipping = this.skipping;
    state.id = Number.NaN;
    this.savedDepth = depth;
    return state;
  }

  private restore(): void {
    const state = this.saved[--this.savedCount]!;
    if (!Number.isNaN(state.id)) this.geometry.closeId(state.id);
    this.context = state.context;
    this.crs = state.crs;
    this.dimension = state.dimension;
    this.slot = state.slot;
    this.inProperty = state.inProperty;
    this.inAttribute = state.inAttribute;
    this.skipping = state.skipping;
    this.savedDepth = this.savedCount === 0 ? -1 : this.saved[this.savedCount - 1]!.depth;
  }

  // ---- features

  private beginFeature(depth: number, at: number): void {
    this.featureDepth = depth;
    this.featureStart = this.base + at;
    this.featureId = null;
    this.featureCrs = null;
    this.geometry.clear();
    this.slot = Slot.body + NO_LOD;
    this.inProperty = false;
    this.inAttribute = false;
    this.skipping = false;
    this.demLod = -1;
    this.partKind = -1;
    this.partStarted = false;
    this.isHole = false;
    this.lineAddress = '';
  }

  private endFeature(name: ElementName, after: number): void {
    const geometry = this.geometry.finish();
    this.index.add(this.featureId, name.canonical, this.featureStart, this.base + after, geometry);
    this.elements.set(name.canonical, (this.elements.get(name.canonical) ?? 0) + 1);
    for (let lod = 0; lod < 5; lod++) if (geometry.lods & (1 << lod)) this.lods[lod]!++;
    this.inventory.endFeature(geometry.box);
    if (geometry.extent !== null) this.widen(geometry.extent);
    this.featureDepth = 0;
    this.options.blockHint?.(this.base + after);
  }

  private widen(box: Float64Array): void {
    const [west, south, east, north, minAlt, maxAlt] = box as unknown as [
      number,
      number,
      number,
      number,
      number,
      number,
    ];
    const extent = this.extent;
    if (extent === null) {
      this.extent = { west, south, east, north, minAlt, maxAlt };
      return;
    }
    extent.west = Math.min(extent.west, west);
    extent.south = Math.min(extent.south, south);
    extent.east = Math.max(extent.east, east);
    extent.north = Math.max(extent.north, north);
    extent.minAlt = Math.min(extent.minAlt, minAlt);
    extent.maxAlt = Math.max(extent.maxAlt, maxAlt);
  }

  private endMember(at: number): void {
    this.memberDepth = 0;
    if (this.memberChildren > 0) return;
    this.note('EMPTY_MEMBER', 'info', 'A member of the model holds no feature.', this.base + at);
  }

  private idBytes(start: number, end: number): Uint8Array | null {
    const id = Buffer.from(decodeText(this.buffer, start, end).trim());
    if (id.length === 0) return null;
    if (id.length <= MAX_ID_LENGTH) return id;
    this.note(
      'ID_TOO_LONG',
      'warning',
      `A gml:id has ${id.length} bytes, at most ${MAX_ID_LENGTH} are kept.`,
      this.base + start,
    );
    return null;
  }

  /** Notes a code list; true when it lists municipalities. Comparing with the last one saves most of the work. */
  private codeSpace(name: ElementName, start: number, end: number): boolean {
    if (name.codeSpace !== null && sameBytes(name.codeSpace, this.buffer, start, end))
      return name.authorities;
    const text = decodeText(this.buffer, start, end);
    this.inventory.refer('codeSpaces', text);
    name.codeSpace = Buffer.from(this.buffer.subarray(start, end));
    name.authorities = /localPublicAuthorit/i.test(text);
    return name.authorities;
  }

  private crsUse(srsName: string): CrsUse {
    let use = this.crsUses.get(srsName);
    if (use === undefined) {
      use = { srsName: srsName.slice(0, 200), crs: crsOf(srsName), uses: 0 };
      if (this.crsUses.size < 100) this.crsUses.set(srsName, use);
    }
    return use;
  }

  // ---- text that matters

  private startCapture(name: ElementName, depth: number): void {
    this.capturing = name;
    this.captureDepth = depth;
    this.captured = '';
    this.textMode = Text.captured;
  }

  private stopCapture(): void {
    this.capturing = null;
    if (this.textMode === Text.captured) this.textMode = Text.skipped;
  }

  private endCapture(): void {
    const text = this.captured;
    const role = this.capturing!.role;
    this.capturing = null;
    this.captured = '';
    switch (role) {
      case Role.demLod:
        if (/^\s*[0-4]\s*$/.test(text)) this.demLod = Number(text);
        break;
      case Role.image:
        this.inventory.refer('images', text);
        break;
      case Role.library:
        this.inventory.refer('hrefs', text);
        break;
      case Role.name:
        this.inventory.name('building', text);
        break;
      case Role.locality:
      case Role.district:
        if (this.lineAddress.length < 1000) this.lineAddress += text.trim();
        break;
      case Role.addressLine:
        if (this.featureDepth > 0) this.inventory.name('town', text);
        break;
      default:
        this.inventory.areaCode(text);
    }
  }

  // ---- geometry

  /** The tag names geometry elsewhere with xlink:href. */
  private reference(): void {
    for (let k = 0; k < this.attributeCount; k++) {
      if (this.attributes[k]!.role !== AttributeRole.href) continue;
      const start = this.valueStarts[k]! + 1;
      const end = this.valueEnds[k]!;
      if (this.buffer[start - 1] !== 0x23) continue;
      this.geometry.refer(
        this.slot,
        hashBytes(this.buffer, start, end, 31),
        hashBytes(this.buffer, start, end, 0x01000193),
      );
    }
  }

  private beginPart(kind: number): void {
    if (this.featureDepth === 0 || this.skipping) return;
    this.partKind = kind;
    this.partStarted = false;
    this.partBroken = false;
    this.numbers.count = 0;
    this.numbers.malformed = false;
  }

  private beginCoordinates(): void {
    if (this.featureDepth === 0 || this.skipping) return;
    if (this.partKind < 0) {
      // Coordinates outside of a known primitive count for the box.
      this.beginPart(PartKind.line);
      this.partKind = -1;
    }
    if (!this.partStarted) {
      const crs = this.crs ?? this.featureCrs ?? this.fileCrs;
      const inherited =
        this.crs !== null ? 0 : this.featureCrs !== null ? this.featureDimension : this.fileDimension;
      this.partCrs = crs ?? this.usualCrs();
      this.partDimension = this.dimension || inherited || (this.partCrs.crs?.dimension ?? 3);
      this.partStarted = true;
      const uses = this.partCrs.uses++;
      if (this.partCrs.crs !== null) this.geometry.beginPart(this.slot);
      else if (uses === 0) this.unknownCrs(this.partCrs);
    }
    if (this.partCrs!.crs === null) {
      this.geometry.mark(this.slot);
      return;
    }
    this.textMode = Text.numbers;
  }

  private unknownCrs(use: CrsUse): void {
    this.note(
      'UNKNOWN_CRS',
      'error',
      `Geometry is in ${use.srsName}, expected EPSG:6697 or another known system; it is left out of boxes.`,
    );
  }

  /** EPSG:6697, which the specification of the data demands, where a file names nothing. */
  private usualCrs(): CrsUse {
    if (!this.crsUses.has(USUAL_CRS)) {
      this.note('MISSING_CRS', 'warning', `Geometry has no srsName; it is read as ${USUAL_CRS}.`);
    }
    return this.crsUse(USUAL_CRS);
  }

  /** Hands the whole positions that have been read to the geometry. */
  private absorb(): void {
    const { numbers } = this;
    this.geometry.absorb(numbers.values, numbers.count, this.partDimension, this.partCrs!.crs!);
    numbers.count = 0;
  }

  private endPart(at: number): void {
    const started = this.partStarted;
    const kind = this.partKind < 0 ? PartKind.line : this.partKind;
    this.partKind = -1;
    this.partStarted = false;
    if (!started || this.featureDepth === 0 || this.skipping || this.partCrs!.crs === null) return;
    const { numbers } = this;
    const broken = this.partBroken || numbers.count % this.partDimension !== 0;
    if (broken) {
      numbers.count -= numbers.count % this.partDimension;
      this.note(
        'COORDINATES',
        'warning',
        this.partBroken
          ? 'Coordinates contain something that is no number; what follows it is left out.'
          : `Coordinates are not a multiple of ${this.partDimension} numbers; the last are left out.`,
        this.base + at,
      );
      this.geometry.notPlain(this.slot);
    }
    if (numbers.count > 0) this.absorb();
    if (!this.geometry.endPart(this.slot, kind)) {
      this.note(
        'COORDINATES',
        'warning',
        'Coordinates lie outside of the world; they are left out. Latitude comes before longitude.',
        this.base + at,
      );
    }
  }
}

/** Hash of an element's name, as the loop over a tag computes it. */
function hashName(bytes: Uint8Array): number {
  let hash = 0;
  for (let i = 0; i < bytes.length; i++) hash = (Math.imul(hash, 31) + bytes[i]!) | 0;
  return hash;
}

/** Polynomial hash of `bytes[from, to)`. */
function hashBytes(bytes: Buffer, from: number, to: number, factor: number): number {
  let hash = 0;
  for (let i = from; i < to; i++) hash = (Math.imul(hash, factor) + bytes[i]!) | 0;
  return hash;
}
