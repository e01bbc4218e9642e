/** Tables of a small package, without real ones. */
import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Slices } from '@citymodel/base';
import type { ObjectStore } from '@citymodel/store';
import type { Progress } from '../base/progress.ts';
import { gml, writeSmallPackage } from '../convert/testing/small-package.ts';
import { TABLE_VERSION } from '../features/tables/table-facts.ts';
import { readColumns, readFoot } from '../features/tables/table-reader.ts';
import { host } from '../features/testing/hosted.ts';
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
