import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './program.ts';

/** Cells of all table rows of a page of the documentation whose first cell is code; `section` is the heading above. */
export function rowsOf(page: string, section?: RegExp): string[][] {
  let heading = '';
  const rows: string[][] = [];
  for (const line of readFileSync(join(ROOT, page), 'utf8').split('\n')) {
    if (line.startsWith('#')) heading = line;
    if (!line.startsWith('| `') || (section !== undefined && !section.test(heading))) continue;
    rows.push(
      line
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  }
  return rows;
}

/** Code → severities, of the issues that docs/issues.md explains. */
export function documentedIssues(): Map<string, string[]> {
  const rows = rowsOf('docs/issues.md', /^## (?!Refusals|Failures|Jobs|Limits)/);
  return new Map(rows.map(([code, severity]) => [code!.replaceAll('`', ''), severity!.split(', ')]));
}

/** Codes of the refusals and failures that docs/issues.md explains. */
export function documentedRefusals(): string[] {
  return rowsOf('docs/issues.md', /^## (Refusals|Failures)/).map(([code]) => code!.replaceAll('`', ''));
}
