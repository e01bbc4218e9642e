/** Features of large, broken and odd files through the built program, and indexes made again. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { get } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { writeBenchmarkGml } from '../packages/sample/src/benchmark-gml.ts';
import type { IngestReport } from '../packages/server/src/ingest/report.ts';
import { assertGeoJson, type FeatureAttributes } from './support/feature-schemas.ts';
import {
  bldg,
  CITY,
  data,
  type Query,
  queryOf,
  request,
  server,
  tower,
  useFeatureServer,
} from './support/feature-server.ts';
import { GML, gml, goodPackage, PACKAGE, writeDirectory } from './support/packages.ts';
import { removeDirectory, runProgram, tempDirectory } from './support/program.ts';
import { startServer, type TestServer } from './support/server.ts';
import { assertClean, ingest } from './support/store.ts';

useFeatureServer();

/** Files of which not even the root element can be read. */
const UNREADABLE: Record<string, string | Uint8Array> = {
  '39272641': '',
  '39272642': '\ufeff',
  '39272643': 'a table, by mistake',
  '39272644': Buffer.from(`\ufeff${gml(1)}`, 'utf16le'),
  '39272645': gml(1).replace('<core:CityModel', '<!DOCTYPE a [<!ENTITY b "c">]><core:CityModel'),
  '39272646': gml(1).slice(0, 200),
  '39272647': gml(1).replace(' xmlns:bldg=', ' xmlns:bldg'),
};

describe('large, broken and odd files', () => {
  let large: TestServer;
  let largeUrl: string;
  let brokenUrl: string;
  let oddUrl: string;
  let unreadable: { code: number | null; reports: IngestReport[] };
  let root: string;

  before(async () => {
    root = await tempDirectory();
    const bench = join(root, '47980_hakari-shi_city_2024_citygml_1_op');
    await mkdir(join(bench, 'udx/bldg'), { recursive: true });
    await writeBenchmarkGml(join(bench, 'udx/bldg/38295544_bldg_6697_op.gml'), { bytes: 20e6 });
    const text = gml(4);
    const odd = gml(4)
      .replace('gml:id="bldg_1"', 'gml:id="bldg_0"')
      .replace('<bldg:Building gml:id="bldg_2">', '<bldg:Building>');
    await writeDirectory(join(root, PACKAGE), {
      ...goodPackage(),
      [GML]: text.slice(0, text.indexOf('gml:id="bldg_3"') + 300),
      'udx/bldg/39272555_bldg_6697_op.gml': odd,
    });
    const { run } = await ingest(join(root, 'data'), [bench, join(root, PACKAGE)]);
    assert.equal(run.code, 0, run.stdout);
    const ginowan = join(root, '47205_ginowan-shi_city_2023_citygml_1_op');
    await writeDirectory(
      ginowan,
      Object.fromEntries(
        Object.entries(UNREADABLE).map(([mesh, text]) => [`udx/bldg/${mesh}_bldg_6697_op.gml`, text]),
      ),
    );
    const second = await ingest(join(root, 'data'), [ginowan]);
    unreadable = { code: second.run.code, reports: second.reports };
    large = await startServer(join(root, 'data'));
    const list = async (code: string) =>
      (await large.json<{ files: { bldg: Array<{ url: string }> } }>(`/datacatalog/citygml/${code}`)).files
        .bldg;
    largeUrl = (await list('47980'))[0]!.url;
    [brokenUrl, oddUrl] = (await list('47201')).map(({ url }) => url) as [string, string];
  });

  after(async () => {
    await large?.stop();
    await removeDirectory(root);
  });

  it('streams a large answer, plain and compressed, which is the same', async () => {
    const path =
      `/citygml/features?` +
      `${queryOf({ url: largeUrl, sid: '0/0/0/0', format: 'geojson', fields: 'bldg:usage' })}`;
    const plain = await large.request(path);
    assert.equal(plain.headers['content-length'], undefined);
    const value = plain.json();
    assertGeoJson(value);
    assert.ok(value.features.length > 2_000);
    const gzip = await large.request(path, { headers: { 'accept-encoding': 'gzip' } });
    assert.equal(gunzipSync(gzip.body).toString(), plain.text);
    const head = await large.request(path, { method: 'HEAD' });
    assert.equal(head.status, 200);
    assert.equal(head.body.length, 0);
  });

  it('stops when the caller goes away, and serves others on', async () => {
    const path = `/citygml/attributes?${queryOf({
      url: largeUrl,
      id: (
        await large.json<{ featureIds: string[] }>(
          `/citygml/features?${queryOf({ url: largeUrl, sid: '0/0/0/0' })}`,
        )
      ).featureIds.join(','),
    })}`;
    for (let n = 0; n < 10; n++) {
      const outgoing = get(large.address + path);
      outgoing.on('error', () => {});
      const [response] = await once(outgoing, 'response');
      await once(response, 'data');
      response.destroy();
    }
    const reply = await large.request(`/citygml/attributes?${queryOf({ url: largeUrl, id: 'x' })}`);
    assert.equal(reply.text, '[]');
  });

  it('serves what stands before a fault, with a warning', async () => {
    const reply = await large.request(
      `/citygml/attributes?${queryOf({ url: brokenUrl, id: 'bldg_0,bldg_2,bldg_3' })}`,
    );
    assert.equal(reply.status, 200);
    assert.deepEqual(
      reply.json<FeatureAttributes[]>().map((one) => one['gml:id']),
      ['bldg_0', 'bldg_2'],
    );
    assert.match(
      String(reply.headers.warning),
      /^199 citymodel "udx\/bldg\/39272554_bldg_6697_op\.gml is not well formed/,
    );
    const all = await large.request(
      `/citygml/features?${queryOf({ sid: '0/0/0/0', type: 'bldg:Building' })}`,
    );
    assert.equal(all.status, 200);
    const well = await large.request(`/citygml/attributes?${queryOf({ url: largeUrl, id: 'x' })}`);
    assert.equal(well.headers.warning, undefined);
  });

  it('answers for files that cannot be read at all, and for the others beside them', async () => {
    const { code, reports } = unreadable;
    assert.equal(code, 0);
    assert.deepEqual([...new Set(reports[0]!.issues.map((issue) => issue.code))].sort(), [
      'DOCTYPE',
      'EMPTY_FILE',
      'ENCODING',
      'NOT_WELL_FORMED',
      'NOT_XML',
    ]);
    const list = await large.json<{ files: { bldg: Array<{ url: string; code: string }> } }>(
      '/datacatalog/citygml/47205',
    );
    assert.equal(list.files.bldg.length, Object.keys(UNREADABLE).length);
    for (const { url, code: mesh } of list.files.bldg) {
      const ids = await large.request(`/citygml/features?${queryOf({ url, sid: '0/0/0/0' })}`);
      assert.equal(ids.text, '{"featureIds":[]}', mesh);
      assert.match(String(ids.headers.warning), /is not well formed/);
      const attributes = await large.request(`/citygml/attributes?${queryOf({ url, id: 'bldg_0' })}`);
      assert.equal(attributes.text, '[]', mesh);
    }
    for (const path of [
      `/citygml/features?${queryOf({ sid: '0/0/0/0', type: 'bldg' })}`,
      `/citygml/spatialid_attributes?${queryOf({ sid: '0/0/0/0', type: 'bldg' })}`,
    ]) {
      const reply = await large.request(path);
      assert.equal(reply.status, 200, path);
      assert.match(reply.text, /bldg_3/);
    }
  });

  it('features that share an id all answer, those without one by their place', async () => {
    const json = <T>(operation: string, query: Query) =>
      large.json<T>(`/citygml/${operation}?${queryOf(query)}`);
    assert.deepEqual(await json('features', { url: oddUrl, sid: '0/0/0/0' }), {
      featureIds: ['bldg_0', 'bldg_3'],
    });
    const same = await json<FeatureAttributes[]>('attributes', { url: oddUrl, id: 'bldg_0' });
    assert.equal(same.length, 2);
    assert.notDeepEqual(same[0]!._bbox, same[1]!._bbox);
    const geo = await json<{ features: Array<{ id?: string }> }>('features', {
      url: oddUrl,
      sid: '0/0/0/0',
      format: 'geojson',
    });
    assert.deepEqual(
      geo.features.map(({ id }) => id),
      ['bldg_0', 'bldg_0', undefined, 'bldg_3'],
    );
  });
});

describe('reindex', () => {
  it('leaves current indexes alone, makes others again, and servers go on', async () => {
    const url = bldg(tower);
    const before = (await request('attributes', { url, id: tower.id })).text;
    const idle = await runProgram(['reindex', '--json'], { DATA_DIR: data });
    assert.equal(idle.code, 0, idle.stderr);
    assert.deepEqual(JSON.parse(idle.stdout).rebuilt, []);
    const run = await runProgram(['reindex', '--all', '--json', CITY], { DATA_DIR: data });
    assert.deepEqual(JSON.parse(run.stdout), {
      rebuilt: [CITY],
      current: 0,
      faults: [],
      tables: [],
      pictures: [],
      picturesLack: [],
    });
    await server.logged(({ msg, version }) => msg === 'catalogue built' && Number(version) > 1);
    assert.equal((await request('attributes', { url, id: tower.id })).text, before);
    const unknown = await runProgram(['reindex', 'nobody'], { DATA_DIR: data });
    assert.equal(unknown.code, 1);
    await assertClean(data);
  });
});
