/** Answers to what is no request that the framework could see, written to the bare socket. */
import type { Duplex } from 'node:stream';
import { ServiceError } from '../../base/errors.ts';
import type { Settings } from '../../base/settings.ts';

/** A listener for the server's `clientError`: answers and closes the connection. */
export function brokenRequestAnswerer({
  MAX_URL_BYTES,
  REQUEST_TIMEOUT_S,
}: Pick<Settings, 'MAX_URL_BYTES' | 'REQUEST_TIMEOUT_S'>): (
  error: NodeJS.ErrnoException & { rawPacket?: unknown },
  socket: Duplex,
) => void {
  const answers: Record<string, string> = {
    HPE_HEADER_OVERFLOW: errorAnswer(
      '431 Request Header Fields Too Large',
      new ServiceError(431, 'request too large', {
        reason: `The request line and headers together may have at most ${MAX_URL_BYTES} bytes (MAX_URL_BYTES).`,
      }),
    ),
    HPE_INVALID_METHOD: errorAnswer(
      '501 Not Implemented',
      new ServiceError(501, 'method not allowed', {
        reason: 'The method of the request is not known; accepted are GET, HEAD, POST and OPTIONS.',
      }),
    ),
    ERR_HTTP_REQUEST_TIMEOUT: errorAnswer(
      '408 Request Timeout',
      new ServiceError(408, 'invalid request', {
        reason: `The request did not arrive within ${REQUEST_TIMEOUT_S} seconds (REQUEST_TIMEOUT_S).`,
      }),
    ),
  };
  const notHttp = errorAnswer(
    '400 Bad Request',
    new ServiceError(400, 'invalid request', { reason: 'The request is not valid HTTP.' }),
  );
  return (error, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else if (error.code === 'HPE_INVALID_METHOD' && !looksLikeHttp(error.rawPacket)) socket.end(notHttp);
    else socket.end(answers[error.code ?? ''] ?? notHttp);
  };
}

/** Whether the bytes begin with a method, of any name, and a target. */
function looksLikeHttp(bytes: unknown): boolean {
  if (!Buffer.isBuffer(bytes)) return false;
  return /^[\w-]{1,40} (\/|\*|https?:)/i.test(bytes.subarray(0, 60).toString('latin1'));
}

/** An error as a whole HTTP/1.1 answer. `headers`: further lines, each with its line end. */
export function errorAnswer(status: string, failure: ServiceError, headers = ''): string {
  const body = JSON.stringify(failure.body());
  return (
    `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ` +
    `${Buffer.byteLength(body)}\r\n` +
    `Access-Control-Allow-Origin: *\r\n${headers}Connection: close\r\n\r\n${body}`
  );
}
