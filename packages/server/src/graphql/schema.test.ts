import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { lexicographicSortSchema, printSchema } from 'graphql';
import { buildGraphSchema } from './schema.ts';

test('the schema is the one that is written down', () => {
  const written = readFileSync(join(import.meta.dirname, '../../../../docs/schema.graphql'), 'utf8');
  const [, text] = /^#.*\n\n([\s\S]*)\n$/.exec(written)!;
  assert.equal(printSchema(lexicographicSortSchema(buildGraphSchema())), text);
});
