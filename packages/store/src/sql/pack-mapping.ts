/** How rows of the tables of packs and objects correspond; see `mapping.ts`. */
import type { PackRow, PackSource } from '../pack-store.ts';
import type { SqlRow } from './driver.ts';
import { type Table, table, valuesOf } from './table.ts';

const packs = table('pack', {
  id: (p: PackRow) => p.id,
  status: (p) => p.status,
  progress: (p) => p.progress,
  run: (p) => p.run,
  accepted_at: (p) => p.acceptedAt,
  started_at: (p) => p.startedAt,
  finished_at: (p) => p.finishedAt,
  expires_at: (p) => p.expiresAt,
  reason: (p) => p.reason,
  size: (p) => p.size,
  files: (p) => p.files,
  digest: (p) => p.digest,
  object_key: (p) => p.objectKey,
  materialised: (p) => Number(p.materialised),
  missing: (p) => JSON.stringify(p.missing),
  missing_count: (p) => p.missingCount,
});
/** What callers see of a pack; the columns of its work are the store's own. */
export const PACK: Table<PackRow> = packs.table;

export function packFromRow(row: SqlRow): PackRow {
  const { at } = packs;
  const r = valuesOf(row);
  return {
    id: r[at.id]!,
    status: r[at.status]!,
    progress: r[at.progress]!,
    run: r[at.run]!,
    acceptedAt: r[at.accepted_at]!,
    startedAt: r[at.started_at]!,
    finishedAt: r[at.finished_at]!,
    expiresAt: r[at.expires_at]!,
    reason: r[at.reason]!,
    size: r[at.size]!,
    files: r[at.files]!,
    digest: r[at.digest]!,
    objectKey: r[at.object_key]!,
    materialised: r[at.materialised] === 1,
    missing: JSON.parse(r[at.missing]!),
    missingCount: r[at.missing_count]!,
  };
}

const sources = table('pack_source', {
  pack: (s: PackSource & { pack: string; position: number }) => s.pack,
  position: (s) => s.position,
  package_id: (s) => s.packageId,
  directory: (s) => s.directory,
  archive_key: (s) => s.archiveKey,
  index_key: (s) => s.indexKey,
  archive_sha256: (s) => s.archiveSha256,
  files: (s) => JSON.stringify(s.files),
  metadata: (s) => JSON.stringify(s.metadata),
});
export const PACK_SOURCE: Table<PackSource & { pack: string; position: number }> = sources.table;

export function packSourceFromRow(row: SqlRow): PackSource {
  const { at } = sources;
  const r = valuesOf(row);
  return {
    packageId: r[at.package_id]!,
    directory: r[at.directory]!,
    archiveKey: r[at.archive_key]!,
    indexKey: r[at.index_key]!,
    archiveSha256: r[at.archive_sha256]!,
    files: JSON.parse(r[at.files]!),
    metadata: JSON.parse(r[at.metadata]!),
  };
}
