/**
 * `POST /mcp` and `POST /datacatalog/mcp`: tools for AI assistants (Model Context Protocol, streamable HTTP without
 * sessions).
 */

import { withoutEnd } from '@citymodel/base';
import type { FastifyInstance } from 'fastify';
import { ServiceError } from '../../base/errors.ts';
import { Gate } from '../../base/gate.ts';
import { JsonTooLarge, parseJson } from '../../base/parse-json.ts';
import type { Ask } from '../../mcp/ask.ts';
import { goneSignal } from '../answers/client-gone.ts';
import type { ServiceContext } from '../context.ts';
import { failure, json, type Operation, ref, routeOf } from '../describe/operation.ts';

const mcp = (id: string, path: string): Operation => ({
  id,
  method: 'post',
  path,
  number: null,
  tag: 'Service',
  summary: 'Tools for AI assistants (Model Context Protocol)',
  description:
    'Streamable HTTP without sessions: each POST has one JSON-RPC message and one JSON answer; there are no ' +
    'batches. `tools/list` names the tools.',
  parameters: [],
  body: {
    required: true,
    content: {
      'application/json': {
        schema: ref('McpMessage'),
        examples: () => ({
          list: { summary: 'All tools', value: { jsonrpc: '2.0', id: 1, method: 'tools/list' } },
        }),
      },
    },
  },
  answers: {
    200: json('The answer to the message.', 'McpMessage'),
    202: { description: 'The message was a notification, which has no answer.' },
    400: failure('The body is not one JSON-RPC message.'),
    413: failure('The body is larger than 1 MiB.'),
    503: failure('Too many calls of tools are waiting.', ['Retry-After']),
  },
});

export const postMcp = mcp('postMcp', '/mcp');
export const postCatalogueMcp = mcp('postCatalogueMcp', '/datacatalog/mcp');

/** A message with 5,000 gml:ids takes a quarter of it. */
const MAX_BODY = 1_024 * 1_024;
/** Of the JSON of a message. */
const MESSAGE_BOUNDS = { maxDepth: 20, maxValues: 20_000 };
/** Bytes that tools read of an answer; what they show is far less. */
const MAX_ANSWER = 1_024 * 1_024;
/** Messages of all callers that are answered at once, and that wait. */
const MESSAGES = { atOnce: 4, waiting: 100 };

/** Registers the routes. `ask` reaches the other operations. */
export async function registerMcp(app: FastifyInstance, context: ServiceContext, ask: Ask): Promise<void> {
  const { settings } = context;
  const gate = new Gate(MESSAGES);
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'string', bodyLimit: MAX_BODY }, (_request, body, done) => {
      try {
        const message = parseJson(String(body), MESSAGE_BOUNDS);
        if (Array.isArray(message))
          done(invalidBody('Send one message at a time; batches are not accepted.'));
        else done(null, message);
      } catch (error) {
        const tooLarge = error instanceof JsonTooLarge;
        done(invalidBody(tooLarge ? error.message : 'The body must be a JSON-RPC message.'));
      }
    });
    for (const operation of [postMcp, postCatalogueMcp]) {
      scope.post(routeOf(operation), { bodyLimit: MAX_BODY }, async (request, reply) => {
        const headers = new Headers({ 'content-type': 'application/json' });
        // Clients that take JSON alone are answered too: there is no event stream here.
        headers.set('accept', 'application/json, text/event-stream');
        const version = request.headers['mcp-protocol-version'];
        if (typeof version === 'string') headers.set('mcp-protocol-version', version);
        // Loaded when somebody asks: the library is larger than the rest of the program.
        const { answerMcp } = await import('../../mcp/server.ts');
        const signal = goneSignal(reply);
        const answering = () =>
          answerMcp(headers, request.body ?? null, signal, {
            ask: (path, options) => ask(path, { maxBytes: MAX_ANSWER, ...options, address: request.ip }),
            publicUrl: withoutEnd(settings.PUBLIC_URL, '/'),
            onError: (error) => request.log.error({ err: error }, 'a tool failed'),
          });
        const answer = await gate.run(answering, signal);
        reply.code(answer.status).header('cache-control', 'no-store');
        const type = answer.headers.get('content-type');
        if (type !== null) reply.header('content-type', type);
        return reply.send(await answer.text());
      });
    }
  });
}

function invalidBody(reason: string): ServiceError {
  return new ServiceError(400, 'invalid request body', { reason });
}
