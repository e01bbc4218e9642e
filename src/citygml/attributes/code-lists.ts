import type { CodeLabels } from './attributes.ts';
import { type CodeList, parseCodeList } from './code-list.ts';

/**
 * Reads a member of the package; null when there is none. Letter case and Unicode form of paths are the loader's
 * matter: data refers to `Building_Usage.xml` where the package has `Building_usage.xml`.
 */
export type MemberLoader = (path: string) => Promise<Uint8Array | null>;

/** More than any package has; a package of the whole catalogue of lists has about 250. */
const DEFAULT_LIMIT = 500;

/** The code lists of one package, read when they are asked for and kept, the least recently used going first. */
export class CodeLists {
  readonly #load: MemberLoader;
  readonly #limit: number;
  /** Path → list; null for a path that the package lacks. Rejections are not kept. */
  readonly #lists = new Map<string, Promise<CodeList | null>>();

  constructor(load: MemberLoader, limit = DEFAULT_LIMIT) {
    this.#load = load;
    this.#limit = limit;
  }

  /**
   * Loads the lists that code spaces of a GML file name and returns how to look codes up in them. `gmlPath` is
   * the file's path in the package, `codeSpaces` are as written in it. A list that is missing has no labels;
   * rejects only when the loader does.
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
      const list = await this.#read(path);
      if (list !== null) return list;
    }
    return null;
  }

  #read(path: string): Promise<CodeList | null> {
    let list = this.#lists.get(path);
    if (list === undefined) {
      list = this.#load(path).then((bytes) => (bytes === null ? null : parseCodeList(bytes)));
      list.catch(() => {
        if (this.#lists.get(path) === list) this.#lists.delete(path);
      });
    } else {
      this.#lists.delete(path);
    }
    this.#lists.set(path, list);
    if (this.#lists.size > this.#limit) this.#lists.delete(this.#lists.keys().next().value!);
    return list;
  }
}

/**
 * Where in the package the list of a `codeSpace` may be, most likely first: where the reference leads from the
 * GML file, and the package's `codelists/`, for files in nested folders (`udx/fld/natl/river/`) that climb one
 * `../` too few or too many and for lists that are named by a web address.
 */
export function codeSpacePaths(gmlPath: string, codeSpace: string): string[] {
  const reference = decoded(codeSpace.trim())
    .replace(/[?#].*$/, '')
    .replaceAll('\\', '/');
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

function decoded(reference: string): string {
  try {
    return decodeURIComponent(reference);
  } catch {
    return reference;
  }
}
