/** Operation 10: the zip of a pack. */
import type { FastifyRequest, RouteHandlerMethod } from 'fastify';
import { ServiceError } from '../../base/errors.ts';
import { PACK_ID } from '../../pack/pack-id.ts';
import { keyProgram } from '../answers/cache-keys.ts';
import { ASKED_AGAIN, sendBytes, sendRedirect } from '../answers/send.ts';
import { redirectToStore, storeAddress } from '../answers/store-redirect.ts';
import type { ServiceContext } from '../context.ts';
import { NOT_MODIFIED, STORE_FAILURES } from '../describe/common.ts';
import { failure, type Operation, path, ref } from '../describe/operation.ts';
import { type RawQuery, readQuery, refuse, text } from '../describe/query-parameters.ts';
import { loggedUrl } from '../observe/logged-url.ts';

/** Anyone may fetch a pack, and its bytes never change; but it may be gone tomorrow. */
const CACHE = 'public, no-cache';

/** Names that need no quoting in a header, and are the same on every disk. */
const FILE_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/;

const NAME = text(
  'name',
  'What the file is called when it is saved, without its ending; the id when absent.',
  { type: 'string', pattern: FILE_NAME.source },
);

const PARAMETERS = {
  name: {
    ...NAME,
    read(query: RawQuery) {
      const name = NAME.read(query);
      if (name === undefined || FILE_NAME.test(name)) return name;
      return refuse('name may have letters, digits, _ and -, at most 100 of them.');
    },
  },
};

export const getPackZip: Operation = {
  id: 'getPackZip',
  method: 'get',
  path: '/citygml/pack/{id}.zip',
  route: '/citygml/pack/:file',
  number: 10,
  tag: 'Packs',
  summary: 'Redirects to the zip of a pack',
  description: 'The zip has `Content-Length` and an entity tag. It answers ranges.',
  parameters: [path('id', 'The pack id.', ({ pack }) => pack, PACK_ID), ...Object.values(PARAMETERS)],
  answers: {
    302: { description: '`Location` is the address of the zip.', headers: ['Location', 'ETag'] },
    304: NOT_MODIFIED,
    400: {
      description: 'The pack is not finished, or the name is not accepted.',
      content: { 'application/json': { schema: { anyOf: [ref('PackNotDone'), ref('Error')] } } },
    },
    404: failure('There is no such pack. It may have expired.'),
    ...STORE_FAILURES,
  },
};

/** Redirects to the bytes of a pack that succeeded. */
export function servePackZip({ packs, urls }: ServiceContext): RouteHandlerMethod {
  return async (request, reply) => {
    const id = idOfFile((request.params as { file: string }).file, request);
    const { name } = readQuery(PARAMETERS, request.query);
    const { digest } = await packs.zip(id);
    const location = urls.packBytes(id) + (name === undefined ? '' : `?name=${name}`);
    keyProgram(reply);
    return sendRedirect(request, reply.header('cache-control', ASKED_AGAIN), {
      location,
      etag: `W/"${digest.slice(0, 32)}"`,
    });
  };
}

/** `GET /citygml/pack/{id}/download/{id}.zip`: the bytes, by ranges if wanted, or where they are. */
export function servePackBytes(context: ServiceContext): RouteHandlerMethod {
  return async (request, reply) => {
    const { id, file } = request.params as { id: string; file: string };
    if (file !== `${id}.zip`) throw unknownRoute(request);
    const { size, digest, finishedAt, objectKey, range } = await context.packs.zip(id);
    const { name = id } = readQuery(PARAMETERS, request.query);
    const disposition = `attachment; filename="${name}.zip"`;
    const address =
      objectKey === null ? null : await storeAddress(context, request, { key: objectKey, disposition });
    keyProgram(reply);
    if (address !== null) return redirectToStore(reply, address);
    return sendBytes(request, reply, {
      size,
      etag: `"${digest.slice(0, 32)}"`,
      contentType: 'application/zip',
      lastModified: finishedAt,
      cacheControl: CACHE,
      disposition,
      range,
      isReused: true,
    });
  };
}

function idOfFile(file: string, request: FastifyRequest): string {
  if (!file.endsWith('.zip')) throw unknownRoute(request);
  return file.slice(0, -'.zip'.length);
}

function unknownRoute(request: FastifyRequest): ServiceError {
  return new ServiceError(404, 'not found', {
    reason: `There is no operation ${request.method} ${loggedUrl(request.url.split('?', 1)[0]!)}.`,
  });
}
