/**
 * Processor time of ordinary requests, beside another built program by turns: both serve the same packages. Beside
 * itself, medians differ by some hundredths by chance.
 *
 *     npm run build && node bench/requests.ts ../other/packages/server/bin/citymodel.js a.zip b.zip […]
 *
 * One of the packages has to be CityGML with buildings, whose municipality is asked for.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load } from './support/load.ts';
import { cpuOf, type Service, startListening, timed } from './support/processes.ts';
import { quantile, Results } from './support/table.ts';

const PAIRS = 7;
const SECONDS = 1;
const OWN = new URL('../packages/server/bin/citymodel.js', import.meta.url).pathname;
/** As browsers and programs ask. */
const GZIP = { 'accept-encoding': 'gzip' };

const [other, ...packages] = process.argv.slice(2);
if (other === undefined || packages.length === 0) throw new Error('Name another program, and packages.');
const work = await mkdtemp(join(tmpdir(), 'citymodel-bench-'));
try {
  await using own = await serve(OWN, 'own');
  await using theirs = await serve(other, 'other');
  const [paths, pathsThere] = [await pathsOf(own.url), await pathsOf(theirs.url)];
  const table = new Results('Ordinary requests, processor time', [
    'request',
    'us',
    'other us',
    'speed, median of pairs',
    'least',
    'most',
  ]);
  for (const [what, path] of Object.entries(paths)) {
    const there = pathsThere[what]!;
    await Promise.all([costOf(own, path), costOf(theirs, there)]);
    const pairs: Array<[own: number, other: number]> = [];
    for (let n = 0; n < PAIRS; n++) {
      if (n % 2 === 0) pairs.push([await costOf(own, path), await costOf(theirs, there)]);
      else {
        const first = await costOf(theirs, there);
        pairs.push([await costOf(own, path), first]);
      }
    }
    const speeds = pairs.map(([here, there]) => there / here);
    const middle = (side: 0 | 1) =>
      quantile(
        pairs.map((pair) => pair[side]),
        0.5,
      );
    table.add(what, middle(0), middle(1), quantile(speeds, 0.5), Math.min(...speeds), Math.max(...speeds));
  }
  table.print();
} finally {
  await rm(work, { recursive: true, force: true });
}

/** A server of a program over the packages. */
async function serve(program: string, name: string): Promise<Service> {
  const env = { DATA_DIR: join(work, name), PORT: '0', HOST: '127.0.0.1' };
  await timed(process.execPath, [program, 'ingest', ...packages], env);
  return startListening([program, 'serve'], env, (line) => /"address":"(http:[^"]+)"/.exec(line)?.[1]);
}

/** Microseconds of the processor that a request takes. */
async function costOf({ url, pid }: Service, path: string): Promise<number> {
  const before = cpuOf(pid);
  const { rps } = await load(url + path, { headers: GZIP, connections: 4, seconds: SECONDS });
  return ((cpuOf(pid) - before) * 1_000) / (rps * SECONDS);
}

/** What is asked for, of a server over the packages. */
async function pathsOf(url: string): Promise<Record<string, string>> {
  const textOf = async (path: string) => {
    const reply = await fetch(url + path);
    if (!reply.ok) throw new Error(`${path}: ${reply.status}`);
    return reply.text();
  };
  const catalogue = '/datacatalog/plateau-datasets';
  const { citygml } = JSON.parse(await textOf(catalogue)) as { citygml: Array<{ id: string }> };
  for (const { id } of citygml) {
    const files = `/datacatalog/citygml/${id.slice(0, 5)}`;
    const gmlUrl = /http[^"]*\/bldg\/[^"]*\.gml/.exec(await textOf(files))?.[0];
    if (gmlUrl === undefined) continue;
    const gml = new URL(gmlUrl).pathname;
    const feature = /<bldg:Building gml:id="([^"]+)"/.exec(await textOf(gml))?.[1];
    if (feature === undefined) continue;
    const attributes = `/citygml/attributes?url=${encodeURIComponent(gmlUrl)}&id=${feature}`;
    return { health: '/health/live', catalogue, files, 'a GML file': gml, attributes };
  }
  throw new Error('No package has buildings.');
}
