/** Places of findings, for the map and the 3D view. */
import type { Bounds } from '@citymodel/geo';
import type { FeatureCollection } from 'geojson';
import type { QualityReport } from '../core/interface-types.ts';
import type { State } from '../core/state.ts';

export type Place = QualityReport['places'][number];

/** Degrees of latitude south of a place from which it is looked at, some 130 m. */
const BEHIND = 0.0012;
/** Metres above a place: its distance to the south, and the geoid, which lies 20 to 45 m above the ellipsoid in Japan. */
const ABOVE = 130 + 37;
/** Degrees around a single place that the map shows. */
const AROUND = 0.001;

export function pointsOf(places: readonly Place[]): FeatureCollection {
  return {
    type: 'FeatureCollection',
    features: places.flatMap(({ place, code, message }) =>
      place === null
        ? []
        : [
            {
              type: 'Feature',
              geometry: { type: 'Point', coordinates: place.slice(0, 2) },
              properties: { code, message },
            },
          ],
    ),
  };
}

/** Around all places; null where none has a position. */
export function boundsOfPlaces(places: readonly Place[]): Bounds | null {
  const placed = places.flatMap(({ place }) => (place === null ? [] : [place as [number, number]]));
  if (placed.length === 0) return null;
  const lngs = placed.map(([lng]) => lng);
  const lats = placed.map(([, lat]) => lat);
  return {
    west: Math.min(...lngs) - AROUND,
    south: Math.min(...lats) - AROUND,
    east: Math.max(...lngs) + AROUND,
    north: Math.max(...lats) + AROUND,
  };
}

/** The 3D view of a place: tiles of its feature type, looked at from the south, its feature chosen. */
export function viewOf({ place, file, id }: Place, spec: string): Partial<State> | null {
  const type = /(?:^|\/)udx\/([a-z]+)\//.exec(file ?? '')?.[1];
  if (place === null || type === undefined) return null;
  const [lng, lat, height] = place as [number, number, number];
  const [code, year] = spec.split('-');
  return {
    view: '3d',
    model: `${code}-${type}-maxlod4-${year}`,
    camera: [lng, lat - BEHIND, height + ABOVE, 0, -45],
    feature: id,
  };
}
