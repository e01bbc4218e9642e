/** The checks that concern one file, and what they find in it. */
import type {
  Check,
  CheckFacts,
  FileContext,
  FileEnvelope,
  FileVisitor,
  Finding,
  Member,
  PackageContext,
} from '../check.ts';
import { firstPosition } from '../geometry/plane-polygon.ts';
import { type InstanceCount, InstanceCounter } from './count-instances.ts';

/** Findings of one check in one file that are kept whole; all are counted. */
export const KEPT_FINDINGS = 10_000;

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
    const shared = {};
    const open: Array<{ of: CheckResult; visitor: FileVisitor<unknown> }> = [];
    for (const check of concerned(checks, place.folder, context)) {
      const found: CheckResult = { code: check.code, errors: 0, findings: [], left: 0 };
      result.checks.push(found);
      const fileContext: FileContext = {
        ...file,
        ...place,
        spec: context.spec,
        package: context,
        shared,
        text,
        get envelope() {
          return result.envelope;
        },
        report: (finding) =>
          addFinding(found, () => this.#placed(finding), errorsOf(finding), budget.take(found.code)),
        skipped: (reason) => this.skipped(reason),
      };
      const visitor = check.open(fileContext);
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

  #placed(finding: Finding | (() => Finding)): Finding {
    const found = typeof finding === 'function' ? finding() : finding;
    if (found.position != null || this.#member === null) return found;
    const position = placeOfMember(this.#member);
    return position === null ? found : { ...found, position };
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

/** The middle of what is known of a member's extent, else its first position; null for none in degrees. */
function placeOfMember({ feature, extent }: Member): [lng: number, lat: number, height: number] | null {
  if (extent != null) {
    return [(extent[0]! + extent[2]!) / 2, (extent[1]! + extent[3]!) / 2, extent[4]!];
  }
  const first = firstPosition(feature);
  return first !== null && Math.abs(first[0]) <= 180 && Math.abs(first[1]) <= 90 ? first : null;
}
