/** The composite tileset that a spec stands for (interface decisions, section 3, "3D Tiles spec"). */

import { setTimeout } from 'node:timers/promises';
import { kindOfFormat } from '@citymodel/base';
import { typeName } from '@citymodel/citygml';
import { type Bounds, boundsIntersect, regionBounds, volumeRegion } from '@citymodel/geo';
import { buildComposite } from '@citymodel/tiles';
import { ServiceError } from '../../base/errors.ts';
import { GeneratedDocument, type ReadyDocument } from '../../base/generated-document.ts';
import type { AssetUrls } from '../names/asset-urls.ts';
import { chooseTiles, findTiles, inArea } from '../rows/choose-tiles.ts';
import type { Dataset } from '../rows/snapshot-dataset.ts';
import { countSystems, systemsText } from '../rows/vertical-systems.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { quoteSpec } from '../specs/invalid-spec.ts';
import { formatTilesSpec, parseTilesSpec, type TilesSpec } from '../specs/tiles-spec.ts';
import { areaLabel, distinct, variants } from './nearest.ts';

/** What composites are made of. */
const KIND = '3dtiles';

/** The datasets that a spec stands for, by id; none when nothing matches. */
export function resolveTiles(snapshot: Snapshot, spec: TilesSpec): Dataset[] {
  const ofType = snapshot.datasetsOfType(KIND, spec.type);
  const own = findTiles(ofType, spec);
  const city = own.length > 0 ? null : snapshot.cityAround(spec.area);
  if (city === null) return own;
  // A ward without data of its own is covered by its whole city's.
  return chooseTiles(
    ofType.filter((dataset) => dataset.area === city),
    spec,
  );
}

export interface CompositeOptions {
  /** Asks for the tileset without children where nothing matches. */
  empty?: boolean;
  /** Keeps the datasets that touch it; null or left out: all. */
  bbox?: Bounds | null;
}

/**
 * The composite tileset of a spec, without a box computed once per snapshot. Throws ServiceError 400 for a malformed
 * spec, 404 naming what exists nearby when nothing matches, unless `empty` asks for the tileset without children.
 */
export function compositeFor(
  snapshot: Snapshot,
  urls: AssetUrls,
  text: string,
  { empty = false, bbox = null }: CompositeOptions = {},
): ReadyDocument {
  const spec = parseTilesSpec(text);
  if (bbox !== null) return compositeIn(snapshot, urls, spec, bbox, { text, empty });
  const key = `${KIND}/${formatTilesSpec(spec)}`;
  const cached = snapshot.generated.find(key);
  if (cached !== undefined) return cached;
  const datasets = resolveTiles(snapshot, spec);
  if (datasets.length > 0) return snapshot.generated.keep(key, compositeOf(datasets, urls));
  if (!empty) throw new ServiceError(404, 'not found', { reason: nearest(snapshot, spec, text) });
  return compositeOf([], urls);
}

/** The composite of what touches a box. */
function compositeIn(
  snapshot: Snapshot,
  urls: AssetUrls,
  spec: TilesSpec,
  bbox: Bounds,
  { text, empty }: { text: string; empty: boolean },
): ReadyDocument {
  const everywhere = resolveTiles(snapshot, spec);
  const datasets = everywhere.filter(({ volume, summary }) =>
    boundsIntersect(regionBounds(summary.region ?? volumeRegion(volume!)), bbox),
  );
  if (datasets.length > 0 || empty) return compositeOf(datasets, urls);
  throw new ServiceError(404, 'not found', {
    reason:
      everywhere.length === 0
        ? nearest(snapshot, spec, text)
        : `No tileset of ${quoteSpec(text)} touches this box; elsewhere there are ${everywhere.length}.`,
  });
}

function compositeOf(datasets: readonly Dataset[], urls: AssetUrls): ReadyDocument {
  const children = datasets.map((dataset) => ({
    uri: urls.member(dataset.package, dataset.summary.entry),
    boundingVolume: dataset.volume!,
    region: dataset.summary.region,
    geometricError: dataset.summary.geometricError,
    version: dataset.summary.formatVersion,
    // With `latest` a caller cannot tell otherwise what it got.
    extras: { id: dataset.id, year: dataset.package.year },
  }));
  // Tiles that follow the specification need no word; others float or sink on a globe.
  const counts = countSystems(datasets);
  const isUsual = counts.every(([system]) => system === 'ellipsoid');
  return GeneratedDocument.ofJson(buildComposite(children, isUsual ? undefined : systemsText(counts)));
}

/**
 * Makes the composites of the whole country that the catalogue lists as `latest` ready beside requests, before somebody
 * asks: they are the largest, and the next ones are made by code that has been run. It uses at most 50 % of the event
 * loop; ends early when `signal` aborts.
 */
export async function prepareComposites(
  snapshot: Snapshot,
  urls: AssetUrls,
  signal: AbortSignal,
): Promise<void> {
  for (const spec of snapshot.nationwide) {
    if (signal.aborted) return;
    const start = performance.now();
    compositeFor(snapshot, urls, spec);
    await setTimeout(performance.now() - start, undefined, { signal }).catch(() => {});
  }
}

/** A sentence that names the nearest that exists. */
function nearest(snapshot: Snapshot, spec: TilesSpec, text: string): string {
  const ofType = snapshot.datasetsOfType(KIND, spec.type);
  const city = snapshot.cityAround(spec.area);
  const sameArea = [
    ...inArea(ofType, spec.area),
    ...(city === null ? [] : ofType.filter((dataset) => dataset.area === city)),
  ];
  const nothing = `Nothing matches ${quoteSpec(text)}.`;
  if (sameArea.length === 0) {
    const here = snapshot.datasets.filter(({ summary }) => kindOfFormat(summary.format) === KIND);
    const types = distinct(inArea(here, spec.area), (dataset) => dataset.summary.type);
    return types.length === 0
      ? `${nothing} No 3D Tiles are published for ${areaLabel(spec.area)}.`
      : `${nothing} For ${areaLabel(spec.area)} there are 3D Tiles of the types ${types.join(', ')}.`;
  }
  return `${nothing} ${typeName(spec.type)} in ${areaLabel(spec.area)} exists as: ${variants(sameArea)}.`;
}
