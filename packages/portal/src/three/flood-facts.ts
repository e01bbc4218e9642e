/** What people want to know of water that they click: how deep, of which river, in which scenario. */
import { typesOfNature } from '@citymodel/base';
import { type Attributes, listOf, measure, textOf } from './card-facts.ts';

/** Feature types whose features are areas under water. */
export const FLOODS: ReadonlySet<string> = new Set(typesOfNature('flood'));

export interface FloodFacts {
  /** River or other source, as the data describes it. */
  source: string;
  /** Class of depth in words. */
  rank: string;
  /** Metres; null where only a class is given. */
  depth: number | null;
  scale: string;
  admin: string;
  /** Hours under water with their unit. */
  duration: string;
}

const RISK = /RiskAttribute$/i;

/** The attributes of a tile's feature: what a tile holds as JSON text stands in for the columns that are made of it. */
export function attributesOfTile(properties: Attributes): Attributes {
  const { attributes } = properties;
  if (typeof attributes !== 'string' || !attributes.startsWith('{')) return properties;
  try {
    return JSON.parse(attributes) as Attributes;
  } catch {
    return properties;
  }
}

/** Facts out of attributes of the interface, or of the columns of a tile. */
export function floodFacts(raw: Attributes): FloodFacts {
  const attributes = attributesOfTile(raw);
  const [risk = attributes] = Object.entries(attributes)
    .filter(([key]) => RISK.test(key))
    .flatMap(([, value]) => listOf(value))
    .filter((value): value is Attributes => typeof value === 'object' && value !== null);
  const of = (name: string) => risk[`uro:${name}`] ?? risk[`urc:${name}`] ?? risk[`uro_${name}`];
  const duration = measure(of('duration'));
  return {
    source: textOf(of('description')),
    rank: textOf(of('rank') ?? of('rankOrg')),
    depth: measure(of('depth')),
    scale: textOf(of('scale')),
    admin: textOf(of('adminType')),
    duration: duration === null ? '' : `${duration} ${textOf(of('duration_uom'))}`.trim(),
  };
}

/** True for features of one class, source and scenario; what one of them does not tell is not compared. */
export function isSameFlood(a: FloodFacts, b: FloodFacts): boolean {
  return (['source', 'rank', 'scale', 'admin'] as const).every(
    (key) => a[key] === '' || b[key] === '' || a[key] === b[key],
  );
}
