/**
 * A drill of backups: publishes and removes packages of the sample city over and over, backs up meanwhile, kills some
 * of the backups, and restores several of the others, into new stores and over what is left of the old ones. Compares
 * every answer of the restored servers with what the old one answered at that version of the catalogue. Needs a build
 * (`npm run build`).
 *
 *   node scripts/try-backup.ts [--backups 4] [--source sqlite|postgres]
 *
 * Exits with 0 only when all of it was seen: cuts in the midst of publications, killed backups, equal answers; and when
 * damage that it makes on purpose is found by `--verify` and refused by `restore`.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir, rm, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { BackupDescription } from '../packages/store/src/backup/backup-format.ts';
import { CEPH_KEYS } from '../packages/store/src/testing/ceph.ts';
import { FakeS3 } from '../packages/store/src/testing/fake-s3.ts';
import { freshDatabase } from '../packages/store/src/testing/postgres.ts';
import { answersOf } from '../test/support/answers.ts';
import {
  finished,
  removeDirectory,
  runProgram,
  spawnProgram,
  tempDirectory,
} from '../test/support/program.ts';
import { startServer, type TestServer } from '../test/support/server.ts';
import { ingestSample } from '../test/support/store.ts';

const { values: flags } = parseArgs({
  options: {
    backups: { type: 'string', default: '4' },
    source: { type: 'string', default: 'sqlite' },
  },
});
/** Backups that are not killed. */
const BACKUPS = Number(flags.backups);
/** Backups that are begun at most. */
const TRIES = 40;
/** What is published and removed; the rest of the city stays. */
const CHANGING = '47900_aonagi-shi_city_2024_citygml_1_op_bldg_mvt_lod0';

/** What is removed may be deleted at once; nothing may be kept by caches then. */
const NO_GRACE = { RETIRED_GRACE_S: '0', ASSET_MAX_AGE_S: '0' };

type Env = Record<string, string>;

const directory = await tempDirectory();
await using closing = new AsyncDisposableStack();
closing.defer(() => removeDirectory(directory));
const s3 = closing.use(await FakeS3.start());
const keys = { ...CEPH_KEYS, AWS_EC2_METADATA_DISABLED: 'true' };

/** Settings of stores that have nothing yet. */
async function newStores(name: string, kind: string | undefined): Promise<Env> {
  const DATA_DIR = join(directory, name);
  if (kind !== 'postgres') return { DATA_DIR };
  const { url } = closing.use(await freshDatabase());
  return { DATA_DIR, DATABASE_URL: url, OBJECT_STORE: s3.address(name), ...keys };
}

/** Runs the program; fails unless it ends with the code. */
async function run(env: Env, args: string[], code = 0): Promise<string> {
  // What is removed may be deleted at once: backups have to hold it.
  const ended = await runProgram(args, { ...NO_GRACE, ...env });
  assert.equal(ended.code, code, `${args.join(' ')}: ${ended.stderr}${ended.stdout}`);
  return ended.stdout;
}

const { sample, data } = await ingestSample(directory);
let source: Env = { DATA_DIR: data };
if (flags.source === 'postgres') {
  source = await newStores('source', 'postgres');
  const to = ['--to-database', source.DATABASE_URL!, '--to-store', source.OBJECT_STORE!];
  await run({ ...source, DATA_DIR: data, DATABASE_URL: '', OBJECT_STORE: '' }, ['move', ...to]);
}
const place = flags.source === 'postgres' ? s3.address('backups') : join(directory, 'backups');

const upload = await uploadOf(CHANGING);

// What the server answered at each version of the catalogue.
const answers = new Map<number, Map<string, string>>();
const server = await startServer(source.DATA_DIR!, { env: { ...source, ...NO_GRACE } });
/** The answers of a version that stays as long as it is asked for: a change may follow another at once. */
async function record(): Promise<number> {
  for (;;) {
    const version = await versionOf(server);
    const found = await answersOf(server);
    if ((await versionOf(server)) !== version) continue;
    answers.set(version, found);
    return version;
  }
}
let isEnding = false;
const publishing = (async () => {
  for (let version = await record(); !isEnding; version = await record()) {
    await run(source, answers.size % 2 === 1 ? ['remove', CHANGING] : ['ingest', upload]);
    while ((await versionOf(server)) === version) await pause(20);
  }
})();
publishing.catch(() => {});

// Backups beside it.
const backups: BackupDescription[] = [];
/** Versions of backups that somebody looked at: one that another change follows at once is shown by no server. */
const versionsOf = () =>
  new Set(
    backups.flatMap(({ catalogueVersion }) => (answers.has(catalogueVersion) ? [catalogueVersion] : [])),
  );
let killed = 0;
// Until a kill: shorter each time that the backup was faster, ms.
let delay = 500;
for (let i = 0; i < TRIES && (backups.length < BACKUPS || killed === 0 || versionsOf().size < 2); i++) {
  const child = spawnProgram(['backup', place, '--json'], source);
  const ending = finished(child);
  if (i % 2 === 1) {
    await Promise.race([ending, pause(delay * (0.5 + Math.random() / 2))]);
    child.kill('SIGKILL');
    delay *= 0.6;
  }
  const { code, signal, stdout, stderr } = await ending;
  if (signal === 'SIGKILL') killed++;
  else {
    assert.equal(code, 0, stderr + stdout);
    backups.push((JSON.parse(stdout) as { backup: BackupDescription }).backup);
  }
  await Promise.race([publishing, pause(500)]);
}
isEnding = true;
await publishing;
await server.stop();
const versions = versionsOf();
console.log(
  `${backups.length} backups of ${versions.size} versions, ${killed} killed; ${answers.size} versions published`,
);
assert.ok(
  versions.size > 1 && killed > 0,
  'nothing was published meanwhile, or no backup was killed: try again',
);
await run(source, ['backup', place, '--verify']);

// Restores.
let compared = 0;
const seen = backups.filter(({ catalogueVersion }) => answers.has(catalogueVersion));
for (const [i, { cutAt, catalogueVersion, id }] of seen.entries()) {
  const kind = i % 2 === 0 ? 'postgres' : 'sqlite';
  const stores = await newStores(`restored-${i}`, kind);
  await restoreAndCompare(stores, ['--to', cutAt], catalogueVersion);
  console.log(`${id} restored into ${kind}: ${compared} answers are equal so far`);
}
// Over what is left of the old objects, half of which are gone, by a new database.
const lost = await loseHalf();
const first = seen[0]!;
const inPlace =
  flags.source === 'postgres'
    ? { ...source, DATABASE_URL: closing.use(await freshDatabase()).url }
    : { ...source, DATABASE_URL: `sqlite:${join(directory, 'again.sqlite')}` };
await restoreAndCompare(inPlace, ['--to', first.cutAt], first.catalogueVersion);
console.log(`restored over the old objects, of which ${lost} were lost: ${compared} answers are equal`);

// Damage is found, or all of this would say nothing.
await damage(first);
await run(source, ['backup', place, '--verify'], 1);
const refused = await newStores('refused', 'sqlite');
await run({ ...keys, ...refused }, ['restore', place, '--to', first.cutAt], 1);
assert.equal(await run(refused, ['list', '--json']).then((text) => JSON.parse(text).length), 0);
console.log('a damaged backup is found and refused');
console.log(`all is well: ${compared} answers compared`);

async function restoreAndCompare(stores: Env, args: string[], version: number): Promise<void> {
  await run({ ...keys, ...stores }, ['restore', place, ...args]);
  await run({ ...keys, ...stores }, ['check']);
  await using restored = await startServer(stores.DATA_DIR!, {
    env: { ...keys, ...stores, ...NO_GRACE },
  });
  assert.equal(await versionOf(restored), version);
  const expected = answers.get(version)!;
  const found = await answersOf(restored);
  assert.ok(expected.size > 50);
  assert.deepEqual(found, expected);
  compared += found.size;
}

async function versionOf(of: TestServer): Promise<number> {
  const { text } = await of.request('/metrics');
  return Number(/^citymodel_catalogue_version (\d+)$/m.exec(text)?.[1]);
}

/** The path of a package of the sample. */
async function uploadOf(name: string): Promise<string> {
  const found = (await readdir(sample)).find((file) => file.startsWith(name));
  assert.ok(found !== undefined, `${name} is not in the sample`);
  return join(sample, found);
}

/** Deletes every second archive of the old store. */
async function loseHalf(): Promise<number> {
  if (flags.source === 'postgres') {
    const held = [...s3.objects.keys()].filter((key) => key.startsWith('source/archives/'));
    const gone = held.filter((_, i) => i % 2 === 0);
    for (const key of gone) s3.objects.delete(key);
    return gone.length;
  }
  const held = (await readdir(join(data, 'store'), { recursive: true })).filter((path) =>
    /archives\/.+\./.test(path),
  );
  const gone = held.filter((_, i) => i % 2 === 0);
  for (const path of gone) await rm(join(data, 'store', path));
  return gone.length;
}

/** Flips bytes of the rows of a backup: cuts its file short, or replaces the object. */
async function damage({ id }: BackupDescription): Promise<void> {
  const key = `backups/${id}/rows.ndjson.gz`;
  if (flags.source !== 'postgres') return truncate(join(directory, 'backups', await fileOf(key)), 100);
  const stored = s3.objects.get(`backups/${key}`)!;
  const bytes = stored.bytes.subarray(0, 100);
  s3.objects.set(`backups/${key}`, { ...stored, bytes, etag: createHash('md5').update(bytes).digest('hex') });
}

/** The path of an object in a directory. */
async function fileOf(key: string): Promise<string> {
  const all = await readdir(join(directory, 'backups'), { recursive: true });
  const found = all.find((path) => path.endsWith(key));
  assert.ok(found !== undefined, key);
  return found;
}
