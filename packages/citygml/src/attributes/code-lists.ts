import { MAX_REFERENCE, withoutQuery } from '../xml/reference-text.ts';
import type { CodeLabels, CodeList } from './code-list.ts';
import { standardCodeList } from './standard-code-lists.ts';

/**
 * Loads the list at a path of the package; null when there is none. What is kept, and letter case and Unicode form of
 * paths, are the loader's matter: data refers to `Building_Usage.xml` where the package has `Building_usage.xml`.
 */
export type ListLoader = (path: string) => Promise<CodeList | null>;

/** The code lists of one package, found by the code spaces of its GML files. */
export class CodeLists {
  readonly #load: ListLoader;

  constructor(load: ListLoader) {
    this.#load = load;
  }

  /**
   * Loads the lists that code spaces of a GML file name and returns how to look codes up in them. `gmlPath` is
   * the file's path in the package, `codeSpaces` are as written in it. For a list that the package lacks the standard
   * one stands in, if it is known; else it has no labels. Rejects only when the loader does.
   */
  async labels(gmlPath: string, codeSpaces: Iterable<string>): Promise<CodeLabels> {
    const loaded = new Map<string, CodeList | null>();
    await Promise.all(
      Array.from(codeSpaces, async (codeSpace) => {
        loaded.set(codeSpace, await this.#find(codeSpacePaths(gmlPath, codeSpace)));
      }),
    );
    return (codeSpace, code) => {
      const list = loaded.get(codeSpace);
      return list?.get(code) ?? list?.get(code.replace(/\s+/g, ' ').trim());
    };
  }

  async #find(paths: string[]): Promise<CodeList | null> {
    for (const path of paths) {
      const list = await this.#load(path);
      if (list !== null) return list;
    }
    const file = paths.at(-1);
    return file === undefined ? null : standardCodeList(nameOfList(file));
  }
}

/**
 * Where in the package the list of a `codeSpace` may be, most likely first: where the reference leads from the GML
 * file, then the package's `codelists/`. The second is for files in nested folders (`udx/fld/natl/river/`) with one
 * `../` too few or too many, and for lists named by a web address. None for a reference of more than 2,000 characters.
 */
export function codeSpacePaths(gmlPath: string, codeSpace: string): string[] {
  if (codeSpace.length > MAX_REFERENCE) return [];
  const reference = withoutQuery(decoded(codeSpace.trim())).replaceAll('\\', '/');
  const name = reference.slice(reference.lastIndexOf('/') + 1);
  if (name === '' || name === '.' || name === '..') return [];
  const paths: string[] = [];
  if (!/^[a-z][a-z0-9+.-]*:/i.test(reference)) {
    const parts = reference.startsWith('/') ? [] : gmlPath.split('/').slice(0, -1);
    let outside = false;
    for (const part of reference.split('/')) {
      if (part === '..') outside ||= parts.pop() === undefined;
      else if (part !== '.' && part !== '') parts.push(part);
    }
    if (!outside) paths.push(parts.join('/'));
  }
  const usual = `codelists/${name}`;
  if (!paths.includes(usual)) paths.push(usual);
  return paths;
}

/** `codelists/Building_usage.xml` → `Building_usage`. */
function nameOfList(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).replace(/\.xml$/i, '');
}

function decoded(reference: string): string {
  try {
    return decodeURIComponent(reference);
  } catch {
    return reference;
  }
}
