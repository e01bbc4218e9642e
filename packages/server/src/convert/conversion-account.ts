/**
 * The account of a conversion: what went in, what came out, and under which issue the rest is. It is put together of
 * the accounts that the makers give of each GML file, and its sums are checked: a report is complete when all of them
 * close.
 */
import { compareTexts } from '@citymodel/base';
import {
  type AttributeTally,
  addTo,
  type ConvertIssue,
  emptyTally,
  Fate,
  featuresOf,
  IssueCounter,
  LARGE_TYPE,
  LEVELS,
  LOST,
  NO_LOD,
  type PartAccount,
  type PartAttributes,
  type SurfaceTally,
  type Tally,
} from '@citymodel/tiles';

/** Features of one type with geometry at one level of detail. */
export interface FeatureTally extends Tally {
  /** Qualified name of the element. */
  type: string;
  /** Null for geometry that states none of 0 to 4, and for features without geometry. */
  lod: number | null;
}

export interface ConversionAccount {
  /** True when everything that went in came out or is named: by an issue, or because it was not asked for. */
  complete: boolean;
  /** GML files of the package. */
  files: Tally;
  /** Packages of tiles that were to be made. */
  packages: Tally;
  features: FeatureTally[];
  /** Polygons of 3D Tiles. */
  surfaces: SurfaceTally[];
  images: Tally;
  /** Values of attributes by property. */
  attributes: OutputAttributes[];
  /** Cells of the rows that these values are in. */
  cells: OutputCells[];
}

/** Values of one property, as one kind of tiles has them. */
export interface OutputAttributes extends AttributeTally {
  /** `3dtiles` or `mvt`. */
  output: string;
}

export interface OutputCells extends Tally {
  output: string;
  /** Cells that nothing accounts for, by the name of the column. */
  missing: Record<string, number>;
}

/** What was not asked for: levels of detail, types, and packages that are to be kept. */
export const NOT_ASKED = 'NOT_ASKED';
/** What nothing accounts for. */
const UNACCOUNTED = 'UNACCOUNTED';

/** What areas by rings and by triangles may differ: bent polygons have no one area. Parts of it, and square metres. */
const AREA_ROUNDING = { relative: 0.002, least: 0.5 };

/** What is known of one GML file when all of its parts were made, or failed. */
interface FileAccount {
  parts: PartAccount[];
  /** The maker of each part. */
  makers: string[];
  /** Code of the issue because of which the file, or a part of it, was left out. */
  failed: string | null;
}

/** Codes of issues because of which a file, or its end, is left out as a whole. */
const OF_FILES = ['PART_FAILED', 'PART_TOO_LARGE', 'VERTICAL_SYSTEM_REFUSED', 'GML_BREAKS_OFF'];

export class AccountBook {
  readonly #files = new Map<string, FileAccount>();
  readonly #lods: readonly number[] | null;
  readonly files = emptyTally();
  readonly packages = emptyTally();

  /** `lods`: levels of detail that were asked for; null for all. */
  constructor(lods: readonly number[] | null) {
    this.#lods = lods;
  }

  /** A file of which parts are made. */
  addFile(path: string): void {
    if (!this.#files.has(path)) this.#files.set(path, { parts: [], makers: [], failed: null });
  }

  /** `maker`: the name of the one that made the part. */
  addPart(path: string, maker: string, account: PartAccount | null): void {
    if (account === null) return;
    const file = this.#files.get(path)!;
    file.parts.push(account);
    file.makers.push(maker);
  }

  /** Adds all up. `issues` are those of the conversion so far; what only the whole shows is added to them. */
  finish(issues: ConvertIssue[]): ConversionAccount {
    for (const { file, code, id } of issues) {
      const known = this.#files.get(file);
      if (known !== undefined && id === null && OF_FILES.includes(code)) known.failed ??= code;
    }
    const sums = new Sums(this.#lods);
    const found: ConvertIssue[] = [];
    for (const [path, file] of this.#files) {
      const counter = new IssueCounter(path, (issue) => found.push(issue));
      this.files.in++;
      const read = sums.addFile(file, counter);
      const malformed = issues.find((issue) => issue.file === path && issue.code === 'FEATURE_MALFORMED');
      if (malformed !== undefined) sums.addMalformed(malformed.count);
      if (read === 0 && malformed === undefined && file.failed === null) {
        counter.count('FILE_EMPTY', null);
        addTo(this.files.rest, 'FILE_EMPTY', 1);
      } else if (file.failed !== null) addTo(this.files.rest, file.failed, 1);
      else this.files.out++;
      counter.tell();
    }
    issues.push(...found);
    const account = { files: this.files, packages: this.packages, ...sums.finish() };
    const gaps = gapsOf(account);
    const counter = new IssueCounter('', (issue) => issues.push(issue));
    for (const gap of gaps) counter.count('UNACCOUNTED', null, gap);
    counter.tell();
    return { complete: gaps.length === 0, ...account };
  }
}

/** A feature as one maker saw it. */
interface View {
  type: string;
  /** By level of detail. */
  fates: Uint8Array;
  /** Codes of issues, by the numbers that fates have. */
  codes: readonly string[];
}

function areSame(some: readonly View[], others: readonly View[]): boolean {
  return (
    some.length === others.length &&
    some.every(({ type, fates, codes }, i) => {
      const other = others[i]!;
      if (type !== other.type || codes !== other.codes) return false;
      for (let level = 0; level < LEVELS; level++) if (fates[level] !== other.fates[level]) return false;
      return true;
    })
  );
}

class Sums {
  readonly #lods: readonly number[] | null;
  readonly #features = new Map<string, FeatureTally>();
  readonly #surfaces = new Map<string, SurfaceTally>();
  readonly #images = emptyTally();
  readonly #attributes = new Map<string, OutputAttributes>();
  readonly #cells = new Map<string, OutputCells>();

  constructor(lods: readonly number[] | null) {
    this.#lods = lods;
  }

  /** Adds the accounts of a file, and tells what they show together; the number of its features. */
  addFile({ parts, makers, failed }: FileAccount, issues: IssueCounter): number {
    const count = Math.max(0, ...parts.map(({ features }) => features));
    const readers = parts.map((part) => ({ codes: part.codes, features: featuresOf(part) }));
    // Most features of a file have the fate of the one before.
    let [run, times]: [View[], number] = [[], 0];
    for (let number = 0; number < count; number++) {
      const views: View[] = [];
      for (const { codes, features } of readers) {
        const { value } = features.next();
        if (value !== undefined) views.push({ codes, ...value });
      }
      if (times > 0 && areSame(run, views)) {
        times++;
        continue;
      }
      if (times > 0) this.#addFeatures(run, times, failed, issues);
      // Fates are read into the same bytes each time.
      run = views.map((view) => ({ ...view, fates: view.fates.slice() }));
      times = 1;
    }
    if (times > 0) this.#addFeatures(run, times, failed, issues);
    for (const { surfaces, images } of parts) {
      for (const tally of surfaces) {
        const sum = this.#surfaceSum(tally.type, tally.lod);
        add(sum, tally);
        sum.areaIn += tally.areaIn;
        sum.areaOut += tally.areaOut;
        for (const [code, area] of Object.entries(tally.areaRest)) addTo(sum.areaRest, code, area);
      }
      if (images !== null) add(this.#images, images);
    }
    for (const [i, { attributes }] of parts.entries()) this.#addAttributes(makers[i]!, attributes);
    return count;
  }

  addMalformed(count: number): void {
    const sum = this.#featureSum('?', null);
    sum.in += count;
    addTo(sum.rest, 'FEATURE_MALFORMED', count);
  }

  finish(): Pick<ConversionAccount, 'features' | 'surfaces' | 'images' | 'attributes' | 'cells'> {
    const byType = (a: { type: string; lod: number | null }, b: typeof a) =>
      compareTexts(a.type, b.type) || (a.lod ?? NO_LOD) - (b.lod ?? NO_LOD);
    return {
      features: [...this.#features.values()].sort(byType),
      surfaces: [...this.#surfaces.values()].sort(byType),
      images: this.#images,
      attributes: inOrder(this.#attributes),
      cells: inOrder(this.#cells),
    };
  }

  /** Features, `times` of them, that each maker saw so. */
  #addFeatures(views: readonly View[], times: number, failed: string | null, issues: IssueCounter): void {
    const type = views.find((view) => view.type !== LARGE_TYPE)?.type ?? LARGE_TYPE;
    const levels: Array<{ level: number; code: string | null }> = [];
    for (let level = 0; level < LEVELS; level++) {
      const fates = views.map((view) => view.fates[level]!);
      if (fates.every((fate) => fate === Fate.none)) continue;
      if (level === NO_LOD && levels.length > 0) continue;
      const lost = views.find((view) => view.fates[level]! >= LOST);
      const code = fates.includes(Fate.shown)
        ? null
        : lost !== undefined
          ? lost.codes[lost.fates[level]! - LOST]!
          : fates.includes(Fate.claimed)
            ? UNACCOUNTED
            : (failed ?? '');
      levels.push({ level, code });
    }
    const isShown = levels.some(({ code }) => code === null);
    const isOpen = levels.every(({ code }) => code === '');
    for (const { level, code } of levels) {
      const lod = level === NO_LOD ? null : level;
      const sum = this.#featureSum(type, lod);
      sum.in += times;
      if (code === null) sum.out += times;
      else if (code !== '') addTo(sum.rest, code, times);
      else if (this.#lods !== null && !this.#lods.includes(level)) addTo(sum.rest, NOT_ASKED, times);
      else {
        const own = isShown || !isOpen ? 'GEOMETRY_UNCONVERTED' : 'FEATURE_WITHOUT_OUTPUT';
        addTo(sum.rest, own, times);
        issues.count(own, null, lod === null ? type : `${type}, LOD ${lod}`, times);
      }
    }
  }

  #addAttributes(output: string, { values, cells, missing }: PartAttributes): void {
    for (const tally of values) {
      const { type, property } = tally;
      const key = `${output} ${type} ${property}`;
      const sum = this.#attributes.get(key) ?? { output, type, property, ...emptyTally() };
      this.#attributes.set(key, sum);
      add(sum, tally);
    }
    const sum = this.#cells.get(output) ?? { output, ...emptyTally(), missing: {} };
    this.#cells.set(output, sum);
    add(sum, cells);
    for (const [name, count] of Object.entries(missing)) addTo(sum.missing, name, count);
  }

  #featureSum(type: string, lod: number | null): FeatureTally {
    const key = `${type} ${lod}`;
    const sum = this.#features.get(key) ?? { type, lod, ...emptyTally() };
    this.#features.set(key, sum);
    return sum;
  }

  #surfaceSum(type: string, lod: number): SurfaceTally {
    const key = `${type} ${lod}`;
    const sum = this.#surfaces.get(key) ?? {
      ...{ type, lod, ...emptyTally(), areaIn: 0, areaOut: 0, areaRest: {} },
    };
    this.#surfaces.set(key, sum);
    return sum;
  }
}

function add(sum: Tally, tally: Tally): void {
  sum.in += tally.in;
  sum.out += tally.out;
  for (const [code, count] of Object.entries(tally.rest)) addTo(sum.rest, code, count);
}

/** What does not add up, in words; empty when everything does. */
export function gapsOf(account: Omit<ConversionAccount, 'complete'>): string[] {
  const gaps: string[] = [];
  const check = (what: string, { in: into, out, rest }: Tally) => {
    const named = sumOf(rest) - (rest[UNACCOUNTED] ?? 0);
    if (into !== out + named) gaps.push(`${into - out - named} of ${into} ${what}`);
  };
  check('files', account.files);
  check('packages of tiles', account.packages);
  for (const tally of account.features) check(`features ${nameOf(tally)}`, tally);
  for (const tally of account.surfaces) {
    check(`surfaces of ${nameOf(tally)}`, tally);
    const { areaIn, areaOut, areaRest } = tally;
    const missing = areaIn - areaOut - sumOf(areaRest);
    if (Math.abs(missing) > AREA_ROUNDING.least + AREA_ROUNDING.relative * areaIn)
      gaps.push(`${missing.toFixed(1)} of ${areaIn.toFixed(1)} m² of ${nameOf(tally)}`);
  }
  check('images', account.images);
  for (const tally of account.attributes)
    check(`values of ${tally.type} ${tally.property} in ${tally.output}`, tally);
  for (const { output, missing } of account.cells) {
    for (const [name, count] of Object.entries(missing)) gaps.push(`${count} cells of ${name} in ${output}`);
  }
  return gaps;
}

/** By their keys, so that the order of parts does not show. */
function inOrder<T>(sums: ReadonlyMap<string, T>): T[] {
  return [...sums].sort(([a], [b]) => compareTexts(a, b)).map(([, sum]) => sum);
}

function nameOf({ type, lod }: { type: string; lod: number | null }): string {
  return lod === null ? type : `${type}, LOD ${lod}`;
}

function sumOf(rest: Readonly<Record<string, number>>): number {
  return Object.values(rest).reduce((sum, count) => sum + count, 0);
}

/**
 * Issues that several makers, or several outputs, tell of the same thing are one, with the larger number of the two.
 */
export function joinIssues(issues: readonly ConvertIssue[]): ConvertIssue[] {
  const joined = new Map<string, ConvertIssue>();
  for (const issue of issues) {
    const key = `${issue.file}\0${issue.code}\0${issue.message}`;
    const known = joined.get(key);
    if (known === undefined) joined.set(key, { ...issue });
    else {
      known.count = Math.max(known.count, issue.count);
      known.id ??= issue.id;
    }
  }
  return [...joined.values()];
}
