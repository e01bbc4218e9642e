import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { PackageFiles } from '@citymodel/base';
import yauzl from 'yauzl';
import { memoryFiles } from './memory-files.ts';

const TILES = join(import.meta.dirname, '../../../../../shared/data/tiles');

/** Real tile packages beside the project whose name contains a word; null when that data is not there. */
export function realPackages(word: string): string[] | null {
  if (!existsSync(TILES)) return null;
  return readdirSync(TILES).filter((name) => name.includes(word) && name.endsWith('.zip'));
}

/** Reads one of them into memory, with paths relative to its only directory. */
export async function openRealPackage(name: string): Promise<PackageFiles> {
  const zip = await yauzl.openPromise(join(TILES, name), { lazyEntries: true });
  const members: Record<string, Uint8Array> = {};
  for await (const entry of zip.eachEntry()) {
    if (entry.fileName.endsWith('/')) continue;
    members[entry.fileName] = await buffer(await zip.openReadStreamPromise(entry));
  }
  if (zip.isOpen) {
    zip.close();
    await once(zip, 'close');
  }
  const root = `${name.replace(/\.zip$/, '')}/`;
  const rooted = Object.keys(members).every((path) => path.startsWith(root));
  return memoryFiles(
    rooted
      ? Object.fromEntries(Object.entries(members).map(([path, b]) => [path.slice(root.length), b]))
      : members,
  );
}
