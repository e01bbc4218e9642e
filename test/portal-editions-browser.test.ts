/** Two editions of a city in the 3D view: colours, legend, border, list. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { PALETTES } from '../packages/portal/src/map/palette.ts';
import { hasParameter, NO_BROWSER, parameter, useSamplePortal } from './support/sample-portal.ts';
import { countColours } from './support/shared-views.ts';

const sample = useSamplePortal();
const MODEL = '47950-bldg-maxlod4-latest';
const PATH = `/?view=3d&lang=en&model=${MODEL}`;
const { became } = PALETTES.light;

/** The colours of pixels are those of the legend. */
const SHARP = { isSharp: true };

/** Looks until the view has colours that `accepts` says yes to: pixels by what became of features. */
async function coloursWhen(
  page: Page,
  accepts: (counts: Record<keyof typeof became, number>) => boolean,
): Promise<void> {
  let counts = {} as Record<keyof typeof became, number>;
  for (let tries = 0; tries < 60; tries++) {
    // Panels lie over the view, with swatches of the same colours.
    const style = '.panel, .float { visibility: hidden }';
    const picture = await page.locator('.cesium-widget canvas').screenshot({ style });
    counts = await countColours(page, picture.toString('base64'), became);
    if (accepts(counts)) return;
    await page.waitForTimeout(250);
  }
  assert.fail(JSON.stringify(counts));
}

describe('two editions of a city in 3D', { skip: NO_BROWSER, timeout: 300_000 }, () => {
  it('are chosen by the year, drawn in colours of the legend, and left out by it', async () => {
    await using portal = await sample.open(PATH, SHARP);
    const { page } = portal;
    await page.locator('canvas[data-effects]').waitFor();
    await portal.settled();
    const compare = page.getByRole('button', { name: 'Compare 2023' });
    await compare.press('ArrowDown');
    await page.getByRole('radio', { name: 'No other year' }).and(page.locator(':focus')).waitFor();
    const swipe = page.getByRole('checkbox', { name: 'Swipe between both years' });
    assert.equal(await swipe.isDisabled(), true);
    await page.keyboard.press('ArrowDown');
    await hasParameter(page, 'older', '2023');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    await page.locator('.swipe-bar').waitFor();
    await swipe.uncheck();
    await page.keyboard.press('Escape');
    const compared = page.getByRole('button', { name: 'Compared with 2023' });
    await compared.and(page.locator(':focus')).waitFor();
    assert.equal(await compared.getAttribute('aria-expanded'), 'false');
    const added = page.getByRole('checkbox', { name: /^new/ });
    await added.waitFor();
    const { summary } = await sample.server.json<{ summary: { added: number } }>(
      '/citygml/changes?city_code=47950',
    );
    assert.match((await added.locator('..').textContent())!, new RegExp(`${summary.added}$`));
    await coloursWhen(page, (counts) => counts.new > 30 && counts.changed > 30);
    await portal.assertAccessible('editions');
    await portal.screenshot('editions');
    await added.uncheck();
    await coloursWhen(page, (counts) => counts.new === 0 && counts.changed > 30);
    await compared.click();
    await portal.assertAccessible('editions-menu');
    await page.getByRole('radio', { name: 'No other year' }).check();
    await hasParameter(page, 'older', null);
    await coloursWhen(page, (counts) => counts.changed === 0);
  });

  it('lie on two sides of a border that keys move, also on a phone in the dark', async () => {
    for (const look of [SHARP, { phone: true, theme: 'dark' }] as const) {
      await using portal = await sample.open(`${PATH}&older=2023&border=50`, look);
      const { page } = portal;
      const slider = page.getByRole('slider', { name: 'Border between both years' });
      await slider.waitFor();
      await portal.settled();
      await page.locator('.swipe-year', { hasText: '2023' }).waitFor();
      await page.locator('.swipe-year', { hasText: '2024' }).waitFor();
      const box = (await page.locator('.cesium-widget canvas').boundingBox())!;
      const bar = (await page.locator('.swipe-bar').boundingBox())!;
      assert.ok(
        Math.abs(bar.x + bar.width / 2 - box.x - box.width / 2) <= 1,
        'the border is where it is drawn',
      );
      await slider.focus();
      await page.keyboard.press('ArrowRight');
      await hasParameter(page, 'border', '50.5');
      if (!('phone' in look)) {
        await coloursWhen(page, (counts) => counts.new > 10);
        await slider.press('End');
        await coloursWhen(page, (counts) => counts.new === 0 && counts.changed > 30);
        await slider.press('Home');
        await coloursWhen(page, (counts) => counts.new > 30);
        await slider.press('ArrowRight');
      }
      await portal.assertAccessible(`editions-border-${'phone' in look ? 'phone' : 'desktop'}`);
      await portal.screenshot(`editions-border-${'phone' in look ? 'phone' : 'desktop'}`);
    }
  });

  it('has a list that leads to a feature that is new', async () => {
    await using portal = await sample.open(`${PATH}&older=2023`);
    const { page } = portal;
    const list = page.locator('.differences');
    await list.locator('summary').click();
    await portal.settled();
    const camera = parameter(page, 'camera');
    const row = list.locator('li').filter({ hasText: 'new' }).first();
    const id = await row.locator('code').textContent();
    await row.getByRole('button', { name: 'Fly there' }).click();
    await hasParameter(page, 'feature', id);
    await page.waitForURL((to) => to.searchParams.get('camera') !== camera);
    await page.locator('.card-float').waitFor();
    await portal.screenshot('editions-new');
  });

  it('leaves out a year that the model does not have, and offers none for a model of one year', async () => {
    await using portal = await sample.open(`${PATH}&older=2019`);
    await portal.page.getByText('older=2019').waitFor();
    await hasParameter(portal.page, 'older', null);
    await using single = await sample.open('/?view=3d&lang=en&model=47900-bldg-maxlod4-latest');
    await single.page.locator('.layers').waitFor();
    await single.page.getByRole('button', { name: 'Share' }).waitFor();
    assert.equal(await single.page.getByRole('button', { name: /^Compare/ }).count(), 0);
  });
});
