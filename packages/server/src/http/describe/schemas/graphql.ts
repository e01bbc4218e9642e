/** GraphQL over HTTP (operations 1 and 2). */
import Type from 'typebox';
import { nullable, object, ref, text } from './common.ts';

export const GraphqlRequest = object(
  { query: Type.String({ minLength: 1, pattern: '\\S', description: 'The query.' }) },
  {
    variables: nullable(Type.Object({}, { additionalProperties: true }), 'Values of its variables.'),
    operationName: nullable(Type.String(), 'Which of several operations.'),
  },
);

export const GraphqlError = object(
  { message: text('What is wrong.') },
  {
    locations: Type.Array(object({ line: Type.Integer(), column: Type.Integer() })),
    path: Type.Array(Type.Union([Type.String(), Type.Integer()])),
    extensions: Type.Object({}, { additionalProperties: true }),
  },
);

export const GraphqlResponse = object(
  {},
  {
    data: nullable(Type.Object({}, { additionalProperties: true })),
    errors: Type.Array(ref('GraphqlError')),
  },
  '`errors` lists everything that is wrong with a query. The status is 200.',
);

export const GraphqlRefusal = object(
  { error: Type.String(), reason: Type.String(), errors: Type.Array(ref('GraphqlError')) },
  {},
  'The request has no query. The object has the error of this service and that of GraphQL.',
);
