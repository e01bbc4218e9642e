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
  packSumsKey,
} from '@citymodel/store';
import {
  ARCHIVE_PAGE_BYTES,
  CheckedPages,
  FAR_READS,
  InvalidMemberName,
  layoutDigest,
  MemberDamaged,
  NEAR_READS,
  PageSumsWriter,
  type RangedSource,
  streamLayout,
  type ZipLayout,
} from '@citymodel/zip';
import type { LongTask } from '../base/long-task.ts';
import type { Progress } from '../base/progress.ts';
import { KnownPages } from './known-pages.ts';
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
  archives: Pick<Archives, 'open' | 'openObject' | 'readCost'>;
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
 * The task of a run. Its plan, the sources, was made when the pack was accepted; parts are the members of each source;
 * joined they are an object, which appears whole or not at all; the pack is published by the row that names it. The
 * object goes when that does not come to pass. Throws PackRefused for what is too large, and what the stores throw.
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
          if (isKept) return;
          await objects.deleteMany(materialise ? [objectKey, packSumsKey(objectKey)] : [objectKey]);
        },
      });
      const onBytes = (done: number) => tell({ phase: 'joining', done, total: layout.size, member: null });
      const objectBytes = materialise
        ? await putZip(objectKey, layout, { archives, objects, signal, onBytes })
        : await put(objects, objectKey, [await encodeLayout(layout)], signal);
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
    async publish(result) {
      const now = sharedNow();
      isKept = true;
      isKept = await packs.succeed(run, { ...result, now, expiresAt: now + retentionMs });
      return isKept ? { status: 'succeeded', size: result.size, files: result.files } : { status: 'gone' };
    },
  };
}

/** Writes the zip, and the sums of its pages beside it. Returns the bytes of both. */
async function putZip(
  key: string,
  layout: ZipLayout<PackArchive>,
  {
    archives,
    objects,
    signal,
    onBytes,
  }: Pick<PackTaskOptions, 'archives' | 'objects'> & {
    signal: AbortSignal;
    /** Receives how many bytes of the zip there are. */
    onBytes: (done: number) => void;
  },
): Promise<number> {
  const sums = new PageSumsWriter(ARCHIVE_PAGE_BYTES);
  const onChunk = (chunk: Uint8Array, bytes: number) => {
    sums.push(chunk);
    onBytes(bytes);
  };
  const size = await put(objects, key, zipBytes(layout, 0, layout.size, archives), signal, onChunk);
  const pages = KnownPages.all(ARCHIVE_PAGE_BYTES, sums.finish());
  return size + (await put(objects, packSumsKey(key), [pages.encode()], signal));
}

async function put(
  objects: ObjectStore,
  key: string,
  chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  signal: AbortSignal,
  onChunk: (chunk: Uint8Array, bytes: number) => void = () => {},
): Promise<number> {
  return (await objects.put(key, watched(chunks, signal, onChunk))).size;
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

/**
 * What came damaged, twice, when a pack could not be made for that; null for another error. It may come right the next
 * time.
 */
export function damageIn(error: unknown): string | null {
  return error instanceof MemberDamaged ? error.message : null;
}

/** Why a pack of so many bytes is refused. */
export function tooLarge(bytes: number, maxBytes: number): string {
  return (
    `The zip would have ${bytes} bytes with all that its files refer to; at most ${maxBytes} bytes are ` +
    `accepted. Ask for fewer files.`
  );
}

/**
 * Bytes `[start, end)` of a pack, from the archives, compared page by page; those that it opens are closed when it
 * ends. A chunk may be overwritten once the next one is asked for. Throws MemberDamaged for bytes that came damaged
 * twice.
 */
export async function* zipBytes(
  layout: ZipLayout<PackArchive>,
  start: number,
  end: number,
  archives: Pick<Archives, 'openObject' | 'readCost'>,
): AsyncGenerator<Uint8Array, void, void> {
  const opened: ObjectHandle[] = [];
  const open = async ({ key, pages }: PackArchive): Promise<RangedSource> => {
    const handle = await archives.openObject(key);
    opened.push(handle);
    return pages === null ? handle : new CheckedPages(handle, pages.of(key));
  };
  try {
    const reads = archives.readCost === 'remote' ? FAR_READS : NEAR_READS;
    yield* streamLayout(layout, start, end, open, reads);
  } finally {
    for (const handle of opened) await handle[Symbol.asyncDispose]();
  }
}

/** The chunks, until the signal is aborted; `onChunk` receives each, and how many bytes there were so far. */
async function* watched(
  chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  signal: AbortSignal,
  onChunk: (chunk: Uint8Array, bytes: number) => void,
): AsyncGenerator<Uint8Array, void, void> {
  let bytes = 0;
  for await (const chunk of chunks) {
    signal.throwIfAborted();
    bytes += chunk.length;
    onChunk(chunk, bytes);
    yield chunk;
  }
  signal.throwIfAborted();
}
