import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PackageRow } from '@citymodel/store';
import { TABLE_VERSION } from '../features/tables/table-facts.ts';
import { hasTables, type TablesContext } from './make-tables.ts';
import { makeMissingTables } from './missing-tables.ts';

const row = (versions: number[] | null, kind = 'citygml', archiveKey = 'archives/a.zip') =>
  ({ kind, archiveKey, tables: versions?.map((version) => ({ version })) ?? null }) as unknown as PackageRow;

test('a package of CityGML has tables when all are of the form that is written', () => {
  assert.equal(hasTables(row([TABLE_VERSION, TABLE_VERSION])), true);
  assert.equal(hasTables(row([])), true, 'there is nothing to make them of');
  assert.equal(hasTables(row([TABLE_VERSION, TABLE_VERSION - 1])), false);
  assert.equal(hasTables(row(null)), false);
});

test('of what is no CityGML, or has no archive, none are made', () => {
  for (const versions of [null, [TABLE_VERSION - 1]]) {
    assert.equal(hasTables(row(versions, 'mvt')), true);
    assert.equal(hasTables(row(versions, 'citygml', '')), true);
  }
});

test('tables are made of packages that lack them, or of all, and a package that fails is named', async () => {
  const rows: PackageRow[] = [
    { ...row(null), name: 'without' },
    { ...row([TABLE_VERSION]), name: 'with' },
    { ...row([TABLE_VERSION - 1]), name: 'old' },
    { ...row(null, 'mvt'), name: 'tiles' },
    { ...row(null, 'citygml', ''), name: 'generated' },
  ];
  const catalogue = {
    async *packages() {
      yield rows;
    },
    gmlFiles: () => Promise.reject(new Error('the disk broke')),
  };
  const wanted = async (all: boolean, names: string[] | null = null) => {
    const report = await makeMissingTables({ catalogue } as unknown as TablesContext, {
      ...{ all, names, maxGeometryBytes: 1 },
      ...{ onProgress() {}, signal: new AbortController().signal },
    });
    assert.deepEqual(report.made, []);
    assert.ok(
      report.faults.every(({ fault }) => /the disk broke; the package is served without them/.test(fault)),
    );
    return report.faults.map(({ place }) => place);
  };
  assert.deepEqual(await wanted(false), ['without', 'old']);
  assert.deepEqual(await wanted(true), ['without', 'with', 'old']);
  assert.deepEqual(await wanted(true, ['with', 'tiles']), ['with']);
});
