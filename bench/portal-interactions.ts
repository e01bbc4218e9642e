/**
 * What the portal costs over a catalogue of the country: how soon there is something to see on a slow line, and how long the page takes
 * to answer on a processor slowed four times.
 *
 *     npm run build && node bench/portal-interactions.ts [address of a server that has the catalogue already]
 *
 * An answer is what the browser's Event Timing says: from the key or click to the next frame, in steps of 8 ms. Each interaction is done
 * anew in several pages. It is done also with a map of 64 × 64 pixels, which tells how much of the time is drawing it in software.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { chromiumPath, SOFTWARE_GL } from '../test/browser/render.ts';
import { fillDataDir, NATIONAL } from './national/generate.ts';
import { startListening } from './support/processes.ts';
import { quantile, Results } from './support/table.ts';

const SLOW_CPU = 4;
const ROUNDS = 3;
const SMALL_MAP = '.canvas-fill { width: 64px !important; height: 64px !important }';
/** 1.6 Mbit/s, and the round trip of a mobile line. */
const SLOW_LINE = { latency: 150, downloadThroughput: 200_000, uploadThroughput: 93_750, offline: false };

/** Notes how long each event takes until the frame after it, shifts of the layout, and when a selector first matches. */
const WATCH = `(() => {
  const watch = (globalThis.watch = { events: [], shift: 0, list: 0 });
  new PerformanceObserver((list) => {
    for (const { interactionId, name, duration } of list.getEntries()) if (interactionId > 0) watch.events.push({ name, duration });
  }).observe({ type: 'event', durationThreshold: 16, buffered: true });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) watch.shift += entry.value;
  }).observe({ type: 'layout-shift', buffered: true });
  new MutationObserver((_, observer) => {
    if (document.querySelector('.prefectures button') === null) return;
    watch.list = performance.now();
    observer.disconnect();
  }).observe(document, { childList: true, subtree: true });
})()`;

interface Watch {
  events: Array<{ name: string; duration: number }>;
  shift: number;
  list: number;
}

const watchOf = (page: Page) => page.evaluate<Watch>('globalThis.watch');

interface Interaction {
  name: string;
  path: string;
  /** What has to be there before. */
  ready: string;
  act(page: Page): Promise<void>;
}

const INTERACTIONS: Interaction[] = [
  {
    name: 'typing a name into the search',
    path: '/?lang=en',
    ready: '.prefectures button',
    async act(page) {
      const field = page.getByRole('combobox', { name: 'Search' });
      await field.click();
      await field.pressSequentially('yokohama', { delay: 150 });
      await page.locator('.search [role=option]').first().waitFor();
    },
  },
  {
    name: 'opening a prefecture and a city',
    path: '/?lang=en',
    ready: '.prefectures button',
    async act(page) {
      await page.locator('.prefectures button').first().click();
      await page.locator('.list a.row').first().click();
      await page.locator('.picked article').first().waitFor();
    },
  },
  {
    name: 'narrowing the map by a chip',
    path: '/?lang=en',
    ready: '.chip:nth-of-type(3)',
    async act(page) {
      for (const chip of await page.locator('.chip').all()) await chip.click();
    },
  },
  {
    name: 'unticking types in the basket of the country',
    path: '/?view=basket&lang=en&area=b:122,24,149,46',
    ready: 'tfoot',
    async act(page) {
      for (const box of (await page.locator('tbody input').all()).slice(0, 4)) await box.click();
    },
  },
  {
    name: 'filtering datasets',
    path: '/?view=datasets&lang=en',
    ready: '.datasets tbody tr',
    async act(page) {
      await page.locator('.field select').nth(1).focus();
      await page.keyboard.press('ArrowDown');
      await page.locator('.result-line').waitFor();
      await page
        .getByRole('button', { name: /Details/ })
        .first()
        .click();
    },
  },
  {
    name: 'paging the status',
    path: '/status?lang=en',
    ready: '.datasets tbody tr',
    async act(page) {
      await page.getByRole('button', { name: 'Next page' }).first().click();
      await page.waitForTimeout(500);
      await page.getByRole('button', { name: 'Next page' }).first().click();
    },
  },
];

const [given] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath: chromiumPath()!, args: SOFTWARE_GL });
let work: string | null = null;
try {
  if (given !== undefined) await measureAll(browser, given);
  else {
    work = await mkdtemp(join(tmpdir(), 'citymodel-bench-'));
    await fillDataDir(work, { ...NATIONAL, files: 100_000 });
    await using service = await startListening(
      [join(import.meta.dirname, '../bin/citymodel.js'), 'serve'],
      { DATA_DIR: work, PORT: '0', HOST: '127.0.0.1' },
      (line) => /"address":"(http:[^"]+)"/.exec(line)?.[1],
    );
    await measureAll(browser, service.url);
  }
} finally {
  await browser.close();
  if (work !== null) await rm(work, { recursive: true, force: true });
}

async function measureAll(browser: Browser, url: string): Promise<void> {
  const first = new Results('The first view at 1.6 Mbit/s, national catalogue', [
    'window',
    'first content ms',
    'list of cities ms',
    'layout shift',
    'elements',
    'bytes of scripts before the list',
  ]);
  for (const [name, width, height] of [
    ['1280 × 800', 1280, 800],
    ['390 × 844', 390, 844],
  ] as const) {
    first.add(name, ...(await firstView(browser, `${url}/?lang=en`, { width, height })));
  }
  first.print();
  const answers = new Results('Answers at a quarter of the speed, national catalogue', [
    'interaction',
    'events of 16 ms and more',
    'longest ms, median of the rounds',
    'longest of all ms',
    'its event',
    'the median with a small map ms',
    'elements',
  ]);
  for (const interaction of INTERACTIONS) {
    const rounds: Answers[] = [];
    const small: Answers[] = [];
    for (let i = 0; i < ROUNDS; i++) {
      rounds.push(await answersOf(browser, url, interaction, false));
      if (interaction.path !== '/status?lang=en')
        small.push(await answersOf(browser, url, interaction, true));
    }
    const worst = rounds.toSorted((a, b) => b.longest - a.longest)[0]!;
    answers.add(
      interaction.name,
      Math.max(...rounds.map(({ events }) => events)),
      quantile(
        rounds.map(({ longest }) => longest),
        0.5,
      ),
      worst.longest,
      worst.event,
      small.length === 0
        ? ''
        : quantile(
            small.map(({ longest }) => longest),
            0.5,
          ),
      worst.nodes,
    );
  }
  answers.print();
}

async function firstView(
  browser: Browser,
  url: string,
  viewport: { width: number; height: number },
): Promise<string[]> {
  const context = await browser.newContext({ viewport, locale: 'en-GB' });
  const page = await context.newPage();
  await page.addInitScript(WATCH);
  const debug = await context.newCDPSession(page);
  await debug.send('Network.enable');
  await debug.send('Network.emulateNetworkConditions', SLOW_LINE);
  await page.goto(url, { waitUntil: 'commit' });
  await page.locator('.prefectures button').first().waitFor();
  const { list } = await watchOf(page);
  const [paint, scripts] = await page.evaluate<[number, number]>(`[
    performance.getEntriesByName('first-contentful-paint')[0].startTime,
    performance.getEntriesByType('resource').filter(({ name, responseEnd }) => /\\.m?js$/.test(name) && responseEnd < ${list})
      .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)]`);
  await page.locator('.stage [aria-busy=false]').waitFor({ timeout: 60_000 });
  const { shift } = await watchOf(page);
  const nodes = await page.evaluate<number>(`document.getElementsByTagName('*').length`);
  await context.close();
  return [paint.toFixed(0), list.toFixed(0), shift.toFixed(4), String(nodes), String(scripts)];
}

interface Answers {
  events: number;
  /** Milliseconds of the longest event, and its name. */
  longest: number;
  event: string;
  nodes: number;
}

async function answersOf(
  browser: Browser,
  url: string,
  { path, ready, act }: Interaction,
  hasSmallMap: boolean,
): Promise<Answers> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-GB' });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  await page.addInitScript(WATCH);
  await page.goto(url + path);
  if (hasSmallMap) await page.addStyleTag({ content: SMALL_MAP });
  await page.locator(ready).first().waitFor();
  await page.locator('main:not(:has(.loading, .stage:not([hidden]) [aria-busy=true]))').waitFor();
  const debug = await context.newCDPSession(page);
  await debug.send('Emulation.setCPUThrottlingRate', { rate: SLOW_CPU });
  await act(page);
  // Entries come a while after their event.
  await page.waitForTimeout(1_500);
  const { events } = await watchOf(page);
  const nodes = await page.evaluate<number>(`document.getElementsByTagName('*').length`);
  await context.close();
  const slowest = events.toSorted((a, b) => b.duration - a.duration)[0];
  return { events: events.length, longest: slowest?.duration ?? 0, event: slowest?.name ?? '', nodes };
}
