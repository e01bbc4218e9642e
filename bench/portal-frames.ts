/**
 * How long a frame of the 3D view takes while the view is dragged, in Chromium that draws in software, and how long the page takes
 * to answer keys on a processor slowed four times.
 *
 *     npm run build && node bench/portal-frames.ts [--rounds 1] [root of another built checkout to measure beside]
 *
 * Both builds serve the same sample and take turns, because a machine that does other work is slower at one time than at another.
 * Each view is told of when it is done.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Browser, chromium, type Page } from 'playwright-core';
import { freePort } from '../src/store/testing/free-port.ts';
import { chromiumPath } from '../test/browser/render.ts';
import { writeSampleWithTiles } from '../test/support/sample.ts';
import { startListening, timed } from './support/processes.ts';
import { quantile, Results } from './support/table.ts';

/** Movements of the pointer in a drag. */
const MOVES = 24;
/** Milliseconds without a frame after which a view is complete, and after which nobody waits any longer. */
const STILL = 1_500;
const PATIENCE = 40_000;
/** From the same place in every build, whatever it would open on. */
const CAMERA = 'camera=129.6879,25.786,420,0,-35';
const VIEWS: Array<[name: string, query: string]> = [
  ['the ward, LOD 2, textured', `model=47901_bldg_lod2&${CAMERA}`],
  ['the ward by height', `model=47901_bldg_lod2&colour=height&${CAMERA}`],
  ['the city, LOD 1', `model=47900-bldg-maxlod1-latest&${CAMERA}`],
];

/**
 * Notes how long each frame takes that draws something, until the last pixel is there, and the time from each key to the end of the
 * task that follows the next frame.
 */
const WATCH = `(() => {
  const watch = (globalThis.watch = { frames: [], answers: [], last: 0 });
  const contexts = new Set();
  let drew = false;
  const { drawElements } = WebGL2RenderingContext.prototype;
  WebGL2RenderingContext.prototype.drawElements = function (...args) {
    drew = true;
    contexts.add(this);
    return drawElements.apply(this, args);
  };
  const request = globalThis.requestAnimationFrame.bind(globalThis);
  globalThis.requestAnimationFrame = (callback) =>
    request((now) => {
      drew = false;
      const start = performance.now();
      callback(now);
      if (!drew) return;
      const pixel = new Uint8Array(4);
      for (const gl of contexts) gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
      watch.last = performance.now();
      watch.frames.push(watch.last - start);
    });
  addEventListener('keydown', (event) => {
    request(() => setTimeout(() => watch.answers.push(performance.now() - event.timeStamp)));
  }, true);
})()`;

const { values, positionals } = parseArgs({
  options: { rounds: { type: 'string', default: '1' } },
  allowPositionals: true,
});
const here = join(import.meta.dirname, '..');
const roots = [here, ...positionals];
const work = await mkdtemp(join(tmpdir(), 'citymodel-bench-'));
const browser = await chromium.launch({ executablePath: chromiumPath()!, args: ['--no-sandbox'] });
try {
  // Each build its own data, because a newer one changes the database.
  const sample = join(work, 'sample');
  const dataOf = new Map<string, string>();
  for (const [i, root] of roots.entries()) {
    const program = join(root, 'bin/citymodel.js');
    const data = join(work, `data${i}`);
    if (i === 0) await writeSampleWithTiles(sample);
    await timed(process.execPath, [program, 'ingest', sample], { DATA_DIR: data });
    dataOf.set(root, data);
  }
  const frames = new Map<string, number[]>();
  const answers = new Map<string, number[]>();
  const effects = new Map<string, string>();
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const root of roots) {
      // URLs of tiles within composites are those of the public address.
      const port = String(await freePort());
      await using service = await startListening(
        [join(root, 'bin/citymodel.js'), 'serve'],
        { DATA_DIR: dataOf.get(root), PORT: port, HOST: '127.0.0.1', PUBLIC_URL: `http://127.0.0.1:${port}` },
        (line) => /"address":"(http:[^"]+)"/.exec(line)?.[1],
      );
      for (const [name, query] of VIEWS) {
        const key = `${name}|${root}`;
        const measured = await measure(browser, `${service.url}/?view=3d&lang=en&${query}`);
        frames.set(key, [...(frames.get(key) ?? []), ...measured.frames]);
        answers.set(key, [...(answers.get(key) ?? []), ...measured.answers]);
        effects.set(key, measured.effects);
        const middle = quantile(measured.frames, 0.5).toFixed(0);
        console.error(
          `${key}: ${measured.frames.length} frames of ${middle} ms, effects ${measured.effects}`,
        );
      }
    }
  }
  const results = new Results(
    'The 3D view in software: frames of a drag, and answers at a quarter of the speed',
    ['view', 'build', 'effects', 'frame p50 ms', 'frame p95 ms', 'answer p50 ms', 'answer p95 ms'],
  );
  for (const [key, times] of frames) {
    const [name, root] = key.split('|') as [string, string];
    const answer = answers.get(key)!;
    results.add(
      name,
      root === here ? 'this one' : 'the other',
      effects.get(key)!,
      quantile(times, 0.5),
      quantile(times, 0.95),
      quantile(answer, 0.5),
      quantile(answer, 0.95),
    );
  }
  results.print();
} finally {
  await browser.close();
  await rm(work, { recursive: true });
}

interface Measured {
  /** Milliseconds of frames while the pointer drags. */
  frames: number[];
  /** Milliseconds from key presses to the frame after them, with the processor slowed. */
  answers: number[];
  /** When the page draws corners and shadows: always, resting or never; 'none' for a build that has none. */
  effects: string;
}

async function measure(browser: Browser, url: string): Promise<Measured> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-GB' });
  const page = await context.newPage();
  await page.addInitScript(WATCH);
  await page.goto(url);
  const canvas = page.locator('.cesium-widget canvas');
  await canvas.waitFor({ timeout: PATIENCE });
  // Tiles have come, and the page has found out what the machine can.
  const end = performance.now() + PATIENCE;
  while (!(await page.evaluate<boolean>(`watch.last > 0 && performance.now() - watch.last > ${STILL}`))) {
    if (performance.now() > end) throw new Error(`the view still moves after ${PATIENCE} ms`);
    await page.waitForTimeout(200);
  }
  const effects = (await canvas.getAttribute('data-effects')) ?? 'none';
  const box = (await canvas.boundingBox())!;
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  // What this button does is the same in every build.
  await page.mouse.down({ button: 'middle' });
  await page.evaluate('watch.frames.length = 0');
  for (let i = 1; i <= MOVES; i++) await page.mouse.move(x + 6 * i, y);
  const frames = await page.evaluate<number[]>('watch.frames');
  await page.mouse.up({ button: 'middle' });
  const answers = await keyAnswers(page);
  await context.close();
  return { frames, answers, effects };
}

async function keyAnswers(page: Page): Promise<number[]> {
  const session = await page.context().newCDPSession(page);
  await page.locator('.cesium-widget canvas').focus();
  await page.waitForTimeout(800);
  await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
  await page.evaluate('watch.answers.length = 0');
  for (let i = 0; i < 12; i++) {
    await page.keyboard.press(i % 2 === 0 ? 'ArrowLeft' : 'ArrowRight');
    await page.waitForTimeout(150);
  }
  const answers = await page.evaluate<number[]>('watch.answers');
  await session.send('Emulation.setCPUThrottlingRate', { rate: 1 });
  return answers;
}
