import { readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import type { Head, PartRange } from '../block-table.ts';
import { BlockInflater } from './block-inflater.ts';

/** A block of a seekable member in a file, and the parts of its text that are wanted. */
export interface BlockParts {
  /** Where its data lies in the file, bytes. */
  position: number;
  length: number;
  /** CRC-32 of the data; null where that is not known. */
  crc32: number | null;
  head: Head | null;
  /** Offsets from the beginning of its text. */
  ranges: readonly PartRange[];
}

/** Bytes of all parts together. */
export function partsBytes(blocks: ReadonlyArray<Pick<BlockParts, 'ranges'>>): number {
  let sum = 0;
  for (const { ranges } of blocks) for (const { start, end } of ranges) sum += end - start;
  return sum;
}

/**
 * Reads parts of blocks out of a file on the calling thread, which waits for the disk. The same memory serves for the
 * data of each block. So a block in the page cache takes a fifth of what reading it on the pool takes.
 */
export class BlockPartsReader {
  readonly #inflater = new BlockInflater();
  #data: Buffer = Buffer.alloc(0);

  /**
   * The parts one behind the other, in memory of their own; null when a block cannot be read, is damaged or is not what
   * it should be. A caller who asks then reads the blocks by themselves to say what is wrong.
   */
  read(descriptor: number, blocks: readonly BlockParts[]): Uint8Array<ArrayBuffer> | null {
    const output = new Uint8Array(partsBytes(blocks));
    let at = 0;
    for (const block of blocks) {
      const data = this.#read(descriptor, block);
      const target = output.subarray(at);
      if (data === null || !this.#inflater.copyParts(data, block.head, block.ranges, target)) return null;
      at += partsBytes([block]);
    }
    return output;
  }

  #read(descriptor: number, { position, length, crc32: expected }: BlockParts): Buffer | null {
    if (this.#data.length < length) this.#data = Buffer.allocUnsafeSlow(Math.ceil(length * 1.25));
    const data = this.#data.subarray(0, length);
    try {
      for (let filled = 0; filled < length; ) {
        const bytes = readSync(descriptor, data, filled, length - filled, position + filled);
        if (bytes === 0) return null;
        filled += bytes;
      }
    } catch {
      return null;
    }
    return expected === null || crc32(data) === expected ? data : null;
  }
}
