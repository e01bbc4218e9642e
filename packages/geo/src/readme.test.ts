import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { runReadmeExamples } from '@citymodel/base/testing';

test('the example of the README prints what it says', async () => {
  const { examples } = await runReadmeExamples(join(import.meta.dirname, '..'), {});
  assert.equal(examples, 1);
});
