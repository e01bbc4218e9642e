/** Long work whose garbage dies young: a larger heap makes it no faster, and takes memory. */
import { setFlagsFromString } from 'node:v8';

/** Keeps the room for new objects of this process as small as it is now. */
export function keepYoungSpaceSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}

/**
 * Also lets the old objects of this process at most double between two full collections. By itself V8 lets a small heap
 * grow to four times of what is in use.
 */
export function keepHeapSmall(): void {
  keepYoungSpaceSmall();
  setFlagsFromString('--heap-growing-percent=100');
}
