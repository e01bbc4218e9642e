/** Documents by which crawlers, harvesters and assistants find what the service has. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../base/errors.ts';
import type { Snapshot } from '../../catalogue/snapshot/snapshot.ts';
import { dcatPage } from '../../discovery/dcat.ts';
import { llmsText, robotsText, securityText, sitemap } from '../../discovery/texts.ts';
import type { StacApi } from '../../stac/stac-api.ts';
import { sendText } from '../answers/send.ts';
import type { ServiceContext } from '../context.ts';
import { readQuery, whole } from '../describe/query-parameters.ts';

const TEXTS: Record<string, { type: string; text(snapshot: Snapshot, publicUrl: string): string }> = {
  '/robots.txt': { type: 'text/plain', text: (_snapshot, url) => robotsText(url) },
  '/sitemap.xml': { type: 'application/xml', text: sitemap },
  '/llms.txt': { type: 'text/markdown', text: llmsText },
};

const DCAT_PARAMETERS = {
  page: whole('page', 'Which page, the first being 1.', { least: 1, most: 1_000_000, otherwise: 1 }),
};

/** `/robots.txt`, `/sitemap.xml`, `/llms.txt`, `/dcat.jsonld` and `/.well-known/security.txt`. */
export function serveDiscovery(
  app: FastifyInstance,
  { watch, urls, settings }: ServiceContext,
  stac: StacApi,
): void {
  const { publicUrl } = urls;
  for (const [path, { type, text }] of Object.entries(TEXTS)) {
    app.get(path, (request: FastifyRequest, reply: FastifyReply) => {
      reply.header('content-type', `${type}; charset=utf-8`);
      return sendText(request, reply, text(watch.current(), publicUrl));
    });
  }
  app.get('/.well-known/security.txt', (request: FastifyRequest, reply: FastifyReply) => {
    const text = securityText(settings, publicUrl, new Date());
    if (text === null)
      throw new ServiceError(404, 'not found', {
        reason: 'The operator names no contact (SECURITY_CONTACT).',
      });
    reply.header('content-type', 'text/plain; charset=utf-8');
    return sendText(request, reply, text);
  });
  app.get('/dcat.jsonld', async (request, reply) => {
    const { page } = readQuery(DCAT_PARAMETERS, request.query);
    const entries = await stac.entries(watch.current());
    const document = dcatPage(entries, urls, page, settings.ATTRIBUTION);
    if (document === null) {
      throw new ServiceError(404, 'not found', {
        reason: 'There are not so many pages; the first names the last.',
      });
    }
    reply.header('content-type', 'application/ld+json; charset=utf-8');
    return sendText(request, reply, JSON.stringify(document));
  });
}
