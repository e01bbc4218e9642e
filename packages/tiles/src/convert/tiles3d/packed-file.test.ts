import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { inflateRawSync } from 'node:zlib';
import { writePacked } from './packed-file.ts';

test('a file is deflated as in a zip, and its size and sum are those of its content', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'citymodel-packed-'));
  t.after(() => rm(directory, { recursive: true }));
  const bytes = Buffer.from('123456789');
  // The check value of CRC-32 (ISO 3309).
  assert.deepEqual(await writePacked(directory, '0.glb', bytes), {
    name: '0.glb',
    size: 9,
    crc32: 0xcbf43926,
  });
  assert.deepEqual(inflateRawSync(readFileSync(join(directory, '0.glb'))), bytes);
});
