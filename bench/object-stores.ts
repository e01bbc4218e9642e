/**
 * The same package in a directory and in a bucket of Ceph's gateway on this machine, in one run of about two minutes:
 *
 *     npm run build && node bench/object-stores.ts [bytes of the large member, default 2e8]
 *
 * Streaming is measured beside `curl` of the same object from the gateway. Needs `radosgw ceph-mon ceph-osd curl`.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeBenchmarkGml } from '../packages/sample/src/benchmark-gml.ts';
import { parseS3Address } from '../packages/store/src/s3/s3-address.ts';
import { S3Store } from '../packages/store/src/s3/s3-store.ts';
import { CEPH_KEYS, Ceph } from '../packages/store/src/testing/ceph.ts';
import { load } from './support/load.ts';
import { type Service, startService, timed } from './support/processes.ts';
import { quantile, Results, rounded } from './support/table.ts';

const BYTES = Number(process.argv[2] ?? 2e8);
const ROUNDS = 15;
const IDS = 200;
const PACKAGE = '47980_hakari-shi_city_2024_citygml_1_op';
const PATH = 'udx/bldg/38295544_bldg_6697_op.gml';

const directory = await mkdtemp(join(tmpdir(), 'bench-object-stores-'));
const results = new Results(`Object stores: a package of ${rounded(BYTES / 1e6)} MB and a GML of 40 MB`, [
  'what',
  'directory',
  'bucket',
  'beside',
  'ratio',
]);

/** Seconds of a download by curl, which is started for each. */
async function curl(url: string): Promise<number> {
  const { seconds } = await timed('curl', ['-sfL', '-H', 'Accept-Encoding: gzip', '-o', '/dev/null', url]);
  return seconds;
}

/** Milliseconds until a whole answer is there. */
async function asked(url: string): Promise<number> {
  const start = performance.now();
  const reply = await fetch(url);
  await reply.arrayBuffer();
  if (!reply.ok) throw new Error(`${url}: ${reply.status}`);
  return performance.now() - start;
}

async function writePackage(): Promise<string> {
  const root = join(directory, PACKAGE);
  const textures = join(root, PATH.replace('.gml', '_appearance'));
  await mkdir(textures, { recursive: true });
  await writeBenchmarkGml(join(root, PATH), { bytes: 40_000_000 });
  const file = await open(join(textures, 'large.jpg'), 'w');
  const block = randomBytes(2 ** 20);
  for (let at = 0; at < BYTES; at += block.length) await file.write(block);
  await file.close();
  return root;
}

const ceph = await Ceph.start();
try {
  Object.assign(process.env, CEPH_KEYS);
  const upload = await writePackage();
  const settings = { directory: {}, bucket: { OBJECT_STORE: ceph.address('bench') } };
  const program = new URL('../packages/server/bin/citymodel.js', import.meta.url).pathname;
  const seconds: number[] = [];
  for (const [name, env] of Object.entries(settings)) {
    const run = await timed(process.execPath, [program, 'ingest', '--json', upload], {
      DATA_DIR: join(directory, name),
      ...env,
    });
    seconds.push(run.seconds);
  }
  results.add('ingestion, s', seconds[0]!, seconds[1]!, '', seconds[1]! / seconds[0]!);

  const start = (name: 'directory' | 'bucket', more: NodeJS.ProcessEnv = {}) =>
    startService(join(directory, name), { LOG_LEVEL: 'info', ...settings[name], ...more });
  await using near = await start('directory');
  await using far = await start('bucket');
  results.add('start, ms', near.startMs, far.startMs, '', far.startMs / near.startMs);

  const archiveOf = async (service: Service) => {
    const reply = await fetch(`${service.url}/datacatalog/citygml/47980-latest/citygml.zip`, {
      redirect: 'manual',
    });
    return service.url + new URL(reply.headers.get('location')!).pathname;
  };
  const store = new S3Store(parseS3Address(settings.bucket.OBJECT_STORE));
  let key = '';
  for await (const object of store.list('archives/')) if (object.key.endsWith('.zip')) key = object.key;
  const direct = await store.sign(key, { seconds: 3_600, disposition: 'attachment' });
  await store.close();
  const ways = { near: await archiveOf(near), far: await archiveOf(far), direct };
  const texture = `/${PATH.replace('.gml', '_appearance')}/large.jpg`;
  for (const [what, of] of [
    ['a city zip', (way: string) => way],
    ['a member as gzip', (way: string) => way.replace(/\.zip$/, texture)],
  ] as const) {
    const best = { near: Infinity, far: Infinity, direct: Infinity };
    for (let i = 0; i < ROUNDS; i++) {
      best.near = Math.min(best.near, await curl(of(ways.near)));
      best.far = Math.min(best.far, await curl(of(ways.far)));
      best.direct = Math.min(best.direct, await curl(ways.direct));
    }
    const rate = (time: number) => BYTES / 1e6 / time;
    results.add(
      `${what}, MB/s, best of ${ROUNDS}`,
      rate(best.near),
      rate(best.far),
      `curl from the gateway ${rounded(rate(best.direct))}`,
      rate(best.far) / rate(best.direct),
    );
  }

  const attributes = async (service: Service, id: string) => {
    const base = (await archiveOf(service)).replace(/\.zip$/, '');
    const url = `http://localhost:8080${new URL(base).pathname}/${PATH}`;
    return `${service.url}/citygml/attributes?url=${encodeURIComponent(url)}&id=${encodeURIComponent(id)}`;
  };
  const member = `http://localhost:8080${new URL(ways.near.replace(/\.zip$/, '')).pathname}/${PATH}`;
  const listed = await fetch(`${near.url}/citygml/features?url=${encodeURIComponent(member)}&sid=0/0/0/0`);
  const { featureIds } = (await listed.json()) as { featureIds: string[] };
  const cold: number[][] = [];
  for (const name of ['directory', 'bucket'] as const) {
    const times: number[] = [];
    for (let i = 0; i < 3; i++) {
      await rm(join(directory, name, 'cache'), { recursive: true, force: true });
      await using fresh = await start(name, { CACHE_MB: '0' });
      times.push(await asked(await attributes(fresh, featureIds[i * 100]!)));
    }
    cold.push(times);
  }
  const [coldNear, coldFar] = cold.map((times) => quantile(times, 0.5)) as [number, number];
  results.add('attributes of one id after a start, ms', coldNear, coldFar, '', coldFar / coldNear);
  const warm: number[][] = [];
  for (const service of [near, far]) {
    const urls = await Promise.all(
      Array.from({ length: IDS }, (_, i) =>
        attributes(service, featureIds[(i * 7_919) % featureIds.length]!),
      ),
    );
    const times: number[] = [];
    for (const url of urls) times.push(await asked(url));
    warm.push(times);
  }
  const [warmNear, warmFar] = warm.map((times) => quantile(times, 0.5)) as [number, number];
  results.add('attributes of one id, p50, ms', warmNear, warmFar, '', warmFar / warmNear);

  const path = '/datacatalog/citymodel-datasets';
  const rps: number[] = [];
  for (const service of [near, far]) rps.push((await load(service.url + path, { seconds: 5 })).rps);
  results.add('catalogue, requests/s', rps[0]!, rps[1]!, '', rps[1]! / rps[0]!);
} finally {
  await ceph[Symbol.asyncDispose]();
  await rm(directory, { recursive: true, force: true });
}
results.print();
