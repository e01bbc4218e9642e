/**
 * The alternative that answers are measured against: Node.js's own HTTP server, no framework, no log. `GET /memory/{name}`
 * gives a file's bytes from memory, `GET /static/{name}` streams them from disk; a name that ends in `.gz` is sent with
 * `Content-Encoding: gzip`. With a matching `If-None-Match`, 304.
 *
 *     node bench/support/bare-server.ts {directory}
 */
import { createReadStream, readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

const directory = process.argv[2]!;
const memory = new Map(readdirSync(directory).map((name) => [name, readFileSync(join(directory, name))]));
const ETAG = '"the-same-for-all"';

const server = createServer((request, response) => {
  const [, kind, name] = request.url!.split('/') as [string, string, string];
  if (request.headers['if-none-match'] === ETAG) {
    response.writeHead(304, { etag: ETAG }).end();
    return;
  }
  const headers: Record<string, string | number> = { etag: ETAG, 'content-type': 'application/octet-stream' };
  if (name.endsWith('.gz')) headers['content-encoding'] = 'gzip';
  if (kind === 'memory') {
    const body = memory.get(name)!;
    response.writeHead(200, { ...headers, 'content-length': body.length }).end(body);
    return;
  }
  const path = join(directory, name);
  response.writeHead(200, { ...headers, 'content-length': statSync(path).size });
  createReadStream(path, { highWaterMark: 256 * 1024 }).pipe(response);
});
server.listen(0, '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.once('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
});
