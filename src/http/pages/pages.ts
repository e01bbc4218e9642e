/** The pages for people: the interface's description at `/docs`, GraphiQL, and the files that both load. */
import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify';
import Negotiator from 'negotiator';
import { ServiceError } from '../../base/errors.ts';
import type { Settings } from '../../base/settings.ts';
import { matchesEtag } from '../answers/send.ts';
import { basePathOf } from './base-path.ts';

/** Where the build puts them, seen from the sources and from the compiled program alike. */
const DIRECTORY = fileURLToPath(new URL('../../../dist/pages', import.meta.url));

const TYPES: Record<string, string> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
};

/** Own scripts only, and talk to this service only. The programs write styles into the page. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'self'",
].join('; ');

/**
 * A page with the base path written in for `{{base}}`, and values for `"{{name}}"` as JSON that may stand inside an
 * element.
 */
export function pageOf(
  settings: Settings,
  name: string,
  values: Record<string, unknown> = {},
  directory = DIRECTORY,
): (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply> {
  const base = basePathOf(settings.PUBLIC_URL);
  let page: Promise<{ body: string; etag: string }> | null = null;
  const make = async () => {
    const template = await readFile(join(directory, name), 'utf8').catch(notBuilt);
    const body = template
      .replace(/"\{\{(\w+)\}\}"/g, (_, key: string) => JSON.stringify(values[key]).replaceAll('<', '\\u003c'))
      .replaceAll('{{base}}', base);
    return { body, etag: etagOf(body) };
  };
  return async (request, reply) => {
    page ??= make().catch((error: unknown) => {
      page = null;
      throw error;
    });
    const { body, etag } = await page;
    reply.header('content-security-policy', POLICY);
    reply.header('referrer-policy', 'same-origin');
    reply.header('cache-control', 'no-cache');
    reply.header('etag', etag);
    if (matchesEtag(request.headers['if-none-match'], etag)) return reply.code(304).send();
    return reply.type('text/html; charset=utf-8').send(body);
  };
}

/** `GET /docs/files/{name}`. */
export function servePageFile(directory = DIRECTORY): RouteHandlerMethod {
  return async (request, reply) => {
    const { name } = request.params as { name: string };
    const match = /^[a-z][a-z-]*\.(js|css)$/.exec(name);
    if (match === null) throw noSuchFile();
    const encoding = new Negotiator(request.raw).encodings(['br', 'gzip', 'identity'])[0];
    const ending = encoding === 'br' ? '.br' : encoding === 'gzip' ? '.gz' : '';
    const body = await readFile(join(directory, name + ending)).catch(noSuchFileOr);
    const etag = etagOf(body);
    reply.header('cache-control', 'no-cache');
    reply.header('vary', 'accept-encoding');
    reply.header('etag', etag);
    if (matchesEtag(request.headers['if-none-match'], etag)) return reply.code(304).send();
    if (ending !== '') reply.header('content-encoding', encoding);
    return reply.type(TYPES[match[1]!]!).send(body);
  };
}

function etagOf(body: string | Buffer): string {
  return `"${hash('sha256', body, 'base64url').slice(0, 24)}"`;
}

function notBuilt(error: NodeJS.ErrnoException): never {
  if (error.code !== 'ENOENT') throw error;
  throw new ServiceError(404, 'not found', {
    reason: 'The pages are not built: run "npm run build". The interface itself works without them.',
  });
}

function noSuchFileOr(error: NodeJS.ErrnoException): never {
  if (error.code !== 'ENOENT') throw error;
  throw noSuchFile();
}

function noSuchFile(): ServiceError {
  return new ServiceError(404, 'not found', { reason: 'The pages have no such file.' });
}
