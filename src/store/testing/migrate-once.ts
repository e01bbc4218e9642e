/** Migrates the database of the first argument. */
import { SqlCatalogueStore } from '../sql/sql-catalogue-store.ts';
import { SqliteDriver } from '../sqlite/sqlite-driver.ts';

const catalogue = new SqlCatalogueStore(await SqliteDriver.open(process.argv[2]!));
await catalogue.migrate();
console.log(await catalogue.version());
await catalogue.close();
