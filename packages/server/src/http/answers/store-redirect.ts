import type { ObjectStore } from '@citymodel/store';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Settings } from '../../base/settings.ts';

/** Seconds for which a signed address answers: a large download that breaks off asks here again. */
const SIGNED_S = 3_600;
/** Caches forget a redirect long before its address does. */
const CACHE = 'public, max-age=600';

/**
 * With ASSET_REDIRECT, the address of an object's bytes in the store, so that they do not go through this server;
 * ranges work there as here. Null where the bytes are to be sent from here: without the setting, and for HEAD, which a
 * signed address does not answer.
 */
export async function storeAddress(
  { settings, objects }: { settings: Pick<Settings, 'ASSET_REDIRECT'>; objects: Pick<ObjectStore, 'sign'> },
  request: FastifyRequest,
  { key, disposition }: { key: string; disposition: string },
): Promise<string | null> {
  const { ASSET_REDIRECT } = settings;
  if (ASSET_REDIRECT === '' || request.method === 'HEAD') return null;
  if (ASSET_REDIRECT !== 'presigned') return `${ASSET_REDIRECT}/${key}`;
  return (await objects.sign?.(key, { seconds: SIGNED_S, disposition })) ?? null;
}

/** Redirects to such an address. */
export function redirectToStore(reply: FastifyReply, address: string): FastifyReply {
  return reply.header('cache-control', CACHE).code(302).header('location', address).send();
}
