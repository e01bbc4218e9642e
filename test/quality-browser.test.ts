/** The portal's page of quality in headless Chromium, over a package with findings. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { FeatureStatistics } from '../packages/portal/src/core/interface-types.ts';
import { writeBroken } from './support/broken-package.ts';
import { launch, PortalPage } from './support/portal-page.ts';
import { runProgram, tempDirectory } from './support/program.ts';
import { hasParameter, NO_BROWSER } from './support/sample-portal.ts';
import { startServer, type TestServer } from './support/server.ts';

test('what checks of quality found: counts, places, ways to the map and the 3D view, a table', {
  skip: NO_BROWSER,
  timeout: 300_000,
}, async (t) => {
  const directory = await tempDirectory(t);
  const data = join(directory, 'data');
  const ingested = await runProgram(['ingest', '--inspect', await writeBroken(directory)], {
    DATA_DIR: data,
  });
  assert.equal(ingested.code, 0, ingested.stderr);
  const tabled = await runProgram(['reindex'], { DATA_DIR: data, TABLES: 'published' });
  assert.equal(tabled.code, 0, tabled.stderr);
  await using server = await startServer(data, { reachable: true, env: { TABLES: 'published' } });
  const browser = await launch();
  try {
    await using portal = await PortalPage.open(browser, `${server.address}/?lang=en&pick=13101`);
    const { page } = portal;
    await page.getByRole('link', { name: 'Quality', exact: true }).click();
    await hasParameter(page, 'inspected', '13101-latest');
    const panel = page.locator('.quality');
    const row = panel.getByRole('row').filter({ hasText: 'bldg.lod1.boundary' });
    assert.equal(await row.locator('td').textContent(), '3');
    await row.getByRole('link').click();
    await hasParameter(page, 'check', 'bldg.lod1.boundary');
    const places = panel.locator('.places');
    await places.locator('li').nth(2).waitFor();
    await page.waitForFunction(() => document.querySelectorAll('.places li').length === 3);
    assert.deepEqual([...new Set(await places.locator('code').allTextContents())], ['bldg.lod1.boundary']);

    const arrived = page.waitForEvent('download');
    await panel.getByRole('link', { name: 'CSV' }).click();
    assert.match(await readFile((await (await arrived).path())!, 'utf8'), /^\ufeffcheck,name,severity,file/);

    await places.getByRole('button', { name: 'On the map' }).first().click();
    await page.waitForURL((to) => Number(to.searchParams.get('at')?.split(',')[2]) > 13);
    const to3d = places.getByRole('link', { name: 'See in 3D' }).first();
    const target = new URL((await to3d.getAttribute('href'))!, page.url()).searchParams;
    assert.equal(target.get('model'), '13101-bldg-maxlod4-latest');
    assert.match(target.get('feature') ?? '', /^bldg_/);
    assert.equal(target.get('camera')?.split(',').length, 5);
    await portal.settled();
    await portal.assertAccessible('quality', { colours: false });
    await portal.screenshot('quality-desktop-light-en');

    await using narrow = await PortalPage.open(
      browser,
      `${server.address}/?view=quality&inspected=13101-latest`,
      {
        lang: 'ja',
        theme: 'dark',
        phone: true,
      },
    );
    await narrow.page.getByText('エラーがあります。').waitFor();
    await narrow.settled();
    await narrow.assertAccessible('quality-phone', { colours: true });
    await narrow.screenshot('quality-phone-dark-ja');
    await seeFigures(server, portal, narrow);
  } finally {
    await browser.close();
  }
});

/** Figures of the same package: bars, a histogram and its table, from a city up to the country. */
async function seeFigures(server: TestServer, portal: PortalPage, narrow: PortalPage): Promise<void> {
  const { page } = portal;
  await page.goto(`${server.address}/?lang=en&pick=13101`);
  await page.getByRole('link', { name: 'Figures', exact: true }).click();
  await hasParameter(page, 'figures', '13101');
  const { features, groups } = await server.json<FeatureStatistics>(
    '/citygml/statistics?area=13101&type=bldg&by=bldg:usage',
  );
  const panel = page.locator('.statistics');
  const uses = panel.locator('.count-bars').filter({ has: page.getByText('Use', { exact: true }) });
  await uses.first().waitFor();
  const counts = await uses.locator('tbody td:not(.quiet)').allTextContents();
  assert.deepEqual(
    counts.map(Number),
    groups.map(({ count }) => count),
  );
  const heights = panel.locator('.histogram').filter({ hasText: 'Height' });
  await heights.getByText('As a table').click();
  const inClasses = await heights.locator('tbody td').allTextContents();
  assert.equal(
    inClasses.reduce((sum, text) => sum + Number(text), 0),
    features,
  );
  await portal.settled();
  await portal.assertAccessible('figures', { colours: false });
  await portal.screenshot('figures-desktop-light-en');
  const arrived = page.waitForEvent('download');
  await panel.getByRole('link', { name: 'All features (GeoParquet)' }).click();
  const file = await readFile((await (await arrived).path())!);
  assert.equal(file.toString('latin1', 0, 4) + file.toString('latin1', file.length - 4), 'PAR1PAR1');
  await page.getByRole('link', { name: 'The whole country' }).click();
  await hasParameter(page, 'figures', 'all,bldg');
  const country = panel.locator('.count-bars').filter({ hasText: 'By prefecture' });
  await country.getByRole('link', { name: 'Tokyo' }).click();
  await hasParameter(page, 'figures', '13,bldg');
  await panel.locator('.count-bars').filter({ hasText: 'By municipality' }).getByRole('link').waitFor();
  await narrow.page.goto(`${server.address}/?view=statistics&figures=13101`);
  await narrow.page.getByText('建築年').first().waitFor();
  await narrow.settled();
  await narrow.assertAccessible('figures-phone', { colours: true });
  await narrow.screenshot('figures-phone-dark-ja');
}
