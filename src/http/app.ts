/** The shell around everything: one Fastify instance with every route of the service on this screen. */
import Fastify, { type FastifyInstance, LogController } from 'fastify';
import type { Logger } from 'pino';
import { VERSION } from '../base/version.ts';
import { allowEveryOrigin } from './answers/every-origin.ts';
import { answerBrokenRequest, handleFailures, sendFailure, toServiceError } from './answers/failures.ts';
import { noteMethods } from './answers/other-methods.ts';
import { answerUnchanged } from './answers/unchanged.ts';
import { leaveOutLengthOfUnchanged } from './answers/unchanged-head.ts';
import type { ServiceContext } from './context.ts';
import { innerRequests } from './inner-requests.ts';
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
import { basePathOf, baseRewriter, withoutBase } from './pages/base-path.ts';
import { pageOf, servePageFile } from './pages/pages.ts';
import { createPortal } from './pages/portal.ts';

const CATALOGUE = '/datacatalog/citymodel-datasets';

/** Builds the app; it listens to nothing yet. */
export async function buildApp(context: ServiceContext, log: Logger): Promise<FastifyInstance> {
  const { settings } = context;
  const base = basePathOf(settings.PUBLIC_URL);
  const assetRoot = withoutBase(context.urls.assetRoot, base);
  const app = Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    // One logger for all requests: a child for each takes longer than many an answer.
    childLoggerFactory: (logger) => logger,
    bodyLimit: settings.MAX_BODY_BYTES,
    trustProxy: settings.TRUSTED_PROXIES === '' ? false : settings.TRUSTED_PROXIES,
    requestTimeout: settings.REQUEST_TIMEOUT_S * 1_000,
    connectionTimeout: settings.IDLE_TIMEOUT_S * 1_000,
    keepAliveTimeout: settings.IDLE_TIMEOUT_S * 1_000,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    http: { maxHeaderSize: settings.MAX_URL_BYTES },
    frameworkErrors: (error, _request, reply) => sendFailure(reply, toServiceError(error)),
    clientErrorHandler: answerBrokenRequest,
    routerOptions: {
      ignoreTrailingSlash: true,
      maxParamLength: settings.MAX_URL_BYTES,
    },
    exposeHeadRoutes: true,
    // Handlers check what they take themselves: without these the framework loads its validator and serialiser.
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    ...(base === '' ? {} : { rewriteUrl: baseRewriter(base) }),
  }) as unknown as FastifyInstance;
  allowEveryOrigin(app);
  handleFailures(app);
  const requestLog = new RequestLog(log, context.metrics);
  requestLog.listen(app);
  const refuseOtherMethods = noteMethods(app);
  leaveOutLengthOfUnchanged(app);

  app.get('/health/live', serveLive(VERSION));
  app.get('/health/ready', serveReady(context));
  app.get('/metrics', serveMetrics(context));

  await registerGraphql(app, context);
  app.get(CATALOGUE, serveCatalogue(context));
  app.get('/datacatalog/plateau-datasets', serveCatalogue(context));
  app.get('/datacatalog/areas', serveAreas(context));
  app.get('/datacatalog/3dtiles/:spec/tileset.json', serveTileset(context));
  app.get('/datacatalog/mvt/:spec/tilejson.json', serveTileJson(context));
  app.get('/datacatalog/citygml/:spec/citygml.zip', serveCityZip(context));
  app.get('/datacatalog/citygml/*', serveFiles(context));

  await registerPackPost(app, context);
  app.get('/citygml/pack/:id/status', servePackStatus(context));
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
  app.get('/docs/files/:name', servePageFile());

  const portal = createPortal(settings);
  app.get('/', portal.page);
  app.get('/status', portal.page);
  app.get('/portal/*', portal.file);
  app.get('/status.json', serveStatus(context));

  app.get(`${assetRoot}/*`, serveAsset(context, assetRoot));
  refuseOtherMethods();
  answerUnchanged(
    app.server,
    CATALOGUE,
    () => (context.watch.ready ? context.watch.current().document.etag : null),
    requestLog,
  );
  return app;
}

function noSchemas(): never {
  throw new Error('Routes of this service have no schemas.');
}
