/** `GET /city/{code}`: the page of a municipality or ward, written by the server; names lead to its code. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { quoted } from '@citymodel/base';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import { ServiceError } from '../../base/errors.ts';
import { meshCoverage } from '../../catalogue/coverage/mesh-coverage.ts';
import { linkPictureOf } from '../../catalogue/names/link-picture.ts';
import { bestPicture } from '../../catalogue/rows/best-picture.ts';
import type { Snapshot } from '../../catalogue/snapshot/snapshot.ts';
import { apiCalls } from '../../city/api-calls.ts';
import { type CityArea, citiesNamed, cityArea } from '../../city/city-area.ts';
import { type AreaCounts, cityFacts } from '../../city/city-facts.ts';
import { cityHtml, type Frame, noCityHtml } from '../../city/city-html.ts';
import { cityLook } from '../../city/city-look.ts';
import { cityWords, type Language } from '../../city/city-words.ts';
import { meshPicture } from '../../city/mesh-picture.ts';
import { escapeHtml } from '../../city/page-frame.ts';
import { qgisProject } from '../../city/qgis-project.ts';
import { structuredData } from '../../discovery/schema-org.ts';
import type { Ask } from '../../mcp/ask.ts';
import { keyAreas, keyCatalogue } from '../answers/cache-keys.ts';
import { goneSignal } from '../answers/client-gone.ts';
import { DOCUMENT_CACHE, sendText } from '../answers/send.ts';
import type { ServiceContext } from '../context.ts';
import { basePathOf } from './base-path.ts';
import { PORTAL } from './files.ts';
import { POLICY } from './pages.ts';

/** `/city/:city`, and the QGIS project of its tiles. `ask` gives the counts of files. */
export function serveCityPages(app: FastifyInstance, context: ServiceContext, ask: Ask): void {
  const { watch, urls, settings } = context;
  const base = basePathOf(settings.PUBLIC_URL);
  const picture = linkPicture(urls.publicUrl);
  app.get('/city/:city', async (request, reply) => {
    const { city } = request.params as { city: string };
    const snapshot = watch.current();
    const words = cityWords(languageOf(request));
    const frame: { -readonly [Key in keyof Frame]: Frame[Key] } = {
      words,
      theme: themeOf(request),
      base,
      publicUrl: urls.publicUrl,
      chosen: chosenOf(request),
      picture: null,
    };
    const area = cityArea(snapshot, city);
    if (area === null) {
      return withoutPage(request, reply, snapshot, { ...frame, picture: await picture() });
    }
    // Buildings of a city may be published by ward.
    const ofCity = snapshot.packages.filter(({ cityCode }) => cityCode === area.code);
    const drawn = bestPicture(area.around === null ? ofCity : area.packages);
    frame.picture = linkPictureOf(drawn, urls) ?? (await picture());
    const counts = await countsOf(ask, area.code, goneSignal(reply));
    const page = { facts: cityFacts(snapshot, urls, area, counts), words, frame };
    const html = cityHtml(frame, page, {
      picture: await pictureOf(context, area, words.t(area.extent === 'city' ? 'pictureOfCity' : 'picture')),
      look: cityLook(drawn, urls),
      calls: apiCalls(page.facts, urls),
      structured: structuredData(snapshot, urls, area.code),
    });
    keyAreas(reply, snapshot, [area.code]);
    return sendPage(request, reply, words.language, html);
  });
  app.get('/city/:city/project.qgs', async (request, reply) => {
    const { city } = request.params as { city: string };
    const snapshot = watch.current();
    const area = cityArea(snapshot, city);
    const facts = area && cityFacts(snapshot, urls, area, NO_COUNTS);
    const project = facts && qgisProject(facts, cityWords(languageOf(request)));
    if (project === null) {
      throw new ServiceError(404, 'not found', { reason: `No tiles are published of ${quoted(city, 40)}.` });
    }
    keyAreas(reply, snapshot, [city]);
    reply.header('content-type', 'application/x-qgis-project');
    reply.header('content-disposition', `attachment; filename="${city}.qgs"`);
    reply.header('vary', 'accept-language');
    return sendText(request, reply, project);
  });
}

/** A project of tiles needs none. */
const NO_COUNTS: AreaCounts = { cities: [], meshes_km2: 0 };

/** A name leads to the page of its code; what means nothing, or several areas, is not found. */
function withoutPage(
  request: FastifyRequest,
  reply: FastifyReply,
  snapshot: Snapshot,
  frame: Frame,
): FastifyReply | Promise<FastifyReply> {
  const { city } = request.params as { city: string };
  const codes = citiesNamed(snapshot, city);
  keyCatalogue(reply);
  reply.header('cache-control', DOCUMENT_CACHE);
  if (codes.length === 1) {
    const query = new URLSearchParams(frame.chosen);
    const location = `${frame.publicUrl}/city/${codes[0]}${query.size === 0 ? '' : `?${query}`}`;
    return reply.code(302).header('location', location).send();
  }
  if (!takesHtml(request)) {
    throw new ServiceError(404, 'not found', {
      reason:
        codes.length === 0
          ? `Nothing is published of a municipality or ward ${quoted(city, 40)}; /datacatalog/summary lists them.`
          : `${quoted(city, 40)} is the name of several: ${codes.slice(0, 20).join(', ')}. Give one of these codes.`,
    });
  }
  const areas = codes.map((code) => cityArea(snapshot, code)!);
  const html = noCityHtml(frame, `/city/${encodeURIComponent(city)}`, areas);
  return sendPage(request, reply.code(404), frame.words.language, html);
}

async function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  language: Language,
  html: string,
): Promise<FastifyReply> {
  reply.header('content-security-policy', POLICY);
  reply.header('referrer-policy', 'same-origin');
  reply.header('content-type', 'text/html; charset=utf-8');
  reply.header('content-language', language);
  reply.header('vary', 'accept, accept-language');
  return sendText(request, reply, html);
}

/** Throws ServiceError 503 while files cannot be counted. */
async function countsOf(ask: Ask, code: string, signal: AbortSignal): Promise<AreaCounts> {
  const { status, json } = await ask(`/datacatalog/counts/${code}`, { signal });
  if (status === 200) return json as AreaCounts;
  throw new ServiceError(503, 'unavailable', {
    reason: 'The files of the area cannot be counted at the moment. Try again.',
    retryAfter: 5,
  });
}

/** The meshes of the newest CityGML of each area. */
async function pictureOf({ coverage, watch }: ServiceContext, { packages }: CityArea, title: string) {
  const cityGml = packages.filter(({ kind }) => kind === 'citygml');
  const newest = Math.max(...cityGml.map(({ year }) => year));
  const shown = cityGml.filter(({ year }) => year === newest);
  const known = await coverage.of(shown, watch.current().packages);
  const all = { types: null, years: null, bbox: null };
  return meshPicture(meshCoverage(shown, known, { ...all, digits: 8 }), escapeHtml(title));
}

/** The picture of links that the build of the portal has; null before it is built. */
function linkPicture(publicUrl: string): () => Promise<{ url: string } | null> {
  let found: Promise<{ url: string } | null> | null = null;
  return () => {
    found ??= readFile(join(PORTAL, 'index.html'), 'utf8').then(
      (html) => {
        const path = /property="og:image" content="\.\/(assets\/[\w.-]+)"/.exec(html)?.[1];
        return path === undefined ? null : { url: `${publicUrl}/portal/${path}` };
      },
      () => null,
    );
    return found;
  };
}

type Query = Readonly<Record<string, unknown>>;

/** The language of the address, else the one that the caller prefers. */
function languageOf(request: FastifyRequest): Language {
  const { lang } = request.query as Query;
  if (lang === 'ja' || lang === 'en') return lang;
  return new Negotiator(request.raw).language(['ja', 'en']) === 'en' ? 'en' : 'ja';
}

function themeOf(request: FastifyRequest): 'light' | 'dark' | null {
  const { theme } = request.query as Query;
  return theme === 'light' || theme === 'dark' ? theme : null;
}

function chosenOf(request: FastifyRequest): Record<string, string> {
  const { lang } = request.query as Query;
  const theme = themeOf(request);
  return { ...(lang === 'ja' || lang === 'en' ? { lang } : {}), ...(theme === null ? {} : { theme }) };
}

/** True for browsers; programs that take anything get JSON. */
function takesHtml(request: FastifyRequest): boolean {
  return new Negotiator(request.raw).mediaType(['application/json', 'text/html']) === 'text/html';
}
