/** Cities of other countries: what `ingest --tiles` makes of CityGML without extensions, as clients find it. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { ecefToGeodetic, geodeticToEcef } from '../packages/geo/src/ecef.ts';
import { formatSpatialId, spatialIdOf } from '../packages/geo/src/spatial-id.ts';
import type { Summary } from '../packages/server/src/catalogue/coverage/summary.ts';
import { type Member, writePackage } from '../packages/server/src/convert/testing/small-package.ts';
import { DUTCH, GERMAN, type World, worldGml } from '../packages/server/src/convert/testing/world-gml.ts';
import { checkPackage, finestFeatures } from '../packages/tiles/src/convert/tiles3d/testing/check-package.ts';
import type { ReadTile } from '../packages/tiles/src/convert/tiles3d/testing/read-tiles.ts';
import { loadSharp } from '../packages/tiles/src/convert/tiles3d/texture/images.ts';
import { readGlb } from '../packages/tiles/src/tile-content.ts';
import { crawlTileset } from './support/crawl.ts';
import { assertCatalogue, assertFileList, type Catalogue } from './support/interface-schemas.ts';
import { fetchPack, membersOf, urlsOf } from './support/packs.ts';
import { tempDirectory } from './support/program.ts';
import { startServer, type TestServer } from './support/server.ts';
import { assertClean, ingestOne } from './support/store.ts';

const sharp = await loadSharp();
const DEGREE = Math.PI / 180;

interface City {
  code: string;
  city: string;
  pref: string;
  /** Without its image. */
  world: World;
  /** Name of its file without the ending: coordinates that begin as mesh codes do. */
  file: string;
  image: 'jpeg' | 'png';
  /** Longitude and latitude of the middle of its house, to about 10 m. */
  position: readonly [number, number];
  /** Longitude, latitude and height above the ellipsoid of the eastern end of the ridge. */
  ridge: readonly [number, number, number];
  /** Lowest and highest elevation, as the file has them. */
  elevations: readonly [number, number];
  /** Generic attributes besides `GENERICS`, as they are answered, and their columns in tiles. */
  generics: ReadonlyArray<Record<string, unknown>>;
  columns: Readonly<Record<string, string | number>>;
}

/** EGM96 has the geoid 46.911 m above the ellipsoid in Köln, and 43.296 m in Amersfoort. */
const CITIES: readonly City[] = [
  {
    ...{ code: '99001', city: 'Köln', pref: 'Nordrhein-Westfalen' },
    ...{ world: GERMAN, file: '356000_5645000', image: 'jpeg', position: [6.9575, 50.9415] },
    ...{ ridge: [6.95757648, 50.94148398, 60 + 46.911], elevations: [51, 60] },
    ...{ generics: [], columns: {} },
  },
  {
    ...{ code: '98001', city: 'Amersfoort', pref: 'Utrecht' },
    ...{ world: DUTCH, file: '155000_463000', image: 'png', position: [5.3873, 52.1552] },
    ...{ ridge: [5.38734963, 52.15520825, 12 + 43.296], elevations: [3, 12] },
    generics: [
      { type: 'measure', name: 'h_dak_max', value: 8.99, uom: 'm' },
      { type: 'attributeSet', name: 'dak', value: [{ type: 'string', name: 'type', value: 'slanted' }] },
    ],
    columns: { h_dak_max: 8.99, dak_type: 'slanted' },
  },
];

/** Generic attributes of both houses, as they are answered; tiles have a column for each. */
const GENERICS = [
  { type: 'string', name: 'Grundrissaktualitaet', value: '2019-05-02' },
  { type: 'string', name: 'Gemeindeschluessel', value: '05315000' },
  { type: 'int', name: 'AnzahlDachflaechen', value: 2 },
  { type: 'double', name: 'Dachneigung', value: 36.87 },
  { type: 'date', name: 'Abruf', value: '2020-01-31' },
  { type: 'uri', name: 'Quelle', value: 'https://example.org/alkis?id=1&v=2' },
] as const;

/** Members of the package of a city, with an image where the library for images is installed. */
async function membersOfPackage({ world, file, image }: City): Promise<Member[]> {
  const path = `udx/bldg/${file}.gml`;
  if (sharp === null) return [{ path, text: worldGml(world) }];
  const uri = `${file}_appearance/roof.${image}`;
  return [
    { path, text: worldGml({ ...world, image: uri }) },
    { path: `udx/bldg/${uri}`, text: await picture(image) },
  ];
}

/** Left half red, right half green. */
function picture(format: 'jpeg' | 'png'): Promise<Uint8Array> {
  const data = new Uint8Array(3 * 64 * 64);
  for (let i = 0; i < 64 * 64; i++) data[3 * i + (i % 64 < 32 ? 0 : 1)] = 255;
  const raw = { width: 64, height: 64, channels: 3 } as const;
  return sharp!(data, { raw }).toFormat(format).toBuffer();
}

/** The tileset of the only municipality in a composite, and its tiles, which must be in order. */
async function tilesOf(
  server: TestServer,
  spec: string,
): Promise<{ asset: { version: string; extras: unknown }; tiles: ReadTile[] }> {
  const { root } = await server.json<{ root: { children: Array<{ content: { uri: string } }> } }>(
    `/datacatalog/3dtiles/${spec}/tileset.json`,
  );
  assert.equal(root.children.length, 1);
  const entry = root.children[0]!.content.uri;
  const folder = server.pathOf(new URL('.', entry).href).slice(1);
  const files = new Map(
    [...(await crawlTileset(server, entry))].map(([path, bytes]) => [path.replace(folder, ''), bytes]),
  );
  const { asset } = JSON.parse(files.get('tileset.json')!.toString());
  return { asset, tiles: await checkPackage(files) };
}

/** Images in the glTF of tiles, as files. */
function imagesOf(tiles: readonly ReadTile[]): Array<{ mimeType: string; bytes: Uint8Array }> {
  return tiles
    .filter(({ json }) => json !== null)
    .flatMap(({ json, bytes }) =>
      (json.images ?? []).map(({ mimeType, bufferView }: { mimeType: string; bufferView: number }) => {
        const { byteOffset = 0, byteLength } = json.bufferViews[bufferView];
        return { mimeType, bytes: readGlb(bytes).bin.subarray(byteOffset, byteOffset + byteLength) };
      }),
    );
}

/** Attributes, place and heights of the only house in tiles. */
function assertHouse(tiles: readonly ReadTile[], city: City, answered: unknown): void {
  const [house, ...others] = finestFeatures(tiles);
  assert.equal(others.length, 0);
  const { attributes, _x, _y, _xmin, _xmax, _ymin, _ymax, _zmin, _zmax, ...row } = house!.row;
  assert.deepEqual(JSON.parse(String(attributes)), answered);
  const [east, north] = city.position;
  const isNear = (values: unknown[], place: number) =>
    values.every((value) => Math.abs(Number(value) - place) < 2e-4);
  assert.ok(
    isNear([_x, _xmin, _xmax], east) && isNear([_y, _ymin, _ymax], north),
    JSON.stringify(house!.row),
  );
  assert.ok(Number(_xmin) < Number(_x) && Number(_x) < Number(_xmax));
  assert.ok(Number(_ymin) < Number(_y) && Number(_y) < Number(_ymax));
  assert.deepEqual([_zmin, _zmax], city.elevations);
  assert.deepEqual(row, {
    feature_type: 'bldg:Building',
    city_code: city.code,
    city_name: city.city,
    gml_id: 'house',
    _lod: 2,
    'core:creationDate': '2020-01-01',
    'bldg:function': '31001_1000',
    'bldg:measuredHeight': 9,
    ...Object.fromEntries(GENERICS.map(({ name, value }) => [name, value])),
    ...city.columns,
  });

  const [lng, lat, ridge] = city.ridge;
  const end = geodeticToEcef(lng * DEGREE, lat * DEGREE, ridge);
  const offEnd = house!.vertices.map((vertex) => Math.hypot(...vertex.map((value, i) => value - end[i]!)));
  assert.ok(Math.min(...offEnd) < 0.02, `the ridge is ${Math.min(...offEnd)} m away`);
  const heights = house!.vertices.map((vertex) => ecefToGeodetic(vertex)[2]);
  for (const [height, expected] of [
    [Math.min(...heights), ridge - 9],
    [Math.max(...heights), ridge],
  ] as const) {
    assert.ok(Math.abs(height - expected) < 0.02, `${height} m, not ${expected} m`);
  }
}

/** The tiles of LOD 2 with textures and without. */
async function assertTiles(server: TestServer, city: City, answered: unknown): Promise<void> {
  const spec = `${city.code}-bldg-lod2`;
  const plain = await tilesOf(server, sharp === null ? `${spec}-latest` : `${spec}-notexture-latest`);
  assert.deepEqual(plain.asset.extras, {
    heights: 'GSIGEO2011, EGM96 outside of it',
    generator: 'citymodel',
  });
  assertHouse(plain.tiles, city, answered);
  for (const { json } of plain.tiles) {
    assert.deepEqual([json?.images, json?.textures], [undefined, undefined]);
  }
  if (sharp === null) return;

  const textured = await tilesOf(server, `${spec}-texture-latest`);
  assert.deepEqual(textured.asset, plain.asset);
  assertHouse(textured.tiles, city, answered);
  const [page, ...others] = imagesOf(textured.tiles);
  assert.deepEqual([page?.mimeType, others.length], ['image/webp', 0]);
  const { data, info } = await sharp(page!.bytes).raw().toBuffer({ resolveWithObject: true });
  // Only the right half of the image lies on the roof.
  const at = info.channels * (10 * info.width + 10);
  assert.ok(data[at]! < 40 && data[at + 1]! > 215 && data[at + 2]! < 40, data.subarray(at, at + 3).join());
}

/**
 * What the summary says of the city. Buildings of LOD 2 count as textured unless the name of the package says
 * otherwise.
 */
async function assertSummary(server: TestServer, { code, city, pref, position }: City): Promise<void> {
  const { cities } = await server.json<Summary>('/datacatalog/summary');
  const [row, ...others] = cities.filter((city) => city.code === code);
  assert.equal(others.length, 0);
  const { name, types, formats, years, max_lod, textured, datasets, features } = row!;
  assert.deepEqual(
    { name, pref: row!.pref, types, formats, years, max_lod, textured, datasets, features },
    {
      ...{ name: city, pref, types: ['bldg'], formats: ['3D Tiles', 'CityGML', 'MVT'], years: [2024] },
      ...{ max_lod: 2, textured: true, datasets: sharp === null ? 2 : 3, features: 1 },
    },
  );
  assert.ok(
    row!.bbox!.every((edge, i) => Math.abs(edge - position[i % 2]!) < 0.001),
    `${row!.bbox}`,
  );
}

describe('a city abroad', () => {
  it('is found, shown, packed and asked for its attributes', async (t) => {
    const directory = await tempDirectory(t);
    const data = join(directory, 'data');
    for (const sampleCity of CITIES) {
      const { code, city, pref } = sampleCity;
      const zip = join(directory, `city${code}.zip`);
      await writePackage(zip, await membersOfPackage(sampleCity));
      const args = ['--code', code, '--year', '2024', '--pref', pref, '--city', city];
      const { package: taken, issues } = await ingestOne(data, ['--tiles', zip, ...args]);
      assert.equal(taken!.files, 1);
      assert.deepEqual(issues.map((issue) => issue.code).sort(), ['ODD_NAME', 'OUTSIDE_MESHES']);
    }
    await assertClean(data);

    await using server = await startServer(data);
    for (const sampleCity of CITIES) {
      const { code, city, pref, position, file } = sampleCity;
      const [lng, lat] = position;
      const isAround = ([west, south, east, north]: readonly number[]) => {
        const isAcross = west! - 1e-4 < lng && lng < east! + 1e-4;
        return isAcross && south! - 1e-4 < lat && lat < north! + 1e-4;
      };
      const all = await server.json<Catalogue>('/datacatalog/plateau-datasets');
      assertCatalogue(all);
      const datasets = all.datasets.filter((row) => row.city_code === code);
      assert.equal(datasets.length, sharp === null ? 2 : 3);
      assert.ok(
        datasets.every((row) => row.city === city && isAround(row.bbox)),
        JSON.stringify(datasets),
      );

      const query = `{ areas(input: { searchTokens: ["${city}"] }) { code datasets { description } } }`;
      const { data: found } = await server.json<{
        data: { areas: Array<{ code: string; datasets: Array<{ description: string }> }> };
      }>('/datacatalog/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query }),
      });
      assert.deepEqual(
        found.areas.map((area) => area.code),
        [code],
      );
      for (const { description } of found.areas[0]!.datasets) {
        assert.match(description, new RegExp(`^${pref} ${city}の`));
      }

      const composite = await server.json<{ root: { children: Array<{ content: { uri: string } }> } }>(
        `/datacatalog/3dtiles/${code}-bldg-lod2-latest/tileset.json`,
      );
      const { root } = await server.json<{ root: { boundingVolume: { region: number[] } } }>(
        composite.root.children[0]!.content.uri,
      );
      assert.ok(isAround(root.boundingVolume.region.slice(0, 4).map((value) => (value * 180) / Math.PI)));

      const map = await server.json<{ bounds: number[]; tiles: string[] }>(
        `/datacatalog/mvt/${code}-bldg-lod0-latest/tilejson.json`,
      );
      assert.ok(isAround(map.bounds));
      const tile = spatialIdOf(lng, lat, null, 16);
      const url = map.tiles[0]!.replace('{z}', '16').replace('{x}', `${tile.x}`).replace('{y}', `${tile.y}`);
      assert.equal((await server.request(url)).status, 200);

      assertFileList(await server.json(`/datacatalog/citygml/${code}`));
      const there = formatSpatialId(spatialIdOf(lng, lat, null, 16));
      const around = [lng - 0.001, lat - 0.001, lng + 0.001, lat + 0.001].join();
      for (const conditions of [code, `g:${city}`, `r:${around}`, `r:${lng},${lat}`, `s:${there}`]) {
        const urls = await urlsOf(server, conditions);
        assert.deepEqual(
          urls.map((url) => url.slice(url.lastIndexOf('/'))),
          [`/${file}.gml`],
        );
      }
      const [gml] = (await urlsOf(server, code)) as [string];
      const { zip } = await fetchPack(server, { urls: [gml] });
      const packed = [...(await membersOf(zip))];
      for (const { path, text } of await membersOfPackage(sampleCity)) {
        const [, bytes] = packed.find(([name]) => name.endsWith(`/${path}`))!;
        assert.deepEqual(bytes, Buffer.from(text as string));
      }
      const whole = await server.request(`/datacatalog/citygml/${code}-latest/citygml.zip`);
      assert.equal(whole.status, 302);

      const [house] = await server.json<Array<Record<string, unknown>>>(
        `/citygml/attributes?url=${encodeURIComponent(gml)}&id=house`,
      );
      assert.equal(house!['bldg:measuredHeight'], 9);
      assert.deepEqual(house!['gen:genericAttribute'], [...GENERICS, ...sampleCity.generics]);
      const { min, max } = house!._bbox as Record<'min' | 'max', { alt: number }>;
      assert.deepEqual([min.alt, max.alt], sampleCity.elevations);
      await assertTiles(server, sampleCity, house);
      await assertSummary(server, sampleCity);
      const features = await server.json<{ featureIds: string[] }>(`/citygml/features?sid=${there}`);
      assert.deepEqual(features.featureIds, ['house']);
      const [attributes] = await server.json<Array<Record<string, unknown>>>(
        `/citygml/spatialid_attributes?sid=${there}&type=bldg`,
      );
      assert.deepEqual(attributes, house);
    }
    assert.equal((await server.request('/datacatalog/citygml/r:6.9,51.9,7.0,52.0')).status, 404);
  });
});
