import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FeatureEntry, FeatureTooLarge, FeatureXmlError } from '@citymodel/citygml';
import { FeatureWorkshop } from './feature-work.ts';
import type { OpenGml } from './open-gml.ts';
import type { FeaturePresenter } from './present-feature.ts';
import { presentFeatures } from './present-features.ts';

const MB = 1 << 20;

/** Entries of these sizes, each behind the one before it. */
function entriesOf(...sizes: number[]): FeatureEntry[] {
  let start = 1_000;
  return sizes.map((size, index) => {
    const entry = { index, start, end: start + size } as FeatureEntry;
    start += size;
    return entry;
  });
}

/** Presents the entries, and notes what was asked on the way. */
async function present(
  entries: FeatureEntry[],
  presentOne: (index: number) => string | null | Promise<string | null> = String,
  maxReadBytes = 1e9,
  kept = -1,
) {
  const noted = {
    expected: [] as number[],
    read: [] as number[][],
    wholeBytes: new Set<number>(),
    weights: [] as number[],
    held: [] as number[],
    faults: [] as Array<[number, string]>,
    keeping: [] as number[],
  };
  const limits = { maxGeometryBytes: 1e6, maxItems: 1e6, maxReadBytes };
  const work = new FeatureWorkshop(limits).begin(new AbortController().signal, 'Ask for less.');
  const run = <T>(task: () => Promise<T>, weight: number) => {
    noted.weights.push(weight);
    return task();
  };
  const text = {
    expect: (list: FeatureEntry[]) => noted.expected.push(...list.map(({ index }) => index)),
    async *readMany(list: FeatureEntry[], { wholeBytes }: { wholeBytes: number }) {
      noted.read.push(list.map(({ index }) => index));
      noted.wholeBytes.add(wholeBytes);
      for (const _ of list) yield null;
    },
  };
  const presenter = {
    kept: (_gml: OpenGml, entry: FeatureEntry) => (entry.index === kept ? 'kept' : null),
    keep: (_gml: OpenGml, entry: FeatureEntry) => void noted.keeping.push(entry.index),
    present(_gml: OpenGml, entry: FeatureEntry) {
      noted.held.push(work.budget.used.bytesHeld);
      return presentOne(entry.index);
    },
  };
  const batches: string[][] = [];
  for await (const batch of presentFeatures(
    { text } as unknown as OpenGml,
    entries,
    presenter as unknown as FeaturePresenter<string>,
    { ...work, batches: { run } as never },
    (entry, fault) => noted.faults.push([entry.index, fault.message]),
  )) {
    batches.push(batch);
  }
  return { batches, ...noted, used: work.budget.used };
}

test('records keep the order of the entries, which are read in the order of the file', async () => {
  const [a, b, c] = entriesOf(10, 20, 30);
  const { batches, expected, read, wholeBytes, used } = await present([c!, a!, b!], (index) =>
    index === 1 ? Promise.resolve('late') : `${index}`,
  );
  assert.deepEqual(batches, [['2', '0', 'late']]);
  assert.deepEqual(expected, [2, 0, 1]);
  assert.deepEqual(read, [[0, 1, 2]]);
  assert.deepEqual([...wholeBytes], [512 * 1024]);
  assert.equal(used.bytesRead, 60);
});

test('a record that is kept is not read, and those that are made are kept', async () => {
  const recordOf = (index: number) => (index === 2 ? null : `${index}`);
  const { batches, expected, read, keeping, used } = await present(
    entriesOf(10, 20, 30, 40),
    recordOf,
    1e9,
    1,
  );
  assert.deepEqual(batches, [['0', 'kept', '3']]);
  assert.deepEqual([expected, read], [[0, 2, 3], [[0, 2, 3]]]);
  assert.deepEqual(keeping, [0, 3]);
  // What a request may ask for does not depend on others.
  assert.equal(used.bytesRead, 100);
});

test('a batch has up to 4 MB of text, and one feature at least', async () => {
  const { read, held, used } = await present(entriesOf(3 * MB, MB, 1, 5 * MB, 1, 4 * MB - 1, 1));
  assert.deepEqual(read, [[0, 1], [2], [3], [4, 5], [6]]);
  // Of a larger feature the text goes by in pieces.
  assert.deepEqual(held, [4 * MB, 4 * MB, 1, 4 * MB, 4 * MB, 4 * MB, 1]);
  assert.equal(used.bytesHeld, 0);
  assert.equal(used.bytesRead, 13 * MB + 2);
  assert.deepEqual((await present([])).batches, []);
});

test('batches of more than 256 KB wait for each other', async () => {
  assert.deepEqual((await present(entriesOf(256 * 1024))).weights, []);
  assert.deepEqual((await present(entriesOf(256 * 1024 + 1))).weights, [256 * 1024 + 1]);
  assert.deepEqual((await present(entriesOf(9 * MB))).weights, [4 * MB]);
});

test('what is not wanted is left out, and so is what has a fault', async () => {
  const { batches, faults } = await present(entriesOf(1, 1, 1, 1), (index) => {
    if (index === 1) throw new FeatureXmlError('not well formed', 0);
    if (index === 2) throw new FeatureTooLarge();
    return index === 0 ? null : 'last';
  });
  assert.deepEqual(batches, [['last']]);
  assert.deepEqual(
    faults.map(([index]) => index),
    [1, 2],
  );
  const failing = present(entriesOf(1), () => Promise.reject(new Error('store is down')));
  await assert.rejects(failing, /store is down/);
});

test('text is charged before it is read', async () => {
  assert.equal((await present(entriesOf(6, 4), String, 10)).batches.length, 1);
  await assert.rejects(
    present(entriesOf(6, 5), () => assert.fail('nothing is read'), 10),
    /request too large/,
  );
});
