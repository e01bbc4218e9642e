/** What the official program does wrong, repeated on wish: each with and without. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CHECKS } from './checks/index.ts';
import { surfaceIssues } from './geometry/surface-test.ts';
import { moveShared } from './objects/object-list.ts';
import { reportOf } from './report/report.ts';
import { officialFiles } from './report/tables.ts';
import { inspectFile, joinFiles } from './run/inspect-package.ts';
import { openPackage } from './run/open-package.ts';
import {
  BUILDINGS,
  box,
  cleanPackage,
  FLOOD,
  type Point,
  type Ring,
  sourceOf,
} from './testing/clean-package.ts';

const HOOKS = { signal: new AbortController().signal, onText: () => {} };

async function reportFor(members: ReadonlyMap<string, string>, likeUpstream: boolean, spec: 4 | 6 = 4) {
  const source = sourceOf(members);
  const context = await openPackage(source, { likeUpstream, spec });
  const files = [];
  for (const file of source.files) files.push(await inspectFile(file, source, CHECKS, context, HOOKS));
  const ofPackage = await joinFiles(files, source, CHECKS, context, HOOKS);
  return reportOf({ name: source.name, context, objectsName: null, files, ofPackage, outside: [] });
}

/** Errors of a check, right and as the official program counts. */
async function both(members: ReadonlyMap<string, string>, code: string, spec: 4 | 6 = 4) {
  const counts = [];
  for (const likeUpstream of [false, true]) {
    const { checks } = await reportFor(members, likeUpstream, spec);
    counts.push(checks.find((check) => check.code === code)?.errors);
  }
  return counts;
}

test('folders without a list of types: every feature is out of place', async () => {
  const members = new Map([['udx/rfld/53394525_rfld_6697_op.gml', cleanPackage().get(FLOOD)!]]);
  assert.deepEqual(await both(members, 'L03'), [0, 1]);
});

test('generic objects of CityGML 3.0 belong into their folder', async () => {
  const types = ['OccupiedSpace', 'UnoccupiedSpace', 'LogicalSpace', 'ThematicSurface', 'Attribute'];
  const members = types.map((type) => `<cityObjectMember><gen:Generic${type}/></cityObjectMember>`).join('');
  const text = `<CityModel xmlns="http://www.opengis.net/citygml/3.0" xmlns:gen="http://www.opengis.net/citygml\
/generics/3.0">${members}</CityModel>`;
  const { checks } = await reportFor(new Map([['udx/gen/53394525_gen_6697_op.gml', text]]), false, 6);
  const found = checks.find(({ code }) => code === 'L03')!;
  assert.deepEqual(
    found.items.map(({ ref }) => ref),
    ['GenericAttribute'],
  );
});

test('branches of building ids in specification 6: none is right', async () => {
  const text = cleanPackage()
    .get(BUILDINGS)!
    .replace('</uro:buildingID>', '$&<uro:branchID>1</uro:branchID>');
  assert.deepEqual(await both(new Map([[BUILDINGS, text]]), 'bldg.id', 6), [0, 1]);
  assert.deepEqual(await both(new Map([[BUILDINGS, text]]), 'bldg.id', 4), [0, 0]);
});

test('solids that overlap at two levels: the second is not tested', async () => {
  const into = (faces: Ring[]) => faces.map((ring) => ring.map(([x, y, z]): Point => [x + 25, y + 1, z + 1]));
  const members = cleanPackage({ lod1: into, lod2: into });
  assert.deepEqual(await both(members, 'L-bldg-01.lod1'), [1, 1]);
  assert.deepEqual(await both(members, 'L-bldg-01.lod2'), [1, 0]);
});

const element = { name: 'gml:Polygon', attributes: {}, children: [], text: '' };
const issues = (rings: Point[][], isLikeUpstream: boolean) =>
  surfaceIssues({
    element,
    id: null,
    isLikeUpstream,
    rings: rings.map((ring) => Float64Array.from([...ring, ring[0]!].flat())),
  });
const square = (x: number, y: number, size: number): Point[] => [
  [x, y, 0],
  [x + size, y, 0],
  [x + size, y + size, 0],
  [x, y + size, 0],
];

test('walls with windows: seen from above, all lies on one line', () => {
  const upright = (ring: Point[]) => ring.map(([x, y]): Point => [x, 0, y]);
  const wall = [upright(square(0, 0, 10)), upright(square(2, 2, 2).toReversed())];
  assert.deepEqual(issues(wall, false), []);
  assert.deepEqual(issues(wall, true), ['InteriorRingNotContainedInExteriorRing']);
});

test('holes outside of their exterior that do not touch it: passed over', () => {
  const apart = [square(0, 0, 10), square(20, 2, 2).toReversed()];
  assert.deepEqual(issues(apart, false), ['InteriorRingNotContainedInExteriorRing']);
  assert.deepEqual(issues(apart, true), []);
});

test('required attributes of parts: the part gets the rest of the list of its building', () => {
  const paths = (required: string[]) => ({ required, target: [], conditional: [] as string[] });
  for (const isLikeUpstream of [false, true]) {
    const part = paths(['a', 'c']);
    const types = new Map([
      ['bldg:Building', paths(['a', 'b'])],
      ['bldg:BuildingPart', part],
    ]);
    moveShared('bldg', types, isLikeUpstream);
    assert.deepEqual(part.required, isLikeUpstream ? ['b'] : ['c']);
  }
});

test('names of generic objects: the summary counts files', async () => {
  const text = cleanPackage()
    .get(FLOOD)!
    .replaceAll('wtr:WaterBody', 'gen:GenericCityObject')
    .replace('xmlns:core=', 'xmlns:gen="http://www.opengis.net/citygml/generics/2.0" $&')
    .replace('<wtr:lod1MultiSurface>', '<gml:name>a</gml:name><gml:name>b</gml:name>$&');
  const members = new Map([['udx/gen/53394525_gen_6697_op.gml', text]]);
  const counts = [];
  for (const likeUpstream of [false, true]) {
    const report = await reportFor(members, likeUpstream);
    const summary = [...officialFiles(report)].find(({ name }) => name === 'summary_gen.json')!;
    counts.push(
      JSON.parse(summary.text).find(({ name }: { name: string }) => name.includes('gml:name')).count,
    );
  }
  assert.deepEqual(counts, [2, 1]);
});

test('a sound package is sound either way', async () => {
  for (const likeUpstream of [false, true]) {
    const report = await reportFor(cleanPackage({ lod1: () => box([0, 0, 20], 10, 8, 6) }), likeUpstream);
    assert.equal(report.ok, true);
  }
});
