/**
 * Kills programs (SIGKILL) at random moments: ingestions, removals, reindexing, several of them at once, and two servers that
 * make packs on one directory. Fails when something acknowledged is lost or something is left behind.
 *
 *     npm run build && node bench/kills.ts [kills, default 1000] [seed, default 1]
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Random } from '../src/sample/random.ts';
import { writeSampleWithTiles } from '../test/support/sample.ts';
import { type Acknowledged, checkAfterKills, objectsAfterPacks } from './support/kill-checks.ts';
import { makeAll, postPack } from './support/pack-faults.ts';
import { Results } from './support/table.ts';

const PROGRAM = new URL('../bin/citymodel.js', import.meta.url).pathname;
/** Rounds between two looks at the store. */
const CHECK_EVERY = 20;

const wantedKills = Number(process.argv[2] ?? 1_000);
const random = new Random(`kills ${process.argv[3] ?? 1}`);
const directory = await mkdtemp(join(tmpdir(), 'bench-kills-'));
const dataDir = join(directory, 'data');
const acknowledged: Acknowledged = new Map();
/** Ids of packs whose request was answered. */
const packs = new Set<string>();
/** How long each operation takes when nobody kills it, ms: moments are drawn from all of it. */
const whole = new Map<string, number>();
const killsOf = new Map<string, number>();
let kills = 0;
const begun = performance.now();

interface Ended {
  code: number | null;
  isKilled: boolean;
  output: string;
}

try {
  await writeSampleWithTiles(join(directory, 'sample'), 30);
  const uploads = (await readdir(join(directory, 'sample'))).sort();
  for (const upload of uploads) await ingest(upload, false);
  await reindex(false);
  await remove(uploads[0]!, false);
  for (let round = 0; kills < wantedKills; round++) {
    const upload = random.pick(uploads);
    const kind = random.pick(['ingest', 'ingest', 'remove', 'reindex', 'together', 'servers'] as const);
    if (kind === 'ingest') await ingest(upload, true);
    else if (kind === 'remove') await remove(upload, true);
    else if (kind === 'reindex') await reindex(true);
    else if (kind === 'together') await together(upload);
    else await servers();
    if (round % CHECK_EVERY === CHECK_EVERY - 1 || kills >= wantedKills) await check(round);
  }
  await makePacks();
  const { left } = await checkAfterKills(dataDir, acknowledged, packs);
  const stayed = await objectsAfterPacks(dataDir);
  if (stayed.length > 0) throw new Error(`left behind after all packs expired:\n${stayed.join('\n')}`);
  const results = new Results('Programs that are killed', ['operation', 'kills']);
  for (const [kind, count] of killsOf) results.add(kind, count);
  results.add('all', kills);
  results.add('packs accepted, all made and whole', packs.size);
  results.add('objects of earlier runs, which stay until their packs expire', left.earlierRuns.length);
  results.add('seconds', (performance.now() - begun) / 1_000);
  results.print();
} finally {
  await rm(directory, { recursive: true, force: true });
}

async function check(round: number): Promise<void> {
  const { wrong, left } = await checkAfterKills(dataDir, acknowledged, packs);
  const faults = [...wrong, ...left.things.map((thing) => `left behind: ${thing}`)];
  if (faults.length > 0) throw new Error(`after round ${round} and ${kills} kills:\n${faults.join('\n')}`);
  console.error(`  ${kills} kills, ${packs.size} packs, ${left.earlierRuns.length} objects of earlier runs`);
}

function start(args: readonly string[], env: Record<string, string> = {}): ChildProcess {
  return spawn(process.execPath, [PROGRAM, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, DATA_DIR: dataDir, RETIRED_GRACE_S: '0', ...env },
  });
}

/** Runs an operation to its end, or kills it at a moment of the time that it takes. */
async function run(kind: string, args: readonly string[], mayDie: boolean): Promise<Ended> {
  const started = performance.now();
  const child = start(args);
  let output = '';
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const ended = once(child, 'close');
  if (mayDie) {
    // Nothing is written before the program is loaded.
    const moment = (whole.get(kind) ?? 1_000) * random.between(0.3, 1.05);
    await Promise.race([setTimeout(moment), ended]);
    child.kill('SIGKILL');
  }
  const [code, signal] = await ended;
  const isKilled = signal === 'SIGKILL';
  if (isKilled) countKill(kind);
  else whole.set(kind, performance.now() - started);
  if (!isKilled && code !== 0 && code !== 1)
    throw new Error(`${args.join(' ')} ended with ${code}: ${output}`);
  return { code, isKilled, output };
}

function countKill(kind: string): void {
  kills++;
  killsOf.set(kind, (killsOf.get(kind) ?? 0) + 1);
}

async function ingest(upload: string, mayDie: boolean): Promise<Ended> {
  const ended = await run('ingest', ['ingest', '--replace', join(directory, 'sample', upload)], mayDie);
  acknowledge(nameOf(upload), true, ended);
  return ended;
}

async function remove(upload: string, mayDie: boolean): Promise<Ended> {
  const ended = await run('remove', ['remove', nameOf(upload)], mayDie);
  // 1 is said of a package that is removed already.
  acknowledge(nameOf(upload), false, ended);
  return ended;
}

async function reindex(mayDie: boolean): Promise<void> {
  const { code, isKilled, output } = await run('reindex', ['reindex', '--all'], mayDie);
  if (!isKilled && code !== 0) throw new Error(`reindex: ${output}`);
}

/** Several ingestions of one package, its removal and a reindexing at once; some of them are killed. */
async function together(upload: string): Promise<void> {
  const path = join(directory, 'sample', upload);
  await Promise.all([
    run('ingest', ['ingest', '--replace', path], random.between(0, 1) < 0.7),
    run('ingest', ['ingest', path], random.between(0, 1) < 0.7),
    run('remove', ['remove', nameOf(upload)], random.between(0, 1) < 0.5),
    run('reindex', ['reindex', '--all'], random.between(0, 1) < 0.5),
  ]);
  // Nobody can say who was the last.
  acknowledged.delete(nameOf(upload));
}

/** Two servers on the directory that are asked for packs until they are killed, one after the other. */
async function servers(): Promise<void> {
  const running = await Promise.all([serve(), serve()]);
  const lives = running.map(async ({ child }) => {
    const ended = once(child, 'close');
    await setTimeout(random.between(100, 2_500));
    child.kill('SIGKILL');
    await ended;
    countKill('server');
  });
  const asking = running.map(async ({ child, url }) => {
    while (child.exitCode === null && child.signalCode === null) {
      const id = await askForPack(url).catch((error: unknown) => {
        // What was being asked when the server died has no answer.
        if (error instanceof TypeError) return null;
        throw error;
      });
      if (id !== null) packs.add(id);
      await setTimeout(random.between(5, 60));
    }
  });
  await Promise.all([...lives, ...asking]);
}

async function askForPack(url: string): Promise<string | null> {
  const reply = await fetch(`${url}/datacatalog/citymodel-datasets?fields=citygml`);
  const { citygml } = (await reply.json()) as { citygml: Array<{ city_code: string }> };
  if (citygml.length === 0) return null;
  const found = await fetch(`${url}/datacatalog/citygml/${random.pick(citygml).city_code}`);
  if (found.status !== 200) return null;
  const { files } = (await found.json()) as { files: Record<string, Array<{ url: string }>> };
  const urls = Object.values(files).flatMap((each) => each.map((file) => file.url));
  return postPack(
    url,
    urls.filter((_, i) => i === 0 || random.between(0, 1) < 0.3),
  );
}

/** One server makes every pack that was accepted, and each zip is read. */
async function makePacks(): Promise<void> {
  const { child, url } = await serve();
  await makeAll(url, packs);
  const ended = once(child, 'close');
  child.kill('SIGTERM');
  await ended;
}

async function serve(): Promise<{ child: ChildProcess; url: string }> {
  const child = start(['serve'], {
    PORT: '0',
    HOST: '127.0.0.1',
    PACK_RATE: '0',
    JOB_LEASE_S: '5',
    PACK_MATERIALISE: random.pick(['never', 'always']),
  });
  child.stderr!.resume();
  let output = '';
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout!.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-10_000);
      const address = /"address":"(http:[^"]+)"/.exec(output)?.[1];
      if (address !== undefined) resolve(address);
    });
    child.once('close', (code) => reject(new Error(`the server ended with ${code}: ${output}`)));
  });
  return { child, url };
}

function acknowledge(name: string, isLive: boolean, { code, isKilled }: Ended): void {
  if (code === 0 && !isKilled) acknowledged.set(name, isLive);
  else if (acknowledged.get(name) !== isLive) acknowledged.delete(name);
}

function nameOf(upload: string): string {
  return upload.replace(/\.(zip|pmtiles)$/, '');
}
