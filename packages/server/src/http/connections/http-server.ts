/** The server below the framework: time-outs, numbers of connections, and what Node.js would answer by itself. */
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { ServiceError } from '../../base/errors.ts';
import type { Settings } from '../../base/settings.ts';
import { EVERY_ANSWER } from '../answers/every-origin.ts';
import { errorAnswer } from './broken-requests.ts';
import type { Pipelining } from './pipelining.ts';

/** Longest time between two looks for requests that take too long to arrive, ms. */
const CHECK_MS = 5_000;

/** Creates the server; it listens to nothing yet. Every request passes `pipelining` before the listener sees it. */
export function createHttpServer(
  settings: Settings,
  pipelining: Pipelining,
  listener: RequestListener,
): Server {
  const requestTimeout = settings.REQUEST_TIMEOUT_S * 1_000;
  const server = createServer(
    {
      maxHeaderSize: settings.MAX_URL_BYTES,
      requestTimeout,
      // Node.js exchanges the two when the time for the headers is the longer one.
      headersTimeout: requestTimeout,
      connectionsCheckingInterval: Math.min(CHECK_MS, Math.ceil(requestTimeout / 4)),
      keepAliveTimeout: settings.IDLE_TIMEOUT_S * 1_000,
      // A request without it gets an answer with a body.
      requireHostHeader: false,
    },
    (request, response) => pipelining.admit(request, response, () => listener(request, response)),
  );
  server.setTimeout(settings.IDLE_TIMEOUT_S * 1_000);
  server.maxConnections = settings.MAX_CONNECTIONS;
  server.on('checkExpectation', (request, response) => {
    const failure = new ServiceError(417, 'invalid request', {
      reason: 'The only expectation that is accepted is Expect: 100-continue.',
    });
    const body = JSON.stringify(failure.body());
    response.writeHead(417, {
      ...EVERY_ANSWER,
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
    });
    response.end(request.method === 'HEAD' ? undefined : body);
  });
  server.on('connect', (_request, socket) => {
    const failure = new ServiceError(405, 'method not allowed', { reason: 'This server is not a proxy.' });
    socket.end(errorAnswer('405 Method Not Allowed', failure, 'Allow: GET, HEAD, POST, OPTIONS\r\n'));
  });
  return server;
}

/** Throws ServiceError 400 for a request that does not name its host exactly once (RFC 9112, section 3.2). */
export function checkHost({ rawHeaders, httpVersion }: IncomingMessage): void {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  if (hosts === 1 || (hosts === 0 && httpVersion !== '1.1')) return;
  throw new ServiceError(400, 'invalid request', {
    reason: `A request must have one Host header; this one has ${hosts}.`,
  });
}
