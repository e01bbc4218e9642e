/** `/sdk/datasets`: municipalities and their GML files in the form that the SDKs of game engines read. */

import { compareTexts, quoted } from '@citymodel/base';
import type { PackageRow } from '@citymodel/store';
import type { RouteHandlerMethod } from 'fastify';
import { ServiceError } from '../../base/errors.ts';
import type { Ask } from '../../mcp/ask.ts';
import { keyAreas } from '../answers/cache-keys.ts';
import { goneSignal } from '../answers/client-gone.ts';
import { sendJson } from '../answers/send.ts';
import type { ServiceContext } from '../context.ts';
import { NOT_MODIFIED } from '../describe/common.ts';
import { failure, json, type Operation, path } from '../describe/operation.ts';

export const getSdkDatasets: Operation = {
  id: 'getSdkDatasets',
  method: 'get',
  path: '/sdk/datasets',
  number: null,
  tag: 'Catalogue',
  summary: 'Municipalities with CityGML, for the SDKs of game engines',
  description:
    'The newest package of each municipality, by prefecture. The server ignores an `Authorization` header.',
  parameters: [],
  answers: { 200: json('The municipalities.', 'SdkDatasets', ['ETag']), 304: NOT_MODIFIED },
};

export const getSdkFiles: Operation = {
  id: 'getSdkFiles',
  method: 'get',
  path: '/sdk/datasets/{id}/files',
  number: null,
  tag: 'Catalogue',
  summary: 'GML files of a municipality, for the SDKs of game engines',
  description: 'For each feature type the files of the newest year that has it.',
  parameters: [path('id', 'Municipality code, as `/sdk/datasets` lists it.', ({ city }) => city)],
  answers: {
    200: json('The files.', 'SdkFiles', ['ETag']),
    304: NOT_MODIFIED,
    404: failure('There is no such dataset.'),
  },
};

interface ListedFile {
  code: string;
  maxLod: number;
  url: string;
}

/** `{data: [{id, title, data: [{id, title, description, featureTypes}]}]}`, by prefecture. */
export function serveSdkDatasets({ watch }: ServiceContext): RouteHandlerMethod {
  return async (request, reply) => {
    const prefectures = new Map<string, { id: string; title: string; data: object[] }>();
    const areas = [...watch.current().cityGml].sort(([a], [b]) => compareTexts(a, b));
    for (const [code, [newest]] of areas) {
      if (newest === undefined) continue;
      let prefecture = prefectures.get(newest.prefCode);
      if (prefecture === undefined) {
        prefecture = { id: newest.prefCode, title: newest.pref, data: [] };
        prefectures.set(newest.prefCode, prefecture);
      }
      prefecture.data.push(municipality(code, newest));
    }
    return sendJson(request, reply, { data: [...prefectures.values()] });
  };
}

/** `{bldg: [{code, maxLod, url}], …}`; the id is a municipality code of the list. */
export function serveSdkFiles({ watch }: ServiceContext, ask: Ask): RouteHandlerMethod {
  return async (request, reply) => {
    const { id } = request.params as { id: string };
    if (!watch.current().cityGml.has(id)) {
      throw new ServiceError(404, 'not found', {
        reason: `There is no dataset ${quoted(id)}; /sdk/datasets lists the ids.`,
      });
    }
    keyAreas(reply, watch.current(), [id]);
    const { status, json } = await ask(`/datacatalog/citygml/${id}`, {
      signal: goneSignal(reply),
      address: request.ip,
    });
    // A package without GML files is a dataset without files.
    if (status === 404) return sendJson(request, reply, {});
    if (status >= 400) throw new ServiceError(503, 'unavailable', { retryAfter: 5 });
    const { files } = json as { files: Record<string, ListedFile[]> };
    const listed = Object.entries(files).map(([type, list]) => [
      type,
      list.map(({ code, maxLod, url }) => ({ code, maxLod, url })),
    ]);
    return sendJson(request, reply, Object.fromEntries(listed));
  };
}

function municipality(code: string, row: PackageRow): object {
  return {
    id: code,
    title: row.ward === null ? row.city : `${row.city}${row.ward}`,
    description: `${row.city} ${row.year}${row.license === null ? '' : `, ${row.license}`}`,
    featureTypes: row.types.length === 0 ? null : row.types,
  };
}
