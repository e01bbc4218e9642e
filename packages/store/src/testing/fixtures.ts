import { createHash } from 'node:crypto';
import type { CatalogueStore, Publication } from '../catalogue-store.ts';
import type { DatasetSummary, GmlFileRow, PackageRow, PlaceRow } from '../rows.ts';

/** An invented package; every field has a value of its own, so that mixed-up columns show. */
export function packageOf(
  id: string,
  changes: Partial<Publication['package']> = {},
): Omit<PackageRow, 'no' | 'state'> {
  return {
    id,
    kind: 'citygml',
    identity: `citygml/99101/city/${id}`,
    name: `99101_mihon-shi_city_2031_citygml_1_op_${id}`,
    assetPath: `ab/${id}`,
    prefCode: '99',
    pref: '見本県',
    cityCode: '99101',
    city: '見本市',
    wardCode: '99102',
    ward: '北区',
    areaNames: { '99103': '南区 "𠮷"' },
    partNames: { 'fld/natl_some': '某川' },
    provider: 'city',
    year: 2031,
    registrationYear: 2032,
    spec: '3.3',
    revision: '1_3',
    types: ['bldg', 'tran'],
    bounds: { west: 139.1, south: 35.2, east: 139.3, north: 35.4 },
    license: 'CC BY 4.0',
    guessed: ['pref', 'spec'],
    archiveKey: `archives/${id}.zip`,
    indexKey: `archives/${id}.index`,
    archiveSize: 2 ** 40 + 1,
    archiveSha256: 'a'.repeat(64),
    rootPrefix: `${id}/`,
    memberCount: 11,
    memberBytes: 2 ** 41 + 1,
    metadataZips: [{ directory: 'codelists', size: 1234 }],
    uploadName: `${id}.zip`,
    uploadDigest: createHash('sha256').update(id).digest('hex'),
    features: 2 ** 33,
    files: 12,
    issueCounts: { error: 1, warning: 2, info: 3 },
    ingestedAt: '2031-04-05T06:07:08.000Z',
    dataset: null,
    ...changes,
  };
}

export const DATASET: DatasetSummary = {
  format: '3D Tiles',
  type: 'fld',
  sub: {
    code: 'pref_mihon_l2',
    name: '見本川',
    admin: 'pref',
    river: '見本川',
    scale: 'l2',
    scaleSuffix: null,
  },
  lod: 2,
  lodNamed: true,
  lodEx: null,
  texture: false,
  interior: null,
  formatVersion: '1.0',
  entry: 'tileset.json',
  boundingVolume: { region: [2.4281, 0.6211, 2.4283, 0.6213, -1.5, 120.25] },
  geometricError: 512.5,
  region: [2.4281, 0.6211, 2.4283, 0.6213, -1.5, 120.25],
  vectorLayers: null,
  minzoom: null,
  maxzoom: null,
};

/** An invented GML file with the mesh code in its name. */
export function gmlFileOf(
  mesh: string,
  type = 'bldg',
  changes: Partial<GmlFileRow> = {},
): Omit<GmlFileRow, 'packageNo'> {
  return {
    path: `udx/${type}/${mesh}_${type}_6697_op.gml`,
    type,
    mesh,
    meshGuessed: false,
    size: 2 ** 32 + 5,
    features: 70,
    lods: [null, 69, 42, 0, null],
    maxLod: 2,
    sha256: 'b'.repeat(64),
    bounds: { west: 139.01, south: 35.02, east: 139.03, north: 35.04 },
    minAlt: -3.5,
    maxAlt: 250.25,
    crs: 'EPSG:6697',
    areaCodes: ['99101', '99102'],
    wellFormed: true,
    ...changes,
  };
}

export function placeOf(name: string, changes: Partial<PlaceRow> = {}): Omit<PlaceRow, 'packageNo'> {
  return {
    name,
    kind: 'town',
    bounds: { west: 139.11, south: 35.12, east: 139.13, north: 35.14 },
    ...changes,
  };
}

/** Begins an intent for the package and publishes it. */
export async function publish(
  catalogue: CatalogueStore,
  pkg: Publication['package'],
  content: Partial<Pick<Publication, 'files' | 'places' | 'issues' | 'replaces'>> = {},
): Promise<PackageRow> {
  const intent = `ingestion of ${pkg.id}`;
  await catalogue.beginIntent({
    id: intent,
    keys: [pkg.archiveKey, pkg.indexKey],
    staging: null,
    host: 'here',
    pid: 1,
    heartbeatAt: 1,
  });
  const nothing = { files: [], places: [], issues: [], replaces: [] };
  return catalogue.publish({ package: pkg, ...nothing, ...content, intent });
}

/** All packages in the given states. */
export async function allPackages(
  catalogue: CatalogueStore,
  states?: Parameters<CatalogueStore['packages']>[0],
): Promise<PackageRow[]> {
  const found: PackageRow[] = [];
  for await (const page of catalogue.packages(states)) found.push(...page);
  return found;
}
