/** Which 3D Tiles datasets a spec stands for (interface decisions, section 3, "3D Tiles spec"). */
import { membersOf } from '../names/areas.ts';
import type { LodChoice, TilesChoice, TilesSpec } from '../specs/tiles-spec.ts';
import { byPreference, type Dataset } from './snapshot-dataset.ts';

/** The datasets of one type that a spec stands for, in the order given; none when nothing matches. */
export function findTiles(datasets: readonly Dataset[], spec: TilesSpec): Dataset[] {
  return chooseTiles(inPart(inArea(datasets, spec.area), spec), { ...spec, sub: null });
}

/**
 * The children of a composite among datasets of one type: at most one per area and sub code, in the order
 * given. Per area and sub code the year is settled first (`latest`: the newest in which it has anything that
 * matches), then the LOD, then the texture. For `latest`, whole-city data and data of that city's wards do not lie
 * upon each other: whole-city data that is older than a ward's gives way, and so do wards older than it.
 */
export function chooseTiles(candidates: readonly Dataset[], choice: TilesChoice): Dataset[] {
  let matching = candidates.filter((dataset) => matches(dataset, choice));
  if (choice.year === 'latest') matching = newestPerArea(matching);
  const best = new Map<string, Dataset>();
  for (const dataset of matching) {
    const other = best.get(dataset.place);
    if (other === undefined || compareWithin(dataset, other, choice) < 0) best.set(dataset.place, dataset);
  }
  if (best.size === matching.length) return matching;
  const chosen = new Set(best.values());
  return matching.filter((dataset) => chosen.has(dataset));
}

/** Datasets that a code covers: a city's with those of its wards, 13100 with those of the 23 special wards. */
export function inArea(datasets: readonly Dataset[], code: string): readonly Dataset[] {
  if (code === 'all') return datasets;
  if (code.length === 2) return datasets.filter((dataset) => dataset.package.prefCode === code);
  const covered = new Set(membersOf(code));
  return datasets.filter((dataset) => covered.has(dataset.area) || dataset.package.cityCode === code);
}

/**
 * Datasets with the sub code that a spec names. Where none has it, it may name a package by its provider, or by its
 * provider and revision (`PackageCodes`): those of exactly the spec's area are meant then, without wards.
 */
export function inPart(
  datasets: readonly Dataset[],
  { area, sub }: { area: string; sub: string | null },
): readonly Dataset[] {
  if (sub === null) return datasets;
  const named = datasets.filter((dataset) => dataset.sub === sub);
  if (named.length > 0) return named;
  return datasets.filter((dataset) => dataset.area === area && packageCodes(dataset).includes(sub));
}

/**
 * What can stand for a sub code in a spec, to tell a dataset from others of its area: the provider, then the provider
 * and the revision; after the sub code, where there is one. `city`, `natl_kanogawa_l1_pref`, `city_1_3`.
 */
export function packageCodes({ sub, package: { provider, revision } }: Dataset): [string, string] {
  const owner = `${sub && `${sub}_`}${provider}`;
  return [owner, `${owner}_${revision}`];
}

/** True when the LOD of a dataset is one that the spec allows. */
export function lodMatches(dataset: Dataset, lod: LodChoice): boolean {
  if (lod.value >= 10) return lod.max ? dataset.lodRank <= lod.value : dataset.lodRank === lod.value;
  return lod.max ? dataset.lod <= lod.value : dataset.lod === lod.value;
}

function matches(dataset: Dataset, choice: TilesChoice): boolean {
  return (
    dataset.volume !== null &&
    dataset.interior === choice.interior &&
    (choice.year === 'latest' || dataset.package.year === choice.year) &&
    (choice.texture === null || dataset.summary.texture === choice.texture) &&
    (choice.sub === null || dataset.sub === choice.sub) &&
    lodMatches(dataset, choice.lod)
  );
}

/** Of each area the newest year, without data of cities and wards that newer data of the others covers. */
export function newestPerArea(datasets: readonly Dataset[]): Dataset[] {
  const newest = new Map<string, number>();
  /** Newest year of any ward, by the city that the ward's package names, and the sub code. */
  const newestWard = new Map<string, number>();
  for (const dataset of datasets) {
    const { year, wardCode } = dataset.package;
    newest.set(dataset.place, Math.max(year, newest.get(dataset.place) ?? 0));
    if (wardCode !== null) {
      newestWard.set(dataset.cityPlace, Math.max(year, newestWard.get(dataset.cityPlace) ?? 0));
    }
  }
  return datasets.filter((dataset) => {
    const { year, wardCode } = dataset.package;
    if (year !== newest.get(dataset.place)) return false;
    return year >= ((wardCode === null ? newestWard : newest).get(dataset.cityPlace) ?? 0);
  });
}

/** Negative when `a` is to be taken rather than `b`; both are of one area, sub code and year, and match. */
function compareWithin(a: Dataset, b: Dataset, { lod }: TilesChoice): number {
  return (
    (lod.max ? 0 : Number(a.summary.lodEx !== null) - Number(b.summary.lodEx !== null)) ||
    b.lodRank - a.lodRank ||
    Number(b.summary.texture) - Number(a.summary.texture) ||
    byPreference(a, b)
  );
}
