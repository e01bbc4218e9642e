/** The main ways through the portal in Firefox: front page, search, map, 3D, basket. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Firefox, NO_FIREFOX } from './support/firefox.ts';
import { removeDirectory, tempDirectory } from './support/program.ts';
import { startServer, type TestServer } from './support/server.ts';
import { ingestSample } from './support/store.ts';

describe('the portal in Firefox', { skip: NO_FIREFOX, timeout: 300_000 }, () => {
  let directory: string;
  let server: TestServer;
  before(async () => {
    directory = await tempDirectory();
    const { data } = await ingestSample(directory);
    server = await startServer(data, { reachable: true });
  });
  after(async () => {
    await server?.stop();
    await removeDirectory(directory);
  });

  test('is found, searched, drawn on the map and in 3D, and fills the basket', async () => {
    await using firefox = await Firefox.start(directory);
    const rests = `document.querySelector('main:not(:has(.loading, .stage:not([hidden]) [aria-busy=true]))')`;
    await firefox.goto(`${server.address}/?lang=en`);
    await firefox.until(`document.querySelector('.door')`);
    await firefox.until(`document.querySelector('.maplibregl-canvas') && ${rests}`);
    await firefox.evaluate(`document.querySelector('search input').focus()`);
    await firefox.type('47900');
    await firefox.until(`document.querySelector('.picked h2')?.textContent === 'Aonagi'`);
    await firefox.until(rests);
    assert.match(await firefox.evaluate<string>('location.search'), /pick=47900/);

    await firefox.evaluate(`[...document.querySelectorAll('.picked .actions a')]
      .find(({ textContent }) => textContent === 'Download these files').click()`);
    await firefox.until(`document.querySelector('.card[data-area]')`);
    await firefox.until(rests);
    assert.match(await firefox.evaluate<string>('location.search'), /view=basket/);

    // Filters come once tiles with features have come.
    await firefox.evaluate(`document.querySelector('header nav a[href*="view=3d"]').click()`);
    await firefox.until(`document.querySelector('.cesium-widget canvas[data-effects]')`);
    await firefox.until(`/[1-9]\\d* of \\d+ drawn/.test(document.body.innerText)`);
    await firefox.until(rests);
    assert.deepEqual(firefox.trouble, []);
    await firefox.evaluate(`console.error('noticed')`);
    assert.deepEqual(firefox.trouble, ['console: noticed']);
  });
});
