/** Real clients over the built server: CesiumJS shows a composite of the sample city, MapLibre its TileJSON. */
import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { LANDMARKS } from '../packages/sample/src/facts.ts';
import { headlessPath, renderComposite, renderTileJson } from './browser/render.ts';
import { ROOT, removeDirectory, tempDirectory } from './support/program.ts';
import { startServer, type TestServer } from './support/server.ts';
import { ingestSample } from './support/store.ts';

/** Kept by CI. */
const ARTEFACTS = join(ROOT, 'artefacts');

describe('in a browser', { skip: headlessPath() === null ? 'needs Chromium' : false }, () => {
  let directory: string;
  let server: TestServer;

  before(async () => {
    directory = await tempDirectory();
    await mkdir(ARTEFACTS, { recursive: true });
    const { data } = await ingestSample(directory);
    server = await startServer(data, { reachable: true });
  });
  after(async () => {
    await server?.stop();
    await removeDirectory(directory);
  });

  it('CesiumJS shows the composite of all buildings', async () => {
    const shown = await renderComposite(
      `${server.publicUrl}/datacatalog/3dtiles/all-bldg-maxlod2-latest/tileset.json`,
      join(ARTEFACTS, 'composite-cesium.png'),
    );
    assert.deepEqual([shown.error, shown.consoleErrors, shown.failedRequests], [null, [], []]);
    assert.ok(shown.tiles > 3, `${shown.tiles} tiles`);
    assert.ok(shown.visible > 0 && shown.features > 20 && shown.pixels > 1_000, JSON.stringify(shown));
    const { lng, lat } = LANDMARKS.cityHall;
    const near = await renderComposite(
      `${server.publicUrl}/datacatalog/3dtiles/47901-bldg-lod2-texture-latest/tileset.json`,
      join(ARTEFACTS, 'textured-cesium.png'),
      { view: { lng, lat, height: 40, range: 300 } },
    );
    assert.deepEqual([near.error, near.consoleErrors, near.failedRequests], [null, [], []]);
    assert.ok(near.features > shown.features, 'nearer, there is more to see');
  });

  for (const [spec, name] of [
    ['47900-fld-lod1-latest', 'flood-cesium.png'],
    ['47-tran-lod2-latest', 'roads-cesium.png'],
  ] as const) {
    it(`CesiumJS shows ${spec}`, async () => {
      const shown = await renderComposite(
        `${server.publicUrl}/datacatalog/3dtiles/${spec}/tileset.json`,
        join(ARTEFACTS, name),
      );
      assert.deepEqual([shown.error, shown.consoleErrors, shown.failedRequests], [null, [], []]);
      assert.ok(shown.tiles > 0 && shown.pixels > 100, JSON.stringify(shown));
    });
  }

  for (const [spec, layer] of [
    ['47900-luse-latest', 'LandUse'],
    ['47950-luse-latest', 'LandUse'],
    ['47900-bldg-latest', 'Building'],
  ] as const) {
    it(`MapLibre shows ${spec}`, async () => {
      const shown = await renderTileJson(
        `${server.publicUrl}/datacatalog/mvt/${spec}/tilejson.json`,
        join(ARTEFACTS, `${spec}-maplibre.png`),
      );
      assert.deepEqual([shown.error, shown.consoleErrors, shown.failedRequests], [null, [], []]);
      assert.ok(shown.tiles > 0 && (shown.layers[layer] ?? 0) > 10, JSON.stringify(shown));
    });
  }
});
