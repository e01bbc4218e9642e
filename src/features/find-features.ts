/** The features of one file that lie in a region. */
import type { Slices } from '../base/turns.ts';
import { geometriesOf } from '../citygml/geometry/feature-geometry.ts';
import { altitudeRange, type FeatureShape, shapeOf } from '../citygml/geometry/feature-shape.ts';
import type { FeatureEntry } from '../citygml/index/feature-index.ts';
import { FeatureXmlError, parseFeature } from '../citygml/xml/feature-xml.ts';
import type { GmlIndex } from './gml-index.ts';
import type { OpenGml } from './open-gml.ts';
import type { Region } from './region.ts';

/** Features that are handed on together. */
const BATCH = 256;
/**
 * Text of a feature up to which its geometry is read, bytes. In memory it takes some ten times as much. Beyond are only
 * whole reliefs, whose extent says nearly the same as their footprint, and is taken instead.
 */
export const MAX_GEOMETRY_TEXT = 16 << 20;

/** Features that meet the region and have one of the element names (null: any), in the order of the text, in batches. */
export async function* findFeatures(
  gml: OpenGml,
  region: Region,
  elements: ReadonlySet<string> | null,
  slices: Slices,
): AsyncGenerator<FeatureEntry[], void, void> {
  const { index } = gml;
  let batch: FeatureEntry[] = [];
  for (const i of region.everything ? numbersBelow(index.size) : await candidates(index, region)) {
    if (slices.due()) await slices.pause();
    // Awaiting what is there already would cost a long listing more than the rest of the loop.
    const read = index.feature(i);
    const entry = read instanceof Promise ? await read : read;
    if (elements !== null && !elements.has(entry.element)) continue;
    if (!region.everything) {
      const met = meetsRegion(gml, entry, region);
      if (!(met instanceof Promise ? await met : met)) continue;
    }
    batch.push(entry);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Altitudes of a feature by its entry; null when the data has no heights. */
export function altitudesOf(entry: FeatureEntry): FeatureShape['altitudes'] {
  return entry.extent === null ? null : altitudeRange(entry.extent, entry.hasAltitude, entry.lod1Solid);
}

function* numbersBelow(count: number): Generator<number> {
  for (let i = 0; i < count; i++) yield i;
}

/** Numbers of features near the region, ascending. */
async function candidates(index: GmlIndex, region: Region): Promise<Iterable<number>> {
  if (region.searchBoxes.length === 1) return index.search(region.searchBoxes[0]!);
  const found = new Set<number>();
  for (const box of region.searchBoxes) for (const i of await index.search(box)) found.add(i);
  return [...found].sort((a, b) => a - b);
}

function meetsRegion(gml: OpenGml, entry: FeatureEntry, region: Region): boolean | Promise<boolean> {
  const { extent } = entry;
  if (extent === null) return false;
  const altitudes = altitudesOf(entry);
  const sure = region.meetsOutline({ bounds: extent, altitudes });
  if (sure !== null) return sure;
  if (entry.footprintInBlock) return meetsByText(gml, entry, region);
  const footprint = gml.index.footprint(entry.index);
  if (footprint instanceof Promise) {
    return footprint.then((read) => read !== null && region.meets({ ...read, altitudes }, extent));
  }
  return footprint !== null && region.meets({ ...footprint, altitudes }, extent);
}

/** For footprints that are too large for the index. */
async function meetsByText(gml: OpenGml, entry: FeatureEntry, region: Region): Promise<boolean> {
  if (entry.extent === null) return false;
  if (entry.end - entry.start > MAX_GEOMETRY_TEXT) {
    return region.meets({ ...rectangle(entry.extent), altitudes: altitudesOf(entry) }, entry.extent);
  }
  try {
    const feature = parseFeature(await gml.text.read(entry), gml.index.context);
    const shape = shapeOf(geometriesOf(feature, gml.index.defaults));
    return shape !== null && region.meets(shape, entry.extent);
  } catch (error) {
    if (error instanceof FeatureXmlError) return false;
    throw error;
  }
}

function rectangle({
  west,
  south,
  east,
  north,
}: NonNullable<FeatureEntry['extent']>): Omit<FeatureShape, 'altitudes'> {
  return {
    polygons: [[Float64Array.of(west, south, east, south, east, north, west, north)]],
    lines: [],
    points: [],
  };
}
