import assert from 'node:assert/strict';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { runReadmeExamples } from '@citymodel/base/testing';
import { box, building, FIXTURE_PATH, fixture, solid } from './convert/tiles3d/testing/fixture-gml.ts';

test('the examples of the README print what it says', async () => {
  const gml = fixture([
    building('bldg_1', solid(1, box([10, 10, 3], [8, 9, 12]))),
    building('bldg_2', solid(1, box([40, 20, 3], [9, 8, 6])) + solid(2, box([40, 20, 3], [9, 8, 6]))),
  ]);
  const files = { [`city/${FIXTURE_PATH}`]: await buffer(gml.text()) };
  const { examples } = await runReadmeExamples(join(import.meta.dirname, '..'), files);
  assert.equal(examples, 2);
});
