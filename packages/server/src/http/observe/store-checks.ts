import { OutOfPatience, waitPatiently, withPatience } from '@citymodel/base';
import { type CatalogueStore, type ObjectStore, StoreUnavailable } from '@citymodel/store';
import type { DiskWatch } from './disk-checks.ts';

/** How long a part may take to answer who asks whether all is well, ms. */
const CHECK_MS = 2_000;

/** Whether each part of the disks can be written to, told within 2 s: `ok` for each, or why not. Never rejects. */
export async function checkDisks(disks: DiskWatch): Promise<Record<string, string>> {
  const states = disks.parts.map(async (part): Promise<[string, string]> => {
    try {
      return [part, (await withPatience(() => waitPatiently(() => disks.look(part)), CHECK_MS)).state];
    } catch {
      return [part, `does not answer: nothing came in ${CHECK_MS / 1_000} s`];
    }
  });
  return Object.fromEntries(await Promise.all(states));
}

/** Whether database and object store answer within 2 s: `ok` for each, or why not. Never rejects. */
export async function checkStores({
  catalogue,
  objects,
}: {
  catalogue: CatalogueStore;
  objects: ObjectStore;
}): Promise<{ database: string; objects: string }> {
  const [database, bucket] = await Promise.all([
    stateOf(() => catalogue.state()),
    stateOf(() => objects.probe()),
  ]);
  return { database, objects: bucket };
}

async function stateOf(look: () => Promise<unknown>): Promise<string> {
  try {
    await withPatience(() => waitPatiently(look), CHECK_MS);
    return 'ok';
  } catch (error) {
    if (error instanceof OutOfPatience) return `does not answer: nothing came in ${CHECK_MS / 1_000} s`;
    const why = error instanceof StoreUnavailable ? error.why : undefined;
    return why === undefined ? 'does not answer' : `does not answer: ${why}`;
  }
}
