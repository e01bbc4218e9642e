/** The sample city as package files in one directory, as an operator would upload them. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { packageMembers, packageName } from './citygml-package.ts';
import type { CityGmlVersion, Edition } from './edition.ts';
import { blocksOf, buildingsIn, DISTRICTS } from './town.ts';
import { writeZipFile } from './zip-file.ts';

export const DEFAULT_SEED = 1;
/** Buildings in the newest year of both cities. */
export const DEFAULT_SIZE = 300;

export interface SampleOptions {
  /** Whole number from which everything follows. */
  seed?: number;
  /** Buildings in the newest year of both cities together, at least 30. */
  size?: number;
  /** Version of CityGML of the newest packages; 2 unless given. The older one stays in 2.0. */
  citygml?: CityGmlVersion;
  /** Called after each file. */
  onFile?: (file: SampleFile) => void;
}

export interface SampleFile {
  /** File name in the directory. */
  name: string;
  bytes: number;
}

/**
 * Writes the CityGML packages of the sample city into the directory, which is made where it is missing. The same seed
 * and size give the same bytes.
 *
 * @throws RangeError for a size below 30 or one that is not a whole number
 */
export async function writeSample(directory: string, options: SampleOptions = {}): Promise<SampleFile[]> {
  const { seed = DEFAULT_SEED, size = DEFAULT_SIZE, citygml = 2 } = options;
  if (!Number.isSafeInteger(seed)) throw new RangeError(`the seed is ${seed}; it must be a whole number`);
  if (!Number.isSafeInteger(size) || size < 30) {
    throw new RangeError(`the size is ${size} buildings; it must be a whole number of at least 30`);
  }
  await mkdir(directory, { recursive: true });
  const files: SampleFile[] = [];
  const editions = editionsOf(seed, size, citygml);
  for (const [i, edition] of editions.entries()) {
    const name = `${packageName(edition)}.zip`;
    // Packages have their files below a directory of their name, or not.
    const root = i === 0 ? `${packageName(edition)}/` : '';
    const bytes = await writeZipFile(join(directory, name), root, packageMembers(edition));
    files.push({ name, bytes });
    options.onFile?.({ name, bytes });
  }
  return files;
}

/** The three editions of the two cities, the newest of each first. */
export function editionsOf(
  seed: number,
  size: number,
  citygml: CityGmlVersion = 2,
): [city: Edition, town: Edition, olderTown: Edition] {
  const blocks = (cityCode: string) =>
    DISTRICTS.filter((district) => district.cityCode === cityCode).flatMap((district) => [
      ...blocksOf(district, seed, buildingsIn(district, size)),
    ]);
  const spec = citygml === 3 ? '6' : '4.1';
  const newest = { year: 2024, iur: '3.1', citygml, spec, seed, lod2: true, includes: () => true } as const;
  const names = {
    cityCode: '47950',
    cityName: '汐見野市',
    romanName: 'shiomino-shi',
    blocks: blocks('47950'),
  };
  return [
    {
      ...newest,
      cityCode: '47900',
      cityName: '青凪市',
      romanName: 'aonagi-shi',
      blocks: blocks('47900'),
      // i-UR 4.0 has no schema of urban planning yet.
      types: citygml === 3 ? ['luse', 'fld', 'dem'] : ['luse', 'fld', 'urf', 'dem'],
    },
    { ...newest, ...names, types: ['luse'] },
    {
      ...names,
      year: 2023,
      iur: '2.0',
      citygml: 2,
      spec: '3.5',
      seed,
      lod2: false,
      // What was built since: every sixth building by its number.
      includes: (building) => building.serial % 6 !== 0,
      types: [],
    },
  ];
}
