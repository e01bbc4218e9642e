import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  CodeLists,
  type FeatureEntry,
  FeatureIndex,
  FeatureIndexFile,
  GmlScanner,
  parseFeature,
} from '@citymodel/citygml';
import { cityModel } from '@citymodel/citygml/testing';
import { bufferSource } from '@citymodel/zip';
import { RequestBudget } from '../base/request-budget.ts';
import { GmlIndex } from './gml-index.ts';

const PATH = 'udx/bldg/x.gml';

function bytesOf(text: string): Uint8Array {
  const scanner = new GmlScanner({ member: PATH, onIssue: () => {} });
  scanner.push(Buffer.from(text));
  return scanner.end().featureIndex;
}

const indexOf = (text: string) => new GmlIndex(FeatureIndex.open(bytesOf(text)), 0);

/** The index in memory, and read by ranges. */
async function both(text: string): Promise<GmlIndex[]> {
  const file = await FeatureIndexFile.open(bufferSource(bytesOf(text)));
  return [indexOf(text), new GmlIndex(file, 0)];
}

const building = (id: string | null) =>
  `<core:cityObjectMember><bldg:Building${id === null ? '' : ` gml:id="${id}"`}/></core:cityObjectMember>`;

/** A budget, and what it was charged. */
function counted(items = 1e9) {
  return new RequestBudget({ items, bytesHeld: 0, bytesRead: 0 }, 'Ask for less.');
}

async function collect<T>(batches: AsyncIterable<T[]>): Promise<T[][]> {
  const found: T[][] = [];
  for await (const batch of batches) found.push(batch);
  return found;
}

test('codes have their descriptions in a file of more lists than are remembered', async () => {
  const lists = new CodeLists(async (path) => new Map([['1', path]]));
  const index = indexOf(cityModel(''));
  const described = async (names: readonly string[]) => {
    const usages = names.map((name) => `<bldg:usage codeSpace="../../codelists/${name}.xml">1</bldg:usage>`);
    const feature = parseFeature(
      Buffer.from(`<bldg:Building>${usages.join('')}</bldg:Building>`),
      index.context,
    );
    const labels = await index.labelsFor(feature, lists, PATH);
    return names.map((name) => labels(`../../codelists/${name}.xml`, '1'));
  };
  const many = Array.from({ length: 900 }, (_, i) => `list${i}`);
  for (const names of [
    ['usual'],
    many,
    ['usual', ...many.map((name) => `another-${name}`)],
    ['usual', 'list3'],
  ]) {
    assert.deepEqual(
      await described(names),
      names.map((name) => `codelists/${name}.xml`),
    );
  }
});

test(
  'a gml:id is found in memory and by ranges, in the order of the text, and each comparison is ' + 'charged',
  async () => {
    const names = ['a', 'b', 'a', null, 'c', 'a'];
    for (const index of await both(cityModel(names.map(building).join('')))) {
      assert.equal(index.size, 6);
      assert.equal(index.duplicates, 2);
      for (const [id, expected] of [
        ['a', [0, 2, 5]],
        ['c', [4]],
        ['none', []],
      ] as const) {
        const budget = counted();
        const found = await index.find(id, budget);
        assert.deepEqual(
          found.map((entry) => entry.index),
          expected,
        );
        assert.ok(found.every((entry) => entry.id === id));
        assert.equal(budget.used.items, expected.length);
      }
      await assert.rejects(index.find('a', counted(2)), /request too large/);
    }
  },
);

test('by ranges a candidate is told of with the place of its text, and its id is to be compared', async () => {
  // Two ids with one hash.
  const [there, absent] = ['c693596', 'c1170850'];
  const [memory, ranges] = await both(cityModel(['a', there!, 'b', '建物', 'b'].map(building).join('')));
  const places: unknown[] = [];
  const find = (index: GmlIndex, id: string) => index.find(id, counted(), (place) => places.push(place));
  const [entry] = await find(memory!, there!);
  const assumed = { ...entry, idIsAssumed: true };
  assert.deepEqual(await find(ranges!, there!), [assumed]);
  assert.deepEqual(await find(ranges!, absent!), [{ ...assumed, id: absent }]);
  assert.deepEqual(places, Array(2).fill({ start: entry!.start, end: entry!.end }));
  assert.deepEqual(await find(memory!, absent!), []);
  // Where the place is enough, the text says the rest, or else the index.
  const [place] = await ranges!.find(there!, counted(), undefined, true);
  const { start, end } = entry!;
  const only = {
    index: entry!.index,
    id: there,
    idIsAssumed: true,
    isPlaceOnly: true,
    element: '',
    start,
    end,
  };
  assert.deepEqual({ ...place, ...only }, place);
  const text = Buffer.from(cityModel(['a', there!, 'b', '建物', 'b'].map(building).join(''))).subarray(
    start,
    end,
  );
  const { footprintOffset } = (await ranges!.whole(place!, text)) as FeatureEntry;
  assert.deepEqual(await ranges!.whole(place!, text), { ...assumed, footprintOffset });
  assert.ok(!(ranges!.whole(place!, text) instanceof Promise), 'the text says all, and nothing is read');
  for (const none of [null, text.subarray(1)]) assert.deepEqual(await ranges!.whole(place!, none), assumed);
  // Several candidates, and ids that may be written in several ways, are compared in the index.
  for (const id of ['b', '建物']) assert.deepEqual(await find(ranges!, id), await find(memory!, id));
  assert.equal(places.length, 2);
});

test('of many features with one id the first thousand are answered', async () => {
  const names = Array.from({ length: 2_600 }, (_, i) => (i % 2 === 0 ? 'same' : `other${i}`));
  for (const index of await both(cityModel(names.map(building).join('')))) {
    const found = await index.find('same', counted());
    assert.deepEqual(
      found.map((entry) => entry.index),
      Array.from({ length: 1_000 }, (_, i) => 2 * i),
    );
  }
});

test('features and ids come in batches, each once and in order', async () => {
  const names = Array.from({ length: 1_025 }, (_, i) => (i === 7 ? null : `id${i}`));
  const [memory, ranges] = await both(cityModel(names.map(building).join('')));
  const numbers = names.map((_, i) => i);
  for (const index of [memory!, ranges!]) {
    const entries = await collect(index.features(numbers));
    assert.deepEqual(
      entries.flat().map((entry) => [entry.index, entry.id]),
      names.map((id, i) => [i, id]),
    );
    assert.deepEqual(
      (await collect(index.ids())).flat(),
      names.filter((id) => id !== null),
    );
    assert.deepEqual(await collect(index.features([])), []);
    assert.deepEqual(
      (await collect(index.features([3, 900]))).flat().map((entry) => entry.id),
      ['id3', 'id900'],
    );
  }
  assert.deepEqual(
    (await collect(memory!.features(numbers))).map((batch) => batch.length),
    [256, 256, 256, 256, 1],
  );
  assert.deepEqual(
    (await collect(memory!.ids())).map((batch) => batch.length),
    [1_024, 0],
  );
});

test('what holds where geometry states nothing is read from the envelope, or is unknown', () => {
  assert.deepEqual(indexOf(cityModel('')).defaults, {
    srsName: 'http://www.opengis.net/def/crs/EPSG/0/6697',
    srsDimension: 3,
  });
  const bare = cityModel('').replace(/<gml:boundedBy>.*<\/gml:boundedBy>/s, '');
  assert.deepEqual(indexOf(bare).defaults, { srsName: null, srsDimension: null });
});

test('an index weighs its bytes, four for each of the root tag, and a basis', () => {
  const bytes = bytesOf(cityModel(''));
  const index = FeatureIndex.open(bytes);
  assert.equal(new GmlIndex(index, 100).bytes, 100 + 4 * index.rootTag.length + 16_384);
});

test('lists that were named before are at hand, and a codeless feature waits for none', async () => {
  const asked: string[] = [];
  const lists = new CodeLists(async (path) => {
    asked.push(path);
    return new Map([['1', 'one']]);
  });
  const index = indexOf(cityModel(''));
  const read = (xml: string) =>
    parseFeature(Buffer.from(`<bldg:Building>${xml}</bldg:Building>`), index.context);
  const coded = read('<bldg:usage codeSpace="../../codelists/a.xml">1</bldg:usage>');
  assert.ok(!(index.labelsFor(read('<bldg:usage>1</bldg:usage>'), lists, PATH) instanceof Promise));
  const first = index.labelsFor(coded, lists, PATH);
  assert.ok(first instanceof Promise);
  assert.equal((await first)('../../codelists/a.xml', '1'), 'one');
  const second = index.labelsFor(coded, lists, PATH);
  assert.ok(!(second instanceof Promise));
  assert.equal(second('../../codelists/a.xml', '1'), 'one');
  assert.equal(second('../../codelists/none.xml', '1'), undefined);
  assert.deepEqual(asked, ['codelists/a.xml']);
});

test('a thousand lists of a file are remembered, one more are looked up again', async () => {
  for (const [count, isRemembered] of [
    [1_000, true],
    [1_001, false],
  ] as const) {
    const lists = new CodeLists(async () => new Map([['1', 'one']]));
    const index = indexOf(cityModel(''));
    const read = (names: number[]) => {
      const usages = names.map((i) => `<bldg:usage codeSpace="../../codelists/l${i}.xml">1</bldg:usage>`);
      return parseFeature(Buffer.from(`<bldg:Building>${usages.join('')}</bldg:Building>`), index.context);
    };
    await index.labelsFor(read([0]), lists, PATH);
    await index.labelsFor(read(Array.from({ length: count - 1 }, (_, i) => i + 1)), lists, PATH);
    assert.equal(!(index.labelsFor(read([count - 1]), lists, PATH) instanceof Promise), isRemembered);
  }
});
