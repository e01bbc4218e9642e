/** A package in a directory, for tests. */
import { createReadStream, existsSync } from 'node:fs';
import { glob, readFile, stat } from 'node:fs/promises';
import { basename, join, sep } from 'node:path';
import type { GmlFile } from '../run/file-checks.ts';
import type { InspectSource } from '../run/inspect-package.ts';

export async function directorySource(directory: string): Promise<InspectSource> {
  const files: GmlFile[] = [];
  for await (const found of glob('udx/**/*.gml', { cwd: directory })) {
    const { size } = await stat(join(directory, found));
    files.push({ path: found.split(sep).join('/'), bytes: size });
  }
  return {
    name: basename(directory),
    files: files.sort((a, b) => (a.path < b.path ? -1 : 1)),
    text: (path) => createReadStream(join(directory, path)),
    has: (path) => existsSync(join(directory, path)),
    async member(path) {
      try {
        return await readFile(join(directory, path));
      } catch {
        return null;
      }
    },
  };
}
