/** Good inputs, from which mutation starts: the members of the invented city. */
import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { makeSample, packageMembers } from '../../packages/sample/src/testing/read-sample.ts';
import { SAMPLE_TILES_DIRECTORY } from '../../test/support/sample.ts';

export interface Seed {
  /** Name of the package's upload without its ending. */
  name: string;
  kind: 'citygml' | '3dtiles' | 'mvt';
  /** By path below the root directory. */
  members: Map<string, Buffer>;
}

let seeds: Promise<Seed[]> | null = null;

/** Packages of the invented city that are zips; read once. */
export function seedPackages(): Promise<Seed[]> {
  seeds ??= (async () => {
    const sample = await makeSample({ size: 30 });
    try {
      const paths = [sample.directory, SAMPLE_TILES_DIRECTORY].flatMap((folder) =>
        globSync(join(folder, '*.zip')),
      );
      const found: Seed[] = [];
      for (const path of paths.sort()) {
        const kind = path.includes('_3dtiles_') ? '3dtiles' : path.includes('_mvt_') ? 'mvt' : 'citygml';
        found.push({ name: basename(path, '.zip'), kind, members: await packageMembers(path) });
      }
      return found;
    } finally {
      await sample.remove();
    }
  })();
  return seeds;
}

/** Members of packages of a kind whose path fits. */
export async function seedMembers(kind: Seed['kind'], path: RegExp): Promise<Buffer[]> {
  return (await seedPackages())
    .filter((seed) => seed.kind === kind)
    .flatMap(({ members }) => [...members].filter(([name]) => path.test(name)).map(([, bytes]) => bytes));
}
