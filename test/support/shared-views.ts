/** Views of one address in the portal at rest, by a link, and in a frame of another page: pictures that are compared. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Frame, Page } from 'playwright-core';

/** Pixels of the view, everywhere the same, so that pictures can be laid over each other. */
const SIZE = { width: 320, height: 300 };
/** Between two pictures of a view that is looked at until it has what is expected, milliseconds. */
const PAUSE = 150;
const PATIENCE = 60_000;
/** Channels of a pixel that differ by more than rounding. */
const MORE_THAN_ROUNDING = 24;
/** Part of the pixels that may differ: edges, by the order in which tiles came. */
export const SAME = 0.004;

/** A page of another origin with the view in a frame; `send` there posts a command, `reports` are what came back. */
export async function startPageAround(src: string): Promise<AsyncDisposable & { url: string }> {
  const origin = new URL(src).origin;
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(`<!doctype html><title>Around</title><link rel="icon" href="data:,">
      <iframe width="${SIZE.width}" height="${SIZE.height}" style="border:0" title="3D"
        src="${src.replaceAll('&', '&amp;')}"></iframe>
      <script>
        reports = [];
        addEventListener('message', (event) => reports.push(event.data));
        send = (data) => frames[0].postMessage({ protocol: 'citymodel/1', ...data }, '${origin}');
      </script>`);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/**
 * Makes the machine one that is too slow for shadows and corners, whatever it is: a frame with them takes long by the
 * clock of the page.
 */
export async function asSlowMachine(page: Page): Promise<void> {
  await page.addInitScript(`(() => {
    const now = performance.now.bind(performance);
    let passed = 0;
    performance.now = () => now() + passed;
    const gl = WebGL2RenderingContext.prototype;
    const read = gl.readPixels;
    gl.readPixels = function (x, y, width, height, ...rest) {
      if (width === 1 && height === 1) passed += 500;
      return read.call(this, x, y, width, height, ...rest);
    };
  })()`);
}

/** In all pages from now on the model has the same size, and no panel, button or legend lies over it. */
export async function showModelAlone(page: Page): Promise<void> {
  await page.addInitScript(`(() => {
    const style = new CSSStyleSheet();
    style.replaceSync(\`
      .canvas { position: fixed !important; z-index: 99; top: 0; left: 0;
        width: ${SIZE.width}px !important; height: ${SIZE.height}px !important; }
      .panel, .float { display: none !important }
      .ring { visibility: hidden }\`);
    document.adoptedStyleSheets = [style];
  })()`);
}

async function pictureOf(frame: Frame): Promise<string> {
  return (await frame.locator('.cesium-widget canvas').screenshot()).toString('base64');
}

/** The part of the pixels that differ between two pictures. */
export function difference(page: Page, a: string, b: string): Promise<number> {
  return page.evaluate(`(async () => {
    const dataOf = async (picture) => {
      const blob = await (await fetch('data:image/png;base64,' + picture)).blob();
      const image = await createImageBitmap(blob);
      const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
      context.drawImage(image, 0, 0);
      return context.getImageData(0, 0, image.width, image.height).data;
    };
    const [a, b] = [await dataOf('${a}'), await dataOf('${b}')];
    if (a.length !== b.length) return 1;
    let count = 0;
    for (let i = 0; i < a.length; i += 4) {
      if ([0, 1, 2].some((part) => Math.abs(a[i + part] - b[i + part]) > ${MORE_THAN_ROUNDING})) count++;
    }
    return (4 * count) / a.length;
  })()`);
}

/** Looks until the picture no longer changes and `accepts` it; fails with `what` when that never comes. */
export async function pictureWhen(
  page: Page,
  frame: Frame,
  what: string,
  accepts: (picture: string) => Promise<boolean>,
): Promise<string> {
  const end = Date.now() + PATIENCE;
  let last = '';
  while (Date.now() < end) {
    const picture = await pictureOf(frame);
    if (picture === last && (await accepts(picture))) return picture;
    last = picture;
    await page.waitForTimeout(PAUSE);
  }
  return assert.fail(what);
}

/** How many pixels of a picture have these colours, but for rounding. */
export function countColours<K extends string>(
  page: Page,
  picture: string,
  colours: Readonly<Record<K, string>>,
): Promise<Record<K, number>> {
  return page.evaluate(`(async () => {
    const blob = await (await fetch('data:image/png;base64,${picture}')).blob();
    const image = await createImageBitmap(blob);
    const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
    context.drawImage(image, 0, 0);
    const { data } = context.getImageData(0, 0, image.width, image.height);
    const colours = Object.entries(${JSON.stringify(colours)}).map(([name, hex]) => [
      name,
      [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16)),
    ]);
    const counts = Object.fromEntries(colours.map(([name]) => [name, 0]));
    for (let i = 0; i < data.length; i += 4) {
      for (const [name, rgb] of colours) {
        if (rgb.every((value, part) => Math.abs(data[i + part] - value) <= 3)) counts[name]++;
      }
    }
    return counts;
  })()`);
}
