/** A catalogue knows what has changed since any version. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { CatalogueConflict, type CatalogueState } from '../../catalogue-store.ts';
import type { PackageRow } from '../../rows.ts';
import { allPackages, packageOf, publish } from '../fixtures.ts';
import type { WithCatalogue } from './with-catalogue.ts';

export function historyConformance(withCatalogue: WithCatalogue): void {
  withCatalogue('raises the version with every change of what is live', async (catalogue) => {
    let version = await catalogue.version();
    const raised = async () => {
      const before = version;
      version = await catalogue.version();
      return version > before;
    };
    const { no } = await publish(catalogue, packageOf('a'));
    assert.ok(await raised());
    await catalogue.setState(no, 'removed');
    assert.ok(await raised());
    await catalogue.setState(no, 'removed');
    await catalogue.touchIntent('none', 1);
    assert.ok(!(await raised()));
    await catalogue.forget(no);
    assert.ok(await raised());
  });

  withCatalogue('says what has changed since a version', async (catalogue, fixture) => {
    const start = await catalogue.state();
    assert.deepEqual(await catalogue.changesSince(start), { state: start, added: [], gone: [] });
    const a = await publish(catalogue, packageOf('a', { identity: 'i' }));
    const b = await publish(catalogue, packageOf('b', { identity: 'i' }), { replaces: [a.no] });
    const before = await catalogue.state();
    const c = await publish(catalogue, packageOf('c'));
    const state = await catalogue.state();
    const retired = { ...a, state: 'retired' as const };
    const other = await fixture.open();
    assert.deepEqual(await other.changesSince(start), { state, added: [retired, b, c], gone: [] });
    assert.deepEqual(await other.changesSince(before), { state, added: [c], gone: [] });
    await other.close();

    await catalogue.setState(c.no, 'removed');
    await catalogue.forget(a.no);
    const intent = { id: 'x', keys: ['new.index'], staging: null, host: 'h', pid: 1, heartbeatAt: 1 };
    await catalogue.beginIntent(intent);
    await catalogue.replaceIndex({ no: b.no, from: b.indexKey, to: 'new.index', intent: 'x' });
    const indexed = { ...b, indexKey: 'new.index' };
    const now = await catalogue.state();
    assert.deepEqual(await catalogue.changesSince(state), {
      state: now,
      added: [indexed],
      gone: [a.no, c.no],
    });

    // The same id again is another row.
    const again = await publish(catalogue, packageOf('c'));
    assert.deepEqual(await catalogue.changesSince(now), {
      state: await catalogue.state(),
      added: [again],
      gone: [c.no],
    });
    const newest = await catalogue.state();
    assert.equal(newest.version, await catalogue.version());
    for (const other of [
      { ...newest, version: newest.version + 1 },
      { ...newest, identity: now.identity },
      { ...newest, identity: '' },
      { ...now, identity: newest.identity },
    ]) {
      assert.equal(await catalogue.changesSince(other), null);
      assert.equal(await catalogue.hasBeen(other), false);
    }
    for (const known of [start, state, now, newest]) assert.ok(await catalogue.hasBeen(known));
  });

  withCatalogue('logs what each version changed, and when, also of what is forgotten', async (catalogue) => {
    const start = await catalogue.version();
    assert.deepEqual(await catalogue.changeLog(start), []);
    assert.equal(await catalogue.changeLog(start + 1), null);
    const a = await publish(catalogue, packageOf('a', { identity: 'i' }));
    const b = await publish(catalogue, packageOf('b', { identity: 'i' }), { replaces: [a.no] });
    await catalogue.setState(b.no, 'removed');
    await catalogue.forget(b.no);
    const log = (await catalogue.changeLog(start))!;
    assert.deepEqual(
      log.map(({ version, packageNo, was, now }) => [version - start, packageNo, was, now]),
      [
        [1, a.no, '', 'retired'],
        [2, a.no, 'live', 'retired'],
        [2, b.no, '', 'forgotten'],
        [3, b.no, 'live', 'forgotten'],
        [4, b.no, 'removed', 'forgotten'],
      ],
    );
    for (const { packageNo, located, tableKeys } of log) {
      // What is forgotten has no row that would tell.
      assert.deepEqual(tableKeys, packageNo === a.no ? [] : null);
      const { name, assetPath, prefCode, cityCode, wardCode, archiveKey } = packageNo === a.no ? a : b;
      assert.deepEqual(located, { name, assetPath, prefCode, cityCode, wardCode, archiveKey });
    }
    const times = log.map(({ changedAt }) => changedAt!);
    assert.deepEqual(
      times,
      [...times].sort((x, y) => x - y),
    );
    // The database of a test may be on another machine, whose clock is about right.
    for (const time of times) assert.ok(Math.abs(Date.now() - time) < 60_000, `${time}`);
    assert.deepEqual(await catalogue.changeLog(start + 2), log.slice(3));
    // The same id again: the row of before is gone.
    const c = await publish(catalogue, packageOf('c'));
    await catalogue.setState(c.no, 'retired');
    const again = await catalogue.version();
    const d = await publish(catalogue, packageOf('c'));
    assert.deepEqual(
      (await catalogue.changeLog(again))!.map(({ packageNo, was, now }) => [packageNo, was, now]),
      [
        [c.no, 'retired', 'forgotten'],
        [d.no, '', 'live'],
      ],
    );
  });

  withCatalogue('gives up on changes of long ago', async (catalogue) => {
    const { no } = await publish(catalogue, packageOf('a'));
    const start = await catalogue.state();
    let next = start;
    for (let i = 0; i < 500; i++) {
      await catalogue.setState(no, 'retired');
      if (i === 0) next = await catalogue.state();
      await catalogue.setState(no, 'live');
    }
    const changes = await catalogue.changesSince(start);
    assert.deepEqual(changes?.added, await allPackages(catalogue));
    await catalogue.setState(no, 'removed');
    assert.equal(await catalogue.changesSince(start), null);
    assert.equal(await catalogue.changeLog(start.version), null);
    assert.equal((await catalogue.changeLog(next.version))?.length, 1_000);
    assert.equal(await catalogue.hasBeen(start), false);
    assert.deepEqual((await catalogue.changesSince(next))?.gone, [no]);
  });

  withCatalogue('changes lead from any copy to the catalogue', async (catalogue) => {
    const copies: Array<{ state: CatalogueState; rows: Map<number, PackageRow> }> = [];
    const copy = async () => {
      const pages: PackageRow[][] = [];
      let state = await catalogue.state();
      for await (const page of catalogue.everything()) {
        pages.push(page.packages);
        assert.deepEqual(page.state, state);
        state = page.state;
      }
      assert.deepEqual(pages.flat(), await allPackages(catalogue, ['live', 'retired']));
      copies.push({ state, rows: new Map(pages.flat().map((row) => [row.no, row])) });
    };
    const known: PackageRow[] = [];
    for (const step of fc.sample(fc.nat(), { numRuns: 60, seed: 7 })) {
      await copy();
      const row = known[step % (known.length + 1)];
      const state = (['live', 'retired', 'removed'] as const)[step % 3]!;
      try {
        if (row === undefined) known.push(await publish(catalogue, packageOf(`p${known.length}`)));
        else if (step % 5 === 0) await catalogue.forget(row.no);
        else await catalogue.setState(row.no, state);
      } catch (error) {
        assert.ok(error instanceof CatalogueConflict);
      }
    }
    const now = await allPackages(catalogue, ['live', 'retired']);
    for (const { state, rows } of copies) {
      const changes = await catalogue.changesSince(state);
      for (const row of changes!.added) rows.set(row.no, row);
      for (const no of changes!.gone) rows.delete(no);
      assert.deepEqual(
        [...rows.values()].sort((a, b) => a.no - b.no),
        now,
      );
    }
  });

  withCatalogue('changes lead from any copy to any other, back as well as on', async (catalogue) => {
    const copies: Array<{ state: CatalogueState; rows: PackageRow[] }> = [];
    const known: PackageRow[] = [];
    for (const step of fc.sample(fc.nat(), { numRuns: 40, seed: 11 })) {
      copies.push({
        state: await catalogue.state(),
        rows: await allPackages(catalogue, ['live', 'retired']),
      });
      const row = known[step % (known.length + 1)];
      const state = (['live', 'retired', 'removed'] as const)[step % 3]!;
      if (row === undefined) known.push(await publish(catalogue, packageOf(`p${known.length}`)));
      else await catalogue.setState(row.no, state);
    }
    const before = await catalogue.clock();
    const { states, clock } = await catalogue.statesFrom(copies[0]!.state.version);
    assert.ok(before <= clock && clock <= (await catalogue.clock()), 'one clock for both');
    const versions = new Set(copies.map(({ state }) => JSON.stringify(state)));
    const dated = states.map(({ version, identity }) => JSON.stringify({ version, identity }));
    for (const state of versions) assert.ok(dated.includes(state));
    assert.ok(states.slice(1).every(({ changedAt }) => changedAt !== null && changedAt <= clock));
    for (const from of copies) {
      for (const to of copies.filter((_, i) => i % 3 === 0)) {
        const changes = (await catalogue.changesSince(from.state, to.state))!;
        assert.deepEqual(changes.state, to.state);
        const rows = new Map(from.rows.map((row) => [row.no, row]));
        for (const row of changes.added) rows.set(row.no, row);
        for (const no of changes.gone) rows.delete(no);
        assert.deepEqual(
          [...rows.values()].sort((a, b) => a.no - b.no),
          to.rows,
        );
      }
    }
    const [{ state }] = copies as [(typeof copies)[number]];
    const other = { ...state, identity: 'of another database' };
    assert.equal(await catalogue.changesSince(state, other), null);
    assert.equal(await catalogue.changesSince(other, state), null);
  });
}
