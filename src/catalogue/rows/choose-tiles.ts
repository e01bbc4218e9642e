/** Which 3D Tiles datasets a composite consists of (interface decisions, section 3, "3D Tiles spec"). */
import { byPreference, type Dataset } from './snapshot-dataset.ts';

/** A LOD in a spec: one digit, or two for LOD 3.3 (`33`). */
export interface LodChoice {
  /** `maxlodN`: the highest not above N; else `lodN`: exactly N. */
  max: boolean;
  value: number;
}

/** What a spec says beside its area and type. */
export interface TilesChoice {
  /** Sub code; null takes every one. */
  sub: string | null;
  /** Null: the dataset whose name has no LOD, else the highest. */
  lod: LodChoice | null;
  interior: boolean;
  /** Null: textured preferred. */
  texture: boolean | null;
  year: number | 'latest';
}

/**
 * The children of a composite among datasets of one type: at most one per area and sub code, in the order
 * given. Per area the year is settled first (`latest`: the newest in which it has anything that matches),
 * then the LOD, then the texture. For `latest`, whole-city data and data of that city's wards do not lie
 * upon each other: whole-city data that is older than a ward's gives way, and so do wards older than it.
 */
export function chooseTiles(candidates: readonly Dataset[], choice: TilesChoice): Dataset[] {
  let matching = candidates.filter((dataset) => matches(dataset, choice));
  if (choice.year === 'latest') matching = newestPerArea(matching);
  const best = new Map<string, Dataset>();
  for (const dataset of matching) {
    const key = `${dataset.area}/${dataset.sub}`;
    const other = best.get(key);
    if (other === undefined || compareWithin(dataset, other, choice) < 0) best.set(key, dataset);
  }
  if (best.size === matching.length) return matching;
  const chosen = new Set(best.values());
  return matching.filter((dataset) => chosen.has(dataset));
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
    (choice.texture === null || dataset.facts.texture === choice.texture) &&
    (choice.sub === null || dataset.sub === choice.sub) &&
    (choice.lod === null || lodMatches(dataset, choice.lod))
  );
}

function newestPerArea(datasets: Dataset[]): Dataset[] {
  const newest = new Map<string, number>();
  /** Newest year of any ward, by the city that the ward's package names. */
  const newestWard = new Map<string, number>();
  for (const { area, package: row } of datasets) {
    newest.set(area, Math.max(row.year, newest.get(area) ?? 0));
    if (row.wardCode !== null) {
      newestWard.set(row.cityCode, Math.max(row.year, newestWard.get(row.cityCode) ?? 0));
    }
  }
  return datasets.filter(({ area, package: row }) => {
    if (row.year !== newest.get(area)) return false;
    if (row.wardCode !== null) return row.year >= (newest.get(row.cityCode) ?? 0);
    return row.year >= (newestWard.get(row.cityCode) ?? 0);
  });
}

/** Negative when `a` is to be taken rather than `b`; both are of one area, sub code and year, and match. */
function compareWithin(a: Dataset, b: Dataset, { lod }: TilesChoice): number {
  if (lod === null && a.facts.lodNamed !== b.facts.lodNamed) return a.facts.lodNamed ? 1 : -1;
  const plainFirst = lod !== null && !lod.max;
  return (
    (plainFirst ? Number(a.facts.lodEx !== null) - Number(b.facts.lodEx !== null) : 0) ||
    b.lodRank - a.lodRank ||
    Number(b.facts.texture) - Number(a.facts.texture) ||
    byPreference(a, b)
  );
}
