/** Everything that the page of a municipality or ward tells of it, out of the catalogue and the counts of its files. */
import { compareTexts, kindOfFormat, OUTPUT_KINDS, type OutputKind } from '@citymodel/base';
import { compareTypes, typeName } from '@citymodel/citygml';
import { type Bounds, unionBounds } from '@citymodel/geo';
import type { PackageQuality, PackageRow } from '@citymodel/store';
import { membersOf } from '../catalogue/names/areas.ts';
import type { AssetUrls } from '../catalogue/names/asset-urls.ts';
import { partInEnglish, partInJapanese } from '../catalogue/names/dataset-words.ts';
import { compareEditions } from '../catalogue/rows/citygml-rows.ts';
import type { Dataset } from '../catalogue/rows/snapshot-dataset.ts';
import type { Snapshot } from '../catalogue/snapshot/snapshot.ts';
import type { CityArea } from './city-area.ts';

/** Sums of the files of a type in the newest edition that has it. */
export interface TypeCounts {
  readonly type: string;
  readonly year: number;
  readonly files: number;
  /** Top-level features. */
  readonly features: number;
  /** Uncompressed bytes. */
  readonly bytes: number;
  readonly maxLod: number;
  /** GeoParquet of its features; null where none is made. */
  readonly table: string | null;
}

/** CityGML of one year. */
export interface Edition {
  readonly name: string;
  readonly year: number;
  /** Version of the product specification. */
  readonly spec: string;
  /** ISO 8601, UTC. */
  readonly publishedAt: string;
  readonly features: number;
  readonly files: number;
  /** Bytes of the archive. */
  readonly size: number;
  readonly archive: string;
  readonly licence: string | null;
  readonly quality: PackageQuality | null;
}

/** A dataset of tiles that follows the newest edition. */
export interface TileSet {
  readonly id: string;
  readonly kind: OutputKind;
  readonly type: string;
  /** River, zone or other part of the type; '' for all of it. */
  readonly part: { readonly ja: string; readonly en: string };
  readonly lod: number;
  /** False also for kinds without textures. */
  readonly textured: boolean;
  readonly year: number;
  /** Document that lasts: a tileset or TileJSON. */
  readonly url: string;
  /** Where vector tiles of this edition are, with their zoom levels; null for other kinds. */
  readonly template: { readonly url: string; readonly minzoom: number; readonly maxzoom: number } | null;
  readonly bounds: Bounds | null;
}

export interface CityFacts {
  readonly area: CityArea;
  readonly bounds: Bounds | null;
  /** Of the 3rd meshes that have files; 0 where nothing tells. */
  readonly km2: number;
  readonly types: readonly TypeCounts[];
  /** Newest first. */
  readonly editions: readonly Edition[];
  readonly tiles: readonly TileSet[];
  /** Wards with packages of their own, by code. */
  readonly wards: ReadonlyArray<{ readonly code: string; readonly name: string }>;
  /** What packages state, by number of packages; null stands for those that state none. */
  readonly licences: ReadonlyArray<string | null>;
}

/** The answer of `/datacatalog/counts/{code}`, as far as a page reads it. */
export interface AreaCounts {
  readonly cities: ReadonlyArray<{
    readonly cityCode: string;
    readonly year: number;
    readonly types: Readonly<
      Record<string, { files: number; features: number; bytes: number; max_lod: number }>
    >;
  }>;
  readonly meshes_km2: number;
}

export function cityFacts(
  snapshot: Pick<Snapshot, 'packages' | 'datasets' | 'boundsOf'>,
  urls: AssetUrls,
  area: CityArea,
  counts: AreaCounts,
): CityFacts {
  const { packages, code } = area;
  const cityGml = packages.filter(({ kind }) => kind === 'citygml').sort(compareEditions);
  const own = new Set(packages.map(({ no }) => no));
  return {
    area,
    bounds:
      snapshot.boundsOf(code) ??
      packages.reduce<Bounds | null>((sum, { bounds }) => unionBounds(sum, bounds), null),
    km2: counts.meshes_km2,
    types: typeCounts(counts, area, cityGml, urls),
    editions: cityGml.map((row) => editionOf(row, urls)),
    tiles: snapshot.datasets
      .filter((dataset) => dataset.latestSpec !== null && own.has(dataset.package.no))
      .sort(inOrder)
      .map((dataset) => tileSetOf(dataset, urls)),
    wards: wardsIn(snapshot.packages, code),
    licences: licencesOf(packages),
  };
}

/** Zoom of vector tiles that do not say theirs. */
const MAX_ZOOM = 16;

/** The newest year of each type; of an area whose packages are those of its wards, their sum. */
function typeCounts(
  { cities }: AreaCounts,
  area: CityArea,
  cityGml: readonly PackageRow[],
  urls: AssetUrls,
): TypeCounts[] {
  const byType = new Map<string, TypeCounts>();
  for (const { year, types } of cities) {
    for (const [type, { files, features, bytes, max_lod: maxLod }] of Object.entries(types)) {
      const before = byType.get(type);
      if (before !== undefined && before.year > year) continue;
      const sum = before?.year === year ? before : { files: 0, features: 0, bytes: 0, maxLod: 0 };
      byType.set(type, {
        type,
        year,
        files: sum.files + files,
        features: sum.features + features,
        bytes: sum.bytes + bytes,
        maxLod: Math.max(sum.maxLod, maxLod),
        table: tableOf(type, year, area, cityGml, urls),
      });
    }
  }
  return [...byType.values()].sort((a, b) => compareTypes(a.type, b.type));
}

function tableOf(
  type: string,
  year: number,
  { code, extent }: CityArea,
  cityGml: readonly PackageRow[],
  urls: AssetUrls,
): string | null {
  // A table is of a package: that of a city has more than a ward, that of a ward less than its city.
  if (extent !== 'own') return null;
  const row = cityGml.find((one) => one.year === year);
  return row?.tables?.some((table) => table.type === type) ? urls.cityTable(`${code}-${year}`, type) : null;
}

function editionOf(row: PackageRow, urls: AssetUrls): Edition {
  const { name, year, spec, ingestedAt, features, files, archiveSize, license, quality = null } = row;
  return {
    ...{ name, year, spec, features, files, quality },
    publishedAt: ingestedAt,
    size: archiveSize,
    archive: urls.archive(row),
    licence: license,
  };
}

function tileSetOf(dataset: Dataset, urls: AssetUrls): TileSet {
  const { package: row, summary, id, name, lod, latestSpec } = dataset;
  const kind = kindOfFormat(summary.format);
  const named = { id, name, type: typeName(summary.type) };
  return {
    id,
    kind,
    type: summary.type,
    part: { ja: partInJapanese(named), en: partInEnglish(named) },
    lod,
    textured: OUTPUT_KINDS[kind].isTextured && summary.texture,
    year: row.year,
    url: urls.ofSpec(kind, latestSpec!),
    template: OUTPUT_KINDS[kind].hasLayers
      ? {
          url: urls.member(row, summary.entry),
          minzoom: summary.minzoom ?? 0,
          maxzoom: summary.maxzoom ?? MAX_ZOOM,
        }
      : null,
    bounds: row.bounds,
  };
}

/** By type, 3D first, the highest LOD first. */
function inOrder(a: Dataset, b: Dataset): number {
  return (
    compareTypes(a.summary.type, b.summary.type) ||
    compareTexts(kindOfFormat(a.summary.format), kindOfFormat(b.summary.format)) ||
    b.lodRank - a.lodRank ||
    compareTexts(a.id, b.id)
  );
}

function wardsIn(packages: readonly PackageRow[], code: string): CityFacts['wards'] {
  const members = new Set(membersOf(code));
  const wards = new Map<string, string>();
  for (const { cityCode, city, wardCode, ward } of packages) {
    const own = wardCode ?? cityCode;
    if (own !== code && (cityCode === code || members.has(own))) wards.set(own, ward ?? city);
  }
  return [...wards].sort(([a], [b]) => compareTexts(a, b)).map(([ward, name]) => ({ code: ward, name }));
}

function licencesOf(packages: readonly PackageRow[]): Array<string | null> {
  const groups = Map.groupBy(packages, ({ license }) => license);
  return [...groups].sort((a, b) => b[1].length - a[1].length).map(([licence]) => licence);
}
