/** Which MVT dataset the spec of a TileJSON stands for (interface decisions, section 3, "MVT spec"). */

import { compareTexts } from '@citymodel/base';
import { isMapSymbols } from '@citymodel/citygml';
import type { MvtSpec } from '../specs/mvt-spec.ts';
import { inArea, inPart, lodMatches, newestPerArea } from './choose-tiles.ts';
import { byPreference, type Dataset } from './snapshot-dataset.ts';

/**
 * The dataset of one type that a spec stands for, of exactly its area; undefined when nothing matches. Of several the
 * newest year is taken, then the one that is the whole type rather than a part of it, then the highest LOD.
 */
export function chooseMvt(datasets: readonly Dataset[], spec: MvtSpec): Dataset | undefined {
  let best: Dataset | undefined;
  const ofArea = datasets.filter((dataset) => dataset.area === spec.area);
  for (const dataset of inPart(ofArea, spec)) {
    if (matches(dataset, spec) && (best === undefined || compare(dataset, best, spec) < 0)) best = dataset;
  }
  return best;
}

/** Datasets of a prefecture or of the whole country (`all`): at most one of each area and part of the type. */
export function chooseMvtOfRegion(datasets: readonly Dataset[], spec: MvtSpec): Dataset[] {
  const matching = inPart(inArea(datasets, spec.area), spec).filter((dataset) => matches(dataset, spec));
  const best = new Map<string, Dataset>();
  for (const dataset of spec.year === 'latest' ? newestPerArea(matching) : matching) {
    const other = best.get(dataset.place);
    if (other === undefined || compare(dataset, other, spec) < 0) best.set(dataset.place, dataset);
  }
  return [...best.values()];
}

function matches(dataset: Dataset, spec: MvtSpec): boolean {
  return (
    dataset.interior === spec.interior &&
    // Map symbols are meant by their own name alone.
    (spec.sub !== null || !isMapSymbols(dataset.summary.sub)) &&
    (spec.year === 'latest' || dataset.package.year === spec.year) &&
    (spec.lod === null || lodMatches(dataset, { max: false, value: spec.lod }))
  );
}

function compare(a: Dataset, b: Dataset, spec: MvtSpec): number {
  return (
    b.package.year - a.package.year ||
    Number(a.sub !== '') - Number(b.sub !== '') ||
    compareTexts(a.sub, b.sub) ||
    (spec.lod === null ? 0 : Number(a.summary.lodEx !== null) - Number(b.summary.lodEx !== null)) ||
    b.lodRank - a.lodRank ||
    byPreference(a, b)
  );
}
