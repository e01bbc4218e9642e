/** Schemas as the validator asks for them: tables of facts, read when they are needed for the first time. */
import { readFileSync } from 'node:fs';
import { canonicalPrefix } from '@citymodel/citygml';
import { ContentModel } from './content-model.ts';
import {
  type ElementFacts,
  isComplex,
  type ParticleFacts,
  type SchemaFacts,
  type TypeFacts,
} from './facts.ts';
import { SimpleTypes } from './simple-types.ts';

export class Schema {
  readonly facts: SchemaFacts;
  readonly simpleTypes: SimpleTypes;
  readonly #namespaces: Map<string, number>;
  readonly #models = new Map<TypeFacts, ContentModel | null>();

  constructor(facts: SchemaFacts) {
    this.facts = facts;
    this.simpleTypes = new SimpleTypes(facts.types);
    this.#namespaces = new Map(facts.namespaces.map((uri, i) => [uri, i]));
  }

  hasNamespace(uri: string): boolean {
    return this.#namespaces.has(uri);
  }

  /** The name as facts have it; one that is in no facts for an unknown namespace. */
  name(uri: string, local: string): string {
    return `${this.#namespaces.get(uri) ?? '?'}:${local}`;
  }

  /** Namespace of a name. */
  uriOf(name: string): string {
    return this.facts.namespaces[Number.parseInt(name, 10)] ?? '';
  }

  /** A name as messages write it. */
  show(name: string): string {
    const uri = this.uriOf(name);
    const local = name.slice(name.indexOf(':') + 1);
    return uri === '' ? local : `${canonicalPrefix(uri)?.prefix ?? `{${uri}}`}:${local}`;
  }

  element(name: string): ElementFacts | undefined {
    return Object.hasOwn(this.facts.elements, name) ? this.facts.elements[name] : undefined;
  }

  /** The children that a type may have; null for none. */
  model(type: TypeFacts): ContentModel | null {
    let model = this.#models.get(type);
    if (model === undefined) {
      const particle = this.#content(type);
      model = particle === null ? null : new ContentModel(particle, this);
      this.#models.set(type, model);
    }
    return model;
  }

  /** True when an element may stand where another one is named. */
  mayStandFor(name: string, head: string): boolean {
    for (let at: string | undefined = name; at !== undefined; at = this.element(at)?.head) {
      if (at === head) return true;
    }
    return false;
  }

  /** True when a type is made from another one in any number of steps. */
  isDerived(type: number, from: number): boolean {
    for (let at: number | undefined = type; at !== undefined; at = this.facts.types[at]!.base) {
      if (at === from) return true;
    }
    return from === 0;
  }

  #content(type: TypeFacts): ParticleFacts | null {
    if (!isComplex(type)) return null;
    const inherited = type.extends === 1 ? this.#content(this.facts.types[type.base!]!) : null;
    const own = type.content ?? null;
    if (inherited === null || own === null) return inherited ?? own;
    return ['sequence', [inherited, own], 1, 1];
  }
}

const read = new Map<string, Schema>();

/**
 * The schema that has a namespace as that of a root element (`http://www.opengis.net/citygml/2.0`); null when there is
 * none.
 */
export function schemaFor(namespace: string): Schema | null {
  const version = /^http:\/\/www\.opengis\.net\/citygml\/([23])\.0$/.exec(namespace)?.[1];
  if (version === undefined) return null;
  let schema = read.get(version);
  if (schema === undefined) {
    const file = new URL(`generated/citygml-${version}.json`, import.meta.url);
    schema = new Schema(JSON.parse(readFileSync(file, 'utf8')) as SchemaFacts);
    read.set(version, schema);
  }
  return schema;
}
