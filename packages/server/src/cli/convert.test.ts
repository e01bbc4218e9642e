/** `citymodel convert` in a process of its own, where the system fails or somebody stops it. */
import assert from 'node:assert/strict';
import { type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { unzip } from '@citymodel/citygml/testing';
import { box, building, FIXTURE_PATH, fixture, polygon, solid } from '@citymodel/tiles/testing';
import { writePackage } from '../convert/testing/small-package.ts';
import { GERMAN, worldGml } from '../convert/testing/world-gml.ts';

const MAIN = join(import.meta.dirname, 'main.ts');
const PACKAGE = '13101_chiyoda-ku_city_2023_citygml_1_op';
/** Where tests keep compiled modules. */
const COMPILED = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => name.startsWith('NODE_COMPILE_CACHE')),
);
const root = mkdtempSync(join(tmpdir(), 'citymodel-convert-'));
after(() => rmSync(root, { recursive: true, force: true }));

/** A package of 200 buildings with 5 kB each that hardly compress. */
async function largePackage(): Promise<string> {
  const members = Array.from({ length: 200 }, (_, i) => {
    const note = Array.from({ length: 80 }, (_, k) => createHash('sha256').update(`${i} ${k}`).digest('hex'));
    const house = solid(1, box([30 * (i % 30), 30 * Math.floor(i / 30), 0], [10, 10, 10]));
    return building(`b${i}`, house, `<gml:name>${note.join('')}</gml:name>`);
  });
  const path = join(root, `${PACKAGE}.zip`);
  let text = '';
  for await (const chunk of fixture(members).text()) text += Buffer.from(chunk).toString();
  await writePackage(path, [{ path: FIXTURE_PATH, text }]);
  return path;
}

/** Runs a script of sh in which `convert` is the program. */
function shell(script: string, dataDir: string): SpawnSyncReturns<string> {
  return spawnSync('sh', ['-c', script], {
    env: {
      PATH: process.env.PATH,
      DATA_DIR: dataDir,
      NODE: process.execPath,
      MAIN,
      ...COMPILED,
    },
    encoding: 'utf8',
  });
}

/** The hash of each file. */
function filesOf(directory: string): Record<string, string> {
  const hash = (name: string) =>
    createHash('sha256')
      .update(readFileSync(join(directory, name)))
      .digest('hex');
  return Object.fromEntries(
    readdirSync(directory)
      .sort()
      .map((name) => [name, hash(name)]),
  );
}

test('a disk that gets full ends the conversion, with nothing of it, and the same command continues', async (t) => {
  const zip = await largePackage();
  const calm = join(root, 'calm');
  assert.equal(shell(`"$NODE" "$MAIN" convert --jobs 0 --out '${calm}' '${zip}'`, join(root, 'd')).status, 0);
  const expected = filesOf(calm);
  // Files may have so many kilobytes: a write takes a part, then nothing, as on a full disk.
  for (const [kilobytes, jobs] of [
    [40, 2],
    [400, 0],
  ] as const) {
    const directory = join(root, `limit-${kilobytes}-${jobs}`);
    mkdirSync(directory);
    const out = join(directory, 'out');
    const command = `"$NODE" "$MAIN" convert --jobs ${jobs} --out '${out}' '${zip}'`;
    const data = join(directory, 'data');
    const run = shell(`trap '' XFSZ; ulimit -f ${2 * kilobytes}; ${command}`, data);
    assert.equal(run.status, 1, run.stdout + run.stderr);
    assert.match(run.stderr, /^citymodel: The package was not converted\. EFBIG[^\n]*\n$/m);
    assert.doesNotMatch(run.stdout + run.stderr, /PART_FAILED|✓|\n {4}at /);
    assert.deepEqual(existsSync(out) ? readdirSync(out) : [], []);
    const again = shell(command, data);
    assert.equal(again.status, 0, again.stderr);
    assert.deepEqual(filesOf(out), expected);
    assert.deepEqual(readdirSync(join(data, 'convert', 'work')), []);
  }
  const disk = join(root, 'disk');
  mkdirSync(disk);
  // A disk of its own needs a name space of its own.
  const mount = `mount -t tmpfs -o size=400k tmpfs '${disk}' 2>/dev/null || exit 77`;
  const convert = `"$NODE" "$MAIN" convert --jobs 0 --out '${disk}/out' '${zip}'; code=$?`;
  const inside = `${mount}; ${convert}; find '${disk}' -path '*/out/*'; exit $code`;
  const run = shell(`exec unshare -rm sh -c '${inside.replaceAll("'", `'\\''`)}'`, join(disk, 'data'));
  if (run.status === 77 || /unshare/.test(run.stderr))
    t.diagnostic('a disk of 400 kB was skipped: no mounts');
  else {
    assert.equal(run.status, 74, run.stderr);
    assert.match(run.stderr, /^citymodel: The disk is full/m);
    assert.equal(run.stdout, '');
  }
});

/** A package of buildings whose rings cross so often that they take half a minute to cut, in two files. */
async function heavyPackage(): Promise<string> {
  const zigzag = (seed: number) =>
    Array.from({ length: 3_000 }, (_, i) => {
      const random = (k: number) =>
        ((Math.imul(i * 2 + k + seed * 7_919, 2_654_435_761) >>> 0) / 2 ** 32) * 200;
      return [random(0), i % 2 === 0 ? 0 : 190 + random(1) / 20, 0] as const;
    });
  const members = Array.from({ length: 150 }, (_, i) => building(`b${i}`, solid(1, [polygon([zigzag(i)])])));
  let text = '';
  for await (const chunk of fixture(members).text()) text += Buffer.from(chunk).toString();
  const directory = join(root, 'heavy');
  mkdirSync(directory);
  const path = join(directory, `${PACKAGE}.zip`);
  await writePackage(path, [
    { path: FIXTURE_PATH, text },
    { path: FIXTURE_PATH.replace('53394525', '53394526'), text },
  ]);
  return path;
}

test('a conversion of whatever is heavy ends when it is stopped, and leaves nothing behind', async () => {
  const zip = await heavyPackage();
  for (const jobs of ['0', '2']) {
    const directory = join(root, `stopped-${jobs}`);
    const [out, data] = [join(directory, 'out'), join(directory, 'data')];
    const run = spawn(
      process.execPath,
      [MAIN, 'convert', '--jobs', jobs, '--types', 'bldg', '--out', out, zip],
      {
        env: { ...process.env, DATA_DIR: data },
      },
    );
    let output = '';
    for (const stream of [run.stdout, run.stderr]) stream.on('data', (text) => (output += text));
    const ended = once(run, 'exit');
    const work = join(data, 'convert', 'work');
    // Records of features are written while the file is read; tiles begin when all of it is.
    const isBusy = () =>
      existsSync(work) &&
      readdirSync(work, { recursive: true, encoding: 'utf8' }).some((path) => /scratch.+/.test(path));
    while (!isBusy() && run.exitCode === null) await setTimeout(20);
    const stopped = performance.now();
    run.kill('SIGINT');
    assert.deepEqual(await ended, [130, null], output);
    const seconds = (performance.now() - stopped) / 1_000;
    assert.ok(seconds < 10, `${seconds} s`);
    assert.match(output, /was stopped; the same command continues it/);
    assert.deepEqual(readdirSync(work), []);
    assert.equal(existsSync(out), false);
  }
});

test('a file alone becomes tiles by the shortest command, and needs a municipality only to be ingested', () => {
  mkdirSync(join(root, 'alone'));
  writeFileSync(join(root, 'alone/city.gml'), worldGml(GERMAN));
  const run = (words: string) =>
    shell(`cd ${root}/alone && "$NODE" "$MAIN" convert city.gml ${words}`, join(root, 'alone/data'));
  const conversion = run('--out tiles');
  assert.deepEqual([conversion.status, conversion.stderr], [0, '']);
  assert.deepEqual(readdirSync(join(root, 'alone/tiles')), [
    'city_bldg_3dtiles_lod2.zip',
    'city_bldg_mvt_lod0.zip',
  ]);
  const refused = run('--ingest');
  assert.equal(refused.status, 1);
  assert.match(refused.stderr, /^citymodel: [^\n]*--code, --year[^\n]*\n$/);
});

test('heights of the setting count where the command says none, and what is ingested must fit to it', async () => {
  const dataDir = join(root, 'heights');
  const refused = shell('HEIGHTS=elevation $NODE $MAIN convert --ingest --heights geoid x.zip', dataDir);
  assert.equal(refused.status, 2, refused.stderr);
  assert.match(refused.stderr, /--heights geoid does not fit .* setting HEIGHTS is elevation/);
  const gml = join(root, 'heights.gml');
  writeFileSync(gml, worldGml(GERMAN));
  const done = shell(
    `HEIGHTS=elevation $NODE $MAIN convert --jobs 0 --out "${dataDir}-out" "${gml}"`,
    dataDir,
  );
  assert.equal(done.status, 0, done.stderr);
  const [tiles] = readdirSync(`${dataDir}-out`).filter((name) => name.includes('_3dtiles_'));
  const members = await unzip(join(`${dataDir}-out`, tiles!), /^tileset\.json$/);
  assert.equal(JSON.parse(String(members.get('tileset.json'))).asset.extras.heights, 'elevation');
});
