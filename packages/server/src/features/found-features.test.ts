import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FeatureEntry } from '@citymodel/citygml';
import type { FeatureWork } from './feature-work.ts';
import {
  FEW_IDS,
  type FoundInFile,
  findIds,
  idsOf,
  inFile,
  listIds,
  none,
  unique,
} from './found-features.ts';
import type { OpenGml } from './open-gml.ts';
import { newProgress } from './query-progress.ts';
import { Scratch } from './scratch.ts';

const entry = (id: string | null, index = 0, element = 'bldg:Building') =>
  ({ id, index, element }) as unknown as FeatureEntry;

/** Work whose items are counted. */
function work() {
  let items = 0;
  const budget = {
    items: (count: number) => {
      items += count;
    },
  };
  return {
    work: { budget, slices: { due: () => false, pause: async () => {} } } as unknown as FeatureWork,
    items: () => items,
  };
}

/** A file with these ids, of which `asked` is what was looked up. */
function gmlOf(ids: Record<string, FeatureEntry[]>, { duplicates = 0, isFar = false } = {}) {
  const asked: Array<[id: string, isPlaceEnough: boolean]> = [];
  const gml = {
    path: 'a.gml',
    isFar,
    text: { expect() {} },
    index: {
      duplicates,
      find: async (id: string, _budget: unknown, _onPlace: unknown, isPlaceEnough: boolean) => {
        asked.push([id, isPlaceEnough]);
        return ids[id] ?? [];
      },
      async *ids() {
        yield ['a', 'b"', 'a'];
        yield ['c', 'a'];
      },
    },
  } as unknown as OpenGml;
  return { gml, asked };
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const one of items) found.push(one);
  return found;
}

test('features by id come in the order of the ids, of the elements that are wanted', async () => {
  const twice = [entry('b', 1), entry('b', 2, 'bldg:Room')];
  const { gml } = gmlOf({ a: [entry('a')], b: twice });
  const of = async (ids: string[], elements: string[] | null = null) => {
    const { work: own, items } = work();
    const finds = await all(findIds(gml, ids, elements && new Set(elements), own));
    assert.equal(items(), ids.length);
    return finds.map(({ entries }) => entries.map(({ id, index }) => `${id}${index}`).join());
  };
  assert.deepEqual(await of(['b', 'none', 'a']), ['b1,b2,a0']);
  assert.deepEqual(await of(['b', 'a'], ['bldg:Room']), ['b2']);
  assert.deepEqual(await of(['none']), []);
  assert.deepEqual(await of([]), []);
});

test('few ids are looked up at once, many one by one, and five hundred are read together', async () => {
  const ids = Array.from({ length: 1_025 }, (_, i) => `${i}`);
  const entries = Object.fromEntries(ids.map((id) => [id, [entry(id)]]));
  const finds = await all(findIds(gmlOf(entries).gml, ids, null, work().work));
  assert.deepEqual(
    finds.map(({ entries: some }) => some.length),
    [512, 512, 1],
  );
  for (const [count, begun] of [
    [FEW_IDS, FEW_IDS],
    [FEW_IDS + 1, 1],
  ] as const) {
    const { gml, asked } = gmlOf(entries);
    const own = work().work;
    let atFirst = 0;
    own.budget.items = () => {
      atFirst ||= Math.max(asked.length, 1);
    };
    await all(findIds(gml, ids.slice(0, count), null, own));
    assert.equal(atFirst, begun);
    assert.equal(asked.length, count, 'each once');
  }
});

test('the place alone is enough for a far file, unless elements are asked for', async () => {
  for (const [isFar, elements, isEnough] of [
    [true, null, true],
    [true, new Set(['x']), false],
    [false, null, false],
  ] as const) {
    const { gml, asked } = gmlOf({}, { isFar });
    await all(findIds(gml, ['a'], elements, work().work));
    assert.deepEqual(asked, [['a', isEnough]]);
  }
});

test('a fault of a look-up is told at its turn', async () => {
  const { gml } = gmlOf({});
  gml.index.find = async () => {
    throw new Error('a disk');
  };
  await assert.rejects(all(findIds(gml, ['a', 'b'], null, work().work)), { message: 'a disk' });
});

test('ids are listed as JSON, each once where some are several times, and counted', async () => {
  for (const [duplicates, lists] of [
    [1, [['"a"', '"b\\""'], ['"c"']]],
    [
      0,
      [
        ['"a"', '"b\\""', '"a"'],
        ['"c"', '"a"'],
      ],
    ],
  ] as const) {
    const progress = newProgress(null);
    const { work: own, items } = work();
    assert.deepEqual(await all(listIds(gmlOf({}, { duplicates }).gml, own, progress)), lists);
    assert.equal(progress.cost.features, lists.flat().length);
    assert.equal(items(), 5);
  }
});

test('finds of a file become ids, each once where that is wanted; features without one stay', async () => {
  const { gml } = gmlOf({});
  async function* batches() {
    yield [entry('a', 1), entry(null, 2), entry('a', 3)];
    yield [entry('a', 4), entry('b', 5), entry(null, 6)];
  }
  const numbers = (finds: FoundInFile[]) => finds.map(({ entries }) => entries.map(({ index }) => index));
  assert.deepEqual(numbers(await all(inFile(gml, batches()))), [
    [1, 2, 3],
    [4, 5, 6],
  ]);
  assert.deepEqual(numbers(await all(unique(inFile(gml, batches()), 1))), [
    [1, 2],
    [5, 6],
  ]);
  assert.deepEqual(numbers(await all(unique(inFile(gml, batches()), 0))), [
    [1, 2, 3],
    [4, 5, 6],
  ]);
  const progress = newProgress(null);
  assert.deepEqual(await all(idsOf(inFile(gml, batches()), progress)), [
    ['"a"', '"a"'],
    ['"a"', '"b"'],
  ]);
  assert.equal(progress.cost.features, 4);
  assert.deepEqual(await all(none()), []);
});

test('memory is lent in powers of two from 16 KiB on, and kept up to 8 MiB', () => {
  const scratch = new Scratch();
  const sizes = [1, 16_384, 16_385, 100_000].map((length) => scratch.take(length).length);
  assert.deepEqual(sizes, [16_384, 16_384, 32_768, 131_072]);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  assert.equal(scratch.allocatedBytes, total);
  const [one, two] = [scratch.take(20_000), scratch.take(20_000)];
  scratch.give(one);
  scratch.give(two);
  assert.equal(scratch.take(30_000), two);
  assert.equal(scratch.take(30_000), one);
  assert.equal(scratch.allocatedBytes, total + 2 * 32_768);
  assert.equal(scratch.take(30_000).length, 32_768);
  const large = [0, 1, 2].map(() => scratch.take(4 * 2 ** 20));
  for (const buffer of large) scratch.give(buffer);
  assert.equal(scratch.take(4 * 2 ** 20), large[1], 'a third would be too much');
  assert.equal(scratch.take(4 * 2 ** 20), large[0]);
  assert.ok(!large.includes(scratch.take(4 * 2 ** 20)));
  scratch.give(large[0]!);
  assert.equal(scratch.take(4 * 2 ** 20), large[0], 'there is room again');
});
