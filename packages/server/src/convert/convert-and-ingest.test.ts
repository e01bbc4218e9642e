import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { writeMvt, writePmtiles } from '@citymodel/tiles/testing';
import { type Ingesting, openIngesting } from '../ingest/testing/ingesting.ts';
import { type ConvertAndIngestReport, convertAndIngest } from './convert-and-ingest.ts';
import { USUAL_OPTIONS } from './testing/convert-zip.ts';
import { PACKAGE, writePackage, writeSmallPackage } from './testing/small-package.ts';
import { CONVERT_THREAD } from './thread-module.ts';

/** A tile over the small package, of somebody else's making. */
const TILE = writeMvt({ LandUse: { points: [{ x: 2_000, y: 2_000, tags: { gml_id: 'theirs' } }] } });
const [Z, X, Y] = [14, 14503, 6480];

/** Ingests a package; returns its id. */
async function ingest(at: Ingesting, path: string): Promise<string> {
  const [report] = await at.ingest(path);
  assert.equal(report!.refusal, null);
  assert.equal(report!.outcome, 'published');
  return report!.package!.id!;
}

async function convert(at: Ingesting, id: string, replace: boolean): Promise<ConvertAndIngestReport> {
  const [row] = await at.stores.catalogue.findPackages({ id });
  const report = await convertAndIngest(
    {
      address: { kind: 'hosted', row: row! },
      options: { ...USUAL_OPTIONS, heights: 'elevation' },
      types: null,
      partsDirectory: join(at.directory, 'parts'),
      geoid: '',
      jobs: 0,
      share: null,
      replace,
      level: 6,
    },
    {
      objectStore: at.stores.objects,
      objects: null,
      threadModule: CONVERT_THREAD,
      signal: new AbortController().signal,
      onProgress() {},
    },
    { ...at.stores, stagingDir: join(at.directory, 'data/staging'), now: () => new Date(0) },
    (error) => assert.fail(String(error)),
  );
  for (const { refusal } of report.ingested) assert.equal(refusal, null);
  return report;
}

/** Live packages of tiles by the end of their names. */
async function liveTiles(at: Ingesting): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for await (const page of at.stores.catalogue.packages()) {
    for (const { kind, name, id } of page)
      if (kind !== 'citygml') found.set(name.replace(`${PACKAGE}_`, ''), id);
  }
  return found;
}

/** What the conversion made, and what it left out because other tiles are to be kept. */
function outcomeOf({ packages }: ConvertAndIngestReport): Record<string, boolean> {
  return Object.fromEntries(
    packages.map(({ name, path }) => [name.replace(`${PACKAGE}_`, ''), path !== null]),
  );
}

for (const kind of ['zip', 'pmtiles'] as const) {
  test(
    `tiles that came from elsewhere stay unless they are to be replaced, those of conversions never do: ` +
      `${kind}`,
    async () => {
      await using at = await openIngesting();
      const city = join(at.directory, `${PACKAGE}.zip`);
      await writeSmallPackage(city, 'a', 3);
      const id = await ingest(at, city);
      const theirs = join(at.directory, `${PACKAGE}_luse_mvt.${kind}`);
      if (kind === 'zip') await writePackage(theirs, [{ path: `${Z}/${X}/${Y}.mvt`, text: TILE }]);
      else {
        const metadata = { name: 'theirs', vector_layers: [{ id: 'LandUse', fields: {} }] };
        await writeFile(theirs, writePmtiles([{ z: Z, x: X, y: Y, bytes: TILE }], { metadata }));
      }
      const foreign = await ingest(at, theirs);

      const first = await convert(at, id, false);
      assert.equal(outcomeOf(first).luse_mvt, false);
      assert.equal(outcomeOf(first).tran_mvt_lod1, true);
      assert.equal(first.ingested.length, first.packages.filter(({ path }) => path !== null).length);
      const kept = await liveTiles(at);
      assert.equal(kept.get('luse_mvt'), foreign);
      assert.ok(kept.has('tran_mvt_lod1'));

      const forced = await convert(at, id, true);
      assert.ok(Object.values(outcomeOf(forced)).every(Boolean), JSON.stringify(outcomeOf(forced)));
      const replaced = await liveTiles(at);
      assert.notEqual(replaced.get('luse_mvt'), foreign);
      assert.equal(
        replaced.get('tran_mvt_lod1'),
        kept.get('tran_mvt_lod1'),
        'the same tiles have the same id',
      );

      // Now all of them are conversions.
      assert.ok(Object.values(outcomeOf(await convert(at, id, false))).every(Boolean));
    },
  );
}
