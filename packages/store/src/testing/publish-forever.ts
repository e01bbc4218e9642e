/**
 * Publishes revisions of one package in the database of the first argument until it is killed; says each id when it is
 * live. The second argument names the driver.
 */
import { SqlCatalogueStore } from '../sql/sql-catalogue-store.ts';
import { allPackages, gmlFileOf, packageOf, placeOf, publish } from './fixtures.ts';
import { openDriver } from './open-driver.ts';

const [address, name, round] = process.argv.slice(2) as [string, string, string];
const catalogue = new SqlCatalogueStore(await openDriver(name, address));
await catalogue.migrate();
const FILES = 2_000;
console.log('ready');
for (let i = 0; ; i++) {
  const live = await allPackages(catalogue);
  const row = await publish(catalogue, packageOf(`${round}-${i}`, { identity: 'one', files: FILES }), {
    files: Array.from({ length: FILES }, (_, n) => gmlFileOf(String(53390000 + n))),
    places: [placeOf('見本町')],
    replaces: live.map(({ no }) => no),
  });
  console.log(row.id);
}
