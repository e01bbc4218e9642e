import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import { CatalogueConflict, type CatalogueStore } from '../catalogue-store.ts';
import type { JobStore } from '../job-store.ts';
import type { PackRequest, PackResult, PackSource, PackStore } from '../pack-store.ts';
import type { PackageRow } from '../rows.ts';
import type { SqlDriver } from '../sql/driver.ts';
import { beginPack, claimPackJob } from './begin-pack.ts';
import { packageOf, publish } from './fixtures.ts';

/** Where the stores of one test keep their database. */
export interface PackStoreFixture extends AsyncDisposable {
  /** Stores over the same database each time, migrated or not. */
  open(): Promise<PackStores>;
}

export interface PackStores {
  driver: SqlDriver;
  catalogue: CatalogueStore;
  packs: PackStore;
  jobs: JobStore;
}

const NOW = 1_000_000;
const DAY = 86_400_000;

function sourceOf(row: PackageRow, changes: Partial<PackSource> = {}): PackSource {
  return {
    packageId: row.id,
    directory: row.name,
    archiveKey: row.archiveKey,
    indexKey: row.indexKey,
    archiveSha256: row.archiveSha256,
    files: ['udx/bldg/a.gml', 'udx/bldg/見本.gml'],
    metadata: ['codelists'],
    ...changes,
  };
}

const idOf = (text: string) => createHash('sha256').update(text).digest('hex');

const RESULT: PackResult = {
  now: NOW + 5,
  expiresAt: NOW + DAY,
  size: 2 ** 41 + 1,
  files: 12,
  digest: 'd'.repeat(64),
  objectKey: 'packs/x/1.layout',
  materialised: false,
  missing: ['a/codelists/見本.xml'],
  objectBytes: 500,
  missingCount: 7,
};

/** Registers the tests that every PackStore has to pass; `create` makes an empty database for each. */
export function packStoreConformance(name: string, create: () => Promise<PackStoreFixture>): void {
  const withPacks = (
    title: string,
    run: (
      stores: PackStores & {
        fixture: PackStoreFixture;
        pkg: PackageRow;
        accept(id: string, now?: number): Promise<void>;
        /** Takes the next job that makes a pack, and begins. */
        begin(now?: number): ReturnType<typeof beginPack>;
      },
    ) => Promise<void>,
  ) =>
    test(title, async () => {
      await using fixture = await create();
      const stores = await fixture.open();
      const { catalogue, packs } = stores;
      try {
        await catalogue.migrate();
        const pkg = await publish(catalogue, packageOf('p1'));
        const accept = async (id: string, now = NOW) => {
          await packs.accept({ id: idOf(id), sources: [sourceOf(pkg)] }, { now, expiresAt: now + DAY });
        };
        const begin = (now = NOW) => beginPack(stores, now);
        await run({ ...stores, fixture, pkg, accept, begin });
      } finally {
        await catalogue.close();
      }
    });

  describe(`pack store: ${name}`, () => {
    withPacks('lists the newest packs, without expired ones', async ({ packs, accept, begin }) => {
      await accept('old', NOW);
      await accept('new', NOW + 2);
      await accept('middle', NOW + 1);
      const ids = async (limit: number, now = NOW) => (await packs.recent(limit, now)).map(({ id }) => id);
      assert.deepEqual(await ids(9), [idOf('new'), idOf('middle'), idOf('old')]);
      assert.deepEqual(await ids(2), [idOf('new'), idOf('middle')]);
      const { run } = await begin(NOW + 3);
      await packs.fail(run, 'no', { now: NOW, expiresAt: NOW + 10 });
      assert.deepEqual(await ids(9, NOW + 11), [idOf('new'), idOf('middle')]);
    });

    withPacks('takes a pack through its states', async ({ packs, jobs, pkg, begin }) => {
      const request: PackRequest = { id: idOf('a'), sources: [sourceOf(pkg)] };
      const accepted = await packs.accept(request, { now: NOW, expiresAt: NOW + DAY });
      assert.deepEqual(accepted, {
        id: request.id,
        status: 'accepted',
        progress: 0,
        run: 0,
        acceptedAt: NOW,
        startedAt: null,
        finishedAt: null,
        expiresAt: null,
        reason: null,
        size: null,
        files: null,
        digest: null,
        objectKey: null,
        materialised: false,
        missing: [],
        missingCount: 0,
      });
      assert.deepEqual(await packs.find([request.id, idOf('none')], NOW), [accepted]);
      const [job, ...others] = await jobs.list({}, { limit: 9, offset: 0 });
      assert.deepEqual([job!.state, job!.payload, others], ['queued', { pack: request.id }, []]);
      assert.ok(!job!.label.includes(request.id), 'a person who sees jobs may not download the pack');

      const { run } = await begin(NOW + 2);
      assert.deepEqual(run, { ...request, run: 1 });
      assert.equal(await claimPackJob(jobs, NOW + 2), null, 'nobody else gets it');
      assert.equal(await packs.advance(run, 0.5), true);
      assert.equal(await packs.advance(run, 0.25), true);
      const [processing] = await packs.find([request.id], NOW);
      assert.deepEqual(processing, {
        ...accepted,
        status: 'processing',
        run: 1,
        progress: 0.5,
        startedAt: NOW + 2,
      });

      assert.equal(await packs.succeed(run, RESULT), true);
      const { now, objectBytes: _, ...result } = RESULT;
      const [succeeded] = await packs.find([request.id], NOW);
      assert.deepEqual(succeeded, {
        ...processing,
        ...result,
        status: 'succeeded',
        progress: 1,
        finishedAt: now,
      });
      for (const late of [
        packs.advance(run, 0.9),
        packs.succeed(run, RESULT),
        packs.fail(run, 'no', { now, expiresAt: now }),
      ]) {
        assert.equal(await late, false, 'a finished pack does not change');
      }
      assert.deepEqual(await packs.find([request.id], NOW), [succeeded]);
    });

    withPacks('finds a pack that is there instead of accepting it again', async (stores) => {
      const { packs, jobs, pkg, begin } = stores;
      const request: PackRequest = { id: idOf('a'), sources: [sourceOf(pkg)] };
      const accept = (now: number, sources = request.sources) =>
        packs.accept({ ...request, sources }, { now, expiresAt: now + DAY });
      await accept(NOW);
      assert.equal((await accept(NOW + 1)).acceptedAt, NOW);
      const { run } = await begin();
      assert.equal((await accept(NOW + 2)).status, 'processing');
      await packs.succeed(run, RESULT);
      const again = await accept(NOW + 10);
      assert.equal(again.status, 'succeeded');
      assert.equal(again.expiresAt, NOW + 10 + DAY, 'asking for it again keeps it');
      assert.equal((await accept(NOW + 5)).expiresAt, NOW + 10 + DAY, 'and never shortens its time');
      assert.equal((await jobs.list({}, { limit: 9, offset: 0 })).length, 1, 'wanted often, it is one job');

      const sources = [sourceOf(pkg, { archiveSha256: 'e'.repeat(64) })];
      const changed = await accept(NOW + 11, sources);
      assert.deepEqual([changed.status, changed.progress, changed.run], ['accepted', 0, 2]);
      const second = await begin(NOW + 11);
      assert.deepEqual(second.run, { id: request.id, sources, run: 3 });
      const times = { now: NOW + 12, expiresAt: NOW + DAY };
      assert.equal(await packs.fail(second.run, 'It was too much.', times), true);
      const [failed] = await packs.find([request.id], NOW + 12);
      assert.deepEqual([failed!.status, failed!.reason, failed!.progress], ['failed', 'It was too much.', 0]);
      const retried = await accept(NOW + 13, sources);
      assert.deepEqual([retried.status, retried.reason, retried.run], ['accepted', null, 4]);
      assert.equal((await begin(NOW + 13)).run.run, 5);
    });

    withPacks('is begun by the attempt that has its job, and by no other', async (stores) => {
      const { packs, jobs, accept } = stores;
      await accept('a');
      const job = await claimPackJob(jobs, NOW);
      const first = await packs.begin(idOf('a'), job!, NOW);
      await jobs.recover({ now: NOW + 100, dead: [] });
      assert.equal(await packs.begin(idOf('a'), job!, NOW), null, 'its worker counts as dead');
      const again = await claimPackJob(jobs, NOW + 100);
      assert.equal(await packs.begin(idOf('a'), job!, NOW), null, 'another attempt has the job');
      assert.equal(await packs.advance(first!, 0.5), true, 'nobody has begun again yet');
      const second = await packs.begin(idOf('a'), again!, NOW + 101);
      assert.equal(second!.run, 2);
      assert.equal(await packs.advance(first!, 0.9), false);
      assert.equal(await packs.succeed(first!, RESULT), false);
      assert.equal(await packs.fail(first!, 'no', { now: NOW, expiresAt: NOW }), false);
      const [pack] = await packs.find([idOf('a')], NOW);
      assert.deepEqual([pack!.status, pack!.progress, pack!.startedAt], ['processing', 0.5, NOW]);
      assert.equal(await packs.begin(idOf('b'), again!, NOW), null, 'there is no such pack');
    });

    withPacks(
      'leaves a job alone that an earlier acceptance queued',
      async ({ packs, jobs, pkg, accept }) => {
        await accept('a');
        const job = await claimPackJob(jobs, NOW);
        const run = await packs.begin(idOf('a'), job!, NOW);
        const sources = [sourceOf(pkg, { archiveSha256: 'e'.repeat(64) })];
        await packs.accept({ id: idOf('a'), sources }, { now: NOW, expiresAt: NOW + DAY });
        assert.equal(await packs.advance(run!, 0.5), false);
        assert.equal(await packs.begin(idOf('a'), job!, NOW), null);
        const next = await claimPackJob(jobs, NOW);
        assert.deepEqual((await packs.begin(idOf('a'), next!, NOW))!.sources, sources);
      },
    );

    withPacks('fails when its job was given up, and starts again when it is wanted', async (stores) => {
      const { packs, jobs, accept } = stores;
      const times = { now: NOW + 7, expiresAt: NOW + DAY };
      await accept('a');
      for (let death = 0; death < 10; death++) {
        assert.equal(await packs.mend(times), 0, 'somebody will work on it');
        await packs.begin(idOf('a'), (await claimPackJob(jobs, NOW + 200 * death))!, NOW);
        await jobs.recover({ now: NOW + 200 * death + 100, dead: [] });
      }
      assert.equal(await claimPackJob(jobs, NOW + DAY), null);
      assert.equal(await packs.mend(times), 1);
      assert.equal(await packs.mend(times), 0);
      const [failed] = await packs.find([idOf('a')], NOW);
      assert.deepEqual(
        [failed!.status, failed!.finishedAt, failed!.expiresAt],
        ['failed', NOW + 7, NOW + DAY],
      );
      assert.match(failed!.reason!, /begun 10 times.*worker went away/);
      assert.equal(await packs.refersTo('archives/p1.zip'), false);
      await accept('a', NOW + 8);
      assert.equal((await beginPack(stores, NOW + 8)).run.id, idOf('a'));
    });

    withPacks('fails when its job was cancelled, and starts again when it is wanted', async (stores) => {
      const { packs, jobs, accept } = stores;
      const cancel = async () => {
        const [job] = await jobs.list({ states: ['queued'] }, { limit: 1, offset: 0 });
        await jobs.cancel(job!.id, NOW);
      };
      await accept('a');
      await cancel();
      // Before anybody has looked.
      await accept('a');
      assert.equal(await packs.mend({ now: NOW, expiresAt: NOW + DAY }), 0);
      await cancel();
      assert.equal(await packs.mend({ now: NOW, expiresAt: NOW + DAY }), 1);
      const [failed] = await packs.find([idOf('a')], NOW);
      assert.deepEqual([failed!.status, failed!.reason], ['failed', 'It was cancelled.']);
    });

    withPacks('gets a job when it has none, as after an upgrade', async (stores) => {
      const { packs, jobs, driver, accept } = stores;
      await accept('older');
      await accept('forgotten');
      await accept('claimed');
      for (const { id, run } of await jobs.list({}, { limit: 9, offset: 0 })) {
        await jobs.cancel(id, NOW);
        await jobs.forget(id, run);
      }
      // As a program of an older version leaves them.
      await driver.write(null, async (tx) => {
        await tx.run('UPDATE pack SET job = NULL WHERE id <> $1', [idOf('forgotten')]);
        await tx.run(
          "UPDATE pack SET status = 'processing', run = 4, tries = 2, worker = 'old', lease_until = 9 WHERE id = $1",
          [idOf('claimed')],
        );
      });
      assert.equal(await packs.mend({ now: NOW, expiresAt: NOW + DAY }), 3);
      assert.equal(await packs.mend({ now: NOW, expiresAt: NOW + DAY }), 0);
      const runs = [];
      for (let i = 0; i < 3; i++) runs.push((await beginPack(stores, NOW)).run);
      assert.deepEqual(runs.map(({ id }) => id).sort(), ['older', 'forgotten', 'claimed'].map(idOf).sort());
      assert.equal(runs.find(({ id }) => id === idOf('claimed'))!.run, 5);
      const left = await driver.all(
        'SELECT id FROM pack WHERE worker IS NOT NULL OR lease_until IS NOT NULL',
      );
      assert.deepEqual(left, [], 'programs of older versions take none of them');
    });

    withPacks(
      'is mended once, by however many at the same time',
      async ({ packs, jobs, driver, fixture, accept }) => {
        for (let i = 0; i < 5; i++) await accept(`p${i}`);
        await driver.write(null, async (tx) => {
          await tx.run('UPDATE pack SET job = NULL');
          await tx.run('DELETE FROM job');
        });
        const other = await fixture.open();
        try {
          const times = { now: NOW, expiresAt: NOW + DAY };
          const mended = await Promise.all(
            Array.from({ length: 8 }, (_, i) => (i % 2 === 0 ? packs : other.packs).mend(times)),
          );
          assert.equal(
            mended.reduce((sum, count) => sum + count, 0),
            5,
          );
          assert.equal((await jobs.counts({})).queued, 5);
        } finally {
          await other.catalogue.close();
        }
      },
    );

    withPacks('keeps tables that packs have, also when their package gets others', async (stores) => {
      const { packs, catalogue, pkg, accept } = stores;
      const key = 'tables/packed';
      const set = async (id: string, keys: string[]) => {
        await catalogue.beginIntent({ id, keys, staging: null, host: 'h', pid: 1, heartbeatAt: 1 });
        const table = { type: 'bldg', size: 3, sha256: '0'.repeat(64), features: 2, version: 1, sums: '' };
        await catalogue.setTables({
          no: pkg.no,
          tables: keys.map((k) => ({ ...table, key: k })),
          intent: id,
        });
      };
      const source = sourceOf(pkg, {
        archiveKey: key,
        indexKey: '',
        files: ['city_bldg.parquet'],
        metadata: [],
      });
      const times = { now: NOW, expiresAt: NOW + DAY };
      const ask = (id: string) => packs.accept({ id: idOf(id), sources: [source] }, times);
      await assert.rejects(ask('b'), CatalogueConflict, 'no package has it yet');
      await set('i', [key]);
      await ask('b');
      await accept('a');
      await set('j', ['tables/later']);
      assert.deepEqual(await catalogue.garbage(), [key]);
      assert.deepEqual(await catalogue.claimGarbage('sweep', Number.MAX_SAFE_INTEGER, 10), []);
      await assert.rejects(ask('c'), CatalogueConflict, 'it may be gone at any moment');
    });

    withPacks(
      'keeps what packs need, until they are forgotten',
      async ({ packs, catalogue, pkg, accept, begin }) => {
        await accept('a');
        assert.equal(await packs.refersTo(pkg.archiveKey), true);
        assert.equal(await packs.refersTo('archives/other.zip'), false);
        await catalogue.setState(pkg.no, 'removed');
        await catalogue.forget(pkg.no);
        await sweepIntent(catalogue);
        assert.deepEqual(await catalogue.claimGarbage('sweep', Date.now() + DAY, 10), []);
        await assert.rejects(accept('b'), CatalogueConflict, 'its archive may be gone at any moment');

        const { run } = await begin();
        await packs.succeed(run, RESULT);
        assert.equal(await packs.refersTo(pkg.archiveKey), true);
        assert.deepEqual(await packs.expired(NOW + DAY), []);
        assert.deepEqual(await packs.find([run.id], NOW + DAY), [], 'an expired pack is not found');
        const [expired, ...others] = await packs.expired(NOW + DAY + 1);
        assert.deepEqual([expired!.id, expired!.run, others], [run.id, 1, []]);
        assert.ok(expired!.bytes > RESULT.objectBytes && expired!.bytes < RESULT.objectBytes + 5_000);
        assert.ok((await packs.bytes()) >= expired!.bytes);
        assert.equal(await packs.forget(run.id, 0, NOW + DAY + 1), false);
        assert.equal(await packs.forget(run.id, 1, NOW + DAY), false);
        assert.equal(await packs.forget(run.id, 1, NOW + DAY + 1), true);
        assert.equal(await packs.refersTo(pkg.archiveKey), false);
        const garbage = await catalogue.claimGarbage('sweep', Date.now() + DAY, 10);
        assert.deepEqual(garbage, [pkg.indexKey, pkg.archiveKey]);
      },
    );

    withPacks(
      'lets archives go that a finished pack does not read',
      async ({ packs, pkg, accept, begin }) => {
        await accept('a');
        await packs.succeed((await begin()).run, { ...RESULT, materialised: true });
        assert.equal(await packs.refersTo(pkg.archiveKey), false);
        assert.equal((await packs.find([idOf('a')], NOW))[0]!.materialised, true);
        await accept('b');
        await packs.fail((await begin()).run, 'no', { now: NOW, expiresAt: NOW + 1 });
        assert.equal(await packs.refersTo(pkg.archiveKey), false);
      },
    );

    withPacks(
      'an expired pack starts again, and its old run is not forgotten twice',
      async ({ packs, accept, begin }) => {
        await accept('a');
        await packs.succeed((await begin()).run, RESULT);
        const [expired] = await packs.expired(NOW + 2 * DAY);
        await accept('a', NOW + DAY);
        const [again] = await packs.find([idOf('a')], NOW + 2 * DAY);
        assert.deepEqual([again!.status, again!.run, again!.size], ['accepted', 2, null]);
        assert.equal(await packs.forget(expired!.id, expired!.run, NOW + 2 * DAY), false);
      },
    );

    withPacks('a pack whose object is lost starts again, once for each run', async (at) => {
      const { packs, pkg, begin, accept } = at;
      await accept('a');
      await packs.succeed((await begin()).run, RESULT);
      const request = { id: idOf('a'), sources: [sourceOf(pkg)] };
      const times = { now: NOW, expiresAt: NOW + DAY };
      assert.equal((await packs.accept(request, times)).status, 'succeeded');
      assert.equal((await packs.accept(request, { ...times, lost: 0 })).status, 'succeeded');
      const again = await packs.accept(request, { ...times, lost: 1 });
      assert.deepEqual([again.status, again.run, again.objectKey], ['accepted', 2, null]);
      assert.equal((await packs.accept(request, { ...times, lost: 1 })).run, 2);
    });

    withPacks('gives an orphan that every look of a day has noted, once', async ({ packs }) => {
      const look = async (keys: string[], now: number) => {
        const due = await packs.noteOrphans(keys, { now, before: now - DAY });
        await packs.endLook(now);
        return due;
      };
      assert.deepEqual(await look(['packs/a', 'packs/b', 'packs/b'], NOW), []);
      assert.deepEqual(await look(['packs/a', 'packs/b', 'packs/c'], NOW + 1), []);
      assert.deepEqual(await look(['packs/a', 'packs/c'], NOW + 2), []);
      assert.deepEqual(await look(['packs/a', 'packs/b'], NOW + DAY - 1), []);
      assert.deepEqual(await look(['packs/b', 'packs/a', 'packs/c'], NOW + DAY), ['packs/a']);
      assert.deepEqual(await look(['packs/a', 'packs/b', 'packs/c'], NOW + 2 * DAY), ['packs/b', 'packs/c']);
      assert.deepEqual(await look([], NOW + 3 * DAY), []);
    });

    withPacks('takes ten thousand files', async ({ packs, pkg, begin }) => {
      const files = Array.from({ length: 10_000 }, (_, i) => `udx/bldg/${53390000 + i}_bldg_6697_op.gml`);
      await packs.accept(
        { id: idOf('a'), sources: [sourceOf(pkg, { files })] },
        { now: NOW, expiresAt: NOW + 1 },
      );
      assert.deepEqual((await begin()).run.sources[0]!.files, files);
    });
  });
}

async function sweepIntent(catalogue: CatalogueStore): Promise<void> {
  const intent = { id: 'sweep', keys: [], staging: null, host: 'here', pid: 1 };
  await catalogue.beginIntent({ ...intent, heartbeatAt: Date.now() });
}
