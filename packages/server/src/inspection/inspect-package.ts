/** Inspects one package, an upload or a hosted one, from its object list to its report. */
import {
  CHECKS,
  type InspectReport,
  joinFiles,
  openPackage,
  readObjectList,
  reportOf,
  SheetRefused,
  type Spec,
  type XsdFile,
} from '@citymodel/inspect';
import type { ObjectStore } from '@citymodel/store';
import { bufferSource } from '@citymodel/zip';
import type { ProgressSink } from '../base/progress.ts';
import { openSource, type PackageSource, type SourceAddress } from '../convert/package-source.ts';
import { inspectSourceOf, objectListIn } from './inspect-source.ts';
import { type InspectWork, inspectFiles, openWork } from './inspect-work.ts';
import type { KeptResults } from './kept-results.ts';

export interface InspectChoices {
  /** Codes of the checks; all when absent. */
  checks?: readonly string[];
  /** Found from the data when absent, as the plane. */
  spec?: Spec;
  /** EPSG code. */
  plane?: number;
  /** Repeats what the official program does wrong. */
  likeUpstream?: boolean;
  /** The object list; that of the package when absent. */
  objects?: { name: string; bytes: Uint8Array };
  /** XSDs in place of the schemas that the program knows; these when absent. */
  schemas?: { name: string; files: XsdFile[] };
  /** 0: none beside this one. */
  threads: number;
  signal: AbortSignal;
  onProgress: ProgressSink;
  /** The store of a hosted package, and how threads open it. */
  hosted?: { objects: ObjectStore; settings: unknown };
  /** Where results of files are kept until all are there; they are lost with the process when absent. */
  kept?: KeptResults;
  /** Called with the number of files whose results were kept. */
  onReused?(files: number): void;
}

/**
 * Inspects a package. Throws PackageRefused for what is none, and SheetRefused for a list that is named and cannot be
 * read. Throws SchemasRefused for XSDs that cannot be used, a RangeError for a plane that is not known, and the reason
 * of the signal.
 */
export async function inspectPackage(
  address: SourceAddress,
  choices: InspectChoices,
): Promise<InspectReport> {
  const { hosted, signal, onProgress } = choices;
  await using opened = await openSource(address, hosted?.objects ?? null);
  const { source, outside } = inspectSourceOf(opened);
  const objects = await objectsFor(choices, opened);
  const { spec, plane } = await openPackage(source, {
    ...(choices.spec === undefined ? {} : { spec: choices.spec }),
    ...(choices.plane === undefined ? {} : { plane: choices.plane }),
  });
  const work: InspectWork = {
    address,
    spec,
    plane,
    objects: objects?.bytes ?? null,
    checks: [...(choices.checks ?? CHECKS.map(({ code }) => code))],
    likeUpstream: choices.likeUpstream ?? false,
    schemas: choices.schemas?.files ?? null,
    store: hosted?.settings ?? null,
  };
  const { context, checks } = await openWork(work, source);
  const total = source.files.reduce((sum, { bytes }) => sum + bytes, 0);
  let done = 0;
  const { files, reused } = await inspectFiles(work, source, choices.threads, {
    signal,
    kept: choices.kept ?? null,
    onText(bytes, member) {
      done += bytes;
      onProgress({ label: source.name, phase: 'reading', done, total, member });
    },
  });
  choices.onReused?.(reused);
  const ofPackage = await joinFiles(files, source, checks, context, { signal, onText: () => {} });
  return reportOf({
    name: source.name,
    context,
    objectsName: objects === null || objects.bytes === null ? null : objects.name,
    objectsRefusal: objects?.refusal == null ? null : `${objects.name} is not used: ${objects.refusal}`,
    schemasName: choices.schemas?.name ?? null,
    files,
    ofPackage,
    outside,
    checks,
  });
}

interface ChosenObjects {
  /** Null when the package's own list cannot be used; `refusal` says why. */
  bytes: Uint8Array | null;
  name: string;
  refusal: string | null;
}

/**
 * The object list that is named, else that of the package; null where there is none. One of the package that cannot be
 * read only goes unused, since lists of earlier years have another form.
 */
async function objectsFor({ objects }: InspectChoices, opened: PackageSource): Promise<ChosenObjects | null> {
  if (objects !== undefined) return { ...objects, refusal: null };
  const found = await objectListIn(opened);
  if (found === null) return null;
  try {
    await readObjectList(bufferSource(found.bytes));
    return { ...found, refusal: null };
  } catch (error) {
    if (!(error instanceof SheetRefused)) throw error;
    return { name: found.name, bytes: null, refusal: error.message };
  }
}
