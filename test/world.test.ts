/** Cities of other countries: what `ingest --tiles` makes of CityGML without extensions, as clients find it. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { writePackage } from '../src/convert/run/testing/small-package.ts';
import { DUTCH, GERMAN, type World, worldGml } from '../src/convert/run/testing/world-gml.ts';
import { formatSpatialId, spatialIdOf } from '../src/geo/spatial-id.ts';
import { assertCatalogue, assertFileList, type Catalogue } from './support/interface-schemas.ts';
import { fetchPack, membersOf, urlsOf } from './support/packs.ts';
import { tempDirectory } from './support/program.ts';
import { startServer } from './support/server.ts';
import { assertClean, ingestOne } from './support/store.ts';

interface City {
  code: string;
  city: string;
  pref: string;
  world: World;
  /** Name of its file without the ending: coordinates that begin as mesh codes do. */
  file: string;
  /** Longitude and latitude of the middle of its house, to about 10 m. */
  position: readonly [number, number];
}

const CITIES: readonly City[] = [
  {
    ...{ code: '99001', city: 'Köln', pref: 'Nordrhein-Westfalen' },
    ...{ world: GERMAN, file: '356000_5645000', position: [6.9575, 50.9415] },
  },
  {
    ...{ code: '98001', city: 'Amersfoort', pref: 'Utrecht' },
    ...{ world: DUTCH, file: '155000_463000', position: [5.3873, 52.1552] },
  },
];

describe('a city abroad', () => {
  it('is found, shown, packed and asked for its attributes', async (t) => {
    const directory = await tempDirectory(t);
    const data = join(directory, 'data');
    for (const { code, city, pref, world, file } of CITIES) {
      const zip = join(directory, `city${code}.zip`);
      await writePackage(zip, [{ path: `udx/bldg/${file}.gml`, text: worldGml(world) }]);
      const said = ['--code', code, '--year', '2024', '--pref', pref, '--city', city];
      const { package: taken, issues } = await ingestOne(data, ['--tiles', zip, ...said]);
      assert.equal(taken!.files, 1);
      assert.deepEqual(issues.map((issue) => issue.code).sort(), ['ODD_NAME', 'OUTSIDE_MESHES']);
    }
    await assertClean(data);

    await using server = await startServer(data);
    for (const { code, city, position, world, file } of CITIES) {
      const [lng, lat] = position;
      const isAround = ([west, south, east, north]: readonly number[]) => {
        const isAcross = west! - 1e-4 < lng && lng < east! + 1e-4;
        return isAcross && south! - 1e-4 < lat && lat < north! + 1e-4;
      };
      const all = await server.json<Catalogue>('/datacatalog/plateau-datasets');
      assertCatalogue(all);
      const datasets = all.datasets.filter((row) => row.city_code === code);
      assert.equal(datasets.length, 2);
      assert.ok(
        datasets.every((row) => row.city === city && isAround(row.bbox)),
        JSON.stringify(datasets),
      );

      const query = `{ areas(input: { searchTokens: ["${city}"] }) { code } }`;
      const { data: found } = await server.json<{ data: unknown }>('/datacatalog/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query }),
      });
      assert.deepEqual(found, { areas: [{ code }] });

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
          urls.map((each) => each.slice(each.lastIndexOf('/'))),
          [`/${file}.gml`],
        );
      }
      const [gml] = (await urlsOf(server, code)) as [string];
      const { zip } = await fetchPack(server, { urls: [gml] });
      const packed = [...(await membersOf(zip))].find(([name]) => name.endsWith(`/udx/bldg/${file}.gml`))!;
      assert.equal(packed[1].toString(), worldGml(world));
      const whole = await server.request(`/datacatalog/citygml/${code}-latest/citygml.zip`);
      assert.equal(whole.status, 302);

      const [house] = await server.json<Array<Record<string, unknown>>>(
        `/citygml/attributes?url=${encodeURIComponent(gml)}&id=house`,
      );
      assert.equal(house!['bldg:measuredHeight'], 9);
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
