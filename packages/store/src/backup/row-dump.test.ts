import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { SqlRow, SqlSnapshot } from '../sql/driver.ts';
import { BackupDamaged } from './backup-format.ts';
import { DUMPED_TABLES, dumpRows, readDump } from './row-dump.ts';

const [first, second] = DUMPED_TABLES;

describe('a dump of rows', () => {
  let directory: string;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'row-dump-'));
  });
  after(() => rm(directory, { recursive: true }));

  /** What is read of a dump with these lines: table and number of rows of each page. */
  async function read(lines: readonly unknown[]): Promise<Array<[string, number]>> {
    const path = join(directory, 'lines');
    writeFileSync(path, gzipSync(lines.map((line) => `${JSON.stringify(line)}\n`).join('')));
    const pages: Array<[string, number]> = [];
    for await (const { table, rows } of readDump(path)) pages.push([table.name, rows.length]);
    return pages;
  }

  const head = ({ name: table, columns } = first!, count = columns.length) => ({
    table,
    columns: columns.slice(0, count),
  });

  test('is read some rows at a time, and a table begins a page of its own', async () => {
    const rows = (count: number) => Array.from({ length: count }, () => [null]);
    assert.deepEqual(await read([head(first, 1), ...rows(1_001), head(second, 1), ...rows(500)]), [
      [first!.name, 500],
      [first!.name, 500],
      [first!.name, 1],
      [second!.name, 500],
    ]);
    assert.deepEqual(await read([head(first, 1), head(second, 1)]), []);
  });

  test('gives back the rows of each table in their order, whole', async () => {
    /** Two pages of the first table, one row of the last. */
    const rowsOf = new Map<string, SqlRow[]>([
      [
        first!.name,
        Array.from({ length: 700 }, (_, i) => first!.columns.map((_, k) => (k === 0 ? i : `é${k}`))),
      ],
      [DUMPED_TABLES.at(-1)!.name, [DUMPED_TABLES.at(-1)!.columns.map(() => null)]],
    ]);
    const snapshot = {
      async *pages(sql: string, size: number) {
        const { name } = DUMPED_TABLES.find((table) => new RegExp(`FROM ${table.name}\\b`).test(sql))!;
        const rows = rowsOf.get(name) ?? [];
        for (let i = 0; i < rows.length; i += size) yield rows.slice(i, i + size);
      },
    };
    const path = join(directory, 'whole');
    const facts = await dumpRows(snapshot as unknown as SqlSnapshot, path);
    assert.deepEqual(
      DUMPED_TABLES.map(({ name }) => facts[name]!.rows),
      DUMPED_TABLES.map(({ name }) => rowsOf.get(name)?.length ?? 0),
    );
    const got = new Map<string, SqlRow[]>();
    for await (const { table, columns, rows } of readDump(path)) {
      assert.deepEqual(columns, table.columns);
      got.set(table.name, [...(got.get(table.name) ?? []), ...rows]);
    }
    assert.deepEqual(got, rowsOf);
    const lines = gunzipSync(readFileSync(path)).toString().trim().split('\n');
    assert.equal(lines.length, DUMPED_TABLES.length + 701);
    await assert.rejects(dumpRows(snapshot as unknown as SqlSnapshot, path), { code: 'EEXIST' });
  });

  test('may have fewer columns than the table has now, and refuses what it cannot place', async () => {
    const row = (length: number) => Array.from({ length }, () => 1);
    assert.deepEqual(
      await read([head(first, 2), row(2), row(2), head(second), row(second!.columns.length)]),
      [
        [first!.name, 2],
        [second!.name, 1],
      ],
    );
    assert.deepEqual(await read([head(first, 2), head(second, 1)]), []);
    for (const lines of [
      [row(2)],
      [head(first, 2), row(3)],
      [head(first, 2), row(2), row(1)],
      [{ table: 'sqlite_master', columns: [] }],
      [{ table: first!.name, columns: [first!.columns[0], 'x; DROP TABLE package'] }],
    ]) {
      await assert.rejects(read(lines), BackupDamaged, JSON.stringify(lines));
    }
  });
});
