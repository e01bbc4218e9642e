/** What a catalogue keeps of packages comes back as it was written. */
import assert from 'node:assert/strict';
import { compareTexts } from '@citymodel/base';
import { CatalogueConflict } from '../../catalogue-store.ts';
import type { FindingRow } from '../../rows.ts';
import { allPackages, DATASET, gmlFileOf, packageOf, placeOf, publish } from '../fixtures.ts';
import type { WithCatalogue } from './with-catalogue.ts';

export function rowsConformance(withCatalogue: WithCatalogue): void {
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
      files.toSorted((a, b) => compareTexts(a.path, b.path)).map((file) => ({ ...file, packageNo: row.no })),
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
    for (let i = 0; i < 503; i++) await publish(catalogue, packageOf(`p${i}`));
    const sizes: number[] = [];
    const seen: string[] = [];
    for await (const page of catalogue.packages()) {
      sizes.push(page.length);
      seen.push(...page.map(({ id }) => id));
      if (sizes.length === 1) {
        const [last] = await catalogue.findPackages({ id: 'p502' });
        await catalogue.setState(last!.no, 'removed');
        await publish(catalogue, packageOf('late'));
      }
    }
    assert.deepEqual(sizes, [500, 3]);
    assert.equal(seen.at(-1), 'p502');
    for await (const page of catalogue.packages(['removed'])) {
      assert.deepEqual(
        page.map(({ id }) => id),
        ['p502'],
      );
    }
    // Stopping early leaves nothing behind that hides later changes.
    for await (const _page of catalogue.packages()) break;
    assert.equal((await allPackages(catalogue)).length, 503);
  });
}
