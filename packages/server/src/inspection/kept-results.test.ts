import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { FileResult } from '@citymodel/inspect';
import { KeptResults, sweepKeptResults } from './kept-results.ts';

const PATH = 'udx/bldg/53394525_bldg_6697_op.gml';
const FILE = { path: PATH, bytes: 10 };

function resultOf(carry: unknown): FileResult {
  return {
    ...FILE,
    folder: 'bldg',
    directory: 'bldg',
    isWellFormed: true,
    envelope: { srsName: null, lower: null, upper: null },
    checks: [{ code: 'C01', errors: 1, findings: [], left: 1, carry }],
    counts: [],
    skipped: {},
  };
}

async function directory(t: TestContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'citymodel-kept-'));
  t.after(() => rm(path, { recursive: true, force: true }));
  return path;
}

test('a result is found again as it was, for the same package, file and choices alone', async (t) => {
  const root = await directory(t);
  const result = resultOf(new Map([['id', Float64Array.of(1, 2)]]));
  const kept = new KeptResults(root, 'a');
  assert.equal(await kept.find(FILE, [4]), null);
  await kept.keep(result, [4]);
  assert.deepEqual(await kept.find(FILE, [4]), result);
  assert.deepEqual(await new KeptResults(root, 'a').find(FILE, [4]), result);
  assert.equal(await kept.find(FILE, [6]), null);
  assert.equal(await kept.find({ ...FILE, bytes: 11 }, [4]), null);
  assert.equal(await kept.find({ ...FILE, path: 'udx/bldg/53394526_bldg_6697_op.gml' }, [4]), null);
  assert.equal(await new KeptResults(root, 'b').find(FILE, [4]), null);
  await kept.drop();
  assert.deepEqual(await readdir(root), []);
});

test('a result that is damaged or cut is not found', async (t) => {
  const root = await directory(t);
  const kept = new KeptResults(root, 'a');
  await kept.keep(resultOf(null), []);
  const [path] = (await readdir(root, { recursive: true })).filter((name) => name.includes('/'));
  const file = join(root, path!);
  const whole = await readFile(file);
  for (const bytes of [whole.subarray(0, -1), whole.subarray(0, 3), Buffer.from(whole).fill(7, 9, 10)]) {
    await writeFile(file, bytes);
    assert.equal(await kept.find(FILE, []), null);
  }
  await writeFile(file, whole);
  assert.notEqual(await kept.find(FILE, []), null);
});

test('a disk that takes nothing costs nothing but the result', async (t) => {
  const root = join(await directory(t), 'file');
  await writeFile(root, '');
  const kept = new KeptResults(root, 'a');
  await kept.keep(resultOf(null), []);
  assert.equal(await kept.find(FILE, []), null);
  await kept.touch();
  await kept.drop();
  await sweepKeptResults(root, Date.now());
});

test('results that nobody went on with for a week are deleted', async (t) => {
  const root = await directory(t);
  const [old, used] = [new KeptResults(root, 'a'), new KeptResults(root, 'b')];
  await old.keep(resultOf(null), []);
  await used.keep(resultOf(null), []);
  const eightDays = new Date(Date.now() - 8 * 86_400_000);
  for (const name of await readdir(root)) await utimes(join(root, name), eightDays, eightDays);
  await used.touch();
  await sweepKeptResults(root, Date.now());
  assert.equal(await old.find(FILE, []), null);
  assert.notEqual(await used.find(FILE, []), null);
});
