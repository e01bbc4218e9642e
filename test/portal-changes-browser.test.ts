/** Two editions of a city on the map: colours, legend, list. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hasParameter, NO_BROWSER, useSamplePortal } from './support/sample-portal.ts';

const sample = useSamplePortal();
const PATH = '/?view=changes&compared=47950';

describe('two editions of a city', { skip: NO_BROWSER, timeout: 240_000 }, () => {
  for (const [lang, theme, phone] of [
    ['en', 'light', false],
    ['ja', 'dark', true],
  ] as const) {
    it(`are compared, drawn and listed (${lang}, ${theme}${phone ? ', phone' : ''})`, async () => {
      await using portal = await sample.open(`${PATH}&lang=${lang}`, { lang, theme, phone });
      const { page } = portal;
      const heading = lang === 'en' ? 'Features' : '地物';
      await page.getByRole('heading', { name: heading, exact: true }).waitFor();
      await portal.settled();
      const total = await sample.server.json<{ summary: { added: number } }>(
        '/citygml/changes?city_code=47950',
      );
      const added = page.getByRole('checkbox', { name: lang === 'en' ? /^new/ : /^新設/ });
      assert.ok(await added.isChecked());
      assert.match((await added.locator('..').textContent())!, new RegExp(`${total.summary.added}$`));
      await portal.assertAccessible(`changes-${lang}`);
      await portal.screenshot(`changes-${lang}-${theme}`);
    });
  }

  it('the legend leaves kinds out of list and map, and years and types can be chosen', async () => {
    await using portal = await sample.open(`${PATH}&lang=en`);
    const { page } = portal;
    const first = page.locator('.changes .places li').first();
    await first.getByText('new').waitFor();
    await portal.settled();
    const all = await page.locator('.changes .places li').count();
    await page.getByRole('checkbox', { name: /^new/ }).uncheck();
    await first.getByText('otherwise changed').waitFor();
    assert.ok((await page.locator('.changes .places li').count()) < all);
    await page.getByRole('combobox', { name: 'Type' }).selectOption('tran');
    await hasParameter(page, 'compared', '47950,tran');
    await page.getByText('No CityGML').or(page.getByText('Nothing differs')).or(first).first().waitFor();
    await page.getByRole('combobox', { name: 'Type' }).selectOption('bldg');
    const id = await first.locator('code').textContent();
    const { differences } = await sample.server.json<{
      differences: Array<{ id: string; centre: number[] }>;
    }>('/citygml/changes?city_code=47950&limit=1000');
    const [lng, lat] = differences.find((one) => one.id === id)!.centre as [number, number];
    await first.getByRole('link', { name: 'See in 3D' }).click();
    await hasParameter(page, 'view', '3d');
    // The camera comes from the ground of the model, which the list does not know.
    await page.waitForURL((to) => {
      const place = (to.searchParams.get('camera') ?? '').split(',').map(Number);
      return Math.hypot(place[0]! - lng, place[1]! - lat) < 0.01 && place[4] === -38;
    });
  });

  it('a slider lays the older edition over the newer one', async () => {
    await using portal = await sample.open(`${PATH}&lang=en`);
    const { page } = portal;
    await page.locator('.changes .places li').first().waitFor();
    await portal.settled();
    await page.getByRole('checkbox', { name: 'Swipe between both years' }).check();
    const slider = page.getByRole('slider', { name: 'Border between both years' });
    await slider.waitFor();
    await page.getByText('2023', { exact: true }).last().waitFor();
    const older = page.locator('.swipe-map');
    const { width, height } = (await older.boundingBox())!;
    const canvas = (await older.locator('canvas').boundingBox())!;
    assert.deepEqual([canvas.width, canvas.height], [width, height], 'it is as large as the map');
    const cut = () => older.evaluate((part: HTMLElement) => part.style.clipPath);
    assert.equal(await cut(), 'inset(0px 50% 0px 0px)');
    await slider.press('End');
    assert.equal(await cut(), 'inset(0px 0% 0px 0px)');
    await portal.assertAccessible('changes-swipe');
    await portal.screenshot('changes-swipe');
    await page.getByRole('checkbox', { name: 'Swipe between both years' }).uncheck();
    await slider.waitFor({ state: 'detached' });
    assert.equal(await older.count(), 0);
  });

  it('counts that were cut at the most that a map draws are least ones', async () => {
    await using portal = await sample.open('/status?lang=en');
    const { page } = portal;
    const first = await sample.server.json<{ differences: object[] }>('/citygml/changes?city_code=47950');
    const added = {
      ...first.differences.at(-1)!,
      change: 'added',
      outline: null,
      centre: null,
      bounds: null,
    };
    await page.route('**/citygml/changes?*', (route) => {
      const after = Number(new URL(route.request().url()).searchParams.get('after') ?? 0);
      const differences = Array.from({ length: 1_000 }, (_, i) => ({ ...added, position: after + i }));
      return route.fulfill({ json: { ...first, differences, next: after + 1_000 } });
    });
    await page.goto(`${sample.server.address}${PATH}&lang=en`);
    const row = (name: RegExp) => page.getByRole('checkbox', { name }).locator('..');
    await row(/^new/).getByText('≥ 5,000').waitFor();
    assert.match((await row(/^gone/).textContent())!, /≥ 0$/);
    await page.getByText('The map draws the first 5,000 differences').waitFor();
  });

  it('is reached from the panel of a city that has two editions', async () => {
    await using portal = await sample.open('/?lang=en&pick=47950');
    await portal.page.getByRole('link', { name: 'Two editions' }).click();
    await portal.page.getByRole('heading', { name: 'Two editions' }).last().waitFor();
    await hasParameter(portal.page, 'compared', '47950');
    await using none = await sample.open('/?lang=en&pick=47900');
    await none.page.getByRole('link', { name: 'City page' }).waitFor();
    assert.equal(await none.page.getByRole('link', { name: 'Two editions' }).count(), 0);
  });
});
