/**
 * The path of PUBLIC_URL: a proxy in front may pass it on or take it off, and requests are understood both ways.
 */
import type { IncomingMessage } from 'node:http';

/** `/base` of `https://host/base`; '' when the service lies at the root of its host. */
export function basePathOf(publicUrl: string): string {
  return new URL(publicUrl).pathname.replace(/\/+$/, '');
}

/** A path without the base path; others stay as they are. */
export function withoutBase(path: string, base: string): string {
  if (base === '' || !path.startsWith(base)) return path;
  const rest = path.slice(base.length);
  return rest === '' || /^[/?]/.test(rest) ? rest : path;
}

/** Takes the base path off requests, before they are routed. */
export function baseRewriter(base: string): (request: IncomingMessage) => string {
  return (request) => {
    const path = withoutBase(request.url!, base);
    return path.startsWith('/') ? path : `/${path}`;
  };
}
