/** Where the name of a place is, as the service tells it beside its counts. */
import { type Bounds, meshBounds, meshOf, squareKilometres } from '@citymodel/geo';
import { unite } from './area.ts';
import { type Box, toBounds } from './catalogue.ts';
import type { FileCounts } from './files.ts';

/** A place that is asked for by its code, with all of its files, or else by a box. */
export interface NamedPlace {
  bounds: Bounds;
  isArea: boolean;
}

/** The places of a name; null of counts for other conditions. */
export function namedPlaces({ places }: FileCounts): NamedPlace[] | null {
  if (places === undefined) return null;
  return places.flatMap(({ codes, bbox }) => {
    if (bbox === null) return [];
    return [{ bounds: askedFor(toBounds(bbox as Box)), isArea: codes.length > 0 }];
  });
}

/** The square kilometres of places that are boxes; null where one is not. */
export function sizeOfPlaces(places: readonly NamedPlace[]): number | null {
  if (places.length === 0 || places.some(({ isArea }) => isArea)) return null;
  return places.reduce((sum, { bounds }) => sum + squareKilometres(bounds), 0);
}

/** The box around all places; null where there are none. */
export function boundsOfPlaces(places: readonly NamedPlace[]): Bounds | null {
  return places.length === 0 ? null : places.map(({ bounds }) => bounds).reduce(unite);
}

/** Of a point, the files of its mesh are meant. */
function askedFor(bounds: Bounds): Bounds {
  if (bounds.west < bounds.east && bounds.south < bounds.north) return bounds;
  try {
    return meshBounds(meshOf(bounds.west, bounds.south, 8));
  } catch {
    // Outside the grid of meshes.
    return bounds;
  }
}
