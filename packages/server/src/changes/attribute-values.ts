/** The attributes of a feature in a form in which two editions can be compared: each value once, under its path. */
import { compareTexts } from '@citymodel/base';

/** A value of an attribute: JSON. */
export type AttributeValue =
  | string
  | number
  | boolean
  | null
  | AttributeValue[]
  | { [name: string]: AttributeValue };

export interface NamedValue {
  /** Of a code the code itself; several values in an order of their own. */
  value: AttributeValue;
  /** The description of a code, or of several with `, ` between; absent where the package has none. */
  label?: string;
}

type Properties = Readonly<Record<string, unknown>>;

const CODE = '_code';

/** Of the whole feature, which differences tell by themselves. */
const NOT_COMPARED = new Set(['gml:id', '_type', '_bbox']);

/** Properties of i-UR 1 and 2 that live on in i-UR 3 under another name. */
const RENAMED = new Map([
  ['uro:buildingDetails', 'uro:buildingDetailAttribute'],
  ['uro:buildingDisasterRiskAttribute', 'uro:bldgDisasterRiskAttribute'],
  ['uro:buildingDataQualityAttribute', 'uro:bldgDataQualityAttribute'],
]);

/**
 * Values of attributes as `attributesOf` tells them, by path: names of nested objects are joined by `/`. Generic
 * attributes, and whatever else has a `name` of its own among several, have that in their path. Several objects without
 * a name are one value, as are several texts or numbers; their order counts for nothing. Names are those of i-UR 3.
 */
export function valuesByPath(attributes: Properties): Map<string, NamedValue> {
  const values = new Map<string, NamedValue>();
  addProperties(values, '', attributes);
  return values;
}

/** The same text for equal values, and for no others. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value).sort(([a], [b]) => compareTexts(a, b));
  return `{${entries.map(([name, one]) => `${JSON.stringify(name)}:${canonical(one)}`).join()}}`;
}

function addProperties(values: Map<string, NamedValue>, prefix: string, properties: Properties): void {
  for (const [name, value] of Object.entries(properties)) {
    if (prefix === '' && NOT_COMPARED.has(name)) continue;
    const isCode = name.endsWith(CODE) && name.length > CODE.length;
    if (isCode) {
      const path = prefix + name.slice(0, -CODE.length);
      const label = labelOf(properties[name.slice(0, -CODE.length)]);
      values.set(path, { value: ordered(value), ...(label === undefined ? {} : { label }) });
    } else if (!Object.hasOwn(properties, name + CODE))
      add(values, prefix + (RENAMED.get(name) ?? name), value);
  }
}

function add(values: Map<string, NamedValue>, path: string, value: unknown): void {
  if (!Array.isArray(value)) {
    if (typeof value === 'object' && value !== null) addProperties(values, `${path}/`, value as Properties);
    else values.set(path, { value: value as AttributeValue });
    return;
  }
  const names = namesOf(value);
  if (names !== null) {
    for (const [i, name] of names.entries()) {
      const { value: inner, uom } = value[i] as { value: unknown; uom?: string };
      add(values, `${path}/${name}`, inner);
      if (uom !== undefined) values.set(`${path}/${name}_uom`, { value: uom });
    }
  } else if (value.length === 1) add(values, path, value[0]);
  else values.set(path, { value: ordered(value) });
}

/** Names of generic attributes, where each has another; null for other lists. */
function namesOf(list: readonly unknown[]): string[] | null {
  const names = list.map((one) =>
    typeof one === 'object' && one !== null && 'name' in one && 'value' in one ? one.name : undefined,
  );
  const isNamed = names.every((name): name is string => typeof name === 'string');
  return isNamed && names.length > 0 && new Set(names).size === names.length ? names : null;
}

function ordered(value: unknown): AttributeValue {
  if (!Array.isArray(value)) return value as AttributeValue;
  if (value.length === 1) return value[0] as AttributeValue;
  const keyed = value.map((one) => [canonical(one), one] as const);
  return keyed.sort(([a], [b]) => compareTexts(a, b)).map(([, one]) => one as AttributeValue);
}

function labelOf(words: unknown): string | undefined {
  const text = Array.isArray(words) ? words.join(', ') : words;
  return typeof text === 'string' && text !== '' ? text : undefined;
}
