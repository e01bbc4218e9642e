/** Migrates the database of the first argument by the driver that the second one names. */
import { SqlCatalogueStore } from '../sql/sql-catalogue-store.ts';
import { openDriver } from './open-driver.ts';

const [address, name] = process.argv.slice(2) as [string, string];
const catalogue = new SqlCatalogueStore(await openDriver(name, address));
await catalogue.migrate();
console.log(await catalogue.version());
await catalogue.close();
