/** The description of the interface. */
import type { RouteHandlerMethod } from 'fastify';
import { GeneratedDocument } from '../../base/generated-document.ts';
import { sendGenerated } from '../answers/send.ts';
import type { ServiceContext } from '../context.ts';
import { SAMPLE_GML, sampleExamples } from '../describe/examples.ts';
import type { Answer, Operation } from '../describe/operation.ts';

const DESCRIPTION: Answer = {
  description: 'The description.',
  content: {
    'application/json': {
      schema: {
        type: 'object',
        required: ['openapi'],
        properties: { openapi: { type: 'string' } },
        additionalProperties: true,
      },
    },
  },
};

export const getOpenApi: Operation = {
  id: 'getOpenApi',
  method: 'get',
  path: '/openapi.json',
  number: null,
  tag: 'Service',
  summary: 'This description in OpenAPI 3.1',
  description: 'The page `/docs` shows it.',
  parameters: [],
  answers: { 200: DESCRIPTION },
};

export const getOpenApi30: Operation = {
  id: 'getOpenApi30',
  method: 'get',
  path: '/openapi-3.0.json',
  number: null,
  tag: 'Service',
  summary: 'This description in OpenAPI 3.0',
  description: 'For tools that do not read 3.1.',
  parameters: [],
  answers: { 200: DESCRIPTION },
};

/** The description of these operations; its examples work where the sample city is served. */
export function serveOpenApi(
  { watch, urls, settings }: ServiceContext,
  operations: readonly Operation[],
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
      const [, name, path] = /^\/([^/]+)\/(.+)$/.exec(SAMPLE_GML)!;
      const row = snapshot.packages.find((each) => each.name === name);
      const examples = sampleExamples(settings.PUBLIC_URL);
      if (row !== undefined) examples.gml = urls.member(row, path!);
      const described = buildOpenApi(operations, { publicUrl: settings.PUBLIC_URL, examples });
      return GeneratedDocument.ofJson(version === '3.1' ? described : toOpenApi30(described));
    });
    return sendGenerated(request, reply, document);
  };
}
