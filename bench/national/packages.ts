/** The packages of an invented city: a CityGML package with its files and places, and tile packages, per year. */

import { datasetSub } from '../../packages/citygml/src/names/dataset-sub.ts';
import { meshBounds, meshOf } from '../../packages/geo/src/mesh.ts';
import { normalizePlaceName } from '../../packages/server/src/catalogue/names/normalise-place-name.ts';
import { packageIdentity } from '../../packages/server/src/catalogue/names/package-name.ts';
import type { Publication } from '../../packages/store/src/catalogue-store.ts';
import type { DatasetSub, DatasetSummary, PackageKind } from '../../packages/store/src/rows.ts';
import { type City, MESH_HEIGHT, MESH_WIDTH, type Quarter } from './country.ts';
import { digestOf, Random } from './random.ts';

type File = Publication['files'] extends Iterable<infer T> ? T : never;
type Place = Publication['places'] extends Iterable<infer T> ? T : never;

/** What of a city's tile packages is to be made. */
export interface TileOrder {
  quarter: Quarter;
  ward: boolean;
  format: '3D Tiles' | 'MVT';
  type: string;
  sub: DatasetSub | null;
  lod: number | null;
  texture: boolean;
}

const HAZARDS = ['fld', 'tnm', 'htd', 'lsld'];
const ZONES = ['UseDistrict', 'FirePreventionDistrict', 'DistrictPlan', 'HeightControlDistrict'];
const RIVERS = [
  'kamigawa',
  'nakagawa',
  'shimogawa',
  'ogawa',
  'arasawa',
  'mizusawa',
  'kitakawa',
  'minamikawa',
];

/** Tile packages of a city in one year but for its rivers; their number varies by city and year. */
export function ordersOf(city: City, year: number, seed: string): TileOrder[] {
  const random = new Random(`${seed}/${city.code}/${year}/tiles`);
  const orders: TileOrder[] = [];
  const add = (format: TileOrder['format'], type: string, lod: number | null, texture = false, zone = '') => {
    const quarters = type === 'bldg' && city.wards.length > 0 ? city.wards : [city];
    const sub = datasetSub(type, zone, null, null);
    for (const quarter of quarters) {
      orders.push({ quarter, ward: quarter !== city, format, type, sub, lod, texture });
    }
  };
  add('3D Tiles', 'bldg', 1);
  if (random.chance(0.5)) {
    add('3D Tiles', 'bldg', 2, true);
    add('3D Tiles', 'bldg', 2);
  }
  if (random.chance(0.05)) add('3D Tiles', 'bldg', 3, true);
  if (random.chance(0.1)) add('3D Tiles', 'tran', 3);
  if (random.chance(0.2)) add('3D Tiles', 'brid', random.chance(0.5) ? null : 2);
  if (random.chance(0.2)) add('3D Tiles', 'frn', random.chance(0.5) ? null : 1);
  if (random.chance(0.1)) add('3D Tiles', 'veg', null);
  if (random.chance(0.2)) add('3D Tiles', 'tnm', null, false, `${city.prefCode}_1`);
  if (random.chance(0.1)) add('3D Tiles', 'htd', null, false, `${city.prefCode}_1`);
  add('MVT', 'tran', 1);
  add('MVT', 'luse', 1);
  if (random.chance(0.4)) add('MVT', 'lsld', null);
  if (random.chance(0.8)) for (const zone of ZONES) add('MVT', 'urf', null, false, zone);
  return orders;
}

/** The n-th flood of a city: rivers in turn, each with the planned and the largest expected scale. */
export function riverOrder(city: City, n: number): TileOrder {
  const river = `${RIVERS[(n >> 1) % RIVERS.length]}_${n >> 4}`;
  const sub = datasetSub('fld', `${n % 4 < 2 ? 'natl' : 'pref'}_${river}`, n % 2 === 0 ? 'l1' : 'l2', null);
  return { quarter: city, ward: false, format: '3D Tiles', type: 'fld', sub, lod: null, texture: false };
}

/** A tile package without bytes behind it. */
export function tilePublication(city: City, year: number, order: TileOrder): Publication['package'] {
  const { quarter, type, sub, lod, texture } = order;
  const isTiles = order.format === '3D Tiles';
  const noTexture = isTiles && !texture && type === 'bldg' && lod === 2;
  const identity = packageIdentity({
    words: null,
    kind: isTiles ? '3dtiles' : 'mvt',
    code: city.code,
    provider: 'city',
    year,
    wardCode: order.ward ? quarter.code : null,
    tiles: { type, sub, lod, lodEx: null, interior: false, noTexture },
  });
  const parts = [
    type,
    sub?.code,
    isTiles ? '3dtiles' : 'mvt',
    ...(order.ward ? [quarter.code, `w${quarter.code}-ku`] : []),
    lod === null ? null : `lod${lod}`,
    noTexture ? 'no_texture' : null,
  ];
  const random = new Random(identity);
  const { west, south, east, north } = quarter.bounds;
  const height = random.integer(30, 250);
  const region = isTiles
    ? ([west, south, east, north].map(radians).concat([0, height]) as NonNullable<DatasetSummary['region']>)
    : null;
  return {
    ...common(city, year, isTiles ? '3dtiles' : 'mvt', identity),
    name: `${packageName(city, year)}_${parts.filter((part) => part != null).join('_')}`,
    wardCode: order.ward ? quarter.code : null,
    ward: order.ward ? quarter.name : null,
    types: [type],
    bounds: quarter.bounds,
    metadataZips: [],
    features: 0,
    files: random.integer(10, 3000),
    dataset: {
      format: order.format,
      type,
      sub,
      lod: lod ?? 1,
      lodNamed: lod !== null,
      lodEx: null,
      texture,
      interior: null,
      formatVersion: isTiles ? (year >= 2024 ? '1.1' : '1.0') : null,
      entry: isTiles ? 'tileset.json' : '{z}/{x}/{y}.mvt',
      boundingVolume: region && { region },
      geometricError: isTiles ? random.integer(100, 2000) : null,
      region,
      vectorLayers: isTiles ? null : [{ id: type, minzoom: 8, maxzoom: 16, fields: { class: 'String' } }],
      minzoom: isTiles ? null : 8,
      maxzoom: isTiles ? null : 16,
    },
  };
}

/** A CityGML package of `quota` files without bytes behind them. */
export function cityPublication(
  city: City,
  year: number,
  quota: number,
): { package: Publication['package']; files: File[]; places: Place[] } {
  const identity = packageIdentity({
    words: null,
    kind: 'citygml',
    code: city.code,
    provider: 'city',
    year,
    wardCode: null,
    tiles: null,
  });
  const random = new Random(identity);
  const files = filesOf(city, quota, random);
  const features = files.reduce((sum, file) => sum + file.features, 0);
  return {
    package: {
      ...common(city, year, 'citygml', identity),
      name: packageName(city, year),
      wardCode: null,
      ward: null,
      types: [...new Set(files.map((file) => file.type))],
      bounds: city.bounds,
      metadataZips: (['codelists', 'metadata', 'schemas', 'specification'] as const).map((directory) => ({
        directory,
        size: random.integer(20_000, 2_000_000),
      })),
      features,
      files: files.length,
      dataset: null,
    },
    files,
    places: placesOf(city, random),
  };
}

function packageName(city: City, year: number): string {
  return `${city.code}_c${city.code}-shi_city_${year}_citygml_1_op`;
}

function common(city: City, year: number, kind: PackageKind, identity: string) {
  const digest = digestOf(identity);
  const size = Math.round(2e8 * new Random(digest).skewed());
  return {
    id:
      `${digest.slice(0, 8)}-${digest.slice(8, 12)}-8${digest.slice(13, 16)}-8${digest.slice(17, 20)}-` +
      `${digest.slice(20, 32)}`,
    kind,
    identity,
    assetPath:
      `${digest.slice(0, 2)}/${digest.slice(2, 8)}-${digest.slice(8, 12)}-8${digest.slice(13, 16)}-8` +
      `${digest.slice(17, 20)}-${digest.slice(20, 32)}`,
    prefCode: city.prefCode,
    pref: city.pref,
    cityCode: city.code,
    city: city.name,
    areaNames: {},
    partNames: {},
    provider: 'city',
    year,
    registrationYear: year + 1,
    spec: year >= 2024 ? '4.1' : '3.3',
    revision: '1',
    license: 'CC BY 4.0',
    guessed: [],
    archiveKey: '',
    indexKey: '',
    archiveSize: size,
    archiveSha256: digest,
    rootPrefix: '',
    memberCount: 100,
    memberBytes: size * 8,
    uploadName: '',
    uploadDigest: digest,
    issueCounts: { error: 0, warning: 0, info: 0 },
    ingestedAt: `${year + 1}-04-01T00:00:00.000Z`,
  };
}

/** Third meshes of a city in rows from the south-west, as often around as asked for. */
function meshAt(city: City, n: number): string {
  const { column, row, columns, rows } = city.meshes;
  const place = n % (columns * rows);
  const lng = (column + (place % columns) + 0.5) * MESH_WIDTH;
  const lat = (row + Math.floor(place / columns) + 0.5) * MESH_HEIGHT;
  return meshOf(lng, lat, 8);
}

/** Two fifths buildings, a third roads, and the rest by second mesh or of rarer types. */
function filesOf(city: City, quota: number, random: Random): File[] {
  const cells = city.meshes.columns * city.meshes.rows;
  const seen = new Set<string>();
  const files: File[] = [];
  const add = (type: string, mesh: string, folder = type, suffix = '') => {
    const path = `udx/${folder}/${mesh}_${type}_${HAZARDS.includes(type) ? 6668 : 6697}${suffix}_op.gml`;
    if (files.length === quota || seen.has(path)) return;
    seen.add(path);
    const features = Math.ceil(400 * random.skewed());
    const detailed = type === 'bldg' && random.chance(0.3);
    const lod = type === 'bldg' ? 1 : type === 'dem' ? 1 : random.integer(0, 1);
    files.push({
      path,
      type,
      mesh,
      meshGuessed: false,
      size: features * random.integer(3_000, 30_000),
      features,
      lods: [lod === 0 ? features : 0, lod === 1 ? features : 0, detailed ? features >> 2 : 0, 0, 0],
      maxLod: detailed ? 2 : lod,
      sha256: digestOf(`${city.code}/${path}`),
      bounds: meshBounds(mesh),
      minAlt: 0,
      maxAlt: random.integer(20, 300),
      crs: 'EPSG:6697',
      areaCodes: city.wards.length > 0 ? [random.pick(city.wards).code] : [city.code],
      wellFormed: true,
    });
  };
  const buildings = Math.min(cells, Math.round(quota * 0.4));
  for (let n = 0; n < buildings; n++) add('bldg', meshAt(city, n));
  for (let n = 0; n < Math.round(buildings * 0.8); n++) add('tran', meshAt(city, n));
  const wide = [...new Set(Array.from({ length: buildings }, (_, n) => meshAt(city, n).slice(0, 6)))];
  for (const mesh of wide) for (const type of ['luse', 'dem', 'urf', 'lsld']) add(type, mesh);
  for (let n = 0; files.length < quota && n < quota * 4; n++) {
    const type = random.pick(['frn', 'brid', 'veg', 'fld', 'fld']);
    const mesh = meshAt(city, random.integer(0, buildings - 1));
    const river = random.pick(RIVERS);
    if (type === 'fld') add('fld', mesh, `fld/natl/${river}`, random.pick(['_l1', '_l2']));
    else add(type, mesh);
  }
  // A small city runs out of meshes: half meshes of the same ground fill its quota.
  for (let n = 0; files.length < quota; n++)
    add('ubld', `${meshAt(city, n >> 2)}${(n % 4) + 1}`, 'ubld', `_${n}`);
  return files;
}

const TOWNS = ['本町', '中央', '栄町', '緑町', '新町', '旭町', '大手町', '港町', '桜ヶ丘', '駅前'];

function placesOf(city: City, random: Random): Place[] {
  const places = new Map<string, Place>();
  for (let n = 0; n < 40; n++) {
    const building = random.chance(0.25);
    const name = normalizePlaceName(
      building ? `${city.name}${random.pick(TOWNS)}会館` : `${random.pick(TOWNS)}${random.integer(1, 6)}丁目`,
    );
    const bounds = meshBounds(meshAt(city, random.integer(0, 10_000)));
    places.set(`${name}/${building}`, { name, kind: building ? 'building' : 'town', bounds });
  }
  return [...places.values()];
}

function radians(degrees: number): number {
  return (degrees * Math.PI) / 180;
}
