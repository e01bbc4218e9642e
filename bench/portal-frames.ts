/**
 * How long a frame of the 3D view takes while the view is dragged, in Chromium that draws in software, and how long the page takes
 * to answer keys on a processor slowed four times.
 *
 *     npm run build && node bench/portal-frames.ts [root of another built checkout to measure beside]
 *
 * Both builds serve the same sample and take turns, because a machine that does other work is slower at one time than at another.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { freePort } from '../src/store/testing/free-port.ts';
import { chromiumPath, SOFTWARE_GL } from '../test/browser/render.ts';
import { writeSampleWithTiles } from '../test/support/sample.ts';
import { startListening, timed } from './support/processes.ts';
import { quantile, Results } from './support/table.ts';

const ROUNDS = 2;
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
  const watch = (globalThis.watch = { frames: [], answers: [] });
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
      watch.frames.push(performance.now() - start);
    });
  addEventListener('keydown', (event) => {
    request(() => setTimeout(() => watch.answers.push(performance.now() - event.timeStamp)));
  }, true);
})()`;

const here = join(import.meta.dirname, '..');
const roots = [here, ...process.argv.slice(2)];
const work = await mkdtemp(join(tmpdir(), 'citymodel-bench-'));
const browser = await chromium.launch({ executablePath: chromiumPath()!, args: SOFTWARE_GL });
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
  for (let round = 0; round < ROUNDS; round++) {
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
      }
    }
  }
  const results = new Results(
    'The 3D view in software: frames of a drag, and answers at a quarter of the speed',
    ['view', 'build', 'frame p50 ms', 'frame p95 ms', 'answer p50 ms', 'answer p95 ms'],
  );
  for (const [key, times] of frames) {
    const [name, root] = key.split('|') as [string, string];
    const answer = answers.get(key)!;
    results.add(
      name,
      root === here ? 'this one' : 'the other',
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

/** Milliseconds of frames while the pointer drags, and from key presses to the frame after them with the processor slowed. */
async function measure(browser: Browser, url: string): Promise<{ frames: number[]; answers: number[] }> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-GB' });
  const page = await context.newPage();
  await page.addInitScript(WATCH);
  await page.goto(url);
  const canvas = page.locator('.cesium-widget canvas');
  await canvas.waitFor({ timeout: 60_000 });
  await page.waitForLoadState('networkidle');
  // The page finds out what the machine can.
  await page.waitForTimeout(4_000);
  const box = (await canvas.boundingBox())!;
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  // What this button does is the same in every build.
  await page.mouse.down({ button: 'middle' });
  await page.evaluate('watch.frames.length = 0');
  for (let i = 1; i <= 60; i++) await page.mouse.move(x + 3 * i, y);
  const frames = await page.evaluate<number[]>('watch.frames');
  await page.mouse.up({ button: 'middle' });
  const answers = await keyAnswers(page);
  await context.close();
  return { frames, answers };
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
