import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PackageRow } from '@citymodel/store';
import { TABLE_VERSION } from '../features/tables/table-facts.ts';
import { hasTables } from './make-tables.ts';

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
