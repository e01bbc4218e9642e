/** How many times answers wait for a store that is far away. Requests that wait together count once. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { CODE_LISTS, codeListXml, writeBenchmarkGml } from '@citymodel/sample/testing';
import { Archives, parseS3Address } from '@citymodel/store';
import { BlockMemory, CachedStore, FakeS3, Rounds, S3Store } from '@citymodel/store/testing';
import { gzipRange, gzipSize } from '@citymodel/zip';
import { ask, type Hosted, host } from './testing/hosted.ts';

const PACKAGE = '47980_hakari-shi_city_2024_citygml_1_op';
const PATH = 'udx/bldg/38295544_bldg_6697_op.gml';

/** Of another year, so that searches see one of the two. */
const MANY = '47981_hakari-shi_city_2020_citygml_1_op';
const FILES = 8;
/** Of a year of its own, with two files of more features than come with the end of their indexes. */
const LARGE = '47983_hakari-shi_city_2017_citygml_1_op';
const SECOND = 'udx/bldg/38295545_bldg_6697_op.gml';
/** Of a year of its own, with one small file. */
const SMALL = '47982_hakari-shi_city_2018_citygml_1_op';

process.env.AWS_ACCESS_KEY_ID = 'test';
process.env.AWS_SECRET_ACCESS_KEY = 'testtest';

let directory: string;
let fake: FakeS3;
let hosted: Hosted;
let url: string;
let ids: string[];
const rounds = new Rounds();

before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'citymodel-rounds-'));
  const root = join(directory, PACKAGE);
  await mkdir(join(root, 'udx/bldg'), { recursive: true });
  await mkdir(join(root, 'codelists'));
  await writeBenchmarkGml(join(root, PATH), { bytes: 12_000_000 });
  const small = join(directory, SMALL);
  await mkdir(join(small, 'udx/bldg'), { recursive: true });
  await mkdir(join(small, 'codelists'));
  await writeBenchmarkGml(join(small, PATH), { bytes: 2_500_000 });
  for (const [name, entries] of Object.entries(CODE_LISTS)) {
    await writeFile(join(root, 'codelists', `${name}.xml`), codeListXml(name, entries));
    await writeFile(join(small, 'codelists', `${name}.xml`), codeListXml(name, entries));
  }
  const large = join(directory, LARGE);
  await mkdir(join(large, 'udx/bldg'), { recursive: true });
  await mkdir(join(large, 'codelists'));
  for (const [name, entries] of Object.entries(CODE_LISTS)) {
    await writeFile(join(large, 'codelists', `${name}.xml`), codeListXml(name, entries));
  }
  await writeBenchmarkGml(join(large, PATH), { bytes: 34_500_000 });
  await writeBenchmarkGml(join(large, SECOND), { bytes: 34_500_000, seed: 30 });
  const many = join(directory, MANY);
  await mkdir(join(many, 'udx/bldg'), { recursive: true });
  for (let i = 0; i < FILES; i++) {
    await writeBenchmarkGml(join(many, `udx/bldg/3829554${i}_bldg_6697_op.gml`), {
      bytes: 1_000_000,
      seed: 2 + i,
    });
  }
  fake = await FakeS3.start();
  hosted = await host([root, many, small, large], fake.address('archives'));
  url = hosted.url(PACKAGE, PATH);
  ids = (await ask<{ featureIds: string[] }>(hosted.service, 'features', { url, sid: '0/0/0/0' })).featureIds;
  fake.hold = rounds.join;
});

after(async () => {
  await hosted?.[Symbol.asyncDispose]();
  await fake?.[Symbol.asyncDispose]();
  await rm(directory, { recursive: true, force: true });
});

/** A service that knows nothing yet, with a cache of its own. */
function cold() {
  const store = new CachedStore(
    new S3Store(parseS3Address(fake.address('archives'))),
    new BlockMemory(64_000_000, null),
  );
  const archives = new Archives(store, { maxOpen: 20 });
  const service = hosted.another({ archives });
  return {
    service,
    archives,
    async [Symbol.asyncDispose]() {
      await archives.close();
      await store.close();
    },
  };
}

test('attributes of one id: two round trips cold, code lists included; one warm', async () => {
  await using fresh = cold();
  let first: object[] = [];
  const id = ids[ids.length >> 1]!;
  const coldRounds = await rounds.of(async () => {
    first = await ask(fresh.service, 'attributes', { url, id });
  });
  assert.ok(coldRounds <= 2, `${coldRounds} rounds`);
  const warm = await rounds.of(() => ask(fresh.service, 'attributes', { url, id: ids.at(-1) }));
  assert.ok(warm <= 1, `${warm} rounds`);
  assert.equal(await rounds.of(() => ask(fresh.service, 'attributes', { url, id })), 0, 'its block is kept');
  assert.deepEqual(first, await ask(hosted.service, 'attributes', { url, id }));
});

/** Requests and bytes of bodies that a service that knows nothing needs for attributes of one id. */
async function costOf(url: string, id: string): Promise<{ requests: number; bytes: number }> {
  await using fresh = cold();
  fake.asked = [];
  const found = await ask<object[]>(fresh.service, 'attributes', { url, id });
  assert.equal(found.length, 1);
  const bytes = fake.asked.map(({ key, range = '' }) => {
    const size = fake.objects.get(key)!.bytes.length;
    const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(range) ?? [];
    return from === '' ? Math.min(size, Number(to)) : Math.min(size, Number(to) + 1) - Number(from);
  });
  return { requests: fake.asked.length, bytes: bytes.reduce((sum, one) => sum + one, 0) };
}

test('attributes of one id, cold: four requests and 200 kB at most', async () => {
  const idsOf = async (of: string) => {
    const list = await ask<{ featureIds: string[] }>(hosted.another(), 'features', {
      url: of,
      sid: '0/0/0/0',
    });
    return list.featureIds;
  };
  const smallUrl = hosted.url(SMALL, PATH);
  const largeUrl = hosted.url(LARGE, PATH);
  const secondUrl = hosted.url(LARGE, SECOND);
  const oneOfMany = hosted.url(MANY, 'udx/bldg/38295543_bldg_6697_op.gml');
  for (const [fileUrl, all, name] of [
    [smallUrl, await idsOf(smallUrl), SMALL],
    [oneOfMany, await idsOf(oneOfMany), MANY],
    [url, ids, PACKAGE],
    [largeUrl, await idsOf(largeUrl), LARGE],
    [secondUrl, await idsOf(secondUrl), LARGE],
  ] as const) {
    if (name === LARGE) assert.ok(all.length > 3_600, `${all.length} features`);
    await using archive = await hosted.archives.open(hosted.rows.find((row) => row.name === name)!);
    const index = archive.indexSource.size;
    for (const share of [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.99]) {
      const { requests, bytes } = await costOf(fileUrl, all[Math.floor(share * all.length)]!);
      assert.ok(requests <= 4, `${requests} requests`);
      assert.ok(bytes < 200_000, `${bytes} bytes; the index has ${index}`);
    }
  }
});

test('200 ids of one file: three round trips, warm one', async () => {
  await using fresh = cold();
  const wanted = Array.from({ length: 200 }, (_, i) => ids[(i * 7_919) % ids.length]!);
  const one = (from: number) => wanted.slice(from).concat(wanted.slice(0, from)).join(',');
  const coldRounds = await rounds.of(() => ask(fresh.service, 'attributes', { url, id: one(0) }));
  assert.ok(coldRounds <= 3, `${coldRounds} rounds`);
  const others = Array.from({ length: 200 }, (_, i) => ids[(i * 31) % ids.length]!).join(',');
  const warm = await rounds.of(() => ask(fresh.service, 'attributes', { url, id: others }));
  assert.ok(warm <= 1, `${warm} rounds`);
  await using other = cold();
  await ask(other.service, 'attributes', { url, id: ids[0] });
  const afterOne = await rounds.of(() => ask(other.service, 'attributes', { url, id: one(100) }));
  assert.ok(afterOne <= 2, `${afterOne} rounds: of the index there is what one id needs`);
});

test('a few ids one after the other: parts of the index first, then the whole, and the same answers', async () => {
  await using fresh = cold();
  for (let i = 0; i < 20; i++) {
    const wanted = Array.from({ length: 1 + (i % 6) }, (_, k) => ids[((i + k) * 97) % ids.length]!);
    wanted.splice(i % 3, 0, 'bldg_none');
    const query = { url, id: wanted.join(',') };
    const found = await ask<object[]>(fresh.service, 'attributes', query);
    assert.equal(found.length, wanted.length - 1);
    assert.deepEqual(found, await ask(hosted.service, 'attributes', query));
  }
});

test('the ids of a file: two round trips', async () => {
  await using fresh = cold();
  const found = await rounds.of(() => ask(fresh.service, 'features', { url, sid: '0/0/0/0' }));
  assert.ok(found <= 2, `${found} rounds`);
});

test('attributes in a region of eight files: three round trips', async () => {
  await using fresh = cold();
  const query = { sid: '0/0/0/0', type: 'bldg', year: '2020' };
  let found: object[] = [];
  const coldRounds = await rounds.of(async () => {
    found = await ask(fresh.service, 'spatialIdAttributes', query);
  });
  assert.ok(found.length > FILES);
  assert.deepEqual(found, await ask(hosted.service, 'spatialIdAttributes', query));
  assert.ok(coldRounds <= 3, `${coldRounds} rounds`);
});

test('a large GML file: two round trips, one once its package is open', async () => {
  await using fresh = cold();
  const read = async () => {
    await using archive = await fresh.archives.open(hosted.rows.find(({ name }) => name === PACKAGE)!);
    const gml = archive.index.find(PATH)!;
    let bytes = 0;
    for await (const chunk of gzipRange(archive.archive, gml, 0, gzipSize(gml))) bytes += chunk.length;
    assert.equal(bytes, gzipSize(gml));
  };
  assert.equal(await rounds.of(read), 2);
  assert.equal(await rounds.of(read), 1);
});
