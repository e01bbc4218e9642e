/** Facets of the 3D view: classes, how choices cross, and the conditions that clicks and drags make. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { WATER_DEPTHS } from '../packages/base/src/water-depths.ts';
import { HEIGHT_BOUNDS, scaleFor } from '../packages/portal/src/three/colouring.ts';
import { crossed, facetsOf, type ReadAll } from '../packages/portal/src/three/facets.ts';
import { featureFilter, interfaceName, readerOf } from '../packages/portal/src/three/filter.ts';
import { isChosen, rangeOf, rangeText, toggledKind, valuesOf } from '../packages/portal/src/three/ranges.ts';
import { distinctFeatures, idOf } from '../packages/portal/src/three/scene/distinct-features.ts';
import { namesOf } from '../packages/portal/src/three/where.ts';

const HEIGHT = 'bldg:measuredHeight';
const YEAR = 'bldg:yearOfConstruction';
const STRUCTURE = 'uro:buildingStructureType';
const RIVER = 'X川_L2（想定最大規模）_浸水深';
const OTHER = 'Y川_L1（計画規模）_浸水深';

type Row = Record<string, unknown>;

function reader(rows: readonly Row[]): ReadAll {
  return (read) => rows.map((row) => read({ getProperty: (name) => row[name] }));
}

const ROWS: Row[] = [
  { [HEIGHT]: 5, [YEAR]: 1970, [STRUCTURE]: '木造', [RIVER]: 0.3, [OTHER]: 2 },
  { [HEIGHT]: 8, [YEAR]: 1990, [STRUCTURE]: '木造', [RIVER]: 4 },
  { [HEIGHT]: 40, [YEAR]: 1990, [STRUCTURE]: '鉄骨造' },
  { [HEIGHT]: 2, [YEAR]: 1, [STRUCTURE]: '鉄骨造', [RIVER]: -9999 },
];
const NAMES = new Set([HEIGHT, YEAR, STRUCTURE, RIVER, OTHER]);

describe('features of tiles', () => {
  const tile = (...ids: Array<string | null>) => ({
    featuresLength: ids.length,
    getFeature: (i: number) => ({ getProperty: (name: string) => (name === 'gml_id' ? ids[i] : undefined) }),
  });

  test('count once where a coarser level has them again, and those without a gml:id always', () => {
    const [coarse, fine, other] = [tile('a', null), tile('a', 'b', 'b'), tile(null, 'c', 'a')];
    assert.deepEqual(distinctFeatures([coarse, fine, other], 100), [
      [coarse, 0],
      [coarse, 1],
      [fine, 1],
      [other, 0],
      [other, 1],
    ]);
    assert.equal(distinctFeatures([coarse, fine, other], 3).length, 3);
    const of = (properties: Row) => idOf({ getProperty: (name) => properties[name] });
    assert.deepEqual([{ gml_id: '', id: 'x' }, { 'gml:id': 5, gmlID: 'y' }, { gml_id: null }].map(of), [
      'x',
      'y',
      null,
    ]);
  });

  test('have values under the first of several names that has one', () => {
    const of = readerOf(['a', 'b', 'c']);
    const read = (properties: Row) => of({ getProperty: (name) => properties[name] });
    for (const none of [null, undefined, '']) assert.equal(read({ a: none, b: 0, c: 1 }), 0);
    assert.equal(read({ a: '' }), undefined);
    assert.equal(interfaceName(['gen_x', 'uro:Object_uro:newThing']), 'uro:newThing');
    const accepts = (properties: Row, where: string) =>
      featureFilter(where, Object.keys(properties))!({ getProperty: (name) => properties[name] });
    for (const depths of [{ 'uro:depth': 3 }, { [RIVER]: 3 }, { [RIVER]: 0.1, [OTHER]: 3 }])
      assert.deepEqual([accepts(depths, 'uro:depth>=3'), accepts(depths, 'uro:depth>3')], [true, false]);
  });
});

describe('facets', () => {
  const read = reader(ROWS);
  const facets = facetsOf(read, NAMES);
  const under = (where: string) => {
    const { counts, ...rest } = crossed(facets, read, NAMES, where);
    return { ...rest, left: Object.fromEntries(facets.map(({ key }, i) => [key, counts[i]!.left])) };
  };

  test('are those that the features have properties for', () => {
    assert.deepEqual(
      facets.map(({ key, form }) => `${key} ${form}`),
      ['year ranges', 'height ranges', 'depth from', 'structure kinds'],
    );
    assert.deepEqual(
      facetsOf(reader([{ [HEIGHT]: 1 }]), new Set([HEIGHT])).map(({ key }) => key),
      ['height'],
    );
  });

  test('count all without conditions', () => {
    const { all, shown, left } = under('');
    assert.deepEqual([all, shown], [4, 4]);
    assert.deepEqual(left.structure, [2, 2, 0]);
    assert.equal(under('nonsense').shown, 4);
    for (const where of ['', `${YEAR}<1981`]) {
      const { counts } = crossed(facets, read, NAMES, where);
      assert.deepEqual(counts[3]!.all, [2, 2, 0]);
      const bare = crossed([], read, NAMES, where);
      assert.deepEqual([bare.all, bare.shown], [4, where === '' ? 4 : 2]);
    }
  });

  test('count what the others leave, and their own classes as if they asked for nothing', () => {
    const { shown, left } = under(`${STRUCTURE}=木造`);
    assert.equal(shown, 2);
    assert.deepEqual(left.structure, [2, 2, 0]);
    assert.deepEqual(left.height, [0, 1, 1, 0, 0, 0, 0, 0, 0, 0]);
    const both = under(`${STRUCTURE}=木造;${YEAR}<1981`);
    assert.equal(both.shown, 1);
    assert.deepEqual(both.left.structure, [1, 1, 0]);
    assert.equal(
      both.left.year!.reduce((sum, count) => sum + count),
      2,
    );
  });

  test('have the deepest of all floods of a feature, and any flood meets its condition', () => {
    const depth = facets.find(({ key }) => key === 'depth')!;
    const labels = depth.classes.map((at) => depth.legend[at]!.label);
    assert.deepEqual(labels, ['≥ 0.5 m', '≥ 3 m', '', '']);
    assert.equal(under('uro:depth>=0.5').shown, 2);
    assert.equal(under('uro:depth>=3').shown, 1);
    assert.equal(under('uro:depth>0').shown, 2);
    assert.deepEqual(
      depth.legend.map(({ label, condition }) => `${label} ${condition}`),
      [
        ...WATER_DEPTHS.toReversed().map(([from]) =>
          from === 0 ? '> 0 m uro:depth>0' : `≥ ${from} m uro:depth>=${from}`,
        ),
        ' uro:depth=',
      ],
    );
    const [edge] = facetsOf(reader([{ [OTHER]: 3 }]), new Set([OTHER]));
    assert.equal(edge!.legend[edge!.classes[0]!]!.label, '≥ 3 m');
    // A depth that stands for "unknown" is a value to the interface too.
    assert.equal(under('uro:depth=').shown, 1);
  });

  test('of kinds agree with the filter whatever is chosen', () => {
    fc.assert(
      fc.property(
        fc.subarray([`${STRUCTURE}=木造`, `${YEAR}>=1981`, `${HEIGHT}<10`, 'uro:depth>=3', 'gen:x=']),
        (parts) => {
          const where = parts.join(';');
          const accepts = featureFilter(where, NAMES);
          const drawn = accepts === null ? ROWS.length : read(accepts).filter(Boolean).length;
          assert.equal(under(where).shown, drawn);
        },
      ),
    );
  });
});

describe('choices', () => {
  const { legend } = scaleFor('height', HEIGHT, []);

  test('of bars are ranges, dragged either way', () => {
    const range = `${HEIGHT}>=3;${HEIGHT}<10`;
    assert.equal(rangeOf(legend[1]!, legend[2]!), range);
    assert.equal(rangeOf(legend[2]!, legend[1]!), range);
    assert.equal(rangeOf(legend[0]!, legend[1]!), `${HEIGHT}<6`);
    assert.equal(rangeOf(legend[7]!, legend[HEIGHT_BOUNDS.length]!), `${HEIGHT}>=100`);
    assert.equal(rangeOf(legend[1]!, legend.at(-1)!), `${HEIGHT}=`);
    assert.deepEqual(
      legend.map((entry) => isChosen(entry, range)),
      legend.map((_, i) => i === 1 || i === 2),
    );
    assert.equal(isChosen(legend.at(-1)!, `${HEIGHT}=`), true);
    assert.equal(
      legend.some((entry) => isChosen(entry, '')),
      false,
    );
  });

  test('of kinds come together and go again', () => {
    const kinds = scaleFor('structure', STRUCTURE, ['a', 'a', 'b']).legend;
    const one = toggledKind('', kinds[0]!);
    assert.equal(one, `${STRUCTURE}=a`);
    const two = toggledKind(one, kinds[1]!);
    assert.equal(two, `${STRUCTURE}=a|b`);
    assert.deepEqual([isChosen(kinds[0]!, two), isChosen(kinds[1]!, two)], [true, true]);
    assert.equal(isChosen(kinds[1]!, one), false);
    assert.equal(toggledKind(two, kinds[0]!), `${STRUCTURE}=b`);
    assert.equal(toggledKind(one, kinds[0]!), '');
    assert.equal(toggledKind(`${STRUCTURE}>=3`, kinds[0]!), one);
    assert.deepEqual(valuesOf(''), []);
    assert.equal(isChosen({ ...kinds[0]!, condition: null }, one), false);
    assert.deepEqual([isChosen(kinds.at(-1)!, `${STRUCTURE}=`), isChosen(kinds.at(-1)!, one)], [true, false]);
  });

  test('are read as people write them', () => {
    assert.equal(rangeText(`${YEAR}>=1961;${YEAR}<1981`), '1961 – 1981');
    assert.equal(rangeText(`${YEAR}<1981`), '< 1981');
    assert.equal(rangeText('uro:depth>=0.5'), '≥ 0.5');
    assert.equal(rangeText('uro:depth>0'), '> 0');
    assert.equal(rangeText(`${STRUCTURE}=木造`), null);
    assert.deepEqual(namesOf(`${YEAR}>=1961; ${STRUCTURE}=a;${YEAR}<1981`), [YEAR, STRUCTURE]);
  });
});
