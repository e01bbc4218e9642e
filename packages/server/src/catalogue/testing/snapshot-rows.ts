/** Rows and a store for tests of the catalogue: say what matters, the rest is invented. */

import type { CatalogueState, CatalogueStore, DatasetSummary, PackageRow } from '@citymodel/store';
import type { CatalogueChanges } from '@citymodel/store/testing';
import { AssetUrls } from '../names/asset-urls.ts';
import { piecesOf, type RowTable } from '../rows/snapshot-table.ts';
import { type ARRAYS, buildSnapshot, type Snapshot } from '../snapshot/snapshot.ts';

export const testUrls = new AssetUrls({
  publicUrl: 'https://data.example',
  assetUrl: 'https://cms.example/assets',
  cmsHosts: ['old.example'],
});

let counter = 0;

/** A CityGML package of a municipality, 13101 of 2023 unless told otherwise. */
export function cityPackage(overrides: Partial<PackageRow> = {}): PackageRow {
  const no = ++counter;
  const cityCode = overrides.cityCode ?? '13101';
  const year = overrides.year ?? 2023;
  const provider = overrides.provider ?? 'city';
  const name =
    overrides.name ?? `${overrides.wardCode ?? cityCode}_some-shi_${provider}_${year}_citygml_1_op`;
  const hex = no.toString(16).padStart(8, '0');
  return {
    no,
    id: `${hex}-0000-8000-8000-000000000000`,
    kind: 'citygml',
    identity: `citygml/${overrides.wardCode ?? cityCode}/${provider}/${year}`,
    name,
    assetPath: `${hex.slice(-2)}/${hex.slice(0, 6)}-0000-8000-8000-000000000000`,
    state: 'live',
    prefCode: cityCode.slice(0, 2),
    pref: `県${cityCode.slice(0, 2)}`,
    cityCode,
    city: `市${cityCode}`,
    wardCode: null,
    ward: overrides.wardCode ? `区${overrides.wardCode}` : null,
    areaNames: {},
    partNames: {},
    provider,
    year,
    registrationYear: year + 1,
    spec: '4.1',
    revision: '1',
    types: ['bldg', 'tran'],
    bounds: { west: 139, south: 35, east: 139.5, north: 35.5 },
    license: null,
    guessed: [],
    archiveKey: '',
    indexKey: '',
    archiveSize: 1000 + no,
    archiveSha256: '00',
    rootPrefix: '',
    memberCount: 1,
    memberBytes: 1,
    metadataZips: [],
    uploadName: `${name}.zip`,
    uploadDigest: '00',
    features: 1,
    files: 1,
    issueCounts: { error: 0, warning: 0, info: 0 },
    ingestedAt: '2024-01-01T00:00:00Z',
    dataset: null,
    ...overrides,
  };
}

/** A tile package: 3D Tiles of buildings, LOD 1, textured, named so, unless told otherwise. */
export function tilePackage(
  facts: Partial<DatasetSummary> = {},
  overrides: Partial<PackageRow> = {},
): PackageRow {
  const format = facts.format ?? '3D Tiles';
  const isTiles = format === '3D Tiles';
  const full: DatasetSummary = {
    format,
    type: 'bldg',
    sub: null,
    lod: 1,
    lodNamed: true,
    lodEx: null,
    texture: isTiles,
    interior: null,
    formatVersion: isTiles ? '1.0' : null,
    entry: isTiles ? 'tileset.json' : '{z}/{x}/{y}.mvt',
    boundingVolume: isTiles ? { region: [2.43, 0.61, 2.44, 0.62, 0, 100] } : null,
    geometricError: isTiles ? 500 : null,
    region: isTiles ? [2.43, 0.61, 2.44, 0.62, 0, 100] : null,
    vectorLayers: isTiles ? null : [{ id: facts.type ?? 'bldg', fields: { name: 'String' } }],
    minzoom: isTiles ? null : 10,
    maxzoom: isTiles ? null : 16,
    ...facts,
  };
  const row = cityPackage({
    ...overrides,
    kind: isTiles ? '3dtiles' : 'mvt',
    dataset: full,
    types: [full.type],
  });
  const parts = [full.type, full.sub?.code, isTiles ? '3dtiles' : 'mvt', overrides.wardCode];
  if (full.lodNamed) parts.push(`lod${full.lodEx ?? full.lod}`);
  if (full.interior) parts.push('interior');
  const identity = `tiles/${row.cityCode}/${row.provider}/${row.year}/${parts.join('_')}/${full.texture}`;
  // Only where textures are to be expected does a name say that there are none.
  if (isTiles && !full.texture && row.types[0] === 'bldg' && (full.lod ?? 1) > 1) parts.push('no_texture');
  const suffix = parts.filter(Boolean).join('_');
  return {
    ...row,
    name: overrides.name ?? `${row.name}_${suffix}`,
    identity: overrides.identity ?? identity,
  };
}

/** What a snapshot reads of a store, over rows in memory; `rows` and `version` may be changed by the test. */
export class MemoryCatalogue {
  rows: PackageRow[];
  versionNo = 1;
  /** Of the history that the database has; another one after a fail-over. */
  history = 'one';
  failure: Error | null = null;
  readonly #history = new Map<number, PackageRow[]>();
  readonly pageSize: number;

  constructor(rows: PackageRow[], pageSize = 200) {
    this.rows = rows;
    this.pageSize = pageSize;
  }

  /** Wakes who listens, as a store does that can tell of changes. */
  announce: () => void = () => {};

  listen(heard: () => void): () => void {
    this.announce = heard;
    return () => {
      this.announce = () => {};
    };
  }

  asStore(): CatalogueStore {
    return this as unknown as CatalogueStore;
  }

  async version(): Promise<number> {
    if (this.failure) throw this.failure;
    this.#history.set(this.versionNo, this.rows);
    this.rows = [...this.rows];
    return this.versionNo;
  }

  async state(): Promise<CatalogueState> {
    return { version: await this.version(), identity: `${this.history}-${this.versionNo}` };
  }

  async hasBeen({ version, identity }: CatalogueState): Promise<boolean> {
    return version <= this.versionNo && identity === `${this.history}-${version}`;
  }

  async *everything(): AsyncIterable<{ state: CatalogueState; packages: PackageRow[] }> {
    const state = await this.state();
    if (this.rows.length === 0) yield { state, packages: [] };
    for await (const packages of this.packages(['live', 'retired'])) yield { state, packages };
  }

  /** Null for a version that nobody has asked for. */
  async changesSince(state: CatalogueState): Promise<CatalogueChanges | null> {
    const { version } = state;
    const before = new Map(this.#history.get(version)?.map((row) => [row.no, row]));
    const now = new Map(this.rows.map((row) => [row.no, row]));
    if (!this.#history.has(version) || !(await this.hasBeen(state))) return null;
    return {
      state: await this.state(),
      added: [...now.values()].filter((row) => row.state !== 'removed' && before.get(row.no) !== row),
      gone: [...before.keys()].filter((no) => (now.get(no)?.state ?? 'removed') === 'removed'),
    };
  }

  async *packages(states: readonly string[] = ['live']): AsyncIterable<PackageRow[]> {
    const rows = this.rows.filter((row) => states.includes(row.state)).sort((a, b) => a.no - b.no);
    for (let i = 0; i < rows.length; i += this.pageSize) yield rows.slice(i, i + this.pageSize);
  }
}

export function snapshotOf(...rows: PackageRow[]): Promise<Snapshot> {
  return buildSnapshot(new MemoryCatalogue(rows).asStore(), testUrls, { pause: async () => {} });
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into rows of many shapes
export type CatalogueJson = Record<string, Array<Record<string, any>>>;

/** The rows of an array. */
export function parsedRows(table: RowTable): CatalogueJson[string] {
  return JSON.parse(`[${Buffer.concat([...piecesOf(table)])}]`);
}

/** All arrays of a snapshot, parsed. */
export function parsedDocument({ tables }: Snapshot): CatalogueJson {
  return Object.fromEntries(Object.entries(tables).map(([name, table]) => [name, parsedRows(table)]));
}

/** The rows that an array of the catalogue has of these packages. */
export const rowsOf = async (name: (typeof ARRAYS)[number], ...rows: PackageRow[]) =>
  parsedDocument(await snapshotOf(...rows))[name]!;
