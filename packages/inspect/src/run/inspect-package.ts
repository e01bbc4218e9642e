/**
 * Inspects a package: every GML file is read once with all checks that concern it, then checks compare what files hand
 * on.
 *
 *   files ──▶ in parts, each in any thread: FileResult (plain values) ──▶ join ──▶ PackageResult
 */
import type {
  Carried,
  Check,
  CheckFacts,
  FileContext,
  FileEnvelope,
  FileVisitor,
  Finding,
  JoinContext,
  PackageContext,
} from '../check.ts';
import { type InstanceCount, InstanceCounter } from './count-instances.ts';
import { readFile } from './read-file.ts';
import { syntaxFindings } from './syntax-findings.ts';

/** Findings of one check in one file that are kept whole; all are counted. */
export const KEPT_FINDINGS = 10_000;

/** A GML file of a package. */
export interface GmlFile {
  /** Path in the package: `udx/bldg/53394525_bldg_6697_op.gml`. */
  path: string;
  bytes: number;
}

/** The package as it is read. */
export interface InspectSource {
  /** Name of the package without `.zip`. */
  readonly name: string;
  /** GML files below `udx`, in the order of their paths. */
  readonly files: readonly GmlFile[];
  /** Uncompressed bytes of a file. */
  text(path: string): AsyncIterable<Uint8Array>;
  /** True for a path that the package has. */
  has(path: string): boolean;
  /** A whole member of the package; null when it is not there or larger than `limit`. */
  member(path: string, limit: number): Promise<Uint8Array | null>;
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

export interface InspectHooks {
  signal: AbortSignal;
  /** Bytes of text that were read. */
  onText(bytes: number): void;
}

/** The folder below `udx` that a file lies in, and the further ones; null for a file elsewhere. */
export function placeOf(path: string): { folder: string; directory: string } | null {
  const parts = path.split('/');
  const udx = parts.lastIndexOf('udx');
  if (udx < 0 || parts.length < udx + 3) return null;
  return { folder: parts[udx + 1]!, directory: parts.slice(udx + 1, -1).join('/') };
}

/** Reads one file with the checks that concern it. Throws what reading throws, and the reason of the signal. */
export async function inspectFile(
  file: GmlFile,
  source: InspectSource,
  checks: readonly Check[],
  context: PackageContext,
  hooks: InspectHooks,
): Promise<FileResult> {
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
  const skipped = (reason: string) => {
    result.skipped[reason] = (result.skipped[reason] ?? 0) + 1;
  };
  const counter = new InstanceCounter(place.folder);
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
      text: () => untilStopped(source.text(file.path), hooks.signal),
      get envelope() {
        return result.envelope;
      },
      report: (finding) => add(found, finding),
      skipped,
    };
    const visitor = check.open(fileContext);
    if (visitor !== null) open.push({ of: found, visitor });
  }
  const fault = await readFile(source.text(file.path), [...open.map(({ visitor }) => visitor), counter], {
    ...hooks,
    skipped,
    onEnvelope: (envelope) => (result.envelope = envelope),
  });
  if (fault === null) {
    for (const { of, visitor } of open) {
      const carry = await visitor.end?.();
      if (carry !== undefined) of.carry = carry;
    }
    result.counts = counter.take();
    return result;
  }
  // A part of a text tells nothing that could be trusted.
  for (const found of result.checks) Object.assign(found, { errors: 0, findings: [], left: 0 });
  result.isWellFormed = false;
  const wellFormed = result.checks.find(({ code }) => code === 'L01');
  for (const finding of await syntaxFindings(fault, source.text(file.path))) {
    if (wellFormed !== undefined) add(wellFormed, finding);
  }
  return result;
}

/**
 * Checks compare what files hand on; their findings are added to the results. Files are in the order of their paths.
 * Returns the findings that belong to the package and to no file.
 */
export async function joinFiles(
  files: readonly FileResult[],
  source: InspectSource,
  checks: readonly Check[],
  context: PackageContext,
  hooks: InspectHooks,
): Promise<CheckResult[]> {
  const ofPackage: CheckResult[] = [];
  const byPath = new Map(files.map((file) => [file.path, file]));
  for (const check of checks) {
    if (check.join === undefined) continue;
    const carried: Carried<unknown>[] = [];
    const results = new Map<string, CheckResult>();
    for (const { path, folder, checks: found } of files) {
      const own = found.find(({ code }) => code === check.code);
      if (own === undefined) continue;
      results.set(path, own);
      if (own.carry !== undefined) carried.push({ path, folder, carry: own.carry });
      delete own.carry;
    }
    const skipped = (path: string, reason: string) => {
      const file = byPath.get(path)!;
      file.skipped[reason] = (file.skipped[reason] ?? 0) + 1;
    };
    const join: JoinContext = {
      ...context,
      toPlane: (lng, lat) => context.toPlane(lng, lat),
      codeList: (codeSpace, path) => context.codeList(codeSpace, path),
      hasMember: (path) => context.hasMember(path),
      paths: [...results.keys()],
      envelopeOf: (path) => byPath.get(path)!.envelope,
      report(path, finding) {
        if (path !== null) return add(results.get(path)!, finding);
        let found = ofPackage.find(({ code }) => code === check.code);
        if (found === undefined) {
          found = { code: check.code, errors: 0, findings: [], left: 0 };
          ofPackage.push(found);
        }
        add(found, finding);
      },
      skipped,
      async revisit(path, visitor) {
        await readFile(source.text(path), [visitor], {
          ...hooks,
          skipped: (reason) => skipped(path, reason),
          onEnvelope: () => {},
        });
        await visitor.end?.();
      },
    };
    hooks.signal.throwIfAborted();
    await check.join(carried, join);
  }
  return ofPackage;
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

async function* untilStopped(
  text: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, void> {
  for await (const chunk of text) {
    signal.throwIfAborted();
    yield chunk;
  }
}

function add(found: CheckResult, finding: Finding): void {
  found.errors += finding.errors ?? 1;
  if (found.findings.length < KEPT_FINDINGS) found.findings.push(finding);
  else found.left++;
}
