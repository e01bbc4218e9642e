/**
 * The catalogue's core without a socket, on the whole country: building the snapshot, the document, filters,
 * and composites.
 *
 *     node bench/catalogue-core.ts [data directory filled by bench/national/generate.ts]
 *
 * Without a directory the rows are generated in memory, and reading them from the database is not measured.
 */
import { setImmediate } from 'node:timers/promises';
import { AssetUrls } from '../src/catalogue/names/asset-urls.ts';
import { compositeFor } from '../src/catalogue/resolve/composite-tilesets.ts';
import { catalogueFor } from '../src/catalogue/snapshot/catalogue-filter.ts';
import { buildSnapshot, type Snapshot } from '../src/catalogue/snapshot/snapshot.ts';
import { readQuery } from '../src/http/describe/query-parameters.ts';
import { CATALOGUE_PARAMETERS } from '../src/http/operations/catalogue.ts';
import type { CatalogueStore } from '../src/store/catalogue-store.ts';
import { openStores } from '../src/store/open-stores.ts';
import type { PackageRow } from '../src/store/rows.ts';
import { NATIONAL, nationalPackages } from './national/generate.ts';

const urls = new AssetUrls({ publicUrl: 'https://data.example', assetUrl: 'https://data.example/assets' });

/** Snapshots without anything made from them yet, so that nothing comes from a cache. */
async function build(store: CatalogueStore): Promise<{ snapshot: Snapshot; total: number; longest: number }> {
  const start = performance.now();
  let slice = start;
  let longest = 0;
  const pause = async () => {
    longest = Math.max(longest, performance.now() - slice);
    await setImmediate();
    slice = performance.now();
  };
  const snapshot = await buildSnapshot(store, urls, { pause });
  return { snapshot, total: performance.now() - start, longest };
}

async function millisecondsOf(run: () => unknown): Promise<number> {
  const start = performance.now();
  await run();
  return performance.now() - start;
}

function inMemory(): CatalogueStore {
  const rows: PackageRow[] = [];
  for (const { package: row } of nationalPackages(NATIONAL)) {
    rows.push({ ...row, no: rows.length + 1, state: 'live' });
  }
  return {
    async *everything() {
      const state = { version: 1, identity: 'one' };
      for (let i = 0; i < rows.length; i += 500) yield { state, packages: rows.slice(i, i + 500) };
    },
  } as unknown as CatalogueStore;
}

const [dataDir] = process.argv.slice(2);
const stores = dataDir === undefined ? null : await openStores({ dataDir, databaseUrl: '', objectStore: '' });
const store = stores?.catalogue ?? inMemory();
const print = (what: string, value: number, unit = 'ms') =>
  console.log(`${what.padEnd(60)} ${value.toFixed(unit === 'ms' ? 2 : 1).padStart(9)} ${unit}`);

const first = await build(store);
print('snapshot, first in the process', first.total);
print('  longest slice', first.longest);
print('  memory of the process', process.memoryUsage.rss() / 1e6, 'MB');
const runs = [];
for (let i = 0; i < 5; i++) runs.push(await build(store));
runs.sort((a, b) => a.total - b.total);
print('snapshot, median of 5 more', runs[2]!.total);
print('  longest slice', Math.max(...runs.map((run) => run.longest)));
const { snapshot } = runs[2]!;
for (const [name, table] of Object.entries(snapshot.tables)) print(`  ${name}`, table.count, 'rows');
print('document', snapshot.document.size / 1e6, 'MB');
print('document, gzip', await millisecondsOf(() => snapshot.document.gzip()));
print('document, gzip', (await snapshot.document.gzip()).length / 1e6, 'MB');

for (const query of [
  { pref_code: '13' },
  { city_code: '13100', type_en: 'bldg', year: '2024' },
  { type_en: 'bldg' },
  { bbox: '139.6,35.6,139.8,35.8' },
  { fields: 'citygml' },
]) {
  const times: number[] = [];
  let bytes = 0;
  for (const { snapshot } of runs) {
    times.push(
      await millisecondsOf(() => {
        bytes = catalogueFor(snapshot, readQuery(CATALOGUE_PARAMETERS, query)).size;
      }),
    );
  }
  times.sort((a, b) => a - b);
  print(`filtered ${new URLSearchParams(query)}, ${(bytes / 1e6).toFixed(2)} MB`, times[2]!);
}
for (const spec of [
  'all-bldg-lod1-latest',
  'all-bldg-maxlod3-latest',
  'all-fld-lod1-2024',
  '13-bldg-lod2-latest',
]) {
  const times: number[] = [];
  let children = 0;
  for (const { snapshot } of runs) {
    times.push(
      await millisecondsOf(() => {
        children = compositeFor(snapshot, urls, spec).plain().toString().split('"uri"').length - 1;
      }),
    );
  }
  times.sort((a, b) => a - b);
  print(`composite ${spec}, ${children} children, computed`, times[2]!);
  print('  again', await millisecondsOf(() => compositeFor(snapshot, urls, spec)));
}
await stores?.close();
