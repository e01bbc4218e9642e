import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addList } from './list.ts';
import { houseStore } from './testing/house-store.ts';
import { HOUSES, writeHouses } from './testing/houses.ts';

const OTHER = '13102_chuo-ku_city_2023_citygml_1_op';

test('packages are listed by their names, live ones unless all are asked for', async (t) => {
  const store = await houseStore(t);
  await store.publish(await writeHouses(store.directory, { name: OTHER, count: 2 }));
  await store.publish(await writeHouses(store.directory));
  const [other] = await store.rows();
  await store.use((stores) => stores.catalogue.setState(other!.no, 'removed'));
  const head = /^package +state +place +types +files +features +archive +errors +warnings +notes +ingested$/;
  const short = await store.run(addList, 'list');
  assert.deepEqual([short.code, short.err], [0, '']);
  const [title, ...lines] = short.out.trimEnd().split('\n');
  assert.match(title!, head);
  assert.equal(lines.length, 1);
  assert.match(
    lines[0]!,
    new RegExp(`^${HOUSES} +live +千代田区 +bldg +1 +3 +\\d+ B +0 +0 +0 +2026-04-01 00:00:00$`),
  );
  const all = await store.run(addList, 'list', '--all');
  const names = all.out.trimEnd().split('\n').slice(1);
  assert.deepEqual(
    names.map((line) => line.split(/ +/).slice(0, 2)),
    [
      [HOUSES, 'live'],
      [OTHER, 'removed'],
    ],
  );
});

test('issues follow the table, each of a package that has any; JSON has all of both', async (t) => {
  const store = await houseStore(t);
  const note = '<bldg:class codeSpace="../../codelists/Building_class.xml">3001</bldg:class>';
  await store.publish(await writeHouses(store.directory, { note }));
  await store.publish(await writeHouses(store.directory, { name: OTHER }));
  const { out } = await store.run(addList, 'list', '--issues');
  const [, ...issues] = out.split('\n\n');
  assert.equal(issues.length, 1);
  assert.match(issues[0]!, new RegExp(`^${HOUSES}\n  warning MISSING_CODE_LIST .*Building_class\\.xml`));
  const plain = await store.run(addList, 'list');
  assert.doesNotMatch(plain.out, /MISSING_CODE_LIST/);
  const json = JSON.parse((await store.run(addList, 'list', '--issues', '--json')).out);
  assert.deepEqual(
    json.map((row: { name: string; issues: Array<{ code: string }> }) => [
      row.name,
      row.issues.map(({ code }) => code),
    ]),
    [
      [HOUSES, ['MISSING_CODE_LIST']],
      [OTHER, []],
    ],
  );
  const text = (await store.run(addList, 'list', '--json')).out;
  assert.equal('issues' in JSON.parse(text)[0], false);
  assert.equal(text, `${JSON.stringify(JSON.parse(text), null, 2)}\n`);
});

test('a package without issues has no line, and their language is that of the environment', async (t) => {
  const store = await houseStore(t, { LANG: 'ja_JP.UTF-8' });
  const note = '<bldg:class codeSpace="../../codelists/Building_class.xml">3001</bldg:class>';
  await store.publish(await writeHouses(store.directory, { note }));
  const { out } = await store.run(addList, 'list', '--issues');
  assert.match(out, /\n {2}警告 MISSING_CODE_LIST：/);
});
