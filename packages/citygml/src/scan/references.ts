import { posix } from 'node:path';
import { MAX_REFERENCE, withoutQuery } from '../xml/reference-text.ts';
import type { GmlSummary } from './summary.ts';

export type ReferenceKind = keyof GmlSummary['references'];

/** Where the members of a package can be looked up. */
export interface ReferencedFiles {
  has(path: string): boolean;
  /** The member whose path is this one but for the case of its letters; undefined when there is none. */
  findLoosely(path: string): string | undefined;
}

/** A reference that leads to no member. */
export interface MissingReference {
  /** As written. */
  ref: string;
  kind: ReferenceKind;
  /** Where it leads in the package; null when it leads out of it. */
  path: string | null;
}

export interface ResolvedReferences {
  /** Paths of members that the GML needs, each once, in the order of the references, but for those of `caseDiffers`. */
  present: string[];
  missing: MissingReference[];
  /**
   * References that were found only by ignoring the case of letters; `written` is the path in the package that they
   * name.
   */
  caseDiffers: Array<{ ref: string; kind: ReferenceKind; path: string; written: string }>;
  /** References that were found as many `../` away as the folders below the type explain. */
  depthDiffers: Array<{ ref: string; kind: ReferenceKind; path: string }>;
}

const KINDS: readonly ReferenceKind[] = ['codeSpaces', 'images', 'hrefs', 'schemas'];

/**
 * Finds the members that a GML refers to. References are relative to the GML (RFC 3986, section 5) and stay in the
 * package; Blanks around them, backslashes, percent-encoding and another letter case are accepted. A number of `../`
 * may be wrong by the folders between type and file (`udx/fld/natl/river/x.gml` with `../../codelists/y.xml`). A
 * reference of more than 2,000 characters counts as missing.
 */
export function resolveReferences(
  gmlPath: string,
  references: GmlSummary['references'],
  files: ReferencedFiles,
): ResolvedReferences {
  const directory = posix.dirname(gmlPath);
  const present = new Set<string>();
  const result: ResolvedReferences = { present: [], missing: [], caseDiffers: [], depthDiffers: [] };
  for (const kind of KINDS) {
    for (const ref of references[kind]) {
      if (ref.length > MAX_REFERENCE) {
        result.missing.push({ ref: ref.slice(0, MAX_REFERENCE), kind, path: null });
        continue;
      }
      const spelt = spellings(ref);
      const exact = spelt
        .map((path) => within(directory, path))
        .find((path) => path !== null && files.has(path));
      if (exact != null) {
        present.add(exact);
        continue;
      }
      const loose = spelt
        .map((path) => within(directory, path))
        .map((written) => ({ written, path: written === null ? undefined : files.findLoosely(written) }))
        .find(({ path }) => path !== undefined);
      if (loose !== undefined) {
        result.caseDiffers.push({ ref, kind, path: loose.path!, written: loose.written! });
        continue;
      }
      const shifted = spelt
        .flatMap((path) => otherDepths(gmlPath, path))
        .map((path) => (files.has(path) ? path : files.findLoosely(path)))
        .find((path) => path !== undefined);
      if (shifted !== undefined) {
        present.add(shifted);
        result.depthDiffers.push({ ref, kind, path: shifted });
        continue;
      }
      result.missing.push({ ref, kind, path: within(directory, spelt[0] ?? '/') });
    }
  }
  result.present = [...present];
  return result;
}

/** A reference as paths that it may mean, the likeliest first: without query and fragment, decoded and as it is. */
function spellings(ref: string): string[] {
  const plain = ref.trim().replaceAll('\\', '/');
  const path = withoutQuery(plain);
  const all = [plain, path];
  for (const one of [path, plain]) {
    try {
      all.push(decodeURIComponent(one));
    } catch {
      // A lone % stands for itself.
    }
  }
  return [...new Set(all)].filter((one) => one !== '' && !one.includes('\0'));
}

/** The path that a relative reference leads to from a directory of the package; null when it leads out of it. */
function within(directory: string, ref: string): string | null {
  if (ref.startsWith('/')) return null;
  const path = posix.normalize(posix.join(directory, ref));
  return path === '..' || path.startsWith('../') || path === '.' ? null : path;
}

/** For `../…/name/…`: the same from each directory above the GML. */
function otherDepths(gmlPath: string, ref: string): string[] {
  let start = 0;
  while (ref.startsWith('../', start)) start += 3;
  const name = ref.slice(start);
  if (start === 0 || name === '' || name.split('/').includes('..')) return [];
  const paths: string[] = [];
  for (let directory = posix.dirname(gmlPath); directory !== '.'; directory = posix.dirname(directory)) {
    paths.push(posix.join(posix.dirname(directory), name));
  }
  return paths.reverse();
}
