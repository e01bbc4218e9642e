import assert from 'node:assert/strict';
import test from 'node:test';
import { Slices } from '@citymodel/base';
import { parseMvtSpec } from '../specs/mvt-spec.ts';
import { parseTilesSpec } from '../specs/tiles-spec.ts';
import { snapshotOf, tilePackage } from '../testing/snapshot-rows.ts';
import { chooseMvt } from './choose-mvt.ts';
import { findTiles } from './choose-tiles.ts';
import { assignSpecs } from './dataset-spec.ts';
import type { Dataset } from './snapshot-dataset.ts';

const RIVERS = 60;
const NATIONAL = { admin: 'natl', river: null, scale: 'l1', scaleSuffix: null } as const;

/** The rivers of a city, each with two LODs in every year. */
async function rivers(format: '3D Tiles' | 'MVT', years: readonly number[]): Promise<Dataset[]> {
  const rows = years.flatMap((year) =>
    Array.from({ length: RIVERS }, (_, i) => ({
      code: `natl_river${i}_l1`,
      name: `川${i}`,
      ...NATIONAL,
    })).flatMap((sub) => [1, 2].map((lod) => tilePackage({ format, type: 'fld', sub, lod }, { year }))),
  );
  return [...(await snapshotOf(...rows)).datasets];
}

for (const format of ['3D Tiles', 'MVT'] as const) {
  test(`${format}: among hundreds of rivers each spec finds one, and a newest spec the newest year only`, async () => {
    const datasets = await rivers(format, [2022, 2023]);
    assert.equal(datasets.length, RIVERS * 4);
    for (const dataset of datasets) {
      const { year } = dataset.package;
      assert.ok(dataset.spec?.includes(`_${dataset.sub}-lod${dataset.lod}-${year}`), `${dataset.spec}`);
      assert.equal(dataset.latestSpec !== null, year === 2023, dataset.id);
      for (const spec of [dataset.spec, dataset.latestSpec]) {
        if (spec === null) continue;
        const found =
          format === 'MVT'
            ? [chooseMvt(datasets, parseMvtSpec(spec))]
            : findTiles(datasets, parseTilesSpec(spec));
        assert.deepEqual(found, [dataset], spec);
      }
    }
  });
}

test('3D Tiles of a part are looked for once, for the specs of all its LODs, with a year and without', async () => {
  const datasets = await rivers('3D Tiles', [2023]);
  const before = datasets.map(({ spec, latestSpec }) => ({ spec, latestSpec }));
  let looks = 0;
  for (const dataset of datasets) {
    const { area } = dataset;
    Object.defineProperty(dataset, 'area', {
      get() {
        looks++;
        return area;
      },
    });
  }
  await assignSpecs(datasets, new Slices(async () => {}));
  assert.deepEqual(
    datasets.map(({ spec, latestSpec }) => ({ spec, latestSpec })),
    before,
  );
  // Once for each river at all datasets of the city, and some times for each dataset at itself.
  const most = (RIVERS + 10) * datasets.length;
  assert.ok(looks <= most, `${looks} looks, at most ${most}`);
});
