/**
 * Facts of XML schemas (XML Schema 1.0) in a compact table: what `scripts/make-schema-facts.ts` writes and the
 * validator reads. A name is `N:local`, N being the place of its namespace in `namespaces`; a type is its place in
 * `types`. Place 0 of `types` is `xs:anyType`.
 */

export interface SchemaFacts {
  /** The first is '', no namespace. */
  namespaces: string[];
  /** Global elements. */
  elements: Record<string, ElementFacts>;
  /** Global attributes with their types. */
  attributes: Record<string, number>;
  typeNames: Record<string, number>;
  types: TypeFacts[];
  /** Sets of attributes that complex types share. */
  attributeSets: AttributeSet[];
}

export interface ElementFacts {
  type: number;
  abstract?: 1;
  nillable?: 1;
  fixed?: string;
  /** Head of the substitution group. */
  head?: string;
}

/** Children: a particle with the times that it may occur; -1: without bound. */
export type ParticleFacts =
  | ['ref', name: string, min: number, max: number]
  | ['local', name: string, declaration: ElementFacts, min: number, max: number]
  | ['sequence' | 'choice', parts: ParticleFacts[], min: number, max: number]
  | ['any', namespace: string, process: Process, min: number, max: number];

/** How strictly a wildcard looks at what it lets through. */
export type Process = 'strict' | 'lax' | 'skip';

export interface AttributeSet {
  uses: Record<string, AttributeUse>;
  any?: [namespace: string, process: Process];
}

export interface AttributeUse {
  type: number;
  required?: 1;
  fixed?: string;
}

export type TypeFacts = ComplexFacts | SimpleFacts;

export interface ComplexFacts {
  /** Place in `attributeSets`. */
  attributes: number;
  /** Children, after those of `base` where `extends` is set. */
  content?: ParticleFacts;
  /** Type of the text, where there are no children. */
  simple?: number;
  mixed?: 1;
  abstract?: 1;
  base?: number;
  extends?: 1;
}

export interface Facet {
  kind: string;
  values: string[];
}

export interface SimpleFacts {
  /** Local name of a type that XML Schema defines. */
  builtin?: string;
  base?: number;
  facets?: Facet[];
  list?: number;
  union?: number[];
}

export function isComplex(type: TypeFacts): type is ComplexFacts {
  return 'attributes' in type;
}
