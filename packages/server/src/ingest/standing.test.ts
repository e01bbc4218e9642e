import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PackageRow } from '@citymodel/store';
import { packageOf } from '@citymodel/store/testing';
import { identify } from './identify.ts';
import { Standing } from './standing.ts';
import { PackageRefused } from './upload.ts';

const CITY = '13101_chiyoda-ku_city_2023_citygml_2_op';
const LAYOUT = { kind: 'citygml', root: '', tileExtension: null } as const;
const DIGEST = 'd'.repeat(64);
const ISSUE = { code: 'ODD_NAME', severity: 'info', member: null, message: 'It is odd.' } as const;

/** A catalogue of these packages, which notes what it is asked. */
function catalogueOf(...rows: PackageRow[]) {
  const asked: unknown[] = [];
  return {
    asked,
    async findPackages(query: Partial<PackageRow>) {
      asked.push(query);
      return rows.filter((row) =>
        Object.entries(query).every(([name, value]) => row[name as keyof PackageRow] === value),
      );
    },
    gmlFiles: async () => [{ maxLod: 1 }, { maxLod: 3 }, { maxLod: 2 }] as never,
    issues: async () => [ISSUE],
  };
}

/** A package as an ingestion before has published it. */
function published(changes: Partial<PackageRow> = {}): PackageRow {
  const { identity, revision } = identify([changes.name ?? CITY], LAYOUT, {});
  const own = { identity, revision, name: CITY, id: 'same', uploadDigest: DIGEST, state: 'live' as const };
  return { ...packageOf('same'), no: 1, ...own, ...changes };
}

async function standing(rows: PackageRow[], { name = CITY, replace = false } = {}) {
  return Standing.of(catalogueOf(...rows), identify([name], LAYOUT, {}), replace);
}

const refused = (code: string) => (error: unknown) => error instanceof PackageRefused && error.code === code;

describe('the standing of a package', () => {
  it('is new where nothing of its identity and nothing of its content is live', async () => {
    for (const rows of [[], [published({ state: 'retired' })], [published({ state: 'removed' })]]) {
      const at = await standing(rows);
      assert.equal(await at.meet({ uploadDigest: DIGEST }), null);
      assert.equal(await at.meet({ id: 'same' }), null);
      assert.deepEqual([at.live, at.replaced], [null, []]);
    }
  });

  it('is unchanged where the same is live, with the issues of that, and not where it is to be replaced', async () => {
    const row = published();
    for (const content of [{ uploadDigest: DIGEST }, { id: 'same' }]) {
      const ending = await (await standing([row])).meet(content);
      assert.deepEqual(
        [ending?.outcome, ending?.package?.id, ending?.issues],
        ['unchanged', 'same', [ISSUE]],
      );
      const again = await standing([row], { replace: true });
      assert.equal(await again.meet(content), null);
      assert.deepEqual(again.replaced, [row]);
    }
    // A directory tells no CRCs; another name of the same revision is not the same.
    assert.equal(await (await standing([row])).meet({ uploadDigest: null }), null);
    const renamed = published({ name: CITY.replace('chiyoda-ku', 'chiyoda') });
    assert.equal(await (await standing([renamed])).meet({ uploadDigest: DIGEST }), null);
  });

  it('is refused beside a newer revision, and beside other content of its own', async () => {
    const newer = published({ revision: '3', id: 'other', uploadDigest: 'e'.repeat(64) });
    for (const content of [{ uploadDigest: null }, { uploadDigest: DIGEST }, { id: 'same' }])
      await assert.rejects((await standing([newer])).meet(content), refused('OLDER_REVISION'));
    const other = published({ id: 'other', uploadDigest: 'e'.repeat(64) });
    const at = await standing([other]);
    assert.equal(
      await at.meet({ uploadDigest: DIGEST }),
      null,
      'what is listed may differ where files do not',
    );
    await assert.rejects(at.meet({ id: 'same' }), refused('SAME_REVISION_OTHER_CONTENT'));
    const older = await standing([published({ revision: '1', id: 'other', uploadDigest: 'e'.repeat(64) })]);
    assert.equal(await older.meet({ id: 'same' }), null);
    assert.equal(older.replaced.length, 1);
  });

  it('is refused where its content is live under another identity, and takes the place of that if it may', async () => {
    const twin = published({ identity: 'citygml/99001/city/2023' });
    for (const content of [{ uploadDigest: DIGEST }, { id: 'same' }]) {
      await assert.rejects((await standing([twin])).meet(content), refused('SAME_CONTENT'));
      const at = await standing([twin], { replace: true });
      assert.equal(await at.meet(content), null);
      assert.deepEqual(at.replaced, [twin]);
    }
  });

  it('of tiles has the CityGML that they were made from: of the ward, else of the city; asked once', async () => {
    const city = identify(['01100_sapporo-shi_city_2020_citygml_1_op'], LAYOUT, {});
    const row = published({ name: city.name, identity: city.identity });
    const name = `${city.name}_bldg_3dtiles_01101_chuo-ku_lod2`;
    const tiles = identify([name], { ...LAYOUT, kind: '3dtiles' }, {});
    const catalogue = catalogueOf(row);
    const at = await Standing.of(catalogue, tiles, false);
    assert.deepEqual(await Promise.all([at.source(), at.source()]), [row, row]);
    const identities = catalogue.asked.map((query) => (query as PackageRow).identity);
    assert.deepEqual(identities, [tiles.identity, `${city.identity}/01101`, city.identity]);
    assert.equal(await at.highestLodOfSource('bldg'), 3);
    const alone = await Standing.of(catalogueOf(), tiles, false);
    assert.deepEqual([await alone.source(), await alone.highestLodOfSource('bldg')], [null, null]);
    assert.equal(await (await standing([row])).source(), null, 'CityGML has no source');
  });
});
