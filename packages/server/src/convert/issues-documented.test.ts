import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '../../../..');

test('docs/converting.md explains every issue of a conversion with its severity, and no other', () => {
  const rows = readFileSync(join(ROOT, 'docs/converting.md'), 'utf8').matchAll(
    /^\| `([A-Z_]+)` \| (error|warning|info) \|/gm,
  );
  const documented = new Map([...rows].map(([, code, severity]) => [code!, severity!]));
  const found = new Map<string, string | null>();
  for (const file of globSync('packages/{tiles,server}/src/convert/**/*.ts', { cwd: ROOT })) {
    if (/\.test\.ts$|[\\/]testing[\\/]/.test(file)) continue;
    const text = readFileSync(join(ROOT, file), 'utf8');
    const literal = /code: '([A-Z_]+)',\s*severity: '(error|warning|info)'/g;
    const keyed = /^ {2}([A-Z_]{6,}): \{\s*severity: '(error|warning|info)'/gm;
    for (const pattern of [literal, keyed]) {
      for (const [, code, severity] of text.matchAll(pattern)) found.set(code!, severity!);
    }
    // Chosen between two.
    for (const [, a, b] of text.matchAll(/code: \w+ \? '([A-Z_]+)' : '([A-Z_]+)'/g)) {
      found.set(a!, 'error').set(b!, 'error');
    }
  }
  assert.deepEqual([...documented].sort(), [...found].sort());
});
