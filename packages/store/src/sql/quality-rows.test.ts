import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SqlParam, SqlReader, SqlRow } from './driver.ts';
import { readFindings, readQualityReport } from './quality-rows.ts';

/** Answers every statement with these rows, and keeps what it was asked. */
function reader(rows: SqlRow[]) {
  const asked: Array<{ sql: string; params: readonly SqlParam[] }> = [];
  const all: SqlReader['all'] = async (sql, params = []) => {
    asked.push({ sql, params });
    return rows;
  };
  return { asked, all };
}

test('findings of one code or of all are asked for with as many parameters as the statement has', async () => {
  for (const code of [null, 'L13']) {
    const { asked, all } = reader([]);
    assert.deepEqual(await readFindings({ all }, { packageNo: 7, code, after: 30, limit: 10 }), []);
    const [{ sql, params }] = asked as [(typeof asked)[number]];
    const numbers = new Set([...sql.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)));
    assert.equal(numbers.size, params.length);
    assert.deepEqual(params, code === null ? [7, 30, 10] : [7, 30, 10, code]);
    assert.equal(sql.includes('code = '), code !== null);
  }
});

test('a package without a report of its quality has none', async () => {
  assert.equal(await readQualityReport(reader([]), 7), null);
  assert.equal(await readQualityReport(reader([['{}']]), 7), '{}');
});
