/** Pages of a file with features that cannot be answered: what they say of these, and where they end. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { MAX_DEPTH, MAX_KEPT } from '@citymodel/citygml';
import { cityModel, member } from '@citymodel/citygml/testing';
import { Filters } from '../base/filter.ts';
import type { PageQuery, RecordMaker } from './feature-pages.ts';
import { presentationOf } from './feature-query.ts';
import { type Hosted, host } from './testing/hosted.ts';

const PACKAGE = '47201_naha-shi_city_2023_citygml_1_op';
const PATH = 'udx/bldg/39272554_bldg_6697_op.gml';

const building = (id: string, content = '') =>
  member(`<bldg:Building gml:id="${id}">${content}</bldg:Building>`);
const deep = `${'<gml:name>'.repeat(MAX_DEPTH)}${'</gml:name>'.repeat(MAX_DEPTH)}`;
const high = '<bldg:measuredHeight uom="m">9</bldg:measuredHeight>';

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

async function page(limit: number, more: Partial<PageQuery> = {}) {
  return hosted.service.pages.page({ ...question(), regions: [], limit, after: null, ...more }, idOf, work());
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
