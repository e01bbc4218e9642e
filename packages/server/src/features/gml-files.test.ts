import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CatalogueStore, PackageRow } from '@citymodel/store';
import type { Years } from '../catalogue/search/years.ts';
import type { Snapshot } from '../catalogue/snapshot/snapshot.ts';
import { readQuery } from '../http/describe/query-parameters.ts';
import { FEATURE_PARAMETERS } from '../http/operations/features.ts';
import { requiredRegion } from './feature-query.ts';
import { FeatureWorkshop } from './feature-work.ts';
import { GmlFiles } from './gml-files.ts';
import { wantedFiles } from './wanted-files.ts';

const MESH = { west: 139.7, south: 35.65, east: 139.7125, north: 35.6583 };
const far = (by: number) => ({ ...MESH, west: MESH.west + by, east: MESH.east + by });

/** Packages 1 and 2 of Chiyoda, 3 of a place far away, 4 without bytes. */
const PACKAGES = [1, 2, 3, 4].map((no) => ({
  no,
  id: `p${no}`,
  cityCode: no === 3 ? '47201' : '13101',
  wardCode: null,
  year: 2020 + no,
  archiveKey: no === 4 ? '' : `archives/${no}`,
  types: ['bldg', 'tran'],
  bounds: no === 3 ? far(-10) : MESH,
})) as unknown as PackageRow[];

function hosted() {
  const asked: number[] = [];
  const store = {
    async gmlFiles({ packageNos }: { packageNos: number[] }) {
      asked.push(...packageNos);
      return [
        ['bldg', '53393586', MESH],
        ['bldg', '53393586', far(1)],
        ['bldg', '53393586', null],
        ['bldg', '53400000', far(1)],
        ['tran', '53393586', MESH],
      ].map(([type, mesh, bounds], i) => ({
        path: `udx/${type}/${i}.gml`,
        type,
        mesh,
        areaCodes: i === 0 ? ['47299'] : [],
        bounds,
        wellFormed: true,
      }));
    },
  } as unknown as Pick<CatalogueStore, 'gmlFiles'>;
  const cityAround = (code: string) => (code === '13101' ? '13100' : code === '47299' ? '47201' : null);
  const cityGml = new Map<string, PackageRow[]>([
    ['47201', [PACKAGES[2]!]],
    ['13101', [PACKAGES[1]!, PACKAGES[0]!, PACKAGES[3]!]],
  ]);
  return {
    files: new GmlFiles(store),
    asked,
    cityGml,
    snapshot: { cityGml, cityAround } as unknown as Snapshot,
  };
}

async function find(
  at: ReturnType<typeof hosted>,
  region: Record<string, string>,
  codes: string[],
  { maxItems = 1e6, areas = null as string[] | null, years = 'all' as Years } = {},
) {
  const limits = { maxBounds: 10, maxIds: 10, maxGeometryBytes: 1e6, maxItems, maxReadBytes: 1e6 };
  const work = new FeatureWorkshop(limits).begin(new AbortController().signal, 'Ask for less.');
  const types = { codes: codes.length === 0 ? null : new Set(codes), elements: null };
  const found: string[] = [];
  const search = at.files.inRegion(
    at.snapshot,
    requiredRegion(readQuery(FEATURE_PARAMETERS.features, region), limits),
    wantedFiles(types, years, areas),
    work,
  );
  for await (const { row, file, mayMeet } of search) found.push(`${row.id} ${file.path} ${mayMeet}`);
  return found;
}

const BOX = { bbox: '139.701,35.651,139.702,35.652' };

test('files are mayMeet by their extent, or meet the region by their mesh; areas and years have an order', async () => {
  const at = hosted();
  assert.deepEqual(await find(at, BOX, ['bldg']), [
    'p2 udx/bldg/0.gml true',
    'p2 udx/bldg/1.gml false',
    'p2 udx/bldg/2.gml false',
    'p1 udx/bldg/0.gml true',
    'p1 udx/bldg/1.gml false',
    'p1 udx/bldg/2.gml false',
  ]);
  assert.deepEqual(await find(at, BOX, ['tran']), ['p2 udx/tran/4.gml true', 'p1 udx/tran/4.gml true']);
  assert.deepEqual(await find(at, BOX, ['luse']), []);
  assert.deepEqual(at.asked, [2, 1], 'each package is asked for once, those that are far away never');
});

test('everything is every file of every package that has bytes', async () => {
  const all = await find(hosted(), { sid: '0/0/0/0' }, []);
  assert.equal(all.length, 15);
  assert.ok(all.every((file) => file.endsWith(' true') && !file.startsWith('p4')));
});

test('of municipalities and wards are their own files, and those of the city that name the ward', async () => {
  const of = async (...areas: string[]) => {
    const at = hosted();
    const files = await find(at, { sid: '0/0/0/0' }, [], { areas });
    return {
      packages: [...new Set(files.map((file) => file.slice(0, 2)))],
      files: files.length,
      asked: at.asked,
    };
  };
  assert.deepEqual(await of('47201'), { packages: ['p3'], files: 5, asked: [3] });
  assert.deepEqual(await of('47299'), { packages: ['p3'], files: 1, asked: [3] });
  assert.deepEqual(await of('13100'), { packages: ['p2', 'p1'], files: 10, asked: [2, 1] });
  assert.deepEqual(await of('01100'), { packages: [], files: 0, asked: [] });
});

test('a package of a ward is of the ward and its city alone, and a package is asked for its own areas', async () => {
  const at = hosted();
  const ward = { ...PACKAGES[0]!, no: 5, id: 'p5', cityCode: '47201', wardCode: '47299' } as PackageRow;
  at.cityGml.set('47201', [ward]);
  const count = async (...areas: string[]) => (await find(at, { sid: '0/0/0/0' }, [], { areas })).length;
  assert.equal(await count('47299'), 5);
  assert.equal(await count('47201'), 5);
  assert.equal(await count('47298'), 0);
  assert.equal(await count('13101'), 10);
});

test('a package without a place is looked into', async () => {
  const at = hosted();
  const nowhere = { ...PACKAGES[0]!, no: 6, id: 'p6', bounds: null } as PackageRow;
  at.cityGml.clear();
  at.cityGml.set('13101', [nowhere, PACKAGES[2]!]);
  assert.deepEqual(await find(at, BOX, ['tran']), ['p6 udx/tran/4.gml true']);
  assert.deepEqual(at.asked, [6]);
});

test('what a search costs is one for each package and for each file of the wanted types', async () => {
  // Three packages with bytes, and of two of them four files.
  assert.equal((await find(hosted(), BOX, ['bldg'], { maxItems: 11 })).length, 6);
  await assert.rejects(find(hosted(), BOX, ['bldg'], { maxItems: 10 }), /request too large/);
});

test('files that are looked at are charged', async () => {
  await assert.rejects(find(hosted(), BOX, [], { maxItems: 8 }), /request too large/);
});

test('files of a city are looked at in meshes where a newer package of the ward has none', async () => {
  const at = hosted();
  const [older, newer] = PACKAGES;
  const city = { ...older!, cityCode: '13100', year: 2020 };
  at.cityGml.clear();
  at.cityGml.set('13100', [city]).set('13101', [newer!]);
  const files = [
    { no: 1, mesh: '53393586', areaCodes: ['13101'] },
    { no: 1, mesh: '53393587', areaCodes: ['13101'] },
    { no: 2, mesh: '53393586', areaCodes: ['13101'] },
  ];
  const store = {
    gmlFiles: async ({ packageNos }: { packageNos: number[] }) =>
      files
        .filter(({ no }) => packageNos.includes(no))
        .map(({ mesh, areaCodes }) => ({
          path: mesh,
          type: 'bldg',
          mesh,
          areaCodes,
          bounds: MESH,
          wellFormed: true,
        })),
  } as unknown as Pick<CatalogueStore, 'gmlFiles'>;
  const found = await find({ ...at, files: new GmlFiles(store) }, BOX, ['bldg'], { years: 'newest' });
  assert.deepEqual(found, ['p1 53393587 true', 'p2 53393586 true']);
});
