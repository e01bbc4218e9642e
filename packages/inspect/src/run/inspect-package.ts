/**
 * Inspects a package: every GML file is read once with all checks that concern it, then checks compare what files hand
 * on.
 *
 *   files ──▶ in parts, each in any thread: FileResult (plain values) ──▶ join ──▶ PackageResult
 */
import type { Carried, Check, JoinContext, PackageContext } from '../check.ts';
import {
  type CheckResult,
  FileChecks,
  type FileResult,
  type GmlFile,
  inDegrees,
  keepFinding,
} from './file-checks.ts';
import { readFile } from './read-file.ts';
import { otherVersion } from './spec-of.ts';
import { syntaxFindings } from './syntax-findings.ts';

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

export interface InspectHooks {
  signal: AbortSignal;
  /** Bytes of text that were read. */
  onText(bytes: number): void;
}

/** Reads one file with the checks that concern it. Throws what reading throws, and the reason of the signal. */
export async function inspectFile(
  file: GmlFile,
  source: InspectSource,
  checks: readonly Check[],
  context: PackageContext,
  hooks: InspectHooks,
): Promise<FileResult> {
  const open = new FileChecks(file, checks, context, () =>
    untilStopped(source.text(file.path), hooks.signal),
  );
  const fault = await readFile(source.text(file.path), open.visitors, {
    ...hooks,
    skipped: (reason) => open.skipped(reason),
    onEnvelope: (envelope) => (open.result.envelope = envelope),
    onContext: (names) => {
      const other = otherVersion(names, context.spec);
      if (other !== null) open.skipped(other);
    },
    onMember: (member) => open.at(member),
  });
  return fault === null ? open.end() : open.broken(await syntaxFindings(fault, source.text(file.path)));
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
        if (path !== null) {
          return keepFinding(results.get(path)!, inDegrees(finding, byPath.get(path)!.envelope));
        }
        let found = ofPackage.find(({ code }) => code === check.code);
        if (found === undefined) {
          found = { code: check.code, errors: 0, findings: [], left: 0 };
          ofPackage.push(found);
        }
        keepFinding(found, finding);
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

async function* untilStopped(
  text: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, void> {
  for await (const chunk of text) {
    signal.throwIfAborted();
    yield chunk;
  }
}
