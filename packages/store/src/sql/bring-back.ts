/** Makes a package live again that was replaced or removed. */
import { sharedNow } from '@citymodel/base';
import { CatalogueConflict } from '../catalogue-store.ts';
import { changing, noteChange } from './catalogue-changes.ts';
import type { SqlTransaction } from './driver.ts';

/** See `CatalogueStore.bringBack`: the numbers of packages that were live in its place. */
export async function bringBack(tx: SqlTransaction, no: number): Promise<number[]> {
  const [found] = await tx.all('SELECT state, identity, name FROM package WHERE no = $1', [no]);
  if (found === undefined) throw new CatalogueConflict(`there is no package ${no} any more`);
  const [state, identity, name] = found as [string, string, string];
  if (state === 'live') throw new CatalogueConflict(`the package ${name} is live`);
  const rows = await tx.all("SELECT no FROM package WHERE identity = $1 AND state = 'live' ORDER BY no", [
    identity,
  ]);
  const others = rows.map(([other]) => other as number);
  const before = await changing(tx, [no, ...others]);
  await tx.run(
    "UPDATE package SET state = 'retired', left_at = $1 WHERE no IN (SELECT value FROM each_int($2))",
    [sharedNow(), others],
  );
  await tx.run("UPDATE package SET state = 'live', left_at = NULL WHERE no = $1", [no]);
  await noteChange(tx, before);
  return others;
}
