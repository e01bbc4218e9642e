import assert from 'node:assert/strict';
import type { Tileset } from '../../packages/tiles/src/tileset.ts';
import type { Catalogue, CatalogueRow } from './interface-schemas.ts';
import type { TestServer } from './server.ts';

/** The specification's grammar of a 3D Tiles spec, with a sub name behind the type. */
const GRAMMAR =
  /\/3dtiles\/(all|\d{2}|\d{5})-[a-z]+(_[a-z0-9_-]+?)?-(max)?lod\d{1,2}(-interior)?(-(no)?texture)?-(\d{4}|latest)\/tileset\.json$/;

/**
 * Fetches each `composite_url` and each URL of a latest row, whose spec has all parts of the grammar: it answers with
 * the row's dataset alone. Returns how many were fetched.
 */
export async function assertRowsAlone(server: TestServer, catalogue: Catalogue): Promise<number> {
  const { datasets, latest_datasets: latest } = catalogue;
  const rows: Array<[url: string | null, row: CatalogueRow]> = [
    ...datasets.map((row): [string | null, CatalogueRow] => [row.composite_url, row]),
    ...latest.map((row): [string, CatalogueRow] => [row.url, row]),
  ];
  let fetched = 0;
  for (const [url, row] of rows) {
    if (url === null) continue;
    fetched++;
    let target: string;
    if (row.format === '3D Tiles') {
      assert.match(url, GRAMMAR);
      const { root } = await server.json<Tileset>(url);
      assert.equal(root.children?.length, 1, url);
      target = root.children![0]!.content!.uri;
    } else {
      const { tiles } = await server.json<{ tiles: string[] }>(url);
      target = tiles[0]!;
    }
    const found = datasets.find((row) => row.url === target);
    assert.ok(found !== undefined, `${url} leads to ${target}`);
    if (row.id !== undefined) assert.equal(found.id, row.id, url);
    const whatOf = ({ type_en, format, lod, texture, city_code, ward_code }: CatalogueRow) => ({
      type_en,
      format,
      lod,
      texture,
      city_code,
      ward_code,
    });
    assert.deepEqual(whatOf(found), whatOf(row), url);
  }
  return fetched;
}
