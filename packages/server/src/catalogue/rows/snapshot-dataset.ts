/** One tile package as the catalogue sees it: its area, its place among others, its id and its name. */

import { compareTexts, factsOfFormat, type Slices } from '@citymodel/base';
import { typeName } from '@citymodel/citygml';
import type { BoundingVolume, DatasetSummary, PackageRow } from '@citymodel/store';
import { cityOfWard, isSpecialWard, SPECIAL_WARDS_CODE } from '../names/areas.ts';
import type { PartNames } from '../names/part-names.ts';

export interface Dataset {
  readonly package: PackageRow;
  readonly summary: DatasetSummary;
  /** Unique in the catalogue (interface decisions, section 3). */
  id: string;
  /** `{type name} {sub name}（{ward or city}）`. */
  readonly name: string;
  /** Ward code where the package is of one ward, else municipality code, or the prefecture's 2 digits. */
  readonly area: string;
  /** `cityAreaOf` its package: specs of its area can find datasets of this city only. */
  readonly city: string;
  /** Sub code, or ''. */
  readonly sub: string;
  /** LOD as the catalogue says it: 1 when nothing tells. */
  readonly lod: number;
  /** LOD on a scale on which 3.3 has its place: ten times the LOD, or the two digits of `lodEx`. */
  readonly lodRank: number;
  /** True only for indoor models. */
  readonly interior: boolean;
  /** Type, LOD and interior or not, `bldg/2/false`: what all datasets of a composite have in common. */
  readonly kind: string;
  /** Area and sub code: of each there is one child in a composite. */
  readonly place: string;
  /** The same with the municipality that the package names instead of its ward. */
  readonly cityPlace: string;
  /**
   * Volume of a composite's child in the standard's own shape; null for kinds without composites, and where nothing
   * tells.
   */
  readonly volume: BoundingVolume | null;
  /** Spec that finds this dataset alone in its year; null when there is none. */
  spec: string | null;
  /** Spec ending in `-latest` that finds this dataset alone: none but for the newest of its kind. */
  latestSpec: string | null;
}

/**
 * The city that a package belongs to with all its wards, so that no row of another city depends on it: a designated
 * city, 13100 for everything of the special wards, else the municipality or prefecture itself.
 */
export function cityAreaOf({ cityCode, wardCode }: Pick<PackageRow, 'cityCode' | 'wardCode'>): string {
  const area = wardCode ?? cityCode;
  if (isSpecialWard(area)) return SPECIAL_WARDS_CODE;
  return cityOfWard(area) ?? cityOfWard(cityCode) ?? cityCode;
}

/**
 * The dataset of a tile package, its part called as `partNames` of the city know it; null for a CityGML package. Its id
 * is not unique yet, and its specs are missing.
 */
export function toDataset(row: PackageRow, partNames: PartNames): Dataset | null {
  if (row.dataset === null) return null;
  const named = partNames.named(row.cityCode, row.dataset.type, row.dataset.sub);
  const summary = named === row.dataset.sub ? row.dataset : { ...row.dataset, sub: named };
  const area = row.wardCode ?? row.cityCode;
  const lod = summary.lod ?? 1;
  const interior = summary.interior === true;
  const sub = summary.sub?.code ?? '';
  const untextured = !summary.texture && row.name.includes('_no_texture');
  return {
    package: row,
    summary,
    id:
      `${area}_${summary.type}${sub && `_${sub}`}${interior ? '_interior' : ''}_lod${summary.lodEx ?? lod}` +
      `${untextured ? '_no_texture' : ''}`,
    name: `${typeName(summary.type)}${summary.sub === null ? '' : ` ${summary.sub.name}`}（${row.ward ?? row.city}）`,
    area,
    city: cityAreaOf(row),
    sub,
    lod,
    lodRank: summary.lodEx ?? lod * 10,
    interior,
    kind: [summary.type, lod, interior].join('/'),
    place: [area, sub].join('/'),
    cityPlace: [row.cityCode, sub].join('/'),
    volume: factsOfFormat(summary.format).isComposed ? volumeOf(row, summary) : null,
    spec: null,
    latestSpec: null,
  };
}

/** The tileset's own volume, else what the package's extent gives. */
function volumeOf(row: PackageRow, facts: DatasetSummary): BoundingVolume | null {
  if (facts.boundingVolume !== null) return facts.boundingVolume;
  if (facts.region !== null) return { region: facts.region };
  if (row.bounds === null) return null;
  const { west, south, east, north } = row.bounds;
  const region = [west, south, east, north].map((degrees) => (degrees * Math.PI) / 180);
  // Nothing tells the heights: from below the lowest ground of Japan to above its highest.
  return { region: [...region, LOWEST, HIGHEST] };
}

/** Metres above the ellipsoid. */
const LOWEST = -100;
const HIGHEST = 4000;

/**
 * Order of preference among datasets of one area, type and year that say the same of themselves: a name that
 * names its LOD, the plain LOD before 3.3, the municipality's own package, then the identity, which is unique.
 */
export function byPreference(a: Dataset, b: Dataset): number {
  return (
    Number(b.summary.lodNamed) - Number(a.summary.lodNamed) ||
    Number(a.summary.lodEx !== null) - Number(b.summary.lodEx !== null) ||
    Number(b.package.provider === 'city') - Number(a.package.provider === 'city') ||
    Number(a.package.wardCode !== null) - Number(b.package.wardCode !== null) ||
    compareTexts(a.package.identity, b.package.identity) ||
    a.package.no - b.package.no
  );
}

/**
 * Makes ids unique. Where two kinds, or both textures, have one id, the kind adds its suffix (`_mvt`) and the
 * untextured `_no_texture`. The newest year keeps the plain id and older years get `_{year}`; within one year the
 * preferred one keeps it, the next gets `_{provider}`, and should that be taken too, a number.
 */
export async function assignIds(datasets: readonly Dataset[], slices: Slices): Promise<void> {
  await slices.each(await sharedIds(datasets, slices), (group) => {
    const plain = group.filter(({ summary }) => factsOfFormat(summary.format).idSuffix === '');
    const textured = group.filter(({ summary }) => factsOfFormat(summary.format).isTextured);
    const bothTextures = new Set(textured.map(({ summary }) => summary.texture)).size === 2;
    for (const dataset of group) {
      const { idSuffix, isTextured } = factsOfFormat(dataset.summary.format);
      if (plain.length > 0) dataset.id += idSuffix;
      if (isTextured && bothTextures && !dataset.summary.texture) dataset.id += '_no_texture';
    }
  });
  const usedIds = new Set(datasets.map((dataset) => dataset.id));
  await slices.each(await sharedIds(datasets, slices), (group) => {
    group.sort((a, b) => b.package.year - a.package.year || byPreference(a, b));
    const plain = group[0]!.id;
    const newest = group[0]!.package.year;
    let before = newest;
    for (const dataset of group.slice(1)) {
      const { year, provider } = dataset.package;
      const ofYear = year === newest ? plain : `${plain}_${year}`;
      let id = year === before ? `${ofYear}_${provider}` : ofYear;
      for (let n = 2; usedIds.has(id); n++) id = `${ofYear}_${provider}_${n}`;
      usedIds.add(id);
      dataset.id = id;
      before = year;
    }
  });
}

/** Datasets that have one id, by that id. */
async function sharedIds(datasets: readonly Dataset[], slices: Slices): Promise<Dataset[][]> {
  const groups = new Map<string, Dataset[]>();
  await slices.each(datasets, (dataset) => {
    const group = groups.get(dataset.id);
    if (group) group.push(dataset);
    else groups.set(dataset.id, [dataset]);
  });
  return [...groups.values()].filter((group) => group.length > 1);
}
