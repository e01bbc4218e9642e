import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { describe, it } from 'node:test';
import { anyText } from '@citymodel/base/testing';
import { ObjectMissing } from '@citymodel/store';
import { FlippingStore, MemoryStore } from '@citymodel/store/testing';
import fc from 'fast-check';
import {
  factsOfFile,
  fetchIncoming,
  incomingKey,
  putIncoming,
  safeFileName,
  UploadDiffers,
  type UploadFacts,
} from './incoming.ts';

describe('names of uploads', () => {
  it('stay as they are where they are plain', () => {
    for (const name of [
      '13101_chiyoda-ku_city_2023_citygml_1_op.zip',
      '見本の市.zip',
      'a.pmtiles',
      'a b (1).zip',
    ]) {
      assert.equal(safeFileName(name), name);
    }
  });

  it('lose what could lead elsewhere', () => {
    assert.equal(safeFileName('../../etc/passwd'), 'passwd');
    assert.equal(safeFileName('C:\\x\\a.zip'), 'a.zip');
    assert.equal(safeFileName('a\u0000b\u202e.zip'), 'a_b_.zip');
    assert.equal(safeFileName(' . a b.zip. '), 'a b.zip');
    assert.equal(safeFileName('..'), 'upload');
    assert.equal(safeFileName(''), 'upload');
    assert.equal(Buffer.byteLength(safeFileName(`${'長'.repeat(300)}.zip`)), 199);
  });

  it('are names of one file, whatever comes', () => {
    fc.assert(
      fc.property(anyText({ maxLength: 300 }), (name) => {
        const safe = safeFileName(name);
        assert.equal(basename(safe), safe);
        assert.ok(safe !== '' && !/^\.|[/\\\p{Cc}]/u.test(safe) && Buffer.byteLength(safe) <= 200);
        assert.equal(safeFileName(safe), safe);
      }),
    );
  });
});

describe('uploads in the object store', () => {
  it('are fetched under their names, with progress', async (t) => {
    const directory = await mkdtemp(join(tmpdir(), 'incoming-'));
    t.after(() => rm(directory, { recursive: true }));
    const objects = new MemoryStore();
    const key = incomingKey();
    async function* bytes() {
      yield Buffer.from('abc');
    }
    await objects.put(key, bytes());
    const seen: number[] = [];
    const { signal } = new AbortController();
    const path = await fetchIncoming(
      objects,
      { object: key },
      { directory, name: '../x.zip' },
      signal,
      (done) => seen.push(done),
    );
    assert.equal(path, join(directory, 'x.zip'));
    assert.equal(await readFile(path, 'utf8'), 'abc');
    assert.deepEqual(seen, [3]);
    await assert.rejects(
      fetchIncoming(objects, { object: incomingKey() }, { directory, name: 'y' }, signal, () => {}),
      ObjectMissing,
    );
  });

  it('are compared with what was put there', async (t) => {
    const directory = await mkdtemp(join(tmpdir(), 'incoming-'));
    t.after(() => rm(directory, { recursive: true }));
    const objects = new MemoryStore();
    const object = incomingKey();
    const file = join(directory, 'upload');
    await writeFile(file, 'a zip that somebody has uploaded');
    const facts = await putIncoming(objects, object, file);
    assert.deepEqual(facts, await factsOfFile(file));
    assert.equal(facts.size, 32);
    const { signal } = new AbortController();
    const fetch = (name: string, expected: UploadFacts) =>
      fetchIncoming(objects, { object, ...expected }, { directory, name }, signal, () => {});
    const [path] = await Promise.all([fetch('a', facts), fetch('b', { size: 32 }), fetch('c', {})]);
    assert.equal(await readFile(path!, 'utf8'), 'a zip that somebody has uploaded');
    async function* of(text: string) {
      yield Buffer.from(text);
    }
    for (const [i, wrong] of ['', '<html>Bad gateway</html>', 'a zip that somebody has uploaDed'].entries()) {
      await objects.put(object, of(wrong));
      await assert.rejects(fetch(`wrong-${i}`, facts), UploadDiffers);
    }
  });

  it('that come damaged are read again, and nothing of it is kept', async (t) => {
    const directory = await mkdtemp(join(tmpdir(), 'incoming-'));
    t.after(() => rm(directory, { recursive: true }));
    const objects = new FlippingStore();
    const object = incomingKey();
    const file = join(directory, 'upload');
    await writeFile(file, 'a zip that somebody has uploaded');
    const facts = await putIncoming(objects, object, file);
    const { signal } = new AbortController();
    const fetch = (name: string) =>
      fetchIncoming(objects, { object, ...facts }, { directory, name }, signal, () => {});
    for (const times of [1, 2]) {
      Object.assign(objects.flip, { key: object, at: 7, times });
      assert.equal(await readFile(await fetch(`${times}`), 'utf8'), 'a zip that somebody has uploaded');
      assert.equal(objects.damaged.splice(0).length, times);
    }
    objects.flip.times = 3;
    await assert.rejects(fetch('3'), UploadDiffers);
    assert.equal(await readFile(await fetch('4'), 'utf8'), 'a zip that somebody has uploaded');
  });
});
