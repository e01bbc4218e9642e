/**
 * Labels of the most used code lists of the standard product specification, for packages that come without their lists.
 * The facts stand in `standard-code-lists.tsv` (list, code, label), which `scripts/make-standard-code-lists.ts` makes.
 */
import { readFileSync } from 'node:fs';
import type { CodeList } from './code-list.ts';

let lists: Map<string, Map<string, string>> | null = null;

/** The list of this name, such as `Building_usage`, in any letter case; null when the table has none. */
export function standardCodeList(name: string): CodeList | null {
  lists ??= readLists();
  return lists.get(name.toLowerCase()) ?? null;
}

function readLists(): Map<string, Map<string, string>> {
  const read = new Map<string, Map<string, string>>();
  const text = readFileSync(new URL('standard-code-lists.tsv', import.meta.url), 'utf8');
  for (const line of text.split('\n')) {
    const [list, code, label] = line.split('\t');
    if (list === undefined || code === undefined || label === undefined) continue;
    const key = list.toLowerCase();
    const codes = read.get(key) ?? new Map<string, string>();
    read.set(key, codes.set(code, label));
  }
  return read;
}
