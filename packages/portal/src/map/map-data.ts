/** What the map draws, made from the summary and the coverage of the catalogue. */

import { type Bounds, isMeshCode, meshBounds } from '@citymodel/geo';
import type { Feature, FeatureCollection } from 'geojson';
import { type Area, areaCorners, areaRings, boxRing } from '../core/area.ts';
import type { Places } from '../core/gazetteer.ts';
import { SOURCES } from '../core/output-kinds.ts';
import type { Colouring, Language, Shown } from '../core/state.ts';
import { areaName, cityBounds, type Summary, type SummaryCity, shownLod } from '../core/summary.ts';
import { classOf } from './classes.ts';
import { classColours, type Palette } from './palette.ts';
import { PREFECTURE_PLACES } from './prefecture-places.ts';

export const EMPTY: FeatureCollection = { type: 'FeatureCollection', features: [] };

/** Mesh code, highest LOD, number of feature types, newest year, files, features. */
export type CoverageRow = [
  mesh: string,
  maxLod: number,
  types: number,
  year: number,
  files: number,
  features: number,
];

/**
 * Each municipality as a point with its name, sized by its data, and the box around tiles that nothing says more of.
 * The point is the centre of the municipality where `places` knows it and data reaches that far. Else it is the middle
 * of the data, which may be sea. The largest come first, so that small circles lie over them: with a key to sort by,
 * MapLibre draws each circle by itself.
 */
export function citiesData(
  cities: readonly SummaryCity[],
  language: Language,
  places: Pick<Places, 'centre'> | null = null,
): FeatureCollection {
  const features: Feature[] = [];
  const largest = Math.max(1, ...cities.map(({ bytes }) => bytes));
  for (const city of cities.toSorted((a, b) => b.bytes - a.bytes)) {
    const bounds = cityBounds(city);
    if (bounds === null) continue;
    const properties = {
      code: city.code,
      name: areaName(city, language),
      // The area of a circle is in proportion to the data.
      size: Math.sqrt(city.bytes / largest),
      boxed: !city.formats.includes(SOURCES),
    };
    features.push(
      {
        type: 'Feature',
        properties,
        geometry: { type: 'Point', coordinates: within(places?.centre(city.code) ?? null, bounds) },
      },
      polygon([boxRing(bounds)], properties),
    );
  }
  return { type: 'FeatureCollection', features };
}

/** A place where a box holds it, else the middle of the box. */
function within(
  place: readonly [number, number] | null,
  { west, south, east, north }: Bounds,
): [number, number] {
  const isInside =
    place !== null && place[0] >= west && place[0] <= east && place[1] >= south && place[1] <= north;
  return isInside ? [place[0], place[1]] : [(west + east) / 2, (south + north) / 2];
}

/**
 * Colours of the circles of municipalities by their codes, apart from the circles: others come without laying out the
 * map anew.
 */
export function cityColours(
  cities: readonly SummaryCity[],
  by: Colouring,
  newest: number,
  palette: Palette,
  shown: Shown | null = null,
): Map<string, string> {
  const colours = classColours(palette, by);
  return new Map(
    cities.map((city) => {
      const content = {
        maxLod: shownLod(city, shown),
        types: city.types.length,
        year: city.years[0] ?? 0,
      };
      return [city.code, colours[classOf(content, by, newest)]!];
    }),
  );
}

/** Names of prefectures, and of all municipalities that have no data and so no point of their own. */
export function namesData(
  { cities }: Summary,
  places: Places | null,
  prefectures: ReadonlyArray<{ code: string; name: string; romaji: string | null }>,
  language: Language,
): FeatureCollection {
  const features: Feature[] = [];
  const point = (kind: string, name: string, at: readonly [number, number]) =>
    features.push({
      type: 'Feature',
      properties: { kind, name },
      geometry: { type: 'Point', coordinates: [...at] },
    });
  for (const prefecture of prefectures) {
    const at = PREFECTURE_PLACES.get(prefecture.code);
    if (at !== undefined) point('prefecture', areaName(prefecture, language), at);
  }
  const shown = new Set(cities.map(({ code }) => code));
  for (const town of places?.towns() ?? []) {
    if (!shown.has(town.code)) point('town', areaName(town, language), town.at);
  }
  return { type: 'FeatureCollection', features };
}

/** Each mesh that has files. */
export function meshesData(rows: readonly CoverageRow[], by: Colouring, newest: number): FeatureCollection {
  const features: Feature[] = [];
  for (const [code, maxLod, types, year] of rows) {
    if (!isMeshCode(code)) continue;
    const properties = { code, class: classOf({ maxLod, types, year }, by, newest) };
    features.push(polygon([boxRing(meshBounds(code))], properties));
  }
  return { type: 'FeatureCollection', features };
}

/** Areas of the basket, and the corners of one that is being drawn. */
export function areasData(areas: readonly Area[], sketch: Area | null = null): FeatureCollection {
  const features = [...areas, ...(sketch === null ? [] : [sketch])].flatMap((area) =>
    areaRings(area).map((ring) => polygon([ring])),
  );
  for (const corner of sketch === null ? [] : areaCorners(sketch)) {
    features.push({
      type: 'Feature',
      properties: {},
      geometry: { type: 'Point', coordinates: [...corner] },
    });
  }
  return { type: 'FeatureCollection', features };
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
