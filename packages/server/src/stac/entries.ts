/**
 * The items of the STAC catalogue by their order, with what searches look at. A package of tiles is an item in the
 * collection of its feature type. What an area published in one year, with CityGML and all tiles, is an item in the
 * collection of the area. Sets of map symbols, which lists leave out unless they are asked for, are among them.
 */

import type { Slices } from '@citymodel/base';
import { compareTexts } from '@citymodel/base';
import { type Bounds, unionBounds } from '@citymodel/geo';
import type { PackageRow } from '@citymodel/store';
import { areaOf } from '../catalogue/rows/citygml-rows.ts';
import type { Dataset } from '../catalogue/rows/snapshot-dataset.ts';
import type { Snapshot } from '../catalogue/snapshot/snapshot.ts';

interface EntryFacts {
  /** Feature-type code, or code of an area. */
  readonly collection: string;
  /** Unique in its collection, and the same in every later state of the catalogue. */
  readonly id: string;
  readonly year: number;
  readonly bounds: Bounds | null;
  /** Ids of items of the same thing in other years, oldest first. */
  readonly versions: readonly string[];
}

export type StacEntry = EntryFacts &
  (
    | { readonly kind: 'tiles'; readonly dataset: Dataset }
    | {
        readonly kind: 'edition';
        readonly packages: readonly PackageRow[];
        readonly datasets: readonly Dataset[];
      }
  );

export interface StacEntries {
  /** By collection, then by id. */
  readonly all: readonly StacEntry[];
  /** Entries of each collection, in order. */
  readonly byCollection: ReadonlyMap<string, readonly StacEntry[]>;
}

type Edition = { area: string; year: number; packages: PackageRow[]; datasets: Dataset[] };

/** All entries of a snapshot. */
export async function stacEntries(snapshot: Snapshot, slices: Slices): Promise<StacEntries> {
  const all = [...(await tileEntries(snapshot, slices)), ...(await editionEntries(snapshot, slices))];
  if (slices.due()) await slices.pause();
  all.sort((a, b) => compareTexts(a.collection, b.collection) || compareTexts(a.id, b.id));
  const byCollection = new Map<string, StacEntry[]>();
  await slices.each(all, (entry) => {
    const list = byCollection.get(entry.collection);
    if (list) list.push(entry);
    else byCollection.set(entry.collection, [entry]);
  });
  return { all, byCollection };
}

async function tileEntries(snapshot: Snapshot, slices: Slices): Promise<StacEntry[]> {
  const entries: Array<StacEntry & { kind: 'tiles' }> = [];
  const used = new Set<string>();
  await slices.each([...snapshot.datasets, ...snapshot.mapSymbols], (dataset) => {
    const { package: row, summary } = dataset;
    // Two providers may have published packages of one name.
    const id = used.has(row.name) ? `${row.name}_${row.id.slice(0, 8)}` : row.name;
    used.add(id);
    const bounds = row.bounds ?? snapshot.boundsOf(dataset.area);
    entries.push({
      kind: 'tiles',
      collection: summary.type,
      id,
      year: row.year,
      bounds,
      versions: [],
      dataset,
    });
  });
  return withVersions(entries, slices, ({ dataset: { kind, place, lodRank, summary } }) =>
    [kind, place, lodRank, summary.texture, summary.format].join('/'),
  );
}

async function editionEntries(snapshot: Snapshot, slices: Slices): Promise<StacEntry[]> {
  const editions = new Map<string, Edition>();
  const editionOf = (area: string, year: number): Edition => {
    const key = `${area}-${year}`;
    let edition = editions.get(key);
    if (edition === undefined) {
      edition = { area, year, packages: [], datasets: [] };
      editions.set(key, edition);
    }
    return edition;
  };
  await slices.each(snapshot.packages, (row) => {
    if (row.kind === 'citygml') editionOf(areaOf(row), row.year).packages.push(row);
  });
  await slices.each([...snapshot.datasets, ...snapshot.mapSymbols], (dataset) => {
    editionOf(dataset.area, dataset.package.year).datasets.push(dataset);
  });
  const entries: StacEntry[] = [];
  await slices.each([...editions], ([id, { area, year, packages, datasets }]) => {
    const rows = [...packages, ...datasets.map((dataset) => dataset.package)];
    const bounds = rows.reduce<Bounds | null>((sum, row) => unionBounds(sum, row.bounds), null);
    entries.push({
      ...{ kind: 'edition', collection: area, id, year, versions: [], packages, datasets },
      bounds: bounds ?? snapshot.boundsOf(area),
    });
  });
  return withVersions(entries, slices, ({ collection }) => collection);
}

/** Entries of one thing in several years get to know each other. */
async function withVersions<E extends StacEntry>(
  entries: readonly E[],
  slices: Slices,
  keyOf: (entry: E) => string,
): Promise<E[]> {
  const groups = new Map<string, E[]>();
  await slices.each(entries, (entry) => {
    const key = keyOf(entry);
    const group = groups.get(key);
    if (group) group.push(entry);
    else groups.set(key, [entry]);
  });
  const linked: E[] = [];
  await slices.each([...groups.values()], (group) => {
    group.sort((a, b) => a.year - b.year || compareTexts(a.id, b.id));
    const versions = group.map(({ id }) => id);
    for (const entry of group) linked.push({ ...entry, versions });
  });
  return linked;
}
