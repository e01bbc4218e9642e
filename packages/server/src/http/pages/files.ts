/** Files that the build made for the portal and the pages of the documentation, with compressed forms beside them. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { ServiceError } from '../../base/errors.ts';
import { EVERYTHING } from '../../catalogue/purge/cache-keys.ts';
import { sendFailure, toServiceError } from '../answers/failures.ts';

/** Where the build puts them, seen from the sources and from the compiled program alike. */
export const PORTAL = fileURLToPath(new URL('../../../dist/portal', import.meta.url));
export const PAGES = fileURLToPath(new URL('../../../dist/pages', import.meta.url));

/** Endings of files that are sent; pages are not among them, as they are filled in first. */
const ENDINGS = /\.(css|jpg|js|json|mjs|png|svg|txt|wasm|webp)$/;

/** `GET {prefix}*`: the files of a directory. `lasting`: their names change with their content. */
export async function serveDirectory(
  app: FastifyInstance,
  prefix: string,
  root: string,
  { lasting }: { lasting: boolean },
): Promise<void> {
  // A program that is not built yet: the interface works without.
  if (!existsSync(root)) return;
  await app.register(async (scope) => {
    scope.setErrorHandler((error: Error & { statusCode?: number }, _request, reply) => {
      // What lies outside is refused with 403, which would tell that it is there.
      sendFailure(
        reply,
        [400, 403, 404].includes(error.statusCode ?? 500) ? noSuchFile() : toServiceError(error),
      );
    });
    await scope.register(fastifyStatic, {
      root,
      prefix,
      preCompressed: true,
      index: false,
      decorateReply: false,
      acceptRanges: false,
      allowedPath: (path) => ENDINGS.test(path),
      ...(lasting ? { maxAge: '1y', immutable: true } : { cacheControl: false }),
      setHeaders(reply) {
        reply.header('surrogate-key', EVERYTHING);
        reply.header('cache-tag', EVERYTHING);
        if (!lasting) reply.header('cache-control', 'no-cache');
      },
    });
  });
}

function noSuchFile(): ServiceError {
  return new ServiceError(404, 'not found', {
    reason: 'There is no such file. After an update of the service, reload the page.',
  });
}
