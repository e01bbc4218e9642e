/** `GET /portal/pictures/…`: what other sites show beside a link, drawn once for each state of the catalogue. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RouteHandlerMethod } from 'fastify';
import type { Feature, MultiPolygon } from 'geojson';
import { LRUCache } from 'lru-cache';
import { ConcurrencyLimit } from '../../base/concurrency-limit.ts';
import { ServiceError } from '../../base/errors.ts';
import { meshCoverage } from '../../catalogue/coverage/mesh-coverage.ts';
import { type SummaryCity, summaryOf } from '../../catalogue/coverage/summary.ts';
import type { Snapshot } from '../../catalogue/snapshot/snapshot.ts';
import type { Bounds } from '../../geo/bounds.ts';
import { sendComputedBytes } from '../answers/send.ts';
import type { ServiceContext } from '../context.ts';
import { basePathOf } from './base-path.ts';
import { PORTAL } from './files.ts';
import { linkPicture, mapPicture, type PictureContent } from './link-picture.ts';

/** Pictures that are kept, of some 30 kB each. */
const KEPT = 200;
/** A larger area is shown by its 2nd meshes, degrees. */
const COARSE = 0.8;

type Subject = 'all' | 'none' | { city: string } | { dataset: string };
type Content = Omit<PictureContent, 'land'>;

/** Path of a picture, below the service's address. */
export function picturePath(kind: 'all' | 'city' | 'dataset', name?: string): string {
  return `/portal/pictures/${kind}${name === undefined ? '' : `/${encodeURIComponent(name)}`}.png`;
}

/**
 * Serves `all.png`, `city/{code}.png` and `dataset/{id}.png` as PNG of 1200 × 630. Where the optional library sharp is missing, or the
 * portal is not built, it leads to the general picture. 404 for what the catalogue does not have. With `.svg` at the end it serves the
 * map of the picture alone, without words, which needs no library.
 */
export function servePicture(context: ServiceContext, directory = PORTAL): RouteHandlerMethod {
  const base = basePathOf(context.settings.PUBLIC_URL);
  const kept = new LRUCache<string, Promise<Buffer | null>>({ max: KEPT });
  const limit = new ConcurrencyLimit(1);
  let land: Promise<MultiPolygon> | null = null;
  const draw = async (content: Content, isMap: boolean): Promise<Buffer | null> => {
    if (isMap) {
      land ??= loadLand(directory);
      return Buffer.from(mapPicture({ ...content, land: await land }));
    }
    // With the first picture: few servers are ever asked for one.
    const { loadSharp } = await import('../../convert/texture/images.ts');
    const sharp = await loadSharp();
    if (sharp === null) return null;
    land ??= loadLand(directory);
    const svg = linkPicture({ ...content, land: await land });
    return sharp(Buffer.from(svg)).png({ palette: true }).toBuffer();
  };
  return async (request, reply) => {
    const snapshot = context.watch.current();
    const params = request.params as Record<string, string>;
    const subject = subjectOf(params);
    const isMap = params.name?.endsWith('.svg') === true;
    const key = `${snapshot.version}/${snapshot.identity}/${isMap}/${JSON.stringify(subject)}`;
    let picture = kept.get(key);
    if (picture === undefined) {
      const content = await contentOf(snapshot, context, subject);
      if (content === null) {
        throw new ServiceError(404, 'not found', { reason: 'The catalogue has nothing of this name.' });
      }
      picture = limit.run(() => draw(content, isMap));
      kept.set(key, picture);
      picture.catch(() => kept.delete(key));
    }
    const bytes = await picture.catch((error) => {
      request.log.error({ err: error }, 'a picture could not be drawn');
      land = null;
      return null;
    });
    reply.header('cache-control', 'public, max-age=3600');
    if (bytes === null) return reply.redirect(`${base}${await generalPicture(directory)}`);
    if (!isMap) return reply.type('image/png').send(bytes);
    reply.header('content-type', 'image/svg+xml');
    return sendComputedBytes(request, reply, bytes);
  };
}

function subjectOf({ kind, name = '' }: Record<string, string>): Subject {
  const plain = name.replace(/\.(png|svg)$/, '');
  if (kind === 'city') return { city: plain };
  if (kind === 'dataset') return { dataset: plain };
  return kind === undefined && plain === 'all' ? 'all' : 'none';
}

/** What is drawn of a subject; null for one that the catalogue lacks. */
async function contentOf(
  snapshot: Snapshot,
  { coverage }: ServiceContext,
  subject: Subject,
): Promise<Content | null> {
  if (subject === 'none') return null;
  const cityGml = snapshot.packages.filter(({ kind }) => kind === 'citygml');
  const known = await coverage.of(cityGml);
  const { cities, totals } = summaryOf(snapshot, known);
  if (subject === 'all') {
    const largest = Math.max(1, ...cities.map(({ bytes }) => bytes));
    return {
      bounds: null,
      meshes: [],
      places: cities.flatMap(({ bbox, max_lod, bytes }) =>
        bbox === null ? [] : [{ at: middleOf(bbox), lod: max_lod ?? 0, size: Math.sqrt(bytes / largest) }],
      ),
      words: [
        '3D cities',
        `${counted(totals.cities)} municipalities`,
        `${counted(totals.datasets)} datasets`,
      ],
    };
  }
  const dataset =
    'dataset' in subject ? snapshot.datasets.find(({ id }) => id === subject.dataset) : undefined;
  const code = 'city' in subject ? subject.city : dataset?.package.cityCode;
  const city = cities.find((each) => each.code === code);
  if (city === undefined || ('dataset' in subject && dataset === undefined)) return null;
  const bounds = dataset?.package.bounds ?? boundsOf(city);
  if (bounds === null) return null;
  const types = dataset?.package.types ?? null;
  const isLarge = Math.max(bounds.east - bounds.west, bounds.north - bounds.south) > COARSE;
  const rows = meshCoverage(
    cityGml.filter(({ cityCode }) => cityCode === city.code),
    known,
    { digits: isLarge ? 6 : 8, types, years: null, bbox: bounds },
  );
  const lod = dataset?.lod ?? city.max_lod;
  const year = dataset?.package.year ?? city.years[0];
  return {
    bounds,
    meshes: rows.map(([mesh, maxLod]) => [mesh, dataset?.lod ?? maxLod]),
    places: [],
    words: [
      nameOf(city),
      [lod === null ? '' : `LOD ${lod}`, String(year ?? '')].filter((part) => part !== '').join(' - '),
      dataset !== undefined
        ? dataset.summary.format
        : city.features > 0
          ? `${counted(city.features)} features`
          : '3D city model',
    ],
  };
}

/** `Aonagi` of aonagi-shi; the code where no reading is known. */
function nameOf({ code, romaji }: SummaryCity): string {
  return romaji === null ? code : romaji.replace(/-(shi|cho|machi|mura|son)$/, '');
}

function counted(number: number): string {
  return number.toLocaleString('en-GB');
}

function boundsOf({ bbox }: SummaryCity): Bounds | null {
  if (bbox === null) return null;
  const [west, south, east, north] = bbox as [number, number, number, number];
  return { west, south, east, north };
}

function middleOf(bbox: readonly number[]): [number, number] {
  return [(bbox[0]! + bbox[2]!) / 2, (bbox[1]! + bbox[3]!) / 2];
}

async function loadLand(directory: string): Promise<MultiPolygon> {
  const text = await readFile(join(directory, await assetOf(directory, /^land-.*\.json$/)), 'utf8');
  return (JSON.parse(text) as Feature<MultiPolygon>).geometry;
}

/** Path of the picture that every link has which nothing better is known of. */
async function generalPicture(directory: string): Promise<string> {
  return `/portal/${await assetOf(directory, /^texture-.*\.webp$/)}`;
}

async function assetOf(directory: string, name: RegExp): Promise<string> {
  const found = (await readdir(join(directory, 'assets')).catch(() => [])).find((each) => name.test(each));
  if (found === undefined) throw new ServiceError(404, 'not found', { reason: 'The portal is not built.' });
  return `assets/${found}`;
}
