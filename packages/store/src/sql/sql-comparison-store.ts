import type {
  Comparison,
  ComparisonKey,
  ComparisonStore,
  DifferenceKind,
  DifferenceQuery,
  DifferenceRow,
} from '../comparison-store.ts';
import type { SqlDriver, SqlParam, SqlRow } from './driver.ts';
import { table } from './table.ts';

const { table: DIFFERENCE } = table('difference', {
  list: (row: DifferenceRow & { list: string }) => row.list,
  position: (row) => row.position,
  change: (row) => row.change,
  west: (row) => row.bounds?.[0] ?? null,
  south: (row) => row.bounds?.[1] ?? null,
  east: (row) => row.bounds?.[2] ?? null,
  north: (row) => row.bounds?.[3] ?? null,
  facts: (row) => row.text,
});

export class SqlComparisonStore implements ComparisonStore {
  readonly #driver: SqlDriver;

  constructor(driver: SqlDriver) {
    this.#driver = driver;
  }

  begin({ from, to, type }: ComparisonKey, list: string): Promise<boolean> {
    return this.#driver.write(null, async (tx) => {
      const begun = await tx.run(
        'INSERT INTO comparison (list, from_no, to_no, type) SELECT $1, older.no, newer.no, $4 ' +
          'FROM package older CROSS JOIN package newer WHERE older.no = $2 AND newer.no = $3',
        [list, from, to, type],
      );
      return begun === 1;
    });
  }

  add(list: string, rows: readonly DifferenceRow[]): Promise<void> {
    return this.#driver.write(null, async (tx) => {
      const [found] = await tx.all('SELECT 1 FROM comparison WHERE list = $1 AND summary IS NULL', [list]);
      if (found === undefined) return;
      const values = rows.map((row) => DIFFERENCE.toRow({ ...row, list }));
      await tx.insert(DIFFERENCE.name, DIFFERENCE.columns, values);
    });
  }

  finish(list: string, summary: string): Promise<boolean> {
    return this.#driver.write(null, async (tx) => {
      const [key] = await tx.all(
        'UPDATE comparison SET summary = $2 WHERE list = $1 RETURNING from_no, to_no, type',
        [list, summary],
      );
      if (key === undefined) return false;
      await tx.run('DELETE FROM comparison WHERE from_no = $1 AND to_no = $2 AND type = $3 AND list <> $4', [
        ...key,
        list,
      ]);
      return true;
    });
  }

  async find({ from, to, type }: ComparisonKey): Promise<Comparison | null> {
    const [row] = await this.#driver.all(
      'SELECT list, summary FROM comparison WHERE from_no = $1 AND to_no = $2 AND type = $3 AND summary IS NOT NULL',
      [from, to, type],
    );
    return row === undefined ? null : { list: row[0] as string, summary: row[1] as string };
  }

  async rows({ list, change, bounds, after, limit }: DifferenceQuery): Promise<DifferenceRow[]> {
    const params: SqlParam[] = [list, after, limit];
    let sql = `SELECT ${DIFFERENCE.columns.slice(1).join(', ')} FROM difference WHERE list = $1 AND position > $2`;
    if (change !== null) sql += ` AND change = $${params.push(change)}`;
    if (bounds !== null) {
      const [west, south, east, north] = bounds.map((degrees) => `$${params.push(degrees)}`);
      sql += ` AND west <= ${east} AND east >= ${west} AND south <= ${north} AND north >= ${south}`;
    }
    return (await this.#driver.all(`${sql} ORDER BY position LIMIT $3`, params)).map(differenceFromRow);
  }
}

function differenceFromRow([position, change, west, south, east, north, facts]: SqlRow): DifferenceRow {
  return {
    position: position as number,
    change: change as DifferenceKind,
    bounds: west === null ? null : ([west, south, east, north] as [number, number, number, number]),
    text: facts as string,
  };
}
