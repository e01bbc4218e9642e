import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { runReadmeExamples } from '@citymodel/base/testing';
import { block, cityModel, member } from './testing/gml-text.ts';

test('the examples of the README print what it says, and one building costs a part of the city', async () => {
  const members = Array.from({ length: 4_000 }, (_, i) => {
    const height = `<bldg:measuredHeight uom="m">${i % 100}</bldg:measuredHeight>`;
    const solid = block(35.68 + (i % 97) / 1e4, 139.77 + i / 1e6, 1e-5, 0, i % 100);
    return member(
      `<bldg:Building gml:id="bldg_${i}">${height}<bldg:lod1Solid>${solid}</bldg:lod1Solid></bldg:Building>`,
    );
  });
  const text = cityModel(members.join(''));
  const directory = join(import.meta.dirname, '..');
  const { examples, bytes } = await runReadmeExamples(directory, { '53394525_bldg_6697_op.gml': text });
  assert.equal(examples, 2);
  // Archive and index of this city have 900 kB.
  assert.ok(bytes < 150_000, `${bytes} bytes were read`);
});
