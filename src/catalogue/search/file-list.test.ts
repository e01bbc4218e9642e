import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listedFile } from '../../store/file-facts.ts';
import type { GmlFileRow } from '../../store/rows.ts';
import { AssetUrls } from '../names/asset-urls.ts';
import { expectedResult, textOf } from '../testing/file-list.ts';
import { cityPackage } from '../testing/snapshot-rows.ts';
import { fileListPieces, listFiles } from './file-list.ts';

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

test('the answer in pieces is the JSON of what was found', async () => {
  const one = {
    package: cityPackage({ no: 1 }),
    files: [file('53394509', 'bldg'), file('53394519', 'bldg'), file('533945', 'luse')],
  };
  const other = { package: cityPackage({ no: 2, cityCode: '13102' }), files: [file('53394509', 'tran')] };
  for (const found of [[one, other], [other, one], [one]]) {
    const pieces = fileListPieces(
      found.map(({ package: of, files }) => listFiles({ package: of, files: files.map(listedFile) }, urls)),
      urls,
    );
    assert.deepEqual(JSON.parse(await textOf(pieces)), expectedResult(found, urls));
  }
});

test('nothing is no answer', () => {
  assert.throws(() => fileListPieces([], urls), RangeError);
});
