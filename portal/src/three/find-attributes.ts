/** From a feature of a tile to its attributes in CityGML: which file it is in, then operation 11. */
import type { Bounds } from '../../../src/geo/bounds.ts';
import { ApiFailure, api, attributesPath, filesPath } from '../core/api.ts';
import { type FileList, filesOf } from '../core/files.ts';

export interface FoundAttributes {
  /** URL of the GML file. */
  url: string;
  attributes: Record<string, unknown>;
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

/** Null when no file around the place has the feature. Throws ApiFailure when the service cannot tell. */
export async function findAttributes(
  { id, around, type, year }: Wanted,
  signal: AbortSignal,
): Promise<FoundAttributes | null> {
  const { west, south, east, north } = around;
  const box = [west, south, east, north].map((n) => n.toFixed(6));
  let list: FileList;
  try {
    // Every year: the model may be of an older one.
    const path = filesPath(`r:${box.join(',')}`, { types: [type], everyYear: true });
    list = await api<FileList>(path, { signal });
  } catch (error) {
    if (error instanceof ApiFailure && error.kind === 'missing') return null;
    throw error;
  }
  const files = filesOf(list).sort((a, b) => rank(a.city.year, year) - rank(b.city.year, year));
  for (let at = 0; at < Math.min(files.length, MOST_FILES); at += AT_ONCE) {
    const asked = await Promise.all(
      files.slice(at, at + AT_ONCE).map(async ({ url }) => {
        const [attributes] = await api<Array<Record<string, unknown>>>(attributesPath(url, [id]), { signal });
        return attributes === undefined ? null : { url, attributes };
      }),
    );
    const found = asked.find((answer) => answer !== null);
    if (found !== undefined) return found;
  }
  return null;
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
