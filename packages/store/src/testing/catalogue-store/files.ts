/** GML files and places are found as a plain search finds them. */
import assert from 'node:assert/strict';
import { compareTexts } from '@citymodel/base';
import fc from 'fast-check';
import type { CatalogueStore, GmlFileQuery } from '../../catalogue-store.ts';
import { listedFile } from '../../file-extras.ts';
import type { GmlFileRow, ListedFileRow, MeasuredFileRow } from '../../rows.ts';
import { gmlFileOf, packageOf, placeOf, publish } from '../fixtures.ts';
import type { WithCatalogue } from './with-catalogue.ts';

export function filesConformance(withCatalogue: WithCatalogue): void {
  withCatalogue(
    'finds files and places of packages that were replaced or removed, where asked to',
    async (catalogue) => {
      const files = [gmlFileOf('53390000')];
      const places = [placeOf('見本町一丁目')];
      const { no } = await publish(catalogue, packageOf('a'), { files, places });
      for (const state of ['live', 'retired', 'removed'] as const) {
        await catalogue.setState(no, state);
        const names = ['見本町一丁目'];
        for (const query of [{ packageNos: [no] }, { meshes: ['53390000'] }, {}]) {
          assert.equal((await catalogue.gmlFiles(query)).length, state === 'live' ? 1 : 0);
          assert.equal((await catalogue.gmlFiles({ ...query, anyState: true })).length, 1);
        }
        assert.equal((await catalogue.places(names)).length, state === 'live' ? 1 : 0);
        assert.equal((await catalogue.places(names, { anyState: true })).length, 1);
      }
    },
  );

  withCatalogue('finds files by mesh, type and package like a plain search does', async (catalogue) => {
    const mesh = fc.stringMatching(/^5[0-2]{3,6}$/);
    const type = fc.constantFrom('bldg', 'tran', 'dem');
    const packages = fc.array(fc.array(fc.tuple(mesh, type), { maxLength: 30 }), {
      minLength: 3,
      maxLength: 3,
    });
    const queries = fc.record(
      {
        packageNos: fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 3 }),
        meshPrefixes: fc.array(fc.stringMatching(/^5[0-2]{0,4}$/), { maxLength: 4 }),
        meshes: fc.array(mesh, { maxLength: 4 }),
        types: fc.array(type, { maxLength: 2 }),
      },
      { requiredKeys: [] },
    );
    const published: GmlFileRow[][] = [];
    for (const files of fc.sample(packages, { numRuns: 1, seed: 5 })[0]!) {
      const unique = new Map(files.map(([code, kind]) => [`${code}${kind}`, gmlFileOf(code, kind)]));
      const { no } = await publish(catalogue, packageOf(`p${published.length}`), {
        files: unique.values(),
      });
      published.push([...unique.values()].map((file) => ({ ...file, packageNo: no })));
    }
    const [hidden] = await catalogue.findPackages({ id: 'p1' });
    await catalogue.setState(hidden!.no, 'retired');
    const live = published.flat().filter(({ packageNo }) => packageNo !== hidden!.no);

    await fc.assert(
      fc.asyncProperty(queries, async (query) => {
        const found = await catalogue.gmlFiles(query as GmlFileQuery);
        assert.deepEqual(found, search(live, query as GmlFileQuery));
        const listed = await listedFiles(catalogue, query as GmlFileQuery);
        const byMesh = query.meshes !== undefined || query.meshPrefixes !== undefined;
        assert.deepEqual(byMesh ? inOrder(listed) : listed, found.map(listedFile));
        const placed: MeasuredFileRow[] = [];
        for await (const page of catalogue.placedFiles(query as GmlFileQuery)) placed.push(...page);
        const few = ({ packageNo, type, mesh, areaCodes, size, features, maxLod }: GmlFileRow) => ({
          packageNo,
          type,
          mesh,
          areaCodes: areaCodes.join(),
          size,
          features,
          maxLod,
        });
        assert.deepEqual(
          placed.map((file) => JSON.stringify(file)).sort(),
          found.map((file) => JSON.stringify(few(file))).sort(),
        );
      }),
      { numRuns: 300 },
    );
    // From one path to the next, a few at a time.
    const all = search(live, { packageNos: [1], types: ['bldg'] }).map(listedFile);
    const paged: ListedFileRow[] = [];
    for (let after: string | undefined; ; after = paged.at(-1)!.path) {
      const query = { packageNos: [1], types: ['bldg'], limit: 3, ...(after && { after }) };
      const page = await listedFiles(catalogue, query);
      if (page.length === 0) break;
      assert.ok(page.length <= 3);
      paged.push(...page);
    }
    assert.ok(all.length > 3);
    assert.deepEqual(paged, all);
  });

  withCatalogue('takes ten thousand mesh codes, packages and names', async (catalogue) => {
    const files = Array.from({ length: 5_000 }, (_, i) => gmlFileOf(String(53390000 + 2 * i)));
    const { no } = await publish(catalogue, packageOf('a'), { files, places: [placeOf('町')] });
    const many = Array.from({ length: 10_000 }, (_, i) => i);
    const meshes = many.map((i) => String(53390000 + i));
    assert.equal((await catalogue.gmlFiles({ meshes })).length, 5_000);
    assert.equal((await catalogue.gmlFiles({ meshPrefixes: meshes })).length, 5_000);
    assert.equal((await catalogue.gmlFiles({ packageNos: many })).length, 5_000);
    assert.equal(
      (await catalogue.gmlFiles({ meshes, meshPrefixes: ['5339'], packageNos: [no] })).length,
      5_000,
    );
    assert.equal((await catalogue.places(['町', ...meshes])).length, 1);
  });
}

async function listedFiles(catalogue: CatalogueStore, query: GmlFileQuery): Promise<ListedFileRow[]> {
  const files: ListedFileRow[] = [];
  for await (const page of catalogue.listedFiles(query)) files.push(...page);
  return files;
}

function inOrder(files: readonly ListedFileRow[]): ListedFileRow[] {
  const key = (file: ListedFileRow) => `${file.packageNo}\n${file.type}\n${file.path}`;
  return [...files].sort((a, b) => compareTexts(key(a), key(b)));
}

/** The same search by looking at every file. */
function search(files: readonly GmlFileRow[], query: GmlFileQuery): GmlFileRow[] {
  const { packageNos, meshPrefixes, meshes, types } = query;
  return files
    .filter((file) => packageNos?.includes(file.packageNo) ?? true)
    .filter((file) => types?.includes(file.type) ?? true)
    .filter(
      (file) =>
        (meshPrefixes === undefined && meshes === undefined) ||
        meshPrefixes?.some((prefix) => file.mesh.startsWith(prefix)) ||
        meshes?.includes(file.mesh),
    )
    .sort((a, b) => {
      const [left, right] = [a, b].map(({ packageNo, type, path }) => `${packageNo}\0${type}\0${path}`);
      return compareTexts(left!, right!);
    });
}
