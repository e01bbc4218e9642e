import type { ReferencedFiles } from '@citymodel/citygml';
import { type ByteList, NameSet } from '@citymodel/zip';

/**
 * Finds the members of a package by path, out of names that are kept elsewhere: 16 to 32 bytes a member, and as many
 * again once a path has been looked for in other letter case. Sets and maps of strings would take 200.
 */
export class MemberLookup implements ReferencedFiles {
  readonly #names: ByteList;
  readonly #root: string;
  #exact: NameSet | null = null;
  #lowerCase: NameSet | null = null;

  /**
   * Names that end in `/` are those of directories, which are not found. `root` is the directory of the package, with
   * `/` at its end, or ''; paths are relative to it.
   */
  constructor(names: ByteList, root: string) {
    this.#names = names;
    this.#root = root;
  }

  /** Number of the member with this path, or -1. */
  find(path: string): number {
    this.#exact ??= this.#setOf((own) => own);
    return this.#exact.find(Buffer.from(path, 'utf8'), (i) => this.#path(i) === path);
  }

  has(path: string): boolean {
    return this.find(path) !== -1;
  }

  /** The path that is this one but for the case of its letters; of several the last, undefined where there is none. */
  findLoosely(path: string): string | undefined {
    const lowerCase = path.toLowerCase();
    this.#lowerCase ??= this.#setOf((own) => own.toLowerCase());
    const same = (i: number) => this.#path(i).toLowerCase() === lowerCase;
    const i = this.#lowerCase.find(Buffer.from(lowerCase, 'utf8'), same);
    return i === -1 ? undefined : this.#path(i);
  }

  #path(i: number): string {
    return this.#names.text(i).slice(this.#root.length);
  }

  /** Of equal keys the last stays. */
  #setOf(keyOf: (path: string) => string): NameSet {
    const { count } = this.#names;
    const set = new NameSet(count);
    for (let i = count - 1; i >= 0; i--) {
      const name = this.#names.text(i);
      if (!name.startsWith(this.#root) || name.endsWith('/')) continue;
      const key = keyOf(name.slice(this.#root.length));
      set.add(Buffer.from(key, 'utf8'), i, (other) => keyOf(this.#path(other)) === key);
    }
    return set;
  }
}
