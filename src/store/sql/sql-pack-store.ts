import { createHash } from 'node:crypto';
import { CatalogueConflict } from '../catalogue-store.ts';
import type {
  ClaimOptions,
  PackClaim,
  PackRequest,
  PackResult,
  PackRow,
  PackSource,
  PackStore,
} from '../pack-store.ts';
import type { SqlDriver, SqlReader, SqlTransaction } from './driver.ts';
import { PACK, PACK_SOURCE, packFromRow, packSourceFromRow } from './pack-mapping.ts';

const SELECT_PACK = `SELECT ${PACK.columns.join(', ')} FROM pack`;
/** A pack that a worker may take: $1 now, $2 dead workers. */
const CLAIMABLE =
  "(status = 'accepted' OR (status = 'processing' AND (lease_until <= $1 OR worker IN (SELECT value FROM each_text($2)))))";
/** What a claim's statements add, so that a run that lost its lease changes nothing: $1 id, $2 run. */
const CLAIMED = "id = $1 AND run = $2 AND status = 'processing'";

/** What the row of a pack takes without what it says of its files, bytes, about. */
const PACK_BYTES = 1_000;

/** Packs in a relational database, by any driver; the schema is brought up to date with the catalogue's. */
export class SqlPackStore implements PackStore {
  readonly #driver: SqlDriver;

  constructor(driver: SqlDriver) {
    this.#driver = driver;
  }

  accept(request: PackRequest, { now, expiresAt }: { now: number; expiresAt: number }): Promise<PackRow> {
    const content = contentOf(request.sources);
    // A package that the pack needs must not be forgotten meanwhile.
    return this.#driver.write('catalogue', async (tx) => {
      const [known] = await tx.all(
        `SELECT run, content, status, coalesce(expires_at, $2) FROM pack WHERE id = $1`,
        [request.id, expiresAt],
      );
      if (
        known !== undefined &&
        known[1] === content &&
        known[2] !== 'failed' &&
        (known[3] as number) > now
      ) {
        await tx.run(
          "UPDATE pack SET expires_at = $2 WHERE id = $1 AND status = 'succeeded' AND expires_at < $2",
          [request.id, expiresAt],
        );
        return (await readPacks(tx, [request.id], now))[0]!;
      }
      await requirePackages(tx, request.sources);
      const run = known === undefined ? 0 : (known[0] as number) + 1;
      await tx.run('DELETE FROM pack WHERE id = $1', [request.id]);
      const pack = acceptedPack(request.id, run, now);
      const rows = request.sources.map((source, position) =>
        PACK_SOURCE.toRow({ ...source, pack: request.id, position }),
      );
      const bytes = rows.flat().reduce<number>((sum, value) => sum + String(value).length, PACK_BYTES);
      const columns = [...PACK.columns, 'tries', 'content', 'bytes'];
      await tx.insert(PACK.name, columns, [[...PACK.toRow(pack), 0, content, bytes]]);
      await tx.insert(PACK_SOURCE.name, PACK_SOURCE.columns, rows);
      await tx.announce('packs');
      return pack;
    });
  }

  find(ids: readonly string[], now: number): Promise<PackRow[]> {
    return readPacks(this.#driver, ids, now);
  }

  async recent(limit: number, now: number): Promise<PackRow[]> {
    const rows = await this.#driver.all(
      `${SELECT_PACK} WHERE expires_at IS NULL OR expires_at > $2 ORDER BY accepted_at DESC, id LIMIT $1`,
      [limit, now],
    );
    return rows.map(packFromRow);
  }

  async claim(options: ClaimOptions): Promise<PackClaim | null> {
    const { worker, now, leaseUntil, dead, maxTries, expiresAt } = options;
    // Mostly there is nothing to do, and readers wait for nobody.
    const waiting = await this.#driver.all(`SELECT id FROM pack WHERE ${CLAIMABLE} LIMIT 1`, [now, dead]);
    if (waiting.length === 0) return null;
    return this.#driver.write('packs', async (tx) => {
      await tx.run(
        "UPDATE pack SET status = 'failed', finished_at = $1, expires_at = $4, worker = NULL, lease_until = NULL, reason = $5 " +
          `WHERE tries >= $3 AND ${CLAIMABLE}`,
        [now, dead, maxTries, expiresAt, `Work on it was begun ${maxTries} times and never came to an end.`],
      );
      const [next] = await tx.all(
        `SELECT id FROM pack WHERE ${CLAIMABLE} ORDER BY tries, accepted_at, id LIMIT 1`,
        [now, dead],
      );
      if (next === undefined) return null;
      const [claimed] = await tx.all(
        "UPDATE pack SET status = 'processing', run = run + 1, tries = tries + 1, worker = $3, lease_until = $4, " +
          `started_at = coalesce(started_at, $1) WHERE id = $5 AND ${CLAIMABLE} RETURNING id, run, tries`,
        [now, dead, worker, leaseUntil, next[0]!],
      );
      // Its worker has finished it meanwhile: that takes no lock.
      if (claimed === undefined) return null;
      const [id, run, tries] = claimed as [string, number, number];
      return { id, run, tries, sources: await readSources(tx, id) };
    });
  }

  async holders(): Promise<string[]> {
    const rows = await this.#driver.all(
      "SELECT DISTINCT worker FROM pack WHERE status = 'processing' AND worker IS NOT NULL ORDER BY worker",
    );
    return rows.map((row) => row[0] as string);
  }

  touch(claim: PackClaim, progress: number, leaseUntil: number): Promise<boolean> {
    return this.#ofClaim(
      `UPDATE pack SET lease_until = $3, progress = CASE WHEN $4 > progress THEN $4 ELSE progress END WHERE ${CLAIMED}`,
      claim,
      [leaseUntil, progress],
    );
  }

  succeed(claim: PackClaim, result: PackResult): Promise<boolean> {
    return this.#driver.write(null, async (tx) => {
      const changed = await tx.run(
        "UPDATE pack SET status = 'succeeded', progress = 1, worker = NULL, lease_until = NULL, finished_at = $3, " +
          'expires_at = $4, size = $5, files = $6, digest = $7, object_key = $8, materialised = $9, missing = $10, ' +
          `missing_count = $11, bytes = bytes + $12 WHERE ${CLAIMED}`,
        [
          claim.id,
          claim.run,
          result.now,
          result.expiresAt,
          result.size,
          result.files,
          result.digest,
          result.objectKey,
          Number(result.materialised),
          JSON.stringify(result.missing),
          result.missingCount,
          result.objectBytes,
        ],
      );
      // A zip that was written out needs the archives no more.
      if (changed > 0 && result.materialised) await dropSources(tx, claim.id);
      if (changed > 0) await tx.announce('packs');
      return changed > 0;
    });
  }

  fail(
    claim: PackClaim,
    reason: string,
    { now, expiresAt }: { now: number; expiresAt: number },
  ): Promise<boolean> {
    return this.#driver.write(null, async (tx) => {
      const changed = await tx.run(
        "UPDATE pack SET status = 'failed', worker = NULL, lease_until = NULL, finished_at = $3, expires_at = $4, reason = $5 " +
          `WHERE ${CLAIMED}`,
        [claim.id, claim.run, now, expiresAt, reason],
      );
      if (changed > 0) {
        await dropSources(tx, claim.id);
        await tx.announce('packs');
      }
      return changed > 0;
    });
  }

  release(claim: PackClaim, from: number, counts: boolean): Promise<boolean> {
    return this.#ofClaim(
      `UPDATE pack SET worker = NULL, lease_until = $3, tries = tries - $4 WHERE ${CLAIMED}`,
      claim,
      [from, counts ? 0 : 1],
    );
  }

  async expired(before: number): Promise<Array<{ id: string; run: number; bytes: number }>> {
    const sql = 'SELECT id, run, bytes FROM pack WHERE expires_at < $1 ORDER BY expires_at, id';
    const rows = await this.#driver.all(sql, [before]);
    return rows.map(([id, run, bytes]) => ({
      id: id as string,
      run: run as number,
      bytes: bytes as number,
    }));
  }

  async bytes(): Promise<number> {
    const [row] = await this.#driver.all('SELECT coalesce(sum(bytes), 0) FROM pack');
    return Number(row![0]);
  }

  async forget(id: string, run: number, before: number): Promise<boolean> {
    const sql = 'DELETE FROM pack WHERE id = $1 AND run = $2 AND expires_at < $3';
    return (await this.#driver.write(null, (tx) => tx.run(sql, [id, run, before]))) > 0;
  }

  async refersTo(archiveKey: string): Promise<boolean> {
    const sql = 'SELECT 1 FROM pack_source WHERE archive_key = $1 LIMIT 1';
    return (await this.#driver.all(sql, [archiveKey])).length > 0;
  }

  listen(heard: () => void): () => void {
    return this.#driver.listen('packs', heard);
  }

  async #ofClaim(sql: string, claim: PackClaim, params: readonly number[]): Promise<boolean> {
    return (await this.#driver.write(null, (tx) => tx.run(sql, [claim.id, claim.run, ...params]))) > 0;
  }
}

function acceptedPack(id: string, run: number, acceptedAt: number): PackRow {
  return {
    id,
    status: 'accepted',
    progress: 0,
    run,
    acceptedAt,
    startedAt: null,
    finishedAt: null,
    expiresAt: null,
    reason: null,
    size: null,
    files: null,
    digest: null,
    objectKey: null,
    materialised: false,
    missing: [],
    missingCount: 0,
  };
}

/** SHA-256 of what the sources take from which archives, hex. */
function contentOf(sources: readonly PackSource[]): string {
  const what = sources.map(({ directory, archiveSha256, files, metadata }) => [
    directory,
    archiveSha256,
    files,
    metadata,
  ]);
  return createHash('sha256').update(JSON.stringify(what)).digest('hex');
}

/** Archives of known packages are never deleted; those of forgotten ones may be on their way out. */
async function requirePackages(tx: SqlTransaction, sources: readonly PackSource[]): Promise<void> {
  const keys = [...new Set(sources.map((source) => source.archiveKey))];
  const rows = await tx.all(
    'SELECT archive_key FROM package WHERE archive_key IN (SELECT value FROM each_text($1))',
    [keys],
  );
  const found = new Set(rows.map((row) => row[0]));
  const lost = sources.find((source) => !found.has(source.archiveKey));
  if (lost !== undefined) {
    throw new CatalogueConflict(`the package ${lost.packageId} (${lost.directory}) is no longer there`);
  }
}

async function dropSources(tx: SqlTransaction, id: string): Promise<void> {
  await tx.run('DELETE FROM pack_source WHERE pack = $1', [id]);
}

async function readPacks(reader: SqlReader, ids: readonly string[], now: number): Promise<PackRow[]> {
  const rows = await reader.all(
    `${SELECT_PACK} WHERE id IN (SELECT value FROM each_text($1)) AND (expires_at IS NULL OR expires_at > $2) ORDER BY id`,
    [ids, now],
  );
  return rows.map(packFromRow);
}

async function readSources(tx: SqlTransaction, id: string): Promise<PackSource[]> {
  const columns = PACK_SOURCE.columns.join(', ');
  const rows = await tx.all(`SELECT ${columns} FROM pack_source WHERE pack = $1 ORDER BY position`, [id]);
  return rows.map(packSourceFromRow);
}
