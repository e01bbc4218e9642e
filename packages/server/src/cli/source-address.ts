/** Which package a word of the command line means: a file, a directory, or a package that is served. */
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { PackageRow, Stores } from '@citymodel/store';
import type { SourceAddress } from '../convert/package-source.ts';
import type { Overrides } from '../ingest/identify.ts';
import { PackageRefused } from '../ingest/upload.ts';

/** What the options of the command say of the package. */
export interface AddressFlags {
  name?: string;
  code?: string;
  year?: number;
  pref?: string;
  city?: string;
  ingest: boolean;
}

/** A path when there is such a file or directory; else the name of a package that is served. Throws PackageRefused. */
export async function addressOf(
  name: string,
  flags: AddressFlags,
  stores: Stores | null,
): Promise<SourceAddress> {
  const { code, year, pref, city } = flags;
  const overrides: Overrides = {
    ...(flags.name === undefined ? {} : { name: flags.name }),
    ...(code === undefined ? {} : { code }),
    ...(year === undefined ? {} : { year }),
    ...(pref === undefined ? {} : { pref }),
    ...(city === undefined ? {} : { city }),
  };
  if (stores === null || (await exists(name)))
    return { kind: 'upload', path: resolve(name), overrides, isNameless: !flags.ingest };
  return { kind: 'hosted', row: await hostedRow(name, stores) };
}

/** The live CityGML package of a name or id. Throws PackageRefused. */
export async function hostedRow(name: string, stores: Stores): Promise<PackageRow> {
  const rows = [
    ...(await stores.catalogue.findPackages({ name })),
    ...(await stores.catalogue.findPackages({ id: name })),
  ];
  const row = rows.find(({ kind, state }) => kind === 'citygml' && state === 'live');
  if (row === undefined) {
    throw new PackageRefused(
      'NO_SUCH_FILE',
      `There is neither a file ${name} nor a CityGML package of that name; \`citymodel list\` shows what there is.`,
    );
  }
  return row;
}

/** True for a file or directory. */
export async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null)) !== null;
}
