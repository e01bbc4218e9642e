/** The city that the front page opens on: where it is drawn, and where the map is there instead. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { hasParameter, NO_BROWSER, parameter, useSamplePortal } from './support/sample-portal.ts';

const sample = useSamplePortal();

/** Opens the front page of a person who wants motion; `card`: as if the browser had a graphics card, or had none. */
async function openFront(page: Page, query: string, card: boolean): Promise<void> {
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  await page.addInitScript(`{
    const { getContext } = HTMLCanvasElement.prototype;
    HTMLCanvasElement.prototype.getContext = function (kind, options) {
      if (options?.failIfMajorPerformanceCaveat !== true) return getContext.call(this, kind, options);
      return ${card} ? getContext.call(this, kind) : null;
    };
  }`);
  await page.goto(sample.server.address + query);
}

describe('the city of the front page', { skip: NO_BROWSER, timeout: 400_000 }, () => {
  test('is there after the page, is drawn, and gives way to the map', async () => {
    await using portal = await sample.open('/status?lang=en');
    const { page } = portal;
    await openFront(page, '/?lang=en', true);
    await page.locator('.live.drawn').waitFor();
    const frame = page.locator('.live iframe');
    assert.equal(await frame.getAttribute('title'), 'Aonagi in 3D');
    const shown = new URL((await frame.getAttribute('src'))!, page.url()).searchParams;
    assert.deepEqual(
      [shown.get('view'), shown.has('embed'), shown.get('model')],
      ['3d', true, '47900-bldg-maxlod4-latest'],
    );
    assert.ok(await page.locator('.door.water').isVisible());
    // The map below has a place, which nobody chose: a reload is the front page again.
    assert.equal(parameter(page, 'at'), null);
    await page.reload();
    await page.locator('.live.drawn').waitFor();
    // What lies below is out of reach.
    await page.locator('.chip').first().waitFor({ state: 'hidden' });
    await portal.assertAccessible('the front page with a city');
    await page.getByRole('button', { name: 'Show the map' }).click();
    await frame.waitFor({ state: 'detached' });
    await page.locator('.chip').first().waitFor();
    await page.getByRole('button', { name: /^Everything on a map/ }).click();
    await page.locator('.maplibregl-canvas').click();
  });

  test('gives way to what somebody looks for', async () => {
    await using portal = await sample.open('/status?lang=en');
    const { page } = portal;
    await openFront(page, '/?lang=en', true);
    await page.locator('.live iframe').waitFor({ state: 'attached' });
    await page.getByRole('combobox', { name: 'Search' }).fill('47900');
    await page.keyboard.press('Enter');
    await hasParameter(page, 'pick', '47900');
    await page.locator('.live').waitFor({ state: 'detached' });
  });

  test('is left out without a graphics card, and where a link names a place', async () => {
    await using portal = await sample.open('/status?lang=en');
    const { page } = portal;
    const isLeftOut = async (why: string) => {
      await page.locator('.door.water').waitFor();
      await portal.settled();
      assert.equal(await page.locator('.live').count(), 0, why);
    };
    await openFront(page, '/?lang=en', false);
    await isLeftOut('no graphics card');
    assert.equal(parameter(page, 'at'), null, 'a link from here is the front page on other machines');
    await openFront(page, '/?lang=en&at=129.687,25.79,12', true);
    await isLeftOut('a place');
  });

  test('is left out for less motion and on a phone', async () => {
    await using portal = await sample.open('/status?lang=en');
    const { page } = portal;
    await page.setViewportSize({ width: 390, height: 844 });
    await openFront(page, '/?lang=en', true);
    await portal.settled();
    assert.equal(await page.locator('.live').count(), 0);
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await page.reload();
    await page.locator('.door.water').waitFor();
    await portal.settled();
    assert.equal(await page.locator('.live').count(), 0);
  });
});
