/** The portal as people use it, in headless Chromium over the sample city. Screenshots stay in `artefacts/portal`. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import type { Locator, Page } from 'playwright-core';
import yauzl from 'yauzl';
import type { DatasetRow } from '../packages/portal/src/core/catalogue.ts';
import type { FileCounts } from '../packages/portal/src/core/files.ts';
import { snippetsFor } from '../packages/portal/src/datasets/snippets.ts';
import { PHONE, pixelIn, untilDrawing } from './support/portal-page.ts';
import { ROOT } from './support/program.ts';
import {
  hasParameter,
  MODEL,
  NO_BROWSER,
  OVER_TOWER,
  parameter,
  tower,
  useSamplePortal,
} from './support/sample-portal.ts';

const run = promisify(execFile);
const sample = useSamplePortal();
const { open } = sample;

/** Middle of an element on the page. */
async function middleOf(locator: Locator): Promise<{ x: number; y: number }> {
  const box = (await locator.boundingBox())!;
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

describe('the portal', { skip: NO_BROWSER, timeout: 800_000 }, () => {
  test('shows its frame before anything heavy arrives', async (t) => {
    await using portal = await open('/');
    await portal.page.locator('.prefectures button').waitFor();
    await portal.page.locator('.maplibregl-canvas').waitFor();
    await portal.settled();
    const paint = await portal.page.evaluate<number>(
      `performance.getEntriesByName('first-contentful-paint')[0]?.startTime`,
    );
    t.diagnostic(`first content after ${Math.round(paint)} ms`);
  });

  test('is opened again, once, where the process of graphics ends', async () => {
    await using portal = await open('/');
    const { page } = portal;
    const map = page.locator('.maplibregl-canvas');
    await map.waitFor();
    const reopened = page.waitForEvent('framenavigated');
    await map.evaluate((canvas: HTMLCanvasElement) => {
      canvas.addEventListener('webglcontextlost', () => console.error('nothing can be drawn'));
      canvas.getContext('webgl2')!.getExtension('WEBGL_lose_context')!.loseContext();
    });
    await reopened;
    await portal.settled();
    await map.waitFor();
    assert.deepEqual(portal.trouble, []);
  });

  test('answers questions behind doors: water, wooden houses, two years, everything', async () => {
    await using portal = await open('/?lang=en');
    const { page } = portal;
    const door = (name: RegExp) => page.locator('.doors').getByRole('link', { name });
    await door(/^Aonagi in 3D/).waitFor();
    assert.equal(await page.locator('.door').count(), 5);
    const water = new URL((await door(/^How deep/).getAttribute('href'))!, page.url()).searchParams;
    assert.match(water.get('also')!, /^47900-fld_.*_l2-/);
    const changes = new URL((await door(/^What changed/).getAttribute('href'))!, page.url()).searchParams;
    assert.deepEqual([changes.get('view'), changes.get('compared')], ['changes', '47950,bldg,2023,2024']);
    assert.match((await door(/^What changed/).textContent())!, /Shiomino, 2023 and 2024/);
    await page.getByRole('button', { name: /^Everything on a map/ }).waitFor();
    await door(/^Wooden houses/).click();
    await hasParameter(page, 'where', 'uro:buildingStructureType=木造・土蔵造;bldg:yearOfConstruction<1981');
    await page
      .getByRole('status')
      .filter({ hasText: /^[1-9]\d* of / })
      .first()
      .waitFor();
  });

  test('finds places, codes, meshes and spatial IDs, and a link shows the same', async () => {
    await using portal = await open('/?lang=en');
    const { page } = portal;
    const field = page.getByRole('combobox', { name: 'Search' });
    const heading = page.locator('.picked h2');
    const search = async (text: string) => {
      await field.fill(text);
      await field.press('Enter');
    };
    await field.fill('汐見野');
    await page.getByRole('option', { name: 'Shiomino' }).first().waitFor();
    await field.press('ArrowDown');
    await field.press('Enter');
    await heading.filter({ hasText: 'Shiomino' }).waitFor();
    await page.getByRole('row', { name: /Buildings 2 90/ }).waitFor();
    await hasParameter(page, 'pick', '47950');

    await search('47900');
    await heading.filter({ hasText: 'Aonagi' }).waitFor();
    await search('38295545');
    await heading.filter({ hasText: '38295545' }).waitFor();
    // Two municipalities, each in its newest year.
    await page.locator('.picked article').nth(1).waitFor();
    await search('16/56377/27926');
    await page.getByText('Spatial ID', { exact: true }).waitFor();
    await search('凪の塔');
    await page.locator('.picked article').first().waitFor();
    await hasParameter(page, 'pick', 'g:凪の塔');
    await search('どこにもない');
    const nothing = page.locator('.notice[role=status]');
    await nothing.getByText('Nothing was found for “どこにもない”.').waitFor();
    await nothing.getByText(/^You can search for prefectures, .*mesh codes/).waitFor();
    await page.getByText('日本語').click();
    await nothing.getByText('「どこにもない」は見つかりませんでした。').waitFor();
    await nothing.getByText(/^検索できるのは、.*メッシュコード/).waitFor();
    await page.getByRole('button', { name: '拡大', exact: true }).waitFor();
    await page.getByText('English').click();
    await page.getByRole('button', { name: 'Zoom in', exact: true }).waitFor();
    await search('Sihomino');
    await nothing.getByText('Did you mean').waitFor();
    await nothing.getByRole('link', { name: 'Shiomino' }).click();
    await heading.filter({ hasText: 'Shiomino' }).waitFor();
    await page.goBack();
    await page.goBack();
    // The service says 404, which the browser reports as an error.
    portal.trouble.length = 0;

    await page.goBack();
    await page.locator('.picked article').first().waitFor();
    await using same = await open(new URL(page.url()).pathname + new URL(page.url()).search);
    await same.page.locator('.picked article').first().waitFor();
    assert.equal(await same.page.locator('.picked h2').textContent(), '凪の塔');
  });

  test('answers clicks on the map with files of a mesh, and with fields of a layer', async () => {
    await using portal = await open(`/?lang=en&at=${tower.lng},${tower.lat},15.5`);
    const { page } = portal;
    await page.locator('.maplibregl-canvas').waitFor();
    await portal.settled();
    const middle = await middleOf(page.locator('.canvas'));
    // On a busy machine the meshes come into the map some time after they have arrived: who clicks too early clicks
    // again.
    const mesh = page.locator('.picked h2', { hasText: '38295545' });
    for (let clicks = 0; clicks < 20 && !(await mesh.isVisible()); clicks++) {
      await page.mouse.click(middle.x, middle.y);
      await mesh.waitFor({ timeout: 3_000 }).catch(() => {});
    }
    await hasParameter(page, 'pick', 'm:38295545');
    await page.getByText('Features as GeoJSON, CSV, FlatGeobuf').click();
    const csv = page.getByRole('link', { name: /^CSV about [\d.]+ kB$/ });
    assert.equal(await csv.getAttribute('download'), '38295545_bldg.csv');
    const table = await sample.server.request((await csv.getAttribute('href'))!);
    assert.equal(table.headers['content-type'], 'text/csv; charset=utf-8; header=present');
    assert.ok(table.text.includes(tower.id));

    await page.goto(`${sample.server.address}/?lang=en&at=${tower.lng},${tower.lat},17`);
    await page.route(/_luse_.*\.mvt$/, (route) => route.fulfill({ status: 500 }));
    const layer = page.getByRole('checkbox', { name: /Land use \(Aonagi\)/ });
    await layer.waitFor();
    await portal.settled();
    // Not even what the tiles are called can be asked for.
    await page.route('**/tilejson.json', (route) => route.fulfill({ status: 500 }));
    await layer.check();
    const busy = page.getByRole('alert').filter({ hasText: 'The service is busy' });
    await busy.waitFor();
    await page.unroute('**/tilejson.json');
    await busy.getByRole('button', { name: 'Try again' }).click();
    await busy.waitFor({ state: 'detached' });
    portal.trouble.length = 0;
    const missing = page.getByRole('alert').filter({ hasText: /^[1-9]\d* of \d+ tiles missing/ });
    await missing.waitFor();
    // Until all tiles have failed the notice comes and goes with their number.
    await portal.settled();
    await page.unroute(/_luse_.*\.mvt$/);
    // It also goes when the map no longer needs the tiles that failed.
    const again = missing.getByRole('button', { name: 'Try again' });
    await again.click({ timeout: 10_000 }).catch(() => {});
    await missing.waitFor({ state: 'detached' });
    await hasParameter(page, 'layers', '47900_luse_lod1');
    await portal.settled();
    // A tile is drawn some time after it has arrived, which nothing in the page tells: who clicks too early clicks
    // again.
    const field = page.getByRole('row', { name: /luse_class/ });
    for (let clicks = 0; clicks < 20 && !(await field.isVisible()); clicks++) {
      await page.mouse.click(middle.x, middle.y);
      await field.waitFor({ timeout: 2_000 }).catch(() => {});
    }
    await field.waitFor();
    await page.getByRole('row', { name: /gml_id/ }).waitFor();
    // A link shows the same.
    await page.reload();
    await field.waitFor();
    await page.locator('.hits').getByRole('button', { name: 'Close' }).press('Enter');
    await page.locator('.hits').waitFor({ state: 'detached' });
    assert.equal(await page.locator('.panel h2:focus').count(), 1, 'the focus goes to what comes after');
  });

  test('filters datasets as the API does', async () => {
    await using portal = await open('/?view=datasets&lang=en');
    const { page } = portal;
    const count = page.locator('.result-line strong');
    await count.filter({ hasText: '23' }).waitFor();
    // Below the name of each municipality, with earlier years beside the newest
    const cities = page.locator('.datasets tbody .city');
    assert.deepEqual(await cities.getByRole('link').allTextContents(), ['Aonagi', 'Shiomino']);
    await page
      .getByRole('button', { name: /^Details: .*Shiomino.*LOD 1, 2023/ })
      .first()
      .click();
    await hasParameter(page, 'row', '47950_bldg_lod1_2023');
    await page
      .getByRole('button', { name: /^Close: .*Shiomino.*LOD 1, 2023/ })
      .first()
      .click();
    const area = page.getByRole('combobox', { name: 'Municipality' });
    await area.fill('47901');
    await area.press('Enter');
    await page.getByLabel(/^LOD/).selectOption('2');
    await page.getByLabel(/Texture/).selectOption('true');
    await count.filter({ hasText: /^1$/ }).waitFor();
    await hasParameter(page, 'city_code', '47901');
    const request = await page.locator('.address code').last().textContent();
    const { datasets } = await sample.server.json<{ datasets: DatasetRow[] }>(request!);
    assert.deepEqual(
      datasets.filter((row) => row.texture).map(({ id }) => id),
      ['47901_bldg_lod2'],
    );

    await page.getByRole('button', { name: /Details/ }).click();
    await page.getByRole('button', { name: 'Copy: Data' }).click();
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    assert.equal(copied, datasets.find((row) => row.texture)!.url);
    await page.getByRole('tab', { name: 'Python' }).click();
    await page.getByText('urllib.request').first().waitFor();
    await page.getByRole('link', { name: 'See in 3D' }).click();
    await page.waitForURL(/view=3d/);
    await page.locator('.cesium-widget canvas').waitFor();
    await portal.settled();
  });

  test('shows a building of a model with its attributes in words', async () => {
    await using portal = await open(`/?view=3d&lang=en&model=${MODEL}&${OVER_TOWER}`);
    const { page } = portal;
    const canvas = page.locator('.cesium-widget canvas');
    await canvas.waitFor();
    await portal.settled();
    const middle = await middleOf(canvas);
    await page.mouse.click(middle.x, middle.y);
    const panel = page.locator('.feature');
    await panel.getByText('Offices').first().waitFor();
    await panel.getByRole('definition').getByText('318.5 m').waitFor();
    assert.equal(await panel.locator('.card-id code').textContent(), tower.id);
    assert.match(
      (await panel.getByRole('link', { name: 'GML file' }).getAttribute('href'))!,
      /38295545_bldg_6697_op\.gml$/,
    );
    await hasParameter(page, 'feature', tower.id);

    // By keys alone: the panel closes, and Enter on the view asks what is in the middle.
    await panel.getByRole('button', { name: 'Close' }).click();
    await canvas.focus();
    await page.keyboard.press('Enter');
    await panel.getByRole('definition').getByText('318.5 m').waitFor();

    const colour = page.getByRole('combobox', { name: 'Colour', exact: true });
    for (const [value, label] of [
      ['height', /^≥ 200 m$/],
      ['use', /^House$|^Offices$/],
      ['lod', /^2$/],
      ['bldg:storeysAboveGround', /./],
    ] as const) {
      await colour.selectOption(value);
      await page.locator('.scale li').filter({ hasText: label }).first().waitFor();
      await hasParameter(page, 'colour', value);
    }
  });

  test('says in words that a model does not exist, and shows what does', async () => {
    await using portal = await open('/?view=3d&lang=en&model=47900-bldg-lod4-latest');
    await portal.page.locator('.left-out').getByText('model=47900-bldg-lod4-latest').waitFor();
    await portal.page.getByRole('heading', { name: /^Aonagi · Buildings/ }).waitFor();
    portal.trouble.length = 0;
  });

  test('packs what is drawn, and the zip is whole', async () => {
    await using portal = await open(`/?view=basket&lang=en&at=${tower.lng},${tower.lat},15`);
    const { page } = portal;
    await page.locator('.maplibregl-canvas').waitFor();
    await portal.settled();
    const middle = await middleOf(page.locator('.canvas'));
    await page.getByRole('button', { name: 'Box' }).click();
    await untilDrawing(page);
    await page.mouse.move(middle.x - 40, middle.y - 30);
    await page.mouse.down();
    await page.mouse.move(middle.x + 20, middle.y + 20, { steps: 3 });
    await page.mouse.up();
    await page.waitForURL(/area=b:/);
    const drawn = parameter(page, 'area');
    const corner = await middleOf(page.getByRole('button', { name: 'Corner 2 of 4' }));
    await page.mouse.move(corner.x, corner.y);
    await page.mouse.down();
    await page.mouse.move(corner.x + 8, corner.y + 6, { steps: 2 });
    await page.mouse.up();
    await page.waitForURL((to) => to.searchParams.get('area') !== drawn);
    await page.getByRole('button', { name: 'Undo' }).click();
    await hasParameter(page, 'area', drawn);
    await page.getByRole('button', { name: 'Done' }).click();
    const buildings = page.getByRole('checkbox', { name: /Buildings/ });
    await buildings.waitFor();
    await page.getByRole('button', { name: 'only: Buildings' }).click();
    await hasParameter(page, 'types', 'bldg');
    assert.equal(await page.getByRole('checkbox', { name: /Roads/ }).isChecked(), false);
    const tops: number[] = await page
      .locator('.numbers tr')
      .evaluateAll((rows) => rows.map((row) => row.getBoundingClientRect().top));
    assert.deepEqual(
      tops,
      tops.toSorted((a, b) => a - b),
      'what is not chosen stays in its row',
    );
    await page
      .locator('tfoot')
      .getByText(/[MGk]B/)
      .waitFor();
    const files = Number(await page.locator('tfoot td').nth(1).textContent());
    assert.deepEqual(await page.locator('.panel h2').allTextContents(), [
      '1 Area',
      '2 Content',
      '3 Download',
    ]);
    await page.getByRole('button', { name: /Create zip/ }).click();
    const link = page.getByRole('link', { name: /Download/ });
    await link.waitFor();
    const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
    const path = join(sample.directory, 'pack.zip');
    await download.saveAs(path);
    const names = await namesIn(path);
    assert.equal(names.filter((name) => name.endsWith('.gml')).length, files);
    assert.ok(names.some((name) => name.endsWith('/udx/bldg/38295545_bldg_6697_op.gml')));
    assert.ok(names.some((name) => name.includes('/codelists/')));

    // The same link shows the finished pack.
    await using same = await open(new URL(page.url()).pathname + new URL(page.url()).search);
    await same.page.getByRole('link', { name: /Download/ }).waitFor();
  });

  test('takes polygons, meshes and typed areas', async () => {
    await using portal = await open(`/?view=basket&lang=en&at=${tower.lng},${tower.lat},15`);
    const { page } = portal;
    await page.locator('.maplibregl-canvas').waitFor();
    await portal.settled();
    const middle = await middleOf(page.locator('.canvas'));
    await page.getByRole('button', { name: 'Polygon' }).click();
    await untilDrawing(page);
    for (const [x, y] of [
      [-60, -60],
      [60, -60],
      [0, 60],
    ] as const) {
      await page.mouse.click(middle.x + x, middle.y + y);
    }
    // The corner that is pointed at belongs to the polygon, as it is drawn.
    await page.mouse.move(middle.x - 60, middle.y + 40);
    await page.keyboard.press('Enter');
    await page.waitForURL(/area=p:/);
    await page.getByRole('checkbox', { name: /Buildings/ }).waitFor();
    await page.getByRole('button', { name: 'Corner 2 of 4' }).press('Escape');

    // By keys alone: from the card to the first corner, and back.
    const change = page.getByRole('button', { name: /^Change: Polygon/ });
    await change.press('Enter');
    const first = page.locator('.corner:focus');
    await first.press('Shift+ArrowLeft');
    await first.press('Escape');
    await page.locator('.corner').first().waitFor({ state: 'detached' });
    await page.locator('.card button:focus').waitFor();

    await page.getByRole('button', { name: 'Meshes' }).click();
    await untilDrawing(page);
    await page.getByText('Tap meshes to add or remove them.').waitFor();
    await page.mouse.click(middle.x, middle.y);
    await page.waitForURL(/area=p:.*m:38295545/);
    await page.getByRole('button', { name: 'Remove all areas' }).click();
    await page.getByText('No area yet').waitFor();

    const field = page.getByRole('combobox', { name: 'Add a place' });
    await field.fill('nonsense');
    await field.press('Enter');
    await page.getByText('Nothing was found for “nonsense”.').waitFor();
    await field.fill('38295544 38295545');
    await field.press('Enter');
    await page.waitForURL(/area=m:38295544,38295545/);
    await page.getByRole('checkbox', { name: /Buildings/ }).waitFor();
    await field.fill('Shiomino');
    await field.press('Enter');
    await page.waitForURL(/area=m:38295544,38295545~47950/);
    await page.locator('.card').filter({ hasText: 'Shiomino' }).waitFor();

    // A choice that was made for another area says that it leaves nothing here, and can be dropped.
    await page.goto(`${sample.server.address}/?view=basket&lang=en&area=47950&types=fld`);
    await page.getByText('The types chosen before do not exist here.').waitFor();
    await page.getByRole('button', { name: 'Take all types' }).click();
    await page.getByText('The types chosen before do not exist here.').waitFor({ state: 'detached' });

    // Near the limits of one pack the bar turns amber; beyond them it says what to do.
    const everyYear = page.getByRole('checkbox', { name: 'Older years too' });
    const make = page.getByRole('button', { name: /Create zip/ });
    for (const [files, state, colour] of [
      [8_500, 'near', [217, 154, 28]],
      [10_001, 'beyond', [163, 48, 31]],
    ] as const) {
      await page.route('**/datacatalog/counts/**', async (route) => {
        const counts: FileCounts = await (await route.fetch()).json();
        const { bldg } = counts.cities[0]!.types;
        await route.fulfill({
          json: { ...counts, cities: [{ ...counts.cities[0]!, types: { bldg: { ...bldg!, files } } }] },
        });
      });
      await everyYear.click();
      const bar = page.locator(`.limits.${state} [role=meter]`);
      await bar.waitFor();
      assert.deepEqual(await pixelIn(page, await bar.screenshot()), colour);
      assert.equal(await page.getByText('too much for one zip').count(), state === 'beyond' ? 1 : 0);
      assert.equal(await make.isDisabled(), state === 'beyond');
    }
  });

  test('outlines a named place of the basket, says how large it is, and asks for what is in it', async () => {
    await using portal = await open(
      `/?lang=en&view=basket&area=g:${encodeURIComponent('凪の塔')}&at=${tower.lng},${tower.lat},17`,
    );
    const { page } = portal;
    const card = page.locator('.card');
    await card.getByText(/^\d{3} m² · \d+ files/).waitFor();
    await portal.settled();
    const canvas = page.locator('.canvas');
    const marked = await pixelIn(page, await canvas.screenshot());
    await page.getByText('Features as GeoJSON, CSV, FlatGeobuf').click();
    await page.getByText(/^At most about \d+ features/).waitFor();
    const csv = page.getByRole('link', { name: /^CSV at most about [\d.]+ kB$/ });
    const table = await sample.server.request((await csv.getAttribute('href'))!);
    assert.deepEqual([table.text.trim().split('\r\n').length, table.text.includes(tower.id)], [2, true]);
    await card.getByRole('button', { name: /^Remove/ }).click();
    await card.waitFor({ state: 'detached' });
    await portal.settled();
    assert.notDeepEqual(await pixelIn(page, await canvas.screenshot()), marked);

    // A link that does not say where to look.
    await page.goto(
      `${sample.server.address}/?lang=en&view=basket&area=g:${encodeURIComponent('凪の塔')}~47900`,
    );
    await page
      .locator('.card')
      .getByText(/^3 meshes with data \(3\.5 km²\)/)
      .waitFor();
    await page.goto(`${sample.server.address}/?lang=en&view=basket&area=g:${encodeURIComponent('凪の塔')}`);
    await page.waitForURL((to) => {
      const [lng, lat] = (to.searchParams.get('at') ?? '').split(',').map(Number) as [number, number];
      return Math.abs(lng - tower.lng) < 0.001 && Math.abs(lat - tower.lat) < 0.001;
    });
  });

  test('tells operators what there is', async () => {
    await using portal = await open('/status?lang=en');
    const { page } = portal;
    await page.getByText('All systems OK').waitFor();
    await page.getByText('47950_shiomino-shi_city_2023_citygml_1_op', { exact: true }).waitFor();
    await page.getByRole('button', { name: /^Issues: 47900_aonagi-shi_city_2024_citygml_1_op$/ }).click();
    await page.getByText('No issues.').waitFor();
    await page.getByText('Guessed at ingestion').waitFor();

    // An answer that takes longer than the time between looks is waited for.
    await page.clock.install();
    await page.reload();
    await page.getByText('All systems OK').waitFor();
    let looks = 0;
    let aborted = 0;
    page.on('requestfailed', () => aborted++);
    const { promise, resolve: answer } = Promise.withResolvers<void>();
    await page.route('**/status.json?limit=1&*', async (route) => {
      looks++;
      await promise;
      await route.continue();
    });
    const asked = page.waitForRequest('**/status.json?limit=1&*');
    await page.clock.runFor(6_000);
    await asked;
    await page.clock.runFor(30_000);
    assert.deepEqual([looks, aborted], [1, 0]);
    answer();
    await page.unrouteAll({ behavior: 'wait' });
  });

  test('follows language and colours of the browser, and what is chosen instead', async () => {
    await using portal = await open('/', { lang: 'ja', theme: 'dark' });
    const { page } = portal;
    await page.getByRole('link', { name: 'データ一覧', exact: true }).waitFor();
    assert.equal(await page.locator('html').getAttribute('lang'), 'ja');
    assert.equal(await page.locator('html').getAttribute('data-theme'), 'dark');
    await page.getByText('English').click();
    await page.getByRole('link', { name: 'Datasets', exact: true }).waitFor();
    await page.locator('html[lang=en]').waitFor();
    assert.equal(await page.title(), 'Map – City Model Data');
    await page.locator('.theme select').selectOption('light');
    await page.locator('html[data-theme=light]').waitFor();
    await hasParameter(page, 'lang', 'en');
    await hasParameter(page, 'theme', 'light');
    await page.getByRole('link', { name: 'Basket' }).click();
    await page.waitForURL(/view=basket/);
    await hasParameter(page, 'theme', 'light');
  });

  test('says what to do when the service does not answer', async () => {
    await using portal = await open('/status?lang=en');
    const { page } = portal;
    await page.getByText('All systems OK').waitFor();
    await page.route('**/datacatalog/**', (route) => route.abort());
    await page.getByRole('link', { name: 'Datasets', exact: true }).click();
    await page.getByRole('alert').getByText('The service does not answer').waitFor();
    await page.unroute('**/datacatalog/**');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.locator('.result-line').waitFor();

    // Once, although panel and map need the summary; and both have it when one has asked again.
    await page.route('**/datacatalog/summary', (route) => route.abort());
    for (const path of ['/?lang=en', '/?lang=en&view=basket']) {
      await page.goto(sample.server.address + path);
      const alert = page.getByRole('alert').filter({ hasText: 'The service does not answer' });
      await alert.first().waitFor();
      await page.waitForLoadState('networkidle');
      assert.equal(await alert.count(), 1, path);
    }
    await page.goto(`${sample.server.address}/?lang=en`);
    const again = page.getByRole('button', { name: 'Try again' });
    await again.waitFor();
    await page.unroute('**/datacatalog/summary');
    await again.click();
    await page.locator('.prefectures button').first().waitFor();
    await page.locator('.maplibregl-canvas').waitFor();
    await portal.settled();
    portal.trouble.length = 0;
  });

  test('is as wide as a tablet, with a number beside the basket', async () => {
    await using portal = await open('/?view=basket&lang=ja&area=47900~m:38295545~47950', { tablet: true });
    await portal.page.locator('.card').nth(2).waitFor();
    assert.equal(await portal.page.evaluate('document.documentElement.scrollWidth'), 820);
    // The line below the view that is open is as long as its name.
    const [line, name] = await portal.page.locator('.tabs a[aria-current]').evaluate((tab) => {
      const names = document.createRange();
      names.selectNodeContents(tab);
      return [Number.parseFloat(getComputedStyle(tab, '::after').width), names.getBoundingClientRect().width];
    });
    assert.ok(Math.abs(line! - name!) < 1, `a line of ${line} pixels below ${name}`);
    await portal.settled();
  });

  test('says what failed in a place of its own, and draws the land from afar for coasts that failed', async () => {
    await using portal = await open('/status?lang=en');
    const { page, trouble } = portal;
    const failing = /\/datacatalog\/coverage|\/assets\/(three-page|coast)/;
    await page.route(failing, (route) => route.abort());
    for (const [width, height] of [
      [1280, 800],
      [820, 1180],
      [390, 844],
    ] as const) {
      await page.setViewportSize({ width, height });
      await page.goto(`${sample.server.address}/?lang=en&at=129.687,25.79,10`);
      const notice = (await page.locator('.map-notice').boundingBox())!;
      const chip = (await page.locator('.chip').last().boundingBox())!;
      assert.ok(notice.y >= chip.y + chip.height, `${width}: ${notice.y} below ${chip.y}`);
    }
    await page.goto(`${sample.server.address}/?lang=en&view=3d`);
    const { height } = (await page.getByRole('alert').boundingBox())!;
    assert.ok(height < 200, `${height} pixels high`);

    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(`${sample.server.address}/?lang=en&at=139.3,35.75,10`);
    const notice = page.getByText('The meshes could not be loaded.');
    await notice.waitFor();
    await portal.settled();
    const map = await page.locator('.maplibregl-canvas').screenshot();
    // Land has a warm colour, and sea a cold one.
    const [red, , blue] = await pixelIn(page, map, -10, 10);
    assert.ok(red! > blue!, 'land');
    await page.unroute(failing);
    await page.locator('.map-notice').getByRole('button').click();
    await notice.waitFor({ state: 'detached' });
    trouble.length = 0;
  });

  test('breaks Japanese between phrases, and keeps formats and buttons whole', async () => {
    await using portal = await open('/?view=basket&lang=ja', { phone: true });
    const { page } = portal;
    const intro = page.getByText('範囲と内容を選ぶと、');
    await intro.waitFor();
    const lines = await intro.evaluate((element: HTMLElement) => {
      const text = element.firstChild as Text;
      const found: string[] = [];
      let top = Number.NEGATIVE_INFINITY;
      for (let i = 0; i < text.length; i++) {
        const range = document.createRange();
        range.setStart(text, i);
        range.setEnd(text, i + 1);
        const box = range.getBoundingClientRect();
        if (box.top > top + 4) found.push('');
        top = box.top;
        found.push(`${found.pop()}${text.data[i]}`);
      }
      return found;
    });
    assert.ok(
      lines.length > 1 && lines.every((line) => /(、|。|[はがをにでと]|含めて)$/.test(line)),
      `${lines}`,
    );

    // Classes of meshes need two lines here; the button is beside them.
    await page.goto(`${sample.server.address}/?lang=ja&pick=47900&by=types`);
    const legend = page.locator('.legend');
    await legend.locator('li').nth(2).waitFor();
    const [list, more] = [
      (await legend.locator('ol').boundingBox())!,
      (await legend.getByRole('button').boundingBox())!,
    ];
    assert.ok(more.x >= list.x + list.width && more.y < list.y + list.height, JSON.stringify([list, more]));
    // What levels mean comes when it is asked for.
    await legend.getByRole('button').click();
    await legend.getByRole('combobox').selectOption('lod');
    const meaning = legend.locator('.legend-detail').first();
    await meaning.waitFor();
    await legend.getByRole('button').first().click();
    await meaning.waitFor({ state: 'hidden' });

    await page.setViewportSize({ width: 820, height: 1180 });
    await page.goto(`${sample.server.address}/?lang=ja&view=datasets`);
    const formats = page.locator('td[data-label="形式"]').filter({ hasText: '3D Tiles' });
    await formats.first().waitFor();
    const parts: number[] = await formats.evaluateAll((cells) =>
      cells.map((cell) => {
        const range = document.createRange();
        const text = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT).nextNode()!;
        range.selectNodeContents(text);
        return range.getClientRects().length;
      }),
    );
    assert.deepEqual(new Set(parts), new Set([1]));
    await portal.settled();
  });

  test('copies where the page has no clipboard, as over plain HTTP', async () => {
    await using portal = await open('/status?lang=en');
    const { page } = portal;
    await page.addInitScript(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
    await page.goto(`${sample.server.address}/?lang=en&view=datasets`);
    await page.getByRole('button', { name: /^Copy/ }).first().click();
    await page.getByText('Copied', { exact: true }).waitFor();
    await page.getByLabel('Keywords').press('Control+v');
    assert.match(await page.getByLabel('Keywords').inputValue(), /\/datacatalog\/datasets\?/);
  });

  test('tells a broken answer from a page that fails', async () => {
    await using portal = await open('/status?lang=en');
    const { page } = portal;
    await page.addInitScript(() => {
      const whole = globalThis.fetch;
      globalThis.fetch = async (...request) =>
        String(request[0]).includes('/datacatalog/datasets')
          ? new Response(new ReadableStream({ pull: (to) => to.error(new TypeError('network error')) }))
          : whole(...request);
    });
    await page.goto(`${sample.server.address}/?lang=en&view=datasets`);
    await page.getByRole('alert').getByText('The service does not answer').waitFor();
  });

  test('keeps room for names, and the focus near what was removed', async () => {
    await using portal = await open('/status?lang=en');
    const { page } = portal;
    const { promise, resolve: answer } = Promise.withResolvers<void>();
    await page.route('**/datacatalog/summary', async (route) => {
      await promise;
      await route.continue();
    });
    await page.goto(`${sample.server.address}/?lang=en&view=basket&area=47900~m:38295545~47950`);
    const cards = page.locator('.card');
    await cards.first().getByText('files').waitFor();
    const name = cards.first().locator('strong');
    assert.equal(await name.textContent(), '…');
    const before = (await cards.first().boundingBox())!;
    answer();
    await name.filter({ hasText: /^Aonagi$/ }).waitFor();
    assert.deepEqual(await cards.first().boundingBox(), before);

    await page.getByRole('button', { name: 'Remove: Aonagi' }).press('Enter');
    await page
      .locator('button:focus')
      .and(page.getByRole('button', { name: /^Remove: Mesh/ }))
      .waitFor();
    await page.getByRole('button', { name: 'Remove: Shiomino' }).press('Enter');
    await page
      .locator('button:focus')
      .and(page.getByRole('button', { name: /^Remove: Mesh/ }))
      .press('Enter');
    await page.locator('h2:focus', { hasText: 'Area' }).waitFor();
    // The address follows a frame after what is seen.
    await hasParameter(page, 'area', null);
    await page.goBack();
    await page.goBack();
    await page.getByRole('button', { name: 'Remove all areas' }).press('Enter');
    await page.locator('h2:focus', { hasText: 'Area' }).waitFor();
    await portal.settled();
  });

  /** View by view: wide in one language and narrow in the other, both in light and in dark. 3D has tests of its own. */
  const VIEWS: Array<[name: string, path: string, ready: string]> = [
    ['map', '/', '.prefectures button'],
    ['picked', '/?pick=m:38295545&layers=47900_luse_lod1,47900_tran_lod1', '.picked article'],
    ['datasets', '/?view=datasets&row=47901_bldg_lod2', '.snippets'],
    ['basket', '/?view=basket&area=b:129.684,25.789,129.6895,25.7925', 'tfoot'],
    ['status', '/status', '.datasets'],
  ];
  for (const [i, [name, path, ready]] of VIEWS.entries()) {
    test(`${name} is accessible in every look`, async () => {
      const [wide, narrow] = i % 2 === 0 ? (['en', 'ja'] as const) : (['ja', 'en'] as const);
      await using portal = await open(path, { lang: wide });
      const { page } = portal;
      await page.locator(ready).first().waitFor();
      for (const phone of [false, true]) {
        if (phone) {
          await page.getByText(narrow === 'ja' ? '日本語' : 'English', { exact: true }).click();
          await page.locator(`html[lang=${narrow}]`).waitFor();
          await page.setViewportSize(PHONE);
        }
        for (const theme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme: theme });
          await page.locator(`html[data-theme=${theme}]`).waitFor();
          await portal.settled();
          if (phone && name === 'datasets') {
            assert.deepEqual(await beyondTheEdge(page), []);
            const details = await page.locator('.row-actions .button').first().boundingBox();
            assert.ok(details!.height >= 44, `a finger needs more than ${details!.height} pixels`);
          }
          if (name === 'map') await assertLegend(page, theme);
          const title = `${name}-${phone ? 'phone' : 'desktop'}-${theme}-${phone ? narrow : wide}`;
          await portal.assertAccessible(title, { colours: theme === 'dark' });
          await portal.screenshot(title);
        }
      }
    });
  }

  test('gives code that runs as it is pasted', async (t) => {
    const { datasets } = await sample.server.json<{ datasets: DatasetRow[] }>(
      '/datacatalog/citymodel-datasets?fields=datasets',
    );
    const chosen = [
      '47901_bldg_lod2',
      '47900_luse_lod1',
      '47950_bldg_lod1_2023',
      '47900_fld_natl_sumimigawa_l2_lod1_mvt',
    ];
    for (const id of chosen) {
      const row = datasets.find((candidate) => candidate.id === id)!;
      for (const { kind, text } of snippetsFor(row, sample.server.publicUrl)) {
        // `qgis.test.ts` has QGIS run its own.
        if (kind === 'QGIS') continue;
        await t.test(`${kind}: ${id}`, async () => {
          const place = await mkdtemp(join(sample.directory, 'snippet-'));
          if (kind === 'curl') {
            await run('sh', ['-e', '-c', text], { cwd: place });
            const json = row.format === '3D Tiles' ? 'tileset.json' : 'tilejson.json';
            assert.ok(JSON.parse(await readFile(join(place, json), 'utf8')));
          } else if (kind === 'Python') {
            const { stdout } = await run('python3', ['-c', text], { cwd: place });
            assert.match(stdout, new RegExp(`${row.year}`));
          } else await runPage(text);
        });
      }
    }
  });
});

/**
 * The legend keeps its colours where the system takes all others away, the credit can be read, and a phone held
 * sideways shows the map.
 */
async function assertLegend(page: Page, theme: 'light' | 'dark'): Promise<void> {
  const swatches = page.locator('.legend .swatch');
  const seen = () =>
    swatches.evaluateAll((all) =>
      all.map((element) => {
        const part = element.querySelector('rect')!;
        return [
          getComputedStyle(part).fill,
          getComputedStyle(element).getPropertyValue('forced-color-adjust'),
        ];
      }),
    );
  const colours = (await seen()).map(([fill]) => fill);
  assert.ok(colours.length > 0);
  await page.emulateMedia({ forcedColors: 'active' });
  assert.deepEqual(
    await seen(),
    colours.map((fill) => [fill, 'none']),
  );
  await page.emulateMedia({ forcedColors: 'none' });
  const credit = await page
    .locator('.maplibregl-ctrl-attrib')
    .evaluate((element) => [getComputedStyle(element).color, getComputedStyle(element).backgroundColor]);
  const light = (text: string) => Number(/[\d.]+/.exec(text)![0]) * (text.startsWith('color') ? 255 : 1);
  const [ink, ground] = credit.map(light);
  assert.ok(theme === 'dark' ? ink! - ground! > 150 : ground! - ink! > 150, `credit ${credit}`);
  const size = page.viewportSize()!;
  if (size.width > 500) return;
  await page.setViewportSize({ width: size.height, height: size.width });
  const [legend, stage] = [
    (await page.locator('.legend').boundingBox())!,
    (await page.locator('.stage').boundingBox())!,
  ];
  const share = (legend.width * legend.height) / (stage.width * stage.height);
  assert.ok(share < 0.15, `the legend covers ${share}`);
  await page.setViewportSize(size);
}

/** Buttons that can only be reached by moving the page sideways. */
function beyondTheEdge(page: Page): Promise<string[]> {
  return page
    .locator('main :is(button, a)')
    .evaluateAll((elements) =>
      elements
        .filter(
          (element) => element.checkVisibility() && element.getBoundingClientRect().right > innerWidth + 1,
        )
        .map((element) => element.outerHTML.slice(0, 120)),
    );
}

/**
 * Shows the page of a snippet, with the libraries that it fetches taken from node_modules, until it has drawn tiles.
 */
async function runPage(html: string): Promise<void> {
  // A server of its own, so that the page is of another origin than the service.
  const pages = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(html);
  }).listen(0, '127.0.0.1');
  await once(pages, 'listening');
  const context = await sample.browser.newContext({ viewport: { width: 640, height: 420 } });
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  await page.route(
    (to) => to.protocol === 'https:',
    (route) => {
      const { pathname } = new URL(route.request().url());
      const cesium = /\/Build\/Cesium\/(.*)$/.exec(pathname);
      const maplibre = /\/maplibre-gl@[^/]+\/(.*)$/.exec(pathname);
      const path =
        cesium !== null
          ? `cesium/Build/Cesium/${cesium[1]}`
          : maplibre !== null
            ? `maplibre-gl/${maplibre[1]}`
            : null;
      if (path === null) return route.abort();
      const headers = { 'access-control-allow-origin': '*' };
      return route.fulfill({ path: join(ROOT, 'node_modules', path), headers });
    },
  );
  const tile = page.waitForResponse((response) => /\.(mvt|glb|b3dm)$/.test(response.url()) && response.ok(), {
    timeout: 120_000,
  });
  await page.goto(`http://127.0.0.1:${(pages.address() as AddressInfo).port}/`);
  await tile;
  await context.close();
  pages.close();
  assert.deepEqual(errors, []);
}

/** Names of the members of a zip, each read to its end so that sizes and checksums are held against it. */
async function namesIn(path: string): Promise<string[]> {
  const zip = await yauzl.openPromise(path);
  const names: string[] = [];
  for await (const entry of zip.eachEntry()) {
    names.push(entry.fileName);
    const stream = await zip.openReadStreamPromise(entry);
    stream.resume();
    await once(stream, 'end');
  }
  return names;
}
