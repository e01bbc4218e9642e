/** The description of the interface. */
import type { RouteHandlerMethod } from 'fastify';
import { GeneratedDocument } from '../../base/generated-document.ts';
import type { Snapshot } from '../../catalogue/snapshot/snapshot.ts';
import type { Ask } from '../../mcp/ask.ts';
import { sendGenerated } from '../answers/send.ts';
import type { ServiceContext } from '../context.ts';
import { CONDITIONAL, NOT_MODIFIED } from '../describe/common.ts';
import { type Examples, sampleExamples } from '../describe/examples.ts';
import type { Answer, Operation } from '../describe/operation.ts';
import { findExamples } from './known-examples.ts';

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
  headers: CONDITIONAL,
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
  answers: { 200: DESCRIPTION, 304: NOT_MODIFIED },
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
  answers: { 200: DESCRIPTION, 304: NOT_MODIFIED },
};

/** The description of these operations; its examples name what the server holds. `ask` reaches the operations. */
export function serveOpenApi(
  { watch, urls, catalogue, settings }: ServiceContext,
  operations: readonly Operation[],
  ask: Ask,
): Record<'3.0' | '3.1', RouteHandlerMethod> {
  const publicUrl = settings.PUBLIC_URL;
  const examplesBySnapshot = new WeakMap<Snapshot, Promise<Examples>>();
  const examplesOf = (snapshot: Snapshot): Promise<Examples> => {
    let examples = examplesBySnapshot.get(snapshot);
    if (examples === undefined) {
      examples = findExamples(snapshot, { urls, catalogue, publicUrl, ask }).catch(() => {
        // The description does not depend on the stores; the next caller tries again.
        examplesBySnapshot.delete(snapshot);
        return sampleExamples(publicUrl);
      });
      examplesBySnapshot.set(snapshot, examples);
    }
    return examples;
  };
  const serve =
    (version: '3.0' | '3.1'): RouteHandlerMethod =>
    async (request, reply) => {
      // Loaded when it is asked for: the schemas and their library would take a quarter of the start.
      const [{ buildOpenApi }, { toOpenApi30 }] = await Promise.all([
        import('../describe/openapi.ts'),
        import('../describe/openapi-30.ts'),
      ]);
      const snapshot = watch.current();
      const examples = await examplesOf(snapshot);
      const document = snapshot.generated.get(`openapi/${version}/${JSON.stringify(examples)}`, () => {
        const described = buildOpenApi(operations, { publicUrl, examples });
        return GeneratedDocument.ofJson(version === '3.1' ? described : toOpenApi30(described));
      });
      return sendGenerated(request, reply, document);
    };
  return { '3.0': serve('3.0'), '3.1': serve('3.1') };
}
