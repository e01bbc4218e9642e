/** All real packages in one command: counted independently, and everything that is emitted for them answers. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import yauzl from 'yauzl';
import type { IngestReport } from '../packages/server/src/ingest/report.ts';
import { assertAnswers, urlsIn } from './support/crawl.ts';
import {
  assertCatalogue,
  assertFileList,
  type Catalogue,
  type FileListResult,
} from './support/interface-schemas.ts';
import { assertResolves, fetchPack, membersOf } from './support/packs.ts';
import { REAL_DATA, removeDirectory, runProgram, tempDirectory } from './support/program.ts';
import { assertRowsAlone } from './support/rows-alone.ts';
import { startServer, type TestServer } from './support/server.ts';
import { assertClean, ingest, list } from './support/store.ts';
import { firstTile } from './support/tiles.ts';

const HAVE = existsSync(join(REAL_DATA, 'packages'));

/** Municipality, year, and what the package is called there. */
const EXPECTED: Record<string, [code: string, city: string, year: number, spec: string]> = {
  '01100_sapporo-shi_2020_citygml_4_op': ['01100', '札幌市', 2020, '2.0'],
  '08220_tsukuba-shi_city_2023_citygml_2_op': ['08220', 'つくば市', 2023, '4.0'],
  '13100_tokyo23-ku_2022_citygml_1_3_op': ['13100', '東京都23区', 2022, '2.3'],
  '13382_mikurajima-mura_pref_2024_citygml_1_op': ['13382', '御蔵島村', 2024, '4.0'],
  '13999_standard-samples_mlit_2022_citygml_1_op': ['13999', '境界未確定地', 2022, '3.0'],
  '14130_kawasaki-shi_2022_citygml_1_op': ['14130', '川崎市', 2022, '2.0'],
  '14201_yokosuka-shi_2020_citygml_2_op': ['14201', '横須賀市', 2020, '2.0'],
  '17206_kaga-shi_2022_citygml_1_op': ['17206', '加賀市', 2022, '2.0'],
  '17206_kaga-shi_city_2024_citygml_1_op': ['17206', '加賀市', 2024, '4.0'],
  '22203_numazu-shi_2021_citygml_1_op': ['22203', '沼津市', 2021, '2.0'],
  '22203_numazu-shi_city_2023_citygml_3_op': ['22203', '沼津市', 2023, '4.0'],
  '27100_osaka-shi_city_2022_citygml_3_op': ['27100', '大阪市', 2022, '3.0'],
};

/**
 * Features of each GML of a zip by a count of member elements, and the size of each, read by another program's eyes.
 */
async function countSlowly(
  zipPath: string,
): Promise<Map<string, { features: number; size: number; bytes: Buffer }>> {
  const zip = await yauzl.openPromise(zipPath);
  const found = new Map<string, { features: number; size: number; bytes: Buffer }>();
  for await (const entry of zip.eachEntry()) {
    const path = /(?:^|\/)(udx\/.*\.gml)$/.exec(entry.fileName)?.[1];
    if (path === undefined) continue;
    const chunks: Buffer[] = [];
    for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk as Buffer);
    const bytes = Buffer.concat(chunks);
    const members = bytes
      .toString('latin1')
      .match(/<(?:\w+:)?(?:cityObjectMember|featureMember)(?=[\s>])[^>]*(?<!\/)>/g);
    found.set(path, { features: members?.length ?? 0, size: bytes.length, bytes });
  }
  return found;
}

describe('the real packages', { skip: HAVE ? false : 'needs ../shared/data' }, () => {
  let directory: string;
  let data: string;
  let server: TestServer;
  let reports: IngestReport[];
  let catalogue: Catalogue;

  before(async () => {
    directory = await tempDirectory();
    data = join(directory, 'data');
    const { run, reports: all } = await ingest(data, [join(REAL_DATA, 'tiles'), join(REAL_DATA, 'packages')]);
    assert.equal(run.code, 0, run.stderr);
    assert.equal(run.stderr, '');
    reports = all;
    server = await startServer(data, { env: { JOB_POLL_MS: '20', PACK_RATE: '0' } });
    const document = await server.json<unknown>('/datacatalog/citymodel-datasets?all_years=true');
    assertCatalogue(document);
    catalogue = document;
  });
  after(async () => {
    await server?.stop();
    await removeDirectory(directory);
  });

  async function files(conditions: string): Promise<FileListResult> {
    const result = await server.json<unknown>(`/datacatalog/citygml/${conditions}`);
    assertFileList(result);
    return result;
  }

  it('go in without an error, CityGML first', async () => {
    const asked = [
      ...(await readdir(join(REAL_DATA, 'packages'))),
      ...(await readdir(join(REAL_DATA, 'tiles'))),
    ];
    assert.equal(reports.length, asked.filter((name) => name.endsWith('.zip')).length);
    for (const { package: pkg, outcome, issueCounts } of reports) {
      assert.equal(outcome, 'published', pkg?.name);
      assert.equal(issueCounts.error, 0, pkg?.name);
    }
    assert.deepEqual(
      reports.map(({ package: pkg }) => pkg!.kind === 'citygml').lastIndexOf(true),
      Object.keys(EXPECTED).length - 1,
    );
    await assertClean(data);
  });

  it('have packs that hold what they refer to', async () => {
    let references = 0;
    for (const [code] of Object.values(EXPECTED)) {
      const { zip, status } = await fetchPack(server, { conditions: code });
      references += assertResolves(await membersOf(zip), status.missing);
    }
    assert.ok(references > 1_000, `${references} references`);
  });

  it('have the features, sizes and names that are in them', async () => {
    const rows = await list(data);
    const everything = await files('s:0/0/0?all_years=true');
    const known = new Map(
      everything.cities.flatMap((city) =>
        Object.values(city.files).flatMap((group) => group.map((file) => [file.url, file] as const)),
      ),
    );
    let total = 0;
    for (const [name, [code, city, year, spec]] of Object.entries(EXPECTED)) {
      const row = rows.find((row) => row.name === name)!;
      assert.deepEqual([row.cityCode, row.city, row.year, row.spec], [code, city, year, spec], name);
      const counted = await countSlowly(join(REAL_DATA, 'packages', `${name}.zip`));
      const sum = [...counted.values()].reduce((all, { features }) => all + features, 0);
      assert.equal(row.features, sum, name);
      assert.equal(row.files, counted.size, name);
      for (const [path, { features, size }] of counted) {
        const url = `${server.publicUrl}/assets/${row.assetPath}/${name}/${path}`;
        const file = known.get(url);
        assert.ok(file, `${url} is listed`);
        assert.deepEqual([file.features, file.fileSize], [features, size], path);
        total++;
      }
    }
    assert.equal(known.size, total, 'and no other');
  });

  it('have addresses that answer with their row’s dataset alone', async () => {
    const { datasets, latest_datasets: latest } = catalogue;
    assert.equal(await assertRowsAlone(server, catalogue), datasets.length + latest.length);
  });

  it('answer under every URL that is emitted', async () => {
    const urls = urlsIn(catalogue);
    urlsIn(await files('s:0/0/0?all_years=true'), urls);
    assert.ok(urls.size > 200, `${urls.size} URLs`);
    for (const url of urls) await assertAnswers(server, url);
    for (const row of catalogue.datasets.filter(({ format }) => format === 'MVT')) {
      const tilejson = await server.json<
        Parameters<typeof firstTile>[1] & { vector_layers: Array<{ id: string }> }
      >(row.composite_url);
      const tile = await firstTile(server, tilejson);
      assert.ok(tile, row.id);
      assert.equal(tile.layers[0], tilejson.vector_layers[0]!.id, row.id);
    }
  });

  it('are found by the mesh, place and code of each file', async () => {
    const everything = await files('s:0/0/0?all_years=true');
    const meshes = new Map<string, Set<string>>();
    for (const file of everything.cities.flatMap((city) => Object.values(city.files).flat())) {
      meshes.set(file.code, (meshes.get(file.code) ?? new Set()).add(file.url));
    }
    for (const [mesh, urls] of meshes) {
      const found = new Set(
        (await files(`mm:${mesh}?all_years=true`)).cities
          .flatMap((city) => Object.values(city.files).flat())
          .map(({ url }) => url),
      );
      for (const url of urls) assert.ok(found.has(url), `${url} by mm:${mesh}`);
    }
    for (const [, [code, city]] of Object.entries(EXPECTED)) {
      assert.ok(
        (await files(code)).cities.some(({ cityCode }) => cityCode === code),
        code,
      );
      if (city.endsWith('未確定地')) continue;
      const named = await files(`g:${encodeURIComponent(city)}`);
      assert.ok(
        named.cities.some(({ cityCode }) => cityCode === code),
        city,
      );
    }
    assert.deepEqual(
      (await files('22203?all_years=true')).cities.map(({ year }) => year),
      [2023, 2021],
    );
    assert.deepEqual(
      (await files('22203?latest=true')).cities.map(({ year, files }) => [year, Object.keys(files)]),
      [
        [2023, ['fld', 'lsld', 'urf']],
        [2021, ['luse', 'tnm']],
      ],
    );
  });

  it('are searched in the newest year of each type, so that several types find what each finds', async () => {
    const attributes = async (query: string) =>
      (await server.json<Array<{ 'gml:id': string }>>(`/citygml/spatialid_attributes?${query}`)).map(
        (feature) => feature['gml:id'],
      );
    const place = 'sid=10/906/405,10/907/405';
    const [luse, lsld, both] = [
      await attributes(`${place}&type=luse`),
      await attributes(`${place}&type=lsld`),
      await attributes(`${place}&type=luse,lsld`),
    ];
    assert.ok(luse.length > 0 && lsld.length > 0);
    assert.deepEqual(both.sort(), [...luse, ...lsld].sort());
    const ids = async (query: string) =>
      (await server.json<{ featureIds: string[] }>(`/citygml/features?${query}`)).featureIds;
    const ofLuse = await ids('sid=13/7255/3245&type=luse');
    assert.ok(ofLuse.length > 0);
    const all = new Set(await ids('sid=13/7255/3245'));
    for (const id of ofLuse) assert.ok(all.has(id), id);
    assert.deepEqual(await ids('sid=13/7255/3245&type=luse&year=2023'), []);
    assert.deepEqual(await ids('sid=13/7255/3245&type=luse&year=2021'), ofLuse);
    assert.deepEqual(await ids('sid=13/7255/3245&type=luse&all_years=true'), ofLuse);
  });

  it('are found by wards that they never name', async () => {
    for (const [ward, name] of [
      ['13104', '新宿区'],
      ['01101', '札幌市中央区'],
      ['27102', '大阪市都島区'],
    ] as const) {
      const found = await files(ward);
      assert.ok(Object.values(found.files).flat().length > 0, ward);
      assert.deepEqual(await files(`g:${encodeURIComponent(name)}`), found, name);
    }
  });

  it('are served byte by byte, with a BOM, nested, however they are named', async () => {
    let withMark = 0;
    let nested = 0;
    for (const name of [
      '01100_sapporo-shi_2020_citygml_4_op',
      '14201_yokosuka-shi_2020_citygml_2_op',
      '22203_numazu-shi_2021_citygml_1_op',
    ]) {
      const row = (await list(data)).find((row) => row.name === name)!;
      for (const [path, { bytes }] of await countSlowly(join(REAL_DATA, 'packages', `${name}.zip`))) {
        const reply = await server.request(`/assets/${row.assetPath}/${name}/${encodeURI(path)}`);
        assert.ok(reply.body.equals(bytes), path);
        if (bytes.subarray(0, 3).equals(Buffer.from('efbbbf', 'hex'))) withMark++;
        if (path.split('/').length > 3) nested++;
      }
    }
    assert.ok(withMark >= 2 && nested >= 1, `${withMark} with a BOM, ${nested} nested`);
  });

  it('lie where they are, also in a plane coordinate system', () => {
    for (const row of [...catalogue.datasets, ...catalogue.citygml]) {
      const [west, south, east, north] = row.bbox;
      assert.ok(
        west >= 122 && east <= 154 && south >= 20 && north <= 46 && west <= east && south <= north,
        row.id,
      );
      const tolerance = row.city_code === '13999' ? 20 : 1.5;
      assert.ok(east - west < tolerance && north - south < tolerance, `${row.id}: ${row.bbox}`);
    }
  });

  it('tell what is odd about them', async () => {
    const rows = await list(data, ['--issues']);
    const codes = new Set(rows.flatMap(({ issues }) => issues!.map(({ code }) => code)));
    for (const code of ['MISSING_CODE_LIST', 'MISSING_TEXTURE', 'MISSING_SCHEMA'])
      assert.ok(codes.has(code), code);
    const again = await runProgram(['ingest', join(REAL_DATA, 'packages'), join(REAL_DATA, 'tiles')], {
      DATA_DIR: data,
    });
    assert.equal(again.code, 0);
    assert.equal(again.stdout.match(/is live already, nothing to do/g)?.length, reports.length);
  });
});
