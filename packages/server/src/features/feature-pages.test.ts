/** Pages of a file with features that cannot be answered: what they say of these, and where they end. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { MAX_DEPTH, MAX_KEPT } from '@citymodel/citygml';
import { cityModel, gmlPolygon, member } from '@citymodel/citygml/testing';
import { Filters } from '../base/filter.ts';
import type { PageQuery, RecordMaker } from './feature-pages.ts';
import { presentationOf } from './feature-query.ts';
import { Region } from './region.ts';
import { type Hosted, host } from './testing/hosted.ts';

const PACKAGE = '47201_naha-shi_city_2023_citygml_1_op';
const PATH = 'udx/bldg/39272554_bldg_6697_op.gml';
const ROADS = 'udx/tran/39272554_tran_6697_op.gml';

const building = (id: string, content = '') =>
  member(`<bldg:Building gml:id="${id}">${content}</bldg:Building>`);
const deep = `${'<gml:name>'.repeat(MAX_DEPTH)}${'</gml:name>'.repeat(MAX_DEPTH)}`;
const high = '<bldg:measuredHeight uom="m">9</bldg:measuredHeight>';

/** Two ids with one hash; the last road has the first of them. */
const [THERE, ABSENT] = ['c693596', 'c1170850'];
/** Roads in a row from west to east, each over one step of longitude. */
const STEP = 0.0002;
const roads = [0, 1, 2, 3].map((n) => {
  const [west, east] = [127.6751 + n * STEP, 127.6751 + (n + 1) * STEP];
  const square = gmlPolygon([
    [26.2084, west, 0],
    [26.2085, west, 0],
    [26.2085, east, 0],
    [26.2084, east, 0],
  ]);
  const id = n === 3 ? THERE : `r${n}`;
  const surface = `<gml:MultiSurface><gml:surfaceMember>${square}</gml:surfaceMember></gml:MultiSurface>`;
  return member(
    `<tran:Road gml:id="${id}"><tran:lod1MultiSurface>${surface}</tran:lod1MultiSurface></tran:Road>`,
  );
});

let directory: string;
let hosted: Hosted;

before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'feature-pages-'));
  const path = join(directory, PACKAGE, PATH);
  await mkdir(dirname(path), { recursive: true });
  const text = cityModel(
    [
      building('a', high),
      building('deep', deep),
      building('long', `<gml:name>${'x'.repeat(MAX_KEPT)}</gml:name>`),
      building('b'),
      building('c', high),
      building('a'),
    ].join(''),
  );
  await writeFile(path, text);
  await mkdir(dirname(join(directory, PACKAGE, ROADS)), { recursive: true });
  await writeFile(join(directory, PACKAGE, ROADS), cityModel(roads.join('')));
  hosted = await host([join(directory, PACKAGE)]);
});

after(async () => {
  await hosted?.[Symbol.asyncDispose]();
  await rm(directory, { recursive: true, force: true });
});

// biome-ignore lint/correctness/useYield: an id is one step
const idOf: RecordMaker<string> = function* ({ entry }) {
  return `${entry.id} ${entry.index}`;
};
const work = () => hosted.service.pages.begin(new AbortController().signal);
const question = (where?: string) => ({
  snapshot: hosted.snapshot(),
  type: 'bldg',
  filters: new Filters<never>([]),
  presentation: presentationOf({ where }),
});

async function page(limit: number, more: Partial<PageQuery> = {}, allowance = work()) {
  return hosted.service.pages.page(
    { ...question(), regions: [], limit, after: null, ...more },
    idOf,
    allowance,
  );
}

test('a feature that cannot be answered is left out, and the page says which and why', async () => {
  const { records, next, warnings, cost } = await page(10);
  assert.deepEqual(records, ['a 0', 'b 3', 'c 4', 'a 5']);
  assert.equal(next, null);
  assert.deepEqual(
    [...warnings],
    [
      `${PATH} has a feature (1) that is left out: its elements nest too deep`,
      `${PATH} has a feature (2) that is left out: it is too large`,
    ],
  );
  assert.deepEqual(cost, { features: 4, files: 1 });
});

test('features are prepared together, those that cannot be answered too', async () => {
  const groups: number[][] = [];
  const prepare: PageQuery['prepare'] = async (_gml, entries) =>
    void groups.push(entries.map(({ index }) => index));
  await page(10, { prepare });
  assert.deepEqual(groups.splice(0), [[0, 1, 2, 3, 4, 5]]);
  // Without conditions no more than the page lacks.
  await page(2, { prepare });
  assert.deepEqual(groups, [[0, 1], [2], [3]]);
});

test('pages end where the next one begins, with and without conditions', async () => {
  for (const [where, expected] of [
    [undefined, [['a 0'], ['b 3'], ['c 4'], ['a 5']]],
    ['bldg:measuredHeight=9', [['a 0'], ['c 4']]],
    ['bldg:measuredHeight=8', [[]]],
  ] as const) {
    const pages: string[][] = [];
    let after: PageQuery['after'] = null;
    do {
      const found: Awaited<ReturnType<typeof page>> = await page(1, { ...question(where), after });
      pages.push(found.records);
      assert.deepEqual(found.cost, { features: found.records.length, files: 1 });
      after = found.next;
    } while (after !== null);
    assert.deepEqual(pages, expected, where);
  }
});

test('a page that is full ends with its last feature, however many follow', async () => {
  const [row] = hosted.rows;
  const { records, next } = await page(3);
  assert.deepEqual(records, ['a 0', 'b 3', 'c 4']);
  assert.deepEqual(next, { packageNo: row!.no, packageId: row!.id.slice(0, 8), path: PATH, index: 4 });
  assert.deepEqual(await hosted.service.pages.count(question(), work()), 6);
});

test('one feature is the first of its gml:id that meets the conditions, or an error', async () => {
  const one = (id: string, where?: string) => hosted.service.pages.one(question(where), id, idOf, work());
  assert.equal(await one('a'), 'a 0');
  assert.equal(await one('none'), null);
  assert.equal(await one('b', 'bldg:measuredHeight=9'), null);
  await assert.rejects(one('deep'), /nest/);
});

test('an id that only has the hash of another is not found', async () => {
  const one = (id: string) => hosted.service.pages.one({ ...question(), type: 'tran' }, id, idOf, work());
  assert.equal(await one(THERE), `${THERE} 3`);
  assert.equal(await one(ABSENT), null);
});

test('of several regions a feature meets each', async () => {
  /** From the middle of one road to that of another. */
  const between = (from: number, to: number) => {
    const [west, east] = [from, to].map((n) => 127.6751 + (n + 0.5) * STEP) as [number, number];
    const bounds = { west, south: 26.20841, east, north: 26.20842 };
    return new Region({ ids: null, box: { bounds, altitudes: null }, polygons: null });
  };
  for (const [regions, expected] of [
    [[between(0, 2)], ['r0 0', 'r1 1', 'r2 2']],
    [
      [between(0, 2), between(1, 3)],
      ['r1 1', 'r2 2'],
    ],
    [
      [between(1, 3), between(0, 2)],
      ['r1 1', 'r2 2'],
    ],
    [[between(0, 3), between(1, 3), between(0, 1)], ['r1 1']],
    [[between(0, 1), between(2, 3)], []],
  ] as const) {
    assert.deepEqual((await page(9, { type: 'tran', regions })).records, expected);
  }
});

test('a page with features ends early where much text was read, a full one with conditions earlier', async () => {
  const MEGABYTE = 1 << 20;
  for (const [read, limit, where, expected] of [
    [5, 9, undefined, null],
    [49, 9, undefined, 5],
    [1, 2, 'bldg:measuredHeight=9', null],
    [5, 2, 'bldg:measuredHeight=9', 5],
    [5, 9, 'bldg:measuredHeight=9', null],
    [49, 9, 'bldg:measuredHeight=8', null],
  ] as const) {
    const allowance = work();
    allowance.budget.read(read * MEGABYTE);
    const { next } = await page(limit, question(where), allowance);
    assert.equal(next?.index ?? null, expected, `${read} MiB, ${limit} features, ${where}`);
  }
});
