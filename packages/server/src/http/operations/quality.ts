/** What inspections found in the CityGML of a municipality: sums by check, places a page at a time, or documents. */
import type { FindingRow, PackageRow } from '@citymodel/store';
import type { FastifyReply, RouteHandlerMethod } from 'fastify';
import { ServiceError } from '../../base/errors.ts';
import { resolveCityGml } from '../../catalogue/resolve/city-zips.ts';
import { CITYGML_SPEC, parseCityGmlSpec } from '../../catalogue/specs/citygml-spec.ts';
import { quoteSpec } from '../../catalogue/specs/invalid-spec.ts';
import { csvHead, csvLine } from '../../features/formats/csv-format.ts';
import type { KeptReport } from '../../quality/kept-report.ts';
import { keyAreas } from '../answers/cache-keys.ts';
import { DOCUMENT_CACHE, sendJson, sendText } from '../answers/send.ts';
import type { ServiceContext } from '../context.ts';
import { CONDITIONAL, MALFORMED_SPEC, NO_CATALOGUE, NO_MATCH, NOT_MODIFIED } from '../describe/common.ts';
import { json, type Operation, path, query, TEXT } from '../describe/operation.ts';
import { pages, type RawQuery, readQuery, refuse, text } from '../describe/query-parameters.ts';

const FORMS = ['json', 'csv', 'geojson', 'html'] as const;
type Form = (typeof FORMS)[number];

const PAGES = pages('place', 1_000);
/** Places that a whole document has at most; each check keeps 1,000. */
const MOST_PLACES = 150_000;

const QUERY = {
  format: {
    ...query(
      'format',
      'Form of the answer: `json` is a page, `csv` and `geojson` have all places, `html` is a report to read.',
      { type: 'string', enum: [...FORMS], default: 'json' },
    ),
    read: ({ format = 'json' }: RawQuery): Form =>
      FORMS.find((form) => form === format) ?? refuse(`format must be one of ${FORMS.join(', ')}.`),
  },
  check: text('check', 'Only places of this check, such as `L04`.', { ...TEXT, maxLength: 40 }),
  ...PAGES.parameters,
};

export const getQuality: Operation = {
  id: 'getQuality',
  method: 'get',
  path: '/datacatalog/citygml/{spec}/quality',
  number: null,
  tag: 'CityGML',
  summary: 'What an inspection by the official rules of quality found',
  description:
    'Checks with their sums, and the places where a rule is broken. ' +
    '`quality` is null for a package that was not inspected.',
  parameters: [
    path(
      'spec',
      '`<code>-<year>`, as that of the zip of a municipality.',
      ({ city }) => `${city}-latest`,
      CITYGML_SPEC,
    ),
    ...Object.values(QUERY),
  ],
  answers: {
    200: {
      ...json('The report.', 'QualityReport', CONDITIONAL),
      content: {
        ...json('', 'QualityReport').content,
        'text/csv': { schema: TEXT },
        'text/html': { schema: TEXT },
        'application/geo+json': { schema: { type: 'object' } },
      },
    },
    304: NOT_MODIFIED,
    400: MALFORMED_SPEC,
    404: NO_MATCH,
    503: NO_CATALOGUE,
  },
};

export function serveQuality({ watch, catalogue }: ServiceContext): RouteHandlerMethod {
  return async (request, reply) => {
    const { spec } = request.params as { spec: string };
    const parsed = parseCityGmlSpec(spec);
    const snapshot = watch.current();
    const row = resolveCityGml(snapshot, parsed);
    if (row === undefined) {
      throw new ServiceError(404, 'not found', { reason: `Nothing matches ${quoteSpec(spec)}.` });
    }
    const { format, check, after, limit } = readQuery(QUERY, request.query);
    keyAreas(reply, snapshot, [parsed.area]);
    reply.header('cache-control', DOCUMENT_CACHE);
    const kept = await catalogue.qualityReport(row.no);
    const code = check ?? null;
    if (format === 'json') {
      const page = await catalogue.findings({ packageNo: row.no, code, after, limit: limit + 1 });
      return sendJson(request, reply, await pageOf(row, kept, page, limit));
    }
    if (kept === null) {
      throw new ServiceError(404, 'not found', { reason: `${row.name} was not inspected.` });
    }
    const all = await catalogue.findings({ packageNo: row.no, code, after: -1, limit: MOST_PLACES });
    return sendText(request, reply, await documentOf(format, JSON.parse(kept), all, row, reply));
  };
}

async function pageOf(
  row: PackageRow,
  kept: string | null,
  page: readonly FindingRow[],
  limit: number,
): Promise<object> {
  const { name, quality = null } = row;
  if (kept === null) return { package: name, quality: null, checks: [], skipped: [], places: [], next: null };
  const { factsOfCheck } = await import('../../quality/kept-report.ts');
  const { checks, plane, objects, skipped } = JSON.parse(kept) as KeptReport;
  const { shown, next } = PAGES.pageOf(page, limit);
  return {
    package: name,
    quality,
    plane,
    objects,
    checks: checks.map(({ code, name: official, severity, errors, left }) => ({
      code,
      name: official,
      severity,
      errors,
      left,
      title: factsOfCheck(code)?.title ?? null,
      rule: factsOfCheck(code)?.rule ?? null,
    })),
    skipped,
    places: shown.map(({ row: _, ...place }) => place),
    next,
  };
}

async function documentOf(
  form: Exclude<Form, 'json'>,
  kept: KeptReport,
  findings: readonly FindingRow[],
  { name }: PackageRow,
  reply: FastifyReply,
): Promise<string> {
  const attached = (ending: string) =>
    reply.header(
      'content-disposition',
      `attachment; filename="${encodeURIComponent(name)}_quality.${ending}"`,
    );
  if (form === 'csv') {
    reply.header('content-type', 'text/csv; charset=utf-8');
    attached('csv');
    return tableOf(kept, findings);
  }
  const { htmlReport, placesOf } = await import('@citymodel/inspect');
  const { reportFrom } = await import('../../quality/kept-report.ts');
  const report = reportFrom(kept, findings);
  if (form === 'geojson') {
    reply.header('content-type', 'application/geo+json; charset=utf-8');
    attached('geojson');
    return JSON.stringify(placesOf(report));
  }
  reply.header('content-type', 'text/html; charset=utf-8');
  return htmlReport(report);
}

const COLUMNS = [
  'check',
  'name',
  'severity',
  'file',
  'line',
  'gml:id',
  'ref',
  'type',
  'lod',
  'longitude',
  'latitude',
  'height',
  'message',
];

/** All places in one table (RFC 4180), with a byte order mark for spreadsheets. */
function tableOf({ checks }: KeptReport, findings: readonly FindingRow[]): string {
  const facts = new Map(checks.map((check) => [check.code, check]));
  const rows = findings.map(({ code, file, line, id, ref, type, lod, place, message }) => [
    code,
    facts.get(code)?.name ?? '',
    facts.get(code)?.severity ?? '',
    file,
    line,
    id,
    ref,
    type,
    lod,
    ...(place ?? [null, null, null]),
    message,
  ]);
  return csvHead(COLUMNS) + rows.map(csvLine).join('');
}
