/**
 * Requests of anonymous callers for what is made out of the bytes of packages, each with a number that makes it another
 * where that is possible: searches of items, tables, statistics, changes, findings, pictures, features that are large.
 */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { writeSample } from '../../packages/sample/src/sample.ts';
import { writeZip } from '../../test/support/packages.ts';
import { runProgram } from '../../test/support/program.ts';
import { CROSSING_ID, CROSSING_PACKAGE, crossingMembers } from './crossing-rings.ts';
import type { WorstRequest } from './worst-requests.ts';

/** Buildings of the sample city. */
const BUILDINGS = 1_500;
const CITY = '47900';
/** Its neighbour has two editions. */
const TOWN = '47950';
/** Corners of an area that items are searched in. */
const CORNERS = 999;

/** Ingests the sample city with tiles, tables, pictures and findings, and a package of rings that cross themselves. */
export async function addRealData(dataDir: string, work: string): Promise<void> {
  const env = { DATA_DIR: dataDir, TABLES: 'published', PICTURES: 'published' };
  const sample = join(work, 'sample');
  await mkdir(sample, { recursive: true });
  await writeSample(sample, { size: BUILDINGS });
  await writeZip(join(sample, `${CROSSING_PACKAGE}.zip`), crossingMembers());
  await run(['ingest', '--tiles', sample], env);
  await run(['worker', '--kinds', 'inspect,tables,pictures', '--until-idle', '2'], env);
  await rm(sample, { recursive: true });
}

async function run(args: string[], env: Record<string, string>): Promise<void> {
  const { code, stdout, stderr } = await runProgram(args, env);
  if (code !== 0) throw new Error(`${args.join(' ')}: ${code} ${stdout}${stderr}`);
}

/** The requests, at a server of the directory; the editions of the town are compared first. */
export async function dataRequests(address: string, dataDir: string): Promise<WorstRequest[]> {
  const changes = `/citygml/changes?city_code=${TOWN}`;
  await fetch(address + changes).then((reply) => reply.arrayBuffer());
  await run(['worker', '--kinds', 'compare', '--until-idle', '2'], { DATA_DIR: dataDir });
  for (let status = 0; status !== 200; await pause(100)) {
    const reply = await fetch(address + changes);
    await reply.arrayBuffer();
    if (reply.status !== 200 && reply.status !== 202) throw new Error(`${changes}: ${reply.status}`);
    status = reply.status;
  }
  const tables = await json<{
    citygml: { url: string; tables?: { parquet_url: string; type?: string }[] }[];
  }>(address, `/datacatalog/citymodel-datasets?city_code=${CITY}`);
  const table = tables.citygml.flatMap((row) => row.tables ?? [])[0];
  const pictures = await json<{ datasets: { picture_url?: string }[] }>(
    address,
    `/datacatalog/datasets?city_code=${CITY}&limit=500`,
  );
  const picture = pictures.datasets.find(({ picture_url }) => picture_url !== undefined)?.picture_url;
  const files = await json<{ files: Record<string, { url: string }[]> }>(
    address,
    `/datacatalog/citygml/47201?types=bldg`,
  );
  const crossing = files.files.bldg?.map(({ url }) => url).find((url) => url.includes(CROSSING_PACKAGE));
  if (table === undefined || picture === undefined || crossing === undefined) {
    throw new Error(`no table, picture or large feature: ${table?.parquet_url}, ${picture}, ${crossing}`);
  }
  const get = (name: string, path: (number: number) => string): WorstRequest => ({ name, path });
  const post = (name: string, path: string, body: (number: number) => object): WorstRequest => ({
    name,
    path: () => path,
    body: (n) => JSON.stringify(body(n)),
  });
  const byText = (n: number) =>
    Array.from({ length: 40 }, (_, i) => `"bldg:usage" LIKE '%${n}${i}%'`).join(' OR ');
  const feature = `url=${encodeURIComponent(crossing)}&id=${CROSSING_ID}`;
  return [
    post('STAC, items in an area of 1,000 corners', '/stac/search', (n) => ({
      limit: 100,
      intersects: { type: 'Polygon', coordinates: [corners(n)] },
    })),
    post('STAC, items of 1,000 ids', '/stac/search', (n) => ({
      limit: 100,
      ids: Array.from({ length: 1_000 }, (_, i) => `${10_000 + ((n * 1_000 + i) % 47_000)}-2024`),
    })),
    get(
      'STAC, items of the country',
      (n) => `/stac/search?limit=100&bbox=${(120 + n * 1e-5).toFixed(5)},20,154,46`,
    ),
    get(
      'OGC, 1,000 buildings',
      (n) => `/ogc/collections/${CITY}-bldg/items?limit=1000&bbox=${120 + n * 1e-5},20,154,46`,
    ),
    get(
      'OGC, buildings by 40 patterns of CQL2',
      (n) => `/ogc/collections/${CITY}-bldg/items?limit=1000&filter=${encodeURIComponent(byText(n))}`,
    ),
    get(
      'OGC, buildings of the country by CQL2',
      (n) =>
        `/ogc/collections/bldg/items?limit=1000&filter=${encodeURIComponent(`"bldg:measuredHeight" > ${1 + n / 1e4}`)}`,
    ),
    get('table of features', () => new URL(table.parquet_url).pathname),
    get(
      'statistics of a city by an attribute',
      (n) =>
        `/citygml/statistics?area=${CITY}&type=bldg&by=bldg:usage&of=bldg:measuredHeight&where=` +
        encodeURIComponent(`bldg:measuredHeight>=${n / 1e3}`),
    ),
    get(
      'statistics of the country',
      (n) =>
        `/citygml/statistics?area=all&type=bldg&of=bldg:measuredHeight&where=` +
        encodeURIComponent(`bldg:measuredHeight>=${n / 1e3}`),
    ),
    get('changes, 1,000 at once', () => `${changes}&limit=1000`),
    get('changes as GeoJSON', () => `${changes}&format=geojson`),
    get('findings, 1,000 at once', () => `/datacatalog/citygml/${CITY}-2024/quality?limit=1000`),
    get('findings as CSV', () => `/datacatalog/citygml/${CITY}-2024/quality?format=csv`),
    get('large picture', () => new URL(picture).pathname.replace('-small.', '-large.')),
    get('datasets of the SDK', () => '/sdk/datasets'),
    get('feature of rings that cross, GeoJSON', () => `/citygml/attributes?${feature}&format=geojson`),
    get('feature of rings that cross, CityJSON', () => `/citygml/attributes?${feature}&format=cityjsonseq`),
  ];
}

/** Around the country, with so many corners; another one for each number. */
function corners(number: number): [number, number][] {
  const ring = Array.from({ length: CORNERS }, (_, i): [number, number] => {
    const angle = (i / CORNERS) * 2 * Math.PI;
    const radius = (i % 2 === 0 ? 14 : 10) + number * 1e-5;
    return [137 + radius * Math.cos(angle), 35 + radius * Math.sin(angle)];
  });
  return [...ring, ring[0]!];
}

async function json<T>(address: string, path: string): Promise<T> {
  const reply = await fetch(address + path);
  if (!reply.ok) throw new Error(`${path}: ${reply.status} ${await reply.text()}`);
  return (await reply.json()) as T;
}
