import { readFileSync } from 'node:fs';

const DOCUMENT = new URL('../../../../../docs/converting.md', import.meta.url);

/** Columns that docs/converting.md lists as other than the published ones. */
export function documentedDifferences(): Set<string> {
  const [, section] = readFileSync(DOCUMENT, 'utf8').split('## What differs from published tiles');
  const table = section!.split('\n## ')[0]!;
  const rows = table.split('\n').filter((line) => line.startsWith('| `'));
  return new Set(
    rows.flatMap((line) => [...line.split('|')[1]!.matchAll(/`([^`]+)`/g)].map(([, name]) => name!)),
  );
}
