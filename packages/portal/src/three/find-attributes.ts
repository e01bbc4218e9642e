/** From a feature of a tile to its attributes in CityGML: which file it is in, then operation 11. */
import type { Bounds } from '@citymodel/geo';
import { ApiFailure, api, attributesPath, filesPath } from '../core/api.ts';
import { type FileList, filesOf } from '../core/files.ts';
import type { Attributes } from './card-facts.ts';
import { type FloodFacts, floodFacts, isSameFlood } from './flood-facts.ts';

export interface FoundAttributes {
  id: string;
  /** URL of the GML file; null where that was not found. */
  url: string | null;
  attributes: Attributes;
}

/** What was looked into, so that the card can say no more than that. */
export interface Looked {
  found: FoundAttributes | null;
  /** GML files that were asked, and how many there are. */
  files: number;
  of: number;
}

export interface Wanted {
  id: string;
  /** Where to look for its file. */
  around: Bounds;
  /** Feature-type code, e.g. `bldg`. */
  type: string;
  /** Year of the model; its files are looked into first. */
  year: number | null;
}

/** Files that are asked at once, and in all: a tile without an extent of its own has that of the whole model. */
const AT_ONCE = 4;
const MOST_FILES = 40;

/** Looks for a gml:id in the files around. Throws ApiFailure when the service cannot tell. */
export async function findAttributes(
  { id, around, type, year }: Wanted,
  signal: AbortSignal,
): Promise<Looked> {
  const { west, south, east, north } = around;
  const box = [west, south, east, north].map((n) => n.toFixed(6));
  // Every year: the model may be of an older one.
  const path = filesPath(`r:${box.join(',')}`, { types: [type], everyYear: true });
  const list = await orNothing(api<FileList>(path, { signal }));
  if (list === null) return { found: null, files: 0, of: 0 };
  const files = filesOf(list).sort((a, b) => rank(a.city.year, year) - rank(b.city.year, year));
  const of = files.length;
  for (let at = 0; at < Math.min(of, MOST_FILES); at += AT_ONCE) {
    const asked = await Promise.all(
      files.slice(at, at + AT_ONCE).map(async ({ url }) => {
        const [attributes] = await api<Attributes[]>(attributesPath(url, [id]), { signal });
        return attributes === undefined ? null : { id, url, attributes };
      }),
    );
    const found = asked.find((answer) => answer !== null);
    if (found !== undefined) return { found, files: at + AT_ONCE, of };
  }
  return { found: null, files: Math.min(of, MOST_FILES), of };
}

/**
 * Looks for the flood area that lies at a place and has the class, source and scenario of what was clicked: tiles of
 * floods join the areas of a file by class, and have no gml:id. Throws as `findAttributes`.
 */
export async function findFlood(
  {
    at: [lng, lat],
    flood,
    ...wanted
  }: Omit<Wanted, 'id'> & { at: readonly [number, number]; flood: FloodFacts },
  signal: AbortSignal,
): Promise<Looked> {
  const place = [lng, lat, lng, lat].map((n) => n.toFixed(7)).join(',');
  const query = `bbox=${place}&attributes=v2&type=${wanted.type}${wanted.year === null ? '' : `&year=${wanted.year}`}`;
  const there = await orNothing(api<Attributes[]>(`/citygml/spatialid_attributes?${query}`, { signal }));
  const same = (there ?? []).filter((attributes) => isSameFlood(floodFacts(attributes), flood));
  const id = same[0]?.['gml:id'];
  // Of several that cannot be told apart none is the one.
  if (same.length !== 1 || typeof id !== 'string') return { found: null, files: 0, of: 0 };
  const looked = await findAttributes({ ...wanted, id }, signal);
  return looked.found === null ? { ...looked, found: { id, url: null, attributes: same[0]! } } : looked;
}

/** Null for what the service says is not there. */
async function orNothing<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ApiFailure && error.kind === 'missing') return null;
    throw error;
  }
}

/** The model's year first, then newer before older. */
function rank(year: number, wanted: number | null): number {
  return year === wanted ? 0 : 3000 - year;
}

/** Feature-type code by the qualified name that tiles carry, where it is not that name's prefix. */
const TYPE_OF: Record<string, string> = { 'wtr:WaterBody': 'fld', 'grp:CityObjectGroup': 'area' };

/** `bldg` of `bldg:Building`. */
export function typeOfFeature(featureType: unknown, fallback: string): string {
  if (typeof featureType !== 'string' || !featureType.includes(':')) return fallback;
  return TYPE_OF[featureType] ?? featureType.slice(0, featureType.indexOf(':'));
}
