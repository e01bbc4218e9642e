import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ISSUES_IN_JAPANESE } from '@citymodel/base';

const ROOT = join(import.meta.dirname, '../../../..');

test('docs/issues.md explains every code that a job fails with, and no other, and has it in Japanese', () => {
  const [, jobs] = /^## Jobs$([\s\S]*?)^## /m.exec(readFileSync(join(ROOT, 'docs/issues.md'), 'utf8'))!;
  const documented = [...jobs!.matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, code]) => code!);
  const found = new Set<string>();
  for (const file of globSync('packages/server/src/jobs/**/*.ts', { cwd: ROOT })) {
    if (/\.test\.ts$|[\\/]testing[\\/]/.test(file)) continue;
    const text = readFileSync(join(ROOT, file), 'utf8');
    for (const [, code] of text.matchAll(/Job(?:Refused|Failed)\(\s*'([A-Z_]+)'/g)) found.add(code!);
    for (const [, code] of text.matchAll(/\? '([A-Z_]+)' : failureOf/g)) found.add(code!);
  }
  assert.deepEqual(documented.toSorted(), [...found].sort());
  for (const code of documented) assert.equal(ISSUES_IN_JAPANESE.refused[code]?.length, 2, code);
});
