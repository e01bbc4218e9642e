/** Namespaces in scope, and the canonical names that they lead to. */
import { canonicalPrefix, isOwnPrefix } from './namespaces.ts';
import { interned, type XmlMemory } from './xml-names.ts';

/** Prefixes in scope; real files declare some twenty. */
export const MAX_BOUND = 10_000;

/** Names whose canonical form a context keeps; the schemas have 2,000. */
const REMEMBERED = 10_000;

/** Prefixes that are bound at some place of a file, and the canonical names of what was seen under them. */
export class NamespaceContext {
  /** What was seen in other places and files. */
  readonly memory: XmlMemory;
  readonly #bound: ReadonlyMap<string, string>;
  /** What is bound outside. */
  readonly #outer: NamespaceContext | null;
  /** Bindings in scope. */
  readonly #size: number;
  readonly #elements = new Map<string, string>();
  readonly #attributes = new Map<string, string>();
  /** The module that was asked for last, and its version: files that begin alike share a context. */
  #asked: { module: string; version: string | null } | null = null;

  constructor(bound: ReadonlyMap<string, string>, memory: XmlMemory, outer: NamespaceContext | null = null) {
    this.memory = memory;
    this.#bound = bound;
    this.#outer = outer;
    this.#size = bound.size + (outer === null ? 0 : outer.#size);
  }

  /**
   * Canonical name of an element; the written name where the namespace is unknown or the prefix unbound. An unknown
   * namespace whose prefix is one of ours (`gml`) gets `x-` before it, so that its elements are not taken for ours.
   */
  element(written: string): string {
    let name = this.#elements.get(written);
    if (name === undefined) {
      name = this.#canonical(written, true);
      if (this.#elements.size < REMEMBERED) this.#elements.set(written, name);
    }
    return name;
  }

  /** Canonical name of an attribute; one without a prefix has no namespace (Namespaces in XML, section 6.2). */
  attribute(written: string): string {
    let name = this.#attributes.get(written);
    if (name === undefined) {
      name = this.#canonical(written, false);
      if (this.#attributes.size < REMEMBERED) this.#attributes.set(written, name);
    }
    return name;
  }

  /** The context inside an element that declares more; null when too many prefixes would be in scope. */
  extend(declared: ReadonlyMap<string, string>): NamespaceContext | null {
    return this.#size + declared.size > MAX_BOUND ? null : new NamespaceContext(declared, this.memory, this);
  }

  /** The namespace that a prefix is bound to; undefined for one that is not declared. */
  uriOf(prefix: string): string | undefined {
    return this.#bound.get(prefix) ?? (this.#outer === null ? undefined : this.#outer.uriOf(prefix));
  }

  /**
   * The version of a module, by its usual prefix (`core`, `gml`), whatever prefix the file binds it to; null where
   * it is not bound, or says no version.
   */
  versionOf(module: string): string | null {
    if (this.#asked?.module !== module) this.#asked = { module, version: this.#findVersion(module) };
    return this.#asked.version;
  }

  #findVersion(module: string): string | null {
    for (const uri of this.#bound.values()) {
      const canonical = canonicalPrefix(uri);
      if (canonical?.prefix === module) return canonical.version;
    }
    return this.#outer?.versionOf(module) ?? null;
  }

  #canonical(written: string, defaultApplies: boolean): string {
    const colon = written.indexOf(':');
    if (colon < 0 && !defaultApplies) return written;
    const prefix = colon < 0 ? '' : written.slice(0, colon);
    const uri = this.uriOf(prefix);
    const canonical = uri === undefined ? null : canonicalPrefix(uri);
    if (canonical !== null) return interned(`${canonical.prefix}:${written.slice(colon + 1)}`);
    return uri !== undefined && isOwnPrefix(prefix) ? interned(`x-${written}`) : written;
  }
}
