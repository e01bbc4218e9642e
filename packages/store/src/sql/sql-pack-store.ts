import { createHash } from 'node:crypto';
import { CatalogueConflict } from '../catalogue-store.ts';
import type { JobClaim } from '../job-store.ts';
import {
  type PackRequest,
  type PackResult,
  type PackRow,
  type PackRun,
  type PackSource,
  type PackStore,
  packJob,
} from '../pack-store.ts';
import type { SqlDriver, SqlReader, SqlRow, SqlTransaction } from './driver.ts';
import { type JobMessages, queueJob } from './job-queue.ts';
import { PACK, PACK_SOURCE, packFromRow, packSourceFromRow } from './pack-mapping.ts';

const SELECT_PACK = `SELECT ${PACK.columns.join(', ')} FROM pack`;
/** A pack that is not finished. */
const OPEN = "status IN ('accepted', 'processing')";
/** What the statements of a run add, so that one that another followed changes nothing: $1 id, $2 run. */
const RUNNING = "id = $1 AND run = $2 AND status = 'processing'";
/** States of jobs that leave their pack to `mend`. */
const GIVEN_UP = ['dead', 'cancelled'];
/** Packs that are not finished although nobody will work on them, with what became of their jobs. */
const UNATTENDED =
  "SELECT pack.id, coalesce(pack.job, ''), job.state, job.attempts, job.reason FROM pack LEFT JOIN job ON job.id = " +
  'pack.job ' +
  "WHERE pack.status IN ('accepted', 'processing') AND (job.state IS NULL OR job.state NOT IN ('queued', 'running', " +
  "'failed')) " +
  'ORDER BY pack.accepted_at LIMIT $1';
/** Packs that are mended in one transaction, at most. */
const MEND = 500;

/** What the row of a pack takes without what it says of its files, bytes, about. */
const PACK_BYTES = 1_000;

/** Packs in a relational database, by any driver; the schema is brought up to date with the catalogue's. */
export class SqlPackStore implements PackStore {
  readonly #driver: SqlDriver;
  readonly #messages: JobMessages | null;

  /** Without `messages` workers find the jobs by looking. */
  constructor(driver: SqlDriver, messages: JobMessages | null = null) {
    this.#driver = driver;
    this.#messages = messages;
  }

  accept(
    request: PackRequest,
    { now, expiresAt, lost }: { now: number; expiresAt: number; lost?: number | undefined },
  ): Promise<PackRow> {
    const content = contentOf(request.sources);
    // A package that the pack needs must not be forgotten meanwhile.
    return this.#driver.write('catalogue', async (tx) => {
      const [known] = await tx.all(
        'SELECT run, content, status, coalesce(expires_at, $2), (SELECT state FROM job WHERE job.id = pack.job) ' +
          'FROM pack WHERE id = $1',
        [request.id, expiresAt],
      );
      const isLost = known?.[0] === lost && known?.[2] === 'succeeded';
      const isKept = known?.[1] === content && (known[3] as number) > now && isAttended(known);
      if (isKept && !isLost) {
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
      const job = await queueJob(tx, packJob(request.id), { now, position: 0, messages: this.#messages });
      // Programs of older versions count tries here, and may work on the same database during an upgrade.
      const columns = [...PACK.columns, 'tries', 'content', 'bytes', 'job'];
      await tx.insert(PACK.name, columns, [[...PACK.toRow(pack), 0, content, bytes, job.id]]);
      await tx.insert(PACK_SOURCE.name, PACK_SOURCE.columns, rows);
      return pack;
    });
  }

  noteOrphans(keys: readonly string[], { now, before }: { now: number; before: number }): Promise<string[]> {
    return this.#driver.write('packs', async (tx) => {
      await tx.run(
        'INSERT INTO orphan (key, first_seen, last_seen) SELECT DISTINCT value, CAST($2 AS BIGINT), CAST($2 AS ' +
          'BIGINT) ' +
          'FROM each_text($1) WHERE value <> $3 ON CONFLICT (key) DO UPDATE SET last_seen = $2',
        [keys, now, ''],
      );
      const due = await tx.all(
        'SELECT key FROM orphan WHERE key IN (SELECT value FROM each_text($1)) AND first_seen <= $2 ORDER BY key',
        [keys, before],
      );
      const deleted = due.map(([key]) => key as string);
      await tx.run('DELETE FROM orphan WHERE key IN (SELECT value FROM each_text($1))', [deleted]);
      return deleted;
    });
  }

  async endLook(began: number): Promise<void> {
    await this.#driver.write('packs', (tx) => tx.run('DELETE FROM orphan WHERE last_seen < $1', [began]));
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

  begin(id: string, job: Pick<JobClaim, 'id' | 'run'>, now: number): Promise<PackRun | null> {
    return this.#driver.write(null, async (tx) => {
      // The lease is for programs of older versions: they take no pack that has none.
      const [begun] = await tx.all(
        "UPDATE pack SET status = 'processing', run = run + 1, worker = NULL, lease_until = NULL, " +
          `started_at = coalesce(started_at, $4) WHERE id = $1 AND job = $2 AND ${OPEN} AND EXISTS ` +
          "(SELECT 1 FROM job WHERE job.id = $2 AND job.run = $3 AND job.state = 'running') RETURNING run",
        [id, job.id, job.run, now],
      );
      return begun === undefined ? null : { id, run: begun[0] as number, sources: await readSources(tx, id) };
    });
  }

  async advance(run: PackRun, progress: number): Promise<boolean> {
    const sql = `UPDATE pack SET progress = CASE WHEN $3 > progress THEN $3 ELSE progress END WHERE ${RUNNING}`;
    return (await this.#driver.write(null, (tx) => tx.run(sql, [run.id, run.run, progress]))) > 0;
  }

  succeed(run: PackRun, result: PackResult): Promise<boolean> {
    return this.#driver.write(null, async (tx) => {
      const changed = await tx.run(
        "UPDATE pack SET status = 'succeeded', progress = 1, finished_at = $3, " +
          'expires_at = $4, size = $5, files = $6, digest = $7, object_key = $8, materialised = $9, missing = $10, ' +
          `missing_count = $11, bytes = bytes + $12 WHERE ${RUNNING}`,
        [
          run.id,
          run.run,
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
      if (changed > 0 && result.materialised) await dropSources(tx, run.id);
      if (changed > 0) await tx.announce('packs');
      return changed > 0;
    });
  }

  fail(run: PackRun, reason: string, times: { now: number; expiresAt: number }): Promise<boolean> {
    return this.#driver.write(null, (tx) => failPack(tx, run.id, RUNNING, run.run, { ...times, reason }));
  }

  async mend({ now, expiresAt }: { now: number; expiresAt: number }): Promise<number> {
    // Mostly there is nothing to do, and readers wait for nobody.
    if ((await this.#driver.all(UNATTENDED, [1])).length === 0) return 0;
    return this.#driver.write('packs', async (tx) => {
      const unattended = await tx.all(UNATTENDED, [MEND]);
      for (const [id, job, state, attempts, reason] of unattended as Array<
        [string, string, string | null, number, string]
      >) {
        const where = `id = $1 AND coalesce(job, '') = $2 AND ${OPEN}`;
        if (state !== null && GIVEN_UP.includes(state)) {
          const why =
            state === 'cancelled'
              ? 'It was cancelled.'
              : `Work on it was begun ${attempts} times. The last time: ${reason}`;
          await failPack(tx, id, where, job, { now, expiresAt, reason: why });
        } else {
          const queued = await queueJob(tx, packJob(id), { now, position: 0, messages: this.#messages });
          await tx.run(`UPDATE pack SET job = $3 WHERE ${where}`, [id, job, queued.id]);
        }
      }
      return unattended.length;
    });
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
}

/** Whether the pack is made, or work on it goes on. */
function isAttended([, , status, , job]: SqlRow): boolean {
  return status !== 'failed' && (status === 'succeeded' || !GIVEN_UP.includes(String(job)));
}

/** Fails a pack where the condition holds: $1 is its id, $2 is `param`. */
async function failPack(
  tx: SqlTransaction,
  id: string,
  where: string,
  param: string | number,
  { now, expiresAt, reason }: { now: number; expiresAt: number; reason: string },
): Promise<boolean> {
  const changed = await tx.run(
    `UPDATE pack SET status = 'failed', finished_at = $3, expires_at = $4, reason = $5 WHERE ${where}`,
    [id, param, now, expiresAt, reason],
  );
  if (changed === 0) return false;
  await dropSources(tx, id);
  await tx.announce('packs');
  return true;
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

/** Objects of known packages are never deleted; those of forgotten ones may be on their way out. */
async function requirePackages(tx: SqlTransaction, sources: readonly PackSource[]): Promise<void> {
  const keys = [...new Set(sources.map((source) => source.archiveKey))];
  const rows = await tx.all(
    'SELECT archive_key FROM package WHERE archive_key IN (SELECT value FROM each_text($1)) ' +
      'UNION ALL SELECT object_key FROM package_object WHERE object_key IN (SELECT value FROM each_text($1))',
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
    `${SELECT_PACK} WHERE id IN (SELECT value FROM each_text($1)) AND (expires_at IS NULL OR expires_at > $2) ORDER ` +
      `BY id`,
    [ids, now],
  );
  return rows.map(packFromRow);
}

async function readSources(tx: SqlTransaction, id: string): Promise<PackSource[]> {
  const columns = PACK_SOURCE.columns.join(', ');
  const rows = await tx.all(`SELECT ${columns} FROM pack_source WHERE pack = $1 ORDER BY position`, [id]);
  return rows.map(packSourceFromRow);
}
