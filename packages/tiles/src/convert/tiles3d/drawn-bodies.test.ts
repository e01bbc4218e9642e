import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fate, featuresOf, LOST, PartAccountBuilder } from '../account/part-account.ts';
import type { ConvertIssue } from '../part-maker.ts';
import type { FeatureFacts } from '../read/feature-facts.ts';
import { IssueCounter } from '../read/issue-counter.ts';
import { type Drawn, DrawnBodies, recordOf } from './drawn-bodies.ts';

const NOTHING: Drawn = {
  ...{ polygons: 0, area: 0, tiny: 0, tinyArea: 0 },
  ...{ crossed: 0, crossedArea: 0, crossing: 0, bent: 0 },
};

/** A feature with bodies of so many polygons, of 10 square metres each, by level of detail. */
function facts(record: number, polygons: ReadonlyArray<number | null>, type = 'bldg:Building'): FeatureFacts {
  const bodies = polygons.map((count) => (count === null ? null : { polygons: count, area: 10 * count }));
  return { record, number: record, type, bodies } as FeatureFacts;
}

function drawing() {
  const account = new PartAccountBuilder();
  const issues: ConvertIssue[] = [];
  const counter = new IssueCounter('a.gml', (issue) => issues.push(issue));
  const all = { bodies: new DrawnBodies(account, counter) };
  return {
    ...all,
    /** Declares features, and what they have. */
    claim(features: readonly FeatureFacts[], lods: readonly number[]) {
      for (const { number, type } of features) account.feature(number, type);
      for (const one of features) for (const lod of lods) all.bodies.claim(one, lod);
    },
    result() {
      counter.tell();
      const { surfaces, codes, ...rest } = account.finish();
      const name = (fate: number) => (fate < LOST ? fate : codes[fate - LOST]);
      const fates = Array.from(featuresOf({ surfaces, codes, ...rest }), (one) =>
        [...one.fates].map((fate) => name(fate)),
      );
      return { surfaces, fates, issues: issues.map(({ code, id, count }) => [code, id, count]) };
    },
  };
}

test('the number of a body tells its record, whatever its level', () => {
  const seen = new Set<number>();
  for (let record = 0; record < 20; record++) {
    for (let lod = 0; lod < 5; lod++) {
      const source = DrawnBodies.sourceOf(record, lod);
      assert.equal(recordOf(source), record);
      seen.add(source);
    }
  }
  assert.equal(seen.size, 100);
});

test('what goes in comes out, or has the reason why it does not', () => {
  const { bodies, claim, result } = drawing();
  const features = [
    facts(0, [null, 6, 9]),
    facts(1, [null, 4, null]),
    facts(2, [null, 2, null]),
    facts(3, [null, 3, null]),
    facts(4, [null, 5, null]),
    facts(5, [null, 7, null]),
  ];
  claim(features, [1, 2]);
  const note = (record: number, lod: number, drawn: Partial<Drawn>) =>
    bodies.note(DrawnBodies.sourceOf(record, lod), `f${record}`, { ...NOTHING, ...drawn });
  note(0, 1, {
    polygons: 4,
    area: 40,
    tiny: 1,
    tinyArea: 9,
    crossed: 1,
    crossedArea: 11,
    crossing: 2,
    bent: 3,
  });
  note(0, 2, { polygons: 9, area: 90 });
  note(1, 1, { tiny: 4, tinyArea: 40 });
  note(2, 1, { tiny: 1, tinyArea: 5, crossed: 1, crossedArea: 15 });
  bodies.lost(features[3]!, 1, 'CITY_OTHER');
  bodies.lost(features[3]!, 2, 'CITY_OTHER');
  // Nobody draws the fourth in its output; the fifth is in no output, and not drawn.
  bodies.endOutput(features.slice(0, 3).map((one) => ({ facts: one, lod: 1 })));
  bodies.endOutput([{ facts: features[4]!, lod: 1 }]);
  bodies.settle(features, [1, 2]);
  const { surfaces, fates, issues } = result();
  assert.deepEqual(fates, [
    [Fate.none, Fate.shown, Fate.shown, Fate.none, Fate.none, Fate.none],
    [Fate.none, 'POLYGON_TINY', Fate.none, Fate.none, Fate.none, Fate.none],
    [Fate.none, 'POLYGON_CROSSED', Fate.none, Fate.none, Fate.none, Fate.none],
    [Fate.none, 'CITY_OTHER', Fate.none, Fate.none, Fate.none, Fate.none],
    [Fate.none, Fate.claimed, Fate.none, Fate.none, Fate.none, Fate.none],
    [Fate.none, Fate.claimed, Fate.none, Fate.none, Fate.none, Fate.none],
  ]);
  assert.deepEqual(surfaces, [
    {
      ...{ type: 'bldg:Building', lod: 1, in: 27, out: 4, areaIn: 270, areaOut: 40 },
      rest: { POLYGON_TINY: 6, POLYGON_CROSSED: 2, CITY_OTHER: 3 },
      areaRest: { POLYGON_TINY: 54, POLYGON_CROSSED: 26, CITY_OTHER: 30 },
    },
    { type: 'bldg:Building', lod: 2, in: 9, out: 9, rest: {}, areaIn: 90, areaOut: 90, areaRest: {} },
  ]);
  assert.deepEqual(issues, [
    ['POLYGON_TINY', 'f0', 6],
    ['POLYGON_CROSSED', 'f0', 4],
    ['POLYGON_BENT', 'f0', 3],
  ]);
});

test('outputs that show a body again count once, and one that lacks it leaves a claim', () => {
  const { bodies, claim, result } = drawing();
  const features = [facts(0, [null, 6]), facts(1, [null, 6])];
  claim(features, [1]);
  const show = (...records: number[]) => {
    for (const record of records)
      bodies.note(DrawnBodies.sourceOf(record, 1), 'f', { ...NOTHING, polygons: 6, area: 60, bent: 1 });
    bodies.endOutput(features.map((one) => ({ facts: one, lod: 1 })));
  };
  show(0, 1);
  show(0);
  bodies.settle(features, [1]);
  const { surfaces, fates, issues } = result();
  assert.deepEqual(
    fates.map(([, fate]) => fate),
    [Fate.shown, Fate.claimed],
  );
  assert.deepEqual([surfaces[0]!.in, surfaces[0]!.out, issues], [12, 6, [['POLYGON_BENT', 'f', 2]]]);
});

test('features that are drawn together are shown when anything of them is, in one of their outputs', () => {
  for (const [drawn, fate] of [
    [{ polygons: 3, area: 30, tiny: 1, tinyArea: 1 }, Fate.shown],
    [{ tiny: 2, tinyArea: 2 }, 'POLYGON_TINY'],
    [{ tiny: 1, tinyArea: 2, crossed: 1, crossedArea: 5 }, 'POLYGON_CROSSED'],
  ] as const) {
    const { bodies, claim, result } = drawing();
    const features = [facts(0, [null, 2], 'wtr:WaterBody'), facts(1, [null, 2], 'gen:Other')];
    claim(features, []);
    const source = DrawnBodies.sourceOf(0, 1);
    bodies.claimTogether(source, features, 1);
    bodies.note(source, 'f', { ...NOTHING, ...drawn });
    bodies.endTogether(2);
    bodies.note(source, 'f', { ...NOTHING, ...drawn });
    bodies.endTogether(1);
    // Another output shows them again.
    bodies.note(source, 'f', { ...NOTHING, ...drawn });
    bodies.settleTogether();
    const { surfaces, fates, issues } = result();
    assert.deepEqual(
      fates.map(([, level]) => level),
      [fate, fate],
    );
    const twice: Partial<Drawn> = Object.fromEntries(
      Object.entries(drawn).map(([what, count]) => [what, 2 * count]),
    );
    assert.equal(surfaces.length, 1, 'they count as the type of the first');
    assert.deepEqual(
      [surfaces[0]!.type, surfaces[0]!.in, surfaces[0]!.out, surfaces[0]!.areaIn, surfaces[0]!.areaOut],
      ['wtr:WaterBody', 4, twice.polygons ?? 0, 40, twice.area ?? 0],
    );
    assert.equal(surfaces[0]!.rest.POLYGON_TINY, twice.tiny);
    assert.equal(surfaces[0]!.rest.POLYGON_CROSSED, twice.crossed);
    assert.deepEqual(issues[0], ['POLYGON_TINY', 'f', twice.tiny]);
  }
});
