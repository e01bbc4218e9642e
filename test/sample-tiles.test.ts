/** Composites, TileJSON and city zips of the sample city through the built program: operations 4 to 6. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { memoryFiles } from '../packages/tiles/src/testing/memory-files.ts';
import { validateTileset, validateTilesetJson } from '../packages/tiles/src/testing/validate-tileset.ts';
import type { TileJson } from '../packages/tiles/src/tilejson.ts';
import type { Tileset } from '../packages/tiles/src/tileset.ts';
import { crawlTileset } from './support/crawl.ts';
import { ROOT } from './support/program.ts';
import { CITY_PACKAGE, catalogue, refused, server, useSampleCity } from './support/sample-city.ts';
import { PUBLIC_URL } from './support/server.ts';
import { firstTile } from './support/tiles.ts';

useSampleCity();

/** West, south, east, north in radians, lowest and highest in metres. */
function regionOf({ root }: Tileset): number[] {
  return (root.boundingVolume as { region: number[] }).region;
}

describe('composite tilesets (operation 4)', () => {
  it('satisfies the schema of 3D Tiles 1.1 for every composite listed', async () => {
    const urls = [
      ...catalogue.composite_tilesets,
      ...catalogue.latest_datasets.filter(({ format }) => format === '3D Tiles'),
    ].map(({ url }) => url);
    urls.push(
      ...catalogue.datasets.filter(({ format }) => format === '3D Tiles').map((row) => row.composite_url),
    );
    for (const url of urls) {
      const tileset = await server.json<Tileset>(url);
      assert.deepEqual(validateTilesetJson(tileset), [], url);
      assert.ok((tileset.root.children ?? []).length > 0);
      assert.equal(regionOf(tileset).length, 6);
      for (const child of tileset.root.children ?? []) {
        const reply = await server.request(child.content!.uri);
        assert.equal(reply.status, 200, child.content!.uri);
        assert.equal(reply.headers['access-control-allow-origin'], '*');
      }
    }
  });

  it('agrees with its entry in the catalogue', async () => {
    for (const row of catalogue.composite_tilesets) {
      const tileset = await server.json<Tileset>(row.url);
      assert.equal(tileset.asset.version, row.format_version, row.id);
      const degrees = regionOf(tileset)
        .slice(0, 4)
        .map((radians) => (radians * 180) / Math.PI);
      degrees.forEach((value, i) => {
        assert.ok(Math.abs(value - row.bbox[i]!) < 1e-9, `${row.id}: ${degrees} and ${row.bbox}`);
      });
    }
  });

  it('holds down to the last vertex', async () => {
    for (const spec of [
      'all-bldg-maxlod2-latest',
      '47-bldg-lod2-notexture-latest',
      '47900-fld-lod1-2024',
      '47900-tran-lod2-latest',
    ]) {
      const url = `${PUBLIC_URL}/datacatalog/3dtiles/${spec}/tileset.json`;
      const fetched = await crawlTileset(server, url);
      assert.ok(fetched.size > 2, `${spec}: ${fetched.size} files`);
      const issues = await validateTileset(
        memoryFiles(Object.fromEntries(fetched)),
        server.pathOf(url).slice(1),
        {
          memberOfUrl: (uri) => server.pathOf(uri).slice(1),
        },
      );
      assert.deepEqual(issues, [], spec);
    }
  });

  it('covers the wards under the code of their city', async () => {
    const children = async (spec: string) =>
      (await server.json<Tileset>(`/datacatalog/3dtiles/${spec}/tileset.json`)).root.children!.map(
        ({ content }) => new URL(content!.uri).pathname.split('/').at(-2),
      );
    assert.deepEqual((await children('47900-bldg-lod1-latest')).sort(), [
      `${CITY_PACKAGE}_bldg_3dtiles_47901_minatomi-ku_lod1`,
      `${CITY_PACKAGE}_bldg_3dtiles_47902_okate-ku_lod1`,
    ]);
    assert.deepEqual(await children('47901-bldg-maxlod2-texture-2024'), [
      `${CITY_PACKAGE}_bldg_3dtiles_47901_minatomi-ku_lod2`,
    ]);
    assert.deepEqual(await children('47901-bldg-lod2-2024'), [
      `${CITY_PACKAGE}_bldg_3dtiles_47901_minatomi-ku_lod2`,
    ]);
    assert.deepEqual(await children('47901-bldg-lod2-notexture-2024'), [
      `${CITY_PACKAGE}_bldg_3dtiles_47901_minatomi-ku_lod2_no_texture`,
    ]);
    assert.deepEqual(await children('47950-bldg-maxlod4-2023'), [
      '47950_shiomino-shi_city_2023_citygml_1_op_bldg_3dtiles_lod1',
    ]);
    assert.equal((await children('all-bldg-maxlod2-latest')).length, 3);
  });

  it('tells a malformed spec from one that nothing matches', async () => {
    for (const spec of [
      'bldg',
      '47900-bldg',
      '4790-bldg-lod1-latest',
      '47900-bldg-lodx-latest',
      '47900-bldg-lod1-24',
      '%20',
    ]) {
      await refused(`/datacatalog/3dtiles/${spec}/tileset.json`, 400);
    }
    const lods = await refused('/datacatalog/3dtiles/47950-bldg-lod3-latest/tileset.json', 404);
    assert.match(lods.json<{ reason: string }>().reason, /LOD 1, 2/);
    await refused('/datacatalog/3dtiles/13101-bldg-lod1-latest/tileset.json', 404);
    const empty = await server.json<Tileset>(
      '/datacatalog/3dtiles/13101-bldg-lod1-latest/tileset.json?empty=ok',
    );
    assert.deepEqual(validateTilesetJson(empty), []);
    assert.deepEqual(empty.root.children ?? [], []);
  });
});

describe('TileJSON (operation 5)', () => {
  const schema = new Ajv2020({ strictTypes: false, strictTuples: false });

  it('describes tiles that are there, with the layers that are in them', async () => {
    const text = await readFile(join(ROOT, 'packages/tiles/src/schema/tilejson-3.0.schema.json'), 'utf8');
    const validate = schema.compile(JSON.parse(text));
    const rows = catalogue.latest_datasets.filter(({ format }) => format === 'MVT');
    rows.push(
      ...catalogue.datasets
        .filter(({ format }) => format === 'MVT')
        .map((row) => ({ ...row, url: row.composite_url })),
    );
    assert.ok(rows.length > 15);
    for (const { url, layers } of rows) {
      const tilejson = await server.json<TileJson>(url);
      assert.ok(validate(tilejson), JSON.stringify(validate.errors));
      assert.ok(Number.isInteger(tilejson.minzoom) && Number.isInteger(tilejson.maxzoom));
      assert.deepEqual(
        tilejson.vector_layers.map(({ id }) => id),
        layers,
      );
      assert.ok(Object.keys(tilejson.vector_layers[0]!.fields).length > 0, `fields of ${url}`);
      assert.match(String(tilejson.attribution), /CC BY 4\.0/);
      const tile = await firstTile(server, tilejson);
      assert.ok(tile, `a tile of ${url}`);
      assert.equal(tile.layers[0], tilejson.vector_layers[0]!.id);
      assert.ok(tile.features > 0);
    }
  });

  it('takes the highest LOD when none is named', async () => {
    const { tiles } = await server.json<TileJson>('/datacatalog/mvt/47900-luse-2024/tilejson.json');
    assert.match(tiles[0]!, /_luse_mvt_lod1\/\{z\}/);
  });

  it('tells a malformed spec from one that nothing matches', async () => {
    for (const spec of ['every-luse-latest', '47900-luse', '47900', 'luse-latest']) {
      await refused(`/datacatalog/mvt/${spec}/tilejson.json`, 400);
    }
    for (const spec of ['47900-brid-latest', '47900-luse-2001', '13101-luse-latest']) {
      await refused(`/datacatalog/mvt/${spec}/tilejson.json`, 404);
    }
  });
});

describe('city zips (operation 6)', () => {
  it('redirects to the archive, for a ward to its city', async () => {
    for (const [spec, name] of [
      ['47900-latest', CITY_PACKAGE],
      ['47901-latest', CITY_PACKAGE],
      ['47900-2024', CITY_PACKAGE],
      ['47950-latest', '47950_shiomino-shi_city_2024_citygml_1_op'],
      ['47950-2023', '47950_shiomino-shi_city_2023_citygml_1_op'],
    ] as const) {
      const reply = await server.request(`/datacatalog/citygml/${spec}/citygml.zip`);
      assert.equal(reply.status, 302, spec);
      assert.match(String(reply.headers.location), new RegExp(`^${PUBLIC_URL}/assets/.*/${name}\\.zip$`));
      const again = await server.request(`/datacatalog/citygml/${spec}/citygml.zip`, {
        headers: { 'if-none-match': String(reply.headers.etag) },
      });
      assert.equal(again.status, 304);
    }
  });

  it('passes a range through the redirect, and the zip is whole', async () => {
    const { headers } = await server.request('/datacatalog/citygml/47900-latest/citygml.zip', {
      headers: { range: 'bytes=0-3' },
    });
    const part = await server.request(String(headers.location), { headers: { range: 'bytes=0-3' } });
    assert.equal(part.status, 206);
    assert.equal(part.body.toString('latin1'), 'PK\x03\x04');
    const whole = await server.request(String(headers.location));
    const row = catalogue.citygml.find(({ id }) => id === '47900')!;
    assert.equal(whole.body.length, row.file_size);
  });

  it('refuses what is no spec and what is not there', async () => {
    for (const spec of ['47900', '479-latest', 'x-latest']) {
      await refused(`/datacatalog/citygml/${spec}/citygml.zip`, 400);
    }
    for (const spec of ['47900-2001', '13101-latest']) {
      await refused(`/datacatalog/citygml/${spec}/citygml.zip`, 404);
    }
  });
});
