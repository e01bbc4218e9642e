/** Tiles of a region at a router, made of those of two municipalities. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { PackageRow } from '@citymodel/store';
import { contentOf, writeMvt } from '@citymodel/tiles/testing';
import Fastify from 'fastify';
import { writePackage } from '../../convert/testing/small-package.ts';
import { host } from '../../features/testing/hosted.ts';
import { handleFailures } from '../answers/failures.ts';
import type { ServiceContext } from '../context.ts';
import { REGION_TILE_ROUTE, serveRegionTile } from './region-tiles.ts';

const NAMES = ['13101_chiyoda-ku_city_2023_citygml_1_op', '13102_chuo-ku_city_2023_citygml_1_op'] as const;
const layer = (x: number) => ({ points: [{ x, y: 9, tags: { gml_id: `${x}` } }] });

test('a tile of a prefecture says how many layers it lacks, and of too many at once some are refused', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'citymodel-region-'));
  t.after(() => rm(directory, { recursive: true }));
  const uploads: string[] = [];
  for (const [name, x, extent] of [
    [NAMES[0], 1, 4_096],
    [NAMES[1], 2, 512],
  ] as const) {
    const upload = join(directory, `${name}_luse_mvt_lod1.zip`);
    await writePackage(upload, [
      { path: '14/14552/6451.mvt', text: writeMvt({ luse: layer(x) }, extent) },
      { path: '14/14553/6451.mvt', text: writeMvt({ luse: layer(x), more: layer(x) }, extent) },
      { path: '14/14554/6451.mvt', text: writeMvt({ luse: layer(x) }) },
    ]);
    uploads.push(upload);
  }
  await using hosted = await host(uploads);
  const app = Fastify();
  t.after(() => app.close());
  handleFailures(app, () => {});
  let arrived = 0;
  app.addHook('preHandler', async () => {
    arrived++;
  });
  let opening = Promise.resolve();
  const archives = { open: (row: PackageRow) => opening.then(() => hosted.archives.open(row)) };
  const context = { watch: { current: hosted.snapshot }, archives } as unknown as ServiceContext;
  app.get(REGION_TILE_ROUTE, serveRegionTile(context));
  for (const [x, warning, layers] of [
    [14_552, '199 citymodel "1 layers have another extent and are left out"', ['luse 1']],
    [14_553, '199 citymodel "2 layers have another extent and are left out"', ['luse 1', 'more 1']],
    [14_554, undefined, ['luse 1,2']],
  ] as const) {
    const { statusCode, headers, rawPayload } = await app.inject(
      `/datacatalog/mvt/13-luse-latest/14/${x}/6451.mvt`,
    );
    assert.deepEqual([statusCode, headers.warning], [200, warning]);
    const content = contentOf(new Map([['14/0/0.mvt', rawPayload]]), 14);
    const found = Array.from(content, ([name, { features }]) => `${name} ${[...features.keys()]}`);
    assert.deepEqual(found.sort(), layers);
  }
  // Two are laid together at once, and 200 wait for them.
  const { promise, resolve } = Promise.withResolvers<void>();
  opening = promise;
  arrived = 0;
  const ask = async () => (await app.inject('/datacatalog/mvt/13-luse-latest/14/14554/6451.mvt')).statusCode;
  const asked = Array.from({ length: 204 }, ask);
  while (arrived < asked.length) await setImmediate();
  await setImmediate();
  resolve();
  const statuses = await Promise.all(asked);
  assert.deepEqual(Map.groupBy(statuses, (status) => status).get(503), [503, 503]);
  assert.equal(statuses.filter((status) => status === 200).length, 202);
});
