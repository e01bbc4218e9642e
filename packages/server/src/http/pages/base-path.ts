/**
 * The path of PUBLIC_URL: a proxy in front may pass it on or take it off, and requests are understood both ways.
 */
import type { IncomingMessage } from 'node:http';
import { withoutEnd } from '@citymodel/base';

/** `/base` of `https://host/base`; '' when the service lies at the root of its host. */
export function basePathOf(publicUrl: string): string {
  return withoutEnd(new URL(publicUrl).pathname, '/');
}

/** A path without the base path; others stay as they are. */
export function withoutBase(path: string, base: string): string {
  if (base === '' || !path.startsWith(base)) return path;
  const rest = path.slice(base.length);
  return rest === '' || /^[/?]/.test(rest) ? rest : path;
}

/**
 * Takes the base path off requests, before they are routed, and the host off a target in absolute form, as proxies send
 * it (RFC 9112, section 3.2.2).
 */
export function pathRewriter(base: string): (request: IncomingMessage) => string {
  return ({ url }) => {
    const target = url!.startsWith('/') ? url! : url!.replace(/^https?:\/\/[^/?#]*/i, '');
    const path = withoutBase(target, base);
    return path.startsWith('/') ? path : `/${path}`;
  };
}
