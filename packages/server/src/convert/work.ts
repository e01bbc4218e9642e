/**
 * The pieces of work of a conversion: making a part, and joining parts into a package. Runs in whatever thread has it.
 */
import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { OutputKind } from '@citymodel/base';
import {
  type ConvertIssue,
  type ConvertOptions,
  createSingleFile,
  createZip,
  type GmlFacts,
  type HeightGrid,
  heightIssues,
  heightModel,
  loadEgm96,
  NeedsEgm96,
  type OutputKey,
  type PackageFile,
  type PartAccount,
  PartAccountBuilder,
  type PartOutput,
  VerticalRefused,
} from '@citymodel/tiles';
import { systemFailure } from './conversion-failed.ts';
import { makerOf } from './makers.ts';
import { gmlSourceOf, type PackageSource } from './package-source.ts';
import type { PartStore } from './part-store.ts';

export interface PartTask {
  kind: 'part';
  maker: OutputKind;
  gml: GmlFacts;
  hash: string;
}

export interface JoinTask {
  kind: 'join';
  maker: OutputKind;
  key: OutputKey;
  /** Name of the package that is made. */
  name: string;
  /** Parts of the type, by path. */
  parts: ReadonlyArray<{ gml: GmlFacts; hash: string }>;
  /** File that is written. */
  target: string;
  /** See `JoinContext`. */
  provenance: unknown;
}

export type Task = PartTask | JoinTask;

export interface TaskResult {
  issues: readonly ConvertIssue[];
  /** Outputs of a part. */
  outputs: readonly PartOutput[];
  /** Of a part that was made. */
  account: PartAccount | null;
  /** Bytes and members of a package; null for one that could not be put together. */
  file: { bytes: number; members: number } | null;
}

/** What all pieces of work of a conversion share. */
export interface WorkContext {
  source: PackageSource;
  store: PartStore;
  options: ConvertOptions;
  grid: HeightGrid | null;
  signal: AbortSignal;
  onText(bytes: number): void;
}

/**
 * Does a piece of work. What is wrong with the data of a part becomes an issue of its file. Throws ConversionFailed
 * when the system fails, and the reason of the signal.
 */
export async function work(task: Task, context: WorkContext): Promise<TaskResult> {
  return task.kind === 'part' ? makePart(task, context) : joinParts(task, context);
}

async function makePart(task: PartTask, context: WorkContext): Promise<TaskResult> {
  // Another worker may have made it by now.
  const known = await context.store.find(task.hash);
  if (known !== null) {
    context.onText(task.gml.size);
    return { outputs: known.outputs, issues: known.issues, account: known.account, file: null };
  }
  try {
    return await attempt(task, context, null);
  } catch (error) {
    if (!(error instanceof NeedsEgm96)) return failed(task.gml, error, context);
  }
  try {
    return await attempt(task, context, await loadEgm96());
  } catch (error) {
    return failed(task.gml, error, context);
  }
}

async function attempt(
  { maker, gml, hash }: PartTask,
  { source, store, options, grid, signal, onText }: WorkContext,
  egm96: Awaited<ReturnType<typeof loadEgm96>> | null,
): Promise<TaskResult> {
  const heights = heightModel(options.heights, grid, egm96);
  const issues: ConvertIssue[] = [];
  const builder = new PartAccountBuilder();
  const others = new Map<string, Promise<string | null>>();
  const onOther = (path: string) => {
    if (others.has(path)) return;
    const stamp = source.stampOf(path);
    // A caller who asks for the member hears of it, too.
    stamp.catch(() => {});
    others.set(path, stamp);
  };
  const work = await store.begin(hash);
  const directory = join(work, 'part');
  const scratch = join(work, 'scratch');
  try {
    await mkdir(directory);
    await mkdir(scratch);
    const outputs = await makerOf(maker).makePart(gmlSourceOf(source, gml, onOther), directory, {
      options,
      heights,
      scratch,
      signal,
      onText,
      account: builder,
      issue: (issue) => issues.push(issue),
    });
    const account = builder.finish();
    issues.push(...heightIssues(gml.path, heights));
    await store.complete(directory, hash, {
      outputs,
      issues,
      account,
      others: await Promise.all(Array.from(others, async ([path, stamp]) => ({ path, stamp: await stamp }))),
    });
    return { issues, outputs, account, file: null };
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/**
 * A part that cannot be made is left out; the rest of the package goes on. Throws ConversionFailed when the system is
 * to blame, and the reason of the signal.
 */
function failed({ path }: GmlFacts, error: unknown, { signal }: WorkContext): TaskResult {
  signal.throwIfAborted();
  const ofSystem = systemFailure(error);
  if (ofSystem !== null) throw ofSystem;
  const isVertical = error instanceof VerticalRefused;
  const reason = error instanceof Error ? error.message : String(error);
  const issue: ConvertIssue = {
    code: isVertical ? 'VERTICAL_SYSTEM_REFUSED' : 'PART_FAILED',
    severity: 'error',
    file: path,
    id: null,
    count: 1,
    message: isVertical ? reason : `The file cannot be converted: ${reason}`,
    remedy: isVertical
      ? 'The file is left out.'
      : 'The file is left out. Correct it and convert the package again.',
  };
  return { issues: [issue], outputs: [], account: null, file: null };
}

async function joinParts(task: JoinTask, context: WorkContext): Promise<TaskResult> {
  const { source, store, options, grid, signal } = context;
  const { key, name, target } = task;
  const issues: ConvertIssue[] = [];
  const scratch = await store.begin('join');
  const maker = makerOf(task.maker);
  const isZip = maker.container(options) === 'zip';
  let file: PackageFile | null = null;
  try {
    await mkdir(dirname(target), { recursive: true });
    // Members have a time that follows from the package, so that the same package has the same bytes.
    file = isZip
      ? await createZip(target, Date.UTC(source.package.year, 0, 1))
      : await createSingleFile(target);
    const parts = await Promise.all(task.parts.map(({ gml, hash }) => store.part(hash, gml)));
    await maker.join(key, parts, file, {
      package: source.package,
      name,
      options,
      heights: heightModel(options.heights, grid, null),
      provenance: task.provenance,
      scratch,
      signal,
      issue: (issue) => issues.push(issue),
    });
    if (isZip) await file.add(PROVENANCE, Buffer.from(`${JSON.stringify(task.provenance, null, 2)}\n`));
    return { issues, outputs: [], account: null, file: await file.finish() };
  } catch (error) {
    await file?.abandon();
    signal.throwIfAborted();
    const ofSystem = systemFailure(error);
    if (ofSystem !== null) throw ofSystem;
    return { issues: [packageFailed(name, error)], outputs: [], account: null, file: null };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** A package that cannot be put together is left out; the others are made. */
function packageFailed(name: string, error: unknown): ConvertIssue {
  const reason = error instanceof Error ? error.message : String(error);
  return {
    code: 'PACKAGE_FAILED',
    severity: 'error',
    file: name,
    id: null,
    count: 1,
    message: `The package of tiles cannot be put together: ${reason}`,
    remedy: 'It is left out. Report it; this is a fault of the program.',
  };
}

/** Member of every zip that is made: how it was made. */
export const PROVENANCE = 'conversion.json';
