/** The invented city: packages of two municipalities, made from a seed. */

export { writeIsland } from './island/write-island.ts';
export { DEFAULT_SEED, DEFAULT_SIZE, type SampleFile, writeSample } from './sample.ts';
export { SAMPLE_WARD_NAMES } from './town.ts';
