import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { compareTexts } from '@citymodel/base';
import fc from 'fast-check';
import {
  CatalogueConflict,
  type CatalogueState,
  type CatalogueStore,
  type GmlFileQuery,
} from '../catalogue-store.ts';
import { listedFile } from '../file-extras.ts';
import type { FindingRow, GmlFileRow, ListedFileRow, MeasuredFileRow, PackageRow } from '../rows.ts';
import { allPackages, DATASET, gmlFileOf, packageOf, placeOf, publish } from './fixtures.ts';

/** Where the stores of one test keep their catalogue. */
export interface CatalogueStoreFixture extends AsyncDisposable {
  /** A store over the same database each time, migrated or not. */
  open(): Promise<CatalogueStore>;
}

/** Registers the tests that every CatalogueStore has to pass; `create` makes an empty database for each. */
export function catalogueStoreConformance(name: string, create: () => Promise<CatalogueStoreFixture>): void {
  /** Runs a test with an empty, migrated catalogue. */
  const withCatalogue = (
    title: string,
    run: (catalogue: CatalogueStore, fixture: CatalogueStoreFixture) => Promise<void>,
  ) =>
    test(title, async () => {
      await using fixture = await create();
      const catalogue = await fixture.open();
      try {
        await catalogue.migrate();
        await run(catalogue, fixture);
      } finally {
        await catalogue.close();
      }
    });

  describe(`catalogue store: ${name}`, () => {
    withCatalogue('gives back every field as it was published', async (catalogue) => {
      const plain = packageOf('p1');
      const tiles = packageOf('p2', {
        kind: '3dtiles',
        dataset: DATASET,
        bounds: null,
        wardCode: null,
        ward: null,
        license: null,
        areaNames: {},
        partNames: {},
        types: [],
        guessed: [],
        metadataZips: [],
        city: '見本市 𠮷野 "\'; DROP TABLE package; -- \u0001',
      });
      const files = [
        gmlFileOf('53390000'),
        gmlFileOf('533900', 'dem', { bounds: null, crs: null, areaCodes: [] }),
        gmlFileOf('53390001', 'brid', { lods: [1, null, 3, 4, 5], maxLod: 4 }),
        gmlFileOf('53390002', 'tun', { lods: [null, null, null, null, null], maxLod: 0 }),
      ];
      files[1] = { ...files[1]!, minAlt: null, maxAlt: null, wellFormed: false, meshGuessed: true };
      const places = [placeOf('見本町一丁目'), placeOf('見本タワー', { kind: 'building' })];
      const issues = [
        { code: 'A_CODE', severity: 'error', message: 'whole package', member: null },
        { code: 'B_CODE', severity: 'info', message: '𠮷', member: 'udx/a.gml', line: 5, byte: 2 ** 40 },
      ] as const;

      const row = await publish(catalogue, plain, { files, places, issues });
      assert.deepEqual(row, { ...plain, no: row.no, state: 'live' });
      assert.deepEqual(await catalogue.findPackages({ id: 'p1' }), [row]);
      const other = await publish(catalogue, tiles);
      assert.deepEqual(await catalogue.findPackages({ id: 'p2' }), [other]);
      assert.deepEqual(await allPackages(catalogue), [row, other]);

      const found = await catalogue.gmlFiles({});
      assert.deepEqual(
        found.toSorted((a, b) => compareTexts(a.path, b.path)),
        files
          .toSorted((a, b) => compareTexts(a.path, b.path))
          .map((file) => ({ ...file, packageNo: row.no })),
      );
      const names = places.map((place) => place.name);
      assert.deepEqual(
        new Set(await catalogue.places([...names, 'nowhere'])),
        new Set(places.map((place) => ({ ...place, packageNo: row.no }))),
      );
      assert.deepEqual(await catalogue.issues(row.no), issues);
      assert.deepEqual(await catalogue.issues(other.no), []);
    });

    withCatalogue(
      'keeps tables until others take their place, or the package is forgotten',
      async (catalogue) => {
        const { no } = await publish(catalogue, packageOf('a'));
        const tableOf = (key: string) => ({
          type: 'bldg',
          key,
          size: 3,
          sha256: '0'.repeat(64),
          features: 2,
          version: 1,
        });
        const put = async (id: string, keys: string[]) => {
          await catalogue.beginIntent({ id, keys, staging: null, host: 'h', pid: 1, heartbeatAt: 1 });
          await catalogue.setTables({
            no,
            tables: keys.map((key) => ({ ...tableOf(key), sums: 'AA==' })),
            intent: id,
          });
        };
        const before = await catalogue.version();
        await put('i', ['tables/1', 'tables/2']);
        assert.notEqual(await catalogue.version(), before);
        assert.deepEqual((await catalogue.findPackages({ id: 'a' }))[0]!.tables, [
          tableOf('tables/1'),
          tableOf('tables/2'),
        ]);
        assert.deepEqual((await catalogue.changeLog(before))!.at(-1)!.tableKeys, ['tables/1', 'tables/2']);
        assert.equal(await catalogue.tableSums('tables/1'), 'AA==');
        assert.equal(await catalogue.tableSums('tables/9'), null);
        // What a package refers to is no garbage.
        await catalogue.addGarbage(['tables/1'], 0);
        assert.deepEqual(await catalogue.claimGarbage('sweep', Number.MAX_SAFE_INTEGER, 10), []);
        await put('j', ['tables/3']);
        assert.deepEqual(await catalogue.garbage(), ['tables/1', 'tables/2']);
        await assert.rejects(
          put('k', ['tables/3']).then(() => catalogue.setTables({ no, tables: [], intent: 'k' })),
          CatalogueConflict,
        );
        await catalogue.setState(no, 'removed');
        await catalogue.forget(no);
        assert.ok((await catalogue.garbage()).includes('tables/3'));
        await assert.rejects(put('l', ['tables/4']), CatalogueConflict);
      },
    );

    withCatalogue(
      'keeps pictures beside tables until others take their place, or the package is forgotten',
      async (catalogue) => {
        const { no } = await publish(catalogue, packageOf('a'));
        const picturesOf = (keys: string[]) => ({
          version: 1,
          images: keys.map((key) => ({
            theme: 'light' as const,
            size: 'small' as const,
            key,
            bytes: 3,
            sha256: '0'.repeat(64),
            width: 600,
            height: 315,
            mimeType: 'image/jpeg' as const,
          })),
        });
        const begin = (id: string, keys: string[]) =>
          catalogue.beginIntent({ id, keys, staging: null, host: 'h', pid: 1, heartbeatAt: 1 });
        const put = async (id: string, keys: string[]) => {
          await begin(id, keys);
          await catalogue.setPictures({ no, pictures: picturesOf(keys), intent: id });
        };
        const stored = async () => (await catalogue.findPackages({ id: 'a' }))[0]!;
        assert.equal((await stored()).pictures, undefined);
        await begin('t', ['tables/1']);
        const table = { type: 'bldg', key: 'tables/1', size: 3, sha256: '0', features: 2, version: 1 };
        await catalogue.setTables({ no, tables: [{ ...table, sums: '' }], intent: 't' });
        const before = await catalogue.version();
        await put('i', ['pictures/1', 'pictures/2']);
        assert.notEqual(await catalogue.version(), before);
        assert.deepEqual((await stored()).pictures, picturesOf(['pictures/1', 'pictures/2']));
        assert.deepEqual(await catalogue.garbage(), []);
        await catalogue.addGarbage(['pictures/1'], 0);
        assert.deepEqual(await catalogue.claimGarbage('sweep', Number.MAX_SAFE_INTEGER, 10), []);
        // Others, and then none because there is nothing to draw: tables stay.
        await put('j', ['pictures/3']);
        assert.deepEqual(await catalogue.garbage(), ['pictures/1', 'pictures/2']);
        await put('k', []);
        assert.deepEqual((await stored()).pictures, { version: 1, images: [] });
        assert.deepEqual((await stored()).tables, [table]);
        assert.deepEqual(await catalogue.garbage(), ['pictures/1', 'pictures/2', 'pictures/3']);
        await assert.rejects(
          catalogue.setPictures({ no, pictures: picturesOf([]), intent: 'k' }),
          CatalogueConflict,
        );
        await put('l', ['pictures/4']);
        await catalogue.setState(no, 'removed');
        await catalogue.forget(no);
        const garbage = await catalogue.garbage();
        assert.ok(garbage.includes('pictures/4') && garbage.includes('tables/1'));
        await assert.rejects(put('m', ['pictures/5']), CatalogueConflict);
      },
    );

    withCatalogue(
      'keeps what inspections found, in pages, until the package is forgotten',
      async (catalogue) => {
        const { no } = await publish(catalogue, packageOf('a'));
        const quality = {
          spec: 4,
          errors: 3,
          warnings: 1,
          complete: true,
          checkedAt: '2026-11-24T00:00:00Z',
        };
        const findingOf = (position: number, code: string): FindingRow => ({
          position,
          code,
          file: position === 0 ? null : 'udx/bldg/a.gml',
          id: 'bldg_1',
          ref: null,
          line: 3,
          type: 'bldg:Building',
          lod: position === 0 ? null : 1,
          message: '𠮷',
          place: position === 0 ? null : [139.5, 35.5, -2],
          row: position === 0 ? null : { 'gml:id': 'bldg_1', エラー数: 1 },
        });
        const findings = Array.from({ length: 1203 }, (_, i) => findingOf(i, i % 3 === 0 ? 'L04' : 'C01'));
        const before = await catalogue.version();
        const inspected = { packageNo: no, quality, report: '{"a":1}', findings };
        assert.equal(
          await catalogue.setQuality({ ...inspected, report: '{}', findings: findings.slice(7) }),
          true,
        );
        assert.equal(await catalogue.setQuality(inspected), true);
        assert.notDeepEqual(await catalogue.version(), before);
        assert.equal(await catalogue.setQuality({ ...inspected, packageNo: no + 1 }), false);
        assert.deepEqual((await catalogue.findPackages({ id: 'a' }))[0]!.quality, quality);
        assert.equal(await catalogue.qualityReport(no), '{"a":1}');
        const page = (code: string | null, after: number, limit: number) =>
          catalogue.findings({ packageNo: no, code, after, limit });
        assert.deepEqual(await page(null, -1, 2000), findings);
        assert.deepEqual(await page(null, 1, 2), findings.slice(2, 4));
        assert.deepEqual(await page('L04', 3, 2), [findings[6], findings[9]]);
        await catalogue.setState(no, 'removed');
        await catalogue.forget(no);
        assert.equal(await catalogue.qualityReport(no), null);
        assert.deepEqual(await page(null, -1, 10), []);
      },
    );

    withCatalogue(
      'finds files and places of packages that were replaced or removed, where asked to',
      async (catalogue) => {
        const files = [gmlFileOf('53390000')];
        const places = [placeOf('見本町一丁目')];
        const { no } = await publish(catalogue, packageOf('a'), { files, places });
        for (const state of ['live', 'retired', 'removed'] as const) {
          await catalogue.setState(no, state);
          const names = ['見本町一丁目'];
          for (const query of [{ packageNos: [no] }, { meshes: ['53390000'] }, {}]) {
            assert.equal((await catalogue.gmlFiles(query)).length, state === 'live' ? 1 : 0);
            assert.equal((await catalogue.gmlFiles({ ...query, anyState: true })).length, 1);
          }
          assert.equal((await catalogue.places(names)).length, state === 'live' ? 1 : 0);
          assert.equal((await catalogue.places(names, { anyState: true })).length, 1);
        }
      },
    );

    withCatalogue('keeps big values', async (catalogue) => {
      const license = 'ライセンス'.repeat(200_000);
      const row = await publish(catalogue, packageOf('p', { license }));
      assert.equal((await catalogue.findPackages({ id: row.id }))[0]?.license, license);
    });

    withCatalogue('finds packages by any of their names', async (catalogue) => {
      const a = await publish(catalogue, packageOf('a', { name: 'same' }));
      const b = await publish(catalogue, packageOf('b', { name: 'same' }));
      assert.deepEqual(await catalogue.findPackages({ name: 'same' }), [a, b]);
      assert.deepEqual(await catalogue.findPackages({ identity: a.identity }), [a]);
      assert.deepEqual(await catalogue.findPackages({ uploadDigest: b.uploadDigest }), [b]);
      assert.deepEqual(await catalogue.findPackages({ name: 'same', id: 'b' }), [b]);
      assert.deepEqual(await catalogue.findPackages({ name: 'same', id: 'c' }), []);
      await assert.rejects(catalogue.findPackages({}), RangeError);
    });

    withCatalogue('pages through packages, all of one moment', async (catalogue) => {
      for (let i = 0; i < 1_203; i++) await publish(catalogue, packageOf(`p${i}`));
      const sizes: number[] = [];
      const seen: string[] = [];
      for await (const page of catalogue.packages()) {
        sizes.push(page.length);
        seen.push(...page.map(({ id }) => id));
        if (sizes.length === 1) {
          const [last] = await catalogue.findPackages({ id: 'p1202' });
          await catalogue.setState(last!.no, 'removed');
          await publish(catalogue, packageOf('late'));
        }
      }
      assert.deepEqual(sizes, [500, 500, 203]);
      assert.equal(seen.at(-1), 'p1202');
      for await (const page of catalogue.packages(['removed'])) {
        assert.deepEqual(
          page.map(({ id }) => id),
          ['p1202'],
        );
      }
      // Stopping early leaves nothing behind that hides later changes.
      for await (const _page of catalogue.packages()) break;
      assert.equal((await allPackages(catalogue)).length, 1_203);
    });

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

    withCatalogue(
      'one of many who bring back revisions of a package at once stays live',
      async (catalogue) => {
        const rows: PackageRow[] = [];
        for (const id of ['a', 'b', 'c', 'd'])
          rows.push(
            await publish(catalogue, packageOf(id, { identity: 'i' }), {
              replaces: rows.map(({ no }) => no),
            }),
          );
        await Promise.allSettled(
          rows.flatMap(({ no }) => [catalogue.bringBack(no), catalogue.bringBack(no)]),
        );
        assert.equal((await allPackages(catalogue)).length, 1);
        assert.equal((await allPackages(catalogue, ['retired'])).length, 3);
      },
    );

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

    withCatalogue(
      'logs what each version changed, and when, also of what is forgotten',
      async (catalogue) => {
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
      },
    );

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
      const { states, clock } = await catalogue.statesFrom(copies[0]!.state.version);
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
      assert.deepEqual(await catalogue.findPackages({ id: 'a' }), [
        { ...row, indexKey: named.to, partNames },
      ]);
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
      assert.deepEqual(await catalogue.intents(), [
        { ...intent, heartbeatAt: 101, keys: [], abandoned: true },
      ]);
      const nothing = { files: [], places: [], issues: [], replaces: [] };
      await assert.rejects(catalogue.publish({ package: pkg, ...nothing, intent: 'i' }), CatalogueConflict);
      await assert.rejects(
        catalogue.publish({ package: pkg, ...nothing, intent: 'none' }),
        CatalogueConflict,
      );
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

    withCatalogue('finds files by mesh, type and package like a plain search does', async (catalogue) => {
      const mesh = fc.stringMatching(/^5[0-2]{3,6}$/);
      const type = fc.constantFrom('bldg', 'tran', 'dem');
      const packages = fc.array(fc.array(fc.tuple(mesh, type), { maxLength: 30 }), {
        minLength: 3,
        maxLength: 3,
      });
      const queries = fc.record(
        {
          packageNos: fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 3 }),
          meshPrefixes: fc.array(fc.stringMatching(/^5[0-2]{0,4}$/), { maxLength: 4 }),
          meshes: fc.array(mesh, { maxLength: 4 }),
          types: fc.array(type, { maxLength: 2 }),
        },
        { requiredKeys: [] },
      );
      const published: GmlFileRow[][] = [];
      for (const files of fc.sample(packages, { numRuns: 1, seed: 5 })[0]!) {
        const unique = new Map(files.map(([code, kind]) => [`${code}${kind}`, gmlFileOf(code, kind)]));
        const { no } = await publish(catalogue, packageOf(`p${published.length}`), {
          files: unique.values(),
        });
        published.push([...unique.values()].map((file) => ({ ...file, packageNo: no })));
      }
      const [hidden] = await catalogue.findPackages({ id: 'p1' });
      await catalogue.setState(hidden!.no, 'retired');
      const live = published.flat().filter(({ packageNo }) => packageNo !== hidden!.no);

      await fc.assert(
        fc.asyncProperty(queries, async (query) => {
          const found = await catalogue.gmlFiles(query as GmlFileQuery);
          assert.deepEqual(found, search(live, query as GmlFileQuery));
          const listed = await listedFiles(catalogue, query as GmlFileQuery);
          const byMesh = query.meshes !== undefined || query.meshPrefixes !== undefined;
          assert.deepEqual(byMesh ? inOrder(listed) : listed, found.map(listedFile));
          const placed: MeasuredFileRow[] = [];
          for await (const page of catalogue.placedFiles(query as GmlFileQuery)) placed.push(...page);
          const few = ({ packageNo, type, mesh, areaCodes, size, features, maxLod }: GmlFileRow) => ({
            packageNo,
            type,
            mesh,
            areaCodes: areaCodes.join(),
            size,
            features,
            maxLod,
          });
          assert.deepEqual(
            placed.map((file) => JSON.stringify(file)).sort(),
            found.map((file) => JSON.stringify(few(file))).sort(),
          );
        }),
        { numRuns: 300 },
      );
      // From one path to the next, a few at a time.
      const all = search(live, { packageNos: [1], types: ['bldg'] }).map(listedFile);
      const paged: ListedFileRow[] = [];
      for (let after: string | undefined; ; after = paged.at(-1)!.path) {
        const query = { packageNos: [1], types: ['bldg'], limit: 3, ...(after && { after }) };
        const page = await listedFiles(catalogue, query);
        if (page.length === 0) break;
        assert.ok(page.length <= 3);
        paged.push(...page);
      }
      assert.ok(all.length > 3);
      assert.deepEqual(paged, all);
    });

    withCatalogue('takes ten thousand mesh codes, packages and names', async (catalogue) => {
      const files = Array.from({ length: 5_000 }, (_, i) => gmlFileOf(String(53390000 + 2 * i)));
      const { no } = await publish(catalogue, packageOf('a'), { files, places: [placeOf('町')] });
      const many = Array.from({ length: 10_000 }, (_, i) => i);
      const meshes = many.map((i) => String(53390000 + i));
      assert.equal((await catalogue.gmlFiles({ meshes })).length, 5_000);
      assert.equal((await catalogue.gmlFiles({ meshPrefixes: meshes })).length, 5_000);
      assert.equal((await catalogue.gmlFiles({ packageNos: many })).length, 5_000);
      assert.equal(
        (await catalogue.gmlFiles({ meshes, meshPrefixes: ['5339'], packageNos: [no] })).length,
        5_000,
      );
      assert.equal((await catalogue.places(['町', ...meshes])).length, 1);
    });

    withCatalogue('serves several at once', async (catalogue, fixture) => {
      const other = await fixture.open();
      try {
        const rows = await Promise.all(
          Array.from({ length: 40 }, (_, i) =>
            publish(i % 2 === 0 ? catalogue : other, packageOf(`p${i}`), { files: [gmlFileOf('53390000')] }),
          ),
        );
        assert.equal(new Set(rows.map(({ no }) => no)).size, 40);
        assert.equal((await other.gmlFiles({ meshes: ['53390000'] })).length, 40);
        assert.equal(await other.version(), await catalogue.version());
        // Of two that publish the same, one wins.
        const same = await Promise.allSettled([
          publish(catalogue, packageOf('x', { identity: 'same' })),
          publish(other, packageOf('y', { identity: 'same' })),
        ]);
        assert.deepEqual(same.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
      } finally {
        await other.close();
      }
    });

    withCatalogue('can be migrated any number of times', async (catalogue, fixture) => {
      const { no } = await publish(catalogue, packageOf('a'));
      const other = await fixture.open();
      await Promise.all([other.migrate(), catalogue.migrate(), other.migrate()]);
      assert.equal((await allPackages(other))[0]?.no, no);
      await other.close();
    });
  });
}

async function listedFiles(catalogue: CatalogueStore, query: GmlFileQuery): Promise<ListedFileRow[]> {
  const files: ListedFileRow[] = [];
  for await (const page of catalogue.listedFiles(query)) files.push(...page);
  return files;
}

function inOrder(files: readonly ListedFileRow[]): ListedFileRow[] {
  const key = (file: ListedFileRow) => `${file.packageNo}\n${file.type}\n${file.path}`;
  return [...files].sort((a, b) => compareTexts(key(a), key(b)));
}

/** The same search by looking at every file. */
function search(files: readonly GmlFileRow[], query: GmlFileQuery): GmlFileRow[] {
  const { packageNos, meshPrefixes, meshes, types } = query;
  return files
    .filter((file) => packageNos?.includes(file.packageNo) ?? true)
    .filter((file) => types?.includes(file.type) ?? true)
    .filter(
      (file) =>
        (meshPrefixes === undefined && meshes === undefined) ||
        meshPrefixes?.some((prefix) => file.mesh.startsWith(prefix)) ||
        meshes?.includes(file.mesh),
    )
    .sort((a, b) => {
      const [left, right] = [a, b].map(({ packageNo, type, path }) => `${packageNo}\0${type}\0${path}`);
      return compareTexts(left!, right!);
    });
}
