/** The interface's conditions on attributes, asked of features of tiles. */
import { AttributeFilter } from 'citymodel-server/shared';
import { type PropertySource, propertiesFor, shortName, spelling } from './colouring.ts';

/** Names of the interface that some converters write with underscores alone. */
const KNOWN = [
  'bldg:measuredHeight',
  'bldg:usage',
  'bldg:class',
  'bldg:yearOfConstruction',
  'bldg:storeysAboveGround',
  'bldg:storeysBelowGround',
  'bldg:roofType',
  'uro:buildingStructureType',
];

/** Depths of all floods that a feature lies in, in the interface: any of them meets a condition. */
export const WATER_DEPTH = 'uro:depth';

/** True for the column of a depth of one flood: published tiles have one for each river and scale. */
export function isDepth(name: string): boolean {
  return /[_＿]浸水深$/.test(name);
}

/** The name that the interface has for properties of tiles that mean one thing; '' when it cannot be told. */
export function interfaceName(properties: readonly string[]): string {
  const qualified = properties.find((name) => name.includes(':'));
  if (qualified !== undefined) return shortName(qualified);
  const [first] = properties;
  if (first === undefined) return '';
  return KNOWN.find((name) => spelling(first).endsWith(spelling(name))) ?? '';
}

/** The first value that a feature has under the names. */
export function readerOf(properties: readonly string[]): (source: PropertySource) => unknown {
  return (source) => {
    for (const name of properties) {
      const value = source.getProperty(name);
      if (value !== undefined && value !== null && value !== '') return value;
    }
    return undefined;
  };
}

/**
 * Whether a feature meets the conditions; null when there are none, or none that can be understood.
 *
 * @param names properties that the features have
 */
export function featureFilter(
  where: string,
  names: Iterable<string>,
): ((source: PropertySource) => boolean) | null {
  if (where === '') return null;
  let filter: AttributeFilter;
  try {
    filter = new AttributeFilter(where);
  } catch {
    return null;
  }
  const all = [...names];
  const depths = all.filter(isDepth);
  const readers = filter.names.map(
    (name) =>
      [
        name,
        name === WATER_DEPTH && depths.length > 0
          ? (source: PropertySource) => depths.map((depth) => source.getProperty(depth))
          : readerOf(propertiesFor(name, all)),
      ] as const,
  );
  return (source) => filter.accepts(Object.fromEntries(readers.map(([name, read]) => [name, read(source)])));
}
