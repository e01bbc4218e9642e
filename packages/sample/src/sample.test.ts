import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { test } from 'node:test';
import { SAMPLE_GML_FEATURES } from './facts.ts';
import { editionsOf, writeSample } from './sample.ts';
import { makeSample } from './testing/read-sample.ts';
import { buildingsOn } from './town.ts';

test('the same seed gives the same bytes in files that the facts know, another seed other ones', async (t) => {
  const messages: string[] = [];
  const [first, second, other] = [
    await makeSample({ onFile: ({ name }) => messages.push(name) }),
    await makeSample(),
    await makeSample({ seed: 2, size: 40 }),
  ];
  t.after(() => Promise.all([first.remove(), second.remove(), other.remove()]));
  assert.deepEqual(
    messages,
    first.files.map(({ name }) => name),
  );
  assert.deepEqual((await readdir(first.directory)).sort(), first.files.map(({ name }) => name).sort());
  const known = Object.keys(SAMPLE_GML_FEATURES);
  assert.deepEqual(first.files.map(({ name }) => name.replace(/\.\w+$/, '')).sort(), known.sort());
  for (const { name, bytes } of first.files) {
    assert.match(name, /^\d{5}_[a-z-]+_city_\d{4}_citygml_1_op\.\w+$/);
    const content = await first.read(name);
    assert.equal(content.length, bytes);
    assert.ok(content.equals(await second.read(name)), name);
  }
  const gml = '47900_aonagi-shi_city_2024_citygml_1_op.zip';
  assert.ok(!(await first.read(gml)).equals(await other.read(gml)));
});

test('a larger sample contains the smaller one', () => {
  const ids = (size: number) =>
    editionsOf(1, size).map(
      (edition) =>
        new Set(
          edition.blocks.flatMap((block) =>
            buildingsOn(block, 1)
              .map(({ id }) => id)
              .slice(0, block.count),
          ),
        ),
    );
  const [small, large] = [ids(300), ids(3000)];
  for (const i of [0, 1, 2]) assert.ok([...small[i]!].every((id) => large[i]!.has(id)));
  assert.deepEqual(
    large.map(({ size }) => size),
    [2100, 900, 900],
  );
});

test('sizes and seeds that make no sense are refused', async () => {
  await assert.rejects(
    writeSample('nowhere', { size: 10 }),
    /the size is 10 buildings; it must be .* at least 30/,
  );
  await assert.rejects(writeSample('nowhere', { seed: 0.5 }), /the seed is 0\.5/);
});
