/**
 * The collections of the OGC API, out of a snapshot: `bldg` has the features of a type in every municipality,
 * `27100-bldg` those of one, each in its newest edition. What they hold is found as any search for features finds it.
 */
import { compareTexts, factsOfType, type Slices } from '@citymodel/base';
import { compareTypes, typeName } from '@citymodel/citygml';
import { type Bounds, unionBounds } from '@citymodel/geo';
import type { PackageRow } from '@citymodel/store';
import type { FileFilters } from '../catalogue/search/file-filter.ts';
import type { Snapshot } from '../catalogue/snapshot/snapshot.ts';
import { wantedFiles } from '../features/wanted-files.ts';
import { nameOfArea } from '../stac/items.ts';

export interface OgcCollection {
  readonly id: string;
  /** Feature-type code. */
  readonly type: string;
  /** Code of a municipality, or of a prefecture for its own packages; null for the whole country. */
  readonly area: string | null;
  readonly title: { readonly ja: string; readonly en: string };
  /** Packages that it is of, at least one. */
  readonly rows: readonly PackageRow[];
  readonly bounds: Bounds | null;
  readonly years: readonly number[];
}

/** By id: types first, then areas. */
export type OgcCollections = ReadonlyMap<string, OgcCollection>;

/** All collections of a snapshot. */
export async function ogcCollections(snapshot: Snapshot, slices: Slices): Promise<OgcCollections> {
  const byType = new Map<string, Map<string, PackageRow[]>>();
  await slices.each([...snapshot.cityGml.values()], (editions) => {
    for (const [type, rows] of newestOfTypes(editions)) {
      const areas = byType.get(type) ?? new Map<string, PackageRow[]>();
      byType.set(type, areas);
      const { cityCode } = rows[0]!;
      for (const area of new Set([cityCode, snapshot.cityAround(cityCode) ?? cityCode])) {
        areas.set(area, [...(areas.get(area) ?? []), ...rows]);
      }
    }
  });
  const types = [...byType].sort(([a], [b]) => compareTypes(a, b));
  const all = types.map(([type, areas]) => collection(type, null, [...new Set([...areas.values()].flat())]));
  await slices.each(types, ([type, areas]) => {
    const codes = [...areas.keys()].sort();
    for (const code of codes) all.push(collection(type, code, areas.get(code)!));
  });
  const areasFirst = all.slice(types.length).sort((a, b) => compareTexts(a.area!, b.area!));
  return new Map([...all.slice(0, types.length), ...areasFirst].map((one) => [one.id, one]));
}

/** Which files have the features of a collection. */
export function filesOf({ type, area }: OgcCollection): FileFilters {
  return wantedFiles({ codes: new Set([type]), elements: null }, 'newest', area === null ? null : [area]);
}

/** Of the editions of an area, the newest first, those that each type is of. */
function newestOfTypes(editions: readonly PackageRow[]): Map<string, PackageRow[]> {
  const newest = new Map<string, PackageRow[]>();
  for (const row of editions) {
    if (row.archiveKey === '') continue;
    for (const type of row.types) {
      const rows = newest.get(type);
      if (rows === undefined) newest.set(type, [row]);
      else if (rows[0]!.year === row.year) rows.push(row);
    }
  }
  return newest;
}

function collection(type: string, area: string | null, rows: readonly PackageRow[]): OgcCollection {
  const label = factsOfType(type)?.label ?? { ja: typeName(type), en: type };
  const name = area === null ? null : nameOf(area, rows[0]!);
  return {
    id: area === null ? type : `${area}-${type}`,
    type,
    area,
    title: name === null ? label : { ja: `${name} ${label.ja}`, en: `${label.en} of ${name} (${area})` },
    rows,
    bounds: rows.reduce<Bounds | null>((sum, row) => unionBounds(sum, row.bounds), null),
    years: [...new Set(rows.map(({ year }) => year))].sort(),
  };
}

function nameOf(area: string, row: PackageRow): string {
  const name = row.cityCode === area ? nameOfArea({ ...row, ward: null }) : area;
  return name === row.pref ? name : `${row.pref} ${name}`;
}
