/**
 * Clients keep the catalogue and ask again and again whether it has changed. This one answer, `304` to the whole catalogue,
 * is given before the framework sees the request, with headers as the list that Node.js sends without looking at each again. All
 * other requests, and every one that looks the least different, go the usual way and get the same answer.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { RequestLog } from '../observe/request-log.ts';
import { EVERY_ANSWER } from './every-origin.ts';
import { GENERATED_CACHE } from './send.ts';

/** Puts the short way before the server's request listener. `current` gives the entity tag of the catalogue as it is now. */
export function answerUnchanged(
  server: Server,
  route: string,
  current: () => string | null,
  requestLog: RequestLog,
): void {
  const listeners = server.listeners('request') as Array<(i: IncomingMessage, o: ServerResponse) => void>;
  server.removeAllListeners('request');
  let answered: string | null = null;
  let headers: string[] = [];
  server.on('request', (request, response) => {
    const tag = request.headers['if-none-match'];
    if (tag === undefined || request.url !== route || request.method !== 'GET' || tag !== current()) {
      for (const listener of listeners) listener.call(server, request, response);
      return;
    }
    const start = performance.now();
    if (tag !== answered) {
      answered = tag;
      headers = Object.entries({
        ...EVERY_ANSWER,
        etag: tag,
        'cache-control': GENERATED_CACHE,
        vary: 'accept-encoding',
      }).flat();
    }
    response.writeHead(304, headers);
    response.end();
    const ms = performance.now() - start;
    requestLog.note({ method: 'GET', url: route, route, status: 304, ms, bytes: 0, cost: null });
  });
}
