/**
 * Fills a catalogue with a whole invented country without the bytes behind it:
 *
 *     node bench/national/generate.ts <data directory>
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { CatalogueStore, Publication } from '../../packages/store/src/catalogue-store.ts';
import { openStores } from '../../packages/store/src/open-stores.ts';
import type { SqlDriver, SqlTransaction } from '../../packages/store/src/sql/driver.ts';
import { SqlCatalogueStore } from '../../packages/store/src/sql/sql-catalogue-store.ts';
import { SqliteDriver } from '../../packages/store/src/sqlite/sqlite-driver.ts';
import { type City, inventCountry } from './country.ts';
import { cityPublication, ordersOf, riverOrder, type TileOrder, tilePublication } from './packages.ts';

export interface NationalScale {
  seed: string;
  /** Municipalities that have packages; the table of areas knows 1,700. */
  cities: number;
  years: readonly number[];
  /** Tile packages of all years together. */
  datasets: number;
  /** GML files of all years together. */
  files: number;
}

export const NATIONAL: NationalScale = {
  seed: 'national',
  cities: 300,
  years: [2022, 2023, 2024],
  datasets: 20_000,
  files: 300_000,
};

/**
 * Every package of the country, the same for the same scale. Throws a RangeError when `datasets` is below what
 * the cities have without rivers.
 */
export function* nationalPackages(
  scale: NationalScale,
): Generator<Pick<Publication, 'package' | 'files' | 'places'>> {
  const cities = inventCountry(scale.seed, scale.cities);
  const releases = cities.flatMap((city) => scale.years.map((year) => ({ city, year })));
  const orders = releases.map(({ city, year }) => ordersOf(city, year, scale.seed));
  addRivers(releases, orders, scale.datasets);
  let share = 0;
  let count = 0;
  for (const [i, { city, year }] of releases.entries()) {
    share += city.weight / scale.years.length;
    const quota = i === releases.length - 1 ? scale.files - count : Math.round(share * scale.files) - count;
    count += quota;
    yield cityPublication(city, year, quota);
    for (const order of orders[i]!) {
      yield { package: tilePublication(city, year, order), files: [], places: [] };
    }
  }
}

/** What is missing to the number of datasets are floods, as in the country itself, spread over all releases. */
function addRivers(releases: Array<{ city: City }>, orders: TileOrder[][], datasets: number): void {
  let missing = datasets - orders.reduce((sum, of) => sum + of.length, 0);
  if (missing < 0) throw new RangeError(`${datasets} datasets are ${-missing} fewer than the cities have`);
  for (let n = 0; missing > 0; n++) {
    for (const [i, { city }] of releases.entries()) {
      if (missing-- === 0) return;
      orders[i]!.push(riverOrder(city, n));
    }
  }
}

/** Publishes the country into an empty, migrated catalogue. `archiveKey`: of archives, which are not there. */
async function fillCatalogue(
  store: CatalogueStore,
  scale: NationalScale = NATIONAL,
  archiveKey = '',
): Promise<void> {
  for (const one of nationalPackages(scale)) {
    const content = { ...one, package: { ...one.package, archiveKey } };
    const intent = content.package.id;
    await store.beginIntent({
      id: intent,
      keys: [],
      staging: null,
      host: 'bench',
      pid: process.pid,
      heartbeatAt: Date.now(),
    });
    await store.publish({ ...content, issues: [], replaces: [], intent });
  }
}

/** Publishes the country into a new data directory. `archiveKey`: of archives, which are not there. */
export async function fillDataDir(
  dataDir: string,
  scale: NationalScale = NATIONAL,
  archiveKey = '',
): Promise<void> {
  // Makes the tables.
  const stores = await openStores({ dataDir, databaseUrl: '', objectStore: '' });
  await stores.close();
  const driver = await SqliteDriver.open(join(dataDir, 'catalogue.sqlite'));
  // One transaction for all: a disk that has to keep each of twenty thousand packages is most of the time.
  await driver.write('catalogue', (transaction) =>
    fillCatalogue(new SqlCatalogueStore(withinOne(driver, transaction)), scale, archiveKey),
  );
  await driver.close();
}

/** A driver whose transactions are all part of one that has begun. */
function withinOne(driver: SqliteDriver, transaction: SqlTransaction): SqlDriver {
  return {
    all: (...query) => transaction.all(...query),
    pages: (...query) => driver.pages(...query),
    snapshot: (work) => driver.snapshot(work),
    write: (_lock, work) => work(transaction),
    listen: () => driver.listen(),
    isMissingTable: (error) => driver.isMissingTable(error),
    close: async () => {},
  };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [dataDir] = process.argv.slice(2);
  if (dataDir === undefined) {
    console.error('usage: node bench/national/generate.ts <data directory>');
    process.exit(2);
  }
  const start = performance.now();
  await fillDataDir(dataDir);
  console.log(`filled ${dataDir} in ${((performance.now() - start) / 1000).toFixed(1)} s`);
}
