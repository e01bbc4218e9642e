/** The work behind a pack: plan it, then put its layout, or the zip itself, where servers find it. */
import { backgroundSlices } from '@citymodel/base';
import {
  type Archives,
  type ObjectHandle,
  ObjectMissing,
  type ObjectStore,
  type PackResult,
  type PackRun,
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
import { encodeLayout } from './layout-file.ts';
import { packPrefix } from './pack-id.ts';
import { type PackArchive, planPack } from './plan-pack.ts';

/** A pack that cannot be made, with a sentence for the caller. */
export class PackRefused extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'PackRefused';
  }
}

export interface MakePackOptions {
  archives: Pick<Archives, 'open'>;
  objects: ObjectStore;
  /** Whether the zip is written out. */
  materialise: boolean;
  /** Largest zip, bytes. */
  maxBytes: number;
  /** Aborted when the pack is not wanted any more; its reason is thrown then. */
  signal: AbortSignal;
  /** Receives numbers from 0 to below 1, growing. */
  onProgress(progress: number): void;
}

/** Where progress is when a pack is planned that has still to be written out. */
const PLANNED = 0.1;
/** Progress ends below 1, which means that the pack succeeded. */
const ALMOST = 0.99;

/** Key of the object that a run makes. */
export function packKey({ id, run }: Pick<PackRun, 'id' | 'run'>, materialise: boolean): string {
  return `${packPrefix(id)}${run}.${materialise ? 'zip' : 'layout'}`;
}

/**
 * Makes the object of a pack; it appears whole or not at all. Throws PackRefused for what is too large, the signal's
 * reason, and what the stores throw.
 */
export async function makePack(
  run: PackRun,
  options: MakePackOptions,
): Promise<Omit<PackResult, 'now' | 'expiresAt'>> {
  const { archives, objects, materialise, maxBytes, signal, onProgress } = options;
  const share = materialise ? PLANNED : ALMOST;
  const { layout, missing, missingCount } = await planPack(run.sources, {
    archives,
    signal,
    onProgress: (done, total) => onProgress((share * done) / total),
  });
  if (layout.size > maxBytes) throw new PackRefused(tooLarge(layout.size, maxBytes));
  const key = packKey(run, materialise);
  const { size: objectBytes } = await objects.put(
    key,
    materialise
      ? watched(zipBytes(layout, 0, layout.size, objects), signal, (bytes) =>
          onProgress(PLANNED + (ALMOST - PLANNED) * (bytes / layout.size)),
        )
      : watched([await encodeLayout(layout)], signal, () => {}),
  );
  return {
    size: layout.size,
    files: layout.count,
    digest: await layoutDigest(layout, ({ sha256 }) => sha256, backgroundSlices()),
    objectKey: key,
    objectBytes,
    materialised: materialise,
    missing,
    missingCount,
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
