/** The page of a city in a browser: without scripts, at three sizes, in both languages and themes. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { NO_BROWSER, useSamplePortal } from './support/sample-portal.ts';

const sample = useSamplePortal();

/** Where the links of the header begin, and the choice of the language, at some widths: x, pixels. */
async function linksOf(page: Page, widths: readonly number[]): Promise<number[]> {
  const places: number[] = [];
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 });
    places.push(
      ...(await page.evaluate<number[]>(`
        [...document.querySelectorAll('header > nav a'), ...[...document.querySelectorAll('header *')].filter(
          (part) => part.children.length === 0 && ['日本語', 'English'].includes(part.textContent),
        )].map((part) => part.getBoundingClientRect().x)`)),
    );
  }
  return places;
}

describe('the page of a city', { skip: NO_BROWSER }, () => {
  for (const [lang, theme, width, height] of [
    ['ja', 'light', 1440, 900],
    ['en', 'dark', 820, 1180],
    ['ja', 'dark', 390, 844],
    ['en', 'light', 390, 844],
  ] as const) {
    it(`is readable and accessible (${lang}, ${theme}, ${width} pixels)`, async () => {
      await using opened = await sample.open('/city/47900', { lang, theme });
      const { page } = opened;
      await page.setViewportSize({ width, height });
      await page.getByRole('heading', { level: 1, name: lang === 'ja' ? /青凪市/ : /Aonagi/ }).waitFor();
      await page
        .getByText(lang === 'ja' ? '澄見川' : 'Sumimigawa')
        .first()
        .waitFor();
      await opened.assertAccessible(`city-${lang}-${theme}-${width}`);
      const wide = await page.evaluate<number>('document.documentElement.scrollWidth');
      assert.ok(wide <= width, `the page is ${wide} pixels wide on a screen of ${width}`);
      await opened.screenshot(`city-${lang}-${theme}-${width}`);
    });
  }

  it('says everything without scripts, and offers no button that needs one', async () => {
    const context = await sample.browser.newContext({ javaScriptEnabled: false, locale: 'en-GB' });
    const page = await context.newPage();
    await page.goto(`${sample.server.address}/city/aonagi-shi`);
    assert.match(page.url(), /\/city\/47900$/);
    await page.getByRole('row', { name: /^Buildings bldg 2 210 / }).waitFor();
    assert.equal(await page.locator('button:visible, select:visible').count(), 0);
    await page.getByRole('link', { name: '日本語' }).click();
    await page.getByRole('heading', { level: 1, name: /青凪市/ }).waitFor();
    await context.close();
  });

  it('is reached from the panel of the map, from a dataset and from suggestions', async () => {
    await using opened = await sample.open('/?lang=en&theme=dark&pick=47900');
    const { page } = opened;
    const isThere = async () => {
      await page.waitForURL(/\/city\/47900\?lang=en&theme=dark$/);
      await page.getByRole('heading', { level: 1, name: /Aonagi/ }).waitFor();
    };
    const widths = [1440, 820, 390];
    const before = await linksOf(page, widths);
    await page.getByRole('link', { name: 'City page' }).click();
    await isThere();
    const after = await linksOf(page, widths);
    assert.equal(before.length, 18);
    // What is chosen is bold, and a few pixels wider.
    for (const [i, place] of before.entries())
      assert.ok(Math.abs(place - after[i]!) < 8, `the links of the header stay: ${before}; ${after}`);
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto(`${sample.server.address}/?lang=en&theme=dark&view=datasets&row=47900_luse_lod1`);
    await page.getByRole('link', { name: 'City page' }).click();
    await isThere();
    await page.goto(`${sample.server.address}/?lang=en&theme=dark`);
    await page.getByRole('combobox', { name: /Search/ }).fill('aonagi');
    await page.getByRole('option', { name: /^Aonagi.*City page/ }).click();
    await isThere();
  });

  it('a chip is answered by a sentence, a list and a table', async () => {
    await using opened = await sample.open('/?lang=en&shown=road');
    const { page } = opened;
    await page
      .getByText(/^\d municipalit(y has|ies have) LOD \d roads$/)
      .first()
      .click();
    await page
      .getByRole('list', { name: 'Municipality' })
      .getByText(/Aonagi|Shiomino/)
      .first()
      .waitFor();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.locator('.answers').getByRole('link', { name: 'CSV' }).first().click(),
    ]);
    assert.match(file.suggestedFilename(), /^road_lod\d\.csv$/);
    await opened.assertAccessible('answers');
    await opened.screenshot('answers');
  });

  it('copies calls, keeps colours in its links, and leads into the portal', async () => {
    await using opened = await sample.open('/city/47900?lang=en');
    const { page } = opened;
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const call = page.locator('.call').first();
    await call.getByRole('button', { name: 'Copy' }).click();
    await call.getByRole('button', { name: 'Copied' }).waitFor();
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    assert.equal(copied, await call.locator('code').textContent());
    await page.getByRole('combobox', { name: 'Theme' }).selectOption('dark');
    await page.waitForURL(/theme=dark/);
    assert.equal(await page.evaluate('document.documentElement.dataset.theme'), 'dark');
    await page.getByRole('link', { name: 'Show on the map' }).click();
    await page.getByRole('heading', { name: 'Aonagi' }).first().waitFor();
    assert.match(page.url(), /pick=47900.*lang=en.*theme=dark|lang=en.*theme=dark.*pick=47900/);
  });
});
