/**
 * XSDs of a directory as one schema without any other place: references lead to files of the directory, by their path,
 * else by the end of their address, else by their namespace.
 *
 *   all namespaces ──▶ of each what brings all of it: one XSD, or several that one includes ──▶ texts by address
 */
import { SchemasRefused, type XsdFile } from './own-schemas.ts';
import { escaped, readXsd, relocated, XSD, type Xsd, type XsdReference } from './read-xsd.ts';

/** Where the texts lie for a validator, which reads nothing else. */
const BASE = 'schemas:///';
/** The schema that imports all others. */
export const ALL = `${BASE}all.xsd`;

export class XsdSet {
  readonly #xsds: readonly Xsd[];
  readonly #byPath: ReadonlyMap<string, Xsd>;
  /** Of each namespace the XSDs that include all others of it. */
  readonly #entries: ReadonlyMap<string, readonly Xsd[]>;

  /** Throws SchemasRefused for XSDs of which none can be used, or that refer to what is not among them. */
  constructor(files: readonly XsdFile[]) {
    this.#xsds = files.map(readXsd).sort((a, b) => (a.path < b.path ? -1 : 1));
    this.#byPath = new Map(this.#xsds.map((xsd) => [xsd.path, xsd]));
    const namespaces = new Set(this.#xsds.map(({ namespace }) => namespace));
    namespaces.delete(null);
    if (namespaces.size === 0) throw new SchemasRefused('No XSD of the directory has a target namespace.');
    const missing = this.#xsds.flatMap((xsd) =>
      xsd.references.filter((reference) => !this.#isThere(reference, xsd, namespaces)).map(sentenceFor(xsd)),
    );
    if (missing.length > 0) {
      const more = missing.length > 1 ? ` ${missing.length - 1} further references are missing, too.` : '';
      throw new SchemasRefused(missing[0] + more);
    }
    this.#entries = new Map([...namespaces].map((namespace) => [namespace!, this.#entriesOf(namespace!)]));
  }

  /** The path of the XSD that has an address among `texts`; null for one that is none of the directory. */
  pathAt(address: string): string | null {
    const number = /^schemas:\/\/\/(\d+)\.xsd$/.exec(address)?.[1];
    return this.#xsds[Number(number)]?.path ?? null;
  }

  has(namespace: string): boolean {
    return this.#entries.has(namespace);
  }

  /**
   * Which of several XSDs of a namespace a file means: the namespaces and locations of its `xsi:schemaLocation`. The
   * same key stands for the same choices.
   */
  chosenBy(schemaLocation: string): { key: string; chosen: ReadonlyMap<string, string> } {
    const words = schemaLocation.split(/\s+/).filter((word) => word !== '');
    const chosen = new Map<string, string>();
    for (let i = 0; i + 1 < words.length; i += 2) {
      const entries = this.#entries.get(words[i]!) ?? [];
      if (entries.length < 2) continue;
      const found = byEnd(entries, words[i + 1]!);
      if (found !== null) chosen.set(words[i]!, found.path);
    }
    const key = [...chosen]
      .map((pair) => pair.join(' '))
      .sort()
      .join('\n');
    return { key, chosen };
  }

  /** Texts by address, that of `ALL` among them. */
  texts(chosen: ReadonlyMap<string, string>): Map<string, Uint8Array> {
    const texts = new Map<string, Uint8Array>();
    const put = (address: string, text: string) => texts.set(address, Buffer.from(text));
    const addressOf = ({ path }: Xsd) => `${BASE}${this.#xsds.findIndex((xsd) => xsd.path === path)}.xsd`;
    const faces = new Map<string, string>();
    for (const [namespace, entries] of this.#entries) {
      const path = chosen.get(namespace);
      const used = path === undefined ? this.#named(namespace, entries) : [this.#byPath.get(path)!];
      if (used.length === 1) faces.set(namespace, addressOf(used[0]!));
      else {
        const address = `${BASE}all-${faces.size}.xsd`;
        faces.set(namespace, address);
        const includes = used.map((xsd) => `<xs:include schemaLocation="${addressOf(xsd)}"/>`);
        put(address, schema(` targetNamespace="${escaped(namespace)}"`, includes));
      }
    }
    for (const xsd of this.#xsds) {
      const locationOf = (reference: XsdReference) =>
        reference.isImport && reference.namespace !== null
          ? faces.get(reference.namespace)!
          : addressOf(this.#find(reference, xsd)!);
      put(addressOf(xsd), relocated(xsd, locationOf));
    }
    const imports = [...faces].map(
      ([namespace, address]) => `<xs:import namespace="${escaped(namespace)}" schemaLocation="${address}"/>`,
    );
    put(ALL, schema('', imports));
    return texts;
  }

  #isThere(reference: XsdReference, from: Xsd, namespaces: ReadonlySet<string | null>): boolean {
    if (reference.isImport && reference.namespace !== null) return namespaces.has(reference.namespace);
    return this.#find(reference, from) !== null;
  }

  /** The XSD that an include, or an import without a namespace, leads to; null where it is not in the directory. */
  #find({ location, isImport }: XsdReference, from: Xsd): Xsd | null {
    if (location === null) return null;
    const isPart = ({ namespace }: Xsd) => namespace === null || (!isImport && namespace === from.namespace);
    const near = this.#byPath.get(pathFrom(from.path, location) ?? '');
    if (near !== undefined && isPart(near)) return near;
    return byEnd(this.#xsds.filter(isPart), location);
  }

  /** XSDs of a namespace that together include all of it, as few as there may be. */
  #entriesOf(namespace: string): Xsd[] {
    const own = this.#xsds.filter((xsd) => xsd.namespace === namespace);
    const reached = new Map(own.map((xsd) => [xsd, this.#reachedFrom(xsd)]));
    const bySize = own.toSorted((a, b) => reached.get(b)!.size - reached.get(a)!.size);
    const covered = new Set<Xsd>();
    return bySize.filter((xsd) => {
      if (covered.has(xsd)) return false;
      for (const part of reached.get(xsd)!) covered.add(part);
      return true;
    });
  }

  #reachedFrom(start: Xsd): Set<Xsd> {
    const reached = new Set([start]);
    for (const xsd of reached) {
      for (const reference of xsd.references) {
        const found = reference.isImport ? null : this.#find(reference, xsd);
        if (found !== null) reached.add(found);
      }
    }
    return reached;
  }

  /** Of several entries those that imports of the directory name; all where none does. */
  #named(namespace: string, entries: readonly Xsd[]): readonly Xsd[] {
    if (entries.length < 2) return entries;
    const named = new Set<Xsd>();
    for (const xsd of this.#xsds) {
      for (const { isImport, namespace: wanted, location } of xsd.references) {
        if (!isImport || wanted !== namespace || location === null) continue;
        const near = this.#byPath.get(pathFrom(xsd.path, location) ?? '');
        const found = near ?? byEnd(entries, location);
        if (found !== null && entries.includes(found)) named.add(found);
      }
    }
    return named.size === 0 ? entries : entries.filter((xsd) => named.has(xsd));
  }
}

function schema(attributes: string, parts: readonly string[]): string {
  return `<xs:schema xmlns:xs="${XSD}"${attributes}>${parts.join('')}</xs:schema>`;
}

function sentenceFor({ path }: Xsd): (reference: XsdReference) => string {
  return ({ isImport, namespace, location, line }) => {
    const what =
      isImport && namespace !== null ? `the namespace ${excerpt(namespace)}` : excerpt(location ?? '');
    const at = isImport && namespace !== null && location !== null ? ` (${excerpt(location)})` : '';
    const verb = isImport ? 'imports' : 'includes';
    return `The XSD ${path} ${verb} ${what}${at} in line ${line}, for which the directory has no XSD.`;
  };
}

function excerpt(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

/** The path of a relative location; null for an address, and for one that leaves the directory. */
function pathFrom(from: string, location: string): string | null {
  if (/^[a-z][\w+.-]*:/i.test(location) || location.startsWith('/') || location.includes('\\')) return null;
  const parts = from.split('/').slice(0, -1);
  for (const part of location.split('/')) {
    if (part === '..') {
      if (parts.pop() === undefined) return null;
    } else if (part !== '.' && part !== '') parts.push(part);
  }
  return parts.join('/');
}

/** The XSD whose path ends as a location does, by the most parts, the name at least; null for none. */
function byEnd(xsds: readonly Xsd[], location: string): Xsd | null {
  const wanted = partsOf(location);
  let best: Xsd | null = null;
  let most = 0;
  for (const xsd of xsds) {
    const parts = partsOf(xsd.path);
    let same = 0;
    while (same < parts.length && parts.at(-1 - same) === wanted.at(-1 - same)) same++;
    if (same > most) [best, most] = [xsd, same];
  }
  return best;
}

function partsOf(path: string): string[] {
  return path.split('/').filter((part) => part !== '' && part !== '.' && part !== '..');
}
