/** The island's packages as files in one directory, as an operator would upload them. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DEFAULT_SEED, type SampleFile } from '../sample.ts';
import { writeZipFile } from '../zip-file.ts';
import { islandMembers, islandPackageName } from './island-package.ts';
import { YEARS } from './lot.ts';

export interface IslandOptions {
  /** Whole number from which everything follows. */
  seed?: number;
  /** Called after each file. */
  onFile?: (file: SampleFile) => void;
}

/**
 * Writes the two editions of the island into the directory, which is created where it is missing, the newer one first.
 * The same seed gives the same bytes.
 *
 * @throws RangeError for a seed that is not a whole number
 */
export async function writeIsland(directory: string, options: IslandOptions = {}): Promise<SampleFile[]> {
  const { seed = DEFAULT_SEED } = options;
  if (!Number.isSafeInteger(seed)) throw new RangeError(`the seed is ${seed}; it must be a whole number`);
  await mkdir(directory, { recursive: true });
  const files: SampleFile[] = [];
  for (const year of [YEARS.newer, YEARS.older]) {
    const name = `${islandPackageName(year)}.zip`;
    const bytes = await writeZipFile(join(directory, name), '', islandMembers(seed, year));
    files.push({ name, bytes });
    options.onFile?.({ name, bytes });
  }
  return files;
}
