/** The work behind a pack: plan it, then put its layout, or the zip itself, where servers find it. */
import { backgroundSlices, sharedNow } from '@citymodel/base';
import {
  type Archives,
  type ObjectHandle,
  ObjectMissing,
  type ObjectStore,
  type PackResult,
  type PackRun,
  type PackSource,
  type PackStore,
} from '@citymodel/store';
import {
  FAR_READS,
  InvalidMemberName,
  layoutDigest,
  NEAR_READS,
  type RangedSource,
  streamLayout,
  type ZipLayout,
} from '@citymodel/zip';
import type { LongTask } from '../base/long-task.ts';
import type { Progress } from '../base/progress.ts';
import { encodeLayout } from './layout-file.ts';
import { packPrefix } from './pack-id.ts';
import { type FoundMembers, findMembers, layOut, type PackArchive } from './plan-pack.ts';

/** A pack that cannot be made, with a sentence for the caller. */
export class PackRefused extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'PackRefused';
  }
}

export interface PackTaskOptions {
  archives: Pick<Archives, 'open'>;
  objects: ObjectStore;
  packs: Pick<PackStore, 'succeed'>;
  /** Whether the zip is written out. */
  materialise: boolean;
  /** Largest zip, bytes. */
  maxBytes: number;
  /** How long the pack stays, ms. */
  retentionMs: number;
}

/** What became of a run; `gone` where another one has followed, which has a zip of its own. */
export type PackEnd = { status: 'succeeded'; size: number; files: number } | { status: 'gone' };

/** Where progress is when a pack is planned that has still to be written out. */
const PLANNED = 0.1;
/** Progress ends below 1, which means that the pack succeeded. */
const ALMOST = 0.99;

/** Key of the object that a run makes. */
export function packKey({ id, run }: Pick<PackRun, 'id' | 'run'>, materialise: boolean): string {
  return `${packPrefix(id)}${run}.${materialise ? 'zip' : 'layout'}`;
}

/** How far a pack has come, from 0 to below 1, when its task tells this. */
export function packProgress(
  { phase, done, total }: Pick<Progress, 'phase' | 'done' | 'total'>,
  materialise: boolean,
): number {
  if (phase === 'joining') return PLANNED + (ALMOST - PLANNED) * (done / total);
  return ((materialise ? PLANNED : ALMOST) * done) / total;
}

/** What is known of a pack whose object is there. */
type MadePack = Omit<PackResult, 'now' | 'expiresAt'>;

/**
 * The task of a run. Its plan, the sources, was made when the pack was accepted; parts are the members of each source; joined they are
 * an object, which appears whole or not at all; the pack is published by the row that names it. The object goes when that does not
 * come to pass. Throws PackRefused for what is too large, and what the stores throw.
 */
export function packTask(
  run: PackRun,
  { archives, objects, packs, materialise, maxBytes, retentionMs }: PackTaskOptions,
): LongTask<readonly PackSource[], FoundMembers, MadePack, PackEnd> {
  const objectKey = packKey(run, materialise);
  /** Whether the object is, or may be, the pack's. */
  let isKept = false;
  return {
    label: () => run.id,
    plan: async () => run.sources,
    parts: (sources, { signal, tell }) =>
      findMembers(sources, {
        archives,
        signal,
        onProgress: (done, total) => tell({ phase: 'reading', done, total, member: null }),
      }),
    async join(found, { signal, tell, keep }) {
      const { layout, missing, missingCount } = await layOut(found);
      // The layout has all of it; writing a zip may take hours.
      found.parts.length = 0;
      found.missing.clear();
      if (layout.size > maxBytes) throw new PackRefused(tooLarge(layout.size, maxBytes));
      keep({
        async [Symbol.asyncDispose]() {
          if (!isKept) await objects.delete(objectKey);
        },
      });
      const onBytes = (done: number) => tell({ phase: 'joining', done, total: layout.size, member: null });
      const bytes = materialise
        ? watched(zipBytes(layout, 0, layout.size, objects), signal, onBytes)
        : watched([await encodeLayout(layout)], signal, () => {});
      const { size: objectBytes } = await objects.put(objectKey, bytes);
      return {
        size: layout.size,
        files: layout.count,
        digest: await layoutDigest(layout, ({ sha256 }) => sha256, backgroundSlices()),
        objectKey,
        objectBytes,
        materialised: materialise,
        missing,
        missingCount,
      };
    },
    async publish(made) {
      const now = sharedNow();
      isKept = true;
      isKept = await packs.succeed(run, { ...made, now, expiresAt: now + retentionMs });
      return isKept ? { status: 'succeeded', size: made.size, files: made.files } : { status: 'gone' };
    },
  };
}

/** What a caller is told about a pack that was not made; null for what nobody foresaw. */
export function reasonFor(error: unknown): string | null {
  if (error instanceof PackRefused) return error.message;
  if (error instanceof ObjectMissing) {
    return 'The bytes of a package cannot be reached; the operator can run `citymodel check`.';
  }
  if (error instanceof InvalidMemberName) return `No zip can hold it: ${error.message}.`;
  return null;
}

/** Why a pack of so many bytes is refused. */
export function tooLarge(bytes: number, maxBytes: number): string {
  return `The zip would have ${bytes} bytes with all that its files refer to; at most ${maxBytes} bytes are accepted. Ask for fewer files.`;
}

/**
 * Bytes `[start, end)` of a pack, from the archives; those that it opens are closed when it ends. A chunk may be
 * overwritten once the next one is asked for.
 */
export async function* zipBytes(
  layout: ZipLayout<PackArchive>,
  start: number,
  end: number,
  objects: Pick<ObjectStore, 'open' | 'traits'>,
): AsyncGenerator<Uint8Array, void, void> {
  const opened: ObjectHandle[] = [];
  const open = async ({ key }: PackArchive): Promise<RangedSource> => {
    const handle = await objects.open(key);
    opened.push(handle);
    return handle;
  };
  try {
    const reads = objects.traits.readCost === 'remote' ? FAR_READS : NEAR_READS;
    yield* streamLayout(layout, start, end, open, reads);
  } finally {
    for (const handle of opened) await handle[Symbol.asyncDispose]();
  }
}

/** The chunks, until the signal is aborted; `onBytes` receives how many bytes there were so far. */
async function* watched(
  chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  signal: AbortSignal,
  onBytes: (bytes: number) => void,
): AsyncGenerator<Uint8Array, void, void> {
  let bytes = 0;
  for await (const chunk of chunks) {
    signal.throwIfAborted();
    yield chunk;
    bytes += chunk.length;
    onBytes(bytes);
  }
  signal.throwIfAborted();
}
