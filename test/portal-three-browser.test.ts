/** The 3D view as people use it, in headless Chromium over the sample city. Screenshots stay in `artefacts/portal`. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { HEIGHT_BOUNDS, numberOf, RAMP, YEAR_BOUNDS } from '../packages/portal/src/three/colouring.ts';
import { CUT_SURFACE } from '../packages/portal/src/three/scene/air.ts';
import { layTerrain } from './support/low-terrain.ts';
import { PHONE, PortalPage, pixelIn, TABLET } from './support/portal-page.ts';
import {
  hasParameter,
  MODEL,
  NO_BROWSER,
  OVER_TOWER,
  parameter,
  tower,
  useSamplePortal,
} from './support/sample-portal.ts';
import {
  asSlowMachine,
  difference,
  pictureWhen,
  SAME,
  showModelAlone,
  startPageAround,
} from './support/shared-views.ts';

const sample = useSamplePortal();
const { open } = sample;

/** Metres that a terrain is below the lowest ground of the town. */
const LOWER = 60;

/** Counts calls that draw into `globalThis.draws`. */
async function countDraws(page: Page): Promise<void> {
  await page.addInitScript(`(() => {
    globalThis.draws = 0;
    const gl = WebGL2RenderingContext.prototype;
    const draw = gl.drawElements;
    gl.drawElements = function (...args) {
      globalThis.draws++;
      return draw.apply(this, args);
    };
  })()`);
}

/** Red, green, blue of a pixel of the view, counted from its middle. */
async function pixelOf(page: Page, right = 0, down = 0): Promise<number[]> {
  return pixelIn(page, await page.locator('.cesium-widget canvas').screenshot(), right, down);
}

describe('the 3D view', { skip: NO_BROWSER, timeout: 800_000 }, () => {
  test('opens on a city, named in words, and finds others', async () => {
    await using portal = await open('/?view=3d&lang=ja');
    const { page } = portal;
    await page.getByRole('heading', { name: '青凪市 · 建築物 · 最高LOD · 最新' }).waitFor();
    await portal.settled();
    await page.getByText('建物をクリックすると').waitFor();
    const field = page.getByRole('combobox', { name: '市区町村' });
    await field.fill('shiomino');
    await page.getByRole('option', { name: /汐見野市/ }).waitFor();
    await field.press('Enter');
    await page.getByRole('heading', { name: '汐見野市 · 建築物 · 最高LOD · 最新' }).waitFor();
    await hasParameter(page, 'model', '47950-bldg-maxlod4-latest');
    await page.getByRole('combobox', { name: '年度', exact: true }).selectOption('2023');
    await page.getByRole('heading', { name: '汐見野市 · 建築物 · 最高LOD · 2023年度' }).waitFor();
    // Its detail by keys: down into the panel, Escape back to its button.
    const detail = page.getByRole('button', { name: '詳細', exact: true });
    await detail.focus();
    await page.keyboard.press('ArrowDown');
    const lod = page.getByRole('combobox', { name: '詳細度' });
    await focused(lod);
    await lod.selectOption('1');
    await page.getByRole('heading', { name: '汐見野市 · 建築物 · LOD 1 · 2023年度' }).waitFor();
    await page.keyboard.press('Escape');
    await lod.waitFor({ state: 'detached' });
    await focused(page.getByRole('button', { name: 'LOD 1' }));
    await portal.settled();
    // How to move was said long enough.
    await page.locator('.gestures').waitFor({ state: 'detached' });
  });

  test('turns, tilts and zooms by keys and buttons, with a reticle for the keys in the frame before', async () => {
    await using portal = await open(`/?view=3d&lang=en&model=${MODEL}`);
    const { page } = portal;
    const canvas = page.getByRole('application', { name: '3D view of the model' });
    await canvas.waitFor();
    await portal.settled();
    const camera = () => parameter(page, 'camera')!.split(',').map(Number);
    const changed = async (act: () => Promise<void>) => {
      const before = camera();
      const text = parameter(page, 'camera');
      await act();
      await page.waitForURL((url) => url.searchParams.get('camera') !== text);
      return { before, after: camera() };
    };
    await canvas.focus();
    // A key is answered by the reticle, and the view moves after that frame.
    await page.evaluate(`document.querySelector('.cesium-widget canvas').addEventListener(
      'keydown',
      ({ target }) => requestAnimationFrame(() => (globalThis.answered = target.dataset.moving !== undefined)),
    )`);
    const turned = await changed(() => page.keyboard.press('e'));
    assert.equal(await page.evaluate('globalThis.answered'), true);
    await page.locator('.cesium-widget canvas:not([data-moving])').waitFor();
    assert.ok(Math.abs(((turned.after[3]! - turned.before[3]! + 540) % 360) - 180) > 10);
    await page.locator('.reticle').waitFor();
    const tilted = await changed(() => page.keyboard.press('PageDown'));
    assert.ok(tilted.after[4]! < tilted.before[4]! - 4);
    const panned = await changed(() => page.keyboard.press('ArrowUp'));
    assert.ok(Math.abs(panned.after[2]! - panned.before[2]!) < 2, 'arrows keep the height');
    const closer = await changed(() => page.getByRole('button', { name: 'Closer' }).click());
    assert.ok(closer.after[2]! < closer.before[2]! - 10);
    const north = await changed(() => page.getByRole('button', { name: /North/ }).click());
    assert.ok(Math.min(north.after[3]!, 360 - north.after[3]!) < 0.2);
  });

  test('draws no line where pictures of the ground meet', async () => {
    const camera = 'camera=129.6879,25.7885,120,20,-25';
    const path = `/?view=3d&lang=en&embed&model=47901_bldg_lod2&${camera}`;
    await using portal = await open(path, { isSharp: true });
    const { page } = portal;
    // Beyond the bounds of a dataset nothing is asked for.
    const missing: string[] = [];
    page.on('response', (response) => {
      if (response.url().endsWith('.mvt') && response.status() === 404) missing.push(response.url());
    });
    await page.setViewportSize({ width: 880, height: 744 });
    await page.locator('canvas[data-effects]').waitFor();
    await portal.settled();
    let found = { road: 0, lines: 0 };
    for (let tries = 0; tries < 20 && found.road < 3_000; tries++) {
      await page.waitForTimeout(300);
      found = await linesIn(page, await page.locator('.cesium-widget canvas').screenshot());
    }
    assert.ok(found.road >= 3_000, `${found.road} pixels of road`);
    assert.ok(found.lines < 200, `${found.lines} pixels of lines`);
    assert.deepEqual(missing, []);
  });

  test('tells of water that is clicked as of a building: class, river, scale and gml:id', async () => {
    const model = '47900-fld_natl_sumimigawa_l2-lod1-latest';
    await using portal = await open(`/?view=3d&lang=en&model=${model}&camera=129.6862,25.7885,500,0,-90`, {
      prepare: countDraws,
    });
    const { page } = portal;
    const heading = 'Aonagi · River flooding Sumimigawa, worst case · LOD 1 · newest';
    await page.getByRole('heading', { name: heading }).waitFor();
    await page.locator('canvas[data-effects]').waitFor();
    await portal.settled();
    // The colour of its depth in the view, and in a legend
    await page.getByRole('heading', { name: 'Depth of water' }).waitFor();
    const legend = page.locator('.water-legend li').filter({ hasText: '5 – 10 m' });
    const paint = await legend
      .locator('.swatch')
      .evaluate((element) => getComputedStyle(element as never).backgroundColor as string);
    const colour = [...paint.matchAll(/\d+/g)].map(Number);
    for (let tries = 0; tries < 40 && !near(await pixelOf(page), colour); tries++)
      await page.waitForTimeout(200);
    assert.ok(near(await pixelOf(page), colour), `${await pixelOf(page)} is not ${colour}`);
    await page.locator('.cesium-widget canvas').click();
    const card = page.locator('section.feature');
    await card.locator('.card-id code', { hasText: /^fld_/ }).waitFor();
    // The tile tells the id at once, the server the rest a moment later.
    await card.locator('.card-facts dt').first().waitFor();
    assert.deepEqual(await card.locator('.card-facts dt').allTextContents(), [
      'Depth',
      'Administered by',
      'Scale',
      'River or source',
    ]);
    assert.match((await card.locator('.card-facts dd').allTextContents()).join(), /^5 m to 10 m,/);
    assert.equal(await card.locator('.notice').count(), 0);
    assert.ok(!(await card.textContent())!.includes('{'), 'no JSON');
    await card.getByRole('link', { name: 'GML file' }).waitFor();
    await card.getByRole('button', { name: 'Close' }).click();
    await card.waitFor({ state: 'detached' });
    // A view that rests is drawn no more, also one straight down.
    let draws = [-1, 0];
    for (let tries = 0; tries < 20 && draws[0] !== draws[1]; tries++) {
      await page.waitForTimeout(700);
      draws = [draws[1]!, await page.evaluate<number>('globalThis.draws')];
    }
    assert.ok(draws[1]! > 0 && draws[0] === draws[1], `drawn on and on: ${draws}`);
  });

  test('shows plain models on land that fades into a sky, smooth again when the view rests', async () => {
    const at = `camera=${tower.lng},${tower.lat - 0.003},180,0,-12`;
    await using portal = await open(`/?view=3d&lang=en&model=47900-bldg-lod1-latest&${at}`, {
      isSharp: true,
      // A machine whose name says nothing is measured.
      async prepare(page) {
        await page.addInitScript(`(() => {
          const gl = WebGL2RenderingContext.prototype;
          const get = gl.getParameter;
          const UNMASKED_RENDERER_WEBGL = 0x9246;
          gl.getParameter = function (name) {
            return name === UNMASKED_RENDERER_WEBGL ? 'a machine' : get.call(this, name);
          };
        })()`);
      },
    });
    const { page } = portal;
    await page.locator('canvas[data-effects]').waitFor();
    await portal.settled();
    const { warm, cool, black, step } = await lightIn(page);
    assert.ok(warm > 500, `${warm} pixels of roofs`);
    assert.ok(cool > 2_000, `${cool} pixels of walls`);
    assert.ok(black < 50, `${black} black pixels`);
    // Along the left edge, where no building stands, nothing is ruled.
    assert.ok(step <= 8, `a step of ${step} between two lines of pixels`);
    // So many pixels that a machine without a graphics card is slow: while it moves, edges are rough.
    await page.evaluate(`(() => {
      const gl = WebGL2RenderingContext.prototype;
      const make = gl.renderbufferStorageMultisample;
      globalThis.smoothed = 0;
      gl.renderbufferStorageMultisample = function (...args) {
        globalThis.smoothed++;
        return make.apply(this, args);
      };
    })()`);
    await page.locator('canvas:is([data-effects=resting], [data-effects=never])').focus();
    await page.keyboard.press('e');
    let smoothed = 0;
    for (let tries = 0; tries < 40 && smoothed === 0; tries++) {
      await page.waitForTimeout(250);
      smoothed = await page.evaluate<number>('globalThis.smoothed');
    }
    assert.ok(smoothed > 0);
  });

  test('draws the colours of the legend, measures from the terrain, and saves a picture', async () => {
    // The tower stands above its terrain: nothing else shows which heights count.
    const { root } = await sample.server.json<{ root: { boundingVolume: { region: number[] } } }>(
      `/datacatalog/3dtiles/${MODEL}/tileset.json`,
    );
    const ground = root.boundingVolume.region[4]! - LOWER;
    await using portal = await open(`/?view=3d&lang=en&model=${MODEL}&colour=height&${OVER_TOWER}`, {
      isSharp: 'half',
      prepare: (page) => layTerrain(page, sample.server, [tower.lng, tower.lat], ground),
    });
    const { page } = portal;
    await page.locator('.scale li').first().waitFor();
    await page.getByText('Heights from the terrain model of 2024').waitFor();
    await portal.settled();
    const expected = RAMP[HEIGHT_BOUNDS.length]!;
    const rgb = [1, 3, 5].map((at) => Number.parseInt(expected.slice(at, at + 2), 16));
    let found: number[] = [];
    // A tile is drawn some time after it has come.
    for (let tries = 0; tries < 20 && !near(found, rgb); tries++) {
      found = await pixelOf(page, 6, 6);
      await page.waitForTimeout(200);
    }
    assert.ok(near(found, rgb), `${found} is not ${rgb}`);
    // From the roof of the tower, beside its mast, to the ground
    await page.getByRole('button', { name: 'Measure' }).click();
    const canvas = page.locator('.cesium-widget canvas');
    const { width, height } = (await canvas.boundingBox())!;
    await canvas.click({ position: { x: width / 2 + 9, y: height / 2 + 9 } });
    await canvas.click({ position: { x: width / 2 + 215, y: height / 2 } });
    const text = (await page.getByText(/ straight, /).textContent())!;
    const [straight, level, down] = [...text.matchAll(/-?[\d.]+(?= m)/g)].map(Number) as number[];
    assert.ok(Math.abs(-down! - (tower.measuredHeight + LOWER)) < 30, text);
    assert.ok(Math.abs(Math.hypot(level!, down!) - straight!) < 1, text);
    // A section along the line, with the tower in it
    const section = page.getByRole('img', { name: /^Section of .*, [\d.]+ m at the highest/ });
    const sectionText = (await section.getAttribute('aria-label'))!;
    assert.ok(
      Math.abs(Number(/([\d.]+) m at/.exec(sectionText)![1]) - (tower.measuredHeight + LOWER)) < 15,
      sectionText,
    );
    await shareByKeys(page);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save a picture' }).press('Enter'),
    ]);
    // A press on the view closes the menu.
    await canvas.click({ position: { x: width / 2, y: height / 2 } });
    await page.getByRole('button', { name: 'Save a picture' }).waitFor({ state: 'detached' });
    assert.equal(download.suggestedFilename(), `${MODEL}.png`);
    // The header of a PNG: every pixel of the view, with lines of credit below.
    const png = await readFile(await download.path());
    const [wide, high, shown] = await canvas.evaluate((element) => {
      const { width, height, clientWidth } = element as unknown as HTMLCanvasElement;
      return [width, height, Math.floor(clientWidth * devicePixelRatio)] as const;
    });
    assert.equal(wide, shown);
    assert.equal(png.readUInt32BE(16), wide);
    const bar = png.readUInt32BE(20) - high;
    assert.ok(bar > 5 && bar < high / 4, `${bar} pixels below ${high}`);

    // Where the system takes all colours away, those of the legend stay.
    const swatch = page.locator('.scale .swatch').nth(HEIGHT_BOUNDS.length);
    await page.emulateMedia({ forcedColors: 'active' });
    assert.deepEqual(await pixelIn(page, await swatch.screenshot()), rgb);
    const chosen = page.locator('.legend-class').nth(HEIGHT_BOUNDS.length);
    await chosen.click();
    await page.locator('.legend-class[aria-pressed=true]').waitFor();
    assert.equal(
      await chosen.evaluate((element) => getComputedStyle(element as never).borderTopWidth),
      '2px',
      'a chosen class has no edge',
    );
    // What is cut through is a surface, not a shell: from above one looks onto the tower's floor.
    await page.evaluate(`history.pushState(null, '', location.href + '&cut=${LOWER + 20}');
      dispatchEvent(new PopStateEvent('popstate'))`);
    const surface = CUT_SURFACE.map((part) => part * 255);
    for (let tries = 0; tries < 40 && !near(found, surface); tries++) {
      found = await pixelOf(page, 6, 6);
      await page.waitForTimeout(200);
    }
    assert.ok(near(found, surface), `${found} is not ${surface}`);
  });

  test('shows all wooden buildings before 1981 in three clicks, and gives the same as data', async () => {
    // Every building has LOD 1. Wards are of both kinds of tiles, glTF and b3dm.
    await using portal = await open('/?view=3d&lang=en&model=47900-bldg-maxlod1-latest');
    const { page } = portal;
    await portal.settled();
    const dock = page.getByRole('region', { name: 'Filters' });
    await dock.waitFor();
    const everything = await sample.server.json<{
      features: Array<{ properties: Record<string, unknown> }>;
    }>((await page.getByRole('link', { name: 'GeoJSON' }).getAttribute('href'))!);
    for (const [title, property, bounds] of [
      ['Height (m)', 'bldg:measuredHeight', HEIGHT_BOUNDS],
      ['Built', 'bldg:yearOfConstruction', YEAR_BOUNDS],
    ] as const) {
      const expected = new Array<number>(bounds.length + 2).fill(0);
      for (const { properties } of everything.features) {
        const value = numberOf(properties[property]);
        expected[value === null ? bounds.length + 1 : bounds.filter((bound) => bound <= value).length]!++;
      }
      const facet = page.locator('.facet').filter({ has: page.getByRole('heading', { name: title }) });
      assert.deepEqual(
        (await countsIn(facet)).map(({ all }) => all),
        expected,
        title,
      );
      const bars = await facet
        .locator('.bar-all')
        .evaluateAll((all) =>
          all.map((element) =>
            Number.parseFloat((element as unknown as { style: { height: string } }).style.height),
          ),
        );
      assert.equal(bars.indexOf(Math.max(...bars)), expected.indexOf(Math.max(...expected)), title);
    }
    await page.getByRole('button', { name: /^Wood, or clay walls/ }).click();
    await page.getByRole('button', { name: 'Before 1981' }).click();
    await hasParameter(page, 'where', 'uro:buildingStructureType=木造・土蔵造;bldg:yearOfConstruction<1981');
    // A choice narrows the counts of the other facets, and not its own.
    const built = page.locator('.facet').filter({ has: page.getByRole('heading', { name: 'Built' }) });
    const wooden = await page.getByRole('button', { name: /^Wood, or clay walls/ }).textContent();
    const status = page.getByRole('status').filter({ hasText: 'drawn' });
    const drawn = Number(/^(\d+) of/.exec((await status.textContent())!.trim())![1]);
    const href = await page.getByRole('link', { name: 'GeoJSON' }).getAttribute('href');
    const { features } = await sample.server.json<{
      features: Array<{ properties: Record<string, unknown> }>;
    }>(href!);
    assert.ok(drawn > 0);
    assert.equal(features.length, drawn);
    assert.equal(Number(/\d+$/.exec(wooden!)![0]), drawn);
    const left = await countsIn(built);
    const wood = everything.features.filter(
      ({ properties }) =>
        properties['uro:buildingDetailAttribute.uro:buildingStructureType'] === '木造・土蔵造',
    );
    assert.equal(
      left.reduce((sum, one) => sum + one.left, 0),
      wood.length,
    );
    assert.ok(left.some((one) => one.left < one.all));
    // Each is a chip, and goes by a click on it.
    await page.getByRole('button', { name: 'Built < 1981' }).click();
    await hasParameter(page, 'where', 'uro:buildingStructureType=木造・土蔵造');
    // A range by dragging over bars
    const bars = built.locator('.histogram button');
    await bars.nth(2).hover();
    await page.mouse.down();
    await bars.nth(4).hover();
    await page.mouse.up();
    await hasParameter(
      page,
      'where',
      'uro:buildingStructureType=木造・土蔵造;bldg:yearOfConstruction>=1961;bldg:yearOfConstruction<1991',
    );
    await dock.getByRole('button', { name: 'Fold filters' }).click();
    await built.waitFor({ state: 'detached' });
    for (const { properties } of features) {
      assert.ok(Number(properties['bldg:yearOfConstruction']) < 1981);
      assert.equal(properties['uro:buildingDetailAttribute.uro:buildingStructureType'], '木造・土蔵造');
    }
    await page.getByRole('button', { name: 'Show all again' }).click();
    await hasParameter(page, 'where', null);
  });

  test('a link opens its building; a click is answered by a ring, and then looked at', async () => {
    const path = `/?view=3d&lang=en&model=${MODEL}&${OVER_TOWER}&feature=${tower.id}`;
    await using portal = await open(path, { losesGraphics: true });
    const { page } = portal;
    const panel = page.locator('.feature');
    await panel.getByRole('definition').getByText('318.5 m').waitFor();
    await panel.getByText(/steel/i).first().waitFor();
    // What stays Japanese is told so to who reads it out.
    assert.match((await panel.locator('.card-facts [lang=ja]').first().textContent())!, /\p{Script=Han}/u);
    await panel.getByText('Code for this id').click();
    assert.match((await panel.locator('pre').first().textContent())!, /^curl 'http.*attributes/);
    await panel.getByRole('button', { name: 'Close' }).click();
    await panel.waitFor({ state: 'detached' });
    await page.getByText('Click a building').waitFor();
    await page.evaluate(`(() => {
      globalThis.frames = { now: 0, ring: null, card: null };
      const count = () => requestAnimationFrame(() => (frames.now++, count()));
      count();
      new MutationObserver(() => {
        if (document.querySelector('.ring.shown') !== null) frames.ring ??= frames.now;
        if (document.querySelector('.feature') !== null) frames.card ??= frames.now;
      }).observe(document.body, { subtree: true, childList: true, attributes: true });
    })()`);
    await page.locator('.cesium-widget canvas').click();
    await page.locator('.feature dd').getByText('318.5 m').waitFor();
    const { ring, card } = await page.evaluate<{ ring: number | null; card: number }>('globalThis.frames');
    assert.ok(ring !== null && ring < card, `ring in frame ${ring}, card in frame ${card}`);
    await page.locator('.ring:not(.shown)').waitFor({ state: 'attached' });
    // A window of middle width has room for the names of kinds.
    await page.setViewportSize({ width: 1120, height: 900 });
    const row = page.locator('.facet-row');
    await row.getByText('Structure', { exact: true }).waitFor();
    const { width } = (await row.boundingBox())!;
    assert.ok(width >= 700, `${width} pixels for the filters`);
    // A view that can draw no more says so: it would be blank.
    await page.evaluate(
      `document.querySelector('.cesium-widget canvas').getContext('webgl2')
        .getExtension('WEBGL_lose_context').loseContext()`,
    );
    await page.getByRole('alert').getByText('Drawing has stopped.').waitFor();
    portal.trouble.splice(0);
  });

  test('never says that a model is empty while its tiles are on their way', async () => {
    await using portal = await open('/?view=datasets&lang=en');
    const { page } = portal;
    await page.addInitScript(`(() => {
      // A machine that draws a frame now and then only.
      const frame = requestAnimationFrame.bind(globalThis);
      globalThis.requestAnimationFrame = (run) => frame(() => setTimeout(() => run(performance.now()), 700));
      globalThis.said = false;
      globalThis.heights = [];
      const replace = history.replaceState.bind(history);
      history.replaceState = (state, title, to) => {
        const camera = new URL(to, location.href).searchParams.get('camera');
        if (camera !== null) globalThis.heights.push(Number(camera.split(',')[2]));
        replace(state, title, to);
      };
      new MutationObserver(() => {
        globalThis.said ||= /has no features/.test(document.body?.textContent ?? '');
      }).observe(document, { subtree: true, childList: true, characterData: true });
    })()`);
    await page.goto(`${sample.server.address}/?view=3d&lang=en&model=47900-bldg-lod1-latest`);
    await page.getByText('Click a building').waitFor();
    assert.equal(await page.evaluate('globalThis.said'), false);
    const heights = await page.evaluate<number[]>('globalThis.heights');
    assert.ok(
      heights.length > 0 && Math.max(...heights) < 10_000,
      `the address has the city alone: ${heights}`,
    );
  });

  test('leaves map and model room beside the panel in a low and narrow window', async () => {
    await using portal = await open('/?lang=en', {
      prepare: (page) => page.setViewportSize({ width: 640, height: 400 }),
    });
    const { page } = portal;
    for (const path of [null, `/?view=3d&lang=en&model=${MODEL}`]) {
      if (path !== null) await page.goto(sample.server.address + path);
      await page.locator('.panel').waitFor();
      const panel = (await page.locator('.panel').boundingBox())!;
      const stage = (await page.locator('.stage:visible').boundingBox())!;
      assert.ok(stage.width >= 320 && stage.height >= 250, `${stage.width} × ${stage.height}`);
      assert.ok(panel.x + panel.width <= stage.x + 1, 'the panel lies beside');
      assert.ok(Math.abs(panel.height - stage.height) < 2, 'and is as tall');
      await portal.settled();
    }
  });

  test('shows each parameter of an address alike in the portal, by a link and in a frame', async () => {
    const flood = '47900-fld_natl_sumimigawa_l2-lod1-latest';
    // Several at once where each is seen beside the others, since opening a link takes longest.
    const groups: Array<Array<[name: string, value: string | number | string[]]>> = [
      [
        ['theme', 'dark'],
        ['colour', 'height'],
        ['feature', tower.id],
        ['sun', 18],
        ['cut', 10],
        ['also', [flood]],
        ['opacity', [`${MODEL}:30`]],
      ],
      [
        ['model', '47950-bldg-maxlod2-latest'],
        ['where', 'bldg:measuredHeight<10'],
      ],
      [
        ['older', 2023],
        ['border', 50],
      ],
    ];
    const parameters = groups.flat();
    const nameOf = (group: typeof parameters) => group.map(([name]) => name).join(' and ');
    // Of another model, which has two editions and lies elsewhere
    const ofAnother = new Set(groups.slice(1).flatMap((group) => group.map(([name]) => name)));
    const twoYears = '47950-bldg-maxlod2-latest';
    const base = `/?view=3d&lang=en&model=${MODEL}&camera=129.689546,25.786596,491.8,336,-32`;
    const addressWith = (...changes: typeof parameters) => {
      const url = new URL(base, sample.server.address);
      for (const [name, value] of changes) url.searchParams.set(name, String(value));
      if (changes.some(([name]) => ofAnother.has(name))) {
        url.searchParams.delete('camera');
        url.searchParams.set('model', twoYears);
      }
      return url.pathname + url.search;
    };
    await using portal = await open('/?view=datasets&lang=en', { isSharp: 'half' });
    const { page } = portal;
    // Some forty pictures are drawn by software.
    await page.setViewportSize({ width: 640, height: 400 });
    await asSlowMachine(page);
    await showModelAlone(page);
    const links = new Map<string, string>();
    const openLink = async (what: string, address: string, differsFrom: string | null) => {
      await page.goto(sample.server.address + address);
      await page.locator('canvas[data-effects=never]').waitFor();
      await portal.settled();
      // Colours of two editions come after their models.
      if (address.includes('&older=')) await page.locator('.became').waitFor({ state: 'attached' });
      return pictureWhen(page, page.mainFrame(), `a link with ${what}`, async (picture) =>
        differsFrom === null ? true : (await difference(page, differsFrom, picture)) > SAME,
      );
    };
    const plain = await openLink('nothing', base, null);
    for (const group of groups) {
      const name = nameOf(group);
      links.set(name, await openLink(name, addressWith(...group), plain));
    }
    const is = (expected: string) => async (picture: string) =>
      (await difference(page, expected, picture)) < SAME;
    const differsFrom = (other: string) => async (picture: string) =>
      (await difference(page, other, picture)) > SAME;
    // In the portal at rest, by going forth and back
    for (const group of groups.toReversed()) {
      const name = nameOf(group);
      await page.evaluate(`history.pushState(null, '', '${addressWith(...group)}');
        dispatchEvent(new PopStateEvent('popstate'))`);
      await pictureWhen(page, page.mainFrame(), `${name} in the portal`, is(links.get(name)!));
    }
    // The first ones, which the portal shows at the end, in the address of a frame
    const first = nameOf(groups[0]!);
    const legend = await page.locator('.panel .scale li').allTextContents();
    await using around = await startPageAround(`${sample.server.address}${addressWith(...groups[0]!)}&embed`);
    await page.goto(around.url);
    const frame = page.frames()[1]!;
    await frame.locator('canvas[data-effects=never]').waitFor();
    await pictureWhen(page, frame, `${first} in a frame`, is(links.get(first)!));
    assert.deepEqual(await frame.locator('.frame-legend .scale li').allTextContents(), legend);
    assert.match(
      (await frame.locator('.embed-foot').textContent())!,
      /^Aonagi · Buildings .*CC BY 4\.0.*http/,
    );
    // By messages, one after the other, each of which changes the picture
    const send = (change: (typeof parameters)[number] | [string, null]) => {
      const [name, value] = change;
      const message = name === 'feature' ? { type: 'pick', id: value } : { type: 'show', [name]: value };
      return page.evaluate(`send(${JSON.stringify(message)})`);
    };
    for (const [name] of parameters) if (!ofAnother.has(name)) await send([name, null]);
    await pictureWhen(page, frame, 'nothing in a frame', is(plain));
    for (const group of groups) {
      // The last ones: nothing brings the model back to the same place.
      if (ofAnother.has(group[0]![0])) continue;
      let last = plain;
      for (const change of group) {
        await send(change);
        const isWhole = change === group.at(-1);
        const expected = isWhole ? is(links.get(nameOf(group))!) : differsFrom(last);
        const picture = await pictureWhen(page, frame, `${change[0]} by a message`, expected);
        assert.ok(await differsFrom(last)(picture), `${change[0]} is not seen beside the others`);
        last = picture;
      }
      for (const [name] of group) await send([name, null]);
      await pictureWhen(page, frame, `no more ${nameOf(group)}`, is(plain));
    }
    const [[model, where], [older, border]] = groups.slice(1) as [typeof parameters, typeof parameters];
    await send(model!);
    await send(where!);
    const filtered = links.get(nameOf([model!, where!]))!;
    await pictureWhen(page, frame, 'model and where by messages', is(filtered));
    await send([where![0], null]);
    const alone = await pictureWhen(page, frame, 'model without where', differsFrom(filtered));
    await send(older!);
    const both = links.get(nameOf([older!, border!]))!;
    await pictureWhen(
      page,
      frame,
      'older by a message',
      async (picture) => (await differsFrom(alone)(picture)) && (await differsFrom(both)(picture)),
    );
    await send(border!);
    await pictureWhen(page, frame, 'border by a message', is(both));
  });

  test('leaves out of a link what is not there or not understood, says so, and shows the rest', async () => {
    const bad = 'also=47900-gone-latest&sun=99&colour=nothing&where=height';
    await using portal = await open(`/?view=3d&lang=en&model=${MODEL}&${bad}`);
    const { page } = portal;
    const notice = page.locator('.left-out .notice');
    for (const part of bad.split('&')) await notice.getByText(part).waitFor();
    await page.getByText('Click a building').waitFor();
    await page.getByRole('combobox', { name: 'Colour', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Measure' }).waitFor();
    for (const name of ['also', 'sun', 'colour', 'where']) await hasParameter(page, name, null);
    await notice.getByRole('button', { name: 'Close' }).click();
    await notice.waitFor({ state: 'detached' });
    // A year that is not published: the newest of the city
    await page.goto(`${sample.server.address}/?view=3d&lang=en&model=47950-bldg-lod1-2001`);
    await notice.getByText('model=47950-bldg-lod1-2001').waitFor();
    await page.getByRole('heading', { name: 'Shiomino · Buildings · highest detail · newest' }).waitFor();
    await portal.settled();
    // The browser tells of each 404.
    portal.trouble.length = 0;
  });

  test('says what could not be fetched, code or tiles, and asks for it again', async () => {
    await using portal = await open(`/?view=3d&lang=en&model=${MODEL}`, {
      async prepare(page) {
        await page.route('**/*.glb', (route) => route.fulfill({ status: 404 }));
        await page.route('**/*.b3dm', (route) => route.fulfill({ status: 404 }));
        // The code of the view itself cannot be fetched.
        await page.route('**/tile-scene*.js', (route) => route.abort());
      },
    });
    const { page } = portal;
    const offline = page.getByRole('alert').filter({ hasText: 'The service does not answer.' });
    await offline.waitFor();
    await page.unroute('**/tile-scene*.js');
    await offline.getByRole('button', { name: 'Try again' }).click();
    const notice = page.getByRole('alert').filter({ hasText: /tiles missing/ });
    await notice.waitFor();
    assert.equal(await page.getByText('Click a building').count(), 0);
    // Nor does the service answer now: what is there stays.
    await page.route('**/tileset.json', (route) => route.abort());
    const refused = page.waitForEvent('requestfailed');
    await notice.getByRole('button', { name: 'Try again' }).click();
    await refused;
    await page.unroute('**/tileset.json');
    await page.unroute('**/*.glb');
    await page.unroute('**/*.b3dm');
    await notice.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Click a building').waitFor();
    await notice.waitFor({ state: 'detached' });
    // The browser tells of each 404.
    portal.trouble.length = 0;
  });

  test('obeys the page around it, and tells it what is picked', async () => {
    // Another origin, as the page of somebody else is.
    const pages = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html; charset=utf-8');
      response.end(`<!doctype html><title>Around</title><link rel="icon" href="data:,">
        <iframe width="800" height="600" title="3D" src="${sample.server.address}/?view=3d&embed&lang=en&model=\
${MODEL}&${OVER_TOWER}"></iframe>
        <script>
          reports = [];
          addEventListener('message', (event) => reports.push(event.data));
          send = (data) => frames[0].postMessage({ protocol: 'citymodel/1', ...data }, '${sample.server.address}');
        </script>`);
    }).listen(0, '127.0.0.1');
    await once(pages, 'listening');
    try {
      await using portal = await PortalPage.open(
        sample.browser,
        `http://127.0.0.1:${(pages.address() as AddressInfo).port}/`,
      );
      const { page } = portal;
      const report = (type: string) =>
        page.waitForFunction(
          `globalThis.reports.find((report) => report.protocol === 'citymodel/1' && report.type === '${type}')`,
        );
      await report('ready');
      await report('loaded');
      const frame = page.frameLocator('iframe');
      assert.equal(await frame.locator('header').count(), 0);
      assert.equal(await frame.locator('.gestures').count(), 0, 'nothing lies over the model');
      await page.evaluate(`send({ type: 'jump' })`);
      await report('failed');
      // What is in view has to have come before it can be picked.
      for (let tries = 0; tries < 40; tries++) {
        await page.evaluate(`send({ type: 'pick', id: '${tower.id}' })`);
        await page.waitForTimeout(250);
        if (await page.evaluate(`reports.some(({ type, id }) => type === 'picked' && id === '${tower.id}')`))
          break;
      }
      const picked = await page.evaluate<{ properties: Record<string, unknown> }>(
        `reports.find(({ type, id }) => type === 'picked' && id === '${tower.id}')`,
      );
      assert.ok(Object.values(picked.properties).includes(318.5), JSON.stringify(picked.properties));
      await page.evaluate(
        `send({ type: 'fly', lng: ${tower.lng}, lat: ${tower.lat - 0.002}, height: 300, heading: 0, pitch: -40 })`,
      );
      await page.waitForFunction(
        `reports.some(({ type, camera }) => type === 'camera' && Math.abs(camera[2] - 300) < 1)`,
      );
    } finally {
      pages.close();
      pages.closeAllConnections();
    }
  });

  const CARD = `/?view=3d&model=${MODEL}&colour=use&sun=15&feature=${tower.id}&where=${encodeURIComponent(
    'bldg:measuredHeight>=6;uro:buildingStructureType=鉄骨造',
  )}`;

  test('a card is accessible on a desk, a tablet and a phone, by day and in the dark', async () => {
    await using portal = await open(CARD, { lang: 'ja' });
    const { page } = portal;
    await page.locator('.feature .card-id').waitFor();
    for (const isTablet of [false, true]) {
      if (isTablet) {
        await page.getByText('English', { exact: true }).click();
        await page.locator('html[lang=en]').waitFor();
        await page.setViewportSize(TABLET);
      }
      await portal.settled();
      const title = `3d-card-${isTablet ? 'tablet-light-en' : 'desktop-light-ja'}`;
      await portal.assertAccessible(title);
      await portal.screenshot(title);
      await page.emulateMedia({ colorScheme: 'dark' });
      await page.locator('html[data-theme=dark]').waitFor();
      await portal.assertAccessible(`${title} in dark colours`, { colours: true });
      if (isTablet) break;
      await page.emulateMedia({ colorScheme: 'light' });
      await page.locator('html[data-theme=light]').waitFor();
    }
    await page.setViewportSize(PHONE);
    await portal.settled();
    await assertPhone(page);
    await portal.assertAccessible('3d-card-phone-dark-en');
    await portal.screenshot('3d-card-phone-dark-en');
    await page.emulateMedia({ colorScheme: 'light' });
    await page.locator('html[data-theme=light]').waitFor();
    await portal.assertAccessible('3d-card-phone-dark-en in light colours', { colours: true });
  });
});

/**
 * Pixels of the view that are warm, cool and black, and the largest step of brightness between lines at its left edge
 * in the upper half, where land meets sky.
 */
async function lightIn(page: Page): Promise<{ warm: number; cool: number; black: number; step: number }> {
  const picture = await page.locator('.cesium-widget canvas').screenshot();
  return page.evaluate(`(async () => {
    const blob = await (await fetch('data:image/png;base64,${picture.toString('base64')}')).blob();
    const image = await createImageBitmap(blob);
    const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
    context.drawImage(image, 0, 0);
    const { data } = context.getImageData(0, 0, image.width, image.height);
    let [warm, cool, black, step, last] = [0, 0, 0, 0, null];
    for (let y = 0; y < image.height; y++) {
      for (let x = 0; x < image.width - 60; x++) {
        const [r, g, b] = data.subarray((y * image.width + x) * 4);
        if (y > image.height / 3 && r - b > 12 && r > 170) warm++;
        if (y > image.height / 3 && b - r > 6) cool++;
        if (r + g + b < 90) black++;
      }
      const [r, g, b] = data.subarray((y * image.width + 3) * 4);
      if (last !== null && y < image.height / 2) step = Math.max(step, Math.abs(r + g + b - last) / 3);
      last = r + g + b;
    }
    return { warm, cool, black, step };
  })()`);
}

/** What the bars of a facet say: features of each class, and those that the other choices leave. */
async function countsIn(facet: Locator): Promise<Array<{ left: number; all: number }>> {
  const labels = await facet
    .locator('button[aria-label]')
    .evaluateAll((all) => all.map((element) => element.getAttribute('aria-label')!));
  return labels.map((label) => {
    const [, left, all] = /: (\d+) of (\d+)$/.exec(label)!;
    return { left: Number(left), all: Number(all) };
  });
}

/** In a part of a picture: pixels between white ones, and those of them that are not white. */
function linesIn(page: Page, picture: Buffer): Promise<{ road: number; lines: number }> {
  return page.evaluate(`(async () => {
    const blob = await (await fetch('data:image/png;base64,${picture.toString('base64')}')).blob();
    const image = await createImageBitmap(blob);
    const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
    context.drawImage(image, 0, 0);
    const [left, top, width, height] = [200, 240, 200, 320];
    const { data } = context.getImageData(left - 7, top, width + 14, height);
    const red = (x, y) => data[(y * (width + 14) + x + 7) * 4];
    let [road, lines] = [0, 0];
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        if (red(x - 7, y) <= 250 || red(x + 7, y) <= 250) continue;
        road++;
        if (red(x, y) < 245) lines++;
      }
    }
    return { road, lines };
  })()`);
}

/**
 * The model fills the screen, the card comes up over it, and both leave the buttons free, which are as large as a
 * finger.
 */
async function assertPhone(page: Page): Promise<void> {
  const boxOf = async (selector: string) => (await page.locator(selector).first().boundingBox())!;
  const [main, canvas, sheet, tools] = await Promise.all(
    ['main', '.cesium-widget canvas', '.panel', '.view-tools'].map(boxOf),
  );
  assert.deepEqual(canvas, main);
  assert.ok(sheet!.y > main!.y + main!.height * 0.4 && sheet!.y < main!.y + main!.height * 0.6);
  assert.ok(tools!.y + tools!.height <= sheet!.y, 'the buttons are under the sheet');
  const small = await page
    .locator(':is(.panel, .bench) :is(button, select, summary, input[type=text]), .stage button')
    .evaluateAll((elements) =>
      elements
        .filter((element) => element.checkVisibility() && element.getBoundingClientRect().height < 44)
        .map((element) => element.outerHTML.slice(0, 120)),
    );
  assert.deepEqual(small, []);
}

/** Opens the menu of what goes to others: it has the link, the code of a frame and a picture, and keys go through it. */
async function shareByKeys(page: Page): Promise<void> {
  const share = page.getByRole('button', { name: 'Share' });
  await share.focus();
  await page.keyboard.press('Enter');
  assert.equal(await share.getAttribute('aria-expanded'), 'true');
  await page.keyboard.press('Tab');
  const copyLink = page.getByRole('button', { name: 'Copy: Link to this view' });
  await focused(copyLink);
  await page.keyboard.press('Enter');
  await copyLink.getByText('Copied').waitFor();
  const link = new URL(await page.evaluate<string>('navigator.clipboard.readText()'));
  assert.equal(link.origin, sample.server.address);
  assert.equal(link.searchParams.get('model'), MODEL);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Copy: Code to embed it' }).getByText('Copied').waitFor();
  assert.match(
    await page.evaluate<string>('navigator.clipboard.readText()'),
    /^<iframe src="http.*&amp;embed/,
  );
  await page.keyboard.press('Escape');
  await focused(share);
  assert.equal(await share.getAttribute('aria-expanded'), 'false');
  assert.equal(await copyLink.count(), 0);
  // Tab past its end closes it as well.
  await page.keyboard.press('ArrowDown');
  for (let n = 0; n < 3; n++) await page.keyboard.press('Tab');
  await copyLink.waitFor({ state: 'detached' });
  await share.press('Enter');
}

async function focused(element: Locator): Promise<void> {
  await element.and(element.page().locator(':focus')).waitFor();
}

/** Within what rounding and smoothing change. */
function near(found: readonly number[], expected: readonly number[]): boolean {
  return found.length === 3 && found.every((part, i) => Math.abs(part - expected[i]!) <= 6);
}
