/** The portal: the built files of `portal/`, and its one page at `/` and `/status`. */
import { hash } from 'node:crypto';
import { createReadStream, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify';
import Negotiator from 'negotiator';
import { ServiceError } from '../../base/errors.ts';
import type { Settings } from '../../base/settings.ts';
import { VERSION } from '../../base/version.ts';
import { matchesEtag } from '../answers/send.ts';
import { basePathOf } from './base-path.ts';

/** Where the build puts it, seen from the sources and from the compiled program alike. */
const DIRECTORY = fileURLToPath(new URL('../../../dist/portal', import.meta.url));

const TYPES: Record<string, string> = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  jpg: 'image/jpeg',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json; charset=utf-8',
  mjs: 'text/javascript; charset=utf-8',
  png: 'image/png',
  svg: 'image/svg+xml',
  txt: 'text/plain; charset=utf-8',
  wasm: 'application/wasm',
};

/** Encodings that the build may have made beside a file, best first, with the ending of their names. */
const ENCODINGS = { br: '.br', gzip: '.gz' } as const;
type Encoding = keyof typeof ENCODINGS | 'identity';

interface PortalFile {
  path: string;
  type: string;
  etag: string;
  /** Bytes of each encoding that there is. */
  sizes: Partial<Record<Encoding, number>>;
}

interface Page {
  etag: string;
  bodies: Record<Encoding, Buffer>;
}

export interface Portal {
  /** `GET /`, `GET /status`. */
  page: RouteHandlerMethod;
  /** `GET /portal/*`. */
  file: RouteHandlerMethod;
}

/** Reads what the build made; a program without it answers with what to do about that. */
export function createPortal(settings: Settings, directory = DIRECTORY): Portal {
  let files: Map<string, PortalFile> | null = null;
  let page: Promise<Page> | null = null;
  const policy = contentSecurityPolicy(settings);
  return {
    async page(request, reply) {
      page ??= makePage(settings, directory).catch((error) => {
        page = null;
        throw error;
      });
      const { etag, bodies } = await page;
      const encoding = chooseEncoding(request, ['br', 'gzip']);
      reply.header('content-security-policy', policy);
      reply.header('referrer-policy', 'same-origin');
      reply.header('cache-control', 'no-cache');
      return sendEncoded(request, reply, { type: TYPES.html!, etag, encoding }, bodies[encoding]);
    },
    async file(request, reply) {
      files ??= findFiles(directory);
      const path = decodeURIComponent(request.raw.url!.split('?', 1)[0]!);
      const file = files.get(path.slice(path.indexOf('/portal/') + '/portal/'.length));
      if (file === undefined) {
        throw new ServiceError(404, 'not found', {
          reason: 'The portal has no such file. After an update of the service, reload the page.',
        });
      }
      const there = (['br', 'gzip'] as const).filter((name) => file.sizes[name] !== undefined);
      const encoding = chooseEncoding(request, there);
      reply.header('cache-control', 'public, max-age=31536000, immutable');
      reply.header('content-length', file.sizes[encoding]!);
      const ending = encoding === 'identity' ? '' : ENCODINGS[encoding];
      return sendEncoded(request, reply, { type: file.type, etag: file.etag, encoding }, () =>
        createReadStream(file.path + ending),
      );
    },
  };
}

/**
 * What the page may do: run its own scripts and workers, and talk to this service; beyond it only to the base map
 * that the operator has chosen. WebAssembly decodes compressed tiles.
 */
export function contentSecurityPolicy(settings: Settings): string {
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
    'frame-ancestors': ["'self'"],
  })
    .map(([name, values]) => `${name} ${values.join(' ')}`)
    .join('; ');
}

/** The page with the settings that it needs written into it. */
async function makePage(settings: Settings, directory: string): Promise<Page> {
  let html: string;
  try {
    html = readFileSync(join(directory, 'index.html'), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new ServiceError(404, 'not found', {
      reason: 'The portal is not built: run "npm run build". The interface itself works without it.',
    });
  }
  const base = basePathOf(settings.PUBLIC_URL);
  const config = {
    base,
    publicUrl: settings.PUBLIC_URL,
    version: VERSION,
    baseMap:
      settings.BASE_MAP_URL === ''
        ? null
        : { url: settings.BASE_MAP_URL, attribution: settings.BASE_MAP_ATTRIBUTION },
  };
  // `<` could end the element that the settings are written into.
  const json = JSON.stringify(config).replaceAll('<', '\\u003c');
  const identity = Buffer.from(
    html
      .replaceAll('"./assets/', () => `"${base}/portal/assets/`)
      .replace(/(id="config">)\{\}/, (_, open) => open + json),
  );
  const [br, gz] = await Promise.all([promisify(brotliCompress)(identity), promisify(gzip)(identity)]);
  return { etag: etagOf(identity), bodies: { identity, br, gzip: gz } };
}

/** Every file below the directory by its path there, but for the page and the compressed forms. */
function findFiles(directory: string): Map<string, PortalFile> {
  const files = new Map<string, PortalFile>();
  let entries: string[];
  try {
    entries = readdirSync(directory, { recursive: true }) as string[];
  } catch {
    return files;
  }
  const known = new Set(entries);
  for (const entry of entries) {
    const ending = entry.slice(entry.lastIndexOf('.') + 1);
    if (TYPES[ending] === undefined || entry === 'index.html') continue;
    const path = join(directory, entry);
    const sizes: PortalFile['sizes'] = { identity: statSync(path).size };
    for (const [encoding, suffix] of Object.entries(ENCODINGS)) {
      if (known.has(entry + suffix)) sizes[encoding as Encoding] = statSync(path + suffix).size;
    }
    const name = relative(directory, path).split(sep).join('/');
    files.set(name, { path, type: TYPES[ending], etag: etagOf(readFileSync(path)), sizes });
  }
  return files;
}

function etagOf(bytes: Buffer): string {
  return `W/"${hash('sha256', bytes, 'base64url').slice(0, 22)}"`;
}

/** The first of the encodings that the caller takes, else the plain bytes; browsers list all that they know as equals. */
function chooseEncoding(request: FastifyRequest, there: readonly Encoding[]): Encoding {
  if (request.headers['accept-encoding'] === undefined) return 'identity';
  const taken = new Negotiator(request.raw).encodings([...there, 'identity']);
  return there.find((encoding) => taken.includes(encoding)) ?? 'identity';
}

function sendEncoded(
  request: FastifyRequest,
  reply: FastifyReply,
  { type, etag, encoding }: { type: string; etag: string; encoding: Encoding },
  body: Buffer | (() => NodeJS.ReadableStream),
): FastifyReply {
  reply.header('etag', etag);
  reply.header('vary', 'accept-encoding');
  if (matchesEtag(request.headers['if-none-match'], etag)) {
    return reply.removeHeader('content-length').code(304).send();
  }
  reply.header('content-type', type);
  if (encoding !== 'identity') reply.header('content-encoding', encoding);
  return reply.send(typeof body === 'function' ? body() : body);
}
