/** The checks that concern one file, and what they find in it. */

import { crsOf } from '@citymodel/citygml';
import type {
  Check,
  CheckFacts,
  FileContext,
  FileEnvelope,
  FileVisitor,
  Finding,
  Member,
  PackageContext,
  Spec,
} from '../check.ts';
import { firstPosition } from '../geometry/plane-polygon.ts';
import { type InstanceCount, InstanceCounter } from './count-instances.ts';

/** Findings of one check in one file that are kept whole; all are counted. */
const KEPT_FINDINGS = 10_000;

/** A GML file of a package. */
export interface GmlFile {
  /** Path in the package: `udx/bldg/53394525_bldg_6697_op.gml`. */
  path: string;
  bytes: number;
}

/** Findings of one check in one file. */
export interface CheckResult {
  code: string;
  /** Official errors: all of them. */
  errors: number;
  /** The first of them. */
  findings: Finding[];
  /** Findings that are counted and not kept. */
  left: number;
  /** What is handed on to the end; absent for nothing. */
  carry?: unknown;
}

/** What one file yields: plain values, which can be kept and sent. */
export interface FileResult {
  path: string;
  folder: string;
  directory: string;
  bytes: number;
  isWellFormed: boolean;
  envelope: FileEnvelope;
  checks: CheckResult[];
  /** Features by type; some folders by level of detail. */
  counts: InstanceCount[];
  /** What was not looked at, with the number of times. */
  skipped: Record<string, number>;
}

/** The folder below `udx` that a file lies in, and the further ones; null for a file elsewhere. */
export function placeOf(path: string): { folder: string; directory: string } | null {
  const parts = path.split('/');
  const udx = parts.lastIndexOf('udx');
  if (udx < 0 || parts.length < udx + 3) return null;
  return { folder: parts[udx + 1]!, directory: parts.slice(udx + 1, -1).join('/') };
}

/** The checks that look at files of a folder. */
export function concerned<C extends CheckFacts>(
  checks: readonly C[],
  folder: string,
  { spec }: Pick<PackageContext, 'spec'>,
): C[] {
  return checks.filter(
    ({ specs, folders }) => specs.includes(spec) && (folders === null || folders.includes(folder)),
  );
}

const remembered = new WeakMap<readonly Check[], Map<string, readonly Check[]>>();

/** The same for lists that stay as they are: packages have 200,000 files in few folders. */
function concernedOf(checks: readonly Check[], folder: string, context: PackageContext): readonly Check[] {
  let byFolder = remembered.get(checks);
  if (byFolder === undefined) {
    byFolder = new Map();
    remembered.set(checks, byFolder);
  }
  const key = `${context.spec} ${folder}`;
  let found = byFolder.get(key);
  if (found === undefined) {
    found = concerned(checks, folder, context);
    if (byFolder.size < REMEMBERED) byFolder.set(key, found);
  }
  return found;
}

/** Folders whose checks are remembered: their names come from packages. */
const REMEMBERED = 100;

/** What one check sees of the file that is open. */
class OpenFile implements FileContext {
  readonly path: string;
  readonly folder: string;
  readonly directory: string;
  readonly bytes: number;
  readonly spec: Spec;
  readonly package: PackageContext;
  readonly shared: object;
  readonly text: () => AsyncIterable<Uint8Array>;
  readonly #checks: FileChecks;
  readonly #found: CheckResult;

  constructor(
    checks: FileChecks,
    found: CheckResult,
    context: PackageContext,
    shared: object,
    text: () => AsyncIterable<Uint8Array>,
  ) {
    const { path, folder, directory, bytes } = checks.result;
    this.path = path;
    this.folder = folder;
    this.directory = directory;
    this.bytes = bytes;
    this.spec = context.spec;
    this.package = context;
    this.shared = shared;
    this.text = text;
    this.#checks = checks;
    this.#found = found;
  }

  get envelope(): FileEnvelope {
    return this.#checks.result.envelope;
  }

  report(finding: Finding | (() => Finding)): void {
    this.#checks.report(this.#found, finding);
  }

  skipped(reason: string): void {
    this.#checks.skipped(reason);
  }
}

/** Errors that a finding stands for. */
function errorsOf(finding: Finding | (() => Finding)): number {
  return typeof finding === 'function' ? 1 : (finding.errors ?? 1);
}

/** Adds a finding to those of its check; one that is not kept is not asked for. */
function addFinding(found: CheckResult, finding: () => Finding, errors: number, isKept: boolean): void {
  found.errors += errors;
  if (isKept) found.findings.push(finding());
  else found.left++;
}

/** Adds a finding as long as `KEPT_FINDINGS` are not reached. */
export function keepFinding(found: CheckResult, finding: Finding): void {
  addFinding(found, () => finding, errorsOf(finding), found.findings.length < KEPT_FINDINGS);
}

/** How many places of each check are kept. */
export class PlaceBudget {
  readonly #most: number;
  readonly #taken = new Map<string, number>();

  constructor(most = KEPT_FINDINGS) {
    this.#most = most;
  }

  /** True when one more place of a check is kept. */
  take(code: string): boolean {
    const taken = this.#taken.get(code) ?? 0;
    if (taken >= this.#most) return false;
    this.#taken.set(code, taken + 1);
    return true;
  }
}

export interface FileChecksOptions {
  /** Whether features are counted by type; true unless said. */
  counts?: boolean;
  /** Places that are kept; of its own unless said. */
  budget?: PlaceBudget;
}

/** Checks at work on one file: its visitors, and the result that they fill. */
export class FileChecks {
  readonly result: FileResult;
  /** Those that look at the file, and one that counts its features. */
  readonly visitors: readonly FileVisitor<unknown>[];
  readonly #open: ReadonlyArray<{ of: CheckResult; visitor: FileVisitor<unknown> }>;
  readonly #counter: InstanceCounter | null;
  readonly #budget: PlaceBudget;
  #member: Member | null = null;

  /** `text` reads the file once more. Throws a RangeError for a file that does not lie below `udx`. */
  constructor(
    file: GmlFile,
    checks: readonly Check[],
    context: PackageContext,
    text: () => AsyncIterable<Uint8Array>,
    { counts = true, budget = new PlaceBudget() }: FileChecksOptions = {},
  ) {
    const place = placeOf(file.path);
    if (place === null) throw new RangeError(`${file.path} does not lie below udx.`);
    const result: FileResult = {
      ...file,
      ...place,
      isWellFormed: true,
      envelope: { srsName: null, lower: null, upper: null },
      checks: [],
      counts: [],
      skipped: {},
    };
    this.result = result;
    this.#budget = budget;
    const shared = {};
    const open: Array<{ of: CheckResult; visitor: FileVisitor<unknown> }> = [];
    for (const check of concernedOf(checks, place.folder, context)) {
      const found: CheckResult = { code: check.code, errors: 0, findings: [], left: 0 };
      result.checks.push(found);
      const visitor = check.open(new OpenFile(this, found, context, shared, text));
      if (visitor !== null) open.push({ of: found, visitor });
    }
    this.#open = open;
    this.#counter = counts ? new InstanceCounter(place.folder) : null;
    const visitors = open.map(({ visitor }) => visitor);
    this.visitors = this.#counter === null ? visitors : [...visitors, this.#counter];
  }

  /** The member that is shown next: where findings are that say no place of their own. */
  at(member: Member): void {
    this.#member = member;
  }

  /** Adds a finding to those of a check. */
  report(found: CheckResult, finding: Finding | (() => Finding)): void {
    addFinding(found, () => this.#placed(finding), errorsOf(finding), this.#budget.take(found.code));
  }

  #placed(finding: Finding | (() => Finding)): Finding {
    const found = typeof finding === 'function' ? finding() : finding;
    const { envelope } = this.result;
    if (found.position != null) return inDegrees(found, envelope);
    const position = this.#member === null ? null : placeOfMember(this.#member);
    return position === null ? found : inDegrees({ ...found, position }, envelope);
  }

  /** Codes of the checks that look at the file, in the order of `visitors`. */
  get codes(): string[] {
    return this.#open.map(({ of }) => of.code);
  }

  /** The visitors of some checks. */
  visitorsOf(isWanted: (code: string) => boolean): FileVisitor<unknown>[] {
    return this.#open.filter(({ of }) => isWanted(of.code)).map(({ visitor }) => visitor);
  }

  skipped(reason: string): void {
    const { skipped } = this.result;
    skipped[reason] = (skipped[reason] ?? 0) + 1;
  }

  /** After the last member: checks hand on what they have for the end. */
  async end(): Promise<FileResult> {
    this.#member = null;
    for (const { of, visitor } of this.#open) {
      const carry = await visitor.end?.();
      if (carry !== undefined) of.carry = carry;
    }
    this.result.counts = this.#counter?.take() ?? [];
    return this.result;
  }

  /** The text is not well-formed. A part of a text tells nothing that could be trusted, so L01 alone is left. */
  broken(faults: readonly Finding[]): FileResult {
    const { result } = this;
    for (const found of result.checks) Object.assign(found, { errors: 0, findings: [], left: 0 });
    result.isWellFormed = false;
    const wellFormed = result.checks.find(({ code }) => code === 'L01');
    if (wellFormed !== undefined) for (const fault of faults) keepFinding(wellFormed, fault);
    return result;
  }
}

/**
 * A finding whose place is in degrees: positions of a file in a plane system are northings and eastings, which stand in
 * the place of latitude and longitude.
 */
export function inDegrees(finding: Finding, { srsName }: FileEnvelope): Finding {
  const { position } = finding;
  if (position == null || (Math.abs(position[0]) <= 180 && Math.abs(position[1]) <= 90)) return finding;
  const crs = srsName === null ? null : crsOf(srsName);
  if (crs === null || crs.geographic) return { ...finding, position: null };
  const [lng, lat] = crs.toLngLat(position[1], position[0]);
  return { ...finding, position: [lng, lat, position[2]] };
}

/** The middle of what is known of a member's extent, else its first position; null for none. */
function placeOfMember({ feature, extent }: Member): [lng: number, lat: number, height: number] | null {
  if (extent != null) {
    return [(extent[0]! + extent[2]!) / 2, (extent[1]! + extent[3]!) / 2, extent[4]!];
  }
  return firstPosition(feature);
}
