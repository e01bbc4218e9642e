/** `GET /openapi.json` and `GET /openapi-3.0.json`. */
import type { RouteHandlerMethod } from 'fastify';
import { GeneratedDocument } from '../../base/generated-document.ts';
import { sendGenerated } from '../answers/send.ts';
import type { ServiceContext } from '../context.ts';
import { SAMPLE } from '../describe/schemas/sample.ts';

/** The description of this service; its examples work where the sample city is served. */
export function serveOpenApi(
  { watch, urls, settings }: ServiceContext,
  version: '3.0' | '3.1',
): RouteHandlerMethod {
  return async (request, reply) => {
    // Loaded when it is asked for: the schemas and their library would take a quarter of the start.
    const [{ buildOpenApi }, { toOpenApi30 }] = await Promise.all([
      import('../describe/openapi.ts'),
      import('../describe/openapi-30.ts'),
    ]);
    const snapshot = watch.current();
    const document = snapshot.generated.get(`openapi/${version}`, () => {
      const [, name, path] = /^\/([^/]+)\/(.+)$/.exec(SAMPLE.gml)!;
      const row = snapshot.packages.find((each) => each.name === name);
      const gmlUrl = row === undefined ? undefined : urls.member(row, path!);
      const described = buildOpenApi({ publicUrl: settings.PUBLIC_URL, gmlUrl });
      return GeneratedDocument.ofJson(version === '3.1' ? described : toOpenApi30(described));
    });
    return sendGenerated(request, reply, document);
  };
}
