/** What the operator's page shows, as JSON: read only, and nothing of where things lie on the machine. */
import type { RouteHandlerMethod } from 'fastify';
import { LRUCache } from 'lru-cache';
import { ServiceError } from '../../base/errors.ts';
import { GeneratedDocument } from '../../base/generated-document.ts';
import type { Issue } from '../../base/issue.ts';
import { VERSION } from '../../base/version.ts';
import type { CatalogueStore } from '../../store/catalogue-store.ts';
import type { PackRow } from '../../store/pack-store.ts';
import type { PackageRow } from '../../store/rows.ts';
import { sendGenerated, sendJson } from '../answers/send.ts';
import type { ServiceContext } from '../context.ts';
import { checkHealth } from './health.ts';

/** How long an answer is given again, ms. */
const KEPT_MS = 1_000;
/** Pack jobs that are listed, the newest. */
const MAX_JOBS = 100;

/** A package for its operator. */
export interface StatusPackage {
  id: string;
  name: string;
  kind: PackageRow['kind'];
  state: PackageRow['state'];
  place: string;
  code: string;
  year: number;
  types: string[];
  files: number;
  features: number;
  archiveBytes: number;
  memberBytes: number;
  issues: PackageRow['issueCounts'];
  /** Names of the fields that were guessed at ingestion. */
  guessed: string[];
  /** ISO 8601, like all times. */
  ingestedAt: string;
}

export interface StatusJob {
  /** The first 8 digits unless STATUS_PACK_IDS is `show`: whoever has the whole id may download the pack. */
  id: string;
  status: PackRow['status'];
  progress: number;
  acceptedAt: string;
  startedAt: string | null;
  finishedAt: string | null;
  expiresAt: string | null;
  size: number | null;
  files: number | null;
  missing: number;
  reason: string | null;
}

export interface StatusDocument {
  version: string;
  startedAt: string;
  now: string;
  /** What answers: `ok`, or why not. */
  checks: Record<string, string>;
  packages: StatusPackage[];
  jobs: StatusJob[];
  /** Ingestions that have begun and not ended. */
  ingestions: Array<{ startedBy: string; heartbeatAt: string; objects: number }>;
  totals: { archiveBytes: number; memberBytes: number; packages: number; waitingDeletion: number };
}

/**
 * `GET /status.json`, and with `?package={id}` the issues of that package's ingestion as `{id, name, issues}`.
 */
export function serveStatus(context: ServiceContext): RouteHandlerMethod {
  const startedAt = new Date(Date.now() - process.uptime() * 1_000).toISOString();
  const kept = new LRUCache<string, GeneratedDocument>({
    max: 1,
    ttl: KEPT_MS,
    fetchMethod: async () => GeneratedDocument.ofJson(await makeStatus(context, startedAt)),
  });
  return async (request, reply) => {
    const wanted = (request.query as Record<string, unknown>).package;
    if (typeof wanted === 'string')
      return sendJson(request, reply, await issuesOf(context.catalogue, wanted));
    // Whoever asks within the second gets the same answer, and those who ask at once share the work.
    return sendGenerated(request, reply, (await kept.fetch(''))!);
  };
}

async function makeStatus(context: ServiceContext, startedAt: string): Promise<StatusDocument> {
  const [checks, packages, jobs, intents, garbage] = await Promise.all([
    checkHealth(context),
    listPackages(context.catalogue),
    context.packs.recent(MAX_JOBS),
    context.catalogue.intents(),
    context.catalogue.garbage(),
  ]);
  const showsIds = context.settings.STATUS_PACK_IDS === 'show';
  return {
    version: VERSION,
    startedAt,
    now: new Date().toISOString(),
    checks,
    packages,
    jobs: jobs.map((job) => jobOf(job, showsIds)),
    ingestions: intents.map(({ pid, heartbeatAt, keys }) => ({
      startedBy: `process ${pid}`,
      heartbeatAt: new Date(heartbeatAt).toISOString(),
      objects: keys.length,
    })),
    totals: {
      archiveBytes: packages.reduce((sum, row) => sum + row.archiveBytes, 0),
      memberBytes: packages.reduce((sum, row) => sum + row.memberBytes, 0),
      packages: packages.length,
      waitingDeletion: garbage.length,
    },
  };
}

async function listPackages(catalogue: CatalogueStore): Promise<StatusPackage[]> {
  const packages: StatusPackage[] = [];
  for await (const page of catalogue.packages(['live', 'retired', 'removed'])) {
    for (const row of page) packages.push(packageOf(row));
  }
  return packages.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function packageOf(row: PackageRow): StatusPackage {
  return {
    id: row.id,
    name: row.name,
    kind: row.kind,
    state: row.state,
    place: [row.pref, row.city === row.pref ? null : row.city, row.ward].filter(Boolean).join(' '),
    code: row.wardCode ?? row.cityCode,
    year: row.year,
    types: row.types,
    files: row.files,
    features: row.features,
    archiveBytes: row.archiveSize,
    memberBytes: row.memberBytes,
    issues: row.issueCounts,
    guessed: row.guessed,
    ingestedAt: row.ingestedAt,
  };
}

function jobOf(row: PackRow, showsId: boolean): StatusJob {
  const time = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());
  return {
    id: showsId ? row.id : row.id.slice(0, 8),
    status: row.status,
    progress: row.progress,
    acceptedAt: time(row.acceptedAt)!,
    startedAt: time(row.startedAt),
    finishedAt: time(row.finishedAt),
    expiresAt: time(row.expiresAt),
    size: row.size,
    files: row.files,
    missing: row.missingCount,
    reason: row.reason,
  };
}

async function issuesOf(
  catalogue: CatalogueStore,
  id: string,
): Promise<{ id: string; name: string; issues: Issue[] }> {
  const [row] = await catalogue.findPackages({ id });
  if (row === undefined) {
    throw new ServiceError(404, 'not found', {
      reason: `There is no package with the id ${JSON.stringify(id)}.`,
    });
  }
  return { id: row.id, name: row.name, issues: await catalogue.issues(row.no) };
}
