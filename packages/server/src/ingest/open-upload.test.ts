import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import { findUploads } from './open-upload.ts';
import { openIngesting, writeFiles } from './testing/ingesting.ts';

const NAME = '01100_sapporo-shi_2020_citygml_1_op';
const GML = 'udx/bldg/53394509_bldg_6697_op.gml';

test('everything on a shelf is an upload, a shelf, or named as neither', async () => {
  await using at = await openIngesting();
  const shelf = await writeFiles(join(at.directory, 'shelf'), {
    [`${NAME}/${GML}`]: '',
    [`13104_shinjuku-ku_citygml3-sample/${GML}`]: '',
    'tiles of a bridge/tileset.json': '{}',
    'tiles of roads/data/14/1/2.mvt': '',
    '2023/13101_chiyoda-ku_city_2023_citygml_1_op.zip': '',
    'notes/of a day/readme.txt': '',
    'readme.txt': '',
  });
  const passedOver: string[] = [];
  const uploads = await findUploads([shelf], (path) => passedOver.push(relative(shelf, path)));
  assert.deepEqual(
    uploads.map(({ path, kind }) => [relative(shelf, path), kind]),
    [
      [NAME, 'directory'],
      ['13104_shinjuku-ku_citygml3-sample', 'directory'],
      ['2023/13101_chiyoda-ku_city_2023_citygml_1_op.zip', 'zip'],
      ['tiles of a bridge', 'directory'],
      ['tiles of roads', 'directory'],
    ].sort(),
  );
  assert.deepEqual(passedOver, ['notes', 'readme.txt']);
  const reports = await at.ingest(shelf, { until: 'identify' });
  assert.deepEqual(
    reports.map(({ refusal }) => refusal?.code ?? null),
    [null, 'UNKNOWN_NAME', 'NOT_A_ZIP', 'UNKNOWN_NAME', 'UNKNOWN_NAME'],
  );
  const { reason } = reports[1]!.refusal!;
  assert.match(reason, /13104_shinjuku-ku_citygml3-sample does not follow .*--code, --year\); or rename it/);
});

test('a directory with content of a package is one upload, whatever lies in it', async () => {
  await using at = await openIngesting();
  const root = await writeFiles(join(at.directory, 'delivery'), {
    [GML]: '',
    [`old/${NAME}/${GML}`]: '',
    'a.zip': '',
  });
  assert.deepEqual(await findUploads([root]), [{ path: root, kind: 'directory' }]);
  const inner = await writeFiles(join(at.directory, NAME), { [`data/${GML}`]: '' });
  assert.deepEqual(await findUploads([inner]), [{ path: inner, kind: 'directory' }]);
});

test('words before the end of a name belong to the package: two of them stand beside each other', async () => {
  await using at = await openIngesting();
  const text = '<core:CityModel xmlns:core="http://www.opengis.net/citygml/2.0"/>';
  const shelf = join(at.directory, 'shelf');
  for (const words of ['sample-takeshiba', 'sample-ginza']) {
    const root = join(shelf, `13999_tokyo_udx-mlit_2024_citygml_2_${words}_op`);
    await mkdir(join(root, 'udx/bldg'), { recursive: true });
    await writeFile(join(root, GML), `${text}<!-- ${words} -->`);
  }
  const reports = await at.ingest(shelf);
  assert.deepEqual(
    reports.map(({ outcome, package: pkg }) => [outcome, pkg?.provider, pkg?.revision]),
    [
      ['published', 'udx-mlit', '2'],
      ['published', 'udx-mlit', '2'],
    ],
  );
});
