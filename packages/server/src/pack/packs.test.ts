import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { PackageRow, PackSource } from '@citymodel/store';
import { beginPack, FlippingStore, MemoryStore } from '@citymodel/store/testing';
import { bufferSource, MemberDamaged } from '@citymodel/zip';
import { strictZip } from '@citymodel/zip/testing';
import { ServiceError } from '../base/errors.ts';
import { AssetUrls } from '../catalogue/names/asset-urls.ts';
import { newestFiles } from '../catalogue/search/file-filter.ts';
import { packId } from './pack-id.ts';
import { PackWatch } from './pack-watch.ts';
import { Packs, type PacksOptions } from './packs.ts';
import { makePack } from './testing/make-pack.ts';
import { type PackFixture, packFixture, sourceOf } from './testing/pack-fixture.ts';

const FILE = 'udx/bldg/a.gml';
const ID = packId(['https://h/a.gml']);

test('a pack that was forgotten and made again has the bytes of its new archives', async () => {
  await using fixture = await packFixture();
  const packs = packsOf(fixture);
  const texts = ['as it was', 'as it is now under the same URL'];
  for (const [generation, text] of texts.entries()) {
    const row = await fixture.publish(`edition-${generation}`, { [FILE]: text });
    await make(fixture, sourceOf(row, [FILE]), Date.now() + generation);
    const zip = await packs.zip(ID);
    let bytes = 0;
    for await (const chunk of zip.range(0, zip.size)) bytes += chunk.length;
    assert.equal(bytes, zip.size, text);
    await fixture.packs.forget(ID, 1, Number.MAX_SAFE_INTEGER);
    await fixture.objects.delete(row.archiveKey);
  }
});

const NEVER = new AbortController().signal;
const urls = new AssetUrls({ publicUrl: 'https://h', assetUrl: 'https://h/assets' });

/** Packs over one package of two files, with what they asked of the catalogue and the search. */
async function service(options: Partial<PacksOptions> = {}) {
  const fixture = await packFixture();
  const texts = { [FILE]: 'a'.repeat(40), 'udx/bldg/b.gml': 'b'.repeat(50), 'codelists/c.xml': 'c' };
  const row = await fixture.publish('p1', texts, { name: 'city', assetPath: 'ab/p1' });
  const seen = { accepted: 0, refreshed: 0, searched: 0 };
  let rows: PackageRow[] = [row];
  const snapshotOf = (list: PackageRow[]) => ({
    findAsset: ({ packageName }: { packageName: string }) => list.find(({ name }) => name === packageName),
  });
  let current = snapshotOf(rows);
  const { packs, objects, archives } = fixture;
  const stores = {
    packs,
    objects,
    archives,
    urls,
    catalogue: {
      current: () => current,
      async refresh() {
        seen.refreshed++;
        if (rows.length > 0 && current.findAsset({ packageName: 'city' }) === undefined)
          current = snapshotOf(rows);
        return current;
      },
    },
    search: {
      async searchFiles() {
        return { files: 0, packages: [] };
      },
      async search() {
        seen.searched++;
        throw new ServiceError(404, 'not found', { reason: 'No published CityGML file lies there.' });
      },
    },
    watch: new PackWatch({ packs, pollMs: 1e6, maxWaiting: 10 }),
    maxUrls: 2,
    maxBytes: 10_000,
    quotaBytes: 1e9,
    retentionMs: 60_000,
    onAccepted: () => seen.accepted++,
    ...options,
  };
  return {
    fixture,
    row,
    seen,
    packs: new Packs(stores as unknown as PacksOptions),
    url: (path: string) => urls.member(row, path),
    /** What the snapshot knows until it is refreshed. */
    forget() {
      current = snapshotOf([]);
    },
    publish(list: PackageRow[]) {
      rows = list;
    },
    async [Symbol.asyncDispose]() {
      await stores.watch.close();
      await fixture[Symbol.asyncDispose]();
    },
  };
}

function refused(work: Promise<unknown>, status: number, error: string, reason: RegExp) {
  return assert.rejects(work, (thrown) => {
    assert.ok(thrown instanceof ServiceError, String(thrown));
    assert.deepEqual([thrown.status, thrown.message], [status, error]);
    assert.match(thrown.reason ?? '', reason);
    return true;
  });
}

/** Work on the pack that waits, as a worker does it. */
async function work(fixture: PackFixture, materialise = false) {
  const { packs, archives, objects } = fixture;
  const now = Date.now();
  const { run } = await beginPack(fixture, now);
  const progress: number[] = [];
  const onProgress = (value: number) => progress.push(value);
  const result = await makePack(run, {
    archives,
    objects,
    materialise,
    maxBytes: 1e9,
    signal: NEVER,
    onProgress,
  });
  assert.ok(await packs.succeed(run, { ...result, now, expiresAt: now + 60_000 }));
  return progress;
}

describe('asking for a pack', () => {
  test('takes up to so many different URLs, and each once', async () => {
    await using at = await service();
    const [a, b] = [at.url(FILE), at.url('udx/bldg/b.gml')];
    assert.equal(await at.packs.accept([a, b, a]), packId([a, b]));
    assert.equal(at.seen.accepted, 1);
    await refused(at.packs.accept([]), 400, 'no urls provided', /Expected "urls"/);
    await refused(
      at.packs.accept([a, b, urls.metadataZip(at.row, 'codelists')]),
      400,
      'invalid request',
      /^3 different URLs were given; at most 2 are accepted in one pack\.$/,
    );
  });

  test('refuses a zip that would be too large, and only that', async () => {
    await using probe = await service();
    await probe.packs.accept([probe.url(FILE)]);
    await work(probe.fixture);
    const { size } = await probe.packs.zip(packId([probe.url(FILE)]));
    for (const [maxBytes, isAccepted] of [
      [size, true],
      [size - 1, false],
    ] as const) {
      await using at = await service({ maxBytes });
      const accepting = at.packs.accept([at.url(FILE)]);
      if (isAccepted) await accepting;
      else
        await refused(
          accepting,
          400,
          'invalid request',
          new RegExp(`would have ${size} bytes .* at most ${maxBytes} bytes`),
        );
    }
  });

  test('looks again at the catalogue when a package is not known, and tells of it when it is still not', async () => {
    await using at = await service();
    at.forget();
    await at.packs.accept([at.url(FILE)]);
    assert.equal(at.seen.refreshed, 1);
    await refused(at.packs.accept([at.url('udx/bldg/none.gml')]), 400, 'not found', /No hosted package/);
    assert.equal(at.seen.refreshed, 2);
    await refused(at.packs.accept(['ftp://h/a.gml']), 400, 'invalid url', /only http/);
    assert.equal(at.seen.refreshed, 2, 'a URL that nobody could have is not looked for');
  });

  test('tells of a package that was removed in the moment', async () => {
    await using at = await service();
    await at.fixture.catalogue.setState(at.row.no, 'removed');
    await at.fixture.catalogue.forget(at.row.no);
    await refused(at.packs.accept([at.url(FILE)]), 400, 'not found', /has just been removed/);
    assert.equal(at.seen.accepted, 0);
  });

  for (const materialise of [false, true]) {
    test(`makes a ${materialise ? 'zip' : 'layout'} again whose object is gone`, async () => {
      await using at = await service();
      const id = await at.packs.accept([at.url(FILE)]);
      await work(at.fixture, materialise);
      const [row] = await at.fixture.packs.find([id], Date.now());
      await at.packs.accept([at.url(FILE)]);
      assert.equal((await at.packs.status(id, 0, NEVER)).status, 'succeeded');
      await at.fixture.objects.delete(row!.objectKey!);
      await at.packs.accept([at.url(FILE)]);
      assert.equal((await at.packs.status(id, 0, NEVER)).status, 'accepted');
      await work(at.fixture, materialise);
      assert.ok((await at.packs.zip(id)).size > 0);
    });
  }

  test('makes room, and says when packs in work take it all', async () => {
    await using at = await service({ quotaBytes: 0 });
    await at.packs.accept([at.url(FILE)]);
    await work(at.fixture);
    await at.packs.accept([at.url('udx/bldg/b.gml')]);
    await refused(at.packs.status(packId([at.url(FILE)]), 0, NEVER), 404, 'not found', /no such pack/);
    await using full = await service({ quotaBytes: -1 });
    await refused(full.packs.accept([full.url(FILE)]), 503, 'unavailable', /all the room/);
  });

  test('by conditions: all that is found, why nothing is, and not more than may be', async () => {
    const conditions = {} as never;
    await using none = await service();
    const nothing = none.packs.acceptConditions({ conditions, filters: newestFiles(null) }, NEVER);
    await refused(nothing, 404, 'not found', /No published CityGML file lies there/);
    assert.equal(none.seen.searched, 1);
    const found = (files: number, of: PackageRow[]) => ({
      searchFiles: async () => ({
        files,
        packages: of.map((pkg) => ({
          package: pkg,
          types: new Map([['bldg', { package: pkg, rows: [{ path: FILE }, { path: 'udx/bldg/b.gml' }] }]]),
        })),
      }),
    });
    const search = { ...found(3, []) } as unknown as PacksOptions['search'];
    await using many = await service({ search });
    await refused(
      many.packs.acceptConditions({ conditions, filters: newestFiles(null) }, NEVER),
      400,
      'invalid request',
      /find 3 files; at most 2/,
    );
    const two: { of: PackageRow[] } = { of: [] };
    await using both = await service({
      search: { searchFiles: () => found(2, two.of).searchFiles() } as unknown as PacksOptions['search'],
    });
    two.of.push(both.row);
    const id = await both.packs.acceptConditions({ conditions, filters: newestFiles(null) }, NEVER);
    assert.equal(id, packId([both.url(FILE), both.url('udx/bldg/b.gml')]));
  });
});

describe('a pack that was asked for', () => {
  test('tells its state, and when it succeeded its size, files and end', async () => {
    await using at = await service();
    const id = await at.packs.accept([at.url(FILE)]);
    const before = await at.packs.status(id, 0, NEVER);
    assert.deepEqual(
      { ...before, startedAt: '' },
      { id, status: 'accepted', progress: 0, startedAt: '', url: `https://h/citygml/pack/${id}.zip` },
    );
    await refused(at.packs.zip(id), 400, 'invalid status', /not done yet/);
    const waited = at.packs.status(id, 60_000, NEVER);
    await work(at.fixture);
    const later = await Promise.race([waited, at.packs.status(id, 0, NEVER)]);
    assert.deepEqual(
      [later.status, later.progress, later.files, later.missing, later.missingCount, later.reason],
      ['succeeded', 1, 1, [], 0, undefined],
    );
    assert.equal(Date.parse(later.expiresAt!) > Date.parse(later.startedAt), true);
    assert.equal((await at.packs.zip(id)).size, later.size);
    assert.deepEqual(
      (await at.packs.recent(5)).map((pack) => pack.id),
      [id],
    );
    assert.equal(
      (await at.packs.status(id, 60_000, NEVER)).status,
      'succeeded',
      'nobody waits for what is done',
    );
  });

  test('is no pack: 404, with a reason for its status and none for its bytes', async () => {
    await using at = await service();
    for (const id of ['nonsense', packId(['https://h/other.gml'])]) {
      await refused(at.packs.status(id, 0, NEVER), 404, 'not found', /may have expired/);
      await refused(at.packs.zip(id), 404, 'not found', /^$/);
    }
  });

  test('failed: its zip says why', async () => {
    await using at = await service();
    const id = await at.packs.accept([at.url(FILE)]);
    const now = Date.now();
    const { run } = await beginPack(at.fixture, now);
    await at.fixture.packs.fail(run, 'It broke.', { now, expiresAt: now + 60_000 });
    await refused(
      at.packs.zip(id),
      400,
      'invalid status',
      /^The pack failed: It broke\. Posting its URLs again/,
    );
    assert.equal((await at.packs.status(id, 0, NEVER)).reason, 'It broke.');
  });

  test('written out or laid out, it has the same bytes; progress grows and stays below 1', async () => {
    const zips: Buffer[] = [];
    for (const materialise of [false, true]) {
      await using at = await service();
      const id = await at.packs.accept([at.url(FILE), at.url('udx/bldg/b.gml')]);
      const progress = await work(at.fixture, materialise);
      assert.deepEqual(
        progress,
        progress.toSorted((a, b) => a - b),
      );
      assert.deepEqual(
        progress.map((value) => value.toFixed(3)),
        materialise ? ['0.050', '0.100', '0.990'] : ['0.495', '0.990'],
      );
      const zip = await at.packs.zip(id);
      const chunks: Uint8Array[] = [];
      for await (const chunk of zip.range(0, zip.size)) chunks.push(Buffer.from(chunk));
      for await (const chunk of zip.range(3, 9)) chunks.push(Buffer.from(chunk));
      const bytes = Buffer.concat(chunks);
      assert.ok(bytes.subarray(zip.size).equals(bytes.subarray(3, 9)));
      zips.push(bytes);
    }
    assert.ok(zips[0]!.equals(zips[1]!));
  });

  test(
    'of a zip that is written out no byte leaves unlooked at, and a bit that flips once costs no ' +
      'download',
    async () => {
      const store = new FlippingStore();
      const { flip } = store;
      await using fixture = await packFixture(store);
      const row = await fixture.publish('p1', {
        [FILE]: { text: 'a'.repeat(50_000), refersTo: [] },
        'a.jpg': 'x'.repeat(90_000),
      });
      await make(fixture, sourceOf(row, [FILE, 'a.jpg']), Date.now(), true);
      const keys = [];
      for await (const { key, size } of fixture.objects.list('packs/')) keys.push({ key, size });
      assert.deepEqual(
        keys.map(({ key }) => key.replace(/^.*\./, '')),
        ['zip', 'sums'],
      );
      const zip = await packsOf(fixture).zip(ID);
      const right = await concat(zip.range(0, zip.size));
      await strictZip(bufferSource(right), { crc: true });
      for (const { key, size } of keys) {
        for (let at = 0; at < size; at += Math.ceil(size / 9)) {
          for (const times of [1, Number.POSITIVE_INFINITY]) {
            Object.assign(flip, { key, at, times });
            const download = concat((await packsOf(fixture).zip(ID)).range(0, zip.size));
            if (times === 1) assert.ok((await download).equals(right), `${key} ${at}`);
            else await assert.rejects(download, MemberDamaged);
            assert.ok(flip.times === 0 || times > 1);
            flip.times = 0;
            const part = (await packsOf(fixture).zip(ID)).range(40_000, 60_000);
            assert.ok((await concat(part)).equals(right.subarray(40_000, 60_000)));
          }
        }
      }
      // One that a program of before has made has no sums.
      await fixture.objects.delete(keys[1]!.key);
      assert.ok((await concat((await packsOf(fixture).zip(ID)).range(0, zip.size))).equals(right));
    },
  );

  test('of an archive that came damaged nothing is packed', async () => {
    const store = new FlippingStore();
    const { flip } = store;
    await using fixture = await packFixture(store);
    const row = await fixture.publish('p1', { [FILE]: { text: 'a'.repeat(90_000), refersTo: [] } });
    Object.assign(flip, { key: row.archiveKey, at: 60, times: Number.POSITIVE_INFINITY });
    const { archives, objects } = fixture;
    const parts = { archives, objects, materialise: true, maxBytes: 1e9, signal: NEVER, onProgress() {} };
    const run = { id: ID, run: 1, sources: [sourceOf(row, [FILE])] };
    await assert.rejects(makePack(run, parts), MemberDamaged);
    for await (const { key } of objects.list('packs/')) assert.fail(key);
    flip.times = 1;
    const { objectKey, size } = await makePack(run, parts);
    await using handle = await objects.open(objectKey);
    await strictZip(bufferSource(await handle.read(0, size)), { crc: true });
  });

  test('a zip whose sums cannot be written does not stay', async () => {
    const state = { isDown: true };
    class Halved extends MemoryStore {
      override async put(...[key, ...rest]: Parameters<MemoryStore['put']>) {
        if (state.isDown && key.endsWith('.sums')) throw new Error('store is down');
        return super.put(key, ...rest);
      }
    }
    await using fixture = await packFixture(new Halved());
    const row = await fixture.publish('p1', { [FILE]: { text: 'a', refersTo: [] } });
    const { archives, objects } = fixture;
    const parts = { archives, objects, materialise: true, maxBytes: 1e9, signal: NEVER, onProgress() {} };
    const run = { id: ID, run: 1, sources: [sourceOf(row, [FILE])] };
    const keys = async () => {
      const found: string[] = [];
      for await (const { key } of objects.list('packs/')) found.push(key);
      return found;
    };
    await assert.rejects(makePack(run, parts), /store is down/);
    assert.deepEqual(await keys(), []);
    state.isDown = false;
    const { objectKey } = await makePack(run, parts);
    assert.deepEqual((await keys()).sort(), [objectKey, `${objectKey}.sums`]);
  });
});

async function concat(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const copies: Buffer[] = [];
  for await (const chunk of chunks) copies.push(Buffer.from(chunk));
  return Buffer.concat(copies);
}

/** Accepts and makes the pack as a worker does. */
async function make(fixture: PackFixture, source: PackSource, now: number, materialise = false) {
  const { packs, archives, objects } = fixture;
  const expiresAt = now + 60_000;
  await packs.accept({ id: ID, sources: [source] }, { now, expiresAt });
  const { run } = await beginPack(fixture, now);
  const { signal } = new AbortController();
  const result = await makePack(run, {
    archives,
    objects,
    materialise,
    maxBytes: 1e9,
    signal,
    onProgress() {},
  });
  assert.ok(await packs.succeed(run, { ...result, now, expiresAt }));
}

/** For downloads alone, which need nothing else. */
function packsOf({ packs, objects, archives }: PackFixture): Packs {
  return new Packs({ packs, objects, archives } as PacksOptions);
}
