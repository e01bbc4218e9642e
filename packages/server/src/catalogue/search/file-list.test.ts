import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { GmlFileRow, PackageRow } from '@citymodel/store';
import { listedFile } from '@citymodel/store/testing';
import { AssetUrls } from '../names/asset-urls.ts';
import { expectedResult } from '../testing/file-list.ts';
import { cityPackage } from '../testing/snapshot-rows.ts';
import { fileListParts, fileObjectText } from './file-list.ts';

const urls = new AssetUrls({ publicUrl: 'https://data.example', assetUrl: 'https://data.example/assets' });

function file(mesh: string, type: string): GmlFileRow {
  return {
    packageNo: 1,
    path: `udx/${type}/${mesh}_${type}_6697_op.gml`,
    type,
    mesh,
    meshGuessed: false,
    size: 10,
    features: 1,
    lods: [0, 1, null, 0, 0],
    maxLod: 1,
    sha256: '00',
    bounds: type === 'luse' ? null : { west: 139, south: 35, east: 139.5, north: 35.25 },
    minAlt: null,
    maxAlt: null,
    crs: 'EPSG:6697',
    areaCodes: [],
    wellFormed: true,
  };
}

function groupsOf({ package: of, files }: { package: PackageRow; files: GmlFileRow[] }) {
  const byType = Map.groupBy(files, ({ type }) => type);
  const types = new Map(
    [...byType].map(([type, rows]) => [
      type,
      { package: of, type, count: rows.length, rows: rows.map(listedFile) },
    ]),
  );
  return { package: of, types };
}

test('the answer in parts is the JSON of what was found', () => {
  const one = {
    package: cityPackage({ no: 1 }),
    files: [file('53394509', 'bldg'), file('53394519', 'bldg'), file('533945', 'luse')],
  };
  const other = { package: cityPackage({ no: 2, cityCode: '13102' }), files: [file('53394509', 'tran')] };
  for (const found of [[one, other], [other, one], [one]]) {
    const parts = fileListParts(found.map(groupsOf), urls).map((part) =>
      typeof part === 'string'
        ? part
        : part.rows.map((row) => fileObjectText(part.package, row, urls)).join(),
    );
    assert.deepEqual(JSON.parse(parts.join('')), expectedResult(found, urls));
  }
});

test('nothing is no answer', () => {
  assert.throws(() => fileListParts([], urls), RangeError);
});
