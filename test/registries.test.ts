/** What the program can say, and what the documentation explains: each in the other. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { ZIP_ISSUES } from '../packages/zip/src/read/zip-issues.ts';
import { documentedIssues, documentedRefusals, rowsOf } from './support/documented.ts';
import { ROOT } from './support/program.ts';

/** Words in capitals in the sources that are no issue codes. */
const OTHER_WORDS = new Set([
  ...['COMMIT', 'ROLLBACK', 'REPLACE', 'NFKC', 'SDBC', 'SDBP', 'SDBT'],
  ...[
    'EDQUOT',
    'ENOENT',
    'ENOSPC',
    'ENOTDIR',
    'EPIPE',
    'EPERM',
    'EXDEV',
    'SIGINT',
    'SIGTERM',
    'POST',
    'ERR_BUFFER_TOO_LARGE',
    'ERR_INVALID_STATE',
    'Z_BUF_ERROR',
    'DATABASE_URL',
    'OBJECT_STORE',
    'HEIGHTS',
    // A system of heights.
    'DHHN92',
  ],
]);

/** What layers report; the writers of tiles have words of other standards. */
function sources(...layers: string[]): string {
  return globSync(`packages/{${layers.join(',')}}/**/*.ts`, { cwd: ROOT })
    .filter(
      (file) =>
        !/\.test\.ts$|[\\/]testing[\\/]|[\\/]tiles[\\/]src[\\/](?:write|convert|picture)[\\/]/.test(file),
    )
    .map((file) => readFileSync(join(ROOT, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, ''))
    .join('\n');
}

describe('docs/issues.md', () => {
  it('explains every code that the sources have, and no other', () => {
    const text = sources('zip/src', 'tiles/src', 'citygml/src', 'server/src/ingest', 'server/src/cli');
    const found = new Set<string>();
    for (const [, quoted, key] of text.matchAll(/'([A-Z][A-Z0-9_]{3,})'|^\s+([A-Z][A-Z0-9_]{3,}):/gm)) {
      const word = (quoted ?? key)!;
      if (!OTHER_WORDS.has(word)) found.add(word);
    }
    const documented = new Set([...documentedIssues().keys(), ...documentedRefusals()]);
    assert.ok(found.size > 80);
    assert.deepEqual([...found].sort(), [...documented].sort());
  });

  it('gives the severities that the sources give', () => {
    const documented = documentedIssues();
    for (const [code, { severity }] of Object.entries(ZIP_ISSUES)) {
      assert.deepEqual(documented.get(code), [severity], code);
    }
    const pattern =
      /'([A-Z][A-Z0-9_]{3,})',\s*'(error|warning|info)'|code: '([A-Z][A-Z0-9_]{3,})',\s*severity: '(error|warning|info)'/g;
    let count = 0;
    for (const [, a, b, c, d] of sources('server/src/ingest', 'tiles/src', 'citygml/src').matchAll(pattern)) {
      const [code, severity] = [(a ?? c)!, (b ?? d)!];
      assert.ok(documented.get(code)?.includes(severity), `${code} is ${severity} in the sources`);
      count++;
    }
    assert.ok(count > 30);
  });
});

describe('docs/errors.md', () => {
  it('explains every text that the sources have, with its statuses, and no other', () => {
    const declared = readFileSync(join(ROOT, 'packages/server/src/base/errors.ts'), 'utf8');
    const union = /export type ErrorText =([^;]+);/.exec(declared)![1]!;
    const texts = [...union.matchAll(/'([^']+)'/g)].map(([, text]) => text!);
    const documented = new Map(
      rowsOf('docs/errors.md').map(([text, status]) => [text!.replaceAll('`', ''), status!.split(', ')]),
    );
    assert.deepEqual([...documented.keys()].sort(), texts.sort());
    const used = sources(
      'server/src/catalogue',
      'server/src/pack',
      'server/src/features',
      'server/src/http',
    ).matchAll(/new ServiceError\(\s*(\d{3}),\s*'([^']+)'/g);
    let count = 0;
    for (const [, status, text] of used) {
      assert.ok(documented.get(text!)?.includes(status!), `${text} is answered with ${status}`);
      count++;
    }
    assert.ok(count > 20);
  });
});
