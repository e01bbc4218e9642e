/** Turns schemas into facts: names are resolved, groups and attributes of base types are put in. */
import type {
  AttributeSet,
  AttributeUse,
  ComplexFacts,
  ElementFacts,
  Facet,
  ParticleFacts,
  Process,
  SchemaFacts,
  SimpleFacts,
} from '../../packages/inspect/src/schema/facts.ts';
import { isComplex } from '../../packages/inspect/src/schema/facts.ts';
import type { SchemaNode } from './read-schema.ts';

const XSD = 'http://www.w3.org/2001/XMLSchema';

/** A definition and the schema that has it. */
interface Defined {
  node: SchemaNode;
  schema: SchemaNode;
}

export class SchemaCompiler {
  readonly #facts: SchemaFacts = {
    namespaces: [''],
    elements: {},
    attributes: {},
    typeNames: {},
    types: [{ attributes: 0, mixed: 1, content: ['any', '##any', 'lax', 0, -1] }],
    attributeSets: [{ uses: {}, any: ['##any', 'lax'] }],
  };
  readonly #defined = new Map<string, Defined>();
  readonly #sets = new Map<string, number>([[JSON.stringify({ uses: {}, any: ['##any', 'lax'] }), 0]]);

  /**
   * Children of types, which are found after what types inherit: children lead back to types that are not whole yet.
   */
  readonly #pending: Array<() => void> = [];

  /** Takes the global definitions of a schema. */
  add(schema: SchemaNode): void {
    for (const node of schema.children) {
      const { name } = node.attributes;
      if (name === undefined) continue;
      const kind = /Type$/.test(node.name) ? 'type' : node.name;
      this.#defined.set(`${kind} ${this.#own(schema, name)}`, { node, schema });
    }
  }

  compile(): SchemaFacts {
    for (const [key, { node, schema }] of this.#defined) {
      const [kind, name] = key.split(' ') as [string, string];
      if (kind === 'element') this.#facts.elements[name] = this.#element(node, schema);
      else if (kind === 'attribute')
        this.#facts.attributes[name] = this.#typeOf(node, schema, 'anySimpleType');
      else if (kind === 'type') this.#named(name);
    }
    for (let find = this.#pending.pop(); find !== undefined; find = this.#pending.pop()) find();
    return this.#facts;
  }

  #namespace(uri: string): number {
    const { namespaces } = this.#facts;
    const at = namespaces.indexOf(uri);
    return at >= 0 ? at : namespaces.push(uri) - 1;
  }

  #own(schema: SchemaNode, name: string): string {
    return `${this.#namespace(schema.attributes.targetNamespace ?? '')}:${name}`;
  }

  /** Place of the namespace and local name of a name as it is written. */
  #resolve(written: string, { scope }: SchemaNode): string {
    const colon = written.indexOf(':');
    const prefix = written.slice(0, Math.max(colon, 0));
    const uri = scope[prefix] ?? (prefix === 'xml' ? 'http://www.w3.org/XML/1998/namespace' : '');
    return uri === XSD
      ? `xs:${written.slice(colon + 1)}`
      : `${this.#namespace(uri)}:${written.slice(colon + 1)}`;
  }

  #named(name: string): number {
    const { types, typeNames } = this.#facts;
    if (name === 'xs:anyType') return 0;
    const known = typeNames[name];
    if (known !== undefined) return known;
    if (name.startsWith('xs:')) {
      typeNames[name] = types.push({ builtin: name.slice(3) }) - 1;
      return typeNames[name]!;
    }
    const defined = this.#defined.get(`type ${name}`);
    if (defined === undefined)
      throw new Error(`There is no type ${name} (${this.#facts.namespaces.join(' ')}).`);
    // Types refer to themselves through their children.
    const at = types.push({ attributes: 0 }) - 1;
    typeNames[name] = at;
    types[at] = this.#type(defined.node, defined.schema);
    return at;
  }

  #anonymous(node: SchemaNode, schema: SchemaNode): number {
    const at = this.#facts.types.push({ attributes: 0 }) - 1;
    this.#facts.types[at] = this.#type(node, schema);
    return at;
  }

  /** The type of an element or attribute. */
  #typeOf(node: SchemaNode, schema: SchemaNode, otherwise: string): number {
    if (node.attributes.type !== undefined) return this.#named(this.#resolve(node.attributes.type, node));
    const inner = node.children.find(({ name }) => /^(simple|complex)Type$/.test(name));
    if (inner !== undefined) return this.#anonymous(inner, schema);
    const head = node.attributes.substitutionGroup;
    if (head !== undefined) {
      const defined = this.#defined.get(`element ${this.#resolve(head, node)}`)!;
      return this.#typeOf(defined.node, defined.schema, otherwise);
    }
    return this.#named(`xs:${otherwise}`);
  }

  #element(node: SchemaNode, schema: SchemaNode): ElementFacts {
    const { abstract, nillable, fixed, substitutionGroup } = node.attributes;
    return {
      type: this.#typeOf(node, schema, 'anyType'),
      ...(isTrue(abstract) ? { abstract: 1 as const } : {}),
      ...(isTrue(nillable) ? { nillable: 1 as const } : {}),
      ...(fixed === undefined ? {} : { fixed }),
      ...(substitutionGroup === undefined ? {} : { head: this.#resolve(substitutionGroup, node) }),
    };
  }

  #type(node: SchemaNode, schema: SchemaNode): ComplexFacts | SimpleFacts {
    return node.name === 'simpleType' ? this.#simple(node, schema) : this.#complex(node, schema);
  }

  #simple(node: SchemaNode, schema: SchemaNode): SimpleFacts {
    const how = node.children.find(({ name }) => /^(restriction|list|union)$/.test(name))!;
    const inner = how.children.filter(({ name }) => name === 'simpleType');
    if (how.name === 'list') {
      const { itemType } = how.attributes;
      return {
        list:
          itemType === undefined
            ? this.#anonymous(inner[0]!, schema)
            : this.#named(this.#resolve(itemType, how)),
      };
    }
    if (how.name === 'union') {
      const members = (how.attributes.memberTypes ?? '').split(/\s+/).filter((name) => name !== '');
      return {
        union: [
          ...members.map((name) => this.#named(this.#resolve(name, how))),
          ...inner.map((one) => this.#anonymous(one, schema)),
        ],
      };
    }
    const { base } = how.attributes;
    const of =
      base === undefined ? this.#anonymous(inner[0]!, schema) : this.#named(this.#resolve(base, how));
    return { base: of, facets: facetsOf(how) };
  }

  #complex(node: SchemaNode, schema: SchemaNode): ComplexFacts {
    const holder = node.children.find(({ name }) => /^(simple|complex)Content$/.test(name));
    const how = holder?.children.find(({ name }) => /^(restriction|extension)$/.test(name)) ?? node;
    const isMixed = isTrue(node.attributes.mixed) || isTrue(holder?.attributes.mixed);
    const type: ComplexFacts = { attributes: 0 };
    if (isMixed) type.mixed = 1;
    if (isTrue(node.attributes.abstract)) type.abstract = 1;
    let inherited: AttributeSet = { uses: {} };
    if (holder !== undefined) {
      type.base = this.#named(this.#resolve(how.attributes.base!, how));
      const base = this.#facts.types[type.base]!;
      if (isComplex(base) && type.base !== 0) inherited = this.#facts.attributeSets[base.attributes]!;
      if (holder.name === 'simpleContent') type.simple = this.#textType(how, schema, type.base);
      else if (how.name === 'extension') type.extends = 1;
    }
    const particle = how.children.find(({ name }) => /^(sequence|choice|group|all)$/.test(name));
    if (particle !== undefined) {
      this.#pending.push(() => {
        const content = this.#particle(particle, schema);
        if (content !== null) type.content = content;
      });
    }
    const set: AttributeSet = { uses: { ...inherited.uses } };
    if (inherited.any !== undefined && how.name === 'extension') set.any = inherited.any;
    this.#attributes(how, schema, set);
    const key = JSON.stringify(set);
    let at = this.#sets.get(key);
    if (at === undefined) {
      at = this.#facts.attributeSets.push(set) - 1;
      this.#sets.set(key, at);
    }
    type.attributes = at;
    return type;
  }

  /** The type of the text of an element with attributes. */
  #textType(how: SchemaNode, schema: SchemaNode, base: number): number {
    const of = this.#facts.types[base]!;
    const inner = how.children.find(({ name }) => name === 'simpleType');
    const text = inner !== undefined ? this.#anonymous(inner, schema) : isComplex(of) ? of.simple! : base;
    const facets = how.name === 'restriction' ? facetsOf(how) : [];
    return facets.length === 0 ? text : this.#facts.types.push({ base: text, facets }) - 1;
  }

  #attributes(node: SchemaNode, schema: SchemaNode, set: AttributeSet): void {
    for (const child of node.children) {
      if (child.name === 'anyAttribute') {
        set.any = [this.#wildcard(child, schema), (child.attributes.processContents ?? 'strict') as Process];
      } else if (child.name === 'attributeGroup') {
        const group = this.#defined.get(`attributeGroup ${this.#resolve(child.attributes.ref!, child)}`)!;
        this.#attributes(group.node, group.schema, set);
      } else if (child.name === 'attribute') {
        const { ref, name, use, fixed } = child.attributes;
        const isQualified =
          (child.attributes.form ?? schema.attributes.attributeFormDefault ?? 'unqualified') === 'qualified';
        const key =
          ref !== undefined
            ? this.#resolve(ref, child)
            : isQualified
              ? this.#own(schema, name!)
              : `0:${name}`;
        if (use === 'prohibited') {
          delete set.uses[key];
          continue;
        }
        const global = ref === undefined ? undefined : this.#defined.get(`attribute ${key}`);
        if (ref !== undefined && global === undefined) throw new Error(`There is no attribute ${ref}.`);
        const value = fixed ?? global?.node.attributes.fixed;
        const entry: AttributeUse = {
          type: this.#typeOf(global?.node ?? child, global?.schema ?? schema, 'anySimpleType'),
        };
        if (use === 'required') entry.required = 1;
        if (value !== undefined) entry.fixed = value;
        set.uses[key] = entry;
      }
    }
  }

  #wildcard(node: SchemaNode, schema: SchemaNode): string {
    const written = node.attributes.namespace ?? '##any';
    return written
      .replace('##targetNamespace', schema.attributes.targetNamespace ?? '##local')
      .replace('##other', `##other ${schema.attributes.targetNamespace ?? ''}`);
  }

  #particle(node: SchemaNode, schema: SchemaNode): ParticleFacts | null {
    const min = Number(node.attributes.minOccurs ?? 1);
    const max = node.attributes.maxOccurs === 'unbounded' ? -1 : Number(node.attributes.maxOccurs ?? 1);
    if (max === 0) return null;
    if (node.name === 'any') {
      const process = (node.attributes.processContents ?? 'strict') as Process;
      return ['any', this.#wildcard(node, schema), process, min, max];
    }
    if (node.name === 'element') {
      const { ref, name } = node.attributes;
      if (ref !== undefined) return ['ref', this.#resolve(ref, node), min, max];
      const isQualified =
        (node.attributes.form ?? schema.attributes.elementFormDefault ?? 'unqualified') === 'qualified';
      const key = isQualified ? this.#own(schema, name!) : `0:${name}`;
      return ['local', key, this.#element(node, schema), min, max];
    }
    if (node.name === 'group' && node.attributes.ref !== undefined) {
      const group = this.#defined.get(`group ${this.#resolve(node.attributes.ref, node)}`)!;
      const inner = group.node.children.find(({ name }) => /^(sequence|choice|all)$/.test(name))!;
      const particle = this.#particle(inner, group.schema);
      return particle === null ? null : ['sequence', [particle], min, max];
    }
    if (node.name === 'all') throw new Error('Groups of the kind "all" are not known here.');
    const parts = node.children
      .filter(({ name }) => /^(element|any|sequence|choice|group)$/.test(name))
      .map((child) => this.#particle(child, schema))
      .filter((part) => part !== null);
    return [node.name as 'sequence' | 'choice', parts, min, max];
  }
}

function facetsOf(how: SchemaNode): Facet[] {
  const facets = new Map<string, string[]>();
  for (const { name, attributes } of how.children) {
    if (attributes.value === undefined) continue;
    const values = facets.get(name) ?? [];
    values.push(attributes.value);
    facets.set(name, values);
  }
  return Array.from(facets, ([kind, values]) => ({ kind, values }));
}

function isTrue(value: string | undefined): boolean {
  return value === 'true' || value === '1';
}
