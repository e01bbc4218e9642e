/** Roll back: a package that was replaced or removed is live again, as long as it is kept. */
import { quoted } from '@citymodel/base';
import {
  CatalogueConflict,
  type CatalogueStore,
  type ObjectStore,
  objectKeysOf,
  type PackageRow,
} from '@citymodel/store';

/** The package cannot be brought back; the message is for the operator. */
export class CannotBringBack extends Error {
  override readonly name = 'CannotBringBack';
  /** `gone`: nothing of it is kept any more. `live`: it is there. `unclear`: several have the name. */
  readonly why: 'gone' | 'live' | 'unclear';

  constructor(why: CannotBringBack['why'], message: string) {
    super(message);
    this.why = why;
  }
}

export interface BroughtBack {
  row: PackageRow;
  /** What was live in its place, and is kept in turn. */
  retired: PackageRow[];
}

/**
 * Makes the package of this name or id live again, and retires what took its place. Throws CannotBringBack, and changes
 * nothing, when it is live, or it or its objects are deleted. So it does when several packages that are not live have
 * the name.
 */
export async function bringBackPackage(
  { catalogue, objects }: { catalogue: CatalogueStore; objects: ObjectStore },
  nameOrId: string,
): Promise<BroughtBack> {
  const row = await findKept(catalogue, nameOrId);
  for (const key of objectKeysOf(row)) {
    if ((await objects.head(key)) !== null) continue;
    throw new CannotBringBack('gone', `The object ${key} of ${row.name} is deleted. ${INGEST_AGAIN}`);
  }
  try {
    const others = await catalogue.bringBack(row.no);
    const same = await catalogue.findPackages({ identity: row.identity });
    return { row: { ...row, state: 'live' }, retired: same.filter(({ no }) => others.includes(no)) };
  } catch (error) {
    if (!(error instanceof CatalogueConflict)) throw error;
    // Somebody else, or the sweep, was faster.
    const [now] = await catalogue.findPackages({ id: row.id });
    throw now?.state === 'live' ? alreadyLive(row) : goneOf(nameOrId);
  }
}

const KEPT_FOR = 'Packages that were replaced or removed are kept for RETIRED_GRACE_S.';
const INGEST_AGAIN = 'Ingest its package again.';

async function findKept(catalogue: CatalogueStore, nameOrId: string): Promise<PackageRow> {
  const byId = await catalogue.findPackages({ id: nameOrId });
  const found = byId.length > 0 ? byId : await catalogue.findPackages({ name: nameOrId });
  const kept = found.filter(({ state }) => state !== 'live');
  const [row] = kept;
  if (row === undefined) throw found[0] === undefined ? goneOf(nameOrId) : alreadyLive(found[0]);
  if (kept.length === 1) return row;
  const list = kept.map(({ id, state, ingestedAt }) => `${id} (${state}, ingested ${ingestedAt})`);
  throw new CannotBringBack(
    'unclear',
    `${kept.length} packages that are not live have the name ${row.name}. Give the id of one: ${list.join(', ')}.`,
  );
}

function alreadyLive({ name }: PackageRow): CannotBringBack {
  return new CannotBringBack('live', `The package ${name} is live.`);
}

function goneOf(nameOrId: string): CannotBringBack {
  return new CannotBringBack('gone', `There is no package ${quoted(nameOrId)}. ${KEPT_FOR} ${INGEST_AGAIN}`);
}
