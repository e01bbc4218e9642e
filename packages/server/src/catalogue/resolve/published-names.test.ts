import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import test from 'node:test';
import type { PackageRow } from '@citymodel/store';
import fc from 'fast-check';
import { cityOfWard } from '../names/areas.ts';
import { packageIdentity, parsePackageName } from '../names/package-name.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { parseMvtSpec } from '../specs/mvt-spec.ts';
import { parseTilesSpec } from '../specs/tiles-spec.ts';
import { snapshotOf, tilePackage } from '../testing/snapshot-rows.ts';
import { resolveTiles } from './composite-tilesets.ts';
import { resolveMvt } from './mvt-tilejson.ts';

const PUBLISHED = new URL(
  '../../../../../../shared/data/catalogue/3dtiles_url_2023-10-25.json',
  import.meta.url,
);

/** The row of a tile package as its name describes it. */
function packageOf(name: string): PackageRow {
  const parsed = parsePackageName(name);
  assert.ok(parsed?.tiles, name);
  const { tiles, code } = parsed;
  const city = cityOfWard(code);
  const wardCode = tiles.wardCode ?? (city === undefined ? null : code);
  return tilePackage(
    {
      format: parsed.kind === 'mvt' ? 'MVT' : '3D Tiles',
      type: tiles.type,
      sub: tiles.sub,
      lod: tiles.lod,
      lodNamed: tiles.lod !== null,
      lodEx: tiles.lodEx,
      interior: tiles.interior ? true : null,
      texture: parsed.kind !== 'mvt' && !tiles.noTexture,
    },
    {
      name,
      cityCode: city ?? code,
      prefCode: code.slice(0, 2),
      wardCode,
      provider: parsed.provider ?? 'city',
      revision: parsed.revision,
      year: parsed.year,
      identity: packageIdentity({ ...parsed, wardCode }),
    },
  );
}

/** Every spec of a dataset finds that dataset alone; returns how many datasets have none for their year. */
function assertAlone(snapshot: Snapshot): number {
  for (const dataset of snapshot.datasets) {
    for (const spec of [dataset.spec, dataset.latestSpec]) {
      if (spec === null) continue;
      const found =
        dataset.summary.format === 'MVT'
          ? [resolveMvt(snapshot, parseMvtSpec(spec))]
          : resolveTiles(snapshot, parseTilesSpec(spec));
      assert.deepEqual(
        found.map((dataset) => dataset?.package.name),
        [dataset.package.name],
        spec,
      );
    }
  }
  return snapshot.datasets.filter((dataset) => dataset.spec === null).length;
}

test('each of 1,676 published packages has a composite URL that answers with it alone', async (t) => {
  if (!existsSync(PUBLISHED)) return t.skip('needs ../shared/data');
  const rows = JSON.parse(readFileSync(PUBLISHED, 'utf8')) as Array<{ url: string }>;
  const names = new Set(rows.map(({ url }) => decodeURIComponent(url.split('/').at(-2)!)));
  const snapshot = await snapshotOf(...[...names].map(packageOf));
  assert.equal(snapshot.datasets.length, names.size);
  assert.equal(assertAlone(snapshot), 0);
});

test('names of all shapes get specs that find their packages alone', async () => {
  const name = fc
    .record({
      city: fc.constantFrom(
        '22203_numazu-shi',
        '13100_tokyo23-ku',
        '13101_chiyoda-ku',
        '01100_sapporo-shi',
        '13_tokyo-to',
      ),
      provider: fc.constantFrom('', '_city', '_pref'),
      year: fc.constantFrom(2021, 2022, 2023),
      type: fc.constantFrom('bldg', 'ex-port-numazukou-bldg', 'frn', 'fld_natl_kanogawa', 'urf_UseDistrict'),
      kind: fc.constantFrom('3dtiles', '3dtiles', 'mvt'),
      ward: fc.constantFrom('', '', '_13101_chiyoda-ku', '_01101_chuo-ku'),
      tail: fc.constantFrom(
        '',
        '_l1',
        '_l2',
        '_lod1',
        '_lod2',
        '_lod2_no_texture',
        '_lod3',
        '_lod33',
        '_lod3_2',
        '_lod4_interior',
      ),
    })
    .map((n) => `${n.city}${n.provider}_${n.year}_citygml_1_op_${n.type}_${n.kind}${n.ward}${n.tail}`)
    .filter((text) => parsePackageName(text)?.tiles != null);
  await fc.assert(
    fc.asyncProperty(fc.array(name, { maxLength: 30 }), async (names) => {
      const rows = names
        .map(packageOf)
        // A ward lies in its own city.
        .filter(
          ({ wardCode, cityCode }) => wardCode === null || wardCode.slice(0, 3) === cityCode.slice(0, 3),
        );
      const byIdentity = new Map(rows.map((row) => [row.identity, row]));
      assertAlone(await snapshotOf(...byIdentity.values()));
    }),
    { numRuns: 200 },
  );
});
