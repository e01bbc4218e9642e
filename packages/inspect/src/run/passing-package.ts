/**
 * Looks at a package while something else reads it, in one pass over its text: the checks that need attributes and
 * extents of features, and no more of geometry than its kind.
 *
 *   open file ──▶ text, text, … ──▶ end: FileResult ──▶ … ──▶ report
 */
import { type NamespaceContext, namespaceContext, XmlMemory } from '@citymodel/citygml';
import type { PackageContext } from '../check.ts';
import { CHECKS } from '../checks/index.ts';
import { type InspectReport, reportOf } from '../report/report.ts';
import { type FileResult, type GmlFile, PlaceBudget, placeOf } from './file-checks.ts';
import type { InspectSource } from './inspect-package.ts';
import { contextOf, planeFor } from './open-package.ts';
import { PassingFile } from './passing-file.ts';
import { Lookers } from './walk.ts';

/** Checks that look in passing. */
const PASSING_CHECKS = CHECKS.filter(({ inPassing }) => inPassing !== undefined);

const EXTENTS = new Set(
  PASSING_CHECKS.filter(({ inPassing }) => inPassing === 'extent').map(({ code }) => code),
);

/** Root start tags that are remembered, and the bytes of a tag that may be. */
const REMEMBERED = 32;
const USUAL_TAG = 16 << 10;

/**
 * Files of a folder whose first feature is always looked at, and one in how many of further ones: where files have two
 * features, the first ones are half of a package.
 */
const FEW_FILES = 256;
const OF_MANY_FILES = 4;

const NOT_LOOKED_AT = 'Reading a package in passing looks at no geometry; an inspection does.';

export class PassingPackage {
  readonly #source: InspectSource;
  readonly #memory = new XmlMemory();
  readonly #budget: PlaceBudget;
  readonly #every: number;
  /** By root start tags: files of one folder begin with the same. */
  readonly #namespaces = new Map<string, NamespaceContext>();
  /** The root start tag of the file before. */
  #last: { tag: Buffer; context: NamespaceContext } | null = null;
  /** Files with findings, and one file of each folder, for the checks that concern it; packages have 200,000 files. */
  readonly #results: FileResult[] = [];
  readonly #folders = new Set<string>();
  /** By the codes of the checks that look at a file, of which there are as many lists as folders. */
  readonly #lookers = new Map<string, { whole: Lookers; extents: Lookers }>();
  /** Files of each folder that have been opened. */
  readonly #opened = new Map<string, number>();
  #files = 0;
  readonly #outside: string[] = [];
  /** Known with the first file that is opened. */
  #context: PackageContext | null = null;

  /**
   * `source` is asked for code lists, and for the text of files that are not well-formed. `places` are kept of each
   * check; all are counted. Attributes are looked at in every so many features of a file, the first one among them.
   */
  constructor(source: InspectSource, { places, every }: { places: number; every: number }) {
    this.#source = source;
    this.#budget = new PlaceBudget(places);
    this.#every = every;
  }

  /** Null for a file that no check looks at. Several files may be open at the same time. */
  open(file: GmlFile): PassingFile | null {
    const place = placeOf(file.path);
    if (place === null) {
      this.#outside.push(file.path);
      return null;
    }
    const before = this.#opened.get(place.folder) ?? 0;
    this.#opened.set(place.folder, before + 1);
    return new PassingFile(file, {
      source: this.#source,
      checks: PASSING_CHECKS,
      budget: this.#budget,
      namespacesOf: (rootStartTag) => this.#namespacesOf(rootStartTag),
      every: this.#every,
      looksAtFirst: this.#every === 1 || before < FEW_FILES || before % OF_MANY_FILES === 0,
      extents: EXTENTS,
      lookersOf: (codes) => this.#lookersOf(codes),
      contextFor: (spec) => {
        this.#context ??= contextOf(this.#source, { spec, plane: planeFor(this.#source.name, null) });
        return this.#context;
      },
      done: (result) => this.#keep(result),
    });
  }

  #lookersOf(codes: readonly string[]): { whole: Lookers; extents: Lookers } {
    const key = codes.join(' ');
    let lookers = this.#lookers.get(key);
    if (lookers === undefined) {
      lookers = { whole: new Lookers(), extents: new Lookers() };
      this.#lookers.set(key, lookers);
    }
    return lookers;
  }

  #namespacesOf(rootStartTag: Uint8Array): NamespaceContext {
    // Files follow each other by folders.
    if (this.#last?.tag.equals(rootStartTag)) return this.#last.context;
    const { buffer, byteOffset, byteLength } = rootStartTag;
    const text = Buffer.from(buffer, byteOffset, byteLength).toString('latin1');
    let context = this.#namespaces.get(text);
    if (context === undefined) {
      context = namespaceContext(rootStartTag, this.#memory);
      if (text.length <= USUAL_TAG && this.#namespaces.size < REMEMBERED) this.#namespaces.set(text, context);
    }
    if (text.length <= USUAL_TAG) this.#last = { tag: Buffer.from(rootStartTag), context };
    return context;
  }

  #keep(result: FileResult): void {
    this.#files++;
    const checks = result.checks.filter(({ errors }) => errors > 0);
    const isEmpty = checks.length === 0 && Object.keys(result.skipped).length === 0;
    if (isEmpty && this.#folders.has(result.folder)) return;
    this.#folders.add(result.folder);
    this.#results.push({ ...result, checks });
  }

  /** What the files that were read to their end tell; null when there are none. */
  report(): InspectReport | null {
    if (this.#context === null || this.#files === 0) return null;
    const files = this.#results.sort((a, b) => (a.path < b.path ? -1 : 1));
    const report = reportOf({
      name: this.#source.name,
      context: this.#context,
      objectsName: null,
      files,
      ofPackage: [],
      outside: this.#outside.sort(),
      checks: PASSING_CHECKS,
    });
    report.skipped.push({ file: null, reason: NOT_LOOKED_AT, count: 1 });
    return { ...report, complete: false, inPassing: true };
  }
}
