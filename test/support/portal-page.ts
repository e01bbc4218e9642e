/** The portal in headless Chromium: pages that note every trouble, and screenshots that are kept. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { headlessPath, SOFTWARE_GL } from '../browser/render.ts';
import { ROOT } from './program.ts';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const SCREENSHOTS = join(ROOT, 'artefacts/portal');
/** Whether somebody wants to look at the pictures of the tests of accessibility: `PICTURES=sharp`. */
export const WANTS_PICTURES = process.env.PICTURES === 'sharp';

/** What a page has on a phone and on a tablet, pixels. */
export const PHONE = { width: 390, height: 844 };
export const TABLET = { width: 820, height: 1180 };
/** A desk as small as the page is whole on; pictures that somebody looks at have the size of most. */
const DESK = WANTS_PICTURES ? { width: 1440, height: 900 } : { width: 1100, height: 700 };

export interface Look {
  lang?: 'ja' | 'en';
  theme?: 'light' | 'dark';
  phone?: boolean;
  tablet?: boolean;
  /**
   * Draws as many pixels as the page has, or half of them in each direction, where a test looks at single ones; else a
   * sixteenth of them, since software draws them all.
   */
  isSharp?: boolean | 'half';
  /** True where the test itself takes the graphics away. */
  losesGraphics?: boolean;
  /** Prepares the page before it opens the address. */
  prepare?(page: Page): Promise<void>;
}

export function launch(): Promise<Browser> {
  return chromium.launch({ executablePath: headlessPath()!, ...SOFTWARE_GL });
}

/** A page with what went wrong in it; disposing of it fails when anything did. */
export class PortalPage implements AsyncDisposable {
  readonly page: Page;
  readonly trouble: string[] = [];
  /** The page draws nothing any more, and is about to be opened again. */
  #isLost = false;
  /** Whether an end of the browser's process of graphics is no trouble. */
  #outlives = false;

  private constructor(page: Page) {
    this.page = page;
  }

  /** Opens an address of the portal as a browser of these preferences would. */
  static async open(browser: Browser, url: string, look: Look = {}): Promise<PortalPage> {
    const context = await browser.newContext({
      viewport: look.phone === true ? PHONE : look.tablet === true ? TABLET : DESK,
      deviceScaleFactor: look.isSharp === 'half' ? 0.5 : look.isSharp || WANTS_PICTURES ? 1 : 0.25,
      colorScheme: look.theme ?? 'light',
      locale: look.lang === 'ja' ? 'ja-JP' : 'en-GB',
      reducedMotion: 'reduce',
      acceptDownloads: true,
    });
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const opened = new PortalPage(await context.newPage());
    const { page, trouble } = opened;
    page.setDefaultTimeout(60_000);
    if (look.losesGraphics !== true) await opened.#outliveGraphics();
    page.on('console', (message) => {
      // A vector tile that is not there is an empty one; the browser tells of the 404 all the same. Packages of
      // generated catalogues have no bytes, so that nothing of them is counted for the doors of the front page.
      const isExpected =
        /\/\d+\/\d+\/\d+\.mvt$|\/citygml\/statistics\?area=\d{5}&type=bldg(?:&attributes=v2)?$/;
      if (message.type() === 'error' && !isExpected.test(message.location().url)) {
        opened.#note(`console: ${message.text()} ${message.location().url}`);
      }
    });
    page.on('pageerror', (error) =>
      opened.#note(`error: ${error.stack || `${error.name}: ${error.message}`}`),
    );
    await page.route(
      (to) => /^https?:$/.test(to.protocol) && to.hostname !== '127.0.0.1',
      (route) => {
        trouble.push(`request to another host: ${route.request().url()}`);
        return route.abort();
      },
    );
    await look.prepare?.(page);
    await page.goto(url);
    return opened;
  }

  /**
   * Opens the page again when the browser's process of graphics has ended, once: Chromium ends it by itself now and
   * then, which is no trouble of the page.
   */
  async #outliveGraphics(): Promise<void> {
    this.#outlives = true;
    await this.page.exposeFunction('graphicsEnded', () => {
      console.log('The process of graphics of the browser ended; the page is opened again.');
      this.#isLost = true;
      this.#forgetGraphics();
    });
    this.page.on('framenavigated', (frame) => {
      if (frame === this.page.mainFrame()) this.#isLost = false;
    });
    await this.page.addInitScript(`addEventListener('webglcontextlost', () => {
      if (window !== top || sessionStorage.getItem('graphicsEnded') !== null) return;
      sessionStorage.setItem('graphicsEnded', 'once');
      graphicsEnded().then(() => location.reload());
    }, true)`);
  }

  #hasLostGraphics(): Promise<boolean> {
    const find = () =>
      [...document.querySelectorAll('canvas')].some((canvas) => canvas.getContext('webgl2')?.isContextLost());
    // A page that cannot answer is trouble of another kind.
    return this.page.evaluate(find).catch(() => false);
  }

  /** Libraries complain of lost graphics before the page is told. */
  #forgetGraphics(): void {
    const kept = this.trouble.filter((trouble) => !trouble.includes('WebGL'));
    this.trouble.splice(0, Number.POSITIVE_INFINITY, ...kept);
  }

  #note(trouble: string): void {
    if (!this.#isLost) this.trouble.push(trouble);
  }

  /** Waits until map or model has come to rest in the view that is open. */
  async settled(): Promise<void> {
    await this.page.locator('main:not(:has(.loading, .stage:not([hidden]) [aria-busy=true]))').waitFor();
    await this.page.waitForLoadState('networkidle');
  }

  async screenshot(name: string): Promise<void> {
    mkdirSync(SCREENSHOTS, { recursive: true });
    await this.page.screenshot({ path: join(SCREENSHOTS, `${name}.png`) });
  }

  /**
   * Fails on violations of WCAG 2.2 A and AA and of good practice; `colours`: of what another theme can change alone.
   */
  async assertAccessible(what: string, { colours = false } = {}): Promise<void> {
    // Evaluated through the debugger, which no content security policy hinders.
    await this.page.evaluate(readFileSync(AXE, 'utf8'));
    const violations = await this.page.evaluate(
      async (runOnly) => {
        const { axe } = globalThis as unknown as {
          axe: {
            run(options: { runOnly?: string[] }): Promise<{
              violations: Array<{ id: string; nodes: Array<{ html: string; failureSummary: string }> }>;
            }>;
          };
        };
        const result = await axe.run(runOnly === null ? {} : { runOnly });
        return result.violations.map(({ id, nodes }) => ({
          id,
          nodes: nodes
            .slice(0, 4)
            .map(({ html, failureSummary }) => `${html.slice(0, 200)} ${failureSummary}`),
        }));
      },
      colours ? ['color-contrast'] : null,
    );
    assert.deepEqual(violations, [], what);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.trouble.length > 0 && this.#outlives && (await this.#hasLostGraphics())) {
      console.log('The process of graphics of the browser ended at the end of a page.');
      this.#forgetGraphics();
    }
    await this.page.context().close();
    assert.deepEqual(this.trouble, []);
  }
}

/** Waits until the map takes what is drawn: on a busy machine, some time after the button. */
export function untilDrawing(page: Page): Promise<void> {
  return page.locator('.maplibregl-canvas[style*=crosshair]').waitFor();
}

/** Red, green, blue of a pixel of a picture, counted from its middle. */
export function pixelIn(page: Page, picture: Buffer, right = 0, down = 0): Promise<number[]> {
  return page.evaluate<number[]>(`(async () => {
    const blob = await (await fetch('data:image/png;base64,${picture.toString('base64')}')).blob();
    const image = await createImageBitmap(blob);
    const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
    context.drawImage(image, 0, 0);
    const { data } = context.getImageData(image.width / 2 + ${right}, image.height / 2 + ${down}, 1, 1);
    return [...data].slice(0, 3);
  })()`);
}
