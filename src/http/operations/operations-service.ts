/** What operators and their tools ask, and the description itself. */
import Type from 'typebox';
import { json, type Operation } from '../describe/operation.ts';
import { ref } from '../describe/schemas/common.ts';

const TAG = 'Service';
const described = { schema: Type.Object({ openapi: Type.String() }, { additionalProperties: true }) };

export const SERVICE_OPERATIONS: readonly Operation[] = [
  {
    id: 'getLive',
    method: 'get',
    path: '/health/live',
    number: null,
    tag: TAG,
    summary: 'Whether the process answers',
    description: 'Asks nothing of stores.',
    parameters: [],
    answers: { 200: json('It does.', 'Live') },
  },
  {
    id: 'getReady',
    method: 'get',
    path: '/health/ready',
    number: null,
    tag: TAG,
    summary: 'Whether requests can be answered',
    description: 'Asks catalogue, database and object store.',
    parameters: [],
    answers: {
      200: json('They can.', 'Ready'),
      503: json('Something does not answer.', 'NotReady', ['Retry-After']),
    },
  },
  {
    id: 'getMetrics',
    method: 'get',
    path: '/metrics',
    number: null,
    tag: TAG,
    summary: 'Figures for Prometheus',
    description: 'Requests, durations, bytes, and the state of the catalogue.',
    parameters: [],
    answers: {
      200: { description: 'The figures.', content: { 'text/plain': { schema: Type.String() } } },
    },
  },
  {
    id: 'getOpenApi',
    method: 'get',
    path: '/openapi.json',
    number: null,
    tag: TAG,
    summary: 'This description in OpenAPI 3.1',
    description: 'The page `/docs` shows it.',
    parameters: [],
    answers: { 200: { description: 'The description.', content: { 'application/json': described } } },
  },
  {
    id: 'getOpenApi30',
    method: 'get',
    path: '/openapi-3.0.json',
    number: null,
    tag: TAG,
    summary: 'This description in OpenAPI 3.0',
    description: 'For tools that do not read 3.1.',
    parameters: [],
    answers: { 200: { description: 'The description.', content: { 'application/json': described } } },
  },
];

/** The schema of any failure, for statuses that no operation names. */
export const ANY_FAILURE = {
  description: 'Any other failure.',
  content: { 'application/json': { schema: ref('Error') } },
};
