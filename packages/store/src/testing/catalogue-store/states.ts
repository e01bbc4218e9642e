/** Packages become live, give way, come back and are forgotten, each in one step. */
import assert from 'node:assert/strict';
import { CatalogueConflict } from '../../catalogue-store.ts';
import type { PackageRow } from '../../rows.ts';
import { allPackages, gmlFileOf, packageOf, placeOf, publish } from '../fixtures.ts';
import type { WithCatalogue } from './with-catalogue.ts';

export function statesConformance(withCatalogue: WithCatalogue): void {
  withCatalogue('replaces a package in one step', async (catalogue, fixture) => {
    const other = await fixture.open();
    try {
      const files = (type: string) =>
        Array.from({ length: 3_000 }, (_, i) => gmlFileOf(String(53390000 + i), type));
      const first = await publish(catalogue, packageOf('r1', { identity: 'i' }), { files: files('bldg') });
      const publishing = publish(catalogue, packageOf('r2', { identity: 'i' }), {
        files: files('tran'),
        replaces: [first.no],
      });
      let done = false;
      const finished = publishing.finally(() => {
        done = true;
      });
      const states = new Set<string>();
      while (!done) {
        for (const reader of [catalogue, other]) {
          const found = await reader.gmlFiles({ meshPrefixes: ['5339'] });
          assert.equal(found.length, 3_000);
          states.add(found[0]!.type);
          assert.ok(found.every(({ type }) => type === found[0]!.type));
        }
      }
      const second = await finished;
      assert.ok(states.has('bldg'));
      assert.deepEqual(await allPackages(other), [second]);
      assert.deepEqual(
        (await allPackages(other, ['retired'])).map(({ id }) => id),
        ['r1'],
      );
    } finally {
      await other.close();
    }
  });

  withCatalogue('refuses a second live package', async (catalogue) => {
    const first = await publish(catalogue, packageOf('a', { identity: 'i' }));
    await assert.rejects(publish(catalogue, packageOf('a', { identity: 'other' })), CatalogueConflict);
    await assert.rejects(publish(catalogue, packageOf('b', { identity: 'i' })), CatalogueConflict);
    assert.deepEqual(await allPackages(catalogue), [first]);
    const b = await publish(catalogue, packageOf('c', { identity: 'i' }), { replaces: [first.no] });
    await assert.rejects(catalogue.setState(first.no, 'live'), CatalogueConflict);
    await catalogue.setState(b.no, 'removed');
    await catalogue.setState(first.no, 'live');
    assert.deepEqual(await allPackages(catalogue), [first]);
    await assert.rejects(catalogue.setState(12_345, 'removed'), CatalogueConflict);
  });

  withCatalogue('brings back what was replaced or removed, in one step', async (catalogue) => {
    const first = await publish(catalogue, packageOf('a', { identity: 'i' }), {
      files: [gmlFileOf('53390001')],
    });
    const second = await publish(catalogue, packageOf('b', { identity: 'i' }), {
      files: [gmlFileOf('53390002')],
      replaces: [first.no],
    });
    const other = await publish(catalogue, packageOf('c'));
    const before = await catalogue.state();
    assert.deepEqual(await catalogue.bringBack(first.no), [second.no]);
    assert.deepEqual(await allPackages(catalogue), [first, other]);
    assert.deepEqual(await allPackages(catalogue, ['retired']), [{ ...second, state: 'retired' }]);
    assert.deepEqual(
      (await catalogue.gmlFiles({})).map(({ mesh }) => mesh),
      ['53390001'],
    );
    // Readers that follow see one change, of both.
    const { state, added, gone } = (await catalogue.changesSince(before))!;
    assert.equal(state.version, before.version + 1);
    assert.deepEqual(
      added.map(({ no, state }) => [no, state]),
      [
        [first.no, 'live'],
        [second.no, 'retired'],
      ],
    );
    assert.deepEqual(gone, []);
    // The time of the sweep counts from now on for what went, and no more for what came.
    assert.deepEqual(await catalogue.sweepable(Date.now() + 1_000), [{ ...second, state: 'retired' }]);
    await assert.rejects(catalogue.forget(first.no), CatalogueConflict);

    assert.deepEqual(await catalogue.bringBack(second.no), [first.no]);
    await catalogue.setState(second.no, 'removed');
    assert.deepEqual(await allPackages(catalogue), [other]);
    assert.deepEqual(await catalogue.bringBack(second.no), [], 'nothing took its place');
    assert.deepEqual(await allPackages(catalogue), [second, other]);

    await assert.rejects(catalogue.bringBack(second.no), /is live/);
    await catalogue.forget(first.no);
    await assert.rejects(catalogue.bringBack(first.no), CatalogueConflict);
  });

  withCatalogue('one of many who bring back revisions of a package at once stays live', async (catalogue) => {
    const rows: PackageRow[] = [];
    for (const id of ['a', 'b', 'c', 'd'])
      rows.push(
        await publish(catalogue, packageOf(id, { identity: 'i' }), {
          replaces: rows.map(({ no }) => no),
        }),
      );
    await Promise.allSettled(rows.flatMap(({ no }) => [catalogue.bringBack(no), catalogue.bringBack(no)]));
    assert.equal((await allPackages(catalogue)).length, 1);
    assert.equal((await allPackages(catalogue, ['retired'])).length, 3);
  });

  withCatalogue('publishes again what was retired or removed', async (catalogue) => {
    const first = await publish(catalogue, packageOf('a'), { files: [gmlFileOf('53390001')] });
    await catalogue.setState(first.no, 'removed');
    const again = await publish(catalogue, packageOf('a', { archiveKey: 'archives/new.zip' }), {
      files: [gmlFileOf('53390002')],
    });
    assert.ok(again.no > first.no);
    assert.deepEqual(await allPackages(catalogue, ['live', 'retired', 'removed']), [again]);
    assert.deepEqual(
      (await catalogue.gmlFiles({})).map(({ mesh }) => mesh),
      ['53390002'],
    );
    // The archive's key changed, the index's did not.
    assert.deepEqual(await catalogue.claimGarbage('nobody', Date.now() + 1, 10), ['archives/a.zip']);
  });

  withCatalogue('publishes nothing when something of it is wrong', async (catalogue) => {
    const version = await catalogue.version();
    const broken = function* () {
      for (let i = 0; i < 2_500; i++) yield gmlFileOf(String(53390000 + i));
      throw new Error('the index is damaged');
    };
    await assert.rejects(publish(catalogue, packageOf('a'), { files: broken() }), /the index is damaged/);
    const twice = [gmlFileOf('53390000'), gmlFileOf('53390000')];
    await catalogue.endIntent('ingestion of a');
    await assert.rejects(publish(catalogue, packageOf('a'), { files: twice }));
    assert.equal(await catalogue.version(), version);
    assert.deepEqual(await allPackages(catalogue), []);
    assert.deepEqual(await catalogue.gmlFiles({}), []);
    assert.equal((await catalogue.intents()).length, 1);
  });

  withCatalogue('forgets what is not live, with all that belongs to it', async (catalogue) => {
    const before = Date.now();
    const { no } = await publish(catalogue, packageOf('a'), {
      files: [gmlFileOf('53390001')],
      places: [placeOf('町')],
      issues: [{ code: 'C', severity: 'info', message: 'm', member: null }],
    });
    await assert.rejects(catalogue.forget(no), CatalogueConflict);
    assert.deepEqual(await catalogue.sweepable(Date.now() + 1000), []);
    await catalogue.setState(no, 'retired');
    assert.deepEqual(await catalogue.gmlFiles({}), []);
    assert.deepEqual(await catalogue.places(['町']), []);
    assert.deepEqual(await catalogue.sweepable(before), []);
    const [swept] = await catalogue.sweepable(Date.now() + 1000);
    assert.equal(swept?.no, no);
    await catalogue.forget(no);
    await catalogue.forget(no);
    assert.deepEqual(await catalogue.issues(no), []);
    assert.deepEqual(await allPackages(catalogue, ['retired']), []);
    const next = await publish(catalogue, packageOf('b'));
    assert.ok(next.no > no, 'numbers are not used again');
  });

  withCatalogue('gives a package another index', async (catalogue) => {
    const row = await publish(catalogue, packageOf('a'));
    const begin = (id: string) =>
      catalogue.beginIntent({
        id,
        keys: [`archives/${id}.index`],
        staging: null,
        host: 'h',
        pid: 1,
        heartbeatAt: 1,
      });
    const change = { no: row.no, from: row.indexKey, to: 'archives/i.index', intent: 'i' };
    await assert.rejects(catalogue.replaceIndex(change), CatalogueConflict);
    await begin('i');
    for (const [wrong, reason] of [
      [{ no: row.no + 1 }, `there is no package ${row.no + 1}`],
      [{ from: 'another' }, `the package ${row.no} has the index ${row.indexKey}, expected another`],
    ] as const) {
      await assert.rejects(catalogue.replaceIndex({ ...change, ...wrong }), (error) => {
        return error instanceof CatalogueConflict && error.message === reason;
      });
    }
    assert.deepEqual(await catalogue.findPackages({ id: 'a' }), [row]);
    const version = await catalogue.version();
    const before = Date.now();
    await catalogue.replaceIndex(change);
    assert.deepEqual(await catalogue.findPackages({ id: 'a' }), [{ ...row, indexKey: change.to }]);
    assert.notDeepEqual(row.partNames, {}, 'they stay unless others are given');
    assert.ok((await catalogue.version()) > version);
    assert.deepEqual(await catalogue.intents(), []);
    assert.deepEqual(await catalogue.garbage(), [row.indexKey]);
    await begin('sweep');
    assert.deepEqual(await catalogue.claimGarbage('sweep', before, 9), [], 'its grace begins now');
    assert.deepEqual(await catalogue.claimGarbage('sweep', Date.now() + 1_000, 9), [row.indexKey]);

    await begin('j');
    await catalogue.abandonIntent('j');
    const late = { no: row.no, from: change.to, to: 'archives/j.index', intent: 'j' };
    await assert.rejects(catalogue.replaceIndex(late), CatalogueConflict);

    await begin('k');
    const partNames = { 'fld/natl_other': '別川' };
    const named = { no: row.no, from: change.to, to: 'archives/k.index', intent: 'k', partNames };
    await catalogue.replaceIndex(named);
    assert.deepEqual(await catalogue.findPackages({ id: 'a' }), [{ ...row, indexKey: named.to, partNames }]);
  });

  withCatalogue('notes intents', async (catalogue) => {
    const intent = { id: 'i', keys: ['z', 'a'], staging: '/s/i', host: 'h', pid: 7, heartbeatAt: 100 };
    await catalogue.beginIntent(intent);
    await catalogue.beginIntent({ ...intent, id: 'j', keys: [], staging: null });
    await assert.rejects(catalogue.beginIntent(intent));
    await catalogue.touchIntent('i', 200);
    assert.deepEqual(await catalogue.intents(), [
      { ...intent, heartbeatAt: 200, abandoned: false },
      { ...intent, id: 'j', keys: [], staging: null, abandoned: false },
    ]);
    await catalogue.endIntent('i');
    await catalogue.endIntent('i');
    assert.equal((await catalogue.intents()).length, 1);
  });

  withCatalogue('an intent that was given up cannot be published', async (catalogue) => {
    const pkg = packageOf('a');
    const intent = { id: 'i', keys: [pkg.archiveKey], staging: '/s', host: 'h', pid: 7, heartbeatAt: 100 };
    await catalogue.beginIntent(intent);
    await catalogue.touchIntent('i', 101);
    assert.equal(await catalogue.abandonIntent('i', 100), false);
    assert.equal(await catalogue.abandonIntent('i', 101), true);
    assert.equal(await catalogue.abandonIntent('none'), false);
    assert.deepEqual(await catalogue.intents(), [{ ...intent, heartbeatAt: 101, keys: [], abandoned: true }]);
    const nothing = { files: [], places: [], issues: [], replaces: [] };
    await assert.rejects(catalogue.publish({ package: pkg, ...nothing, intent: 'i' }), CatalogueConflict);
    await assert.rejects(catalogue.publish({ package: pkg, ...nothing, intent: 'none' }), CatalogueConflict);
    assert.deepEqual(await catalogue.claimGarbage('s', 1, 10), [pkg.archiveKey]);
  });

  withCatalogue('hands out garbage that nothing refers to', async (catalogue) => {
    const row = await publish(catalogue, packageOf('a'));
    const intent = { staging: null, host: 'h', pid: 7, heartbeatAt: 100 };
    await catalogue.beginIntent({ ...intent, id: 'w', keys: ['wanted'] });
    await catalogue.beginIntent({ ...intent, id: 's1', keys: [] });
    await catalogue.addGarbage([row.archiveKey, row.indexKey, 'wanted', 'k1', 'k2', 'k2', ''], 50);
    await catalogue.addGarbage(['k1'], 500);
    await catalogue.addGarbage(['young'], 500);

    assert.deepEqual(await catalogue.claimGarbage('s1', 50, 10), []);
    assert.deepEqual(await catalogue.claimGarbage('s1', 51, 1), ['k1']);
    assert.deepEqual(await catalogue.claimGarbage('s2', 51, 10), ['k2']);
    // s1 lives, s2 has no intent: what it took may be taken over.
    assert.deepEqual(await catalogue.claimGarbage('s3', 51, 10), ['k2']);
    await assert.rejects(catalogue.beginIntent({ ...intent, id: 'x', keys: ['k1'] }), CatalogueConflict);
    await catalogue.dropGarbage(['k1', 'k2', 'none']);
    await catalogue.beginIntent({ ...intent, id: 'x', keys: ['k1', 'young'] });
    assert.deepEqual(await catalogue.claimGarbage('s1', 1000, 10), []);
    await catalogue.endIntent('w');
    assert.deepEqual(await catalogue.claimGarbage('s1', 1000, 10), ['wanted']);
  });
}
