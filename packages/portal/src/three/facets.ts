/**
 * What features are like, by class, and how choices cross: a facet counts the features that meet all conditions but
 * those on itself. Independent of what draws.
 */
import { WATER_DEPTHS } from '@citymodel/base';
import {
  type LegendEntry,
  MISSING,
  NAMED,
  type Named,
  numberOf,
  type PropertySource,
  propertiesFor,
  type Scale,
  scaleFor,
} from './colouring.ts';
import { featureFilter, interfaceName, isDepth, readerOf, WATER_DEPTH } from './filter.ts';
import type { ThreeKey } from './strings.ts';
import { conditionOn, namesOf } from './where.ts';

export interface Facet {
  key: Named | 'depth';
  title: ThreeKey;
  /** What the interface calls the property. */
  name: string;
  legend: LegendEntry[];
  /** `ranges`: bars of numbers beside each other; `kinds`: rows; `from`: bars of which one stands for all above. */
  form: 'ranges' | 'kinds' | 'from';
  /** Class of each feature. */
  classes: readonly number[];
}

/** How many features there are of each class, and how many are left by the choices in the other facets. */
export interface FacetCounts {
  all: number[];
  left: number[];
}

const FACETS: ReadonlyArray<readonly [key: Named, title: ThreeKey, form: Facet['form']]> = [
  ['year', 'facetYear', 'ranges'],
  ['height', 'facetHeight', 'ranges'],
  ['structure', 'facetStructure', 'kinds'],
  ['use', 'facetUse', 'kinds'],
];

/** Gives a value of every feature, in an order that stays while no tile comes or goes. */
export type ReadAll = <T>(read: (source: PropertySource) => T) => T[];

/** The facets that features with these properties have. */
export function facetsOf(read: ReadAll, names: ReadonlySet<string>): Facet[] {
  const facets = FACETS.flatMap(([key, title, form]): Facet[] => {
    const properties = propertiesFor(NAMED[key], names);
    const name = interfaceName(properties);
    if (name === '') return [];
    const values = read(readerOf(properties));
    const scale = scaleFor(key, name, values);
    return [{ key, title, name, form, legend: scale.legend, classes: values.map(scale.classOf) }];
  });
  const depths = [...names].filter(isDepth);
  if (depths.length === 0) return facets;
  const scale = depthScale();
  const deepest = read((source) => deepestOf(source, depths));
  const water = { key: 'depth', title: 'facetDepth', name: WATER_DEPTH, form: 'from' } as const;
  facets.splice(2, 0, { ...water, legend: scale.legend, classes: deepest.map(scale.classOf) });
  return facets;
}

/** Metres of the deepest flood of a feature; null for one that no flood reaches. */
function deepestOf(source: PropertySource, depths: readonly string[]): number | null {
  const known = depths.map((name) => numberOf(source.getProperty(name))).filter((depth) => depth !== null);
  return known.length === 0 ? null : Math.max(...known);
}

/**
 * Depths as hazard maps class them. A class is "at least": of several floods one may be as deep, so that the interface
 * could not answer "at most".
 */
function depthScale(): Scale {
  const classes = WATER_DEPTHS.toReversed();
  const legend = classes.map(([from, rgb]): LegendEntry => {
    const label = from === 0 ? '> 0 m' : `≥ ${from} m`;
    const condition = from === 0 ? `${WATER_DEPTH}>0` : `${WATER_DEPTH}>=${from}`;
    return { kind: 'class', label, colour: `rgb(${rgb.join(' ')})`, condition };
  });
  const missing: LegendEntry = {
    kind: 'missing',
    label: '',
    colour: MISSING,
    condition: `${WATER_DEPTH}=`,
  };
  return {
    legend: [...legend, missing],
    classOf: (value) =>
      typeof value === 'number' ? classes.findLastIndex(([from]) => value >= from) : classes.length,
  };
}

/**
 * Counts of all facets under the conditions, and how many features meet all of them.
 *
 * @param read the same features in the same order as for the facets
 */
export function crossed(
  facets: readonly Facet[],
  read: ReadAll,
  names: ReadonlySet<string>,
  where: string,
): { all: number; shown: number; counts: FacetCounts[] } {
  const groups = namesOf(where).map((name) => {
    const accepts = featureFilter(conditionOn(where, name), names);
    return { name, met: accepts === null ? null : read(accepts) };
  });
  const all = facets[0]?.classes.length ?? read(() => null).length;
  // How many conditions each feature misses, so that a facet asks for its own alone
  const missed = new Uint8Array(all);
  for (const { met } of groups) {
    for (let i = 0; met !== null && i < all; i++) if (!met[i]) missed[i]!++;
  }
  const counts = facets.map(({ name, legend, classes }): FacetCounts => {
    const own = groups.find((group) => group.name === name)?.met ?? null;
    const found = { all: legend.map(() => 0), left: legend.map(() => 0) };
    for (let i = 0; i < all; i++) {
      const at = classes[i]!;
      found.all[at]!++;
      if (missed[i] === 0 || (missed[i] === 1 && own !== null && !own[i])) found.left[at]!++;
    }
    return found;
  });
  return { all, shown: missed.reduce((sum, count) => sum + (count === 0 ? 1 : 0), 0), counts };
}
