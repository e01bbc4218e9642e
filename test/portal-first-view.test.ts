/** How much code the portal's page needs before map, 3D and doors of the front page are asked for. */
import assert from 'node:assert/strict';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from './support/program.ts';

const PORTAL = join(ROOT, 'packages/server/dist/portal');
/** Bytes, Brotli */
const MOST = 45_000;

test('the page needs at most 45 kB of JavaScript at first', async () => {
  const html = await readFile(join(PORTAL, 'index.html'), 'utf8');
  const names = [...html.matchAll(/(?:src|href)="[^"]*\/assets\/([\w-]{1,80}\.js)"/g)].map(
    ([, name]) => name!,
  );
  assert.ok(names.length > 1, html);
  const sizes = await Promise.all(
    names.map(async (name) => {
      const file = join(PORTAL, 'assets', name);
      // The smallest are sent as they are.
      return (await stat(`${file}.br`).catch(() => stat(file))).size;
    }),
  );
  const sum = sizes.reduce((all, size) => all + size, 0);
  assert.ok(sum <= MOST, `${sum} bytes: ${names.map((name, i) => `${name} ${sizes[i]}`).join(', ')}`);
});
