/** Tables of a small package, without real ones. */
import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Slices } from '@citymodel/base';
import { block, cityModel, member } from '@citymodel/citygml/testing';
import type { ObjectStore } from '@citymodel/store';
import type { Progress } from '../base/progress.ts';
import { gml, writePackage, writeSmallPackage } from '../convert/testing/small-package.ts';
import type { FeatureService } from '../features/feature-service.ts';
import { TABLE_VERSION } from '../features/tables/table-facts.ts';
import { TableObjects } from '../features/tables/table-objects.ts';
import { readColumns, readFoot } from '../features/tables/table-reader.ts';
import { answerOf, bytesOf, host } from '../features/testing/hosted.ts';
import type { RawQuery } from '../http/describe/query-parameters.ts';
import { hasTables, makeTables } from './make-tables.ts';
import { makeMissingTables } from './missing-tables.ts';

async function place(t: TestContext) {
  const directory = await mkdtemp(join(tmpdir(), 'citymodel-tables-'));
  t.after(() => rm(directory, { recursive: true }));
  const zip = join(directory, '22203_numazu-shi_city_2023_citygml_1_op.zip');
  await writeSmallPackage(zip, 'a', 3);
  const hosted = await host([zip]);
  t.after(() => hosted[Symbol.asyncDispose]());
  const stagingDir = join(directory, 'staging');
  const steps: Progress[] = [];
  const options = {
    maxGeometryBytes: 3e6,
    onProgress: (step: Progress) => void steps.push(step),
    signal: new AbortController().signal,
  };
  const [row] = hosted.rows;
  const again = async () => (await hosted.stores.catalogue.findPackages({ id: row!.id }))[0]!;
  return { ...hosted, stagingDir, options, steps, row: row!, again };
}

test('each type has a table, whose facts the catalogue has, and each file is progress', async (t) => {
  const { stores, stagingDir, options, steps, row, again } = await place(t);
  const reports = await makeTables(row, { ...stores, stagingDir }, options);
  assert.deepEqual(
    reports.map(({ bytes, ...rest }) => rest).toSorted((a, b) => (a.type < b.type ? -1 : 1)),
    ['luse', 'tran'].map((type) => ({ type, features: 12, leftOut: 0, withoutGeometry: 0 })),
  );
  const files = await stores.catalogue.gmlFiles({ packageNos: [row.no] });
  const total = files.reduce((sum, { size }) => sum + size, 0);
  const sizes = new Map(files.map(({ path, size }) => [path, size]));
  let done = 0;
  for (const step of steps) {
    done += sizes.get(step.member!)!;
    assert.deepEqual(step, { label: row.name, phase: 'tables', done, total, member: step.member });
  }
  assert.deepEqual([steps.length, done], [8, total]);
  const now = await again();
  assert.equal(hasTables(now), true);
  for (const { type, key, size, features, version } of now.tables!) {
    await using object = await stores.objects.open(key);
    const report = reports.find((one) => one.type === type)!;
    assert.deepEqual([object.size, features, version], [size, 12, TABLE_VERSION]);
    assert.equal(report.bytes, size);
    // Each row says where the text of its feature lies.
    const foot = await readFoot(object);
    const slices = new Slices(async () => {}, 1e9);
    for await (const { columns } of readColumns(
      object,
      foot,
      ['gml_file', 'gml_start', 'gml_length'],
      slices,
    )) {
      const [names, starts, lengths] = [...columns.values()];
      for (const [i, name] of Array.from(names!).entries()) {
        const mesh = /\d{8}/.exec(String(name))![0];
        const text = gml(type as 'luse' | 'tran', mesh, 3, mesh === '52385511' ? 'a' : 'same');
        const start = Number(starts![i]);
        const feature = text.slice(start, start + Number(lengths![i]));
        assert.match(feature, /^<(luse:LandUse|tran:Road) gml:id="[^"]+">.*<\/\1>$/s);
      }
    }
  }
  assert.deepEqual(await readdir(stagingDir), []);
  assert.deepEqual(await stores.catalogue.intents(), []);
});

test('work that ends early leaves neither tables nor files', async (t) => {
  const { stores, stagingDir, options, row, again } = await place(t);
  const stop = new AbortController();
  const stopping = { ...options, signal: stop.signal, onProgress: () => stop.abort(new Error('stopped')) };
  await assert.rejects(makeTables(row, { ...stores, stagingDir }, stopping), { message: 'stopped' });
  const objects: ObjectStore = stores.objects;
  const { put } = objects;
  objects.put = () => Promise.reject(new Error('no room'));
  await assert.rejects(makeTables(row, { ...stores, stagingDir }, options), { message: 'no room' });
  objects.put = put;
  assert.equal((await again()).tables ?? null, null);
  assert.deepEqual(await readdir(stagingDir), []);
  assert.deepEqual(await stores.catalogue.intents(), []);
});

test('missing tables are made, all where that is asked for, of CityGML with an archive alone', async (t) => {
  const { stores, stagingDir, options, row, again } = await place(t);
  const context = { ...stores, stagingDir };
  const make = (all: boolean, names: string[] | null = null) =>
    makeMissingTables(context, { ...options, names, all });
  assert.deepEqual(await make(false, ['another']), { made: [], faults: [] });
  assert.deepEqual(await make(false), { made: [row.name], faults: [] });
  const first = (await again()).tables!.map(({ key }) => key);
  assert.deepEqual(await make(false), { made: [], faults: [] });
  assert.deepEqual(await make(true), { made: [row.name], faults: [] });
  assert.ok((await again()).tables!.every(({ key }) => !first.includes(key)));
  const now = await again();
  const other = { ...now, tables: [{ ...now.tables![0]!, version: TABLE_VERSION - 1 }, now.tables![1]!] };
  assert.deepEqual(
    [hasTables(other), hasTables({ ...other, kind: 'mvt' }), hasTables({ ...other, archiveKey: '' })],
    [false, true, true],
  );
});

test('an answer out of tables leaves out files of a city that a newer package of a ward replaces', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'citymodel-tables-'));
  t.after(() => rm(directory, { recursive: true }));
  const file = (type: 'bldg' | 'tran', element: string, mesh: string, ward: string, id: string) => {
    const city = `<uro:city codeSpace="../../codelists/Common_localPublicAuthorities.xml">${ward}</uro:city>`;
    const solid = `<${type}:lod1Solid>${block(35.5, 139.7, 0.0001, 3, 12)}</${type}:lod1Solid>`;
    const text = cityModel(member(`<${type}:${element} gml:id="${id}">${solid}${city}</${type}:${element}>`));
    return { path: `udx/${type}/${mesh}_${type}_6697_op.gml`, text };
  };
  const city = join(directory, '14130_kawasaki-shi_city_2022_citygml_1_op.zip');
  await writePackage(city, [
    file('bldg', 'Building', '53392566', '14131', 'replaced'),
    file('bldg', 'Building', '53392492', '14137', 'kept'),
    file('tran', 'Road', '53392566', '14131', 'road'),
  ]);
  const ward = join(directory, '14131_kawasaki-ku_city_2024_citygml_1_op.zip');
  await writePackage(ward, [file('bldg', 'Building', '53392566', '14131', 'newer')]);
  await using hosted = await host([city, ward]);
  const { stores } = hosted;
  const options = { maxGeometryBytes: 3e6, onProgress() {}, signal: new AbortController().signal };
  for (const row of hosted.rows)
    await makeTables(row, { ...stores, stagingDir: join(directory, 'staging') }, options);
  await hosted.refresh();
  const whole = hosted.another({ tables: new TableObjects(hosted.archives, stores.catalogue) });
  const idsOf = async (service: FeatureService, query: RawQuery) => {
    const answer = await answerOf(service, 'features', { sid: '0/0/0/0', format: 'geojson', ...query });
    const { features } = JSON.parse((await bytesOf(Promise.resolve(answer))).toString());
    return [features.map(({ id }: { id: string }) => id).sort(), answer.cost];
  };
  for (const [query, ids, tables] of [
    [{}, ['kept', 'newer', 'road'], 3],
    [{ type: 'bldg' }, ['kept', 'newer'], 2],
    [{ year: '2022' }, ['kept', 'replaced', 'road'], 2],
  ] as const) {
    assert.deepEqual((await idsOf(hosted.service, query))[0], ids, JSON.stringify(query));
    assert.deepEqual(await idsOf(whole, query), [ids, { files: tables, features: ids.length }]);
  }
});
