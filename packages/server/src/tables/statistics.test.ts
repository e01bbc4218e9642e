/** Statistics out of tables are what a slow count over the answers of operation 13 says. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { CatalogueStore } from '@citymodel/store';
import fc from 'fast-check';
import { writePackage } from '../convert/testing/small-package.ts';
import { FeatureWorkshop } from '../features/feature-work.ts';
import { GmlFiles } from '../features/gml-files.ts';
import {
  FeatureStatistics,
  type Statistics,
  type StatisticsLimits,
} from '../features/statistics/feature-statistics.ts';
import { Groups, type GroupValue, MAX_GROUPS, type Sums } from '../features/statistics/groups.ts';
import { type StatisticsQuery, statisticsQuestion } from '../features/statistics/statistics-query.ts';
import { TableObjects } from '../features/tables/table-objects.ts';
import { ask, type Hosted, host } from '../features/testing/hosted.ts';
import { makeTables } from './make-tables.ts';

type Attributes = Record<string, unknown>;

const LIMITS = { maxRows: 1e6, maxMs: 60_000, keptBytes: 1 << 20 };
const WORK = { maxGeometryBytes: 3e6, maxItems: 1e8, maxReadBytes: 16e9 };
const NEVER = new AbortController().signal;

/** Usage, height, year and storeys of buildings; some are missing, unknown, doubled or texts. */
const USES = [['411'], ['412'], ['411', '412'], [], ['412', '411'], ['413']];
const HEIGHTS = ['10.5', '31', '', '-9999', '9999', '0', '120.25'];
const YEARS = ['1980', '', '1981', '0001', '2010'];

function buildings(prefix: string, count: number, city: string, mesh: string): string {
  const [lat, west] = [35.5 + Number(mesh.at(-2)) / 120, 139.625 + Number(mesh.at(-1)) / 80];
  let members = '';
  for (let n = 0; n < count; n++) {
    const [w, e, s, t] = [west + n * 1e-4, west + n * 1e-4 + 5e-5, lat + 1e-4, lat + 2e-4];
    const ring = [
      [s, w],
      [s, e],
      [t, e],
      [t, w],
      [s, w],
    ].map(([a, b]) => `${a!.toFixed(8)} ${b!.toFixed(8)} 3`);
    const [height, year] = [HEIGHTS[n % HEIGHTS.length]!, YEARS[n % YEARS.length]!];
    // The last one has the id of the first.
    const id = `${prefix}_${n === count - 1 ? 0 : n}`;
    members +=
      `<core:cityObjectMember><bldg:Building gml:id="${id}">` +
      (n % 4 === 0
        ? `<gen:stringAttribute name="note"><gen:value>${n % 8 === 0 ? '12' : 'x'}</gen:value></gen:stringAttribute>`
        : '') +
      USES[n % USES.length]!.map((use) => `<bldg:usage>${use}</bldg:usage>`).join('') +
      (year === '' ? '' : `<bldg:yearOfConstruction>${year}</bldg:yearOfConstruction>`) +
      (height === '' ? '' : `<bldg:measuredHeight uom="m">${height}</bldg:measuredHeight>`) +
      `<bldg:lod0FootPrint><gml:MultiSurface><gml:surfaceMember><gml:Polygon><gml:exterior><gml:LinearRing>` +
      `<gml:posList>${ring.join(' ')}</gml:posList></gml:LinearRing></gml:exterior></gml:Polygon>` +
      `</gml:surfaceMember></gml:MultiSurface></bldg:lod0FootPrint>` +
      `<uro:buildingIDAttribute><uro:BuildingIDAttribute><uro:buildingID>${id}</uro:buildingID>` +
      `<uro:prefecture>14</uro:prefecture><uro:city>${city}</uro:city></uro:BuildingIDAttribute>` +
      `</uro:buildingIDAttribute></bldg:Building></core:cityObjectMember>\n`;
  }
  return `<?xml version="1.0" encoding="UTF-8"?>
<core:CityModel xmlns:core="http://www.opengis.net/citygml/2.0" xmlns:gml="http://www.opengis.net/gml" \
xmlns:bldg="http://www.opengis.net/citygml/building/2.0" xmlns:gen="http://www.opengis.net/citygml/generics/2.0" \
xmlns:uro="https://www.geospatial.jp/iur/uro/2.0">
<gml:boundedBy><gml:Envelope srsName="http://www.opengis.net/def/crs/EPSG/0/6697" srsDimension="3"><gml:lowerCorner>\
${lat} ${west} 0</gml:lowerCorner><gml:upperCorner>${lat + 1 / 120} ${west + 1 / 80} 9</gml:upperCorner>\
</gml:Envelope></gml:boundedBy>
${members}</core:CityModel>
`;
}

/** An older package of a city, a newer one of its ward with some of the same features, and another city. */
const PACKAGES: Array<
  [name: string, files: Array<[prefix: string, count: number, city: string, mesh: string]>]
> = [
  [
    '14130_kawasaki-shi_city_2022_citygml_1_op',
    [
      ['a', 41, '14131', '53393500'],
      ['b', 23, '14132', '53393501'],
    ],
  ],
  [
    '14131_kawasaki-ku_city_2024_citygml_1_op',
    [
      ['a', 30, '14131', '53393500'],
      ['b', 9, '14131', '53393511'],
    ],
  ],
  ['14201_yokosuka-shi_city_2023_citygml_1_op', [['c', 37, '14201', '53393510']]],
  ['14203_hiratsuka-shi_city_2023_citygml_1_op', [['d', 5, '14203', '53393502']]],
];
/** Has no table. */
const BARE = '14203';

describe('statistics', () => {
  let directory: string;
  let hosted: Hosted;
  let statistics: FeatureStatistics;

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'citymodel-statistics-'));
    const zips: string[] = [];
    for (const [name, files] of PACKAGES) {
      const zip = join(directory, `${name}.zip`);
      await writePackage(
        zip,
        files.map(([prefix, count, city, mesh]) => ({
          path: `udx/bldg/${mesh}_bldg_6697_op.gml`,
          text: buildings(prefix, count, city, mesh),
        })),
      );
      zips.push(zip);
    }
    hosted = await host(zips);
    const quiet = { maxGeometryBytes: 3e6, onProgress() {}, signal: NEVER };
    for (const row of hosted.rows) {
      if (row.cityCode === BARE) continue;
      await makeTables(row, { ...hosted.stores, stagingDir: directory }, quiet);
    }
    await hosted.refresh();
    statistics = service();
  });

  after(async () => {
    await hosted?.[Symbol.asyncDispose]();
    await rm(directory, { recursive: true });
  });

  function service(
    limits: Partial<StatisticsLimits> = {},
    files: Pick<CatalogueStore, 'gmlFiles'> = hosted.stores.catalogue,
    tables = new TableObjects(hosted.archives, hosted.stores.catalogue),
  ): FeatureStatistics {
    return new FeatureStatistics({
      files: new GmlFiles(files),
      tables,
      workshop: new FeatureWorkshop(WORK),
      limits: { ...LIMITS, ...limits },
    });
  }

  function count(query: StatisticsQuery, of = statistics): Promise<Statistics> {
    return of.count(statisticsQuestion({ type: ['bldg'], ...query }), hosted.snapshot(), NEVER);
  }

  /** Features as operation 13 answers them, without those of packages that have no table. */
  async function answered(
    codes: string | null,
    where: string | undefined,
    year?: string,
  ): Promise<Attributes[]> {
    const query = {
      sid: '0/0/0/0',
      type: 'bldg',
      ...(codes === null ? {} : { city_code: codes }),
      ...(where === undefined ? {} : { where }),
      ...(year === undefined ? {} : { year }),
    };
    const none = (error: Error) => (error.message === 'no features found' ? [] : Promise.reject(error));
    const all = await ask<Attributes[]>(hosted.service, 'spatialIdAttributes', query).catch(none);
    return all.filter((attributes) => !String(attributes['gml:id']).startsWith('d_'));
  }

  const WHERES = [
    undefined,
    'bldg:usage=411',
    'bldg:usage=',
    'bldg:usage=411|413;bldg:measuredHeight>10',
    'bldg:measuredHeight<=31',
    'bldg:yearOfConstruction<1981',
    'measuredHeight=31',
    'note=12',
    'gen:genericAttribute.note=x|12;bldg:usage=412',
    'uro:city=14131',
    'uro:BuildingIDAttribute.uro:city=14131',
    'gml:id=a_3|b_3|c_3',
    'nothing=',
    'nothing=1',
    '_bbox.min.lng>139.6275',
  ];
  const NAMES = [
    'bldg:usage',
    'bldg:measuredHeight',
    'bldg:yearOfConstruction',
    'gen:genericAttribute.note',
    'note',
    'uro:city',
    '_type',
    '_bbox.max.lat',
  ];
  const AREAS: Record<string, string | null> = {
    all: null,
    '14': null,
    '14130': '14130',
    '14131': '14131',
    '14132': '14132',
    '14201': '14201',
  };

  test('are what features one by one add up to', async () => {
    const names = fc.uniqueArray(fc.constantFrom(...NAMES), { maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...Object.keys(AREAS)),
        names,
        names,
        fc.constantFrom(...WHERES),
        fc.constantFrom(undefined, '2022', '2024'),
        fc.array(fc.constantFrom('0', '5', '0.25', '100'), { maxLength: 3 }),
        async (area, by, of, where, year, widths) => {
          const step = widths.slice(0, by.length);
          const features = await answered(AREAS[area]!, where, year).catch((error: Error) => error);
          const query = { area, by, step, of, where, ...(year === undefined ? {} : { year: [year] }) };
          if (features instanceof Error) {
            await assert.rejects(count(query), { status: 404 });
            return;
          }
          const { groups } = await count(query);
          const found = groups.list();
          const wanted = slowly(features, by, of, step.map(Number));
          assert.equal(groups.features, features.length);
          assert.deepEqual(
            new Map(
              found.map((group) => [JSON.stringify(group.by), [group.count, ...group.of.map(rounded)]]),
            ),
            wanted,
          );
        },
      ),
      { numRuns: 150 },
    );
  });

  test('count a feature of a city and its ward once', async () => {
    const ids = new Set((await answered('14130', undefined)).map((one) => one['gml:id']));
    const { groups } = await count({ area: '14130', by: ['gml:id'] });
    assert.equal(groups.features, ids.size);
    assert.ok(groups.list().every((group) => group.count === 1));
    // 30 of the ward, of which the last repeats the first, and those of its other file, which are in the city's too.
    assert.equal(ids.size, 29 + 22);
  });

  test('are told apart by municipality and prefecture in one request', async () => {
    const area = '14';
    const { groups } = await count({ area, by: ['bldg:usage', '_municipality', '_prefecture'] });
    const of = async (code: string) => (await count({ area: code, by: ['bldg:usage'] })).groups.list();
    const wanted = new Map<string, number>();
    for (const code of ['14130', '14201']) {
      for (const { by, count: features } of await of(code)) {
        wanted.set(JSON.stringify([...by, code, '14']), features);
      }
    }
    assert.deepEqual(new Map(groups.list().map((one) => [JSON.stringify(one.by), one.count])), wanted);
    const prefectures = await count({ area: 'all', by: ['_prefecture'] });
    assert.deepEqual(
      prefectures.groups.list().map(({ by, count: features }) => [by, features]),
      [[['14'], groups.features]],
    );
  });

  test('name packages without a table', async () => {
    const { packages, withoutTable, groups } = await count({ area: '14' });
    assert.equal(packages, 4);
    assert.deepEqual(withoutTable, { packages: 1, features: 5, names: [PACKAGES[3]![0]] });
    assert.ok(groups.features > 0);
    const bare = await count({ area: BARE, by: ['bldg:usage'] });
    assert.deepEqual(bare.attributes, []);
    const { attributes } = await count({ area: '14201' });
    assert.ok(attributes.includes('bldg:usage') && attributes.includes('uro:buildingIDAttribute.uro:city'));
    assert.deepEqual([bare.groups.list(), bare.withoutTable.features], [[], 5]);
  });

  test('say how many features of all tables no search answers', async () => {
    assert.equal((await count({ area: '14' })).leftOut, 0);
    const tables = new TableObjects(hosted.archives, hosted.stores.catalogue);
    const foot = tables.foot.bind(tables);
    tables.foot = async (table) => {
      const known = await foot(table);
      return { ...known, facts: { ...known.facts, leftOut: 2 } };
    };
    const losing = service({}, hosted.stores.catalogue, tables);
    // Tables of a city, its ward and another city.
    assert.equal((await count({ area: '14' }, losing)).leftOut, 6);
    assert.equal((await count({ area: '14201' }, losing)).leftOut, 2);
  });

  test('fail with what failed first, not with the end of the others', async () => {
    for (const failing of ['14201', '14130']) {
      const tables = new TableObjects(hosted.archives, hosted.stores.catalogue);
      const foot = tables.foot.bind(tables);
      const row = hosted.rows.find(({ cityCode }) => cityCode === failing)!;
      const keys = new Set(
        (hosted.snapshot().packages.find(({ no }) => no === row.no)!.tables ?? []).map(({ key }) => key),
      );
      let fail = () => {};
      const failed = new Promise<void>((resolve) => {
        fail = resolve;
      });
      tables.foot = async (table) => {
        if (keys.has(table.key)) {
          fail();
          throw new Error('the table is damaged');
        }
        await failed;
        return foot(table);
      };
      await assert.rejects(count({ area: '14' }, service({}, hosted.stores.catalogue, tables)), /is damaged/);
    }
  });

  test('are kept for each municipality', async () => {
    const fresh = service();
    const query = { area: '14201', by: ['bldg:usage'], of: ['bldg:measuredHeight'] };
    const first = await count(query, fresh);
    hosted.reads.length = 0;
    const second = await count(query, fresh);
    assert.deepEqual(second.groups.list(), first.groups.list());
    assert.equal(hosted.reads.length, 0);
    // A larger area reads what is not known yet, and changes nothing of what is.
    await count({ ...query, area: 'all' }, fresh);
    assert.ok(hosted.reads.length > 0);
    assert.deepEqual((await count(query, fresh)).groups.list(), first.groups.list());
    await count({ ...query, where: 'bldg:usage=411' }, fresh);
    assert.notDeepEqual(
      (await count({ ...query, where: 'bldg:usage=411' }, fresh)).groups.list(),
      first.groups.list(),
    );
  });

  test('list files only of packages that are not wanted whole', async () => {
    const listed: number[] = [];
    const fresh = service(
      {},
      {
        async gmlFiles(query) {
          listed.push(...(query.packageNos ?? []));
          return await hosted.stores.catalogue.gmlFiles(query);
        },
      },
    );
    assert.ok((await count({ area: 'all' }, fresh)).groups.features > 0);
    // A ward takes the place of some files of its city, and one package has no table.
    const cityOf = (no: number) => hosted.rows.find((row) => row.no === no)!.cityCode;
    assert.deepEqual(new Set(listed.map(cityOf)), new Set(['14130', BARE]));
  });

  test('say what there is where nothing is', async () => {
    for (const [query, status, reason] of [
      [{ area: '13101' }, 404, /There is of: 14\./],
      [{ area: '13' }, 404, /There is of: 14\./],
      [{ area: '14999' }, 404, /There is of: 14130, 14131, 14201, 14203/],
      [{ area: '14201', type: ['tran'] }, 404, /There are: bldg of 2023/],
      [{ area: '14201', year: ['2022'] }, 404, /There are: bldg of 2023/],
      [{ area: '14201', by: ['bldg:usages'] }, 404, /"bldg:usages".*bldg:usage,/],
      [{ area: '14201', of: ['height'] }, 404, /"height"/],
      [{}, 400, /area is missing/],
      [{ area: '1310' }, 400, /area is "1310"/],
      [{ area: '../14' }, 400, /area is/],
      [{ area: 'all', by: ['a', 'b', 'c', 'd', 'e'] }, 400, /by has 5 names/],
      [{ area: 'all', of: Array.from({ length: 9 }, (_, n) => `n${n}`) }, 400, /of has 9 names/],
      [{ area: 'all', by: ['_type'], step: ['1', '2'] }, 400, /step has 2 values, and by has 1/],
      [{ area: 'all', by: ['_type'], step: ['-1'] }, 400, /step has "-1"/],
      [{ area: 'all', by: ['_type'], step: ['1e-9'] }, 400, /step has "1e-9"/],
      [{ area: 'all', by: ['x'.repeat(1000)] }, 400, /name of 1000 characters/],
      [{ area: 'all', where: 'bldg:usage' }, 400, /where has/],
      [{ area: 'all', type: [] }, 400, /Give type/],
      [{ area: 'all', by: ['__proto__'] }, 404, /"__proto__"/],
      [{ area: 'all', year: ['x'] }, 400, /year has/],
    ] as Array<[StatisticsQuery, number, RegExp]>) {
      const asked = (async () => count(query))();
      await assert.rejects(asked, (error: { status: number; reason: string }) => {
        assert.equal(error.status, status, JSON.stringify(query));
        assert.match(error.reason, reason);
        return true;
      });
    }
  });

  test('have a bounded number of groups, also when they are added up', () => {
    const [one, two] = [new Groups(), new Groups()];
    for (let n = 0; n < MAX_GROUPS; n++) one.add([n], [[n]]);
    one.add([0], [[1]]);
    assert.throws(() => one.add([-1], [[]]), { status: 413 });
    two.add(['more'], [[]]);
    two.addAll(new Groups());
    assert.throws(() => two.addAll(one), { status: 413 });
    assert.throws(() => new Groups().add(['x'.repeat(2 ** 21)], []), { status: 413 });
  });

  test('end at their bounds, and what was counted stays', async () => {
    await assert.rejects(count({ area: 'all' }, service({ maxRows: 40 })), { status: 400 });
    await assert.rejects(count({ area: 'all' }, service({ maxMs: -1 })), { status: 503, retryAfter: 1 });
    const caller = new AbortController();
    caller.abort(new Error('gone'));
    const question = statisticsQuestion({ type: ['bldg'], area: 'all' });
    await assert.rejects(service().count(question, hosted.snapshot(), caller.signal), /gone/);
    const small = service({ keptBytes: 1 });
    const [one, two] = [await count({ area: '14' }, small), await count({ area: '14' }, small)];
    assert.deepEqual(one.groups.list(), two.groups.list());
  });
});

/** Counts as the words say it: every value under the name, one feature after the other. */
function slowly(
  features: readonly Attributes[],
  by: readonly string[],
  of: readonly string[],
  steps: readonly number[],
): Map<string, unknown> {
  const groups = new Map<string, unknown[]>();
  const numbers = new Map<string, number[][]>();
  for (const feature of features) {
    const key = JSON.stringify(
      by.map((name, n) =>
        named(valuesAt(feature, '', name).flatMap((value) => inClass(value, steps[n] ?? 0))),
      ),
    );
    const group = groups.get(key) ?? [0, ...of.map(() => ({ unknown: 0, other: 0 }))];
    groups.set(key, group);
    group[0] = (group[0] as number) + 1;
    if (!numbers.has(key))
      numbers.set(
        key,
        of.map(() => []),
      );
    for (const [n, name] of of.entries()) {
      const sums = group[n + 1] as { unknown: number; other: number };
      for (const value of valuesAt(feature, '', name)) {
        if (['-9999', '9999', '0001'].includes(String(value))) sums.unknown++;
        else if (!/^-?[\d.]+$/.test(String(value))) sums.other++;
        else numbers.get(key)![n]!.push(Number(value));
      }
    }
  }
  for (const [key, group] of groups) {
    for (const [n, list] of numbers.get(key)!.entries()) {
      const { unknown, other } = group[n + 1] as { unknown: number; other: number };
      group[n + 1] = rounded({
        values: list.length,
        sum: list.reduce((a, b) => a + b, 0),
        min: list.length === 0 ? null : Math.min(...list),
        max: list.length === 0 ? null : Math.max(...list),
        unknown,
        other,
      });
    }
  }
  return groups;
}

/** The edge of the class of a number, found by going up to it. */
function inClass(value: unknown, step: number): unknown[] {
  if (step === 0) return [value];
  if (['-9999', '9999', '0001'].includes(String(value))) return [];
  if (!/^-?[\d.]+$/.test(String(value))) return [value];
  let edge = 0;
  while (edge + step <= Number(value)) edge += step;
  return [edge];
}

/** Sums in another order differ in the last digits. */
function rounded(sums: Sums): object {
  return { ...sums, sum: Number(sums.sum.toPrecision(12)) };
}

function named(values: readonly unknown[]): GroupValue {
  const distinct = [...new Set(values)].sort((a, b) => (String(a) < String(b) ? -1 : 1));
  return distinct.length === 0 ? null : ((distinct.length === 1 ? distinct[0] : distinct) as GroupValue);
}

function valuesAt(value: unknown, path: string, name: string): unknown[] {
  if (value === null || value === undefined) return [];
  if (Array.isArray(value)) return value.flatMap((one) => valuesAt(one, path, name));
  if (typeof value !== 'object') return `.${path}`.endsWith(`.${name}`) ? [value] : [];
  const entry = value as { name?: string; value?: unknown };
  if (path.endsWith('gen:genericAttribute')) return valuesAt(entry.value, `${path}.${entry.name}`, name);
  return Object.entries(value).flatMap(([key, one]) =>
    valuesAt(one, path === '' ? key : `${path}.${key}`, name),
  );
}
