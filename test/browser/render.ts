import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, chromium, type LaunchOptions } from 'playwright-core';
import { startStaticServer } from './static-server.ts';

/**
 * How a browser draws on a machine without a graphics card: WebGL 2 in software, the page itself by the processor. Mesa
 * keeps the shaders that it has compiled, and Chromium's own SwiftShader compiles them for each page again: that takes
 * a quarter more time for 3D.
 */
export const SOFTWARE_GL: Pick<LaunchOptions, 'args' | 'env'> = [
  '/usr/lib/*/libEGL.so.1',
  '/usr/lib/*/dri/swrast_dri.so',
  '/usr/share/glvnd/egl_vendor.d/*mesa.json',
].every((file) => globSync(file).length > 0)
  ? {
      args: [
        '--no-sandbox',
        '--use-gl=angle',
        '--use-angle=gl-egl',
        '--ozone-platform=headless',
        '--ignore-gpu-blocklist',
        '--disable-gpu-compositing',
        // Shaders that nobody has compiled yet take long on a busy machine, which is no reason to end their process.
        '--disable-gpu-watchdog',
      ],
      env: {
        ...(process.env as Record<string, string>),
        EGL_PLATFORM: 'surfaceless',
        LIBGL_ALWAYS_SOFTWARE: '1',
        // Threads that share a small picture wait for each other more than they draw.
        LP_NUM_THREADS: '1',
        MESA_SHADER_CACHE_DIR: join(import.meta.dirname, '../../node_modules/.cache/mesa'),
      },
    }
  : { args: ['--no-sandbox', '--disable-gpu', '--enable-unsafe-swiftshader'] };

/** Pixels of a page: few, since software draws them all. */
const VIEWPORT = { width: 480, height: 320 };

/** What went wrong in a page, whatever it showed. */
export interface PageTrouble {
  /** What the page itself gave up on; null when it did not. */
  error: string | null;
  consoleErrors: string[];
  /** Requests that failed, got a status of 400 or more (but for missing vector tiles), or went to another machine. */
  failedRequests: string[];
  /** Vector tiles that were asked for and do not exist, which MapLibre takes for empty ones. */
  missingTiles: string[];
}

export interface CompositeRendering extends PageTrouble {
  /** Tiles whose content arrived, external tilesets included, in all and by the extension of their content. */
  tiles: number;
  contents: Record<string, number>;
  /** Tiles that the last frame draws, and the features in them. */
  visible: number;
  features: number;
  /** Pixels that look different without the tileset. */
  pixels: number;
  /** gml:id of what is picked at each place that was asked for; null for none. */
  picked: Array<string | null>;
}

export interface TileJsonRendering extends PageTrouble {
  tiles: number;
  /** Features that the last frame draws, in all and by layer; one that is filled and outlined counts twice. */
  features: number;
  layers: Record<string, number>;
  zoom: number;
}

/** Where to look from, when not at the whole tileset: a point (degrees, metres) and how far away (metres). */
export interface View {
  lng: number;
  lat: number;
  height?: number;
  range: number;
}

/** Degrees and ellipsoidal height. */
export type Place = readonly [lng: number, lat: number, height: number];

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
/** Chromium without windows, which takes a fifth less processor time for the same pages. */
const HEADLESS_SHELL = '/usr/bin/chromium-headless-shell';

/**
 * The browser that people have: `CHROMIUM` in the environment, else where distributions put it; null when there is
 * none.
 */
export function chromiumPath(): string | null {
  return firstOf([process.env.CHROMIUM, ...CHROMIUM]);
}

/** The browser of most tests: as `chromiumPath`, but the shell without windows where it is installed. */
export function headlessPath(): string | null {
  return firstOf([process.env.CHROMIUM, HEADLESS_SHELL, ...CHROMIUM]);
}

function firstOf(paths: ReadonlyArray<string | undefined>): string | null {
  return paths.find((path) => path !== undefined && existsSync(path)) ?? null;
}

/**
 * Shows a tileset in CesiumJS, waits until all tiles of the view are loaded, and saves a PNG. Throws when there is no
 * browser, or nothing is loaded after `timeout` milliseconds.
 */
export async function renderComposite(
  tilesetUrl: string,
  screenshotPath: string,
  options: { view?: View; timeout?: number } = {},
): Promise<CompositeRendering> {
  const view = Object.entries(options.view ?? {}).map(([name, value]) => [name, String(value)]);
  return render('cesium.html', { tileset: tilesetUrl, ...Object.fromEntries(view) }, screenshotPath, options);
}

/**
 * Shows the tileset of a directory from straight above in CesiumJS, and picks what is at some places. Throws as
 * `renderComposite`.
 */
export async function pickFromAbove(
  directory: string,
  picks: readonly Place[],
  screenshotPath: string,
): Promise<CompositeRendering> {
  const query = { tileset: '/tiles/tileset.json', picks: JSON.stringify(picks) };
  return render('cesium.html', query, screenshotPath, { mounts: { '/tiles/': directory } });
}

/** Shows the layers of a TileJSON in MapLibre GL JS in the same way. */
export async function renderTileJson(
  tilejsonUrl: string,
  screenshotPath: string,
  options: { timeout?: number } = {},
): Promise<TileJsonRendering> {
  return render('maplibre.html', { tilejson: tilejsonUrl }, screenshotPath, options);
}

async function render<T extends PageTrouble>(
  page: string,
  query: Record<string, string>,
  screenshotPath: string,
  { timeout = 120_000, mounts = {} }: { timeout?: number; mounts?: Record<string, string> },
): Promise<T> {
  const executablePath = headlessPath();
  if (executablePath === null) throw new Error('There is no Chromium; set CHROMIUM to its path.');
  await using server = await startStaticServer(mounts);
  const browser = await chromium.launch({ executablePath, ...SOFTWARE_GL });
  try {
    return await run<T>(
      browser,
      `${server.url}/pages/${page}?${new URLSearchParams(query)}`,
      screenshotPath,
      timeout,
    );
  } finally {
    await browser.close();
  }
}

async function run<T extends PageTrouble>(
  browser: Browser,
  url: string,
  screenshotPath: string,
  timeout: number,
): Promise<T> {
  const page = await browser.newPage({ viewport: VIEWPORT });
  const consoleErrors: string[] = [];
  const failedRequests: string[] = [];
  const missingTiles: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') consoleErrors.push(message.text());
  });
  page.on('pageerror', (error) => consoleErrors.push(String(error)));
  page.on('requestfailed', (request) =>
    failedRequests.push(`${request.failure()?.errorText} ${request.url()}`),
  );
  page.on('response', (response) => {
    const missing = response.status() === 404 && /\/\d+\/\d+\/\d+\.(mvt|pbf)$/.test(response.url());
    if (missing) missingTiles.push(response.url());
    else if (response.status() >= 400) failedRequests.push(`${response.status()} ${response.url()}`);
  });
  await page.route(
    (to) => /^https?:$/.test(to.protocol) && !['127.0.0.1', 'localhost', '[::1]'].includes(to.hostname),
    (route) => route.abort(),
  );
  await page.goto(url);
  try {
    await page.waitForFunction('window.finished === true', null, { timeout });
  } catch (cause) {
    await page.screenshot({ path: screenshotPath });
    const state = JSON.stringify(await page.evaluate('window.state'));
    throw new Error(
      `${url} did not finish in ${timeout} ms: ${state}; console: ${consoleErrors.join('; ')}; requests: ` +
        `${failedRequests.join('; ')}`,
      { cause },
    );
  }
  await page.screenshot({ path: screenshotPath });
  const state = (await page.evaluate('window.state')) as T;
  return { ...state, consoleErrors, failedRequests, missingTiles };
}
