import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { OPERATIONS } from '../operations/index.ts';
import { buildOpenApi } from './openapi.ts';

test('the interface is the one that is written down', () => {
  const path = join(import.meta.dirname, '../../../../../docs/openapi.json');
  const described = buildOpenApi(OPERATIONS, { publicUrl: 'https://citymodel.example.jp' });
  assert.deepEqual(JSON.parse(JSON.stringify(described)), JSON.parse(readFileSync(path, 'utf8')));
});
