/** The page of the portal, at `/` and `/status`, and that of the operator. */
import type { Settings } from '../../base/settings.ts';
import { VERSION } from '../../base/version.ts';
import { basePathOf } from './base-path.ts';
import { PORTAL } from './files.ts';
import { type PageHandler, servePage } from './pages.ts';

/** `GET /`, `GET /status`, and `GET /admin` as `admin.html`. */
export function portalPage(
  settings: Settings,
  { directory = PORTAL, page = 'index.html' }: { directory?: string; page?: string } = {},
): PageHandler {
  const base = basePathOf(settings.PUBLIC_URL);
  const config = {
    base,
    publicUrl: settings.PUBLIC_URL,
    version: VERSION,
    packMaxFiles: settings.PACK_MAX_URLS,
    packMaxBytes: settings.PACK_MAX_BYTES,
    admin: settings.ADMIN_TOKEN !== '',
    baseMap:
      settings.BASE_MAP_URL === ''
        ? null
        : { url: settings.BASE_MAP_URL, attribution: settings.BASE_MAP_ATTRIBUTION },
    embedOrigins: embedOriginsOf(settings),
  };
  // `<` could end the element that the settings are written into.
  const json = JSON.stringify(config).replaceAll('<', '\\u003c');
  const fill = (html: string) =>
    html
      .replaceAll('"./assets/', () => `"${base}/portal/assets/`)
      .replace(/(id="config">)\{\}/, (_, tag) => tag + json);
  const whole = servePage(directory, page, contentSecurityPolicy(settings, ["'self'"]), fill);
  if (page !== 'index.html') return whole;
  const ancestors = ["'self'", ...embedOriginsOf(settings)];
  const framed = servePage(directory, page, contentSecurityPolicy(settings, ancestors), fill);
  // With `embed` the page is the 3D view alone, with which a frame can trick people into nothing.
  return (request, reply) =>
    (Object.hasOwn(request.query as object, 'embed') ? framed : whole)(request, reply);
}

/** Origins whose pages may hold the 3D view in a frame. */
function embedOriginsOf({ EMBED_ORIGINS }: Settings): string[] {
  return EMBED_ORIGINS.split(/[\s,]+/).filter((origin) => origin !== '');
}

/**
 * What the page may do: run its own scripts and workers, and talk to this service; beyond it only to the base map
 * that the operator has chosen. WebAssembly decodes compressed tiles. `ancestors`: whose pages may hold it in a frame.
 */
export function contentSecurityPolicy(settings: Settings, ancestors: readonly string[]): string {
  const own = new Set(["'self'"]);
  for (const url of [settings.PUBLIC_URL, settings.ASSET_URL]) own.add(new URL(url).origin);
  const images = new Set(own);
  if (settings.BASE_MAP_URL !== '') images.add(new URL(settings.BASE_MAP_URL).origin);
  return Object.entries({
    'default-src': ["'none'"],
    'script-src': ["'self'", "'wasm-unsafe-eval'"],
    'worker-src': ["'self'", 'blob:'],
    'style-src': ["'self'", "'unsafe-inline'"],
    'img-src': [...images, 'data:', 'blob:'],
    'connect-src': [...images, 'data:', 'blob:'],
    'font-src': ["'self'"],
    'base-uri': ["'none'"],
    'form-action': ["'self'"],
    'frame-ancestors': ancestors,
  })
    .map(([name, values]) => `${name} ${values.join(' ')}`)
    .join('; ');
}
