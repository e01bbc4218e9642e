/** Code lists of a package, found as files refer to them. */
import { posix } from 'node:path';
import { type CodeList, parseCodeList } from '@citymodel/citygml';
import type { InspectSource } from './inspect-package.ts';

/** Bytes of a list; the largest of the standard, municipalities, have 300 kB. */
const MAX_BYTES = 32 << 20;

/** References whose lists are remembered: files name them. */
const REMEMBERED = 10_000;

const DIRECTORY = 'codelists/';

/** What follows the last `codelists/` of a reference; undefined where it has none. */
function belowLists(codeSpace: string): string | undefined {
  const at = codeSpace.lastIndexOf(DIRECTORY);
  const isWhole = at === 0 || codeSpace[at - 1] === '/';
  return at >= 0 && isWhole ? codeSpace.slice(at + DIRECTORY.length) : undefined;
}

export class PackageCodeLists {
  readonly #source: InspectSource;
  /** By directory and reference, which files of a folder share. */
  readonly #byReference = new Map<string, Promise<CodeList | null>>();
  readonly #byMember = new Map<string, Promise<CodeList | null>>();

  constructor(source: InspectSource) {
    this.#source = source;
  }

  /**
   * The list of a `codeSpace` in the file at `path`: by its name below `codelists/`, else relative to the file, else by
   * its bare name.
   */
  find(codeSpace: string, path: string): Promise<CodeList | null> {
    const key = `${path.slice(0, path.lastIndexOf('/') + 1)} ${codeSpace}`;
    let list = this.#byReference.get(key);
    if (list === undefined) {
      list = this.#find(codeSpace, path);
      if (this.#byReference.size < REMEMBERED) this.#byReference.set(key, list);
    }
    return list;
  }

  async #find(codeSpace: string, path: string): Promise<CodeList | null> {
    const below = belowLists(codeSpace);
    const isAddress = /^[a-z]+:/i.test(codeSpace);
    const candidates = [
      ...(below === undefined ? [] : [`codelists/${below}`]),
      ...(isAddress ? [] : [posix.normalize(posix.join(posix.dirname(path), codeSpace))]),
      `codelists/${posix.basename(codeSpace)}`,
    ];
    for (const member of new Set(candidates)) {
      if (member.startsWith('../') || member.endsWith('/')) continue;
      const list = await this.#read(member);
      if (list !== null) return list;
    }
    return null;
  }

  #read(member: string): Promise<CodeList | null> {
    let list = this.#byMember.get(member);
    if (list === undefined) {
      list = this.#source.member(member, MAX_BYTES).then((bytes) => bytes && parseCodeList(bytes));
      this.#byMember.set(member, list);
    }
    return list;
  }
}
