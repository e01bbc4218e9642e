/** Pages for people: templates of the build, filled in once. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../base/errors.ts';
import type { Settings } from '../../base/settings.ts';
import { ASKED_AGAIN, sendText } from '../answers/send.ts';
import { basePathOf } from './base-path.ts';
import { PAGES } from './files.ts';

export type PageHandler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/** Policy of pages: own scripts only, and talk to this service only. The programs write styles into the page. */
export const POLICY = [
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
  directory = PAGES,
): PageHandler {
  const base = basePathOf(settings.PUBLIC_URL);
  return servePage(directory, name, POLICY, (template) =>
    template
      .replace(/"\{\{(\w+)\}\}"/g, (_, key: string) => JSON.stringify(values[key]).replaceAll('<', '\\u003c'))
      .replaceAll('{{base}}', base),
  );
}

/**
 * A page of the build, filled in when it is first asked for. `policy`: its `Content-Security-Policy`. `adapt` writes
 * into it what differs by request.
 */
export function servePage(
  directory: string,
  name: string,
  policy: string,
  fill: (template: string) => string,
  adapt: (page: string, request: FastifyRequest) => string = (page) => page,
): PageHandler {
  let page: Promise<string> | null = null;
  return async (request, reply) => {
    page ??= readFile(join(directory, name), 'utf8').then(fill);
    const body = await page.catch((error: NodeJS.ErrnoException) => {
      page = null;
      throw error.code === 'ENOENT' ? notBuilt() : error;
    });
    reply.header('content-security-policy', policy);
    reply.header('referrer-policy', 'same-origin');
    reply.header('content-type', 'text/html; charset=utf-8');
    reply.header('cache-control', ASKED_AGAIN);
    return sendText(request, reply, adapt(body, request));
  };
}

function notBuilt(): ServiceError {
  return new ServiceError(404, 'not found', {
    reason: 'The pages are not built: run "npm run build". The interface itself works without them.',
  });
}
