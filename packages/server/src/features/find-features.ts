/** The features of one file that lie in a region. */
import {
  altitudeRange,
  type FeatureEntry,
  type FeatureShape,
  FeatureXmlError,
  geometriesOf,
  parseFeature,
  shapeOf,
} from '@citymodel/citygml';
import type { FeatureWork } from './feature-work.ts';
import type { GmlIndex } from './gml-index.ts';
import type { OpenGml } from './open-gml.ts';
import type { Region } from './region.ts';

/** Features that are handed on together. */
const BATCH = 256;
/**
 * Features that meet the region and have one of the element names (null: any), in the order of the text, in batches;
 * those before number `from` are passed over.
 */
export async function* findFeatures(
  gml: OpenGml,
  region: Region,
  elements: ReadonlySet<string> | null,
  work: FeatureWork,
  from = 0,
): AsyncGenerator<FeatureEntry[], void, void> {
  const { index } = gml;
  const { slices, budget } = work;
  let batch: FeatureEntry[] = [];
  const numbers = region.everything
    ? numbersBetween(from, index.size)
    : numbersFrom(from, await candidates(index, region, work));
  for await (const entries of index.features(numbers)) {
    for (const entry of entries) {
      if (slices.due()) await slices.pause();
      budget.items(region.parts);
      if (elements !== null && !elements.has(entry.element)) continue;
      if (!region.everything) {
        // Awaiting what is there already would cost a long listing more than the rest of the loop.
        const meets = meetsRegion(gml, entry, region, work);
        if (!(meets instanceof Promise ? await meets : meets)) continue;
      }
      batch.push(entry);
      if (batch.length < BATCH) continue;
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}

/** Altitudes of a feature by its entry; null when the data has no heights. */
export function altitudesOf(entry: FeatureEntry): FeatureShape['altitudes'] {
  return entry.extent === null ? null : altitudeRange(entry.extent, entry.hasAltitude, entry.lod1Solid);
}

function* numbersBetween(from: number, end: number): Generator<number> {
  for (let i = from; i < end; i++) yield i;
}

function* numbersFrom(from: number, numbers: Iterable<number>): Generator<number> {
  for (const number of numbers) if (number >= from) yield number;
}

/** Numbers of features near the region, ascending. */
async function candidates(
  index: GmlIndex,
  region: Region,
  { slices, budget }: FeatureWork,
): Promise<Iterable<number>> {
  if (region.searchBoxes.length === 1) return index.search(region.searchBoxes[0]!);
  const found = new Set<number>();
  for (const box of region.searchBoxes) {
    const hits = await index.search(box);
    budget.items(1 + hits.length);
    for (const i of hits) found.add(i);
    if (slices.due()) await slices.pause();
  }
  return [...found].sort((a, b) => a - b);
}

/** Whether a feature meets the region; its footprint, or its text, is read where the outline does not tell. */
export function meetsRegion(
  gml: OpenGml,
  entry: FeatureEntry,
  region: Region,
  work: FeatureWork,
): boolean | Promise<boolean> {
  const { extent } = entry;
  if (extent === null) return false;
  const altitudes = altitudesOf(entry);
  const sure = region.meetsOutline({ bounds: extent, altitudes });
  if (sure !== null) return sure;
  if (entry.footprintInBlock) return meetsByText(gml, entry, extent, region, work);
  const footprint = gml.index.footprint(entry);
  if (footprint instanceof Promise) {
    return footprint.then((read) => read !== null && region.meets({ ...read, altitudes }, extent));
  }
  return footprint !== null && region.meets({ ...footprint, altitudes }, extent);
}

/**
 * For footprints that are too large for the index. Beyond the text whose geometry is read there are only whole reliefs,
 * whose extent says nearly the same as their footprint, and is taken instead.
 */
async function meetsByText(
  gml: OpenGml,
  entry: FeatureEntry,
  extent: NonNullable<FeatureEntry['extent']>,
  region: Region,
  { slices, budget, limits, large, repeats }: FeatureWork,
): Promise<boolean> {
  const { start, end } = entry;
  if (end - start > limits.maxGeometryBytes) {
    return region.meets({ ...rectangle(extent), altitudes: altitudesOf(entry) }, extent);
  }
  budget.read(end - start);
  try {
    return await large.run(async () => {
      const text = await gml.text.read(entry);
      await slices.pause();
      const feature = parseFeature(text, gml.index.context);
      await slices.pause();
      const shape = shapeOf(geometriesOf(feature, gml.index.defaults, repeats));
      return shape !== null && region.meets(shape, extent);
    });
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
