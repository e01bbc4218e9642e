/** Every failure as JSON `{error, reason?, url?}`; nothing of the inside gets out. */
import type { Socket } from 'node:net';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../base/errors.ts';
import { StoreUnavailable } from '../../store/catalogue-store.ts';
import { ObjectMissing } from '../../store/object-store.ts';
import { EVERY_ANSWER } from './every-origin.ts';

/** Registers the handlers for errors and unknown routes. */
export function handleFailures(app: FastifyInstance): void {
  app.setErrorHandler((error: FastifyError | Error, request, reply) => {
    const answer = toServiceError(error);
    if (answer.status >= 500) request.log.error({ err: error, url: request.url }, 'request failed');
    sendFailure(reply, answer);
  });
  // Before the body is read: what is wrong with it does not matter.
  app.addHook('onRequest', (request, _reply, done) => {
    done(request.is404 ? unknownRoute(request) : undefined);
  });
}

/** Writes the error as the answer. */
export function sendFailure(reply: FastifyReply, error: ServiceError): void {
  if (error.retryAfter !== undefined) reply.header('retry-after', error.retryAfter);
  reply.removeHeader('content-length');
  reply.removeHeader('content-encoding');
  reply.removeHeader('content-disposition');
  if (error.status !== 416) reply.removeHeader('content-range');
  reply.header('cache-control', 'no-store');
  // What the framework refuses before any hook has no CORS headers yet.
  if (!reply.hasHeader('access-control-allow-origin')) reply.headers(EVERY_ANSWER);
  reply.code(error.status).type('application/json; charset=utf-8').send(JSON.stringify(error.body()));
}

function unknownRoute(request: FastifyRequest): ServiceError {
  return new ServiceError(404, 'not found', {
    reason: `There is no operation ${request.method} ${request.url.split('?')[0]}.`,
  });
}

/** Failures of the framework and of the stores in the terms of the interface. */
export function toServiceError(error: FastifyError | Error): ServiceError {
  if (error instanceof ServiceError) return error;
  if (error instanceof StoreUnavailable) {
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
  switch ((error as FastifyError).code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new ServiceError(413, 'request too large', {
        reason: 'The request body is larger than is accepted.',
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
    return new ServiceError(status, 'invalid request', { reason: error.message });
  }
  return new ServiceError(500, 'internal', {
    reason: 'Something went wrong inside the service; it has been logged.',
    cause: error,
  });
}

/** Answers what is no HTTP request that can be read, on the bare socket, and closes it. */
export function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, failure] = BROKEN_REQUESTS[error.code ?? ''] ?? [
    '400 Bad Request',
    new ServiceError(400, 'invalid request', { reason: 'The request is not valid HTTP.' }),
  ];
  const body = JSON.stringify(failure.body());
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `Access-Control-Allow-Origin: *\r\nConnection: close\r\n\r\n${body}`,
  );
}

const BROKEN_REQUESTS: Record<string, [string, ServiceError]> = {
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    new ServiceError(431, 'request too large', {
      reason: 'The request line and headers are longer than MAX_URL_BYTES.',
    }),
  ],
  ERR_HTTP_REQUEST_TIMEOUT: [
    '408 Request Timeout',
    new ServiceError(408, 'invalid request', { reason: 'The request did not arrive in time.' }),
  ],
};
