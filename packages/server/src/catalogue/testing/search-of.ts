/** A file search over a store in memory, and the packages of a few towns. */
import assert from 'node:assert/strict';
import { compareTexts } from '@citymodel/base';
import { isMeshCode, meshBounds } from '@citymodel/geo';
import type {
  GmlFileQuery,
  GmlFileRow,
  ListedFileRow,
  MeasuredFileRow,
  PackageRow,
  PlaceRow,
} from '@citymodel/store';
import { listedFile } from '@citymodel/store/testing';
import { Filters } from '../../base/filter.ts';
import { type Conditions, parseConditions } from '../search/conditions.ts';
import { type FileFilter, typesFilter, yearsFilter } from '../search/file-filter.ts';
import { type FileQuestion, FileSearch } from '../search/file-search.ts';
import { Gazetteer } from '../search/gazetteer.ts';
import type { Geocoder } from '../search/geocoder.ts';
import type { Years } from '../search/years.ts';
import { expectedResult, type FileListResult, textOf } from './file-list.ts';
import { cityPackage, snapshotOf, testUrls } from './snapshot-rows.ts';

/** The store's query by its definition: every file is looked at. */
class FakeStore {
  files: GmlFileRow[] = [];
  queries: GmlFileQuery[] = [];

  async gmlFiles(query: GmlFileQuery): Promise<GmlFileRow[]> {
    const { after = '', limit = Infinity } = query;
    this.queries.push(query);
    const { packageNos, types, meshPrefixes, meshes } = query;
    const sorted = this.files.toSorted((a, b) => compareTexts(a.path, b.path));
    const found = sorted.filter(
      (file) =>
        (packageNos?.includes(file.packageNo) ?? true) &&
        (types?.includes(file.type) ?? true) &&
        ((meshPrefixes === undefined && meshes === undefined) ||
          meshPrefixes?.some((prefix) => file.mesh.startsWith(prefix)) ||
          meshes?.includes(file.mesh)) &&
        file.path > after,
    );
    return found.slice(0, limit);
  }

  async *listedFiles(query: GmlFileQuery): AsyncGenerator<ListedFileRow[]> {
    const rows = (await this.gmlFiles(query)).map(listedFile);
    // In pages, as a database gives them.
    for (let at = 0; at < rows.length; at += 3) yield rows.slice(at, at + 3);
  }

  async *placedFiles(query: GmlFileQuery): AsyncGenerator<MeasuredFileRow[]> {
    const rows = (await this.gmlFiles(query)).map(
      ({ packageNo, type, mesh, areaCodes, size, features, maxLod }) => ({
        packageNo,
        type,
        mesh,
        areaCodes: areaCodes.join(),
        size,
        features,
        maxLod,
      }),
    );
    for (let at = 0; at < rows.length; at += 3) yield rows.slice(at, at + 3);
  }

  async places(): Promise<PlaceRow[]> {
    return [];
  }
}

/** A GML file of a package. */
export function gml(of: PackageRow, type: string, mesh: string, more: Partial<GmlFileRow> = {}): GmlFileRow {
  return {
    packageNo: of.no,
    path: `udx/${type}/${mesh}_${type}_6697_op.gml`,
    type,
    mesh,
    meshGuessed: false,
    size: 1000,
    features: 10,
    lods: [null, 10, 3, 0, 0],
    maxLod: 2,
    sha256: 'ab'.repeat(32),
    bounds: isMeshCode(mesh) ? meshBounds(mesh) : null,
    minAlt: 0,
    maxAlt: 50,
    crs: 'EPSG:6697',
    areaCodes: [],
    wellFormed: true,
    ...more,
  };
}

/** What tests ask of files. */
export interface Asked {
  types?: string[];
  years?: Years;
  further?: FileFilter;
}

/** What a search is asked for: conditions as in a path, and filters. */
export function question(
  conditions: string | Conditions,
  { types, years = 'newest', further }: Asked = {},
): FileQuestion {
  return {
    conditions:
      typeof conditions === 'string' ? parseConditions(conditions, { maxBounds: 1000 }) : conditions,
    filters: new Filters([typesFilter(types ?? null), yearsFilter(years), further ?? null]),
  };
}

/** Packages that say which types their files have. */
function withTypes(packages: PackageRow[], files: GmlFileRow[]): PackageRow[] {
  return packages.map((of) => {
    const types = new Set(files.filter((file) => file.packageNo === of.no).map(({ type }) => type));
    return types.size === 0 ? of : { ...of, types: [...types] };
  });
}

/** A search over these packages and files, and what it does. */
export async function setUp(packages: PackageRow[], files: GmlFileRow[], geocoder: Geocoder | null = null) {
  const store = new FakeStore();
  store.files = files;
  let snapshot = await snapshotOf(...withTypes(packages, files));
  let refreshes = 0;
  const catalogue = {
    current: () => snapshot,
    async refresh() {
      refreshes++;
      return snapshot;
    },
  };
  const options = {
    catalogue,
    store,
    gazetteer: new Gazetteer(catalogue.current, store),
    geocoder,
    urls: testUrls,
    cacheBytes: 1_000_000,
  };
  const search = new FileSearch(options);
  const streaming = new FileSearch({ ...options, maxWholeBytes: 0 });
  /** The document that answers. */
  const find = async (text: string, asked: Asked = {}, by = search): Promise<FileListResult> =>
    JSON.parse(await textOf(await by.search(question(text, asked))));
  return {
    search,
    streaming,
    store,
    refresh: () => catalogue.refresh(),
    refreshes: () => refreshes,
    /** What `refresh` finds from now on. */
    publish(now: PackageRow[]): void {
      catalogue.refresh = async () => {
        refreshes++;
        snapshot = { ...(await snapshotOf(...withTypes(now, store.files))), version: snapshot.version + 1 };
        return snapshot;
      };
    },
    find,
    /** `{city code}/{year}: paths` of what is found, without directories and endings. */
    async list(text: string, asked: Asked = {}): Promise<string[]> {
      const { packages } = await search.searchFiles(question(text, asked));
      const found = packages.map(({ package: of, types }) => ({
        package: of,
        files: [...types.keys()].sort().flatMap((type) => types.get(type)!.rows),
      }));
      if (found.length > 0 && geocoder === null) {
        // The first answer, the one that is kept and the one that is streamed say what the files say.
        const whole = found.map(({ package: of, files: rows }) => ({
          package: of,
          files: rows.map(
            (row) => store.files.find((file) => file.packageNo === of.no && file.path === row.path)!,
          ),
        }));
        const expected = expectedResult(whole, testUrls);
        assert.deepEqual(await find(text, asked), expected);
        assert.deepEqual(await find(text, asked), expected);
        assert.deepEqual(await find(text, asked, streaming), expected);
      }
      return found.map(
        ({ package: of, files: rows }) =>
          `${of.wardCode ?? of.cityCode}/${of.year}: ${rows.map((row) => `${row.type} ${row.mesh}`).join(', ')}`,
      );
    },
  };
}

const numazu21 = cityPackage({
  cityCode: '22203',
  city: '沼津市',
  pref: '静岡県',
  year: 2021,
  types: ['bldg', 'luse'],
});

export const numazu23 = cityPackage({
  cityCode: '22203',
  city: '沼津市',
  pref: '静岡県',
  year: 2023,
  metadataZips: [
    { directory: 'codelists', size: 5 },
    { directory: 'metadata', size: 6 },
  ],
});

export const fuji = cityPackage({ cityCode: '22210', city: '富士市', pref: '静岡県', year: 2022 });
export const CITIES = [numazu21, numazu23, fuji];

export const FILES = [
  gml(numazu21, 'bldg', '52385721'),
  gml(numazu21, 'luse', '523857'),
  gml(numazu23, 'bldg', '52385721'),
  gml(numazu23, 'bldg', '523857222'),
  gml(numazu23, 'zzz', '52385722', { path: 'udx/zzz/a b+,;.gml' }),
  gml(fuji, 'bldg', '52385721'),
  gml(fuji, 'dem', '5238'),
  gml(fuji, 'tran', '', { path: 'udx/tran/nowhere.gml', bounds: null, lods: [] }),
];
