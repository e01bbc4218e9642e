/** Pictures in pages, in both themes: of a city, on the front page and in the list of data. Nothing around them moves. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { launch, PortalPage } from './support/portal-page.ts';
import { removeDirectory, runProgram, tempDirectory } from './support/program.ts';
import { NO_BROWSER } from './support/sample-portal.ts';
import { startServer, type TestServer } from './support/server.ts';
import { ingestSample } from './support/store.ts';

/** The one that is drawn: the best of its city. */
const DRAWN = '47900_aonagi-shi_city_2024_citygml_1_op_bldg_3dtiles_47901_minatomi-ku_lod2';
/** Cumulative layout shift (web.dev/cls). */
const MOST_SHIFT = 0.02;

describe('pictures in pages', { skip: NO_BROWSER, timeout: 300_000 }, () => {
  let directory: string;
  let browser: Browser;
  let server: TestServer;

  before(async () => {
    directory = await tempDirectory();
    const { data } = await ingestSample(directory);
    const drawn = await runProgram(['reindex', DRAWN], { DATA_DIR: data, PICTURES: 'published' });
    assert.equal(drawn.code, 0, drawn.stderr);
    server = await startServer(data, { reachable: true });
    browser = await launch();
  });

  after(async () => {
    await browser?.close();
    await server?.stop();
    await removeDirectory(directory);
  });

  /** Width of the picture that is shown at a selector, its address, and how much has moved until then. */
  async function shown({ page }: PortalPage, selector: string) {
    const image = page.locator(selector).first();
    await image.waitFor();
    await image.scrollIntoViewIfNeeded();
    return page.evaluate<{
      naturalWidth: number;
      currentSrc: string;
      alt: string;
      shift: number;
    }>(`(async () => {
      const image = document.querySelector(${JSON.stringify(selector)});
      await image.decode();
      let shift = 0;
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) if (!entry.hadRecentInput) shift += entry.value;
      }).observe({ type: 'layout-shift', buffered: true });
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
      const { naturalWidth, currentSrc, alt } = image;
      return { naturalWidth, currentSrc, alt, shift };
    })()`);
  }

  for (const theme of ['light', 'dark'] as const) {
    it(`the page of a city begins with it (${theme})`, async () => {
      await using opened = await PortalPage.open(browser, `${server.address}/city/47900?lang=en`, { theme });
      const { naturalWidth, currentSrc, alt, shift } = await shown(opened, '.look img');
      assert.equal(naturalWidth, 1200);
      assert.match(currentSrc, new RegExp(`_picture-[0-9a-f]{16}-${theme}-large\\.jpg$`));
      assert.match(alt, /^3D city model of Aonagi/);
      assert.ok(shift < MOST_SHIFT, `${shift}`);
      await opened.assertAccessible(`pictures-city-${theme}`);
      await opened.screenshot(`pictures-city-${theme}`);
    });

    it(`the first door of the front page shows its city (${theme})`, async () => {
      await using opened = await PortalPage.open(browser, `${server.address}/?lang=en`, { theme });
      const { naturalWidth, currentSrc, shift } = await shown(opened, '.door.city img');
      assert.equal(naturalWidth, 600);
      assert.match(currentSrc, new RegExp(`-${theme}-small\\.jpg$`));
      assert.ok(shift < MOST_SHIFT, `${shift}`);
      await opened.screenshot(`pictures-front-${theme}`);
    });
  }

  it('details of a dataset show it', async () => {
    const address = `${server.address}/?lang=en&view=datasets&row=47901_bldg_lod2`;
    await using opened = await PortalPage.open(browser, address, { theme: 'dark' });
    const { naturalWidth, currentSrc, alt } = await shown(opened, '.dataset .dataset-picture');
    assert.equal(naturalWidth, 600);
    assert.match(currentSrc, /_bldg_3dtiles_47901_minatomi-ku_lod2[^/]*-dark-small\.jpg$/);
    assert.match(alt, /Buildings/);
    await opened.screenshot('pictures-details');
  });

  for (const size of ['desktop', 'phone'] as const) {
    it(`rows of the list show it beside the name (${size})`, async () => {
      const address = `${server.address}/?lang=en&view=datasets&type_en=bldg&lod=2`;
      await using opened = await PortalPage.open(browser, address, size === 'phone' ? { phone: true } : {});
      const { naturalWidth, currentSrc, alt, shift } = await shown(opened, '.datasets th .dataset-picture');
      assert.equal(naturalWidth, 600);
      assert.match(currentSrc, /47901_minatomi-ku_lod2[^/]*-light-small\.jpg$/);
      assert.equal(alt, '', 'the name stands beside it');
      assert.ok(shift < MOST_SHIFT, `${shift}`);
      const boxes = await opened.page.evaluate<Array<[picture: number, text: number, inRow: boolean]>>(`
        [...document.querySelectorAll('.datasets th .dataset-picture')].map((image) => {
          const row = image.closest('th');
          const range = document.createRange();
          range.selectNodeContents(row);
          range.setStartAfter(image);
          const [box, outer] = [image.getBoundingClientRect(), row.closest('tr').getBoundingClientRect()];
          const isIn = box.top >= outer.top && box.bottom <= outer.bottom;
          return [box.right, range.getBoundingClientRect().left, isIn];
        })`);
      assert.ok(boxes.length > 0);
      for (const [picture, text, inRow] of boxes)
        assert.ok(picture < text && inRow, `${picture} ${text} ${inRow}`);
      await opened.assertAccessible(`pictures-rows-${size}`);
      await opened.screenshot(`pictures-rows-${size}`);
    });
  }

  it('sites that show a link get a picture of what it is about', async () => {
    const of = async (path: string) => {
      const { text } = await server.request(path);
      const found = [...text.matchAll(/(?:property|name)="((?:og|twitter):[\w:]+)" content="([^"]*)"/g)];
      return new Map(found.map(([, name, content]) => [name!, content!]));
    };
    for (const path of ['/', '/?pick=47900', '/?view=datasets&row=47901_bldg_lod2', '/city/47900']) {
      const words = await of(path);
      const image = await server.request(server.pathOf(words.get('og:image')!));
      assert.equal(image.status, 200, path);
      assert.equal(image.headers['content-type'], words.get('og:image:type'), path);
      assert.deepEqual([words.get('og:image:width'), words.get('og:image:height')], ['1200', '630'], path);
      assert.equal(words.get('twitter:card'), 'summary_large_image', path);
      assert.equal(words.get('twitter:image'), words.get('og:image'), path);
      assert.equal(words.get('twitter:image:alt'), words.get('og:image:alt'), path);
      assert.match(words.get('og:image')!, /-light-large\.jpg$/, path);
    }
    const row = await of('/?view=datasets&row=47901_bldg_lod2');
    assert.match(row.get('og:image')!, /47901_minatomi-ku_lod2/);
  });
});
