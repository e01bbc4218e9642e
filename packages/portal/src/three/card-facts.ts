/** What people want to know of a building first, out of the attributes of operation 11. */

export type Attributes = Record<string, unknown>;

/** A flood, storm surge or tsunami scenario that a building lies in. */
export interface Scenario {
  /** River or source, as the data describes it. */
  name: string;
  /** Planned scale or worst case, as the data says it; '' when it does not. */
  scale: string;
  /** Metres; null where only a rank is given. */
  depth: number | null;
  rank: string;
}

export interface CardFacts {
  name: string;
  address: string;
  /** Metres; null when unknown. */
  height: number | null;
  storeysAbove: number | null;
  storeysBelow: number | null;
  use: string;
  structure: string;
  year: string;
  scenarios: Scenario[];
  /** Metres of the longer side of the box around it; null when unknown. */
  width: number | null;
  /** True for a roof that slopes, by what the data says of roof or structure. */
  isPitched: boolean;
  /** Everything that is not said above, and is not for machines. */
  rest: Attributes;
}

/** Keys of lists of risks. */
const RISKS =
  /(DisasterRisk|FloodingRisk|InlandFloodingRisk|TsunamiRisk|HighTideRisk|ReservoirFloodingRisk)Attribute$/;
const METRES_OF_DEGREE = 111_320;
/** No building is wider, metres. */
const WIDEST = 2_000;
const SAID = new Set([
  'gml:id',
  'gml:name',
  '_type',
  '_bbox',
  'bldg:address',
  'bldg:measuredHeight',
  'bldg:storeysAboveGround',
  'bldg:storeysBelowGround',
  'bldg:usage',
  'bldg:yearOfConstruction',
]);

export function cardFacts(attributes: Attributes): CardFacts {
  const scenarios: Scenario[] = [];
  const rest: Attributes = {};
  for (const [key, value] of Object.entries(attributes)) {
    if (RISKS.test(key)) {
      const found = listOf(value).map(scenarioOf);
      // A list in another form than is known is shown with the rest.
      if (found.every((scenario) => scenario !== null)) {
        scenarios.push(...found);
        continue;
      }
    }
    if (!SAID.has(key) && !SAID.has(key.replace(/_(code|uom)$/, ''))) rest[key] = value;
  }
  return {
    name: textOf(attributes['gml:name']),
    address: textOf(attributes['bldg:address']),
    height: measure(attributes['bldg:measuredHeight']),
    storeysAbove: measure(attributes['bldg:storeysAboveGround']),
    storeysBelow: measure(attributes['bldg:storeysBelowGround']),
    use: textOf(attributes['bldg:usage']),
    structure: textOf(deep(attributes, 'uro:buildingStructureType')),
    year: yearOf(attributes['bldg:yearOfConstruction']),
    width: widthOf(attributes._bbox),
    isPitched: isPitched(attributes),
    scenarios: scenarios.sort((a, b) => (b.depth ?? 0) - (a.depth ?? 0)),
    rest,
  };
}

/** Of `_bbox`: `min` and `max` with `lng` and `lat` in degrees. */
function widthOf(box: unknown): number | null {
  const corner = (name: 'min' | 'max', part: 'lng' | 'lat') =>
    Number(
      (box as Partial<Record<string, Record<string, unknown>>> | undefined)?.[name]?.[part] ?? Number.NaN,
    );
  const south = corner('min', 'lat');
  const across = (corner('max', 'lng') - corner('min', 'lng')) * Math.cos((south * Math.PI) / 180);
  const width = Math.max(across, corner('max', 'lat') - south) * METRES_OF_DEGREE;
  return width > 0 && width < WIDEST ? width : null;
}

/** Roof types as the common code list has them; without one, wooden houses have sloping roofs. */
function isPitched(attributes: Attributes): boolean {
  const roof = textOf(attributes['bldg:roofType']);
  if (roof !== '') return !/陸屋根|フラット|平/.test(roof);
  const storeys = measure(attributes['bldg:storeysAboveGround']) ?? 2;
  return storeys <= 3 && /^木造/.test(textOf(deep(attributes, 'uro:buildingStructureType')));
}

function scenarioOf(value: unknown): Scenario | null {
  if (typeof value !== 'object' || value === null) return null;
  const risk = value as Attributes;
  const of = (key: string) => risk[`uro:${key}`] ?? risk[`urc:${key}`];
  const name = textOf(of('description'));
  const depth = measure(of('depth'));
  const rank = textOf(of('rank') ?? of('rankOrg'));
  return name === '' || (depth === null && rank === '')
    ? null
    : { name, scale: textOf(of('scale')), depth, rank };
}

/** The first value under a key at any level, at most three deep. */
function deep(value: unknown, key: string, depth = 3): unknown {
  if (typeof value !== 'object' || value === null || depth === 0) return undefined;
  if (!Array.isArray(value) && Object.hasOwn(value, key)) return (value as Attributes)[key];
  for (const inner of Object.values(value)) {
    const found = deep(inner, key, Array.isArray(value) ? depth : depth - 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [value];
}

/** One text of a value or list; '' when there is none. */
export function textOf(value: unknown): string {
  return listOf(value)
    .filter((item) => typeof item === 'string' || typeof item === 'number')
    .join('、');
}

/** A number that does not stand for "unknown". */
export function measure(value: unknown): number | null {
  const [first] = listOf(value);
  const number = typeof first === 'string' && first.trim() !== '' ? Number(first) : first;
  return typeof number === 'number' && Number.isFinite(number) && Math.abs(number) !== 9999 ? number : null;
}

function yearOf(value: unknown): string {
  const text = textOf(value).slice(0, 4);
  return ['0001', '9999', '-999'].includes(text) ? '' : text;
}
