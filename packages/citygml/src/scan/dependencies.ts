/**
 * What a GML needs, as its section in the member index keeps it: UTF-8 lines, one for each file.
 *
 *     codelists/a.xml                      a member of the package
 *     codelists/b.xml<TAB>codelists/B.xml  a member, and the path that the GML gives it, which differs in letter case
 *     !codelists/c.xml                     a path that the package does not have
 */
import { nameFault } from '@citymodel/zip';
import type { ResolvedReferences } from './references.ts';

export interface Dependency {
  /** Path of the member in the package; null where the package does not have it. */
  member: string | null;
  /** Path by which it is needed. */
  name: string;
}

/** The lines for references; those that lead out of the package have none. */
export function dependencyLines({ present, caseDiffers, missing }: ResolvedReferences): string[] {
  const lines = new Set(present);
  for (const { path, written } of caseDiffers) {
    // A path that no zip can hold names the file for nobody.
    lines.add(nameFault(written) === null ? `${path}\t${written}` : path);
  }
  for (const { path } of missing) if (path !== null) lines.add(`!${path}`);
  return [...lines];
}

/** The dependency in a line. */
export function parseDependency(line: string): Dependency {
  if (line.startsWith('!')) return { member: null, name: line.slice(1) };
  const tab = line.indexOf('\t');
  return tab === -1
    ? { member: line, name: line }
    : { member: line.slice(0, tab), name: line.slice(tab + 1) };
}
