/** Good inputs, from which mutation starts: the members of the invented city. */
import { makeSample } from '../../src/sample/testing/read-sample.ts';

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
      const found: Seed[] = [];
      for (const { name, kind } of sample.files) {
        if (!name.endsWith('.zip')) continue;
        const bare = name.slice(0, -'.zip'.length);
        found.push({ name: bare, kind, members: await sample.members(bare) });
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
