/** Every failure as JSON `{error, reason?, url?}`; nothing of the inside gets out. */

import { OutOfPatience } from '@citymodel/base';
import { ObjectMissing, StoreUnavailable } from '@citymodel/store';
import { MemberDamaged } from '@citymodel/zip';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../base/errors.ts';
import { loggedUrl } from '../observe/logged-url.ts';
import { isGone } from './client-gone.ts';
import { answerHeaders, answerOptions } from './every-origin.ts';

/** Registers the handlers for errors and unknown routes. `onUnavailable` is told of each 503 by its cause. */
export function handleFailures(app: FastifyInstance, onUnavailable: (cause: string) => void): void {
  app.setErrorHandler((error: FastifyError | Error, request, reply) => {
    if (isGone(request)) {
      // Nobody reads the answer; the status is for the log and the metrics.
      reply.code(CLIENT_GONE).send();
      return;
    }
    const answer = toServiceError(error);
    // What a limit refuses is no fault of the service.
    const isLimit = answer === error && answer.cause === undefined;
    if (answer.status >= 500 && !isLimit) {
      request.log.error({ err: error, id: request.id, url: loggedUrl(request.url) }, 'request failed');
    }
    if (answer.status === 503) onUnavailable(causeOf(error));
    sendFailure(reply, answer);
  });
  // Before the body is read: what is wrong with it does not matter.
  app.addHook('onRequest', (request, reply, done) => {
    if (request.is404 && request.method === 'OPTIONS') answerOptions(request, reply, EVERY_METHOD);
    else done(request.is404 ? unknownRoute(request) : undefined);
  });
  app.setNotFoundHandler((request, reply) => sendFailure(reply, unknownRoute(request)));
}

/** Status for the log where the caller closed the connection, as proxies write it. */
const CLIENT_GONE = 499;
/** Methods that some path has. */
const EVERY_METHOD = 'GET, HEAD, POST, OPTIONS';

/** What could not answer, for those who watch over the service. */
function causeOf(error: Error): string {
  if (error instanceof StoreUnavailable) return error.part;
  if (error instanceof ObjectMissing) return 'missing object';
  if (error instanceof MemberDamaged) return 'damage';
  return error instanceof OutOfPatience ? 'time' : 'limit';
}

/** Writes the error as the answer. */
export function sendFailure(reply: FastifyReply, error: ServiceError): void {
  if (error.retryAfter !== undefined) reply.header('retry-after', error.retryAfter);
  reply.removeHeader('content-length');
  reply.removeHeader('content-encoding');
  reply.removeHeader('content-disposition');
  if (error.status !== 416) reply.removeHeader('content-range');
  // A handler may let caches keep what is not there.
  if (error.status !== 404 || !reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store');
  // What the framework refuses before any hook has no CORS headers yet.
  if (!reply.hasHeader('x-content-type-options')) reply.headers(answerHeaders(reply.request));
  reply.code(error.status).type('application/json; charset=utf-8').send(JSON.stringify(error.body()));
}

function unknownRoute(request: FastifyRequest): ServiceError {
  return new ServiceError(404, 'not found', {
    reason: `There is no operation ${request.method} ${loggedUrl(request.url.split('?', 1)[0]!)}.`,
  });
}

/** Failures of the framework and of the stores in the terms of the interface. */
export function toServiceError(error: FastifyError | Error): ServiceError {
  if (error instanceof ServiceError) return error;
  if (error instanceof StoreUnavailable || error instanceof OutOfPatience) {
    return new ServiceError(503, 'unavailable', {
      reason: 'The store cannot answer at the moment. Try again.',
      retryAfter: 5,
      cause: error,
    });
  }
  if (error instanceof ObjectMissing) {
    return new ServiceError(503, 'unavailable', {
      reason:
        'The bytes of this package cannot be reached at the moment. Try again; the operator can run `citymodel check`.',
      retryAfter: 30,
      cause: error,
    });
  }
  if (error instanceof MemberDamaged) {
    return new ServiceError(503, 'unavailable', {
      reason:
        'The bytes of this file came damaged from the store, twice. Try again; the operator can run `citymodel check`.',
      retryAfter: 30,
      cause: error,
    });
  }
  switch ((error as FastifyError).code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new ServiceError(413, 'request too large', {
        reason: 'The request body is larger than this operation accepts.',
      });
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new ServiceError(415, 'invalid request body', {
        reason: 'The body must be JSON, sent with Content-Type: application/json.',
      });
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new ServiceError(400, 'invalid request body', { reason: 'The body must be JSON.' });
    case 'FST_ERR_BAD_URL':
      return new ServiceError(400, 'invalid url', {
        reason: 'The path is not valid percent-encoded UTF-8.',
      });
    default:
  }
  const status = (error as FastifyError).statusCode;
  if (status !== undefined && status >= 400 && status < 500) {
    const text = status === 412 ? 'precondition failed' : 'invalid request';
    return new ServiceError(status, text, { reason: error.message });
  }
  return new ServiceError(500, 'internal', {
    reason: 'Something went wrong inside the service; it has been logged.',
    cause: error,
  });
}
