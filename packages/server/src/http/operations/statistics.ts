/** `GET /citygml/statistics`: counts and sums of features of an area, out of tables. */
import { hash } from 'node:crypto';
import type { RouteHandlerMethod } from 'fastify';
import { keyOf } from '../../base/filter.ts';
import { Gate } from '../../base/gate.ts';
import { GeneratedDocument } from '../../base/generated-document.ts';
import { SharedWork } from '../../base/shared-work.ts';
import type { Statistics } from '../../features/statistics/feature-statistics.ts';
import type { Group, Sums } from '../../features/statistics/groups.ts';
import {
  AREA,
  MAX_BY,
  MAX_OF,
  type StatisticsQuestion,
  statisticsQuestion,
} from '../../features/statistics/statistics-query.ts';
import { goneSignal } from '../answers/client-gone.ts';
import { sendGenerated } from '../answers/send.ts';
import type { ServiceContext } from '../context.ts';
import { NOT_MODIFIED, YEARS } from '../describe/common.ts';
import { failure, json, type Operation, TEXT } from '../describe/operation.ts';
import { list, readQuery, text } from '../describe/query-parameters.ts';
import { FEATURE_PARAMETERS } from './features.ts';

const PARAMETERS = {
  area: text(
    'area',
    'A municipality or ward (5 digits), a prefecture (2 digits), or `all`.',
    { ...TEXT, pattern: AREA.source },
    { required: true, example: ({ city }) => city },
  ),
  type: FEATURE_PARAMETERS.spatialIdAttributes.type,
  by: list(
    'by',
    `What features are grouped by: attributes, under the names that \`where\` has for them, \`_municipality\` or ` +
      `\`_prefecture\` of their package; at most ${MAX_BY}.`,
    TEXT,
    { example: () => ['_type'] },
  ),
  step: list(
    'step',
    'For each of `by`, how wide the classes of its numbers are, such as 5 for heights; 0 for numbers as they are. ' +
      'A group then has the least number of its class.',
    TEXT,
  ),
  of: list('of', `Attributes whose numbers are added up; at most ${MAX_OF}.`, TEXT),
  where: FEATURE_PARAMETERS.features.where,
  names: text(
    'attributes',
    '`v2`: attributes of CityGML 3.0 have the names that they have in CityGML 2.0 with i-UR 3, so that cities of ' +
      'both are counted together.',
    { type: 'string', enum: ['v2'] },
  ),
  ...YEARS,
};

export const getStatistics: Operation = {
  id: 'getStatistics',
  method: 'get',
  path: '/citygml/statistics',
  number: null,
  tag: 'Features',
  summary: 'Counts and sums of features',
  description:
    'Counts features in groups, with sum, least, most and mean of numbers. It counts what the search for features ' +
    'finds in the files of the area. Packages without a table are named, and not counted.',
  parameters: Object.values(PARAMETERS),
  answers: {
    200: json('The groups.', 'FeatureStatistics', ['ETag']),
    304: NOT_MODIFIED,
    400: failure('A parameter is missing or not accepted, or the answer needs too many rows.'),
    404: failure('There is no such CityGML, or no feature has an attribute. `reason` names what there is.'),
    413: failure('There are too many groups.'),
    503: failure('The time is over, too many ask, or a store cannot answer now.', ['Retry-After']),
  },
  allowance: { items: 'FEATURE_MAX_ITEMS' },
};

/** Questions at once, each of which has groups of rows in memory, and those that wait. */
const QUESTIONS = { atOnce: 2, waiting: 50 };

/** Questions about one state of the catalogue are answered once, and few beside each other. */
export function serveStatistics({ features, watch }: ServiceContext): RouteHandlerMethod {
  const gate = new Gate(QUESTIONS);
  const shared = new SharedWork<GeneratedDocument>();
  return async (request, reply) => {
    const parameters = readQuery(PARAMETERS, request.query);
    const question = statisticsQuestion(parameters);
    const snapshot = watch.current();
    const ofVersion = keyOf('statistics', { version: snapshot.version, parameters });
    const key = `statistics/${hash('sha256', ofVersion, 'base64url')}`;
    const kept = snapshot.generated.find(key);
    if (kept !== undefined) return sendGenerated(request, reply, kept);
    const answer = async (signal: AbortSignal) =>
      gate.run(async () => {
        const counts = await features.statistics.count(question, snapshot, signal);
        return GeneratedDocument.ofJson(documentOf(question, counts));
      }, signal);
    const document = await shared.run(key, answer, goneSignal(reply));
    if (watch.current() === snapshot) snapshot.generated.keep(key, document);
    return sendGenerated(request, reply, document);
  };
}

function documentOf(question: StatisticsQuestion, counts: Statistics): object {
  const { area, typeWords, whereText, by, of } = question;
  const { groups, packages, withoutTable, leftOut, attributes } = counts;
  const named = (names: readonly string[], values: readonly unknown[]) =>
    Object.fromEntries(names.map((name, n) => [name, values[n]]));
  return {
    area,
    type: typeWords,
    where: whereText,
    features: groups.features,
    groups: groups.list().map((group: Group) => ({
      by: named(by, group.by),
      count: group.count,
      of: named(of, group.of.map(sumsWithMean)),
    })),
    packages,
    without_table: withoutTable,
    left_out: leftOut,
    attributes,
  };
}

function sumsWithMean({ values, sum, min, max, unknown, other }: Sums): object {
  return { values, sum, min, max, mean: values === 0 ? null : sum / values, unknown, other };
}
