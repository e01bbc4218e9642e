/**
 * What 300 packages that are ingested beside a running server of the national catalogue cost that server:
 *
 *     npm run build && node bench/ingest-beside.ts [data directory filled by bench/national/generate.ts] [packages, 300 when absent]
 *
 * Each package is a small CityGML package of a municipality that has others. The figure is CPU time of the server's process from the
 * first package until it shows the last one, per second (Linux). The data directory is copied.
 */
import { readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { writeBenchmarkGml } from '../src/sample/benchmark-gml.ts';
import { writeZipFile } from '../src/sample/zip-file.ts';
import { inventCountry } from './national/country.ts';
import { fillDataDir, NATIONAL } from './national/generate.ts';
import { startService, timed } from './support/processes.ts';
import { Results } from './support/table.ts';

const PROGRAM = new URL('../bin/citymodel.js', import.meta.url).pathname;
/** Unit of times in `/proc/PID/stat`, seconds (proc(5)). */
const TICK = 1 / 100;
const YEAR = 2025;

const count = Number(process.argv[3] ?? 300);
const work = await mkdtemp(join(tmpdir(), 'bench-beside-'));
try {
  const dataDir = join(work, 'data');
  if (process.argv[2] === undefined) await fillDataDir(dataDir);
  else await cp(process.argv[2], dataDir, { recursive: true });
  const uploads = await writePackages(join(work, 'uploads'));
  const results = new Results(
    `${uploads.length} packages ingested beside a server of the national catalogue`,
    ['how', 'seconds', 'CPU of the server, s', '% of a core', 'new catalogues'],
  );
  await using service = await startService(dataDir);
  const half = uploads.length / 2;
  await measure('one `ingest` for all', () => ingest(dataDir, uploads.slice(0, half)), half);
  await measure(
    'one `ingest` each',
    async () => {
      for (const upload of uploads.slice(half)) await ingest(dataDir, [upload]);
    },
    uploads.length,
  );
  results.print();

  async function measure(how: string, run: () => Promise<unknown>, published: number): Promise<void> {
    await settled(service.pid);
    const start = performance.now();
    const cpu = cpuSeconds(service.pid);
    let versions = 0;
    let shown = '';
    let isOver = false;
    const watching = (async () => {
      while (!isOver) {
        const { headers } = await fetch(
          `${service.url}/datacatalog/citymodel-datasets?fields=latest_citygml`,
          {
            method: 'HEAD',
          },
        );
        const etag = headers.get('etag') ?? '';
        if (etag !== shown && shown !== '') versions++;
        shown = etag;
        await setTimeout(500);
      }
    })();
    await run();
    while ((await shownPackages(service.url)) < published) await setTimeout(500);
    isOver = true;
    await watching;
    const seconds = (performance.now() - start) / 1_000;
    const used = cpuSeconds(service.pid) - cpu;
    results.add(how, seconds, used, (100 * used) / seconds, versions);
  }
} finally {
  await rm(work, { recursive: true, force: true });
}

function ingest(dataDir: string, uploads: readonly string[]): Promise<unknown> {
  return timed(process.execPath, [PROGRAM, 'ingest', '--json', ...uploads], { DATA_DIR: dataDir });
}

/** One CityGML package for each municipality of the country. */
async function writePackages(directory: string): Promise<string[]> {
  await mkdir(directory);
  const gml = join(directory, 'bldg.gml');
  await writeBenchmarkGml(gml, { bytes: 50_000 });
  const bytes = await readFile(gml);
  const uploads: string[] = [];
  for (const city of inventCountry(NATIONAL.seed, NATIONAL.cities).slice(0, count)) {
    const name = `${city.code}_bench-shi_city_${YEAR}_citygml_1_op`;
    const path = join(directory, `${name}.zip`);
    await writeZipFile(path, `${name}/`, [{ path: 'udx/bldg/38295545_bldg_6697_op.gml', bytes }]);
    uploads.push(path);
  }
  return uploads;
}

/** CityGML packages of the year of the uploads that the server shows. */
async function shownPackages(url: string): Promise<number> {
  const answer = await fetch(`${url}/datacatalog/citymodel-datasets?fields=citygml&year=${YEAR}`);
  return ((await answer.json()) as { citygml: unknown[] }).citygml.length;
}

/** User and system time of a process, seconds: fields 14 and 15 of its `stat`, after its name in brackets. */
function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK;
}

/** What is made in advance is over when nothing happens any more. */
async function settled(pid: number): Promise<void> {
  for (let before = -1; cpuSeconds(pid) - before > 0.1; ) {
    before = cpuSeconds(pid);
    await setTimeout(1_000);
  }
}
