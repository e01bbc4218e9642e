import { createReadStream, existsSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize, sep } from 'node:path';

const MODULES = join(import.meta.dirname, '../../node_modules');

const TYPES: Record<string, string> = {
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.mjs': 'text/javascript',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
};

export interface StaticServer extends AsyncDisposable {
  /** `http://127.0.0.1:{port}`, without a slash at its end. */
  url: string;
}

/**
 * Serves the two test pages, CesiumJS under `/cesium/` and MapLibre GL JS under `/maplibre/` from `node_modules`, and
 * directories of the caller's choice, on a free loopback port and with CORS.
 *
 * @param mounts directories by URL prefix, e.g. `{ '/data/': '/srv/tiles' }`
 */
export async function startStaticServer(mounts: Record<string, string> = {}): Promise<StaticServer> {
  const all: Record<string, string> = {
    ...mounts,
    '/cesium/': join(MODULES, 'cesium/Build/Cesium'),
    '/maplibre/': join(MODULES, 'maplibre-gl/dist'),
    '/pages/': import.meta.dirname,
  };
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://localhost').pathname);
    const prefix = Object.keys(all).find((mount) => path.startsWith(mount));
    const root = prefix === undefined ? null : all[prefix]!;
    const file = root === null ? null : normalize(join(root, path.slice(prefix!.length)));
    response.setHeader('access-control-allow-origin', '*');
    if (file === null || !file.startsWith(root + sep) || !existsSync(file) || !statSync(file).isFile()) {
      response.writeHead(404).end();
      return;
    }
    response.setHeader('content-type', TYPES[extname(file)] ?? 'application/octet-stream');
    createReadStream(file).pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
