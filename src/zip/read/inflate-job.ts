/** What the threads say to each other when one inflates blocks for the other. */
import type { BlockInflater } from './block-inflater.ts';

/** Bytes `[start, end)` of a block's text. */
export interface PartRange {
  start: number;
  end: number;
}

/** Memory that goes to and fro with jobs, and is used for one after another. */
export interface JobMemory {
  /** Data of blocks, one after another from its beginning. */
  input: ArrayBuffer;
  /** Parts of all blocks, one after another from its beginning; replaced by the one who fills it when it is too short. */
  output: ArrayBuffer;
}

/** Blocks to inflate. */
export interface InflateJob extends JobMemory {
  id: number;
  blocks: ReadonlyArray<{ dataLength: number; ranges: readonly PartRange[] }>;
}

/** The answer. */
export interface InflateResult extends JobMemory {
  id: number;
  /** False when one of the blocks could not be inflated. */
  done: boolean;
}

/** Does a job; runs on any thread. */
export function inflateJob(
  inflater: BlockInflater,
  { id, input, output: given, blocks }: InflateJob,
): InflateResult {
  const lengths = blocks.map(({ ranges }) => ranges.reduce((sum, { start, end }) => sum + end - start, 0));
  const needed = lengths.reduce((sum, length) => sum + length, 0);
  const output = given.byteLength >= needed ? given : new ArrayBuffer(needed);
  let read = 0;
  let written = 0;
  for (const [i, { dataLength, ranges }] of blocks.entries()) {
    const target = new Uint8Array(output, written, lengths[i]);
    if (!inflater.partsInto(target, new Uint8Array(input, read, dataLength), ranges)) {
      return { id, input, output, done: false };
    }
    read += dataLength;
    written += target.length;
  }
  return { id, input, output, done: true };
}
