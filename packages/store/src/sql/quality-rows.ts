/** What inspections found in packages, in the database. */
import type { FindingQuery, InspectedPackage } from '../catalogue-store.ts';
import type { FindingRow } from '../rows.ts';
import { changing, noteChange } from './catalogue-changes.ts';
import type { SqlReader, SqlTransaction } from './driver.ts';
import { FINDING, findingFromRow, QUALITY_REPORT } from './mapping.ts';

/** Rows of one statement. */
const ROWS = 500;

/** Replaces what is known of a package. False when it is gone. */
export async function writeQuality(
  tx: SqlTransaction,
  { packageNo, quality, report, findings }: InspectedPackage,
): Promise<boolean> {
  const before = await changing(tx, [packageNo]);
  if (before.length === 0) return false;
  await tx.run('DELETE FROM finding WHERE package_no = $1', [packageNo]);
  await tx.run('DELETE FROM quality_report WHERE package_no = $1', [packageNo]);
  await tx.run('UPDATE package SET quality = $1 WHERE no = $2', [JSON.stringify(quality), packageNo]);
  await insertQuality(tx, { packageNo, report, findings });
  await noteChange(tx, before);
  return true;
}

/** Of a package of which nothing is known yet. */
export async function insertQuality(
  tx: SqlTransaction,
  { packageNo, report, findings }: Omit<InspectedPackage, 'quality'>,
): Promise<void> {
  await tx.insert(QUALITY_REPORT.name, QUALITY_REPORT.columns, [QUALITY_REPORT.toRow({ packageNo, report })]);
  let page: ReturnType<typeof FINDING.toRow>[] = [];
  for (const finding of findings) {
    page.push(FINDING.toRow({ ...finding, packageNo }));
    if (page.length < ROWS) continue;
    await tx.insert(FINDING.name, FINDING.columns, page);
    page = [];
  }
  if (page.length > 0) await tx.insert(FINDING.name, FINDING.columns, page);
}

export async function readQualityReport(reader: SqlReader, packageNo: number): Promise<string | null> {
  const [row] = await reader.all('SELECT report FROM quality_report WHERE package_no = $1', [packageNo]);
  return (row?.[0] as string | undefined) ?? null;
}

export async function readFindings(
  reader: SqlReader,
  { packageNo, code, after, limit }: FindingQuery,
): Promise<FindingRow[]> {
  const columns = FINDING.columns.join(', ');
  const ofCode = code === null ? '' : ' AND code = $4';
  const rows = await reader.all(
    `SELECT ${columns} FROM finding WHERE package_no = $1${ofCode} AND position > $2 ORDER BY position LIMIT $3`,
    code === null ? [packageNo, after, limit] : [packageNo, after, limit, code],
  );
  return rows.map(findingFromRow);
}
