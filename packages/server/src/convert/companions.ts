/** What parts of a GML file are made of beside its text, as far as paths tell. */
import { createHash, type Hash } from 'node:crypto';
import { isGmlPath } from '@citymodel/citygml';
import type { GmlFacts } from '@citymodel/tiles';
import type { PackageSource } from './package-source.ts';

/**
 * A digest of the code lists, and of the images in the directories that the file's name stands before. By path of the
 * GML file. Companions elsewhere become known when a part is made (see `PartRecord`).
 */
export async function companionDigests(
  source: Pick<PackageSource, 'members' | 'stampOf'>,
  files: readonly GmlFacts[],
): Promise<Map<string, string>> {
  const paths = Array.from(source.members(), ({ path }) => path).sort();
  const directories = new Set(files.map(({ path }) => directoryOf(path)));
  const stems = new Set(files.map(({ path }) => stemOf(path, directories)));
  const lists = createHash('sha256');
  const byStem = new Map<string, Hash>();
  for (const path of paths) {
    const isList = path.startsWith('codelists/');
    const stem = isGmlPath(path) || !path.startsWith('udx/') ? null : stemOf(path, directories);
    const isOfFile = stem !== null && stems.has(stem);
    if (!isList && !isOfFile) continue;
    const line = `${path}\n${await source.stampOf(path)}\n`;
    if (isList) lists.update(line);
    if (!isOfFile) continue;
    byStem.set(stem, (byStem.get(stem) ?? createHash('sha256')).update(line));
  }
  const codeLists = lists.digest('hex');
  const images = new Map([...byStem].map(([stem, digest]) => [stem, digest.digest('hex')]));
  return new Map(
    files.map(({ path }) => [path, `${codeLists} ${images.get(stemOf(path, directories) ?? '') ?? ''}`]),
  );
}

function directoryOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1);
}

/**
 * The nearest directory with GML files and the first word of what lies in it: `udx/bldg/53394525` for a mesh and its
 * images.
 */
function stemOf(path: string, directories: ReadonlySet<string>): string | null {
  for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
    const directory = path.slice(0, at + 1);
    if (directories.has(directory)) return directory + path.slice(at + 1).split(/[_/.]/, 1)[0]!;
  }
  return null;
}
