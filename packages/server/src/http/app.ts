/** The shell around everything: one Fastify instance with every route of the service on this screen. */

import { tracer } from '@citymodel/base';
import Fastify, { type FastifyInstance, LogController, type RouteHandlerMethod } from 'fastify';
import type { Logger } from 'pino';
import { VERSION } from '../base/version.ts';
import { linkPictureOf } from '../catalogue/names/link-picture.ts';
import { structuredData } from '../discovery/schema-org.ts';
import { StacApi } from '../stac/stac-api.ts';
import { limitWaiting } from './answers/answer-patience.ts';
import { allowEveryOrigin } from './answers/every-origin.ts';
import { handleFailures, sendFailure, toServiceError } from './answers/failures.ts';
import { noteMethods } from './answers/other-methods.ts';
import { limitBodies } from './connections/body-limits.ts';
import { brokenRequestAnswerer } from './connections/broken-requests.ts';
import { takeTurns } from './connections/fair-turns.ts';
import { checkHost, createHttpServer } from './connections/http-server.ts';
import { LongPolls } from './connections/long-polls.ts';
import { Pipelining } from './connections/pipelining.ts';
import type { ServiceContext } from './context.ts';
import { type Operation, routeOf } from './describe/operation.ts';
import { innerRequests } from './inner-requests.ts';
import type { LoopWatch } from './observe/loop-watch.ts';
import { requestId, tellRequestId } from './observe/request-id.ts';
import { RequestLog } from './observe/request-log.ts';
import { traceRequests } from './observe/request-spans.ts';
import { getAreas, serveAreas } from './operations/areas.ts';
import { serveAsset } from './operations/assets.ts';
import { getCatalogue, serveCatalogue } from './operations/catalogue.ts';
import { getChanges, serveChanges } from './operations/changes.ts';
import { getCityTable, getCityZip, serveCityTable, serveCityZip } from './operations/city-zip.ts';
import { getDatasetPage, serveDatasetPage } from './operations/dataset-page.ts';
import { getOpenApi, getOpenApi30, serveOpenApi } from './operations/docs.ts';
import {
  getAttributes,
  getFeatures,
  getSpatialIdAttributes,
  serveAttributes,
  serveFeatures,
  serveSpatialIdAttributes,
} from './operations/features.ts';
import { countFiles, serveCounts } from './operations/file-counts.ts';
import { findFiles, serveFiles } from './operations/files.ts';
import { getGeoidHeight, serveGeoidHeight } from './operations/geoid.ts';
import { registerGraphql } from './operations/graphql.ts';
import { getLive, getMetrics, getReady, serveLive, serveMetrics, serveReady } from './operations/health.ts';
import { OPERATIONS } from './operations/index.ts';
import { registerMcp } from './operations/mcp.ts';
import { registerOgc } from './operations/ogc-routes.ts';
import { getPackStatus, servePackStatus } from './operations/pack-status.ts';
import { getPackZip, servePackBytes, servePackZip } from './operations/pack-zip.ts';
import { registerPackPost } from './operations/packs.ts';
import { getQuality, serveQuality } from './operations/quality.ts';
import { REGION_TILE_ROUTE, serveRegionTile } from './operations/region-tiles.ts';
import { getSdkDatasets, getSdkFiles, serveSdkDatasets, serveSdkFiles } from './operations/sdk.ts';
import { SPEC_DOCUMENTS } from './operations/spec-documents.ts';
import { registerStac } from './operations/stac.ts';
import { getStatistics, serveStatistics } from './operations/statistics.ts';
import { serveStatus } from './operations/status.ts';
import { getCoverage, getSummary, serveCoverage, serveSummary } from './operations/summary.ts';
import { basePathOf, pathRewriter, withoutBase } from './pages/base-path.ts';
import { serveCityPages } from './pages/city-page.ts';
import { serveDiscovery } from './pages/discovery.ts';
import { PAGES, PORTAL, serveDirectory } from './pages/files.ts';
import { pageOf } from './pages/pages.ts';
import { bestDrawn, portalPage, previewIn } from './pages/portal.ts';

/** Networks that can fill the memory for bodies only together. */
const NETWORKS_AT_LEAST = 4;

/** Builds the app; it listens to nothing yet. */
export async function buildApp(
  context: ServiceContext,
  log: Logger,
  loopWatch: LoopWatch,
): Promise<FastifyInstance> {
  const { settings } = context;
  const base = basePathOf(settings.PUBLIC_URL);
  const assetRoot = withoutBase(context.urls.assetRoot, base);
  const pipelining = new Pipelining(settings.MAX_PIPELINED);
  const longPolls = new LongPolls(
    { perAddress: settings.LONG_POLLS_PER_ADDRESS, total: settings.MAX_LONG_POLLS },
    pipelining,
  );
  const app = Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    // One logger for all requests: a child for each takes longer than many an answer.
    childLoggerFactory: (logger) => logger,
    bodyLimit: settings.MAX_BODY_BYTES,
    trustProxy: settings.TRUSTED_PROXIES === '' ? false : settings.TRUSTED_PROXIES,
    serverFactory: (listener) => createHttpServer(settings, pipelining, listener),
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    frameworkErrors: (error, _request, reply) => sendFailure(reply, toServiceError(error)),
    clientErrorHandler: brokenRequestAnswerer(settings),
    routerOptions: {
      ignoreTrailingSlash: true,
      maxParamLength: settings.MAX_URL_BYTES,
    },
    exposeHeadRoutes: true,
    // Handlers check what they take themselves: without these the framework loads its validator and serialiser.
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    rewriteUrl: pathRewriter(base),
    genReqId: requestId,
  }) as unknown as FastifyInstance;
  allowEveryOrigin(app);
  tellRequestId(app);
  app.addHook('onRequest', (request, _reply, done) => {
    checkHost(request.raw);
    done();
  });
  context.drain.listen(app);
  handleFailures(app, (cause) => context.metrics.unavailable(cause));
  limitWaiting(app);
  limitBodies(app, {
    maxBytesInFlight: settings.MAX_BODIES_BYTES,
    // One body as large as any may be, wherever it comes from.
    maxBytesPerNetwork: Math.max(settings.MAX_BODY_BYTES, settings.MAX_BODIES_BYTES / NETWORKS_AT_LEAST),
    maxBytesDropped: settings.MAX_DROPPED_BYTES,
  });
  const requestLog = new RequestLog(log, context.metrics);
  requestLog.listen(app);
  const spans = tracer();
  if (spans !== null) traceRequests(app, spans);
  loopWatch.listen(app);
  takeTurns(app);
  const refuseOtherMethods = noteMethods(app);

  const route = (operation: Operation, handler: RouteHandlerMethod) =>
    app[operation.method](routeOf(operation), handler);

  route(getLive, serveLive(VERSION));
  route(getReady, serveReady(context));
  route(getMetrics, serveMetrics(context));

  await registerGraphql(app, context);
  route(getCatalogue, serveCatalogue(context));
  app.get('/datacatalog/plateau-datasets', serveCatalogue(context));
  route(getAreas, serveAreas(context));
  route(getSummary, serveSummary(context));
  route(getDatasetPage, serveDatasetPage(context));
  route(getCoverage, serveCoverage(context));
  for (const { operation, serve } of Object.values(SPEC_DOCUMENTS)) route(operation, serve(context));
  app.get(REGION_TILE_ROUTE, serveRegionTile(context));
  route(getCityZip, serveCityZip(context));
  route(getCityTable, serveCityTable(context));
  route(getQuality, serveQuality(context));
  route(getChanges, serveChanges(context));
  route(findFiles, serveFiles(context));
  route(countFiles, serveCounts(context));

  await registerPackPost(app, context);
  route(getPackStatus, servePackStatus(context, longPolls));
  route(getPackZip, servePackZip(context));
  app.get('/citygml/pack/:id/download/:file', servePackBytes(context));

  route(getAttributes, serveAttributes(context));
  route(getFeatures, serveFeatures(context));
  route(getSpatialIdAttributes, serveSpatialIdAttributes(context));
  route(getStatistics, serveStatistics(context));

  const ask = innerRequests(app, base);
  route(getGeoidHeight, serveGeoidHeight());
  route(getSdkDatasets, serveSdkDatasets(context));
  route(getSdkFiles, serveSdkFiles(context, ask));
  const stac = new StacApi(context.urls);
  await registerStac(app, context, stac);
  await registerMcp(app, context, ask);

  const description = serveOpenApi(context, OPERATIONS, ask);
  route(getOpenApi, description['3.1']);
  route(getOpenApi30, description['3.0']);
  await registerOgc(app, context, description['3.0']);
  app.get('/docs', pageOf(settings, 'docs.html'));
  await serveDirectory(app, '/docs/files/', PAGES, { lasting: false });

  const portal = portalPage(settings, {
    preview: (query) => previewIn(context.watch.current(), query),
    picture: (drawn) => linkPictureOf(drawn ?? bestDrawn(context.watch.current()), context.urls),
    structured: ({ pick }) =>
      structuredData(context.watch.current(), context.urls, typeof pick === 'string' ? pick : null),
  });
  app.get('/', portal);
  app.get('/status', portal);
  serveCityPages(app, context, ask);
  await serveDirectory(app, '/portal/', PORTAL, { lasting: true });
  serveDiscovery(app, context, stac);
  app.get('/status.json', serveStatus(context));
  // Loaded only where it is wanted; without the token nothing of it exists.
  if (settings.ADMIN_TOKEN !== '')
    await (await import('./admin/admin-routes.ts')).registerAdmin(app, context);

  app.get(`${assetRoot}/*`, serveAsset(context, assetRoot));
  refuseOtherMethods();
  return app;
}

function noSchemas(): never {
  throw new Error('Routes of this service have no schemas.');
}
