import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ROUNDS } from '@citymodel/base/testing';
import { PACKAGE, writeSmallPackage } from './testing/small-package.ts';

const PROGRAM = fileURLToPath(new URL('./testing/convert-once.ts', import.meta.url));
const KILLS = 50;
/** No further round begins after so long, milliseconds; at least five are done. */
const ENOUGH_MS = 5_000 * ROUNDS;
const LEAST_KILLS = 5;

/**
 * Runs the program; kills it `after` milliseconds behind its beginning, never for null. True when it came to its end.
 */
async function run(args: string[], after: number | null): Promise<boolean> {
  const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  await once(child.stdout!, 'data');
  if (after !== null) {
    await Promise.race([wait(after), ended]);
    child.kill('SIGKILL');
  }
  const [code] = await ended;
  return code === 0;
}

function filesOf(path: string): Record<string, string> {
  const names = readdirSync(path).filter((name) => !name.endsWith('.part'));
  return Object.fromEntries(
    names.sort().map((name) => [
      name,
      createHash('sha256')
        .update(readFileSync(join(path, name)))
        .digest('hex'),
    ]),
  );
}

test('a conversion that is killed again and again gives the same bytes', async () => {
  const root = mkdtempSync(join(tmpdir(), 'citymodel-killed-'));
  try {
    const zip = join(root, `${PACKAGE}.zip`);
    await writeSmallPackage(zip, 'a', 100);
    const calm = join(root, 'calm');
    const began = performance.now();
    assert.ok(await run([zip, calm, join(root, 'calm-parts')], null));
    const whole = performance.now() - began;
    const expected = filesOf(calm);
    const [out, parts] = [join(root, 'out'), join(root, 'parts')];
    let killed = 0;
    let ended = 0;
    let state = 1;
    while (killed < KILLS && (killed < LEAST_KILLS || performance.now() - began < ENOUGH_MS)) {
      // Numbers of a generator that always begins alike (Park and Miller, 1988).
      state = (state * 48_271) % 0x7fffffff;
      if (await run([zip, out, parts], (state / 0x7fffffff) * whole)) {
        ended++;
        assert.deepEqual(filesOf(out), expected);
        rmSync(parts, { recursive: true });
        rmSync(out, { recursive: true });
      } else killed++;
    }
    assert.ok(await run([zip, out, parts], null));
    assert.deepEqual(filesOf(out), expected);
    assert.deepEqual(readdirSync(join(parts, 'work')), [], `after ${killed} kills and ${ended} ends`);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});
