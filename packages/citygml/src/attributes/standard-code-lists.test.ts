import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { standardCodeList } from './standard-code-lists.ts';

test('each line of the table is a code of its list, and lists are found in any letter case', () => {
  const text = readFileSync(new URL('standard-code-lists.tsv', import.meta.url), 'utf8');
  const lines = text.trimEnd().split('\n');
  assert.ok(lines.length > 100);
  const codes = new Map<string, number>();
  for (const line of lines) {
    const [name, code, label] = line.split('\t');
    assert.equal(standardCodeList(name!)?.get(code!), label, line);
    codes.set(name!, (codes.get(name!) ?? 0) + 1);
  }
  for (const [name, count] of codes) {
    assert.equal(standardCodeList(name.toUpperCase())?.size, count, name);
  }
  assert.equal(standardCodeList('No_such_list'), null);
  assert.equal(standardCodeList(''), null);
});
