/** The spec of a TileJSON, `<code>-<type>[-lod<N>][-interior]-<year|latest>`, and the dataset that it stands for. */
import { ServiceError } from '../../base/errors.ts';
import { GeneratedDocument } from '../../base/generated-document.ts';
import { buildTileJson } from '../../tiles/tilejson.ts';
import type { AssetUrls } from '../names/asset-urls.ts';
import { typeName } from '../names/feature-types.ts';
import { lodMatches } from '../rows/choose-tiles.ts';
import { byPreference, type Dataset } from '../rows/snapshot-dataset.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { inArea, isNameable, placeName, quoteSpec, variants } from './tiles-spec.ts';

export interface MvtSpec {
  /** 5 digits, or 2 for a prefecture's own package. */
  area: string;
  type: string;
  /** As in a 3D Tiles spec: one part of the type, `urf_UseDistrict` in lower case. */
  sub: string | null;
  /** Exactly this LOD (two digits for 3.3); null takes the one without a LOD in its name, else the highest. */
  lod: number | null;
  interior: boolean;
  year: number | 'latest';
}

const SPEC = /^(\d{2}|\d{5})-([a-z]+)(?:_([a-z0-9_-]+?))?(?:-lod(\d{1,2}))?(-interior)?-(\d{4}|latest)$/;

/** Reads a spec. Throws ServiceError 400 `invalid spec` when it is malformed. */
export function parseMvtSpec(text: string): MvtSpec {
  const match = SPEC.exec(text);
  if (!match) {
    throw new ServiceError(400, 'invalid spec', {
      reason:
        `${quoteSpec(text)} is not of the form <code>-<type>[-lod<N>][-interior]-<year>: code is 5 digits of a ` +
        'municipality or ward, or 2 of a prefecture; year is 4 digits or latest.',
    });
  }
  const [, code, type, sub, lod, interior, year] = match;
  return {
    area: code!,
    type: type!,
    sub: sub ?? null,
    lod: lod === undefined ? null : Number(lod),
    interior: interior !== undefined,
    year: year === 'latest' ? year : Number(year),
  };
}

/** The spec as text; `parseMvtSpec` gives the same spec back. */
export function formatMvtSpec(spec: MvtSpec): string {
  const sub = spec.sub === null ? '' : `_${spec.sub}`;
  const lod = spec.lod === null ? '' : `-lod${spec.lod}`;
  return `${spec.area}-${spec.type}${sub}${lod}${spec.interior ? '-interior' : ''}-${spec.year}`;
}

/** The spec that finds one dataset; null when it cannot be named. */
export function mvtSpecOfDataset(dataset: Dataset, year: number | 'latest'): MvtSpec | null {
  if (!isNameable(dataset, year)) return null;
  const { facts } = dataset;
  return {
    area: dataset.area,
    type: facts.type,
    sub: facts.sub?.code ?? null,
    lod: facts.lodNamed ? (facts.lodEx ?? dataset.lod) : null,
    interior: dataset.interior,
    year,
  };
}

/**
 * The dataset that a spec stands for, or undefined. A ward without one of its own has its city's. Of several
 * the newest year is taken, then the one that is the whole type rather than a part of it, then the highest LOD.
 */
export function resolveMvt(snapshot: Snapshot, spec: MvtSpec): Dataset | undefined {
  const ofType = snapshot.datasetsOfType('MVT', spec.type);
  const choose = (area: string) =>
    ofType
      .filter((dataset) => dataset.area === area && matches(dataset, spec))
      .sort((a, b) => compare(a, b, spec))[0];
  const own = choose(spec.area);
  const city = own === undefined ? snapshot.cityAround(spec.area) : null;
  return city === null ? own : choose(city);
}

function matches(dataset: Dataset, spec: MvtSpec): boolean {
  return (
    dataset.interior === spec.interior &&
    (spec.year === 'latest' || dataset.package.year === spec.year) &&
    (spec.sub === null || dataset.sub === spec.sub) &&
    (spec.lod === null || lodMatches(dataset, { max: false, value: spec.lod }))
  );
}

function compare(a: Dataset, b: Dataset, spec: MvtSpec): number {
  return (
    b.package.year - a.package.year ||
    Number(a.sub !== '') - Number(b.sub !== '') ||
    (a.sub < b.sub ? -1 : a.sub > b.sub ? 1 : 0) ||
    (spec.lod === null ? Number(a.facts.lodNamed) - Number(b.facts.lodNamed) : 0) ||
    (spec.lod === null ? 0 : Number(a.facts.lodEx !== null) - Number(b.facts.lodEx !== null)) ||
    b.lodRank - a.lodRank ||
    byPreference(a, b)
  );
}

/**
 * The TileJSON of a spec, computed once per snapshot. `attribution` is the operator's own text; without it
 * the municipality and the licence are named. Throws ServiceError 400 for a malformed spec, 404 naming what
 * exists nearby when nothing matches.
 */
export function tileJsonFor(
  snapshot: Snapshot,
  urls: AssetUrls,
  text: string,
  options: { attribution?: string } = {},
): GeneratedDocument {
  const spec = parseMvtSpec(text);
  return snapshot.generated.get(`mvt/${formatMvtSpec(spec)}/${options.attribution ?? ''}`, () => {
    const dataset = resolveMvt(snapshot, spec);
    if (dataset === undefined) {
      throw new ServiceError(404, 'not found', { reason: nearest(snapshot, spec, text) });
    }
    const { package: row, facts } = dataset;
    return GeneratedDocument.ofJson(
      buildTileJson({
        name: dataset.name,
        template: urls.member(row, facts.entry),
        vectorLayers: facts.vectorLayers ?? [],
        minzoom: facts.minzoom ?? 0,
        maxzoom: facts.maxzoom ?? 30,
        bounds: row.bounds ?? snapshot.boundsOf(dataset.area) ?? WORLD,
        attribution: options.attribution || [row.city, row.license].filter(Boolean).join(' '),
      }),
    );
  });
}

/** What TileJSON 3.0.0, section 3.4, takes for missing bounds: the whole Web Mercator map. */
const WORLD = { west: -180, south: -85.05112877980659, east: 180, north: 85.0511287798066 };

function nearest(snapshot: Snapshot, spec: MvtSpec, text: string): string {
  const nothing = `Nothing matches ${quoteSpec(text)}.`;
  const city = snapshot.cityAround(spec.area);
  const ofType = snapshot.datasetsOfType('MVT', spec.type);
  const near = ofType.filter((dataset) => dataset.area === spec.area || dataset.area === city);
  if (near.length > 0) {
    return `${nothing} ${typeName(spec.type)} in ${placeName(spec.area)} exists as MVT: ${variants(near)}.`;
  }
  const wards = [...new Set(inArea(ofType, spec.area).map((dataset) => dataset.area))];
  return wards.length > 0
    ? `${nothing} ${placeName(spec.area)} has this type in parts; give the code of one of them: ${wards.slice(0, 30).join(', ')}.`
    : `${nothing} No MVT of the type ${spec.type} is published for ${placeName(spec.area)}.`;
}
