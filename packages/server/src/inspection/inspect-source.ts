/** A package as inspections read it. */
import { compareTexts } from '@citymodel/base';
import { isGmlPath } from '@citymodel/citygml';
import { type GmlFile, type InspectSource, placeOf } from '@citymodel/inspect';
import type { PackageSource } from '../convert/package-source.ts';

/** Bytes of an object list; official ones have some 2 MB. */
const MAX_OBJECT_LIST = 64 << 20;

/** `16211_city_2024_objectlist_op.xlsx`, wherever it lies. */
function isObjectList(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  return name.includes('objectlist') && name.endsWith('.xlsx');
}

/** GML files below udx, and those that no check looks at. */
export function inspectSourceOf(source: PackageSource): { source: InspectSource; outside: string[] } {
  const files: GmlFile[] = [];
  const outside: string[] = [];
  for (const { path, size } of source.members()) {
    if (!isGmlPath(path)) continue;
    if (placeOf(path) === null) outside.push(path);
    else files.push({ path, bytes: size });
  }
  files.sort((a, b) => compareTexts(a.path, b.path));
  return {
    source: {
      name: source.package.name,
      files,
      text: (path) => source.read(path),
      has: (path) => source.has(path),
      member: (path, limit) => (source.has(path) ? source.member(path, limit) : Promise.resolve(null)),
    },
    outside: outside.sort(),
  };
}

/** The object list that a package brings along; null when it has none. */
export async function objectListIn(
  source: PackageSource,
): Promise<{ name: string; bytes: Uint8Array } | null> {
  const paths: string[] = [];
  for (const { path } of source.members()) if (isObjectList(path)) paths.push(path);
  const path = paths.sort()[0];
  const bytes = path === undefined ? null : await source.member(path, MAX_OBJECT_LIST);
  return bytes === null ? null : { name: path!.slice(path!.lastIndexOf('/') + 1), bytes };
}
