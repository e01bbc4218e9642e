/** Attributes that an object list asks for, by the official counting: C05 and C06. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ObjectList, ObjectPaths } from '../../check.ts';
import { idOf } from '../../testing/clean-package.ts';
import { cityModel, inspected, pathOf } from '../../testing/typed-files.ts';

const NEXT = 'udx/bldg/53394526_bldg_6697_op.gml';
const HEIGHT = 'bldg:measuredHeight';
const DETAIL = 'uro:buildingDetailAttribute/uro:BuildingDetailAttribute';

const height = '<bldg:measuredHeight uom="m">6</bldg:measuredHeight>';
const detail = (content: string) =>
  '<uro:buildingDetailAttribute><uro:BuildingDetailAttribute>' +
  `${content}</uro:BuildingDetailAttribute></uro:buildingDetailAttribute>`;
const year = '<uro:surveyYear>2023</uro:surveyYear>';
const building = (content: string, number = 1) =>
  `<bldg:Building gml:id="${idOf('bldg', number)}">${content}</bldg:Building>`;
const part = (content: string) =>
  `<bldg:consistsOfBuildingPart><bldg:BuildingPart gml:id="${idOf('bldg', 9)}">${content}` +
  '</bldg:BuildingPart></bldg:consistsOfBuildingPart>';

/** The list of some types of buildings. */
function listOf(types: Record<string, Partial<ObjectPaths>>): ObjectList {
  const paths = Object.entries(types).map(
    ([type, some]) => [type, { required: [], target: [], conditional: [], ...some }] as const,
  );
  return { types: (folder) => new Map(folder === 'bldg' ? paths : []) };
}

async function found(files: Record<string, string[]>, objects: ObjectList) {
  const texts = Object.fromEntries(
    Object.entries(files).map(([path, features]) => [path, cityModel(features)]),
  );
  const { checks } = await inspected(texts, { objects });
  const [c05, c06] = ['C05', 'C06'].map((code) => checks.find((check) => check.code === code)!);
  return { c05: c05!, c06: c06! };
}

/** Errors of C05 in one file of buildings. */
const missing = async (features: string[], types: Record<string, Partial<ObjectPaths>>) =>
  (await found({ [pathOf('bldg')]: features }, listOf(types))).c05.errors;
/** Attributes that C06 names. */
const unseen = async (files: Record<string, string[]>, types: Record<string, Partial<ObjectPaths>>) =>
  (await found(files, listOf(types))).c06.items.map(({ type, ref }) => `${type} ${ref}`);

test('C05: a feature and each path that it lacks are one error', async () => {
  const types = { 'bldg:Building': { required: [HEIGHT, 'bldg:usage'] } };
  assert.equal(await missing([building(height), building('', 2)], types), 3);
  assert.equal(await missing([building(`<bldg:usage>401</bldg:usage>${height}`)], types), 0);
});

test('C05: what lies in an optional group is asked for where the group is', async () => {
  const types = { 'bldg:Building': { required: [`${DETAIL}/uro:surveyYear`] } };
  assert.equal(await missing([building('')], types), 0, 'no group');
  assert.equal(await missing([building(detail(''))], types), 1, 'a group without it');
  assert.equal(await missing([building(detail(year))], types), 0);
  assert.equal(await missing([building('')], { 'bldg:Building': { required: [DETAIL] } }), 1, 'the group');
});

test('C05: names of a pair lie directly in each other', async () => {
  const types = { 'bldg:Building': { required: ['uro:buildingDetailAttribute/uro:surveyYear'] } };
  assert.equal(await missing([building(detail(year))], types), 1);
  const direct = `<uro:buildingDetailAttribute>${year}</uro:buildingDetailAttribute>`;
  assert.equal(await missing([building(direct)], types), 0);
});

test('C05: a part that the list names is a feature of its own, and its attributes count for its building', async () => {
  const both = { 'bldg:Building': { required: [HEIGHT] }, 'bldg:BuildingPart': { required: [HEIGHT] } };
  assert.equal(await missing([building(part(''))], both), 2);
  assert.equal(await missing([building(part(height))], both), 0);
  assert.equal(await missing([building(height + part(''))], both), 1);
});

test('C05: what either may have is listed and not counted, as a warning where there is a part', async () => {
  const list = listOf({ 'bldg:Building': { conditional: [HEIGHT] } });
  for (const [content, severity] of [
    ['', 'Error'],
    [part(''), 'Warn'],
  ] as const) {
    const { c05 } = await found({ [pathOf('bldg')]: [building(content)] }, list);
    assert.deepEqual([c05.errors, c05.items.map(({ row }) => row!.severity)], [0, [severity]]);
  }
  const { c05 } = await found({ [pathOf('bldg')]: [building(part(height))] }, list);
  assert.deepEqual(c05.items, []);
});

test('C06: one feature of the package is enough, in whichever file', async () => {
  const types = { 'bldg:Building': { target: [HEIGHT, DETAIL, `${DETAIL}/uro:surveyYear`] } };
  const files = (first: string, second: string) => ({
    [pathOf('bldg')]: [building(first)],
    [NEXT]: [building('', 2), building(second, 3)],
  });
  assert.deepEqual(await unseen(files(height, detail(year)), types), []);
  assert.deepEqual(await unseen(files('', detail('')), types), [
    `bldg:Building ${HEIGHT}`,
    // A feature without the group lacks nothing of it.
  ]);
  assert.deepEqual(await unseen(files('', ''), types), [
    `bldg:Building ${HEIGHT}`,
    `bldg:Building ${DETAIL}`,
  ]);
});

test('C06: types that do not occur are passed over, parts are of a type of their own', async () => {
  const types = { 'bldg:Building': { target: [HEIGHT] }, 'bldg:BuildingPart': { target: [HEIGHT] } };
  assert.deepEqual(await unseen({ [pathOf('bldg')]: [building(height)] }, types), []);
  assert.deepEqual(await unseen({ [pathOf('bldg')]: [building(height + part(''))] }, types), [
    `bldg:BuildingPart ${HEIGHT}`,
  ]);
});
