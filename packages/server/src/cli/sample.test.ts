import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { addSample } from './sample.ts';
import { houseStore } from './testing/house-store.ts';

test('packages of the sample are written, each with its size, and what they are together', async (t) => {
  const store = await houseStore(t);
  const out = join(store.directory, 'sample');
  const { code, out: text, err } = await store.run(addSample, 'sample', out, '--size', '30', '--no-tiles');
  assert.deepEqual([code, err], [0, '']);
  const lines = text.trimEnd().split('\n');
  const files = readdirSync(out).sort();
  assert.deepEqual(
    lines
      .slice(0, -1)
      .map((line) => line.slice(11))
      .sort(),
    files,
  );
  for (const line of lines.slice(0, -1)) assert.match(line, /^ {0,4}[\d.]+ [kM]?B {2}\S/);
  assert.match(lines.at(-1)!, new RegExp(`^${files.length} packages, [\\d.]+ [kM]B, in ${out}$`));
  assert.ok(files.every((name) => name.includes('citygml')));
});

test('sizes and seeds have limits, and the island takes neither', async (t) => {
  const store = await houseStore(t);
  const run = (...words: string[]) => store.run(addSample, 'sample', join(store.directory, 's'), ...words);
  assert.match((await run('--size', '29')).err, /whole number from 30\./);
  assert.match((await run('--seed', '-1')).err, /whole number from 0\./);
  assert.match((await run('--citygml', '4')).err, /Allowed choices are 2, 3/);
  assert.match((await run('--island', '--size', '40')).err, /cannot be used with/);
});
