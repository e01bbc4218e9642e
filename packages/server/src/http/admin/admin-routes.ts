/**
 * The operator's interface below `/admin`, which exists only where ADMIN_TOKEN is set: uploads, jobs, removal of
 * packages. Every request but that of the page needs the token. docs/operating.md describes it; the public description
 * of the interface does not.
 */

import { quoted, sharedNow } from '@citymodel/base';
import type { CatalogueStore, PackageRow } from '@citymodel/store';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ServiceError } from '../../base/errors.ts';
import { bringBackPackage, CannotBringBack } from '../../catalogue/bring-back.ts';
import { networkOf } from '../connections/network-of.ts';
import type { ServiceContext } from '../context.ts';
import { flag, readQuery, whole } from '../describe/query-parameters.ts';
import { jobPage } from '../operations/job-list.ts';
import { jobStates } from '../operations/status.ts';
import { basePathOf } from '../pages/base-path.ts';
import { portalPage } from '../pages/portal.ts';
import { adminJob, adminJobWhole, forgetJob, ingestChecked, requireJob } from './admin-jobs.ts';
import { AdminToken } from './admin-token.ts';
import { Uploads } from './uploads.ts';

/** Jobs of a page, and at most. */
const PAGE_SIZE = 50;
const MAX_PAGE_SIZE = 200;

const JOBS = {
  page: whole('page', 'Page of jobs.', { least: 1, most: 1_000_000, otherwise: 1 }),
  limit: whole('limit', 'Jobs of a page.', { least: 1, most: MAX_PAGE_SIZE, otherwise: PAGE_SIZE }),
  states: jobStates('state'),
};
const INGEST = {
  replace: flag('replace', 'Takes the place of a package of the same name.'),
  convert: flag('convert', 'Makes 3D and vector tiles of it, once it is published.'),
};

type IdRequest = FastifyRequest<{ Params: { id: string } }>;

/** Registers the page and the interface. */
export async function registerAdmin(app: FastifyInstance, context: ServiceContext): Promise<void> {
  const { settings, jobs, objects, catalogue } = context;
  const stores = { jobs, objects };
  const token = new AdminToken(settings.ADMIN_TOKEN);
  const uploads = new Uploads(settings, context, `${basePathOf(settings.PUBLIC_URL)}/admin/uploads`);
  app.get('/admin', portalPage(settings, { page: 'admin.html' }));
  await app.register(async (scope) => {
    scope.addHook('onRequest', async (request, reply) => {
      reply.header('cache-control', 'no-store');
      reply.header('www-authenticate', 'Bearer');
      token.check(request.headers.authorization, networkOf(request.ip));
      reply.removeHeader('www-authenticate');
    });
    // Bytes of uploads are streamed to the disk.
    scope.addContentTypeParser('application/offset+octet-stream', (_request, _body, done) => done(null));

    const streamed = { config: { isStreamed: true } };
    scope.post('/admin/uploads', streamed, (request, reply) => uploads.answer(request, reply));
    scope.route({
      method: ['HEAD', 'PATCH', 'DELETE'],
      url: '/admin/uploads/:id',
      ...streamed,
      handler: (request, reply) => uploads.answer(request, reply),
    });
    scope.get('/admin/uploads', async () => ({
      uploads: await uploads.list(),
      maxBytes: settings.UPLOAD_MAX_BYTES,
      maxCount: settings.UPLOAD_MAX_COUNT,
    }));
    scope.post('/admin/uploads/:id/check', async (request: IdRequest) =>
      adminJob(await uploads.check(request.params.id), stores),
    );

    scope.get('/admin/jobs', async (request) => {
      return jobPage(jobs, readQuery(JOBS, request.query), (row) => adminJob(row, stores));
    });
    scope.get('/admin/jobs/:id', async (request: IdRequest) =>
      adminJobWhole(await requireJob(jobs, request.params.id), stores),
    );
    scope.post('/admin/jobs/:id/cancel', async (request: IdRequest) => {
      const { id } = await requireJob(jobs, request.params.id);
      await jobs.cancel(id, sharedNow());
      return adminJob(await requireJob(jobs, id), stores);
    });
    scope.post('/admin/jobs/:id/retry', async (request: IdRequest) => {
      const { id } = await requireJob(jobs, request.params.id);
      if (!(await jobs.retry(id, sharedNow()))) {
        throw new ServiceError(409, 'conflict', {
          reason: 'The job waits, runs or has succeeded, or another one does the same work.',
        });
      }
      return adminJob(await requireJob(jobs, id), stores);
    });
    scope.post('/admin/jobs/:id/ingest', async (request: IdRequest) => {
      const { replace, convert } = readQuery(INGEST, request.query);
      const options = { replace, convert, maxAttempts: settings.JOB_ATTEMPTS };
      return adminJob(await ingestChecked(stores, request.params.id, options), stores);
    });
    scope.delete('/admin/jobs/:id', async (request: IdRequest, reply) => {
      await forgetJob(stores, request.params.id);
      return reply.code(204).send();
    });

    scope.post('/admin/packages/:id/convert', async (request: IdRequest) => {
      const row = await liveCityGml(catalogue, request.params.id);
      // What converts is large, and a server needs it for nothing else.
      const { usualConvertJob } = await import('../../jobs/kinds/convert.ts');
      const [job] = await jobs.enqueue(
        [usualConvertJob(row, settings.HEIGHTS, settings.JOB_ATTEMPTS)],
        sharedNow(),
      );
      return adminJob(job!, stores);
    });
    scope.post('/admin/packages/:id/inspect', async (request: IdRequest) => {
      const row = await liveCityGml(catalogue, request.params.id);
      const { inspectJob } = await import('../../jobs/kinds/inspect.ts');
      const [job] = await jobs.enqueue([inspectJob(row, settings.JOB_ATTEMPTS)], sharedNow());
      return adminJob(job!, stores);
    });
    scope.post('/admin/packages/:id/bring-back', async (request: IdRequest) => {
      try {
        const { row, retired } = await bringBackPackage(context, request.params.id);
        return { id: row.id, name: row.name, retired: retired.map(({ id, name }) => ({ id, name })) };
      } catch (error) {
        if (!(error instanceof CannotBringBack)) throw error;
        if (error.why === 'gone') throw new ServiceError(404, 'not found', { reason: error.message });
        throw new ServiceError(409, 'conflict', { reason: error.message });
      }
    });
    scope.delete('/admin/packages/:id', async (request: IdRequest, reply) => {
      const [row] = await catalogue.findPackages({ id: request.params.id });
      if (row === undefined || row.state === 'removed') {
        throw new ServiceError(404, 'not found', {
          reason: `There is no package with the id ${quoted(request.params.id)}.`,
        });
      }
      // A slip must not remove a city: a removal names the package.
      if ((request.query as Record<string, unknown>).name !== row.name) {
        throw new ServiceError(400, 'invalid parameter', {
          reason: `Confirm the removal with name=${row.name}, the name of the package.`,
        });
      }
      await catalogue.setState(row.no, 'removed');
      return reply.code(204).send();
    });
  });
}

async function liveCityGml(catalogue: CatalogueStore, id: string): Promise<PackageRow> {
  const [row] = await catalogue.findPackages({ id });
  if (row === undefined || row.state !== 'live' || row.kind !== 'citygml') {
    throw new ServiceError(404, 'not found', {
      reason: `There is no live CityGML package with the id ${quoted(id)}.`,
    });
  }
  return row;
}
