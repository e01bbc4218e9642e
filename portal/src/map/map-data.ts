/** What the map draws, made from the catalogue and from file lists. */
import type { Feature, FeatureCollection } from 'geojson';
import type { Bounds } from '../../../src/geo/bounds.ts';
import { isMeshCode, meshBounds } from '../../../src/geo/mesh.ts';
import { type Area, areaRings, boxRing } from '../core/area.ts';
import type { City } from '../core/catalogue.ts';
import { type FileList, filesOf, groupBy, sumOf } from '../core/files.ts';
import type { Colouring } from '../core/state.ts';
import { classOf } from './classes.ts';

export const EMPTY: FeatureCollection = { type: 'FeatureCollection', features: [] };

/** Each municipality as its extent, and as a point for its name and for when it is too small to be seen. */
export function citiesData(cities: readonly City[], by: Colouring, newest: number): FeatureCollection {
  const features: Feature[] = [];
  for (const city of cities) {
    if (city.bounds === null) continue;
    const { west, east, north } = city.bounds;
    const content = { maxLod: city.maxLod, types: city.types.size, year: Math.max(...city.years) };
    const properties = { code: city.code, name: city.name, class: classOf(content, by, newest) };
    features.push(polygon([boxRing(city.bounds)], properties), {
      type: 'Feature',
      properties,
      geometry: { type: 'Point', coordinates: [(west + east) / 2, north] },
    });
  }
  return { type: 'FeatureCollection', features };
}

/** Each mesh that files are named by. */
export function meshesData(list: FileList, by: Colouring, newest: number): FeatureCollection {
  const features: Feature[] = [];
  for (const [code, files] of groupBy(filesOf(list), (file) => file.code)) {
    if (!isMeshCode(code)) continue;
    const content = {
      maxLod: sumOf(files).maxLod,
      types: new Set(files.map((file) => file.type)).size,
      year: Math.max(...files.map((file) => file.city.year)),
    };
    features.push(
      polygon([boxRing(meshBounds(code))], {
        code,
        digits: code.length,
        class: classOf(content, by, newest),
      }),
    );
  }
  return { type: 'FeatureCollection', features };
}

export function areaData(area: Area | null): FeatureCollection {
  if (area === null) return EMPTY;
  return { type: 'FeatureCollection', features: areaRings(area).map((ring) => polygon([ring])) };
}

export function outlineData(boxes: readonly Bounds[]): FeatureCollection {
  return { type: 'FeatureCollection', features: boxes.map((box) => polygon([boxRing(box)])) };
}

function polygon(
  rings: ReadonlyArray<ReadonlyArray<readonly [number, number]>>,
  properties: Record<string, unknown> = {},
): Feature {
  return {
    type: 'Feature',
    properties,
    geometry: { type: 'Polygon', coordinates: rings.map((ring) => ring.map(([lng, lat]) => [lng, lat])) },
  };
}
