/** Inspecting a package over several threads, each of which opens it by itself and reads whole files. */

import { createHash } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import { compareTexts } from '@citymodel/base';
import {
  CHECKS,
  type Check,
  type FileResult,
  type GmlFile,
  type InspectSource,
  inspectFile,
  openPackage,
  type PackageContext,
  readObjectList,
  SchemasRefused,
  type Spec,
  type XsdFile,
} from '@citymodel/inspect';
import type { ObjectStore } from '@citymodel/store';
import { bufferSource } from '@citymodel/zip';
import { openSource, type SourceAddress } from '../convert/package-source.ts';
import { inspectSourceOf } from './inspect-source.ts';
import type { KeptResults } from './kept-results.ts';
import { SchemaJudge } from './schema-judge.ts';
import { INSPECT_THREAD } from './thread-module.ts';

/** What a thread begins with: plain values. */
export interface InspectWork {
  address: SourceAddress;
  spec: Spec;
  plane: number;
  /** Bytes of the object list; null for none. */
  objects: Uint8Array | null;
  /** Codes of the checks. */
  checks: string[];
  likeUpstream: boolean;
  /** XSDs in place of the schemas that the program knows; null for these. */
  schemas: XsdFile[] | null;
  /** How a thread opens the store that has the archive of a hosted package: plain values; null for an upload. */
  store: unknown;
}

/** What a thread tells of its file. */
export type InspectMessage =
  | { text: number }
  | { done: FileResult }
  | { failed: string }
  | { refused: string };

/** MB for the objects of a thread: features of 64 MB are read as a tree. */
const HEAP_MB = 1024;
/** MB for short-lived objects. By itself a thread takes four times as much, which makes it no faster. */
const YOUNG_MB = 48;

/** The checks of a work, and what holds for its package. */
export async function openWork(
  { spec, plane, objects, checks, likeUpstream, schemas }: InspectWork,
  source: InspectSource,
): Promise<{ context: PackageContext; checks: Check[] }> {
  const list = objects === null ? null : await readObjectList(bufferSource(objects), likeUpstream);
  return {
    context: await openPackage(source, {
      spec,
      plane,
      objects: list,
      likeUpstream,
      schemas: schemas === null ? null : new SchemaJudge(schemas),
    }),
    checks: CHECKS.filter(({ code }) => checks.includes(code)),
  };
}

/** Opens the package of a work by itself; `objects` has the archive of a hosted one. */
export async function openWorkSource(
  { address }: InspectWork,
  objects: ObjectStore | null,
): Promise<InspectSource> {
  const { source } = inspectSourceOf(await openSource(address, objects));
  return source;
}

export interface FilesHooks {
  signal: AbortSignal;
  onText(bytes: number, path: string): void;
  /** Results of an inspection that was stopped; null where none are kept. */
  kept: KeptResults | null;
}

/**
 * Inspects files, large ones first, in `jobs` threads; 0 uses this one. Those whose results are kept are not read
 * again. Results are in the order of the files, and `reused` counts those that were kept.
 * Throws SchemasRefused, what else a file throws, and the reason of the signal.
 */
export async function inspectFiles(
  work: InspectWork,
  source: InspectSource,
  jobs: number,
  hooks: FilesHooks,
): Promise<{ files: FileResult[]; reused: number }> {
  const { signal, onText, kept } = hooks;
  const ingredients = ingredientsOf(work);
  const results = new Map<string, FileResult>();
  const left: GmlFile[] = [];
  for (const file of source.files) {
    const found = (await kept?.find(file, ingredients)) ?? null;
    if (found === null) left.push(file);
    else {
      results.set(file.path, found);
      onText(file.bytes, file.path);
    }
  }
  const reused = results.size;
  const take = async (result: FileResult) => {
    await kept?.keep(result, ingredients);
    results.set(result.path, result);
  };
  const queue = left.toSorted((a, b) => b.bytes - a.bytes || compareTexts(a.path, b.path));
  const threads = Math.min(jobs, queue.length);
  if (threads < 1) {
    const { context, checks } = await openWork(work, source);
    for (const file of left) {
      const reading = { signal, onText: (bytes: number) => onText(bytes, file.path) };
      await take(await inspectFile(file, source, checks, context, reading));
    }
  } else {
    const workers = Array.from({ length: threads }, () => start(work));
    try {
      await Promise.all(
        workers.map(async (worker) => {
          for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
            signal.throwIfAborted();
            await take(await runOne(worker, file, signal, onText));
          }
        }),
      );
    } finally {
      queue.length = 0;
      await Promise.all(workers.map((worker) => worker.terminate()));
    }
  }
  return { files: source.files.map(({ path }) => results.get(path)!), reused };
}

/** What the result of a file of a package follows from, beside the package. */
function ingredientsOf({ spec, plane, objects, checks, likeUpstream, schemas }: InspectWork): unknown[] {
  const hash = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
  const list = objects === null ? null : hash(objects);
  return [spec, plane, list, checks, likeUpstream, schemas?.map(({ path, bytes }) => [path, hash(bytes)])];
}

function start(work: InspectWork): Worker {
  const worker = new Worker(INSPECT_THREAD, {
    name: 'inspect',
    workerData: work,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB, maxYoungGenerationSizeMb: YOUNG_MB },
  });
  // A thread that fails between files is noticed with the next one.
  worker.on('error', () => {});
  return worker;
}

function runOne(
  worker: Worker,
  file: GmlFile,
  signal: AbortSignal,
  onText: (bytes: number, path: string) => void,
): Promise<FileResult> {
  const { promise, resolve, reject } = Promise.withResolvers<FileResult>();
  const onMessage = (message: InspectMessage) => {
    if ('text' in message) onText(message.text, file.path);
    else if ('done' in message) resolve(message.done);
    else if ('refused' in message) reject(new SchemasRefused(message.refused));
    else reject(new Error(message.failed));
  };
  const onExit = () => reject(new Error(`A thread ended while it inspected ${file.path}.`));
  const onAbort = () => reject(signal.reason);
  worker.on('message', onMessage).on('error', reject).on('exit', onExit);
  signal.addEventListener('abort', onAbort);
  worker.postMessage(file);
  return promise.finally(() => {
    worker.off('message', onMessage).off('error', reject).off('exit', onExit);
    signal.removeEventListener('abort', onAbort);
  });
}
