/**
 * The features of a GML file with what their geometry refers to outside of them. Some of it is in other features of the
 * file, such as the first tree of a kind. Some is in other files of the package, such as the roads that a square is
 * made of.
 *
 *   first pass: features whole in themselves ──▶ out         what the others refer to is noted
 *                                    └▶ passes over the files that it lies in ──▶ elements that are referred to
 *                                                      └▶ last pass: features that refer to them ──▶ out
 */
import { posix } from 'node:path';
import { type Elsewhere, indexIds, localName, type XmlElement } from '@citymodel/citygml';
import type { GmlSource } from '../part-maker.ts';
import { type GmlFeature, type GmlItem, type ReadOptions, readGml } from './features.ts';
import { IssueCounter } from './issue-counter.ts';

/** Ids outside of features that are looked for, other files that are read, and elements that are kept of them. */
const MAX_IDS = 200_000;
const MAX_FILES = 20;
const MAX_KEPT_TEXT = 32 << 20;
/**
 * What features may take of elements elsewhere, in characters of text each time: so much, and sixteen times the text of
 * the file, so that features which all refer to one large element do not multiply it.
 */
const TAKEN_TEXT = 16 << 20;
const TAKEN_PER_BYTE = 16;
/** Elements that are referred to may refer to others, so many times. */
const MAX_ROUNDS = 3;

/** Elements that stand for a geometry, or for the template of one, when they are empty. */
const REFERS =
  /^(?:lod\d|relative(?:GML)?Geometry$|baseSurface$|(?:surface|solid|curve|point|geometry)(?:Member|Property)$)/;

/** An item as `readGml` gives it; a feature that refers to something outside of it says what finds that. */
export type ResolvedItem = Exclude<GmlItem, GmlFeature> | (GmlFeature & { elsewhere?: Elsewhere });

/**
 * Reads a GML file, as `readGml`. Features that refer to others come last; references that lead nowhere become issues.
 */
export async function* readResolved(
  gml: GmlSource,
  options: ReadOptions,
): AsyncGenerator<ResolvedItem, void, void> {
  const targets = new Targets(gml);
  const late = new Set<number>();
  for await (const item of readGml(gml, options)) {
    if (item.kind === 'feature' && targets.want(item.element, gml.path)) late.add(item.number);
    else yield item;
  }
  if (late.size === 0) return;
  // What is odd was told in the first pass.
  const quiet = { ...options, onText() {}, issue() {} };
  for (let round = 0; round < MAX_ROUNDS && targets.areMissing; round++) await targets.collect(quiet);
  const issues = new IssueCounter(gml.path, options.issue);
  for await (const item of readGml(gml, quiet)) {
    if (item.kind !== 'feature' || !late.has(item.number)) continue;
    yield { ...item, elsewhere: targets.finderFor(item.element.attributes['gml:id'] ?? null, issues) };
  }
  issues.tell();
}

/** Elements that features refer to, under their file and id. */
class Targets {
  readonly #gml: GmlSource;
  /** By file the ids that are to be found in it. */
  #wanted = new Map<string, Set<string>>();
  readonly #files = new Set<string>();
  readonly #found = new Map<string, { element: XmlElement; text: number }>();
  #ids = 0;
  #kept = 0;
  #taken = 0;

  constructor(gml: GmlSource) {
    this.#gml = gml;
  }

  get areMissing(): boolean {
    return this.#wanted.size > 0;
  }

  /** Notes what the element, which is in the file `path`, refers to outside of it; true when there is something. */
  want(element: XmlElement, path: string): boolean {
    const references: string[] = [];
    addReferences(element, references);
    if (references.length === 0) return false;
    const own = new Map<string, XmlElement>();
    indexIds(element, own);
    let refers = false;
    for (const reference of references) {
      if (reference.startsWith('#') && own.has(reference.slice(1))) continue;
      refers = true;
      const target = targetOf(path, reference);
      if (target === null || this.#found.has(keyOf(target)) || this.#ids >= MAX_IDS) continue;
      const ids = this.#wanted.get(target.path) ?? new Set();
      this.#wanted.set(target.path, ids);
      if (!ids.has(target.id)) this.#ids++;
      ids.add(target.id);
    }
    return refers;
  }

  /** Reads the files that wanted elements are in; what those refer to is wanted then. */
  async collect(options: ReadOptions): Promise<void> {
    const wanted = this.#wanted;
    this.#wanted = new Map();
    for (const [path, ids] of wanted) {
      this.#files.add(path);
      if (this.#files.size > MAX_FILES) continue;
      const isOwn = path === this.#gml.path;
      const text = isOwn ? this.#gml.text() : this.#gml.textOf(path);
      if (text === null) continue;
      for await (const item of readGml({ ...this.#gml, path, text: () => text }, options)) {
        if (item.kind !== 'feature') continue;
        const { srsName, srsDimension } = item.defaults;
        const system = {
          ...(srsName !== null && { srsName }),
          ...(srsDimension !== null && { srsDimension: String(srsDimension) }),
        };
        this.#keep(item.element, path, ids, isOwn ? {} : system);
      }
    }
  }

  #keep(element: XmlElement, path: string, ids: ReadonlySet<string>, system: Record<string, string>): void {
    const id = element.attributes['gml:id'];
    if (id !== undefined && ids.has(id)) {
      const key = keyOf({ path, id });
      const text = textOf(element);
      if (!this.#found.has(key) && this.#kept + text <= MAX_KEPT_TEXT) {
        this.#kept += text;
        const attributes = { ...system, ...element.attributes };
        this.#found.set(key, { element: { ...element, attributes }, text });
        this.want(element, path);
      }
    }
    for (const child of element.children) this.#keep(child, path, ids, system);
  }

  /**
   * Finds elements for the feature of this id, as long as not too much is taken; what is not found becomes an issue.
   */
  finderFor(id: string | null, issues: IssueCounter): Elsewhere {
    return (href, isTemplate = false) => {
      const target = targetOf(this.#gml.path, href);
      const found = target === null ? undefined : this.#found.get(keyOf(target));
      if (found === undefined) {
        const isOwn = target?.path === this.#gml.path;
        issues.count('REFERENCE_UNRESOLVED', id, isOwn ? 'this file' : (target?.path ?? href.slice(0, 200)));
        return undefined;
      }
      if (isTemplate) return found.element;
      this.#taken += found.text;
      if (this.#taken <= TAKEN_TEXT + TAKEN_PER_BYTE * this.#gml.size) return found.element;
      issues.count('REFERENCES_TOO_MANY', id);
      return undefined;
    };
  }
}

interface Target {
  path: string;
  id: string;
}

function keyOf({ path, id }: Target): string {
  return `${path}#${id}`;
}

/** What a reference in the file `from` names; null for what lies outside of the package or has no id. */
function targetOf(from: string, reference: string): Target | null {
  const at = reference.indexOf('#');
  if (at < 0 || at === reference.length - 1 || reference.length > 2_000) return null;
  const [file, id] = [reference.slice(0, at), reference.slice(at + 1)];
  if (file === '') return { path: from, id };
  if (/^[a-z][a-z0-9+.-]*:/i.test(file)) return null;
  const path = posix.normalize(posix.join(posix.dirname(from), file.replaceAll('\\', '/')));
  return path.startsWith('../') ? null : { path, id };
}

function addReferences(element: XmlElement, references: string[]): void {
  const href = element.attributes['xlink:href'];
  if (href !== undefined && element.children.length === 0 && REFERS.test(localName(element.name))) {
    references.push(href.trim());
  }
  for (const child of element.children) addReferences(child, references);
}

/** Characters of an element, about. */
function textOf(element: XmlElement): number {
  return element.children.reduce((sum, child) => sum + textOf(child), 100 + element.text.length);
}
