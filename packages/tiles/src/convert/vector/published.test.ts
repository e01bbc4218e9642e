import assert from 'node:assert/strict';
import { existsSync, globSync } from 'node:fs';
import { basename } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { DATA, unzip } from '@citymodel/citygml/testing';
import { gmlSources } from '../read/testing/gml-source.ts';
import { contentOf, makeVectorTiles } from './testing/made-tiles.ts';

const TOP_ZOOM = 16;
/** Rounding to units of 12 cm moves an edge by 3 cm or so: what that is worth on small shapes, square metres. */
const ROUNDING = 1;

/**
 * Plans within plans: the published area of this one holds that of a plan which the data nests in it by mistake, two
 * kilometres away. We take a plan's own geometry.
 */
const OTHER_AREA = new Set(['urf_ed404ee8-8f1a-4a37-9491-586354ed823f']);

test('vector tiles hold the features that were published', { skip: !existsSync(DATA) }, async () => {
  let compared = 0;
  for (const zip of globSync(`${DATA}conversion/*/*.zip`)) {
    const published = globSync(zip.replace(/[^/]*$/, 'published/*_mvt*.zip'));
    if (published.length === 0) continue;
    const { packages, issues } = await makeVectorTiles(await gmlSources(zip));
    assert.deepEqual(issues, [], zip);
    for (const path of published) {
      const suffix = basename(path, '.zip').slice(basename(zip, '.zip').length + 1);
      const theirs = await unzip(path, /\.mvt$/);
      const ours = packages.get(suffix);
      assert.ok(ours !== undefined, `${suffix} is among ${[...packages.keys()]}`);
      const [a, b] = [contentOf(theirs, TOP_ZOOM), contentOf(ours, TOP_ZOOM)];
      assert.deepEqual([...b.keys()].sort(), [...a.keys()].sort(), suffix);
      for (const [layer, layerOf] of a) {
        const own = b.get(layer)!;
        assert.deepEqual(
          [...own.features.keys()].sort(),
          [...layerOf.features.keys()].sort(),
          `${suffix} ${layer}`,
        );
        const isLine = layer === 'WaterBody';
        let [sumOurs, sumTheirs] = [0, 0];
        for (const [id, area] of layerOf.areas) {
          if (OTHER_AREA.has(id)) continue;
          sumOurs += own.areas.get(id)!;
          sumTheirs += area;
          compared++;
        }
        const allowed = Math.max(Math.abs(sumTheirs) / 1_000, ROUNDING);
        assert.ok(
          isLine || Math.abs(sumOurs - sumTheirs) <= allowed,
          `${suffix} ${layer}: ${sumOurs} is not ${sumTheirs} m²`,
        );
        for (const [id, properties] of layerOf.features) {
          for (const key of ['meshcode', 'feature_type', 'city_code', 'core_creationDate']) {
            assert.equal(own.features.get(id)![key], properties[key], `${suffix} ${id} ${key}`);
          }
        }
      }
      const bytes = (files: ReadonlyMap<string, Uint8Array>) =>
        [...files].reduce(
          (sum, [name, file]) => sum + (name.endsWith('.mvt') ? gzipSync(file).length : 0),
          0,
        );
      assert.ok(bytes(ours) < 1.2 * bytes(theirs), `${suffix}: ${bytes(ours)} of ${bytes(theirs)} bytes`);
    }
  }
  assert.ok(compared > 350, `${compared} features were compared`);
});
