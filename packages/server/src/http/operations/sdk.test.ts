/** What the SDKs of game engines are told, out of the snapshot and the answer about files. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PackageRow } from '@citymodel/store';
import Fastify from 'fastify';
import { cityPackage, snapshotOf, tilePackage } from '../../catalogue/testing/snapshot-rows.ts';
import type { OperationAnswer } from '../../mcp/ask.ts';
import { handleFailures } from '../answers/failures.ts';
import type { ServiceContext } from '../context.ts';
import { serveSdkDatasets, serveSdkFiles } from './sdk.ts';

async function service(rows: PackageRow[], files: OperationAnswer = { status: 404, json: null }) {
  const snapshot = await snapshotOf(...rows);
  const context = { watch: { current: () => snapshot } } as unknown as ServiceContext;
  const asked: string[] = [];
  const app = Fastify();
  handleFailures(app, () => {});
  app.get('/sdk/datasets', serveSdkDatasets(context));
  app.get(
    '/sdk/datasets/:id/files',
    serveSdkFiles(context, async (path) => {
      asked.push(path);
      return files;
    }),
  );
  return { asked, get: (url: string) => app.inject(url), [Symbol.asyncDispose]: () => app.close() };
}

interface Listed {
  data: Array<{ description: string }>;
}

const CHIYODA = cityPackage({ no: 1, types: ['bldg', 'tran'], license: null });

test('municipalities stand below their prefectures, in the order of codes, by their newest package', async () => {
  await using at = await service([
    cityPackage({ no: 4, prefCode: '27', pref: '大阪府', cityCode: '27100', city: '大阪市', types: [] }),
    cityPackage({ no: 2, cityCode: '13102', city: '中央区', year: 2020, license: 'CC BY 4.0' }),
    cityPackage({
      no: 3,
      cityCode: '13102',
      city: '中央区',
      year: 2023,
      license: 'CC BY 4.0',
      types: ['veg'],
    }),
    tilePackage({}, { no: 5, prefCode: '01', cityCode: '01100' }),
    CHIYODA,
  ]);
  const { data } = (await at.get('/sdk/datasets')).json<{ data: Listed[] }>();
  const { city, year, types, pref } = CHIYODA;
  const { description } = data[1]!.data[0]!;
  assert.deepEqual(data, [
    {
      id: '13',
      title: pref,
      data: [
        { id: '13101', title: city, description: `${city} ${year}`, featureTypes: types },
        { id: '13102', title: '中央区', description: '中央区 2023, CC BY 4.0', featureTypes: ['veg'] },
      ],
    },
    {
      id: '27',
      title: '大阪府',
      data: [{ id: '27100', title: '大阪市', description, featureTypes: null }],
    },
  ]);
  assert.match(description, /^大阪市 \d{4}/);
});

test('a ward is called after its city and itself', async () => {
  const ward = { cityCode: '14130', city: '川崎市', wardCode: '14131', ward: '川崎区' };
  await using at = await service([cityPackage({ ...ward, prefCode: '14', pref: '神奈川県' })]);
  const [prefecture] = (await at.get('/sdk/datasets')).json().data;
  assert.deepEqual(
    prefecture.data.map(({ id, title }: { id: string; title: string }) => [id, title]),
    [['14131', '川崎市川崎区']],
  );
});

test('files are told by their codes, LODs and addresses alone', async () => {
  const file = { code: '53394525', maxLod: 2, url: 'https://a.example/x.gml' };
  const files = { bldg: [{ ...file, features: 7 }], tran: [] };
  await using at = await service([CHIYODA], { status: 200, json: { files, cities: [] } });
  const answer = await at.get('/sdk/datasets/13101/files');
  assert.deepEqual([answer.statusCode, answer.json()], [200, { bldg: [file], tran: [] }]);
  assert.deepEqual(at.asked, ['/datacatalog/citygml/13101']);
});

test('a municipality that is not listed is not found, and one without files has none', async () => {
  await using at = await service([CHIYODA]);
  const answer = await at.get('/sdk/datasets/13999/files');
  assert.equal(answer.statusCode, 404);
  assert.match(answer.json().reason, /"13999".*\/sdk\/datasets lists/);
  assert.deepEqual(at.asked, []);
  assert.deepEqual((await at.get('/sdk/datasets/13101/files')).json(), {});
});

test('files that cannot be listed at the moment are asked for again later', async () => {
  for (const status of [400, 500, 503]) {
    await using at = await service([CHIYODA], { status, json: { error: 'unavailable' } });
    const answer = await at.get('/sdk/datasets/13101/files');
    assert.deepEqual([answer.statusCode, answer.headers['retry-after']], [503, '5']);
  }
});
