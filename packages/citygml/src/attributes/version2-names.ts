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
const DATES = new Map([
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
      const renamed = value.map(renameInner);
      result[name] = Array.isArray(known) ? [...known, ...renamed] : renamed;
      continue;
    }
    result[key] = value;
    const year = DATES.get(key);
    if (year !== undefined) addYear(result, type, `${prefix}:${year}`, value);
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
function renameInner(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(renameInner);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key.replace(/^urc:/, 'uro:'), renameInner(inner)]),
  );
}

/** The year of `2010-04-01`, as text like all years. */
function addYear(result: Record<string, unknown>, type: string, name: string, value: unknown): void {
  const year = /^-?\d{4,}/.exec(typeof value === 'string' ? value : '')?.[0];
  if (year === undefined || propertyOf(type, name).kind !== 'year') return;
  result[name] = year;
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
