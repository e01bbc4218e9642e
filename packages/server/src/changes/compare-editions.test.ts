import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import type { PackageSource } from '../convert/package-source.ts';
import { compareEditions, overlapArea, type Progress } from './compare-editions.ts';
import type { Change, Difference } from './difference.ts';
import type { FeatureRecord } from './feature-record.ts';
import type { ComparisonSummary } from './summary.ts';
import { type Box, boxAt, editionOf } from './testing/boxes.ts';

let directory: string;
before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'changes-'));
});
after(() => rm(directory, { recursive: true }));

async function compare(
  older: PackageSource,
  newer: PackageSource,
): Promise<{ differences: Difference[]; summary: ComparisonSummary }> {
  const pages = compareEditions(older, newer, 'bldg', directory, () => {});
  const differences: Difference[] = [];
  for (;;) {
    const { value, done } = await pages.next();
    if (done === true) return { differences, summary: value };
    differences.push(...value);
  }
}

const compareBoxes = (older: readonly Box[], newer: readonly Box[]) =>
  compare(editionOf(older, 2022), editionOf(newer, 2024));

/** What a test does to a box, and what it counts as then. */
const EDITS = {
  none: { edit: (box: Box) => box, becomes: null },
  higher: { edit: (box: Box) => ({ ...box, height: box.height + 3 }), becomes: 'geometry' },
  usage: { edit: (box: Box) => ({ ...box, usage: '411' }), becomes: 'attributes' },
  moved: { edit: (box: Box) => ({ ...box, x: box.x + 2 }), becomes: 'geometry' },
  renamed: { edit: (box: Box) => ({ ...box, id: `new_${box.id}` }), becomes: null },
  rebuilt: {
    edit: (box: Box) => ({ ...box, id: `new_${box.id}`, width: box.width + 2, usage: '411' }),
    becomes: 'both',
  },
  removed: { edit: () => null, becomes: 'removed' },
} as const;
type Edit = keyof typeof EDITS;

test('known edits of a city, and nothing else, are what its editions differ in', async () => {
  const edits = fc.array(fc.constantFrom(...(Object.keys(EDITS) as Edit[])), { minLength: 1, maxLength: 25 });
  await fc.assert(
    fc.asyncProperty(edits, fc.nat(5), fc.boolean(), async (chosen, added, isShuffled) => {
      const older = chosen.map((_, i) => boxAt((i % 5) * 30, Math.floor(i / 5) * 30));
      const newer = chosen.flatMap((edit, i): Box[] => {
        const box = EDITS[edit].edit(older[i]!);
        return box === null ? [] : [box];
      });
      for (let i = 0; i < added; i++) newer.push(boxAt(1000 + i * 30, 0));
      if (isShuffled) newer.reverse();
      const { differences, summary } = await compareBoxes(older, newer);
      const count = (becomes: string | null) =>
        chosen.filter((edit) => EDITS[edit].becomes === becomes).length;
      const { notCompared, byAttribute, matchedBy, ...sums } = summary;
      assert.deepEqual(sums, {
        features: { from: older.length, to: newer.length },
        added,
        removed: count('removed'),
        changed: count('geometry') + count('attributes') + count('both'),
        unchanged: count(null),
        changedAttributes: count('attributes') + count('both'),
        changedGeometry: count('geometry') + count('both'),
        higher: chosen.filter((edit) => edit === 'higher').length,
        lower: 0,
        otherAttributes: 0,
      });
      const usages = count('attributes') + count('both');
      assert.deepEqual(byAttribute, usages === 0 ? {} : { 'bldg:usage': usages });
      const renamed = chosen.filter((edit) => edit === 'renamed' || edit === 'rebuilt').length;
      assert.deepEqual(matchedBy, {
        id: chosen.length - count('removed') - renamed,
        stableId: 0,
        footprint: renamed,
      });
      assert.deepEqual(
        Object.values(notCompared).flatMap((one) => Object.values(one)),
        [0, 0, 0, 0, 0, 0],
      );
      assert.equal(differences.length, sums.added + sums.removed + sums.changed);
    }),
    { numRuns: 40 },
  );
  assert.deepEqual(await readdir(directory), [], 'records go when a comparison ends');
});

test('a change tells sizes, values and how the feature was found', async () => {
  const older = [boxAt(0, 0, { buildingId: '13101-bldg-1' }), boxAt(50, 0), boxAt(100, 0)];
  const newer = [
    boxAt(200, 200, { buildingId: '13101-bldg-1', id: 'other', height: 9 }),
    boxAt(51, 0, { id: 'third', usage: '411' }),
    boxAt(100, 0, { depth: 16 }),
  ];
  const { differences } = await compareBoxes(older, newer);
  const [far, near, deep] = differences as [Change, Change, Change];
  assert.deepEqual([far.matchedBy, far.id, far.fromId], ['stableId', 'other', 'bldg_0_0']);
  assert.ok(Math.abs(far.geometry!.movedBy! - Math.hypot(200, 200)) < 0.5, String(far.geometry!.movedBy));
  assert.deepEqual(far.geometry!.height, { from: 6, to: 9 });
  assert.deepEqual(far.attributes, []);
  assert.equal(near.matchedBy, 'footprint');
  assert.deepEqual(near.attributes, [
    {
      name: 'bldg:usage',
      from: { value: '401', label: '業務施設' },
      to: { value: '411', label: '住宅' },
    },
  ]);
  assert.ok(Math.abs(near.geometry!.movedBy! - 1) < 0.01);
  assert.deepEqual(near.geometry!.height, { from: 6, to: 6 });
  const { footprintArea, volume, lods } = deep.geometry!;
  assert.ok(Math.abs(footprintArea.from! - 80) < 0.3 && Math.abs(footprintArea.to! - 160) < 0.6);
  assert.ok(Math.abs(volume.from! - 480) < 2 && Math.abs(volume.to! - 960) < 4);
  assert.deepEqual(lods, { from: [1], to: [1] });
});

test('features of the same id that are several, and features without geometry, are each one', async () => {
  const twice = [boxAt(0, 0), boxAt(30, 0, { id: 'bldg_0_0' })];
  const same = await compareBoxes(twice, twice);
  assert.deepEqual([same.summary.unchanged, same.differences], [2, []]);
  const fewer = await compareBoxes(twice, twice.slice(1));
  // The first is the first: it has moved, and the second is gone.
  assert.deepEqual([fewer.summary.removed, fewer.summary.changed], [1, 1]);
});

test('what cannot be read is counted', async () => {
  const source = editionOf([boxAt(0, 0)], 2022);
  const broken: PackageSource = {
    ...source,
    async *read() {
      yield Buffer.from(
        '<core:CityModel xmlns:core="http://www.opengis.net/citygml/2.0"><core:cityObjectMember>',
      );
    },
  };
  const { summary } = await compare(broken, source);
  assert.deepEqual(summary.notCompared.from, { tooLarge: 0, broken: 0, brokenFiles: 1 });
  assert.deepEqual([summary.added, summary.features.from], [1, 0]);
});

test('differences come in pages of five hundred, of which none is empty', async () => {
  const sizes = async (count: number) => {
    const boxes = Array.from({ length: count }, (_, i) => boxAt(i * 30, 0));
    const found: number[] = [];
    const none = editionOf([], 2022);
    for await (const page of compareEditions(none, editionOf(boxes, 2024), 'bldg', directory, () => {}))
      found.push(page.length);
    return found;
  };
  assert.deepEqual([await sizes(0), await sizes(500), await sizes(501)], [[], [500], [500, 1]]);
});

test('progress counts the text of both editions, from nothing to all of it', async () => {
  const editions = [editionOf([boxAt(0, 0)], 2022), editionOf([boxAt(0, 0), boxAt(30, 0)], 2024)] as const;
  const [older, newer] = editions.map((source) => [...source.members()][0]!.size) as [number, number];
  const heard: Progress[] = [];
  const pages = compareEditions(...editions, 'bldg', directory, (progress) => heard.push(progress));
  for await (const page of pages) assert.equal(page.length, 1);
  assert.deepEqual(heard, [
    { done: older, total: older + newer },
    { done: older + newer, total: older + newer },
  ]);
});

test('a feature without geometry is compared by its attributes, and shares no area', async () => {
  const bare = (usage: string): PackageSource => {
    const source = editionOf([boxAt(0, 0, { usage }), boxAt(30, 0)], 2022);
    return {
      ...source,
      async *read(path) {
        for await (const part of source.read(path))
          yield Buffer.from(
            Buffer.from(part)
              .toString()
              .replace(/<bldg:lod1Solid>.*?<\/bldg:lod1Solid>/, ''),
          );
      },
    };
  };
  const { differences } = await compare(bare('401'), bare('411'));
  const [change, ...others] = differences as Change[];
  assert.equal(others.length, 0);
  assert.deepEqual([change!.bounds, change!.geometry, change!.attributes.length], [null, null, 1]);

  const record = (shape: FeatureRecord['shape']): FeatureRecord => ({
    ...{ id: 'a', stableId: null, type: 'bldg:Building', attributes: [], shape },
  });
  const shape = { centre: [139.7, 35.6], rings: [[139.7, 35.6, 139.701, 35.6, 139.701, 35.601]] };
  const [some, none] = [record(shape as FeatureRecord['shape']), record(null)];
  assert.ok(overlapArea(some, some) > 1_000);
  assert.deepEqual([overlapArea(some, none), overlapArea(none, some), overlapArea(none, none)], [0, 0, 0]);
});
