/** The TileJSON that a spec stands for. */

import { typeName } from '@citymodel/citygml';
import type { DatasetSummary } from '@citymodel/store';
import { buildTileJson } from '@citymodel/tiles';
import { ServiceError } from '../../base/errors.ts';
import { GeneratedDocument, type ReadyDocument } from '../../base/generated-document.ts';
import type { AssetUrls } from '../names/asset-urls.ts';
import { chooseMvt } from '../rows/choose-mvt.ts';
import { inArea } from '../rows/choose-tiles.ts';
import type { Dataset } from '../rows/snapshot-dataset.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { quoteSpec } from '../specs/invalid-spec.ts';
import { formatMvtSpec, type MvtSpec, parseMvtSpec } from '../specs/mvt-spec.ts';
import { extentOfRegion, isRegion, regionTileSets } from './mvt-regions.ts';
import { areaLabel, variants } from './nearest.ts';

/** What TileJSON describes. */
const KIND = 'mvt';

/** The dataset that a spec stands for, or undefined. A ward without one of its own has its city's. */
export function resolveMvt(snapshot: Snapshot, spec: MvtSpec): Dataset | undefined {
  const ofType = snapshot.datasetsOfType(KIND, spec.type);
  const own = chooseMvt(ofType, spec);
  const city = own === undefined ? snapshot.cityAround(spec.area) : null;
  return city === null ? own : chooseMvt(ofType, { ...spec, area: city });
}

/**
 * The TileJSON of a spec, computed once per snapshot. `attribution` is the operator's own text; without it the
 * municipality and the licence are named. Viewers show it as HTML, so what a package brings is escaped; the operator's
 * text may have links. Throws ServiceError 400 for a malformed spec, 404 naming what exists nearby when nothing
 * matches.
 */
export function tileJsonFor(
  snapshot: Snapshot,
  urls: AssetUrls,
  text: string,
  options: { attribution?: string } = {},
): ReadyDocument {
  const spec = parseMvtSpec(text);
  return snapshot.generated.get(`${KIND}/${formatMvtSpec(spec)}/${options.attribution ?? ''}`, () => {
    const dataset = resolveMvt(snapshot, spec);
    if (dataset === undefined && isRegion(spec)) {
      const region = regionTileJson(snapshot, urls, spec, options);
      if (region !== null) return region;
    }
    if (dataset === undefined) {
      throw new ServiceError(404, 'not found', { reason: nearest(snapshot, spec, text) });
    }
    const { package: row, summary } = dataset;
    return GeneratedDocument.ofJson(
      buildTileJson({
        name: dataset.name,
        template: urls.member(row, summary.entry),
        vectorLayers: summary.vectorLayers ?? [],
        minzoom: summary.minzoom ?? 0,
        maxzoom: summary.maxzoom ?? 30,
        bounds: row.bounds ?? snapshot.boundsOf(dataset.area) ?? WORLD,
        attribution: options.attribution || escapeHtml([row.city, row.license].filter(Boolean).join(' ')),
      }),
    );
  });
}

/** Of a prefecture or the country: tiles that are laid together when they are asked for. Null where there are none. */
function regionTileJson(
  snapshot: Snapshot,
  urls: AssetUrls,
  spec: MvtSpec,
  options: { attribution?: string },
): GeneratedDocument | null {
  const datasets = regionTileSets(snapshot, spec);
  if (datasets.length === 0) return null;
  const { minzoom, maxzoom, bounds } = extentOfRegion(datasets);
  const layers = new Map<string, NonNullable<DatasetSummary['vectorLayers']>[number]>();
  for (const layer of datasets.flatMap(({ summary }) => summary.vectorLayers ?? [])) {
    const before = layers.get(layer.id);
    layers.set(layer.id, { ...layer, ...before, fields: { ...layer.fields, ...before?.fields } });
  }
  const licenses = new Set(datasets.flatMap(({ package: { license } }) => license ?? []));
  return GeneratedDocument.ofJson(
    buildTileJson({
      name: `${spec.area === 'all' ? '全国' : areaLabel(spec.area)} ${typeName(spec.type)}`,
      template: `${urls.publicUrl}/datacatalog/mvt/${formatMvtSpec(spec)}/{z}/{x}/{y}.mvt`,
      vectorLayers: [...layers.values()],
      minzoom,
      maxzoom,
      bounds: bounds ?? WORLD,
      attribution: options.attribution || escapeHtml([...licenses].slice(0, MAX_LICENSES).join(' ')),
    }),
  );
}

/** Licences that an attribution names. */
const MAX_LICENSES = 5;

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** What TileJSON 3.0.0, section 3.4, takes for missing bounds: the whole Web Mercator map. */
const WORLD = { west: -180, south: -85.05112877980659, east: 180, north: 85.0511287798066 };

function nearest(snapshot: Snapshot, spec: MvtSpec, text: string): string {
  const nothing = `Nothing matches ${quoteSpec(text)}.`;
  const city = snapshot.cityAround(spec.area);
  const ofType = snapshot.datasetsOfType(KIND, spec.type);
  const sameArea = ofType.filter((dataset) => dataset.area === spec.area || dataset.area === city);
  if (sameArea.length > 0) {
    return `${nothing} ${typeName(spec.type)} in ${areaLabel(spec.area)} exists as MVT: ${variants(sameArea)}.`;
  }
  const wards = [...new Set(inArea(ofType, spec.area).map((dataset) => dataset.area))];
  return wards.length > 0
    ? `${nothing} ${areaLabel(spec.area)} has this type in parts; give the code of one of them: ` +
        `${wards.slice(0, 30).join(', ')}.`
    : `${nothing} No MVT of the type ${spec.type} is published for ${areaLabel(spec.area)}.`;
}
