/** The portal over a catalogue of the country and over an empty one: what it costs a browser, by touch and by keys. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type Browser, chromium, type Page, type Route } from 'playwright-core';
import { fillDataDir } from '../bench/national/generate.ts';
import { type FileCounts, totalOf } from '../packages/portal/src/core/files.ts';
import { chromiumPath, headlessPath } from './browser/render.ts';
import { launch, PortalPage, pixelIn, untilDrawing } from './support/portal-page.ts';
import { removeDirectory, tempDirectory } from './support/program.ts';
import { hasParameter, parameter } from './support/sample-portal.ts';
import { startServer, type TestServer } from './support/server.ts';

const NO_BROWSER = headlessPath() === null ? 'needs Chromium' : false;
/** Elements that a view may render. */
const MOST_NODES = 5_000;
/** Cumulative layout shift (web.dev/cls). */
const MOST_SHIFT = 0.02;

let directory: string;
let server: TestServer;
let browser: Browser;

before(async () => {
  if (NO_BROWSER) return;
  directory = await tempDirectory();
  await fillDataDir(directory, {
    seed: 'portal',
    cities: 300,
    years: [2023, 2024],
    datasets: 8_000,
    files: 40_000,
  });
  server = await startServer(directory, { reachable: true });
  browser = await launch();
});

after(async () => {
  if (NO_BROWSER) return;
  await browser.close();
  await server.stop();
  await removeDirectory(directory);
});

async function chooseOsaka(page: Page): Promise<void> {
  const field = page.getByRole('combobox', { name: 'Municipality' });
  await field.fill('Osaka');
  await page
    .getByRole('option', { name: /^Osaka/ })
    .first()
    .waitFor();
  await field.press('Enter');
}

const nodesOf = (page: Page) => page.evaluate<number>(`document.getElementsByTagName('*').length`);

describe('the portal of the whole country', { skip: NO_BROWSER, timeout: 600_000 }, () => {
  for (const [name, path, ready] of [
    ['map', '/', '.prefectures button'],
    ['city', '/?pick=27100', '.picked article'],
    ['datasets', '/?view=datasets', '.datasets tbody tr'],
    ['basket', '/?view=basket&area=b:122,24,149,46', 'tfoot'],
    ['status', '/status', '.datasets tbody tr'],
  ] as const) {
    test(`${name} renders few elements and does not jump`, async (t) => {
      await using portal = await PortalPage.open(browser, server.address + path, { lang: 'ja' });
      const { page } = portal;
      await page.evaluate(`globalThis.shift = 0; new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) if (!entry.hadRecentInput) globalThis.shift += entry.value;
      }).observe({ type: 'layout-shift', buffered: true })`);
      await page.locator(ready).first().waitFor();
      await portal.settled();
      const nodes = await nodesOf(page);
      const shift = await page.evaluate<number>('globalThis.shift');
      t.diagnostic(`${nodes} elements, shift ${shift.toFixed(4)}`);
      assert.ok(nodes < MOST_NODES, `${nodes} elements`);
      if (name === 'map') assert.ok(shift < MOST_SHIFT, `shift ${shift}`);
      await portal.screenshot(`national-${name}`);
    });
  }

  test('the main islands are seen whole beside the panel, on every screen', async () => {
    for (const size of [
      { width: 1280, height: 800 },
      { width: 390, height: 844 },
      { width: 820, height: 1180 },
      { width: 1920, height: 1080 },
    ]) {
      await using portal = await PortalPage.open(browser, 'about:blank', { lang: 'ja' });
      const { page } = portal;
      await page.setViewportSize(size);
      await page.goto(server.address);
      await portal.settled();
      // The address names the place once somebody has moved the map.
      await page.locator('.maplibregl-canvas').press('ArrowRight');
      await page.waitForURL((to) => to.searchParams.has('at'));
      const moved = 100;
      const [lng, lat, zoom] = parameter(page, 'at')!.split(',').map(Number);
      const map = (await page.locator('.canvas-fill').boundingBox())!;
      const sheet = (await page.locator('.panel').boundingBox())!;
      const chips = (await page.locator('.chips').boundingBox())!;
      const scale = 512 * 2 ** zoom!;
      const north = (degrees: number) =>
        Math.log(Math.tan(Math.PI / 4 + (degrees * Math.PI) / 360)) / (2 * Math.PI);
      const bottom = sheet.y > map.y + 50 ? sheet.y : map.y + map.height;
      for (const [name, x, y] of [
        ['宗谷岬', 141.94, 45.52],
        ['納沙布岬', 145.82, 43.38],
        ['佐多岬', 130.66, 30.99],
        ['長崎', 129.6, 32.7],
      ] as const) {
        const left = map.x + map.width / 2 + moved + ((x - lng!) / 360) * scale;
        const top = map.y + map.height / 2 - (north(y) - north(lat!)) * scale;
        const where = `${name} at ${left.toFixed(0)},${top.toFixed(0)} of ${JSON.stringify(size)}`;
        assert.ok(left > map.x && left < map.x + map.width, where);
        assert.ok(top > chips.y + chips.height && top < bottom, where);
      }
    }
  });

  test('an address of a prefecture opens the map there', async () => {
    await using portal = await PortalPage.open(browser, `${server.address}/?lang=en&pref=13`);
    const { page } = portal;
    await page.waitForURL((to) => to.searchParams.has('at'));
    const [lng, lat, zoom] = parameter(page, 'at')!.split(',').map(Number);
    assert.ok(lng! > 138.5 && lng! < 140.5 && lat! > 35 && lat! < 36.5 && zoom! > 7, `${lng},${lat},${zoom}`);
  });

  test('doors of the front page lead to what this server has, and none to what it lacks', async () => {
    await using portal = await PortalPage.open(browser, `${server.address}/?lang=en&at=139.7,35.7,12`);
    const { page } = portal;
    await page.locator('.door.city').waitFor();
    assert.equal(await page.locator('.doors img').count(), 0);
    assert.match((await page.locator('.door.water').textContent())!, /floods in 3D · \d+ more/);
    // The catalogue of this server has no bytes, so nobody knows what houses are made of.
    assert.equal(await page.locator('.door.wood').count(), 0);
    assert.match(
      (await page.locator('.door.water').getAttribute('href'))!,
      /&model=\d{5}-bldg-.*also=\d{5}-/,
    );
    await page.locator('button.door').click();
    await page.waitForURL((to) => Number(to.searchParams.get('at')?.split(',')[2]) < 8);
  });

  test('other colours draw the map once or twice, by few calls', async () => {
    await using portal = await PortalPage.open(browser, `${server.address}/?lang=en`);
    const { page } = portal;
    await page.locator('.prefectures button').first().waitFor();
    await portal.settled();
    await page.evaluate(`(() => {
      const drawn = (globalThis.drawn = []);
      const { drawElements } = WebGL2RenderingContext.prototype;
      let frame = null;
      WebGL2RenderingContext.prototype.drawElements = function (...args) {
        if (frame === null) {
          drawn.push((frame = { calls: 0 }));
          setTimeout(() => (frame = null));
        }
        frame.calls++;
        return drawElements.apply(this, args);
      };
    })()`);
    const picture = () => page.locator('.stage .canvas-fill').screenshot();
    const before = await picture();
    await page.locator('.legend select').selectOption('types');
    await page.waitForTimeout(2_500);
    const frames = await page.evaluate<Array<{ calls: number }>>('drawn');
    assert.ok(frames.length > 0 && frames.length <= 3, `${frames.length} frames`);
    for (const { calls } of frames) assert.ok(calls < 150, `${calls} calls`);
    assert.ok(!before.equals(await picture()));
  });

  test('another language is first where people read, and everywhere in the next frame', async () => {
    await using portal = await PortalPage.open(browser, `${server.address}/?lang=en`);
    const { page } = portal;
    await page.locator('.prefectures button').first().waitFor();
    await portal.settled();
    const names = page.locator('.prefectures .pref-name');
    const last = (await names.count()) - 1;
    const textsOf = (selector: string) => page.locator(selector).allTextContents();
    const english = await textsOf('.prefectures .pref-name, .chip, .legend');
    // Each frame in which words changed, and what they are in the first.
    await page.evaluate(`(() => {
      const changed = (globalThis.changed = new Set());
      let frame = 0;
      const count = () => { frame++; requestAnimationFrame(count); };
      new MutationObserver(() => changed.add(frame)).observe(document.getElementById('app'), {
        subtree: true, childList: true, characterData: true,
      });
      globalThis.inFrame = new Promise((resolve) => requestAnimationFrame(() => {
        count();
        resolve([...document.querySelectorAll('.prefectures .pref-name, .chip, .legend')].map(({ textContent }) => \
textContent));
      }));
      [...document.querySelectorAll('header label')].find(({ textContent }) => textContent === '日本語').click();
    })()`);
    const inFrame = await page.evaluate<string[]>('globalThis.inFrame');
    assert.notEqual(inFrame[0], english[0]);
    assert.equal(inFrame[last], english[last]);
    assert.deepEqual(inFrame.slice(last + 1), english.slice(last + 1));
    await names
      .nth(last)
      .filter({ hasText: /[都道府県]$/ })
      .waitFor({ state: 'attached' });
    await page.locator('.chip', { hasText: 'すべて' }).waitFor();
    await page.locator('.legend', { hasText: '色分け' }).waitFor();
    assert.equal(await page.evaluate('document.documentElement.lang'), 'ja');
    const frames = await page.evaluate<number[]>('[...changed]');
    assert.ok(frames.length <= 2, `words changed in frames ${frames}`);
    // Addresses of links follow.
    const lang = () => page.locator('nav.tabs a').first().getAttribute('href');
    assert.match((await lang())!, /lang=ja/);
  });

  test('the map keeps its size while another view is shown, and a prefecture is few elements', async () => {
    await using portal = await PortalPage.open(browser, `${server.address}/?lang=en`);
    const { page } = portal;
    await page.locator('.prefectures button').first().waitFor();
    await portal.settled();
    assert.ok((await page.locator('.prefectures li').first().locator('*').count()) <= 4);
    const widthOf = () => page.evaluate<string>(`document.querySelector('.maplibregl-canvas').style.width`);
    const width = await widthOf();
    await page.getByRole('link', { name: 'Datasets' }).click();
    await page.locator('.datasets tbody tr').first().waitFor();
    assert.equal(await widthOf(), width);
    // Another size while it is hidden counts when it comes back.
    await page.setViewportSize({ width: 1000, height: 700 });
    await page.getByRole('link', { name: 'Map' }).click();
    await page.locator('.maplibregl-canvas[style*="width: 600px"]').waitFor();
  });

  test('on a phone without a graphics card the map is drawn beside the sheet', async (t) => {
    // As Chromium starts by itself: the page is drawn by the processor. The shell without windows puts layers together
    // in another way.
    const executablePath = chromiumPath();
    if (executablePath === null) return t.skip('needs Chromium with windows');
    const plain = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
    try {
      await using portal = await PortalPage.open(plain, `${server.address}/?lang=en`, {
        phone: true,
        isSharp: true,
      });
      const { page } = portal;
      await page.locator('.prefectures button').first().waitFor();
      await portal.settled();
      const seen = async () => pixelIn(page, await page.screenshot(), -100, -170);
      const beside = await seen();
      await page.addStyleTag({ content: '.panel { visibility: hidden }' });
      assert.deepEqual(beside, await seen());
    } finally {
      await plain.close();
    }
  });

  test('wards of the list have their names in Latin letters on the English page', async () => {
    await using portal = await PortalPage.open(
      browser,
      `${server.address}/?view=datasets&lang=en&city_code=13100`,
    );
    const heads = portal.page.locator('.datasets tbody th');
    await heads
      .filter({ hasText: /\b[A-Z][a-z]+-ku\b/ })
      .first()
      .waitFor();
    await portal.settled();
    const names = await heads.allTextContents();
    assert.deepEqual(
      names.filter((name) => name.includes('区')),
      [],
    );
  });

  test('a page on paper is as long as its table, and dark on white', async () => {
    const path = '/?view=datasets&lang=en&theme=dark';
    await using portal = await PortalPage.open(browser, server.address + path, { theme: 'dark' });
    const { page } = portal;
    await page.locator('.datasets tbody tr').first().waitFor();
    await page.emulateMedia({ media: 'print' });
    const row = (await page.locator('.datasets tbody tr').last().boundingBox())!;
    const whole = await page.evaluate<number>('document.documentElement.scrollHeight');
    assert.ok(row.height > 0 && row.y + row.height <= whole, `${row.y} of ${whole}`);
    const ink = await page.evaluate<string>('getComputedStyle(document.documentElement).color');
    assert.equal(ink, 'rgb(22, 36, 43)');
    assert.equal(await page.locator('nav.tabs').isVisible(), false);
  });

  test('buttons of the map are seen in the colours of the system', async () => {
    await using portal = await PortalPage.open(browser, 'about:blank', { theme: 'dark' });
    const { page } = portal;
    await page.emulateMedia({ forcedColors: 'active' });
    await page.goto(`${server.address}/?lang=en`);
    await portal.settled();
    const icon = page.locator('.maplibregl-ctrl-zoom-in .maplibregl-ctrl-icon');
    // White in the dark; the page turned it black on black.
    assert.equal(await icon.evaluate((element) => getComputedStyle(element).filter), 'none');
  });

  test('3D asks for one municipality, and finds others', async () => {
    await using portal = await PortalPage.open(browser, `${server.address}/?lang=en`);
    const { page } = portal;
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.goto(`${server.address}/?view=3d&lang=en`);
    await chooseOsaka(page);
    await page.getByRole('heading', { name: /^Osaka · / }).waitFor();
    assert.ok((await page.getByLabel('Year').locator('option').count()) > 1);
    assert.ok((await nodesOf(page)) < MOST_NODES);
    assert.deepEqual(
      asked.filter((url) => url.includes('citymodel-datasets')),
      [],
    );
    // The catalogue tells of tiles that nobody made.
    await page.goto('about:blank');
    portal.trouble.length = 0;
  });

  test('a municipality that was chosen stays, though the first model is found after it', async () => {
    await using portal = await PortalPage.open(browser, 'about:blank');
    const { page } = portal;
    // The model that is opened unasked is found in the frame in which another one was chosen.
    await page.addInitScript(() => {
      const { fetch } = globalThis;
      const { pushState } = history;
      const chosen = new Promise<void>((resolve) => {
        history.pushState = (...args) => {
          pushState.apply(history, args);
          resolve();
        };
      });
      globalThis.fetch = async (input, init) => {
        const answer = await fetch(input, init);
        const of = /[?&]city_code=(\d+)/.exec(String(input))?.[1];
        if (of === undefined || of === '27100') return answer;
        const found = await answer.text();
        await chosen;
        return Object.assign(new Response(), { text: async () => found });
      };
    });
    await page.goto(`${server.address}/?view=3d&lang=en`);
    await chooseOsaka(page);
    await page.getByRole('heading', { name: /^Osaka · / }).waitFor({ timeout: 20_000 });
    await page.goto('about:blank');
    portal.trouble.length = 0;
  });

  test('a name that comes into the field of municipalities is replaced by what is typed', async () => {
    await using portal = await PortalPage.open(browser, 'about:blank');
    const { page } = portal;
    const held: Route[] = [];
    await page.route(/[?&]city_code=/, (route) => {
      held.push(route);
    });
    const first = page.waitForRequest(/[?&]city_code=/);
    await page.goto(`${server.address}/?view=3d&lang=en`);
    const field = page.getByRole('combobox', { name: 'Municipality' });
    await field.focus();
    await first;
    await page.unroute(/[?&]city_code=/);
    await Promise.all(held.map((route) => route.continue()));
    await page.locator('.city-field input:not(:placeholder-shown)').waitFor();
    await page.keyboard.type('Osaka');
    await page
      .getByRole('option', { name: /^Osaka/ })
      .first()
      .waitFor({ timeout: 20_000 });
    await page.goto('about:blank');
    portal.trouble.length = 0;
  });

  test('the whole country in the basket is refused with a way out', async () => {
    const path = '/?view=basket&lang=ja&area=b:122,24,149,46';
    await using portal = await PortalPage.open(browser, server.address + path);
    const { page } = portal;
    await page.getByText('一つのzipの上限を超えています').waitFor();
    assert.equal(await page.getByRole('button', { name: /zipを作る/ }).isDisabled(), true);
  });

  test('search lands somewhere in every script', async () => {
    await using portal = await PortalPage.open(browser, `${server.address}/?lang=en`);
    const { page } = portal;
    const field = page.getByRole('combobox', { name: 'Search' });
    const heading = page.locator('.picked h2');
    for (const [text, expected] of [
      ['Osaka', 'Osaka'],
      ['おおさか', 'Osaka'],
      ['横浜', 'Yokohama'],
    ] as const) {
      await field.fill(text);
      await field.press('Enter');
      await heading.filter({ hasText: new RegExp(`^${expected}$`) }).waitFor();
      await page.locator('.picked .loading').waitFor({ state: 'detached' });
    }
    // Known to the table, without data: its neighbours are offered.
    const { cities } = await server.json<{ cities: Array<{ code: string }> }>('/datacatalog/summary');
    const without = ['02202', '05202', '46203', '38202'].find(
      (code) => !cities.some((city) => city.code === code),
    )!;
    await field.fill(without);
    await field.press('Enter');
    await page.getByText('No data yet for').waitFor();
    await page.locator('.picked .list a').nth(2).waitFor();
    assert.equal(await page.evaluate('document.activeElement?.tagName'), 'H2');

    // Of a city and a prefecture of one name the map goes to the one that was typed, and the page names it in its own
    // language.
    const isNear = (lng: number, lat: number) =>
      page.waitForURL((to) => {
        const [x, y] = (to.searchParams.get('at') ?? '').split(',').map(Number) as [number, number];
        return Math.hypot(x - lng, y - lat) < 0.05;
      });
    await field.fill('青森市');
    await field.press('Enter');
    await page.getByText('No data yet for Aomori.').waitFor();
    await isNear(140.75, 40.82);
    // More files than anybody lists say where they are by their municipalities.
    await field.fill('hokkaido');
    await field.press('Enter');
    await heading.filter({ hasText: /^Hokkaido$/ }).waitFor();
    await page.waitForURL((to) => Number(to.searchParams.get('at')?.split(',')[1]) > 42);
    await field.fill('34.7,135.5');
    await field.press('Enter');
    await heading.filter({ hasText: /^34.7, 135.5$/ }).waitFor();
    await isNear(135.5, 34.7);

    // What is closed or left gives the focus to what takes its place.
    await page.locator('.picked').getByRole('button', { name: 'Close' }).click();
    await page.locator('h2:focus', { hasText: 'By prefecture' }).waitFor();
    await page.locator('.prefectures button').first().press('Enter');
    await page.locator('h2:focus', { hasText: /^[A-Z][a-z]+$/ }).waitFor();
  });

  test('the basket takes prefectures by name, and offers what is near where there is nothing', async () => {
    await using portal = await PortalPage.open(browser, `${server.address}/?view=basket&lang=en`);
    const { page } = portal;
    const field = page.getByRole('combobox', { name: 'Add a place' });
    const card = page.locator('.card strong');
    await field.fill('東京都');
    await field.press('Enter');
    await card.filter({ hasText: /^Tokyo$/ }).waitFor();
    await hasParameter(page, 'area', 'g:東京都');
    const counts = await server.json<FileCounts>(`/datacatalog/counts/${encodeURIComponent('g:東京都')}`);
    const { files } = totalOf(counts);
    await page.locator('.card').getByText(`${files} files`).waitFor();

    await field.fill('02201');
    await field.press('Enter');
    await page.getByText('No data yet for Aomori.').waitFor();
    const near = page.locator('.notice .list button');
    assert.equal(await near.count(), 3);
    const name = (await near.first().locator('.row-name').textContent())!.split(' ')[0]!;
    await near.first().click();
    await card.nth(1).filter({ hasText: name }).waitFor();
    assert.equal(await near.count(), 0);

    // A service that does not answer does not mean that there is nothing.
    await page.route('**/datacatalog/counts/**', (route) => route.abort());
    await field.fill('yokohama');
    await field.press('Enter');
    const offline = page.getByRole('alert').filter({ hasText: 'The service does not answer.' });
    await offline.waitFor();
    await page.unroute('**/datacatalog/counts/**');
    await offline.getByRole('button', { name: 'Try again' }).click();
    await card.filter({ hasText: /^Yokohama$/ }).waitFor();
    portal.trouble.length = 0;
  });

  test('draws a box and a polygon by touch', async () => {
    const context = await browser.newContext({
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      isMobile: true,
      reducedMotion: 'reduce',
    });
    const page = await context.newPage();
    page.setDefaultTimeout(60_000);
    await page.goto(`${server.address}/?view=basket&lang=en&at=135.5,34.7,12`);
    await page.locator('.maplibregl-canvas').waitFor();
    await page.locator('.stage [aria-busy=false]').waitFor();
    const client = await context.newCDPSession(page);
    const touch = (type: string, points: Array<[number, number]>) =>
      client.send('Input.dispatchTouchEvent', {
        type: type as 'touchStart',
        touchPoints: points.map(([x, y]) => ({ x, y })),
      });
    await page.getByRole('button', { name: 'Box', exact: true }).tap();
    await untilDrawing(page);
    // Below the notice that tiles are missing, and above the panel.
    await touch('touchStart', [[80, 310]]);
    for (let i = 1; i <= 5; i++) await touch('touchMove', [[80 + i * 30, 310 + i * 20]]);
    await touch('touchEnd', []);
    await page.waitForURL(/area=b:/);
    await page.locator('.card').first().waitFor();

    // A corner follows the finger, and the map stays.
    const [drawn, at] = [parameter(page, 'area'), parameter(page, 'at')];
    const corner = (await page.getByRole('button', { name: 'Corner 2 of 4' }).boundingBox())!;
    const [x, y] = [corner.x + corner.width / 2, corner.y + corner.height / 2];
    await touch('touchStart', [[x, y]]);
    for (let i = 1; i <= 4; i++) await touch('touchMove', [[x + i * 6, y + i * 5]]);
    await touch('touchEnd', []);
    await page.waitForURL((to) => to.searchParams.get('area') !== drawn);
    assert.match(parameter(page, 'area')!, /^b:[^~]*$/);
    await hasParameter(page, 'at', at);
    await page.getByRole('button', { name: 'Done' }).tap();

    await page.getByRole('button', { name: 'Polygon', exact: true }).tap();
    await untilDrawing(page);
    for (const [x, y] of [
      [280, 310],
      [350, 310],
      [310, 410],
    ] as const) {
      await page.touchscreen.tap(x, y);
    }
    await page.getByRole('button', { name: 'Undo corner' }).waitFor();
    await page.getByRole('button', { name: 'Done' }).tap();
    await page.waitForURL(/~p:/);
    await page.locator('.card').nth(1).waitFor();
    await context.close();
  });
});

test('an empty catalogue says so, and tells visitors to run nothing', { skip: NO_BROWSER }, async (t) => {
  const empty = join(await tempDirectory(t), 'data');
  await using nothing = await startServer(empty, { reachable: true });
  for (const [path, text] of [
    ['/?lang=en', 'No data has been published here yet'],
    ['/?lang=en&view=datasets', 'No tiles have been published yet.'],
  ] as const) {
    await using portal = await PortalPage.open(browser, nothing.address + path);
    await portal.page.getByText(text).first().waitFor();
    assert.equal(await portal.page.getByText('citymodel ingest').count(), 0);
    await portal.settled();
    await portal.assertAccessible(path);
  }
  // The operator is told what to run; with the token, also where to upload.
  await using withToken = await startServer(join(await tempDirectory(t), 'data'), {
    env: { ADMIN_TOKEN: 'the-operator-has-this-token' },
    reachable: true,
  });
  for (const [of, lang, says, upload] of [
    [nothing, 'en', 'Nothing has been ingested yet.', null],
    [withToken, 'en', 'Nothing has been ingested yet.', "Upload packages on the operator's page"],
    [withToken, 'ja', 'まだ何も取り込まれていません。', '運用者のページでパッケージをアップロードする'],
  ] as const) {
    await using status = await PortalPage.open(browser, `${of.address}/status?lang=${lang}`);
    const notice = status.page.locator('.notice').filter({ hasText: says });
    await notice.getByText(/ ingest path\/to\/package\.zip$/).waitFor();
    await notice.getByText('DATA_DIR').waitFor();
    if (upload === null) assert.equal(await notice.getByRole('link').count(), 0);
    else {
      await notice.getByRole('link', { name: upload }).click();
      await status.page.waitForURL('**/admin');
    }
  }
  await using phone = await PortalPage.open(browser, `${nothing.address}/?lang=en&view=3d`, { phone: true });
  await phone.page.getByText('No 3D Tiles have been published yet.').waitFor();
  const hint = (await phone.page.getByText('No 3D Tiles have been published yet.').boundingBox())!;
  assert.ok(hint.y + hint.height < 844, `${hint.y} of 844`);
  await phone.screenshot('empty-3d-phone');
});
