/**
 * How time, memory and requests grow with size: ingestion of GML files of 1 to 500 MB beside `unzip | gzip -6`, and catalogues of 279 to 27,900
 * packages beside a bare server that answers the same bytes. Writes `bench/results/sizes.json`, from which `scripts/plots.ts` makes the plots
 * of docs/performance.md.
 *
 *     npm run build && node bench/sizes.ts [largest GML in MB, 500 when absent]
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeBenchmarkGml } from '../src/sample/benchmark-gml.ts';
import { openStores } from '../src/store/open-stores.ts';
import { fillCatalogue, NATIONAL } from './national/generate.ts';
import { keep } from './support/keep.ts';
import { load } from './support/load.ts';
import { peakOf, startListening, startService, timed } from './support/processes.ts';
import { quantile, Results } from './support/table.ts';

const PACKAGE = '47900_bench-shi_city_2024_citygml_1_op';
const PROGRAM = new URL('../bin/citymodel.js', import.meta.url).pathname;
const TARGET = new URL('results/sizes.json', import.meta.url).pathname;
const MEGABYTES = [1, 5, 20, 100, 500];
const SHARES = [0.01, 0.04, 0.15, 0.4, 1];
/** More than the datasets that a city has, apart from those of rivers. */
const DATASETS_PER_CITY = 90;
const ROUNDS = 3;

const largest = Number(process.argv[2] ?? 500);
const ingestion = [];
for (const megabytes of MEGABYTES.filter((size) => size <= largest)) ingestion.push(await ingest(megabytes));
const catalogue = [];
for (const share of SHARES) catalogue.push(await serve(share));
await writeFile(
  TARGET,
  `${JSON.stringify({ date: new Date().toISOString().slice(0, 10), ingestion, catalogue }, null, 1)}\n`,
);

const grown = new Results('Ingestion by size of the GML', ['MB', 's', 'unzip | gzip -6, s', 'peak MB']);
for (const row of ingestion) grown.add(String(row.megabytes), row.seconds, row.toolsSeconds, row.peakMb);
grown.print();
const asked = new Results('One city of a catalogue', [
  'packages',
  'requests/s',
  'bare server',
  'peak MB of serve',
]);
for (const row of catalogue) asked.add(String(row.packages), row.requests, row.bareRequests, row.peakMb);
asked.print();

/** One GML of so many megabytes; medians over the rounds. */
async function ingest(megabytes: number) {
  const work = await mkdtemp(join(tmpdir(), 'citymodel-bench-'));
  try {
    const bldg = join(work, PACKAGE, 'udx', 'bldg');
    await mkdir(bldg, { recursive: true });
    await writeBenchmarkGml(join(bldg, '38295545_bldg_6697_op.gml'), { bytes: megabytes * 1e6 });
    const zip = join(work, `${PACKAGE}.zip`);
    await timed('sh', ['-c', `cd ${work} && zip -q -r ${zip} ${PACKAGE}`]);
    const ours = [];
    const tools = [];
    for (let round = 0; round < ROUNDS; round++) {
      const dataDir = join(work, `data-${round}`);
      ours.push(await timed(process.execPath, [PROGRAM, 'ingest', '--json', zip], { DATA_DIR: dataDir }));
      await rm(dataDir, { recursive: true });
      tools.push(await timed('sh', ['-c', `unzip -p ${zip} | gzip -6 > ${join(work, 'out.gz')}`]));
    }
    const median = (runs: ReadonlyArray<{ seconds: number }>) =>
      quantile(
        runs.map(({ seconds }) => seconds),
        0.5,
      );
    return {
      megabytes,
      seconds: median(ours),
      toolsSeconds: median(tools),
      peakMb: Math.max(...ours.map(({ peakMb }) => peakMb ?? 0)),
    };
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** The datasets of one city, asked by 16 connections, in a catalogue of a share of the country. */
async function serve(share: number) {
  const work = await mkdtemp(join(tmpdir(), 'citymodel-bench-'));
  try {
    const dataDir = join(work, 'data');
    const stores = await openStores({ dataDir, databaseUrl: '', objectStore: '' });
    await fillCatalogue(stores.catalogue, {
      ...NATIONAL,
      cities: Math.round(NATIONAL.cities * share),
      datasets: Math.max(NATIONAL.datasets * share, NATIONAL.cities * share * DATASETS_PER_CITY),
      files: Math.round(NATIONAL.files * share),
    });
    let packages = 0;
    for await (const page of stores.catalogue.packages()) packages += page.length;
    await stores.close();
    await using service = await startService(dataDir);
    const all = `${service.url}/datacatalog/citymodel-datasets`;
    const { citygml } = (await (await fetch(`${all}?fields=citygml`)).json()) as {
      citygml: Array<{ city_code: string }>;
    };
    const url = `${all}?city_code=${citygml[0]!.city_code}&fields=datasets`;
    const bodies = join(work, 'bodies');
    await mkdir(bodies);
    const gzip = { 'accept-encoding': 'gzip' };
    await keep(bodies, 'city', url, gzip);
    await using bare = await startListening(
      [new URL('./support/bare-server.ts', import.meta.url).pathname, bodies],
      {},
      (line) => /listening on (\S+)/.exec(line)?.[1],
    );
    const requests = [];
    const bareRequests = [];
    for (let round = 0; round < ROUNDS; round++) {
      bareRequests.push((await load(`${bare.url}/memory/city`, { headers: gzip, seconds: 2 })).rps);
      requests.push((await load(url, { headers: gzip, seconds: 2 })).rps);
    }
    return {
      packages,
      requests: quantile(requests, 0.5),
      bareRequests: quantile(bareRequests, 0.5),
      peakMb: peakOf(service.pid) ?? 0,
    };
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}
