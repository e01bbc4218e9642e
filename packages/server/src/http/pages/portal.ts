/** The page of the portal, at `/` and `/status`, and that of the operator. */

import { factsOfType } from '@citymodel/base';
import { compareTypes, typeName } from '@citymodel/citygml';
import type { PackageRow } from '@citymodel/store';
import type { FastifyRequest } from 'fastify';
import type { Settings } from '../../base/settings.ts';
import { VERSION } from '../../base/version.ts';
import { romajiOfCity } from '../../catalogue/coverage/summary.ts';
import { datasetInEnglish } from '../../catalogue/names/dataset-words.ts';
import { latinName } from '../../catalogue/names/latin-name.ts';
import type { LinkPicture } from '../../catalogue/names/link-picture.ts';
import { bestPicture } from '../../catalogue/rows/best-picture.ts';
import type { Snapshot } from '../../catalogue/snapshot/snapshot.ts';
import { TILES_SPEC, withHighestLod } from '../../catalogue/specs/tiles-spec.ts';
import { basePathOf } from './base-path.ts';
import { PORTAL } from './files.ts';
import { ingestCommand } from './ingest-command.ts';
import { type PageHandler, servePage } from './pages.ts';

/**
 * `GET /`, `GET /status`, and `GET /admin` as `admin.html`. `preview` tells what another site shows of a link with a
 * query.
 */
export function portalPage(
  settings: Settings,
  {
    directory = PORTAL,
    page = 'index.html',
    preview = () => null,
    picture = () => null,
    structured = () => null,
  }: {
    directory?: string;
    page?: string;
    preview?: (query: Record<string, unknown>) => Preview | null;
    /** The picture of a package, or with null that of everything; null where nothing was drawn. */
    picture?: (drawn: PackageRow | null) => LinkPicture | null;
    /** What search engines read of a page, as JSON-LD. */
    structured?: (query: Record<string, unknown>) => object | null;
  } = {},
): PageHandler {
  const base = basePathOf(settings.PUBLIC_URL);
  const config = {
    base,
    publicUrl: settings.PUBLIC_URL,
    version: VERSION,
    packMaxFiles: settings.PACK_MAX_URLS,
    packMaxBytes: settings.PACK_MAX_BYTES,
    tableMaxBytes: (settings.FEATURE_TABLE_MB + settings.FEATURE_SPOOL_MB) * 2 ** 20,
    admin: settings.ADMIN_TOKEN !== '',
    ingest: ingestCommand(settings, {
      program: process.argv[1] ?? '',
      directory: process.cwd(),
      env: process.env,
    }),
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
      // Previews are shown by other hosts, so that they need the whole address of the picture.
      .replaceAll(
        /(="(?:og|twitter):image" content=")[^"]*(\/portal\/assets\/)/g,
        (_, open, path) => open + escapeAttribute(settings.PUBLIC_URL) + path,
      )
      .replace(/(id="config">)\{\}/, (_, tag) => tag + json);
  const adapt = (page: string, request: FastifyRequest) => {
    const query = request.query as Record<string, unknown>;
    const data = structured(query);
    const html = data === null ? page : page.replace('</head>', () => `${jsonLd(data)}</head>`);
    const found = preview(query);
    const image = picture(found === null ? null : found.drawn);
    const words = found ?? (query.lang === 'ja' ? GENERAL : null);
    const shown = image === null ? html : withPicture(html, image, words?.title ?? null);
    if (words === null) return shown;
    return shown
      .replace(/(property="og:title" content=")[^"]*/, (_, open) => open + escapeAttribute(words.title))
      .replace(
        /(property="og:description" content=")[^"]*/,
        (_, open) => open + escapeAttribute(words.description),
      );
  };
  const whole = servePage(directory, page, contentSecurityPolicy(settings, ["'self'"]), fill, adapt);
  if (page !== 'index.html') return whole;
  const ancestors = ["'self'", ...embedOriginsOf(settings)];
  const framed = servePage(directory, page, contentSecurityPolicy(settings, ancestors), fill, adapt);
  // With `embed` the page is the 3D view alone, with which a frame can trick people into nothing.
  return (request, reply) =>
    (Object.hasOwn(request.query as object, 'embed') ? framed : whole)(request, reply);
}

/** A page with this picture in the place of that of the build. */
export function withPicture(
  page: string,
  { url, width, height, mimeType }: LinkPicture,
  alt: string | null,
): string {
  const more = [
    ['property="og:image:type"', mimeType],
    ...(alt === null
      ? []
      : ['property="og:image:alt"', 'name="twitter:image:alt"'].map((name) => [name, alt])),
  ];
  const properties = more.map(([name, value]) => `<meta ${name} content="${escapeAttribute(value!)}" />`);
  return page
    .replaceAll(/(="(?:og|twitter):image" content=")[^"]*/g, (_, open) => open + escapeAttribute(url))
    .replace(/(property="og:image:width" content=")[^"]*/, (_, open) => `${open}${width}`)
    .replace(/(property="og:image:height" content=")[^"]*/, (_, open) => `${open}${height}`)
    .replace('</head>', () => `${properties.join('')}</head>`);
}

/** A block of data, which no browser runs. */
function jsonLd(data: object): string {
  return `<script type="application/ld+json">${JSON.stringify(data).replaceAll('<', '\\u003c')}</script>`;
}

/** Origins whose pages may hold the 3D view in a frame. */
function embedOriginsOf({ EMBED_ORIGINS }: Settings): string[] {
  return EMBED_ORIGINS.split(/[\s,]+/).filter((origin) => origin !== '');
}

/** What another site shows of a link to anything else, in Japanese; the page itself has it in English. */
const GENERAL = {
  title: '都市モデルデータ',
  description: '3D都市モデルの地図、データセット、CityGMLファイル',
};

/** What another site shows of a link. */
export interface Preview {
  title: string;
  description: string;
  /** The package whose picture is shown; null for none of its own. */
  drawn: PackageRow | null;
}

/**
 * The preview of a link to a municipality (`pick`), a dataset (`row`, `model`), or a composite tileset of a
 * municipality (`model`); null for any other page. A link with `lang=en` has it in English, others in Japanese.
 */
export function previewIn(snapshot: Snapshot, query: Record<string, unknown>): Preview | null {
  const { pick, row, model } = query;
  const isEnglish = query.lang === 'en';
  const wanted = typeof row === 'string' ? row : model;
  if (typeof wanted !== 'string') return cityPreview(snapshot, pick, isEnglish);
  const dataset = snapshot.datasets.find(({ id }) => id === wanted);
  if (dataset === undefined) {
    const spec = TILES_SPEC.exec(withHighestLod(wanted) ?? wanted);
    return cityPreview(snapshot, spec?.[1], isEnglish);
  }
  const { package: pkg, summary, lod, name } = dataset;
  const place = areaInEnglish(pkg.wardCode ?? pkg.cityCode, pkg.ward ?? pkg.city, [pkg]);
  return {
    title: isEnglish
      ? datasetInEnglish({ id: wanted, name, type: typeName(summary.type) }, summary.type, place)
      : name,
    description: `${prefectureOfPackage(pkg, isEnglish)} · ${summary.format} · LOD ${lod} · ${pkg.year}`,
    drawn: bestPicture([pkg]) ?? bestPicture(snapshot.packages.filter(isBeside(pkg))),
  };
}

function cityPreview(snapshot: Snapshot, pick: unknown, isEnglish: boolean): Preview | null {
  if (typeof pick !== 'string' || !/^\d{5}$/.test(pick)) return null;
  const packages = snapshot.packages.filter(({ cityCode }) => cityCode === pick);
  const newest = packages.reduce((best, pkg) => (pkg.year > best.year ? pkg : best), packages[0]!);
  if (newest === undefined) return null;
  const types = [...new Set(packages.flatMap((pkg) => pkg.types))].sort(compareTypes);
  const pref = prefectureOfPackage(newest, isEnglish);
  return {
    title: isEnglish
      ? `${areaInEnglish(pick, newest.city, packages)} (${pref})`
      : `${newest.city}（${pref}）`,
    description: isEnglish
      ? `${newest.year} · ${types.map((type) => factsOfType(type)?.label.en ?? type).join(', ')}`
      : `${newest.year} · ${types.map(typeName).join('、')}`,
    drawn: bestPicture(packages),
  };
}

/** Packages of the same municipality. */
function isBeside({ cityCode }: PackageRow): (other: PackageRow) => boolean {
  return (other) => other.cityCode === cityCode;
}

const bestOfAll = new WeakMap<Snapshot, { row: PackageRow | null }>();

/** The package whose picture stands for everything that is published. */
export function bestDrawn(snapshot: Snapshot): PackageRow | null {
  let best = bestOfAll.get(snapshot);
  if (best === undefined) {
    best = { row: bestPicture(snapshot.packages) };
    bestOfAll.set(snapshot, best);
  }
  return best.row;
}

/** The Japanese name where no other is known. */
function areaInEnglish(code: string, name: string, packages: readonly PackageRow[]): string {
  const romaji = romajiOfCity(code, packages);
  return romaji === null ? name : latinName(romaji);
}

function prefectureOfPackage({ prefCode, pref }: PackageRow, isEnglish: boolean): string {
  return isEnglish ? areaInEnglish(prefCode, pref, []) : pref;
}

function escapeAttribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
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
    // The front page holds the 3D view of a city.
    'frame-src': ["'self'"],
    'base-uri': ["'none'"],
    'form-action': ["'self'"],
    'frame-ancestors': ancestors,
  })
    .map(([name, values]) => `${name} ${values.join(' ')}`)
    .join('; ');
}
