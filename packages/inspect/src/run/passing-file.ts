/**
 * One file of a package that is read in passing. What the scanner tells of a feature is shown of all of them. A sample
 * of them is cut out of the chunks that go by, and read as trees without the insides of geometry.
 */
import {
  FeatureXmlError,
  type NamespaceContext,
  NO_ATTRIBUTES,
  parseFeature,
  type ScannedFeature,
} from '@citymodel/citygml';
import type { Check, Member, PackageContext, Spec } from '../check.ts';
import { FileChecks, type FileResult, type GmlFile, type PlaceBudget } from './file-checks.ts';
import type { InspectSource } from './inspect-package.ts';
import { envelopeOf } from './read-file.ts';
import { otherVersion, specOf } from './spec-of.ts';
import { syntaxFindings } from './syntax-findings.ts';
import { type Lookers, Walk } from './walk.ts';

/** Bytes of one feature that are kept until its end has come. */
const WHOLE_FEATURE = 8 << 20;
/** Bytes before the first feature that are looked at for the envelope. */
const HEAD = 64 << 10;
const ENVELOPE = /^<(?:[\w.-]{1,100}:)?boundedBy[\s>]$/;
/** Bytes of the longest prefix that `ENVELOPE` takes, with what is around it. */
const LONGEST_PREFIX = 102;

/** Reference systems whose degrees the scanner leaves as they are: JGD2011 with heights and without. */
const GEOGRAPHIC = /\/0\/66(?:97|68)$/;
const SAMPLED = 'Attributes of the feature were not looked at: an ingestion takes a sample.';

/** A feature that has ended, and what the scanner tells of it. */
interface Passed {
  start: number;
  end: number;
  member: Member;
}

export interface PassingOptions {
  source: InspectSource;
  checks: readonly Check[];
  /** Places that are kept of the package. */
  budget: PlaceBudget;
  /** The context of a root start tag, which files of a package share. */
  namespacesOf(rootStartTag: Uint8Array): NamespaceContext;
  /** Attributes are looked at in every so many features, from the first one of a file on. */
  every: number;
  /** False where attributes of the first one are not looked at either: one of many files of its folder. */
  looksAtFirst: boolean;
  /** Codes of the checks that need no attributes. */
  extents: ReadonlySet<string>;
  /** What walks of the same checks share. */
  lookersOf(codes: readonly string[]): { whole: Lookers; extents: Lookers };
  contextFor(spec: Spec): PackageContext;
  done(result: FileResult): void;
}

/** What the scanner knows after a chunk. */
export interface ScanState {
  /** Offset from which on text belongs to no feature that has ended. */
  readonly openFrom: number;
  /** Offset up to which the scanner has read. */
  readonly readTo: number;
  /** The start tag of the root. */
  readonly rootStartTag: Uint8Array;
}

export class PassingFile {
  readonly #file: GmlFile;
  readonly #options: PassingOptions;
  #checks: FileChecks | null = null;
  /** Of all checks, and of those that need no attributes. */
  #walks: { whole: Walk; extents: Walk } | null = null;
  #rootTag: Uint8Array | null = null;
  #namespaces: NamespaceContext | null = null;
  /** Features whose ends are in the next chunk. */
  #ended: Passed[] = [];
  #number = 0;
  #isGeographic = false;
  #left = 0;
  /** Bytes of the text before the next chunk. */
  #passed = 0;
  /** The beginning of the text, up to `HEAD` bytes of it. */
  #head: Buffer = Buffer.alloc(0);
  /** Text before the next chunk that may be needed, from this offset on; the buffer is used again. */
  #keptFrom = 0;
  #kept: Buffer = Buffer.alloc(0);
  #keptBytes = 0;
  /** Set while a check waits; what comes then is shown after it. */
  #waiting: Promise<void> | null = null;
  #fault: unknown = null;

  constructor(file: GmlFile, options: PassingOptions) {
    this.#file = file;
    this.#options = options;
  }

  /** A feature ends in the chunk that comes next. */
  feature({ start, end, line, name, id, extent }: ScannedFeature): void {
    const attributes = id === null ? NO_ATTRIBUTES : { 'gml:id': id.toString() };
    const feature = { name, attributes, children: [], text: '' };
    const member = {
      feature,
      number: this.#number++,
      line,
      isLarge: false,
      extent: extent === null ? null : extent.slice(),
    };
    this.#ended.push({ start, end, member });
  }

  /** The next chunk, which the scanner has seen. It is not kept. */
  text(chunk: Uint8Array, state: ScanState): void {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    if (this.#checks === null && this.#head.length < HEAD) this.#keepHead(bytes);
    this.#showEnded(bytes, state);
    this.#keep(bytes, this.#isSampled(this.#number) ? state.openFrom : state.readTo);
    this.#passed += bytes.length;
  }

  #keepHead(bytes: Buffer): void {
    const part = bytes.subarray(0, HEAD - this.#head.length);
    // The head is used at once when a feature has ended, and is not copied then.
    const isUsed = this.#head.length === 0 && this.#ended.length > 0;
    this.#head = isUsed ? part : Buffer.concat([this.#head, part]);
  }

  #showEnded(bytes: Buffer, state: ScanState): void {
    for (const { start, end, member } of this.#ended) {
      if (this.#isSampled(member.number)) {
        const text = this.#textOf(start, end, bytes);
        if (text === null)
          this.#open(state).skipped('The feature is too large for its attributes to be looked at.');
        this.#show(text, member, state);
      } else {
        this.#left++;
        this.#show(null, member, state);
      }
    }
    this.#ended.length = 0;
  }

  #isSampled(number: number): boolean {
    return number % this.#options.every === 0 && (number > 0 || this.#options.looksAtFirst);
  }

  /** Waits for checks that wait; null when none does. Await it before the next chunk. */
  settled(): Promise<void> | null {
    return this.#waiting;
  }

  /** The text has ended. Throws what reading code lists threw. */
  async end(isWellFormed: boolean, state: ScanState): Promise<void> {
    // The scanner reads the last bytes when it knows that no others come.
    this.#showEnded(Buffer.alloc(0), state);
    await this.#waiting;
    if (this.#fault !== null) throw this.#fault;
    const checks = this.#open(state);
    const { source, done } = this.#options;
    if (isWellFormed) {
      if (this.#left > 0) checks.result.skipped[SAMPLED] = this.#left;
      return done(await checks.end());
    }
    const fault = { message: 'The file is not well-formed.', isSyntax: false };
    done(checks.broken(await syntaxFindings(fault, source.text(this.#file.path))));
  }

  /** The text of a feature that ends before the end of `bytes`; null for one that was not kept. */
  #textOf(start: number, end: number, bytes: Buffer): Buffer | null {
    if (start >= this.#passed) return bytes.subarray(start - this.#passed, end - this.#passed);
    if (start < this.#keptFrom) return null;
    // What follows in the buffer is not needed any more, and is copied again where it is.
    if (end > this.#passed)
      this.#append(bytes.subarray(0, end - this.#passed), this.#passed - this.#keptFrom);
    return this.#kept.subarray(start - this.#keptFrom, end - this.#keptFrom);
  }

  /** Keeps the kept text and the next bytes from an offset on. */
  #keep(bytes: Buffer, from: number): void {
    if (from >= this.#passed) {
      this.#keptBytes = 0;
      this.#keptFrom = from;
    }
    const part = bytes.subarray(Math.max(0, from - this.#passed));
    if (this.#keptBytes + part.length > WHOLE_FEATURE) {
      this.#keptBytes = 0;
      this.#keptFrom = this.#passed + bytes.length;
    } else {
      this.#append(part, this.#keptBytes);
      this.#keptBytes += part.length;
    }
  }

  #append(part: Buffer, at: number): void {
    if (at + part.length > this.#kept.length) {
      const larger = Buffer.allocUnsafeSlow(2 * (at + part.length));
      larger.set(this.#kept.subarray(0, at));
      this.#kept = larger;
    }
    this.#kept.set(part, at);
  }

  /** `text` is null for a feature whose attributes are not looked at. */
  #show(text: Buffer | null, passed: Member, state: ScanState): void {
    const checks = this.#open(state);
    // Numbers of another reference system are turned into degrees by the scanner, and compare with no envelope.
    let member = this.#isGeographic || passed.extent === null ? passed : { ...passed, extent: null };
    let walk = this.#walks!.extents;
    if (text !== null) {
      try {
        member = { ...member, feature: parseFeature(text, this.#context(state), insideGeometry) };
        walk = this.#walks!.whole;
      } catch (error) {
        if (!(error instanceof FeatureXmlError)) throw error;
        checks.skipped(`The feature cannot be looked at: ${error.message}.`);
      }
    }
    const pending = this.#waiting === null ? walk.show(member) : this.#waiting.then(() => walk.show(member));
    if (pending === undefined) return;
    const waiting = pending
      .catch((error: unknown) => {
        this.#fault ??= error;
      })
      .then(() => {
        if (this.#waiting === waiting) this.#waiting = null;
      });
    this.#waiting = waiting;
  }

  /** Checks begin with the first feature, when the head of the file is known. */
  #open(state: ScanState): FileChecks {
    if (this.#checks !== null) return this.#checks;
    const { source, checks, budget, contextFor, extents, lookersOf } = this.#options;
    const namespaces = this.#context(state);
    const context = contextFor(specOf(namespaces));
    this.#checks = new FileChecks(this.#file, checks, context, () => source.text(this.#file.path), {
      counts: false,
      budget,
    });
    const opened = this.#checks;
    const other = otherVersion(namespaces, context.spec);
    if (other !== null) opened.skipped(other);
    const onMember = (member: Member) => opened.at(member);
    const lookers = lookersOf(opened.codes);
    this.#walks = {
      whole: new Walk(opened.visitors, onMember, lookers.whole),
      extents: new Walk(
        opened.visitorsOf((code) => extents.has(code)),
        onMember,
        lookers.extents,
      ),
    };
    const head = this.#head;
    this.#head = Buffer.alloc(0);
    const at = envelopeIn(head);
    if (at < 0) return this.#checks;
    try {
      const boundedBy = parseFeature(head.subarray(at), namespaces);
      if (boundedBy.name === 'gml:boundedBy') this.#checks.result.envelope = envelopeOf(boundedBy);
      this.#isGeographic = GEOGRAPHIC.test(this.#checks.result.envelope.srsName ?? '');
    } catch (error) {
      if (!(error instanceof FeatureXmlError)) throw error;
    }
    return this.#checks;
  }

  #context({ rootStartTag }: ScanState): NamespaceContext {
    if (this.#namespaces === null || this.#rootTag !== rootStartTag) {
      this.#rootTag = rootStartTag;
      this.#namespaces = this.#options.namespacesOf(rootStartTag);
    }
    return this.#namespaces;
  }
}

/** Where the first start tag of an envelope's property begins; -1 for none. */
function envelopeIn(head: Buffer): number {
  for (let at = head.indexOf('boundedBy'); at >= 0; at = head.indexOf('boundedBy', at + 1)) {
    const from = Math.max(0, at - LONGEST_PREFIX);
    const start = from + head.subarray(from, at).lastIndexOf('<');
    if (start >= from && ENVELOPE.test(head.toString('latin1', start, at + 'boundedBy'.length + 1)))
      return start;
  }
  return -1;
}

/** Objects of GML stay for their names; their properties, such as `gml:name`, begin with a small letter. */
function insideGeometry(name: string): false | 'inside' {
  if (!name.startsWith('gml:')) return false;
  const first = name.charCodeAt(4);
  return first >= 0x41 && first <= 0x5a ? 'inside' : false;
}
