/**
 * Three servers and two workers on one PostgreSQL and one bucket of Ceph's gateway, while everything fails in turn:
 *
 *     npm run build && node bench/faults.ts [--share 0.2] [--only kill,disk]
 *
 * `--share` is the part of all faults that is done (300 by default), `--only` chooses those whose name has one of the
 * words. Callers compare each answer with the one from before; packages are removed and ingested again by jobs, packs
 * are asked for. One server keeps its cache on a disk that is full, one server's and one worker's clock jumps by up to
 * 90 s all the time. After each fault errors have to end by themselves and servers have to be ready, and at the end
 * everything that was acknowledged has to be there. Exits with 1 when anything was lost or wrong. Needs root (for the
 * small disks) and `radosgw ceph-mon ceph-osd`.
 */
import { mkdtemp, readdir, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { writeSampleWithTiles } from '../test/support/sample.ts';
import { ACTS } from './faults/acts.ts';
import { House } from './faults/house.ts';
import { knownAnswers, Load } from './faults/load.ts';
import { Writer } from './faults/writer.ts';
import { Results } from './support/table.ts';

const { values } = parseArgs({
  options: { share: { type: 'string', default: '1' }, only: { type: 'string', default: '' } },
});
const words = values.only.split(',');
const acts = ACTS.filter(({ name }) => words.some((word) => name.includes(word)));
/** Callers at once. */
const CALLERS = 6;
/** After so long without an error a fault is over, ms. */
const CALM_MS = 1_500;
/** Longest time that errors may go on after a fault, ms. */
const RECOVERY_MS = 60_000;
/** More resident memory of one process is a leak: the unit of a server allows 2 GB, that of a worker 4 GB. */
const MAX_PEAK_MB = { serve: 600, worker: 1_200 };
/** A block of the cache. */
const BLOCK_BYTES = 32 * 1024;
/** The city whose packages stay as they are. */
const CITY = '47900';

const directory = await mkdtemp(join(tmpdir(), 'bench-faults-'));
const house = await House.start(directory);
const log = (text: string) => console.error(`${new Date().toISOString().slice(11, 19)} ${text}`);
const table = new Results('Faults: three servers and two workers on PostgreSQL and Ceph', [
  'fault',
  'times',
  'answers as before',
  '503',
  'cut',
  'longest answer s',
  'errors end after s',
  'wrong',
]);
// An error that nobody waits for must leave neither servers behind, nor what was seen before it unsaid.
process.once('uncaughtException', async (error) => {
  log(`broke off during: ${house.load?.during}`);
  table.print();
  console.error(error);
  await house[Symbol.asyncDispose]();
  console.error(`logs stay in ${directory}`);
  process.exit(1);
});

try {
  const sample = join(directory, 'sample');
  await writeSampleWithTiles(sample);
  const zips = (await readdir(sample)).filter((name) => name.endsWith('.zip')).sort();
  // The package of the city comes before its tiles.
  const [first, ...later] = zips.map((name) => join(sample, name));
  house.uploads = later;
  const ingested = await house.cli(['ingest', '--json', first!]);
  if (ingested.code !== 0) throw new Error(ingested.stdout + ingested.stderr);
  for (const member of house.members) await member.start();
  const known = await knownAnswers(house.servers[0]!.url!, CITY);
  log(`${known.length} answers are known; ${later.length} packages are to be ingested by jobs`);

  house.load = new Load(house.servers, known, CALLERS);
  house.writer = new Writer({
    cliOnWays: (args) => house.cliOnWays(args),
    cli: (args) => house.cli(args),
    servers: house.servers,
    load: house.load,
    uploads: later,
    gmlPaths: known.map(({ path }) => path).filter((path) => path.endsWith('.gml')),
  });
  house.writer.acknowledged.add(basename(first!, '.zip'));
  const { load, writer } = house;
  const { counts } = load;
  let done = 0;
  /** Damage empties the disk again, so that it is looked at all the time. */
  let wasFull = false;
  const lookAtDisk = async () => {
    const { bavail, bsize } = await statfs(house.smallDisk);
    if (bavail * bsize < BLOCK_BYTES) wasFull = true;
  };
  for (const { name, times, run } of acts) {
    load.during = name;
    const before = { ...counts, wrong: counts.wrong.length };
    counts.longestMs = 0;
    let longest = 0;
    const wanted = Math.max(1, Math.round(times * Number(values.share)));
    for (let i = 0; i < wanted; i++) {
      await run(house, i);
      longest = Math.max(longest, await calm());
      await lookAtDisk();
      done++;
      if (i % 5 === 4) log(`${name}: ${i + 1} of ${wanted}, ${counts.wrong.length} wrong`);
    }
    table.add(
      name,
      wanted,
      String(counts.answered - before.answered),
      String(counts.unavailable - before.unavailable),
      String(counts.cut - before.cut),
      counts.longestMs / 1_000,
      longest / 1_000,
      counts.wrong.length - before.wrong,
    );
    log(`${name}: errors ended after ${longest} ms at most, ${counts.wrong.length} wrong`);
  }

  load.during = 'none any more';
  const before = counts.answered;
  await pause(5_000);
  if (counts.answered === before) load.wrong('nothing is answered after the last fault');
  await lookAtDisk();
  if (!wasFull) load.wrong('the small disk was never full');
  await Promise.all([load.end(), writer.end()]);
  log('the load is over; what was acknowledged has to be there');
  for (const open of await writer.settle()) load.wrong(open);
  const live = await house.live();
  for (const name of writer.acknowledged) if (!live.includes(name)) load.wrong(`${name} is not there`);
  if (!(await house.agree(RECOVERY_MS))) load.wrong('servers show something else');
  const check = await house.cli(['check', '--json']);
  const { faults } = JSON.parse(check.stdout) as { faults: { place: string; fault: string }[] };
  for (const { place, fault } of faults) load.wrong(`check: ${place}: ${fault}`);

  await Promise.all(house.members.map((member) => member.look()));
  for (const { name, command, peakMb } of house.members) {
    if (peakMb > MAX_PEAK_MB[command]) load.wrong(`${command} ${name} took ${peakMb.toFixed(0)} MB`);
  }
  const peaks = house.members.map(
    ({ name, command, peakMb }) => `${command} ${name} ${peakMb.toFixed(0)} MB`,
  );
  table.add('all', done, String(counts.answered), String(counts.unavailable), String(counts.cut), '', '', '');
  table.print();
  const ends = house.members.reduce((sum, member) => sum + member.ends, 0);
  console.log(
    `Processes that ended by themselves: ${ends}. Requests of the bucket that something was done to:`,
  );
  console.log(
    `${house.bucketWay.done}. Jobs acknowledged and done: ${writer.jobs.length}, packs: ${writer.packs.size},`,
  );
  console.log(
    `packages acknowledged last and there: ${writer.acknowledged.size}. Highest memory: ${peaks.join(', ')}.`,
  );
  console.log(`Lost or wrong: ${counts.wrong.length}`);
  for (const wrong of counts.wrong.slice(0, 40)) console.log(`- ${wrong}`);
  if (counts.wrong.length > 0) process.exitCode = 1;
} catch (error) {
  log(`failed during: ${house.load?.during}`);
  table.print();
  process.exitCode = 1;
  console.error(error);
} finally {
  await house[Symbol.asyncDispose]();
  if (process.exitCode === undefined) await rm(directory, { recursive: true, force: true });
  else console.error(`logs stay in ${directory}`);
}
process.exit();

/**
 * After a fault that has ended now: waits until callers have no errors and all servers are ready; how long that took,
 * ms.
 */
async function calm(): Promise<number> {
  const { load, servers } = house;
  const end = Date.now();
  let last = end;
  while (Date.now() - last < CALM_MS && last - end < RECOVERY_MS) {
    await pause(100);
    last = Math.max(last, load.counts.unavailableAt);
    for (const { url } of servers) if (!(await isReady(url))) last = Date.now();
  }
  if (last - end >= RECOVERY_MS) load.wrong('errors go on');
  return last - end;
}

async function isReady(url: string | null): Promise<boolean> {
  if (url === null) return false;
  const reply = await fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(5_000) }).catch(() => null);
  await reply?.arrayBuffer();
  return reply?.ok === true;
}
