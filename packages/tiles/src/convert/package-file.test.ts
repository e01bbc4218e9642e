import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { type TestContext, test } from 'node:test';
import { crc32, deflateRawSync } from 'node:zlib';
import { unzip } from '@citymodel/citygml/testing';
import { createSingleFile, createZip } from './package-file.ts';

test('members are deflated in other threads and lie in the order in which they were added', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'package-file-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  const path = join(directory, 'a.zip');
  const texts = Array.from({ length: 30 }, (_, i) => {
    return Buffer.from(
      Array.from({ length: 30_000 }, (_, k) => (k * 7_919 * (i + 1)).toString(36)).join(' '),
    );
  });
  const before = performance.eventLoopUtilization();
  const zip = await createZip(path, 0);
  for (const [i, text] of texts.entries()) await zip.add(`${30 - i}`, text);
  const { members } = await zip.finish();
  const { utilization } = performance.eventLoopUtilization(before);
  assert.equal(members, texts.length);
  assert.ok(utilization < 0.85, `this thread worked for ${utilization} of the time`);
  const read = await unzip(path, /./);
  assert.deepEqual(
    [...read.keys()],
    Array.from(texts.keys(), (i) => `${30 - i}`),
  );
  assert.deepEqual([...read.values()], texts);
});

async function folder(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'package-file-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

const LONG = Buffer.from(Array.from({ length: 400_000 }, (_, i) => `${i % 977},`).join(''));

test('files, ranges of files and deflate data come back from a zip as what they hold', async (t) => {
  const directory = await folder(t);
  const from = join(directory, 'part');
  const data = deflateRawSync(LONG);
  await writeFile(from, Buffer.concat([LONG, data]));
  const path = join(directory, 'a.zip');
  const zip = await createZip(path, Date.UTC(2026, 0, 2));
  await zip.addFile('whole', from, { end: LONG.length });
  await zip.addFile('range', from, { start: 1_000, end: 2_500, stored: true });
  await zip.add('from memory', Buffer.from('text'), { stored: true });
  await zip.addFile('deflated', from, {
    start: LONG.length,
    deflated: { size: LONG.length, crc32: crc32(LONG) },
  });
  await zip.addFile('nothing', from, { start: 5, end: 5 });
  const { bytes, members } = await zip.finish();
  assert.equal(members, 5);
  assert.equal(bytes, (await readFile(path)).length);
  const read = await unzip(path, /./);
  assert.deepEqual(
    [...read],
    [
      ['whole', LONG],
      ['range', LONG.subarray(1_000, 2_500)],
      ['from memory', Buffer.from('text')],
      ['deflated', LONG],
      ['nothing', Buffer.alloc(0)],
    ],
  );
  assert.deepEqual((await readdir(directory)).sort(), ['a.zip', 'part'], 'it has its name alone');
});

test('a single file is what was added, in order', async (t) => {
  const directory = await folder(t);
  const from = join(directory, 'part');
  await writeFile(from, LONG);
  const path = join(directory, 'a.pmtiles');
  const file = await createSingleFile(path);
  await file.add('x', Buffer.from('head'));
  await file.addFile('y', from);
  await file.addFile('z', from, { start: 10, end: 20 });
  const expected = Buffer.concat([Buffer.from('head'), LONG, LONG.subarray(10, 20)]);
  assert.deepEqual(await file.finish(), { bytes: expected.length, members: 1 });
  assert.deepEqual(await readFile(path), expected);
});

test('what is abandoned leaves nothing, and the one before stays until another is complete', async (t) => {
  const directory = await folder(t);
  const path = join(directory, 'a');
  await writeFile(path, 'before');
  for (const create of [() => createZip(path, 0), () => createSingleFile(path)]) {
    const file = await create();
    await file.add('x', Buffer.from('text'));
    assert.equal((await readFile(path)).toString(), 'before');
    await file.abandon();
    assert.deepEqual(await readdir(directory), ['a']);
  }
  const short = join(directory, 'short');
  await writeFile(short, 'abc');
  const file = await createSingleFile(path);
  await assert.rejects(file.addFile('x', short, { end: 4 }), /shorter than it was/);
  await file.abandon();
});
