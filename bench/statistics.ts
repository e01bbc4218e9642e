/**
 * Statistics of the whole country: the catalogue of `bench/national`, in which each newest package of CityGML has a
 * table of invented buildings, 21 million together. Each question is asked first, then with another condition, and
 * once more. Then ids are looked up that none of them has.
 *
 *     npm run build && node bench/statistics.ts [buildings of a table=70000]
 */
import { link, mkdir, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { backgroundSlices } from '../packages/base/src/turns.ts';
import { placeOf } from '../packages/server/src/features/formats/geoparquet-geometry.ts';
import { TableMaker } from '../packages/server/src/features/tables/table-maker.ts';
import { archiveFacts } from '../packages/server/src/ingest/archive-sums.ts';
import { tableKey } from '../packages/store/src/archive-keys.ts';
import { openStores } from '../packages/store/src/open-stores.ts';
import type { PackageRow } from '../packages/store/src/rows.ts';
import { openFileSource } from '../packages/zip/src/index.ts';
import { fillDataDir, NATIONAL } from './national/generate.ts';
import { Random } from './national/random.ts';
import { cpuOf, startService } from './support/processes.ts';
import { Results } from './support/table.ts';

const BUILDINGS = Number(process.argv[2] ?? 70_000);
const USES = ['住宅', '共同住宅', '商業施設', '業務施設', '工場', '文教厚生施設', '農林漁業用施設', '不明'];
/** Ids that no building has, each a name of its own. */
const STRANGERS = ['nobody', 'somebody', 'nothing'];
/** A server that has begun prepares more: it is quiet when it took less than this in a second, ms. */
const QUIET_MS = 30;
const NEWEST = Math.max(...NATIONAL.years);
/** `#` stands for what differs between the first question and the second. */
const QUESTIONS = [
  'by=bldg:usage&where=bldg:measuredHeight>=#',
  'by=bldg:measuredHeight&step=#&of=bldg:measuredHeight',
  'by=_prefecture,bldg:class&of=bldg:measuredHeight&where=bldg:storeysAboveGround>#',
];

const work = await mkdtemp(join(tmpdir(), 'citymodel-bench-'));
try {
  const dataDir = join(work, 'data');
  await mkdir(dataDir);
  await fillDataDir(dataDir, NATIONAL, 'bench');
  const tables = await addTables(dataDir);
  await using service = await startService(dataDir, { TABLES: 'published', JOB_WORKERS: '0' });
  await quiet(service.pid);
  const results = new Results(`Statistics of ${tables} tables of ${BUILDINGS} buildings`, [
    'question',
    'first s',
    'first CPU s',
    'another s',
    'another CPU s',
    'again ms',
  ]);
  for (const question of QUESTIONS) {
    const ask = async (value: number) => {
      const [start, cpu] = [performance.now(), cpuOf(service.pid)];
      const query = `area=all&type=bldg&${question.replace('#', String(value))}`;
      let reply: Response;
      // On a busy machine the time for an answer may end; the next one goes on with what was counted.
      do reply = await fetch(`${service.url}/citygml/statistics?${query}`);
      while (reply.status === 503);
      if (!reply.ok) throw new Error(`${query}: ${await reply.text()}`);
      await reply.arrayBuffer();
      return { s: (performance.now() - start) / 1_000, cpu: (cpuOf(service.pid) - cpu) / 1_000 };
    };
    const [first, another, again] = [await ask(4), await ask(5), await ask(5)];
    results.add(question.replace('#', '…'), first.s, first.cpu, another.s, another.cpu, again.s * 1_000);
  }
  results.print();
  const lookUps = new Results(`A gml:id that none of ${tables} tables of ${BUILDINGS} buildings has`, [
    'look-up',
    's',
    'CPU s',
  ]);
  for (const [n, id] of STRANGERS.entries()) {
    const [start, cpu] = [performance.now(), cpuOf(service.pid)];
    const { status } = await fetch(`${service.url}/ogc/collections/bldg/items/${id}`);
    if (status !== 404) throw new Error(`${id}: ${status}`);
    const [s, used] = [(performance.now() - start) / 1_000, (cpuOf(service.pid) - cpu) / 1_000];
    lookUps.add(n === 0 ? 'first' : `number ${n + 1}`, s, used);
  }
  lookUps.print();
} finally {
  await rm(work, { recursive: true });
}

async function quiet(pid: number): Promise<void> {
  for (let before = 0; ; ) {
    await setTimeout(1_000);
    const now = cpuOf(pid);
    if (now - before < QUIET_MS) return;
    before = now;
  }
}

/** Gives every newest package a link to one file, which takes the place of its table; says how many there are. */
async function addTables(dataDir: string): Promise<number> {
  const path = join(work, 'table');
  await writeTable(path);
  await using source = await openFileSource(path);
  const { sha256, pageSums } = await archiveFacts(source);
  const stores = await openStores({ dataDir, databaseUrl: '', objectStore: '' });
  const rows: PackageRow[] = [];
  for await (const some of stores.catalogue.packages(['live'])) rows.push(...some);
  const newest = rows.filter(({ kind, year }) => kind === 'citygml' && year === NEWEST);
  for (const row of newest) {
    const intent = `bench-${row.no}`;
    const key = tableKey(intent, 'bldg', row);
    const object = join(dataDir, 'store/objects', key);
    await mkdir(dirname(object), { recursive: true });
    await link(path, object);
    const facts = { type: 'bldg', key, size: source.size, sha256, features: BUILDINGS, version: 1 };
    await stores.catalogue.beginIntent({
      ...{ id: intent, keys: [key], staging: null },
      ...{ host: 'bench', pid: process.pid, heartbeatAt: Date.now() },
    });
    await stores.catalogue.setTables({
      no: row.no,
      tables: [{ ...facts, sums: pageSums.toString('base64') }],
      intent,
    });
  }
  await stores.close();
  return newest.length;
}

async function writeTable(path: string): Promise<void> {
  const random = new Random('statistics/buildings');
  const bounds = { west: 139, south: 35, east: 139.1, north: 35.1 };
  const origin = { package: 'bench', id: 'bench', type: 'bldg', bounds };
  await using table = await TableMaker.create(origin, join(work, 'rows'));
  table.beginFile('udx/bldg/bench.gml');
  for (let n = 0; n < BUILDINGS; n++) {
    const height = random.integer(30, 600) / 10;
    const attributes = {
      'gml:id': `bldg_${n}`,
      _type: 'bldg:Building',
      'bldg:class': random.chance(0.9) ? '普通建物' : '堅ろう建物',
      'bldg:usage': [random.pick(USES)],
      ...(random.chance(0.95) ? { 'bldg:measuredHeight': height } : {}),
      ...(random.chance(0.6) ? { 'bldg:storeysAboveGround': Math.ceil(height / 3.5) } : {}),
    };
    const [lng, lat] = [139 + random.integer(0, 1e5) / 1e6, 35 + random.integer(0, 1e5) / 1e6];
    const { box, wkb } = placeOf({ type: 'MultiPoint', coordinates: [[lng, lat]] })!;
    const row = { attributes, extent: null, drawn: {}, geometryType: 'MultiPoint', box, lods: 2 } as const;
    await table.add({ row: { ...row, start: 10 * n, end: 10 * n + 9 }, wkb }, false);
  }
  await using file = await open(path, 'wx');
  await table.finish(file, backgroundSlices());
}
