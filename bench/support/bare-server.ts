/**
 * The alternative that answers are measured against: Node.js's own HTTP server, no framework, no routes, no log, no
 * metrics. `GET /memory/{name}` gives a file's bytes from memory, `GET /static/{name}` streams them from disk, with the
 * headers in `{name}.headers.json`, so that both servers answer the same bytes. With a matching `If-None-Match`, 304.
 *
 *     node bench/support/bare-server.ts {directory}
 */
import { createReadStream, readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

const directory = process.argv[2]!;
const names = readdirSync(directory).filter((name) => !name.endsWith('.headers.json'));
const files = new Map(
  names.map((name) => {
    const headers: Record<string, string> = JSON.parse(
      readFileSync(join(directory, `${name}.headers.json`), 'utf8'),
    );
    const {
      'content-length': _length,
      'content-type': _type,
      'content-encoding': _encoding,
      ...unchanged
    } = headers;
    return [name, { body: readFileSync(join(directory, name)), headers, unchanged }];
  }),
);

const server = createServer((request, response) => {
  const [, kind, name] = request.url!.split('/') as [string, string, string];
  const { body, headers, unchanged } = files.get(name)!;
  if (request.headers['if-none-match'] === headers.etag) {
    response.writeHead(304, unchanged).end();
  } else if (kind === 'memory') {
    response.writeHead(200, headers).end(body);
  } else {
    const path = join(directory, name);
    response.writeHead(200, { ...headers, 'content-length': statSync(path).size });
    createReadStream(path, { highWaterMark: 256 * 1024 }).pipe(response);
  }
});
server.listen(0, '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.once('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
});
