import assert from 'node:assert/strict';
import test from 'node:test';
import { toOpenApi30 } from './openapi-30.ts';

const INFO = { title: 'a', version: '1', license: { name: 'Apache 2.0', identifier: 'Apache-2.0' } };
const older = (schema: object) =>
  toOpenApi30({ openapi: '3.1.0', info: INFO, components: { schemas: { A: schema } } } as never) as {
    openapi: string;
    info: object;
    components: { schemas: { A: object } };
  };

test('a description says its version, and its licence by an address', () => {
  const { openapi, info } = older({ type: 'string' });
  const license = { name: 'Apache 2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' };
  assert.deepEqual([openapi, info], ['3.0.3', { title: 'a', version: '1', license }]);
});

for (const [what, schema, expected] of [
  ['a plain type stays', { type: 'string' }, { type: 'string' }],
  ['a constant is an enumeration', { const: 3 }, { type: 'integer', enum: [3] }],
  ['a constant of text', { const: 'a' }, { type: 'string', enum: ['a'] }],
  ['an enumeration has a type', { enum: [1.5, 2] }, { enum: [1.5, 2], type: 'number' }],
  [
    'an enumeration keeps the type that it has',
    { type: 'number', enum: [1, 2] },
    { type: 'number', enum: [1, 2] },
  ],
  ['a reference stays', { $ref: '#/b', description: 'enum' }, { $ref: '#/b', description: 'enum' }],
  ['without alternatives nothing is null', { anyOf: [{ $ref: '#/b' }] }, { allOf: [{ $ref: '#/b' }] }],
  [
    'null beside a type',
    { anyOf: [{ type: 'string' }, { type: 'null' }] },
    { type: 'string', nullable: true },
  ],
  [
    'null beside a reference',
    { anyOf: [{ $ref: '#/b' }, { type: 'null' }] },
    { allOf: [{ $ref: '#/b' }], nullable: true },
  ],
  [
    'an enumeration alone has no null',
    { anyOf: [{ type: 'string', enum: ['a'] }] },
    { type: 'string', enum: ['a'] },
  ],
  [
    'null beside an enumeration',
    { anyOf: [{ type: 'string', enum: ['a'] }, { type: 'null' }] },
    { type: 'string', enum: ['a', null], nullable: true },
  ],
  [
    'alternatives stay',
    { anyOf: [{ type: 'string' }, { type: 'number' }] },
    { anyOf: [{ type: 'string' }, { type: 'number' }] },
  ],
  [
    'an example is a value and no schema',
    { type: 'object', example: { const: 3 } },
    { type: 'object', example: { const: 3 } },
  ],
] as const) {
  test(what, () => assert.deepEqual(older(schema).components.schemas.A, expected));
}
