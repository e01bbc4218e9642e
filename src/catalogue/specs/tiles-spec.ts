/**
 * The spec of a composite tileset, `<area>-<type>-<lod>[-interior][-<texture>]-<year>`, and the datasets that
 * it stands for. Beyond the interface's grammar the LOD may be missing, and a type may name one of its parts,
 * `fld_natl_kanogawa_l1`: without that, a composite could not hold one river alone.
 */
import { setTimeout } from 'node:timers/promises';
import { ServiceError } from '../../base/errors.ts';
import { GeneratedDocument } from '../../base/generated-document.ts';
import { quoted } from '../../base/parameters.ts';
import { buildComposite } from '../../tiles/composite.ts';
import { area, membersOf } from '../names/areas.ts';
import type { AssetUrls } from '../names/asset-urls.ts';
import { typeName } from '../names/feature-types.ts';
import { chooseTiles, type TilesChoice } from '../rows/choose-tiles.ts';
import type { Dataset } from '../rows/snapshot-dataset.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';

export interface TilesSpec extends TilesChoice {
  /** `all`, 2 digits of a prefecture, or 5 of a municipality or ward. */
  area: string;
  type: string;
}

const SPEC =
  /^(all|\d{2}|\d{5})-([a-z]+)(?:_([a-z0-9_-]+?))?(?:-(max)?lod(\d{1,2}))?(-interior)?(?:-(texture|notexture))?-(\d{4}|latest)$/;

/** Reads a spec. Throws ServiceError 400 `invalid spec` when it is malformed. */
export function parseTilesSpec(text: string): TilesSpec {
  const match = SPEC.exec(text);
  if (!match) {
    throw new ServiceError(400, 'invalid spec', {
      reason:
        `${quoteSpec(text)} is not of the form <area>-<type>-<lod>[-interior][-<texture>]-<year>: area is all, 2 digits ` +
        'of a prefecture or 5 digits of a municipality or ward; lod is lodN or maxlodN; texture is texture or ' +
        'notexture; year is 4 digits or latest.',
    });
  }
  const [, where, type, sub, max, lod, interior, texture, year] = match;
  return {
    area: where!,
    type: type!,
    sub: sub ?? null,
    lod: lod === undefined ? null : { max: max !== undefined, value: Number(lod) },
    interior: interior !== undefined,
    texture: texture === undefined ? null : texture === 'texture',
    year: year === 'latest' ? year : Number(year),
  };
}

/** The spec as text; `parseTilesSpec` gives the same spec back. */
export function formatTilesSpec(spec: TilesSpec): string {
  const lod = spec.lod === null ? '' : `-${spec.lod.max ? 'max' : ''}lod${spec.lod.value}`;
  const texture = spec.texture === null ? '' : spec.texture ? '-texture' : '-notexture';
  return `${formatType(spec)}${lod}${spec.interior ? '-interior' : ''}${texture}-${spec.year}`;
}

function formatType(spec: { area: string; type: string; sub: string | null }): string {
  return `${spec.area}-${spec.type}${spec.sub === null ? '' : `_${spec.sub}`}`;
}

/**
 * The spec that finds one dataset. Null when something that it would have to name is missing or cannot be
 * named in a spec. It names a LOD only where the package does.
 */
export function specOfDataset(
  dataset: Dataset,
  texture: boolean | null,
  year: number | 'latest',
): TilesSpec | null {
  const { facts } = dataset;
  if (!isNameable(dataset, year)) return null;
  return {
    area: dataset.area,
    type: facts.type,
    sub: facts.sub?.code ?? null,
    lod: facts.lodNamed ? { max: false, value: facts.lodEx ?? dataset.lod } : null,
    interior: dataset.interior,
    texture,
    year,
  };
}

/** False when a spec cannot say the area, type, part or year of a dataset so that it is read back the same. */
export function isNameable(dataset: Dataset, year: number | 'latest'): boolean {
  return (
    /^(\d{2}|\d{5})$/.test(dataset.area) &&
    /^[a-z]+$/.test(dataset.facts.type) &&
    (dataset.sub === '' ||
      (/^[a-z0-9_-]+$/.test(dataset.sub) &&
        !/-((max)?lod\d{1,2}|interior|(no)?texture)$/.test(dataset.sub))) &&
    (year === 'latest' || (year >= 1000 && year <= 9999))
  );
}

/** The datasets that a spec stands for, by id; none when nothing matches. */
export function resolveTiles(snapshot: Snapshot, spec: TilesSpec): Dataset[] {
  const ofType = snapshot.datasetsOfType('3D Tiles', spec.type);
  const own = chooseTiles(inArea(ofType, spec.area), spec);
  const city = own.length > 0 ? null : snapshot.cityAround(spec.area);
  if (city === null) return own;
  // A ward without data of its own is covered by its whole city's.
  return chooseTiles(
    ofType.filter((dataset) => dataset.area === city),
    spec,
  );
}

/** Datasets that a code covers: a city's with those of its wards, 13100 with those of the 23 special wards. */
export function inArea(datasets: readonly Dataset[], code: string): readonly Dataset[] {
  if (code === 'all') return datasets;
  if (code.length === 2) return datasets.filter((dataset) => dataset.package.prefCode === code);
  const covered = new Set(membersOf(code));
  return datasets.filter((dataset) => covered.has(dataset.area) || dataset.package.cityCode === code);
}

/**
 * The composite tileset of a spec, computed once per snapshot. Throws ServiceError 400 for a malformed spec,
 * 404 naming what exists nearby when nothing matches, unless `empty` asks for the tileset without children.
 */
export function compositeFor(
  snapshot: Snapshot,
  urls: AssetUrls,
  text: string,
  options: { empty?: boolean } = {},
): GeneratedDocument {
  const spec = parseTilesSpec(text);
  const key = `3dtiles/${formatTilesSpec(spec)}`;
  const known = snapshot.generated.find(key);
  if (known !== undefined) return known;
  const datasets = resolveTiles(snapshot, spec);
  if (datasets.length > 0) return snapshot.generated.keep(key, compositeOf(datasets, urls));
  if (!options.empty) throw new ServiceError(404, 'not found', { reason: nearest(snapshot, spec, text) });
  return compositeOf([], urls);
}

function compositeOf(datasets: readonly Dataset[], urls: AssetUrls): GeneratedDocument {
  const children = datasets.map((dataset) => ({
    uri: urls.member(dataset.package, dataset.facts.entry),
    boundingVolume: dataset.volume!,
    region: dataset.facts.region,
    geometricError: dataset.facts.geometricError,
    version: dataset.facts.formatVersion,
    // With `latest` a caller cannot tell otherwise what it got.
    extras: { id: dataset.id, year: dataset.package.year },
  }));
  return GeneratedDocument.ofJson(buildComposite(children));
}

/**
 * Makes the composites of the whole country that the catalogue lists as `latest` ready beside requests, before somebody asks: they are
 * the largest, and the next ones are made by code that has been run. It works half of the time only; ends early when
 * `signal` aborts.
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
  const ofType = snapshot.datasetsOfType('3D Tiles', spec.type);
  const city = snapshot.cityAround(spec.area);
  const near = [
    ...inArea(ofType, spec.area),
    ...(city === null ? [] : ofType.filter((dataset) => dataset.area === city)),
  ];
  const nothing = `Nothing matches ${quoteSpec(text)}.`;
  if (near.length === 0) {
    const here = snapshot.datasets.filter((dataset) => dataset.facts.format === '3D Tiles');
    const types = distinct(inArea(here, spec.area), (dataset) => dataset.facts.type);
    return types.length === 0
      ? `${nothing} No 3D Tiles are published for ${placeName(spec.area)}.`
      : `${nothing} For ${placeName(spec.area)} there are 3D Tiles of the types ${types.join(', ')}.`;
  }
  return `${nothing} ${typeName(spec.type)} in ${placeName(spec.area)} exists as: ${variants(near)}.`;
}

/** `LOD 1, 2; years 2022, 2023; textured and untextured`, and so on, of the datasets that are near. */
export function variants(near: readonly Dataset[]): string {
  const parts = [
    `LOD ${distinct(near, (dataset) => String(dataset.facts.lodEx ?? dataset.lod)).join(', ')}`,
    `years ${distinct(near, (dataset) => String(dataset.package.year)).join(', ')}`,
  ];
  if (near[0]!.facts.format === '3D Tiles') {
    parts.push(distinct(near, (d) => (d.facts.texture ? 'textured' : 'untextured')).join(' and '));
  }
  if (near.some((dataset) => dataset.interior)) {
    parts.push(near.every((dataset) => dataset.interior) ? 'interior only' : 'interior too');
  }
  const subs = distinct(near, (dataset) => dataset.sub).filter((sub) => sub !== '');
  if (subs.length > 0) {
    const { type } = near[0]!.facts;
    const shown = subs.slice(0, 10).map((sub) => `${type}_${sub}`);
    parts.push(`parts ${shown.join(', ')}${subs.length > 10 ? ` and ${subs.length - 10} more` : ''}`);
  }
  return parts.join('; ');
}

/** What a code or `all` means, for people. */
export function placeName(code: string): string {
  if (code === 'all') return 'the whole country';
  const found = area(code);
  return found === undefined ? code : `${found.name} (${code})`;
}

/** A spec in a message, cut to a readable length. */
export function quoteSpec(text: string): string {
  return quoted(text, 100);
}

function distinct(datasets: readonly Dataset[], value: (dataset: Dataset) => string): string[] {
  return [...new Set(datasets.map(value))].sort();
}
