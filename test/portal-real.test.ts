/** A smaller pass of the portal over published packages: real 3D Tiles (Draco), real vector tiles, real names. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import type { DatasetRow } from '../packages/portal/src/core/catalogue.ts';
import { snippetsFor } from '../packages/portal/src/datasets/snippets.ts';
import { headlessPath } from './browser/render.ts';
import { launch, PortalPage } from './support/portal-page.ts';
import { REAL_DATA, tempDirectory } from './support/program.ts';
import { startServer } from './support/server.ts';
import { ingest } from './support/store.ts';

const run = promisify(execFile);

/** Packages that belong together, and a city that is large on the map. */
const PACKAGES = [
  '13382_mikurajima',
  '08220_tsukuba',
  '13115_suginami',
  '12100_chiba',
  '22203_numazu',
  '17206_kaga',
];

test('shows published packages', { timeout: 600_000 }, async (t) => {
  if (!existsSync(REAL_DATA)) return t.skip('needs ../shared/data');
  if (headlessPath() === null) return t.skip('needs Chromium');
  const data = join(await tempDirectory(t), 'data');
  const files = PACKAGES.flatMap((name) => globSync(join(REAL_DATA, `{packages,tiles}/${name}*.zip`)));
  await ingest(data, files);
  await using server = await startServer(data, { reachable: true });
  const browser = await launch();
  try {
    const { datasets } = await server.json<{ datasets: DatasetRow[] }>(
      '/datacatalog/citymodel-datasets?fields=datasets',
    );
    const open = (path: string) => PortalPage.open(browser, server.address + path, { lang: 'ja' });

    await t.test('the map of all', async () => {
      await using portal = await open('/');
      await portal.page.locator('.prefectures button').nth(3).waitFor();
      await portal.settled();
      await portal.screenshot('real-map');
      await portal.page.getByRole('combobox', { name: '検索' }).fill('沼津');
      await portal.page.keyboard.press('Enter');
      await portal.page.locator('.picked article').nth(1).waitFor();
      await portal.settled();
      await portal.screenshot('real-picked');
    });

    await t.test('a municipality with tiles only', async () => {
      await using portal = await open('/?pick=12100');
      await portal.page.getByRole('link', { name: '3Dで見る' }).waitFor();
      await portal.page.getByText('CityGMLはありません').waitFor();
      assert.equal(await portal.page.getByRole('link', { name: 'ファイルをダウンロード' }).count(), 0);
    });

    for (const row of datasets) {
      for (const { kind, text } of snippetsFor(row, server.publicUrl)) {
        if (kind !== 'curl' && kind !== 'Python') continue;
        await t.test(`${kind}: ${row.id}`, async (t) => {
          const [command, ...args] = kind === 'curl' ? ['sh', '-e', '-c', text] : ['python3', '-c', text];
          await run(command!, args, { cwd: await tempDirectory(t) });
        });
      }
    }

    for (const row of datasets.filter(({ format }) => format === '3D Tiles')) {
      await t.test(`3D: ${row.id}`, async () => {
        await using portal = await open(`/?view=3d&model=${row.id}&colour=height`);
        // Roads have no height by which they could be coloured, and the page says so.
        await portal.page.locator('.scale li, .left-out .notice').first().waitFor();
        await portal.settled();
        await portal.screenshot(`real-3d-${row.id}`);
      });
    }

    const layer = datasets.find(({ format, city_code }) => format === 'MVT' && city_code === '13115');
    await t.test('a layer of roads', async () => {
      assert.ok(layer);
      await using portal = await open('/?view=datasets');
      const [west, south, east, north] = layer.bbox!;
      await portal.page.goto(
        `${server.address}/?layers=${layer.id}&at=${(west + east) / 2},${(south + north) / 2},15`,
      );
      await portal.settled();
      await portal.screenshot('real-layer');
    });
  } finally {
    await browser.close();
  }
});
