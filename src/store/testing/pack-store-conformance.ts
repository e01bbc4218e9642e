import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import { CatalogueConflict, type CatalogueStore } from '../catalogue-store.ts';
import type { ClaimOptions, PackRequest, PackResult, PackSource, PackStore } from '../pack-store.ts';
import type { PackageRow } from '../rows.ts';
import { packageOf, publish } from './fixtures.ts';

/** Where the stores of one test keep their database. */
export interface PackStoreFixture extends AsyncDisposable {
  /** Stores over the same database each time, migrated or not. */
  open(): Promise<{ catalogue: CatalogueStore; packs: PackStore }>;
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

function claiming(worker: string, changes: Partial<ClaimOptions> = {}): ClaimOptions {
  return {
    worker,
    now: NOW,
    leaseUntil: NOW + 100,
    dead: [],
    maxTries: 3,
    expiresAt: NOW + DAY,
    ...changes,
  };
}

/** Registers the tests that every PackStore has to pass; `create` makes an empty database for each. */
export function packStoreConformance(name: string, create: () => Promise<PackStoreFixture>): void {
  const withPacks = (
    title: string,
    run: (given: {
      packs: PackStore;
      catalogue: CatalogueStore;
      fixture: PackStoreFixture;
      pkg: PackageRow;
      accept(id: string, now?: number): Promise<void>;
    }) => Promise<void>,
  ) =>
    test(title, async () => {
      await using fixture = await create();
      const { catalogue, packs } = await fixture.open();
      try {
        await catalogue.migrate();
        const pkg = await publish(catalogue, packageOf('p1'));
        const accept = async (id: string, now = NOW) => {
          await packs.accept({ id: idOf(id), sources: [sourceOf(pkg)] }, { now, expiresAt: now + DAY });
        };
        await run({ packs, catalogue, fixture, pkg, accept });
      } finally {
        await catalogue.close();
      }
    });

  describe(`pack store: ${name}`, () => {
    withPacks('lists the newest packs, without expired ones', async ({ packs, accept }) => {
      await accept('old', NOW);
      await accept('new', NOW + 2);
      await accept('middle', NOW + 1);
      const ids = async (limit: number, now = NOW) => (await packs.recent(limit, now)).map(({ id }) => id);
      assert.deepEqual(await ids(9), [idOf('new'), idOf('middle'), idOf('old')]);
      assert.deepEqual(await ids(2), [idOf('new'), idOf('middle')]);
      const claim = await packs.claim(claiming('w1'));
      await packs.fail(claim!, 'no', { now: NOW, expiresAt: NOW + 10 });
      assert.deepEqual(await ids(9, NOW + 11), [idOf('new'), idOf('middle')]);
    });

    withPacks('takes a pack through its states', async ({ packs, pkg }) => {
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

      const claim = await packs.claim(claiming('w1', { now: NOW + 2 }));
      assert.deepEqual(claim, { ...request, run: 1, tries: 1 });
      assert.deepEqual(await packs.holders(), ['w1']);
      assert.equal(await packs.claim(claiming('w2')), null, 'nobody else gets it');
      assert.equal(await packs.touch(claim!, 0.5, NOW + 200), true);
      assert.equal(await packs.touch(claim!, 0.25, NOW + 200), true);
      const [processing] = await packs.find([request.id], NOW);
      assert.deepEqual(processing, {
        ...accepted,
        status: 'processing',
        run: 1,
        progress: 0.5,
        startedAt: NOW + 2,
      });

      assert.equal(await packs.succeed(claim!, RESULT), true);
      const { now, objectBytes: _, ...result } = RESULT;
      const [succeeded] = await packs.find([request.id], NOW);
      assert.deepEqual(succeeded, {
        ...processing,
        ...result,
        status: 'succeeded',
        progress: 1,
        finishedAt: now,
      });
      assert.deepEqual(await packs.holders(), []);
      for (const late of [
        packs.touch(claim!, 0.9, NOW),
        packs.succeed(claim!, RESULT),
        packs.fail(claim!, 'no', { now, expiresAt: now }),
        packs.release(claim!, 0, true),
      ]) {
        assert.equal(await late, false, 'a finished pack does not change');
      }
      assert.deepEqual(await packs.find([request.id], NOW), [succeeded]);
    });

    withPacks('finds a pack that is there instead of accepting it again', async ({ packs, pkg }) => {
      const request: PackRequest = { id: idOf('a'), sources: [sourceOf(pkg)] };
      const accept = (now: number, sources = request.sources) =>
        packs.accept({ ...request, sources }, { now, expiresAt: now + DAY });
      await accept(NOW);
      assert.equal((await accept(NOW + 1)).acceptedAt, NOW);
      const claim = await packs.claim(claiming('w'));
      assert.equal((await accept(NOW + 2)).status, 'processing');
      await packs.succeed(claim!, RESULT);
      const again = await accept(NOW + 10);
      assert.equal(again.status, 'succeeded');
      assert.equal(again.expiresAt, NOW + 10 + DAY, 'asking for it again keeps it');
      assert.equal((await accept(NOW + 5)).expiresAt, NOW + 10 + DAY, 'and never shortens its time');

      const sources = [sourceOf(pkg, { archiveSha256: 'e'.repeat(64) })];
      const changed = await accept(NOW + 11, sources);
      assert.deepEqual([changed.status, changed.progress, changed.run], ['accepted', 0, 2]);
      const second = await packs.claim(claiming('w'));
      assert.deepEqual(second, { id: request.id, sources, run: 3, tries: 1 });
      await packs.fail(second!, 'It was too much.', { now: NOW + 12, expiresAt: NOW + DAY });
      const [failed] = await packs.find([request.id], NOW + 12);
      assert.deepEqual([failed!.status, failed!.reason, failed!.progress], ['failed', 'It was too much.', 0]);
      const retried = await accept(NOW + 13, sources);
      assert.deepEqual([retried.status, retried.reason, retried.run], ['accepted', null, 4]);
    });

    withPacks('takes over from workers that died, and gives up in the end', async ({ packs, accept }) => {
      await accept('a');
      const first = await packs.claim(claiming('w1'));
      assert.equal(await packs.claim(claiming('w2', { now: NOW + 99 })), null);
      const second = await packs.claim(claiming('w2', { now: NOW + 100, leaseUntil: NOW + 500 }));
      assert.deepEqual([second!.run, second!.tries], [2, 2]);
      assert.equal(await packs.touch(first!, 0.9, NOW + 900), false);
      assert.equal(await packs.succeed(first!, RESULT), false);
      const third = await packs.claim(claiming('w3', { now: NOW + 101, dead: ['w2', 'w9'] }));
      assert.equal(third!.run, 3);
      const [pack] = await packs.find([third!.id], NOW);
      assert.equal(pack!.startedAt, NOW, 'it started when work first began');

      assert.equal(await packs.claim(claiming('w4', { now: NOW + 102, dead: ['w3'] })), null);
      const [failed] = await packs.find([third!.id], NOW);
      assert.equal(failed!.status, 'failed');
      assert.match(failed!.reason!, /begun 3 times/);
      assert.equal(failed!.expiresAt, NOW + DAY);
    });

    withPacks('gives released packs to others, at their time', async ({ packs, accept }) => {
      await accept('a');
      const first = await packs.claim(claiming('w1'));
      assert.equal(await packs.release(first!, NOW + 50, true), true);
      assert.deepEqual(await packs.holders(), []);
      assert.equal(await packs.claim(claiming('w2', { now: NOW + 49 })), null);
      const second = await packs.claim(claiming('w2', { now: NOW + 50 }));
      assert.equal(second!.tries, 2);
      assert.equal(await packs.release(second!, 0, false), true);
      assert.equal((await packs.claim(claiming('w3')))!.tries, 2);
    });

    withPacks('hands out the fewest tries first, then the oldest', async ({ packs, accept }) => {
      await accept('tried', NOW - 10);
      const tried = await packs.claim(claiming('w'));
      await packs.release(tried!, 0, true);
      await accept('young', NOW + 2);
      await accept('old', NOW + 1);
      const order = [];
      for (let i = 0; i < 3; i++) order.push((await packs.claim(claiming('w')))!.id);
      assert.deepEqual(order, [idOf('old'), idOf('young'), idOf('tried')]);
    });

    withPacks('gives each pack to one worker only', async ({ packs, fixture, accept }) => {
      for (let i = 0; i < 60; i++) await accept(`p${i}`);
      const other = await fixture.open();
      try {
        const taken = await Promise.all(
          Array.from({ length: 90 }, (_, i) => (i % 2 === 0 ? packs : other.packs).claim(claiming(`w${i}`))),
        );
        const ids = taken.filter((claim) => claim !== null).map((claim) => claim.id);
        assert.equal(ids.length, 60);
        assert.equal(new Set(ids).size, 60);
      } finally {
        await other.catalogue.close();
      }
    });

    withPacks(
      'keeps what packs need, until they are forgotten',
      async ({ packs, catalogue, pkg, accept }) => {
        await accept('a');
        assert.equal(await packs.refersTo(pkg.archiveKey), true);
        assert.equal(await packs.refersTo('archives/other.zip'), false);
        await catalogue.setState(pkg.no, 'removed');
        await catalogue.forget(pkg.no);
        await sweepIntent(catalogue);
        assert.deepEqual(await catalogue.claimGarbage('sweep', Date.now() + DAY, 10), []);
        await assert.rejects(accept('b'), CatalogueConflict, 'its archive may be gone at any moment');

        const claim = await packs.claim(claiming('w'));
        await packs.succeed(claim!, RESULT);
        assert.equal(await packs.refersTo(pkg.archiveKey), true);
        assert.deepEqual(await packs.expired(NOW + DAY), []);
        assert.deepEqual(await packs.find([claim!.id], NOW + DAY), [], 'an expired pack is not found');
        const [expired, ...others] = await packs.expired(NOW + DAY + 1);
        assert.deepEqual([expired!.id, expired!.run, others], [claim!.id, 1, []]);
        assert.ok(expired!.bytes > RESULT.objectBytes && expired!.bytes < RESULT.objectBytes + 5_000);
        assert.ok((await packs.bytes()) >= expired!.bytes);
        assert.equal(await packs.forget(claim!.id, 0, NOW + DAY + 1), false);
        assert.equal(await packs.forget(claim!.id, 1, NOW + DAY), false);
        assert.equal(await packs.forget(claim!.id, 1, NOW + DAY + 1), true);
        assert.equal(await packs.refersTo(pkg.archiveKey), false);
        const garbage = await catalogue.claimGarbage('sweep', Date.now() + DAY, 10);
        assert.deepEqual(garbage, [pkg.indexKey, pkg.archiveKey]);
      },
    );

    withPacks('lets archives go that a finished pack does not read', async ({ packs, pkg, accept }) => {
      await accept('a');
      await packs.succeed((await packs.claim(claiming('w')))!, { ...RESULT, materialised: true });
      assert.equal(await packs.refersTo(pkg.archiveKey), false);
      assert.equal((await packs.find([idOf('a')], NOW))[0]!.materialised, true);
      await accept('b');
      const failing = await packs.claim(claiming('w'));
      await packs.fail(failing!, 'no', { now: NOW, expiresAt: NOW + 1 });
      assert.equal(await packs.refersTo(pkg.archiveKey), false);
    });

    withPacks(
      'an expired pack starts again, and its old run is not forgotten twice',
      async ({ packs, accept }) => {
        await accept('a');
        await packs.succeed((await packs.claim(claiming('w')))!, RESULT);
        const [expired] = await packs.expired(NOW + 2 * DAY);
        await accept('a', NOW + DAY);
        const [again] = await packs.find([idOf('a')], NOW + 2 * DAY);
        assert.deepEqual([again!.status, again!.run, again!.size], ['accepted', 2, null]);
        assert.equal(await packs.forget(expired!.id, expired!.run, NOW + 2 * DAY), false);
      },
    );

    withPacks('takes ten thousand files', async ({ packs, pkg }) => {
      const files = Array.from({ length: 10_000 }, (_, i) => `udx/bldg/${53390000 + i}_bldg_6697_op.gml`);
      await packs.accept(
        { id: idOf('a'), sources: [sourceOf(pkg, { files })] },
        { now: NOW, expiresAt: NOW + 1 },
      );
      assert.deepEqual((await packs.claim(claiming('w')))!.sources[0]!.files, files);
    });
  });
}

async function sweepIntent(catalogue: CatalogueStore): Promise<void> {
  const intent = { id: 'sweep', keys: [], staging: null, host: 'here', pid: 1 };
  await catalogue.beginIntent({ ...intent, heartbeatAt: Date.now() });
}
