/**
 * What the portal costs over a catalogue of the country: how soon there is something to see on a slow line, and how long the page takes
 * to answer on a processor slowed four times.
 *
 *     npm run build && node bench/portal-interactions.ts [--rounds 3] [--compare] [--three] [address of a server that has the catalogue already]
 *
 * An answer is what the browser's Event Timing says: from the key or click to the next frame, in steps of 8 ms. The longest of a page is its
 * Interaction to Next Paint (web.dev/inp). Each kind is done anew in several pages. Chromium draws as it does by itself on a machine without a
 * graphics card: the page by the processor, WebGL by SwiftShader. `--compare` does it also with a map of 64 × 64 pixels, which tells
 * what drawing the map takes, and with SwiftShader drawing the page too, as a page that Chromium wrongly takes for accelerated.
 *
 * The 3D view shows the city of the sample, which is put beside the country. A frame of it takes SwiftShader longer than all that the page
 * does. So its own table has a view of 64 × 64 pixels too, without the time in calls that wait for WebGL: that is the page's own work.
 * `--three` measures that table alone.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Browser, chromium, type Page } from 'playwright-core';
import { freePort } from '../src/store/testing/free-port.ts';
import { chromiumPath } from '../test/browser/render.ts';
import { writeSampleWithTiles } from '../test/support/sample.ts';
import { fillDataDir, NATIONAL } from './national/generate.ts';
import { INTERACTIONS, type Interaction, THREE_INTERACTIONS } from './support/portal-acts.ts';
import { startListening, timed } from './support/processes.ts';
import { quantile, Results } from './support/table.ts';

/** A page that Chromium takes for accelerated. */
const ALL_BY_SWIFTSHADER = [
  '--no-sandbox',
  '--use-gl=angle',
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
  '--ignore-gpu-blocklist',
];
const SLOW_CPU = 4;
const SMALL_MAP = '.canvas-fill { width: 64px !important; height: 64px !important }';
/** 1.6 Mbit/s, and the round trip of a mobile line. */
const SLOW_LINE = { latency: 150, downloadThroughput: 200_000, uploadThroughput: 93_750, offline: false };

/**
 * Notes how long each event takes until the frame after it, how long calls within that wait for WebGL, shifts of the layout, and when a
 * selector first matches.
 */
const WATCH = `(() => {
  const watch = (globalThis.watch = { events: [], shift: 0, list: 0 });
  const waits = [];
  const gl = WebGL2RenderingContext.prototype;
  for (const name of ['readPixels', 'getProgramParameter', 'getShaderParameter', 'finish']) {
    const call = gl[name];
    gl[name] = function (...args) {
      const start = performance.now();
      const result = call.apply(this, args);
      waits.push([start, performance.now()]);
      return result;
    };
  }
  new PerformanceObserver((list) => {
    for (const { interactionId, startTime, duration } of list.getEntries()) {
      if (interactionId === 0) continue;
      const within = waits.map(([start, end]) => Math.min(end, startTime + duration) - Math.max(start, startTime));
      watch.events.push({ duration, waited: within.reduce((sum, part) => sum + Math.max(0, part), 0) });
    }
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
  events: Array<{ duration: number; waited: number }>;
  shift: number;
  list: number;
}

const watchOf = (page: Page) => page.evaluate<Watch>('globalThis.watch');

const {
  values: { rounds, compare, three: isThreeAlone },
  positionals: [given],
} = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    compare: { type: 'boolean', default: false },
    three: { type: 'boolean', default: false },
  },
  allowPositionals: true,
});
const executablePath = chromiumPath()!;
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
const accelerated = await chromium.launch({ executablePath, args: ALL_BY_SWIFTSHADER });
let work: string | null = null;
try {
  if (given !== undefined) await measureAll(given);
  else {
    work = await mkdtemp(join(tmpdir(), 'citymodel-bench-'));
    const [program, data, sample] = [
      join(import.meta.dirname, '../bin/citymodel.js'),
      join(work, 'data'),
      join(work, 'sample'),
    ];
    await fillDataDir(data, { ...NATIONAL, files: 100_000 });
    await writeSampleWithTiles(sample);
    await timed(process.execPath, [program, 'ingest', sample], { DATA_DIR: data });
    // URLs of tiles within composites are those of the public address.
    const port = String(await freePort());
    await using service = await startListening(
      [program, 'serve'],
      { DATA_DIR: data, PORT: port, HOST: '127.0.0.1', PUBLIC_URL: `http://127.0.0.1:${port}` },
      (line) => /"address":"(http:[^"]+)"/.exec(line)?.[1],
    );
    await measureAll(service.url);
  }
} finally {
  await browser.close();
  await accelerated.close();
  if (work !== null) await rm(work, { recursive: true, force: true });
}

async function measureAll(url: string): Promise<void> {
  if (!isThreeAlone) await measurePages(url);
  await measureThree(url);
}

async function measurePages(url: string): Promise<void> {
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
    'longest event ms, median of the rounds',
    'of all rounds',
    'elements',
    ...(compare ? ['with a small map ms', 'page by SwiftShader too ms'] : []),
  ]);
  for (const interaction of INTERACTIONS) {
    const own = await roundsOf(browser, url, interaction, false);
    const cells = [own.median, own.longest, own.nodes];
    if (compare) {
      cells.push((await roundsOf(browser, url, interaction, true)).median);
      cells.push((await roundsOf(accelerated, url, interaction, false)).median);
    }
    answers.add(interaction.name, ...cells);
  }
  answers.print();
}

async function measureThree(url: string): Promise<void> {
  const three = new Results(
    'Answers of the 3D view at a quarter of the speed, sample city within the national catalogue',
    [
      'interaction',
      'longest event ms, median of the rounds',
      'of all rounds',
      "the page's own work ms, median of the rounds",
      'of all rounds',
    ],
  );
  for (const interaction of THREE_INTERACTIONS) {
    const whole = await roundsOf(browser, url, interaction, false);
    const small = await roundsOf(browser, url, interaction, true);
    three.add(interaction.name, whole.median, whole.longest, small.ownMedian, small.ownLongest);
  }
  three.print();
}

async function roundsOf(
  browser: Browser,
  url: string,
  interaction: Interaction,
  hasSmallMap: boolean,
): Promise<{ median: number; longest: number; ownMedian: number; ownLongest: number; nodes: number }> {
  const all: Answers[] = [];
  for (let i = 0; i < Number(rounds); i++) all.push(await answersOf(browser, url, interaction, hasSmallMap));
  const times = all.map(({ longest }) => longest);
  const own = all.map((answers) => answers.own);
  return {
    median: quantile(times, 0.5),
    longest: Math.max(...times),
    ownMedian: quantile(own, 0.5),
    ownLongest: Math.max(...own),
    nodes: Math.max(...all.map(({ nodes }) => nodes)),
  };
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
  /** Milliseconds of the longest event; 0 when all took less than 16. */
  longest: number;
  /** The same without calls that wait for WebGL. */
  own: number;
  nodes: number;
}

async function answersOf(
  browser: Browser,
  url: string,
  { path, ready, isSlowBefore = false, act }: Interaction,
  hasSmallMap: boolean,
): Promise<Answers> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-GB' });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  await page.addInitScript(WATCH);
  await page.goto(url + path);
  if (hasSmallMap) await page.addStyleTag({ content: SMALL_MAP });
  const debug = await context.newCDPSession(page);
  const slowDown = () => debug.send('Emulation.setCPUThrottlingRate', { rate: SLOW_CPU });
  // The 3D view measures what the machine can.
  if (isSlowBefore) await slowDown();
  await page.locator(ready).first().waitFor();
  await page.locator('main:not(:has(.loading, .stage:not([hidden]) [aria-busy=true]))').waitFor();
  await slowDown();
  await act(page);
  // Entries come a while after their event.
  await page.waitForTimeout(1_500);
  const { events } = await watchOf(page);
  const nodes = await page.evaluate<number>(`document.getElementsByTagName('*').length`);
  await context.close();
  return {
    longest: Math.max(0, ...events.map(({ duration }) => duration)),
    own: Math.max(0, ...events.map(({ duration, waited }) => duration - waited)),
    nodes,
  };
}
