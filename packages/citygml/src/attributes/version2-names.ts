/**
 * Attributes of CityGML 3.0 under the names that they have in CityGML 2.0 with i-UR 3, for programs that were written
 * for these (docs/features.md has the table). What 2.0 has no name for stays as it is, and what its form cannot hold
 * stays beside it.
 */
import { propertyOf } from '../schema/property-table.ts';

/** Attributes as the interface answers them. */
type Attributes = Readonly<Record<string, unknown>>;

/** A type that an extension adds by a hook: `urc:DataQualityAttribute`. */
const HOOKED = /^ur[a-z]:([A-Z]\w*)$/;
/** Modules whose features had years of their own in 2.0. */
const YEARS = new Map([
  ['con:dateOfConstruction', 'yearOfConstruction'],
  ['con:dateOfDemolition', 'yearOfDemolition'],
]);

/** The attributes of one feature under the names of 2.0; those of a feature of 2.0 as they are. */
export function version2Names(attributes: Attributes): Record<string, unknown> {
  const type = String(attributes._type ?? '');
  const prefix = type.slice(0, type.indexOf(':'));
  const result: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(attributes)) {
    const hooked = HOOKED.exec(key)?.[1];
    const name = hooked === undefined ? null : nameOfHooked(type, prefix, hooked);
    if (name !== null && Array.isArray(value)) {
      const known = result[name];
      const renamed = value.map((item) => renameInner(`uro:${hooked}`, item));
      result[name] = Array.isArray(known) ? [...known, ...renamed] : renamed;
      continue;
    }
    result[key] = textsIn2(propertyOf(type, key).kind, value);
    const year = yearIn2(type, key);
    if (year !== null) addYear(result, year, value);
    else if (key === 'con:height' && Array.isArray(value)) addHeight(result, type, value);
  }
  return result;
}

/**
 * `urc:KeyValuePairAttribute` of a building was `uro:bldgKeyValuePairAttribute`; null for a type that 2.0 had no
 * property for.
 */
function nameOfHooked(type: string, prefix: string, hooked: string): string | null {
  const candidates = [`uro:${prefix}${hooked}`, `uro:${hooked.charAt(0).toLowerCase()}${hooked.slice(1)}`];
  // One property had the risks of all disasters.
  if (hooked.endsWith('RiskAttribute')) candidates.push(`uro:${prefix}DisasterRiskAttribute`);
  return candidates.find((name) => propertyOf(type, name).kind === 'object') ?? null;
}

/** Objects of the common module (`urc`) had the prefix `uro`, as all of them inside. */
function renameInner(owner: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => renameInner(owner, item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      const name = nameIn2(key);
      const { kind } = propertyOf(owner, name);
      return [name, kind === 'object' ? renameInner('', inner) : textsIn2(kind, inner)];
    }),
  );
}

/** A name of the common module under the prefix of 2.0, which had one module; others as they are. */
export function nameIn2(name: string): string {
  return name.replace(/^urc:/, 'uro:');
}

/** The property of 2.0 that a date of the construction module was, `bldg:yearOfConstruction`; null for another name. */
export function yearIn2(owner: string, name: string): string | null {
  const year = YEARS.get(name);
  if (year === undefined) return null;
  const full = `${owner.slice(0, owner.indexOf(':'))}:${year}`;
  return propertyOf(owner, full).kind === 'year' ? full : null;
}

/** `2010-04-01`, of which years of 2.0 are the beginning, and a moment that only says its day. */
const DAY = /^(-?\d{4,})-\d\d-\d\d(?=$|[T+Z-])/;
const MIDNIGHT = /T00:00:00(?:\.0+)?Z?$/;

/** The text of a value as 2.0 has it: a year where that is one, a day without the time of midnight. */
export function textIn2(kind: string, text: string): string {
  if (kind === 'year') return DAY.exec(text)?.[1] ?? text;
  return kind === 'date' ? text.replace(MIDNIGHT, '') : text;
}

function textsIn2(kind: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => textsIn2(kind, item));
  return typeof value === 'string' ? textIn2(kind, value) : value;
}

/** The year of `2010-04-01`, as text like all years. */
function addYear(result: Record<string, unknown>, name: string, value: unknown): void {
  const year = /^-?\d{4,}/.exec(typeof value === 'string' ? value : '')?.[0];
  if (year !== undefined) result[name] = year;
}

/** The measured height over the ground, of several; else the first. */
function addHeight(result: Record<string, unknown>, type: string, heights: readonly unknown[]): void {
  if (propertyOf(type, 'bldg:measuredHeight').kind !== 'measure' || !type.startsWith('bldg:')) return;
  const objects = heights.filter((height) => typeof height === 'object' && height !== null) as Attributes[];
  const measured = objects.filter((height) => height['con:status'] === 'measured');
  const overGround = measured.find((height) => /ground/i.test(String(height['con:lowReference'] ?? '')));
  const height = overGround ?? measured[0] ?? objects[0];
  if (typeof height?.['con:value'] !== 'number') return;
  result['bldg:measuredHeight'] = height['con:value'];
  const unit = height['con:value_uom'];
  if (unit !== undefined) result['bldg:measuredHeight_uom'] = unit;
}
