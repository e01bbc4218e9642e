/**
 * One GML member on its way into the archive: a single pass over its text that hashes, scans and compresses it at
 * the same time. The scanner runs just ahead of the compressor and tells it where features end, so that blocks are
 * cut there.
 */
import { createHash } from 'node:crypto';
import type { IssueSink } from '@citymodel/base';
import { GmlScanner, type GmlSummary, ScannerMemory } from '@citymodel/citygml';
import { BufferPool, encodeBlockChecks, SeekableDeflate, textBufferBytes } from '@citymodel/zip';
import { MemberTime } from './member-time.ts';
import type { FileObserver } from './scan-observer.ts';
import { OverBudget } from './upload.ts';

export interface GmlMember {
  summary: GmlSummary;
  crc32: number;
  size: number;
  compressedSize: number;
  sha256: Uint8Array;
  /** Serialised block table. */
  blocks: Uint8Array;
  /** See `block-checks.ts`. */
  checks: Uint8Array;
  /** See `block-pieces.ts`; null where blocks are not divided. */
  pieces: Uint8Array | null;
}

/** What passes work with, used again by the next: one for all GML of a package. */
export class GmlPassMemory {
  /** For the text of blocks. */
  readonly buffers = new BufferPool(textBufferBytes());
  /** Those that no pass uses now. */
  readonly scanners: ScannerMemory[] = [];
}

export interface GmlPassOptions {
  /** Path in the package, for issues. */
  path: string;
  /** Deflate level, 1 to 9. */
  level: number;
  /** CRC-32 of the text, where reading it checks that. */
  crc32: number | null;
  memory: GmlPassMemory;
  issue: IssueSink;
  observers: readonly FileObserver[];
  /** Takes the compressed bytes, in order. */
  onBytes: (chunk: Uint8Array) => Promise<void> | void;
  /** Told about every chunk of text, for progress. */
  onText?: (bytes: number) => void;
}

/**
 * Runs the pass over the text of a GML, whose chunks it does not keep. Throws what reading the text throws, and
 * OverBudget for a text that takes more memory or time than any honest one; faults of the XML are issues.
 */
export async function passGml(text: AsyncIterable<Uint8Array>, options: GmlPassOptions): Promise<GmlMember> {
  const { memory, observers } = options;
  const scannerMemory = memory.scanners.pop() ?? new ScannerMemory();
  const hash = createHash('sha256');
  const deflate = new SeekableDeflate({
    level: options.level,
    buffers: memory.buffers,
    ...(options.crc32 === null ? {} : { crc32: options.crc32 }),
    onBytes: options.onBytes,
  });
  const scanner = new GmlScanner({
    member: options.path,
    onIssue: options.issue,
    memory: scannerMemory,
    blockHint: (offset) => deflate.cutAt(offset),
    ...(observers.length === 0
      ? {}
      : {
          onFeature: (feature) => {
            for (const observer of observers) observer.feature?.(feature);
          },
        }),
  });
  const time = new MemberTime(options.path);
  let summary: GmlSummary | null = null;
  try {
    for await (const chunk of text) {
      hash.update(chunk);
      time.work(chunk.length, () => {
        scanner.push(chunk);
        for (const observer of observers) observer.text(chunk, scanner);
      });
      for (const observer of observers) {
        const settled = observer.settled?.() ?? null;
        if (settled !== null) await settled;
      }
      if (scanner.overBudget !== null) throw new OverBudget(options.path, scanner.overBudget);
      await deflate.push(chunk);
      options.onText?.(chunk.length);
    }
    time.work(0, () => {
      summary = scanner.end();
    });
    if (scanner.overBudget !== null) throw new OverBudget(options.path, scanner.overBudget);
    for (const observer of observers) await observer.end(summary!, scanner);
  } catch (error) {
    for (const observer of observers) observer.abandon?.();
    await deflate.abandon();
    memory.scanners.push(scannerMemory);
    throw error;
  }
  memory.scanners.push(scannerMemory);
  const end = await deflate.end();
  const blocks = end.blocks.encode();
  const { featureIndex } = summary! as GmlSummary;
  return {
    summary: summary!,
    crc32: end.crc32,
    size: end.size,
    compressedSize: end.compressedSize,
    sha256: hash.digest(),
    blocks,
    checks: encodeBlockChecks({ table: blocks, features: featureIndex }, end.blockCrcs),
    pieces: end.pieces,
  };
}
