import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Intent } from './catalogue-store.ts';
import { sweepStaging } from './staging-sweep.ts';

test('deletes directories whose intent another machine has ended, and nothing else', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'staging-sweep-'));
  try {
    const [alive, dead] = [randomUUID(), randomUUID()];
    for (const name of [alive, dead, 'else']) {
      await mkdir(join(directory, name));
      await writeFile(join(directory, name, 'file'), 'x');
    }
    const catalogue = { intents: async () => [{ id: alive } as Intent] };
    assert.equal(await sweepStaging(directory, catalogue), 1);
    assert.deepEqual((await readdir(directory)).sort(), [alive, 'else'].sort());
    assert.equal(await sweepStaging(join(directory, 'none'), catalogue), 0);
  } finally {
    await rm(directory, { recursive: true });
  }
});
