/** A terrain that the catalogue of the sample does not have, for one page: level, and lower than the town. */
import type { Page } from 'playwright-core';
import { geodeticToEcef, type Region } from '../../packages/geo/src/index.ts';
import { compressionOf } from '../../packages/tiles/src/convert/tiles3d/compression.ts';
import { writeTileGlb } from '../../packages/tiles/src/convert/tiles3d/glb.ts';
import type { TestServer } from './server.ts';

/** Degrees around a place, some 2 km. */
const AROUND = 0.02;

/**
 * Lets a page find 3D Tiles of terrain of 2024 around a place, compressed by Draco.
 *
 * @param height metres above the ellipsoid
 */
export async function layTerrain(
  page: Page,
  { address }: TestServer,
  [lng, lat]: readonly [number, number],
  height: number,
): Promise<void> {
  const [west, south, east, north] = [lng - AROUND, lat - AROUND, lng + AROUND, lat + AROUND];
  const radians = (degrees: number) => (degrees * Math.PI) / 180;
  const region: Region = [radians(west), radians(south), radians(east), radians(north), height, height];
  const tileset = {
    asset: { version: '1.1' },
    geometricError: 0,
    root: { boundingVolume: { region }, geometricError: 0, refine: 'REPLACE', content: { uri: '0.glb' } },
  };
  const glb = await levelTile(region);
  await page.route('**/low-terrain/*', (route) =>
    route.request().url().endsWith('.glb')
      ? route.fulfill({ body: Buffer.from(glb) })
      : route.fulfill({ json: tileset }),
  );
  await page.route('**/datacatalog/datasets?*city_code=*', async (route) => {
    const response = await route.fetch();
    const rows = (await response.json()) as { datasets: Array<Record<string, unknown>>; total: number };
    const like = rows.datasets.find(({ format }) => format === '3D Tiles')!;
    const url = `${address}/low-terrain/tileset.json`;
    const bbox = [west, south, east, north];
    const row = { ...like, id: 'low-terrain', type_en: 'dem', year: 2024, ward_code: null, bbox, url };
    await route.fulfill({
      response,
      json: { ...rows, datasets: [...rows.datasets, { ...row, composite_url: null }], total: rows.total + 1 },
    });
  });
}

/** A square of many squares: a tile as large as this is curved. */
async function levelTile([west, south, east, north, height]: Region): Promise<Uint8Array> {
  const side = 9;
  const corners = Array.from({ length: side ** 2 }, (_, i) =>
    geodeticToEcef(
      west + ((east - west) * (i % side)) / (side - 1),
      south + ((north - south) * Math.floor(i / side)) / (side - 1),
      height,
    ),
  );
  const [x, y, z] = corners[0]!;
  const indices = corners.flatMap((_, i) =>
    i % side === side - 1 || i >= side * (side - 1)
      ? []
      : [i, i + 1, i + side + 1, i, i + side + 1, i + side],
  );
  const mesh = {
    positions: Float32Array.from(corners.flatMap(([a, b, c]) => [a - x, c - z, -(b - y)])),
    normals: Float32Array.from({ length: 3 * corners.length }, (_, i) => (i % 3 === 1 ? 1 : 0)),
    uvs: null,
    colours: null,
    features: new Uint16Array(corners.length),
    indices: Uint32Array.from(indices),
  };
  const primitive = { mesh, image: null, blend: false, isTwoSided: false, table: 0 };
  const model = { translation: [x, z, -y] as [number, number, number], primitives: [primitive] };
  const compression = await compressionOf({ compression: 'draco' });
  return writeTileGlb(
    { ...model, images: [], tables: [], places: [] },
    { compression, error: 0.05, uvError: 0, tables: false, unlit: false },
  )!;
}
