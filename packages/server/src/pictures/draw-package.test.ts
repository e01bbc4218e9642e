/** Packages are drawn, whatever is wrong with them, and work that is ended or killed leaves nothing behind. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { CatalogueConflict, type ObjectStore, type PackageRow } from '@citymodel/store';
import { boxMesh, glbOf, tileOf, tilesetOf } from '@citymodel/tiles/testing';
import { writePackage } from '../convert/testing/small-package.ts';
import { checkStores } from '../ingest/check.ts';
import { type Ingesting, openIngesting } from '../ingest/testing/ingesting.ts';
import { hasPictures, isDrawn, makePictures, PICTURE_VERSION, TINTS } from './draw-package.ts';
import { makeMissingPictures } from './missing-pictures.ts';

const QUIET = { signal: new AbortController().signal, large: { width: 120, height: 64 } };

const NAME = '13101_chiyoda-ku_city_2023_citygml_1_op_bldg_3dtiles_lod1';
const BOXES = [-40, 0, 40].flatMap((east) =>
  [-40, 0, 40].map((north) => ({ east, north, half: 10, height: 25 })),
);

/** A package of 3D Tiles with a few buildings in its file `a.glb`, beside other contents. */
async function ingestTiles(
  at: Ingesting,
  { name = NAME, contents = {} }: { name?: string; contents?: Record<string, Uint8Array> } = {},
): Promise<PackageRow> {
  const all = { 'a.glb': await glbOf(boxMesh(BOXES, null), 'draco'), ...contents };
  const children = Object.keys(all).map((uri) => ({ ...tileOf(uri), transform: undefined }));
  const tileset = JSON.stringify(tilesetOf(tileOf(null, { children })));
  const path = join(at.directory, `${name}.zip`);
  await writePackage(path, [
    { path: 'tileset.json', text: tileset },
    ...Object.entries(all).map(([member, content]) => ({ path: member, text: content })),
  ]);
  await at.ingest(path);
  return (await live(at)).find((row) => row.name === name)!;
}

async function live(at: Ingesting): Promise<PackageRow[]> {
  const rows: PackageRow[] = [];
  for await (const page of at.stores.catalogue.packages(['live'])) rows.push(...page);
  return rows;
}

const contextOf = (at: Ingesting, objects: ObjectStore = at.stores.objects) => ({
  ...at.stores,
  objects,
  stagingDir: join(at.directory, 'staging'),
});

async function keysOf(at: Ingesting): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of at.stores.objects.list('pictures/')) keys.push(key);
  return keys;
}

describe('pictures of packages', () => {
  test('are four objects with their hashes, and others take their place', async () => {
    await using at = await openIngesting();
    const row = await ingestTiles(at);
    assert.equal(hasPictures(row), false);
    const report = await makePictures(row, contextOf(at), QUIET);
    assert.deepEqual([report.pictures, report.leftOut], [4, 0]);
    assert.equal(report.triangles, 90);
    assert.deepEqual([report.firstReason, report.beyond], [null, 0]);
    const [now] = await at.stores.catalogue.findPackages({ id: row.id });
    assert.equal(hasPictures(now!), true);
    const older = { ...now!.pictures!, version: PICTURE_VERSION - 1 };
    assert.equal(hasPictures({ ...now!, pictures: older }), false, 'an older program framed them otherwise');
    assert.deepEqual(
      now!.pictures!.images.map(({ theme, size, width, height }) => [theme, size, width, height]),
      [
        ['light', 'large', 120, 64],
        ['light', 'small', 60, 32],
        ['dark', 'large', 120, 64],
        ['dark', 'small', 60, 32],
      ],
    );
    const { images } = now!.pictures!;
    assert.equal(
      report.bytes,
      images.reduce((sum, { bytes }) => sum + bytes, 0),
    );
    for (const { key, bytes, sha256 } of images) {
      await using object = await at.stores.objects.open(key);
      const hash = createHash('sha256').update(await object.read(0, bytes));
      assert.deepEqual([object.size, hash.digest('hex')], [bytes, sha256]);
    }
    const keys = await keysOf(at);
    assert.deepEqual(keys.sort(), now!.pictures!.images.map(({ key }) => key).sort());
    assert.deepEqual(await at.stores.catalogue.intents(), []);
    assert.deepEqual((await checkStores(at.stores, { names: null, onProgress() {} })).faults, []);

    const again = await makePictures(now!, contextOf(at), QUIET);
    assert.equal(again.bytes, report.bytes, 'the same package looks the same');
    assert.deepEqual((await at.stores.catalogue.garbage()).sort(), keys.sort());
  });

  test('are missing, and drawn by names or all', async () => {
    await using at = await openIngesting();
    const { name } = await ingestTiles(at);
    const other = NAME.replace('lod1', 'lod2');
    await ingestTiles(at, { name: other });
    const missing = (names: string[] | null, all = false) =>
      makeMissingPictures(contextOf(at), { names, all, ...QUIET });
    assert.deepEqual((await missing(['another'])).made, []);
    const drawn = (await live(at)).filter(isDrawn).map((row) => row.name);
    assert.deepEqual(await missing(null), { made: drawn, lacks: [], faults: [] });
    assert.deepEqual((await missing(null)).made, []);
    assert.deepEqual((await missing([name], true)).made, [name]);
    // What cannot be read at all is said, and the others are drawn.
    await at.stores.objects.delete((await live(at)).find((row) => row.name === name)!.archiveKey);
    const { faults } = await missing(null, true);
    assert.deepEqual([faults.length, faults[0]!.place], [1, name]);
    assert.match(faults[0]!.fault, /cannot be drawn/);
  });

  test('lack what is damaged, and there are none of what has nothing to draw', async () => {
    await using at = await openIngesting();
    const damaged = await ingestTiles(at, { contents: { 'b.glb': Buffer.from('glTF, and then nothing') } });
    const report = await makePictures(damaged, contextOf(at), QUIET);
    assert.deepEqual([report.pictures, report.leftOut, report.triangles], [4, 1, 90]);
    assert.match(report.firstReason!, /^b\.glb: /);
    const name = NAME.replace('lod1', 'lod2');
    const empty = await ingestTiles(at, { name, contents: { 'a.glb': Buffer.from('glTF') } });
    const none = await makePictures(empty, contextOf(at), QUIET);
    assert.deepEqual([none.pictures, none.leftOut], [0, 1]);
    const [now] = await at.stores.catalogue.findPackages({ id: empty.id });
    assert.equal(hasPictures(now!), true, 'it is not drawn again and again');
    const { lacks } = await makeMissingPictures(contextOf(at), { names: null, all: true, ...QUIET });
    assert.deepEqual(
      lacks.map(({ place, leftOut }) => [place, leftOut]).sort(),
      [
        [damaged.name, 1],
        [name, 1],
      ].sort(),
    );
    assert.match(lacks.find(({ place }) => place === damaged.name)!.firstReason, /^b\.glb: /);
  });

  test('are none of a package without anything to draw, which is no fault', async () => {
    await using at = await openIngesting();
    const row = await ingestTiles(at, { contents: { 'a.glb': await glbOf(boxMesh([], null), 'none') } });
    const nothing = { pictures: 0, triangles: 0, leftOut: 0, firstReason: null, beyond: 0, bytes: 0 };
    assert.deepEqual(await makePictures(row, contextOf(at), QUIET), nothing);
    const [now] = await at.stores.catalogue.findPackages({ id: row.id });
    assert.deepEqual(now!.pictures, { version: PICTURE_VERSION, images: [] });
  });

  test('have leaves that are green, water that is blue and asphalt that is grey', () => {
    for (const tint of Object.values(TINTS)) assert.ok(tint.every((shade) => shade > 0 && shade < 1));
    const { veg, wtr, wwy, tran, rwy, trk, squr } = TINTS;
    const [red, green, blue] = veg!;
    assert.ok(green > red && red > blue);
    assert.ok(wtr![2] > wtr![1] && wtr![1] > wtr![0]);
    assert.deepEqual(wwy, wtr);
    assert.ok(Math.max(...tran!) - Math.min(...tran!) < 0.05);
    for (const road of [rwy, trk, squr]) assert.deepEqual(road, tran);
  });

  test('leave nothing behind when the work is ended, or the package is gone', async () => {
    await using at = await openIngesting();
    const row = await ingestTiles(at);
    const stop = new AbortController();
    // Ended while the second picture is put.
    let puts = 0;
    const objects = new Proxy(at.stores.objects, {
      get(target, name) {
        const value = Reflect.get(target, name) as unknown;
        if (name !== 'put') return typeof value === 'function' ? value.bind(target) : value;
        return (...all: Parameters<ObjectStore['put']>) => {
          if (++puts === 2) stop.abort(new Error('the process is to end'));
          return target.put(...all);
        };
      },
    });
    await assert.rejects(makePictures(row, contextOf(at, objects), { ...QUIET, signal: stop.signal }), {
      message: 'the process is to end',
    });
    assert.equal(puts, 2);
    assert.deepEqual(await keysOf(at), []);
    assert.deepEqual(await at.stores.catalogue.intents(), []);
    await at.stores.catalogue.setState(row.no, 'removed');
    await at.stores.catalogue.forget(row.no);
    await assert.rejects(makePictures(row, contextOf(at), QUIET), CatalogueConflict);
    assert.deepEqual(await keysOf(at), []);
  });
});
