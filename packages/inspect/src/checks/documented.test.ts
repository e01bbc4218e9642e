import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { CHECKS } from './index.ts';

const DOCUMENT = new URL('../../../../docs/inspecting.md', import.meta.url);

/** Rows of the table of checks: code, official name, specifications, folders, severity, ingestion. */
function documented(): string[][] {
  const [table] = /<!-- checks: .*?<!-- end of checks -->/s.exec(readFileSync(DOCUMENT, 'utf8'))!;
  const rows = table.split('\n').filter((line) => line.startsWith('| `'));
  // A bar within a cell has a backslash before it.
  return rows
    .map((row) => row.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|')))
    .map((row) => row.slice(1, 7));
}

test('checks are for the specifications and folders that docs/inspecting.md names, and as severe', () => {
  const facts = CHECKS.map(({ code, name, specs, folders, severity, inPassing = '' }) => [
    `\`${code}\``,
    ...[name.trim(), specs.join(', '), folders?.join(' ') ?? 'all', severity, inPassing],
  ]);
  assert.deepEqual(facts, documented());
});

test('codes are there once, and CityGML 3.0, which has no LOD 4, has no check of it', () => {
  const codes = CHECKS.map(({ code }) => code);
  assert.deepEqual(codes.toSorted(), [...new Set(codes)].toSorted());
  const ofLod4 = CHECKS.filter(({ code, name }) => /lod4/i.test(`${code} ${name}`));
  assert.ok(ofLod4.length > 0);
  for (const { code, specs } of ofLod4) assert.deepEqual(specs, [4], code);
});

test('tables of errors begin with where a row belongs, and no column is there twice', () => {
  for (const { code, table } of CHECKS) {
    if (table === null) continue;
    assert.equal(new Set(table.columns).size, table.columns.length, code);
  }
});
