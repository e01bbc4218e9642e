/** Attributes of an element against its type. */
import { allows } from './content-model.ts';
import { type AttributeSet, isComplex, type TypeFacts } from './facts.ts';
import type { IdSet } from './id-set.ts';
import type { Schema } from './schema.ts';
import type { TagAttribute } from './tags.ts';

export const XSI = 'http://www.w3.org/2001/XMLSchema-instance';
const XMLNS = 'http://www.w3.org/2000/xmlns/';
/** What every element may have (XML Schema part 1, section 2.6). */
const EVERYWHERE = new Set(['type', 'nil', 'schemaLocation', 'noNamespaceSchemaLocation']);
const NONE: AttributeSet = { uses: {} };

/** Says what is wrong in words that follow the name of the element. */
export function checkAttributes(
  schema: Schema,
  type: TypeFacts,
  attributes: readonly TagAttribute[],
  ids: IdSet,
  onFault: (message: string) => void,
): void {
  const set = isComplex(type) ? schema.facts.attributeSets[type.attributes]! : NONE;
  if (attributes.length === 0 && requiredOf(set).length === 0) return;
  const seen = new Set<string>();
  for (const { uri, local, name, value } of attributes) {
    if (uri === XMLNS || (uri === XSI && EVERYWHERE.has(local))) continue;
    const key = schema.name(uri, local);
    seen.add(key);
    const use = Object.hasOwn(set.uses, key) ? set.uses[key]! : wildUse(schema, set, key, uri);
    if (use === undefined) onFault(`has the attribute ${name}, which it may not have.`);
    if (use === undefined || use === null) continue;
    const faults = schema.simpleTypes.faults(use.type, value);
    for (const fault of faults) {
      onFault(`has the value ${value.slice(0, 100)} of the attribute ${name}, which ${fault}.`);
    }
    if (faults.length > 0) continue;
    if (use.fixed !== undefined && schema.simpleTypes.normalised(use.type, value) !== use.fixed) {
      onFault(`has the value ${value.slice(0, 100)} of the attribute ${name} in place of ${use.fixed}.`);
    } else if (schema.simpleTypes.isId(use.type) && !ids.add(value.trim())) {
      onFault(`has the ${name} ${value.slice(0, 100)}, which another element of the file has.`);
    }
  }
  for (const key of requiredOf(set)) {
    if (!seen.has(key)) onFault(`lacks the attribute ${schema.show(key)}.`);
  }
}

/** How a wildcard takes an attribute; null: whatever it is; undefined: not at all. */
function wildUse(schema: Schema, { any }: AttributeSet, key: string, uri: string) {
  if (any === undefined || !allows(any[0], uri)) return undefined;
  if (any[1] === 'skip') return null;
  const { attributes } = schema.facts;
  if (Object.hasOwn(attributes, key)) return { type: attributes[key]!, fixed: undefined };
  return any[1] === 'lax' ? null : undefined;
}

const required = new WeakMap<AttributeSet, readonly string[]>();

function requiredOf(set: AttributeSet): readonly string[] {
  let keys = required.get(set);
  if (keys === undefined) {
    keys = Object.keys(set.uses).filter((key) => set.uses[key]!.required === 1);
    required.set(set, keys);
  }
  return keys;
}
