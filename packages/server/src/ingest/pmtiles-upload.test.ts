import assert from 'node:assert/strict';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { writePmtiles } from '@citymodel/tiles/testing';
import { openPmtilesUpload } from './pmtiles-upload.ts';
import { type Ingesting, openIngesting } from './testing/ingesting.ts';
import { PackageRefused } from './upload.ts';

const TILES = [
  { z: 10, x: 909, y: 403, bytes: Buffer.from('the first tile '.repeat(20)) },
  { z: 9, x: 454, y: 201, bytes: Buffer.from('another tile') },
];

async function opened(at: Ingesting, bytes: Uint8Array) {
  const path = join(at.directory, 'tiles.PMTILES');
  await writeFile(path, bytes);
  const stagingDir = join(at.directory, 'data/staging');
  return { path, stagingDir, upload: openPmtilesUpload(path, { ...at.stores, stagingDir }) };
}

test('tiles of a PMTiles file are members by their places, beside its metadata, packed or not', async () => {
  await using at = await openIngesting();
  for (const gzip of [true, false]) {
    const {
      path,
      stagingDir,
      upload: opening,
    } = await opened(at, writePmtiles(TILES, { gzip, metadata: { a: 1 } }));
    const upload = await opening;
    assert.deepEqual([upload.location, upload.name], [path, 'tiles']);
    const texts: Record<string, string> = {};
    for (const member of upload.members()) {
      texts[member.name] = String(await buffer(upload.read(member)));
      assert.equal(member.modified, Date.UTC(1980, 0, 1));
      assert.equal(upload.raw(member)?.method, 8);
    }
    assert.equal(JSON.parse(texts['metadata.json']!).a, 1);
    assert.equal(texts['10/909/403.mvt'], String(TILES[0]!.bytes));
    assert.equal(texts['9/454/201.mvt'], String(TILES[1]!.bytes));
    assert.equal(Object.keys(texts).length, 3);
    await upload[Symbol.asyncDispose]();
    assert.deepEqual(await readdir(stagingDir), []);
  }
});

test('a file that is none, has other tiles or lies about them is refused, and leaves nothing', async () => {
  await using at = await openIngesting();
  const lying = Buffer.from(writePmtiles(TILES, { gzip: false }));
  // Section 3.2 of PMTiles 3: how tiles are compressed.
  lying[98] = 2;
  for (const [bytes, reason] of [
    [Buffer.from('PMTiles but no more'), /tiles\.PMTILES: /],
    [writePmtiles(TILES, { tileType: 2 }), /tiles\.PMTILES: /],
    [lying, /the tile \d+\/\d+\/\d+\.mvt is not the gzip file that the header says it is/],
  ] as const) {
    const { stagingDir, upload } = await opened(at, bytes);
    await assert.rejects(upload, (error: unknown) => {
      assert.ok(error instanceof PackageRefused);
      assert.equal(error.code, 'BAD_PMTILES');
      assert.match(error.reason, reason);
      return true;
    });
    assert.deepEqual(await readdir(stagingDir), []);
  }
});
