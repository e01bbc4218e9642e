/** Every real package at hand converts with an account that closes, and that counts what a slow reader counts. */
import assert from 'node:assert/strict';
import { existsSync, globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { DATA, unzip } from '../../citygml/testing/published.ts';
import { type SlowElement, slowFeatures } from '../../citygml/testing/slow-features.ts';
import { timedConversion } from './testing/timed-conversion.ts';

/** Large ones, which benches convert, and one whose name states no code. */
const LEFT_OUT = /osaka-shi_city_2022|tokyo23|takeshiba/;
const packages = globSync(`${DATA}{packages,conversion/*}/*_citygml_*.zip`)
  .filter((path) => !LEFT_OUT.test(path))
  .sort();

/** Features by type, and levels of detail of each type: the number of features that have a property of the level with something in it. */
function slowCounts(features: readonly SlowElement[]): Map<string, number> {
  const counts = new Map<string, number>();
  const add = (key: string) => counts.set(key, (counts.get(key) ?? 0) + 1);
  for (const feature of features) {
    const lods = new Set<string>();
    const visit = (element: SlowElement): void => {
      const lod = /^lod([0-4])[A-Z]/.exec(element.local)?.[1];
      const isFilled = element.children.length > 0 || element.attributes.has('xlink:href');
      if (lod !== undefined && isFilled && !/HeightType|TerrainInter/.test(element.local)) lods.add(lod);
      for (const child of element.children) if (child.name !== 'gml:boundedBy') visit(child);
    };
    visit(feature);
    for (const lod of lods) add(`${feature.local} ${lod}`);
    if (lods.size === 0) add(`${feature.local} none`);
  }
  return counts;
}

test('real packages', { skip: existsSync(DATA) ? false : 'needs ../shared/data' }, async (t) => {
  assert.ok(packages.length > 15);
  for (const path of packages) {
    await t.test(basename(path), async () => {
      const directory = mkdtempSync(join(tmpdir(), 'citymodel-account-'));
      try {
        const { account, issues } = await timedConversion(path, directory, {
          options: { compression: 'none' },
        });
        assert.equal(
          account!.complete,
          true,
          JSON.stringify(issues.filter(({ code }) => code === 'UNACCOUNTED')),
        );
        const expected = new Map<string, number>();
        for (const [member, bytes] of await unzip(path, /^(?!codelists).*\.gml$/)) {
          if (!/udx\/(?!dem)/.test(member)) continue;
          for (const [key, count] of slowCounts(slowFeatures(bytes.toString())))
            expected.set(key, (expected.get(key) ?? 0) + count);
        }
        const found = new Map(
          account!.features.map(({ type, lod, in: into }) => [
            `${type.split(':').at(-1)} ${lod ?? 'none'}`,
            into,
          ]),
        );
        assert.deepEqual([...found].sort(), [...expected].sort());
        // Whatever is not out is named by an issue that is no mere notice, or was not asked for.
        const warned = new Set(issues.filter(({ severity }) => severity !== 'info').map(({ code }) => code));
        const tallies = [account!.files, ...account!.features, ...account!.surfaces, account!.images];
        for (const { rest } of tallies)
          for (const code of Object.keys(rest)) assert.ok(warned.has(code), `${code} is told of`);
      } finally {
        rmSync(directory, { recursive: true });
      }
    });
  }
});
