import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AssetUrls } from './asset-urls.ts';
import { type FileListResult, fileListJson, toFileListResult } from './file-list.ts';
import { cityPackage } from './snapshot-testing.ts';

test('the JSON made piece by piece is the JSON of the result', () => {
  const urls = new AssetUrls({ publicUrl: 'https://data.example', assetUrl: 'https://data.example/assets' });
  const file = (mesh: string, type: string) => ({
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
    bounds: { west: 139, south: 35, east: 139.5, north: 35.25 },
    minAlt: null,
    maxAlt: null,
    crs: 'EPSG:6697',
    areaCodes: [],
    wellFormed: true,
  });
  const result: FileListResult = toFileListResult(
    [
      {
        package: cityPackage({ no: 1 }),
        files: [file('53394509', 'bldg'), file('53394519', 'bldg'), file('533945', 'luse')],
      },
      { package: cityPackage({ no: 2 }), files: [file('53394509', 'tran')] },
    ],
    urls,
  );
  assert.deepEqual(JSON.parse(fileListJson(result)), result);
});
