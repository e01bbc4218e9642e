/** The shell around everything: one Fastify instance with every route of the service on this screen. */
import Fastify, { type FastifyInstance, LogController } from 'fastify';
import type { Logger } from 'pino';
import { VERSION } from '../base/version.ts';
import { allowEveryOrigin } from './answers/every-origin.ts';
import { handleFailures, sendFailure, toServiceError } from './answers/failures.ts';
import { noteMethods } from './answers/other-methods.ts';
import { limitBodies } from './connections/body-limits.ts';
import { brokenRequestAnswerer } from './connections/broken-requests.ts';
import { checkHost, createHttpServer } from './connections/http-server.ts';
import { LongPolls } from './connections/long-polls.ts';
import { Pipelining } from './connections/pipelining.ts';
import type { ServiceContext } from './context.ts';
import { innerRequests } from './inner-requests.ts';
import type { LoopWatch } from './observe/loop-watch.ts';
import { RequestLog } from './observe/request-log.ts';
import { serveAreas } from './operations/areas.ts';
import { serveAsset } from './operations/assets.ts';
import { serveCatalogue, serveCityZip, serveTileJson, serveTileset } from './operations/catalogue.ts';
import { serveOpenApi } from './operations/docs.ts';
import { serveAttributes, serveFeatures, serveSpatialIdAttributes } from './operations/features.ts';
import { serveFiles } from './operations/files.ts';
import { serveGeoidHeight } from './operations/geoid.ts';
import { registerGraphql } from './operations/graphql.ts';
import { serveLive, serveMetrics, serveReady } from './operations/health.ts';
import { registerMcp } from './operations/mcp.ts';
import { registerPackPost, servePackBytes, servePackStatus, servePackZip } from './operations/packs.ts';
import { serveSdkDatasets, serveSdkFiles } from './operations/sdk.ts';
import { serveStatus } from './operations/status.ts';
import { basePathOf, pathRewriter, withoutBase } from './pages/base-path.ts';
import { PAGES, PORTAL, serveDirectory } from './pages/files.ts';
import { pageOf } from './pages/pages.ts';
import { portalPage } from './pages/portal.ts';

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
  }) as unknown as FastifyInstance;
  allowEveryOrigin(app);
  app.addHook('onRequest', (request, _reply, done) => {
    checkHost(request.raw);
    done();
  });
  handleFailures(app);
  limitBodies(app, {
    maxBytesInFlight: settings.MAX_BODIES_BYTES,
    maxBytesDropped: settings.MAX_DROPPED_BYTES,
  });
  const requestLog = new RequestLog(log, context.metrics);
  requestLog.listen(app);
  loopWatch.listen(app);
  const refuseOtherMethods = noteMethods(app);

  app.get('/health/live', serveLive(VERSION));
  app.get('/health/ready', serveReady(context));
  app.get('/metrics', serveMetrics(context));

  await registerGraphql(app, context);
  app.get('/datacatalog/citymodel-datasets', serveCatalogue(context));
  app.get('/datacatalog/plateau-datasets', serveCatalogue(context));
  app.get('/datacatalog/areas', serveAreas(context));
  app.get('/datacatalog/3dtiles/:spec/tileset.json', serveTileset(context));
  app.get('/datacatalog/mvt/:spec/tilejson.json', serveTileJson(context));
  app.get('/datacatalog/citygml/:spec/citygml.zip', serveCityZip(context));
  app.get('/datacatalog/citygml/*', serveFiles(context));

  await registerPackPost(app, context);
  app.get('/citygml/pack/:id/status', servePackStatus(context, longPolls));
  app.get('/citygml/pack/:file', servePackZip(context));
  app.get('/citygml/pack/:id/download/:file', servePackBytes(context));

  app.get('/citygml/attributes', serveAttributes(context));
  app.get('/citygml/features', serveFeatures(context));
  app.get('/citygml/spatialid_attributes', serveSpatialIdAttributes(context));

  const ask = innerRequests(app, base);
  app.get('/citygml/geoid_height', serveGeoidHeight());
  app.get('/sdk/datasets', serveSdkDatasets(context));
  app.get('/sdk/datasets/:id/files', serveSdkFiles(context, ask));
  await registerMcp(app, context, ask);

  app.get('/openapi.json', serveOpenApi(context, '3.1'));
  app.get('/openapi-3.0.json', serveOpenApi(context, '3.0'));
  app.get('/docs', pageOf(settings, 'docs.html'));
  await serveDirectory(app, '/docs/files/', PAGES, { lasting: false });

  const portal = portalPage(settings);
  app.get('/', portal);
  app.get('/status', portal);
  await serveDirectory(app, '/portal/', PORTAL, { lasting: true });
  app.get('/status.json', serveStatus(context));

  app.get(`${assetRoot}/*`, serveAsset(context, assetRoot));
  refuseOtherMethods();
  return app;
}

function noSchemas(): never {
  throw new Error('Routes of this service have no schemas.');
}
