/** What the operator's page shows, as JSON: read only, and nothing of where things lie on the machine. */

import { compareTexts, factsOfFormat, type Issue, quoted } from '@citymodel/base';
import {
  type CatalogueStore,
  hasSums,
  JOB_STATES,
  type JobState,
  type PackageQuality,
  type PackageRow,
  type PackRow,
} from '@citymodel/store';
import type { RouteHandlerMethod } from 'fastify';
import { LRUCache } from 'lru-cache';
import { ServiceError } from '../../base/errors.ts';
import { GeneratedDocument } from '../../base/generated-document.ts';
import { VERSION } from '../../base/version.ts';
import { type VerticalSystem, verticalSystemOf } from '../../catalogue/rows/vertical-systems.ts';
import { ASKED_AGAIN, sendGenerated, sendJson } from '../answers/send.ts';
import type { ServiceContext } from '../context.ts';
import { query } from '../describe/operation.ts';
import {
  flag,
  type QueryParameter,
  type RawQuery,
  readQuery,
  refuse,
  whole,
} from '../describe/query-parameters.ts';
import { checkHealth } from './health.ts';
import { isoTime, type JobPage, jobPage, type PublicJob, publicJob } from './job-list.ts';

/** How long an answer is given again, ms. */
const KEPT_MS = 1_000;
/** How long the list of packages is kept while what is live stays the same, ms. */
const PACKAGES_KEPT_MS = 30_000;
/** Answers that are kept at the same time: one for each page that somebody looks at. */
const MAX_KEPT = 4;
/** Packs that are listed, the newest, and jobs of one page at most. */
const MAX_JOBS = 100;
/** Jobs of a page. */
const JOBS_PAGE_SIZE = 20;
/** Packages of a page. One takes about 500 bytes, so that a page stays far below 1 MB. */
const PAGE_SIZE = 200;
const MAX_PAGE_SIZE = 1_000;

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
  /** What an inspection found; null where there was none. */
  quality: PackageQuality | null;
  /** Names of the fields that were guessed at ingestion. */
  guessed: string[];
  /** Whether all bytes that leave are compared; otherwise `citymodel reindex` makes it so. */
  checked: boolean;
  /** Vertical system of 3D Tiles; null for other packages. */
  heights: VerticalSystem | null;
  /** ISO 8601, like all times. */
  ingestedAt: string;
}

export interface StatusJob {
  /** The first 8 digits unless STATUS_PACK_IDS is `show`: anybody who has the whole id may download the pack. */
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
  /** Those of this page, by name. */
  packages: StatusPackage[];
  /** From 1. */
  page: number;
  /** At least 1. */
  pages: number;
  /** Packs, the newest. */
  jobs: StatusJob[];
  /** Ingestions and the like that workers do; see docs/jobs.md. */
  work: JobPage<PublicJob>;
  /** Ingestions that have begun and not ended. */
  ingestions: Array<{ startedBy: string; heartbeatAt: string; objects: number }>;
  totals: {
    archiveBytes: number;
    memberBytes: number;
    packages: number;
    /** Packages that are not `checked`. */
    unchecked: number;
    /** Live packages of 3D Tiles by vertical system: those of two systems do not fit together. */
    heights: Partial<Record<VerticalSystem, number>>;
    waitingDeletion: number;
  };
}

const PARAMETERS = {
  page: whole('page', 'Page of packages.', { least: 1, most: 1_000_000, otherwise: 1 }),
  limit: whole('limit', 'Packages of a page.', { least: 1, most: MAX_PAGE_SIZE, otherwise: PAGE_SIZE }),
  withIssues: flag('with_issues', 'Leaves out packages without warnings and errors.'),
  jobsPage: whole('jobs_page', 'Page of jobs.', { least: 1, most: 1_000_000, otherwise: 1 }),
  jobsLimit: whole('jobs_limit', 'Jobs of a page.', { least: 1, most: MAX_JOBS, otherwise: JOBS_PAGE_SIZE }),
  jobsStates: jobStates('jobs_state'),
};

type Page = ReturnType<typeof readQuery<typeof PARAMETERS>>;

/**
 * `GET /status.json` with `?page=`, `?limit=`, `?with_issues=`, `?jobs_page=`, `?jobs_limit=` and `?jobs_state=`, and
 * with `?package={id}` the issues of that package's ingestion as `{id, name, issues}`.
 */
export function serveStatus(context: ServiceContext): RouteHandlerMethod {
  const startedAt = new Date(Date.now() - process.uptime() * 1_000).toISOString();
  // Reading them all takes a while in a whole country: they are read again for a new version of the catalogue, and now
  // and then.
  const packages = new LRUCache<string, StatusPackage[]>({
    max: 1,
    ttl: PACKAGES_KEPT_MS,
    ignoreFetchAbort: true,
    fetchMethod: () => listPackages(context.catalogue),
  });
  const cache = new LRUCache<string, GeneratedDocument, Page>({
    max: MAX_KEPT,
    ttl: KEPT_MS,
    ignoreFetchAbort: true,
    fetchMethod: async (_key, _stale, { context: page }) => {
      const all = await packages.forceFetch(JSON.stringify(await context.catalogue.state()));
      return GeneratedDocument.ofJson(await makeStatus(context, startedAt, all, page));
    },
  });
  return async (request, reply) => {
    const { package: id } = request.query as RawQuery;
    reply.header('cache-control', ASKED_AGAIN);
    if (typeof id === 'string') return sendJson(request, reply, await issuesOf(context.catalogue, id));
    const page = readQuery(PARAMETERS, request.query);
    // A caller who asks within the second gets the same answer, and those who ask at once share the work.
    const document = await cache.forceFetch(Object.values(page).join(' '), { context: page });
    return sendGenerated(request, reply, document);
  };
}

/** States of jobs, a list with commas between; all of them when it is not given. */
export function jobStates(name: string): QueryParameter<readonly JobState[]> {
  const read = ({ [name]: list }: RawQuery) => {
    if (list === undefined) return JOB_STATES;
    return String(list)
      .split(',')
      .map(
        (text) =>
          JOB_STATES.find((one) => one === text) ??
          refuse(`The state ${quoted(text)} of jobs is not known; known are ${JOB_STATES.join(', ')}.`),
      );
  };
  return { ...query(name, 'States of jobs.', { type: 'string' }), read };
}

async function makeStatus(
  context: ServiceContext,
  startedAt: string,
  all: readonly StatusPackage[],
  { page, limit, withIssues, jobsPage, jobsLimit, jobsStates }: Page,
): Promise<StatusDocument> {
  const [checks, packs, work, intents, garbage] = await Promise.all([
    checkHealth(context),
    context.packs.recent(MAX_JOBS),
    jobPage(context.jobs, { states: jobsStates, page: jobsPage, limit: jobsLimit }, publicJob),
    context.catalogue.intents(),
    context.catalogue.garbage(),
  ]);
  const showsIds = context.settings.STATUS_PACK_IDS === 'show';
  const listed = withIssues ? all.filter(({ issues }) => issues.error + issues.warning > 0) : all;
  return {
    version: VERSION,
    startedAt,
    now: new Date().toISOString(),
    checks,
    packages: listed.slice((page - 1) * limit, page * limit),
    page,
    pages: Math.max(1, Math.ceil(listed.length / limit)),
    jobs: packs.map((pack) => jobOf(pack, showsIds)),
    work,
    ingestions: intents.map(({ pid, heartbeatAt, keys }) => ({
      startedBy: `process ${pid}`,
      heartbeatAt: new Date(heartbeatAt).toISOString(),
      objects: keys.length,
    })),
    totals: {
      archiveBytes: all.reduce((sum, row) => sum + row.archiveBytes, 0),
      memberBytes: all.reduce((sum, row) => sum + row.memberBytes, 0),
      packages: all.length,
      unchecked: all.filter(({ checked }) => !checked).length,
      heights: heightsOf(all),
      waitingDeletion: garbage.length,
    },
  };
}

function heightsOf(all: readonly StatusPackage[]): StatusDocument['totals']['heights'] {
  const counts: StatusDocument['totals']['heights'] = {};
  for (const { heights, state } of all) {
    if (heights !== null && state === 'live') counts[heights] = (counts[heights] ?? 0) + 1;
  }
  return counts;
}

/** All packages, by name. */
async function listPackages(catalogue: CatalogueStore): Promise<StatusPackage[]> {
  const packages: StatusPackage[] = [];
  for await (const page of catalogue.packages(['live', 'retired', 'removed'])) {
    for (const row of page) packages.push(packageOf(row));
  }
  return packages.sort((a, b) => compareTexts(a.name, b.name));
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
    quality: row.quality ?? null,
    guessed: row.guessed,
    checked: hasSums(row),
    heights:
      row.dataset !== null && factsOfFormat(row.dataset.format).view === '3d'
        ? verticalSystemOf(row.dataset)
        : null,
    ingestedAt: row.ingestedAt,
  };
}

function jobOf(row: PackRow, showsId: boolean): StatusJob {
  return {
    id: showsId ? row.id : row.id.slice(0, 8),
    status: row.status,
    progress: row.progress,
    acceptedAt: isoTime(row.acceptedAt)!,
    startedAt: isoTime(row.startedAt),
    finishedAt: isoTime(row.finishedAt),
    expiresAt: isoTime(row.expiresAt),
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
