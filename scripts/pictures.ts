/**
 * Makes the pictures of the README, the portal with the city of the demonstration, light and dark, and the diagram of
 * how the service works; and those of the portal's front page, which the next build takes. Needs a build and Chromium.
 *
 *   node scripts/pictures.ts
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { launch, PortalPage } from '../test/support/portal-page.ts';
import { removeDirectory, runProgram, tempDirectory } from '../test/support/program.ts';
import { startServer } from '../test/support/server.ts';
import { ingest } from '../test/support/store.ts';
import { diagram } from './diagram.ts';

const ROOT = join(import.meta.dirname, '..');
const PICTURES = join(ROOT, 'docs/pictures');
const FRONT = join(ROOT, 'packages/portal/src/pictures');
const THEMES = ['light', 'dark'] as const;
const VIEWS = {
  map: '/?lang=en&at=129.687,25.8665,15.6',
  city: '/?view=3d&lang=en&model=47970-bldg-maxlod2-latest&camera=129.6825,25.864,200,45,-14',
};

/** A busy machine draws the city in minutes, ms. */
const PATIENCE = 300_000;

/** Into 3D from the front page. */
const THUMBNAILS = { texture: '' };
const THUMBNAIL_VIEW = '/?view=3d&lang=en&model=47970-bldg-maxlod2-latest&camera=129.6825,25.864,200,45,-14';

mkdirSync(PICTURES, { recursive: true });
for (const theme of THEMES) writeFileSync(join(PICTURES, `how-it-works-${theme}.svg`), diagram(theme));

const directory = await tempDirectory();
const data = join(directory, 'data');
const { code, stderr } = await runProgram(['sample', join(directory, 'island'), '--island'], {});
if (code !== 0) throw new Error(`sample ended with ${code}: ${stderr}`);
await ingest(data, [join(directory, 'island')]);
const server = await startServer(data, { reachable: true });
const browser = await launch();
try {
  const { address } = server;
  for (const theme of THEMES) {
    for (const [name, path] of Object.entries(VIEWS)) {
      await using portal = await PortalPage.open(browser, address + path, { theme, isSharp: true });
      portal.page.setDefaultTimeout(PATIENCE);
      await portal.page.setViewportSize({ width: 1440, height: 840 });
      if (name === 'city') await wholeCity(portal.page);
      await portal.settled();
      // Vector tiles are asked for after the map says that its style is there.
      await portal.page.waitForTimeout(3_000);
      await portal.settled();
      await sharp(await portal.page.screenshot())
        .png({ palette: true, quality: 90 })
        .toFile(join(PICTURES, `${name}-${theme}.png`));
    }
  }
  for (const [name, query] of Object.entries(THUMBNAILS)) {
    await using portal = await PortalPage.open(browser, address + THUMBNAIL_VIEW + query, { isSharp: true });
    portal.page.setDefaultTimeout(PATIENCE);
    await portal.page.setViewportSize({ width: 1440, height: 620 });
    await wholeCity(portal.page);
    await portal.settled();
    await portal.page.waitForTimeout(3_000);
    const style =
      '.panel, .float, .stage > :not(.canvas), .cesium-widget-credits { visibility: hidden !important }';
    const picture = await portal.page.locator('.cesium-widget canvas').screenshot({ style });
    await sharp(picture)
      .resize(704, 382)
      .webp({ quality: 76 })
      .toFile(join(FRONT, `${name}.webp`));
  }
} finally {
  await browser.close();
  await server.stop();
  await removeDirectory(directory);
}

/** Waits for the tiles. */
async function wholeCity(page: Page): Promise<void> {
  await page.locator('.filter-count', { hasText: '2,088' }).waitFor();
}
