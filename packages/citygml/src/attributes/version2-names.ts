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
  const lists = new Map<string, unknown[]>();
  for (const [key, value] of Object.entries(attributes)) {
    const hooked = HOOKED.exec(key)?.[1];
    const name = hooked === undefined ? null : nameOfHooked(type, prefix, hooked);
    if (name !== null && Array.isArray(value)) {
      const renamed = value.map((item) => renameInner(`uro:${hooked}`, item));
      const all = [...(lists.get(name) ?? []), ...renamed];
      lists.set(name, all);
      result[name] = all.length === 1 && !propertyOf(type, name).repeats ? all[0] : all;
      continue;
    }
    result[key] = textsIn2(propertyOf(type, key).kind, value);
    const year = yearIn2(type, key);
    if (year !== null) addYear(result, year, value);
    else if (key === 'con:height' && Array.isArray(value)) addHeight(result, type, value);
  }
  return result;
}

/** What a type of feature is called in names of its properties, where its own prefix does not say it. */
const SAID_AS: Readonly<Record<string, string>> = {
  'con:OtherConstruction': 'cons',
  'uro:PublicLand': 'luse',
  'uro:UndergroundBuilding': 'bldg',
};
/** Modules of i-UR 3 whose types without a line above are pipes, cables and manholes: furniture of cities. */
const FURNITURE = 'frn';

/** Types that had one property together with others, by what that was called behind the module of the feature. */
const TOGETHER: ReadonlyArray<readonly [hooked: RegExp, property: string]> = [
  [/^Dm(?:Annotation|GeometricAttribute)$/, 'DmAttribute'],
  [/RiskAttribute$/, 'DisasterRiskAttribute'],
  [/^(?:Exterior|Interior)DataQualityAttribute$/, 'DataQualityAttribute'],
  [/^RiverFacilityIdAttribute$/, 'FacilityIdAttribute'],
  [
    /Facility$|^(?:CyberportMarinaAndPBS|FishingPortCapacity|MaintenanceHistoryAttribute|ParkFacilityLongevityPlanAttribute)$/,
    'FacilityAttribute',
  ],
];
/** The same of one type of feature alone. */
const OF_ONE_TYPE: ReadonlyArray<readonly [type: RegExp, hooked: RegExp, property: string]> = [
  [/^wtr:/, /^(?:River|InlandFlooding|HighTide|Tsunami|Reservoir)\w*RiskAttribute$/, 'floodingRiskAttribute'],
  [/^tran:Square$/, /^(?:StationSquare|Terminal)Attribute$/, 'squareUrbanPlanAttribute'],
  [/^tran:Road$/, /^RoadType$/, 'roadStatus'],
  [/^bldg:|^uro:UndergroundBuilding$/, /^Ifc/, 'ifcBuildingAttribute'],
  [/^luse:/, /^Ifc/, 'ifcLandUseAttribute'],
  [/^bldg:|^uro:UndergroundBuilding$/, /^Indoor/, 'indoorBuildingAttribute'],
];
/** The subject that types of one module begin with, for which its properties have the prefix of the module. */
const SUBJECT = /^(?:Building|Bridge|Tunnel|Construction)(?=[A-Z])/;

/**
 * `urc:KeyValuePairAttribute` of a building was `uro:bldgKeyValuePairAttribute`; null for a type that 2.0 had no
 * property for.
 */
function nameOfHooked(type: string, prefix: string, hooked: string): string | null {
  const module = SAID_AS[type] ?? (prefix === 'uro' ? FURNITURE : prefix);
  const candidates = [
    `${module}${hooked}`,
    `${hooked.charAt(0).toLowerCase()}${hooked.slice(1)}`,
    `${module}${hooked.replace(SUBJECT, '')}`,
    ...TOGETHER.filter(([types]) => types.test(hooked)).map(([, property]) => `${module}${property}`),
    ...OF_ONE_TYPE.filter(([types, own]) => types.test(type) && own.test(hooked)).map((row) => row[2]),
  ].map((name) => `uro:${name}`);
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
