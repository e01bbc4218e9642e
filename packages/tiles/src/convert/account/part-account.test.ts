import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { XmlElement } from '@citymodel/citygml';
import fc from 'fast-check';
import { Fate, featuresOf, LEVELS, LOST, NO_LOD, PartAccountBuilder } from './part-account.ts';
import {
  INTERIOR_LOD,
  isTerrainAmong,
  noteFeature,
  statedLevel,
  writtenLevel,
  writtenLevels,
} from './written-levels.ts';

test('what was noted of features comes out of the account in the order of their numbers', () => {
  const note = fc.record({
    number: fc.nat(600),
    level: fc.nat(LEVELS - 1),
    fate: fc.constantFrom<Fate | string>(Fate.there, Fate.claimed, Fate.shown, 'A', 'B'),
  });
  type Fate = 1 | 2 | 3;
  fc.assert(
    fc.property(fc.array(note, { maxLength: 80 }), (notes) => {
      const builder = new PartAccountBuilder();
      const expected = new Map<number, Map<number, Fate | string>>();
      for (const { number, level, fate } of notes) {
        builder.feature(number, `type${number % 3}`);
        if (typeof fate === 'string') builder.lost(number, level, fate);
        else builder.fate(number, level, fate);
        const known = expected.get(number) ?? new Map<number, Fate | string>();
        expected.set(number, known);
        // What is shown once stays so.
        if (known.get(level) !== Fate.shown) known.set(level, fate);
      }
      const account = JSON.parse(JSON.stringify(builder.finish()));
      const count = Math.max(-1, ...expected.keys()) + 1;
      let number = 0;
      for (const { type, fates } of featuresOf(account)) {
        const known = expected.get(number);
        if (known !== undefined) assert.equal(type, `type${number % 3}`);
        for (let level = 0; level < LEVELS; level++) {
          const fate = fates[level]!;
          const found = fate >= LOST ? account.codes[fate - LOST] : fate;
          assert.equal(found, known?.get(level) ?? Fate.none);
        }
        number++;
      }
      assert.equal(number, count);
    }),
    { numRuns: 60 },
  );
});

const element = (name: string, children: XmlElement[] = [], attributes = {}): XmlElement =>
  ({ name, children, attributes, text: '' }) as XmlElement;
const polygon = [element('gml:Polygon')];

test('levels of detail are those of properties with geometry, no matter who has them', () => {
  const levels = (...children: XmlElement[]) => [...writtenLevels(element('bldg:Building', children))];
  assert.deepEqual(levels(element('bldg:lod1Solid', polygon), element('bldg:lod2Solid')), [1]);
  assert.deepEqual(
    levels(
      element('bldg:boundedBy', [element('bldg:WallSurface', [element('bldg:lod3MultiSurface', polygon)])]),
    ),
    [3],
  );
  assert.deepEqual(levels(element('bldg:lod2Solid', [], { 'xlink:href': '#a' })), [2]);
  assert.deepEqual(levels(element('bldg:lod1TerrainIntersection', polygon)), [NO_LOD]);
  assert.deepEqual(levels(element('uro:lod1HeightType', polygon)), [NO_LOD]);
  assert.deepEqual(levels(element('urf:lod-1MultiSurface', polygon)), [NO_LOD]);
  assert.deepEqual(levels(element('uro:lod0anchorPoint', polygon)), [0]);
  assert.deepEqual(levels(element('bldg:usage')), [NO_LOD]);
});

test('the inside counts at level 4, but for what lies on the ground or states no level', () => {
  const levels = (...children: XmlElement[]) => [...writtenLevels(element('bldg:Building', children))].sort();
  const room = (name: string) =>
    element('bldg:interiorRoom', [element('bldg:Room', [element(name, polygon)])]);
  assert.deepEqual(levels(room('bldg:lod3Solid')), [INTERIOR_LOD]);
  assert.deepEqual(levels(room('bldg:lod1Solid'), element('bldg:lod1Solid', polygon)), [1, INTERIOR_LOD]);
  assert.deepEqual(levels(room('bldg:lod0FootPrint')), [0]);
  assert.deepEqual(levels(room('bldg:lod-1Solid')), [NO_LOD]);
});

test('an installation counts as inside where it says so itself', () => {
  const levels = (relation: string | null, type = 'bldg:BuildingInstallation') => {
    const relations =
      relation === null ? [] : [{ ...element('con:relationToConstruction'), text: ` ${relation} ` }];
    const installation = element(type, [...relations, element('core:lod2Solid', polygon)]);
    return [
      ...writtenLevels(element('bldg:Building', [element('bldg:buildingInstallation', [installation])])),
    ];
  };
  assert.deepEqual(levels('inside'), [INTERIOR_LOD]);
  for (const relation of ['outside', 'bothInsideAndOutside', null]) assert.deepEqual(levels(relation), [2]);
  assert.deepEqual(levels('inside', 'bldg:BuildingPart'), [2]);
});

test('envelopes and appearances hold no geometry of a feature', () => {
  for (const name of ['gml:boundedBy', 'app:appearance']) {
    const aside = element(name, [element('x', [element('bldg:lod2Solid', polygon)])]);
    assert.deepEqual([...writtenLevels(element('bldg:Building', [aside]))], [NO_LOD], name);
  }
  const bounded = element('bldg:boundedBy', [element('x', [element('bldg:lod2Solid', polygon)])]);
  assert.deepEqual([...writtenLevels(element('bldg:Building', [bounded]))], [2]);
});

test('the level of terrain is what the part of it says, else what the whole says', () => {
  const stated = (lod: string) => ({ ...element('dem:lod'), text: ` ${lod} ` });
  const part = (name: string, ...children: XmlElement[]) =>
    element('dem:reliefComponent', [element(name, children)]);
  const levels = (...children: XmlElement[]) => [...writtenLevels(element('dem:ReliefFeature', children))];
  const tin = element('dem:tin', [element('gml:TriangulatedSurface', polygon)]);
  assert.deepEqual(levels(stated('1'), part('dem:TINRelief', stated('2'), tin)), [2]);
  assert.deepEqual(levels(stated('1'), part('dem:TINRelief', tin)), [1]);
  assert.deepEqual(levels(stated('1'), part('dem:TINRelief', stated('9'), tin)), [1]);
  assert.deepEqual(levels(part('dem:TINRelief', tin)), [NO_LOD]);
  const points = element('dem:reliefPoints', [element('gml:MultiPoint', [element('gml:pointMember')])]);
  assert.deepEqual(
    levels(part('dem:TINRelief', stated('3'), tin), part('dem:MassPointRelief', stated('0'), points)),
    [3, 0],
  );
  assert.deepEqual(
    levels(part('dem:TINRelief', stated('3'), element('dem:extent', tin.children))),
    [NO_LOD],
    'where it holds is no shape',
  );
});

test('a feature that is lost as a whole is lost at the levels that it has, whatever its number', () => {
  const builder = new PartAccountBuilder();
  for (let number = 0; number < 40; number++) {
    builder.feature(number, 'bldg');
    builder.fate(number, number % LEVELS, Fate.there);
  }
  builder.lostWhole(17, 'A');
  // The next one has something at the first level.
  builder.lostWhole(23, 'A');
  builder.fate(18, (18 % LEVELS) + 1, Fate.shown);
  builder.lostWhole(18, 'B');
  const { codes, ...account } = builder.finish();
  assert.deepEqual(codes, ['A', 'B']);
  const lost = Array.from(featuresOf({ codes, ...account }), ({ fates }) =>
    [...fates].flatMap((fate, level) => (fate >= LOST ? [`${level} ${codes[fate - LOST]}`] : [])),
  );
  assert.deepEqual(lost[17], [`${17 % LEVELS} A`]);
  assert.deepEqual(lost[18], [`${18 % LEVELS} B`], 'what is shown stays so');
  assert.deepEqual([lost[23], lost[24]], [[`${23 % LEVELS} A`], []]);
  assert.equal(lost.flat().length, 3);
});

test('numbers of levels and fates are those that accounts of before have', () => {
  assert.deepEqual([LEVELS, NO_LOD, LOST], [6, 5, 4]);
  assert.deepEqual(Fate, { none: 0, there: 1, claimed: 2, shown: 3 });
});

test('what a feature has at a level, and of what nobody said anything yet, is that of its own fate alone', () => {
  const fates = [Fate.none, Fate.there, Fate.claimed, Fate.shown, 'A'] as const;
  const builder = new PartAccountBuilder();
  for (const [number, fate] of fates.entries()) {
    builder.feature(number, 'bldg');
    if (typeof fate === 'string') builder.lost(number, 3, fate);
    else builder.fate(number, 3, fate);
  }
  const of = (level: number) =>
    fates.map((_, number) => [builder.has(number, level), builder.isOpen(number, level)]);
  assert.deepEqual(of(3), [
    [false, false],
    [true, true],
    [true, false],
    [true, false],
    [true, false],
  ]);
  for (const level of [0, 1, 2, 4, 5])
    assert.ok(
      of(level)
        .flat()
        .every((value) => !value),
    );
});

test('surfaces are counted by type and level, their areas to a square centimetre', () => {
  const builder = new PartAccountBuilder();
  const tally = builder.surfaces('bldg:Building', 2);
  assert.equal(builder.surfaces('bldg:Building', 2), tally);
  assert.notEqual(builder.surfaces('bldg:Building', 1), tally);
  assert.deepEqual(builder.surfaces('tran:Road', 0), {
    ...{ type: 'tran:Road', lod: 0, in: 0, out: 0, rest: {} },
    ...{ areaIn: 0, areaOut: 0, areaRest: {} },
  });
  Object.assign(tally, { areaIn: 1.23456789, areaOut: 0.00004, areaRest: { A: 7.00006 } });
  const { surfaces } = builder.finish();
  assert.deepEqual(
    surfaces.map(({ type, lod }) => `${type} ${lod}`),
    ['bldg:Building 1', 'bldg:Building 2', 'tran:Road 0'],
  );
  const { areaIn, areaOut, areaRest } = surfaces[1]!;
  assert.deepEqual({ areaIn, areaOut, areaRest }, { areaIn: 1.2346, areaOut: 0, areaRest: { A: 7.0001 } });
});

test('a type has one number; those beyond 255 share a name', () => {
  const builder = new PartAccountBuilder();
  for (let number = 0; number < 600; number++) builder.feature(number, `type${number % 300}`);
  const account = builder.finish();
  const types = Array.from(featuresOf(account), ({ type }) => type);
  for (const [number, type] of types.entries())
    assert.equal(type, number % 300 < 255 ? `type${number % 300}` : 'others');
  assert.equal(account.types.length, 256);
});

test('the level that a name or a relief states is one of 0 to 4', () => {
  const levels = ['lod0FootPrint', 'lod4Solid', 'lod5Solid', 'lod-1Solid', 'lod1HeightType', 'usage', 'lod2'];
  assert.deepEqual(levels.map(writtenLevel), [0, 4, null, null, null, null, null]);
  const relief = (text: string) => element('dem:TINRelief', [{ ...element('dem:lod'), text }]);
  assert.deepEqual(
    ['0', ' 4 ', '5', '', '12'].map((text) => statedLevel(relief(text))),
    [0, 4, null, null, null],
  );
  assert.equal(statedLevel(element('dem:TINRelief')), null);
  const terrain = ['dem', 'bldg'].map((type) => isTerrainAmong(type, element('dem:ReliefFeature')));
  assert.deepEqual(terrain, [false, true]);
  assert.equal(isTerrainAmong('bldg', element('bldg:Building')), false);
});

test('a feature that is noted has its type, its values and its levels', () => {
  const builder = new PartAccountBuilder();
  const name = { ...element('gml:name'), text: 'A' };
  noteFeature(
    builder,
    1,
    element('bldg:Building', [name, element('bldg:lod1Solid', polygon), element('bldg:lod3Solid', polygon)]),
  );
  const levels = Array.from({ length: LEVELS }, (_, level) => builder.isOpen(1, level));
  assert.deepEqual(levels, [false, true, false, true, false, false]);
  const { types, attributes } = builder.finish();
  assert.deepEqual(types, ['bldg:Building']);
  assert.deepEqual(
    attributes.values.map((tally) => [tally.property, tally.in, tally.rest]),
    [['gml:name', 1, { WITHOUT_ROW: 1 }]],
  );
});
