/** The drawing of a building beside its water, without a browser. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { cardFacts } from '../packages/portal/src/three/card-facts.ts';
import { DRAWING, drawHouse, type House, storeyReached } from '../packages/portal/src/three/house-drawing.ts';

const HOUSE: House = { height: 10.49, storeys: 3, width: 9, isPitched: true, depths: [0.62, 2.79] };

describe('a building', () => {
  test('and its water have one scale', () => {
    const { scale, ground, top, eaves, left, right, levels, person } = drawHouse(HOUSE);
    const close = (found: number, expected: number) =>
      assert.ok(Math.abs(found - expected) < 1e-9, `${found} is not ${expected}`);
    close(ground - top, 10.49 * scale);
    close(right - left, 9 * scale);
    close(ground - person.top, 1.7 * scale);
    assert.deepEqual(
      levels.map(({ depth }) => depth),
      [2.79, 0.62],
    );
    for (const { depth, y } of levels) close(ground - y, depth * scale);
    assert.ok(eaves > top && eaves < ground);
    assert.equal(drawHouse({ ...HOUSE, isPitched: false }).eaves, top);
  });

  test('has windows in rows of storeys, and none where these would be too small', () => {
    const { windows, windowSize, left, right } = drawHouse({ ...HOUSE, isPitched: false });
    const rows = new Set(windows.map(([, y]) => y));
    assert.equal(rows.size, 3);
    assert.equal(windows.length, 3 * Math.floor((right - left) / 22));
    assert.ok(windowSize.every((size) => size > 5));
    for (const one of [
      { ...HOUSE, width: 2, height: 40 },
      { ...HOUSE, storeys: 25, height: 60 },
    ]) {
      assert.deepEqual(drawHouse(one).windows, []);
    }
  });

  test('is as wide as the data says, else as houses of its height are, and no thinner than a line', () => {
    const metresOf = (changes: Partial<House>) => {
      const { left, right, scale } = drawHouse({ ...HOUSE, ...changes });
      return (right - left) / scale;
    };
    const close = (found: number, expected: number) =>
      assert.ok(Math.abs(found - expected) < 1e-9, `${found}, not ${expected}`);
    for (const [height, wide] of [
      [3, 6],
      [10, 8],
      [20, 12],
    ] as const)
      close(metresOf({ height, width: null }), wide);
    close(metresOf({ height: 10, width: 1 }), 2);
    close(metresOf({ height: 10, width: 20 }), 20);
    const thin = drawHouse({ ...HOUSE, height: 700, width: 2 });
    close(thin.right - thin.left, 12);
    // Whatever is larger, its height or its width, fills its room.
    const { ground } = drawHouse(HOUSE);
    const [high, wide] = [
      drawHouse({ ...HOUSE, height: 50 }),
      drawHouse({ ...HOUSE, height: 5, width: 100 }),
    ];
    close(high.top, ground - 128);
    close(wide.right - wide.left, 132);
    for (const { left, right, person } of [high, wide]) {
      close((left + right) / 2, 146);
      close(person.x, right + 18);
    }
    assert.deepEqual([ground, DRAWING], [146, { width: 312, height: 168 }]);
  });

  test('has eaves where its storeys end, within what looks like a roof', () => {
    const partOf = (changes: Partial<House>) => {
      const { ground, top, eaves } = drawHouse({ ...HOUSE, isPitched: true, ...changes });
      return (ground - eaves) / (ground - top);
    };
    for (const [storeys, height, part] of [
      [2, 8, 0.7],
      [3, 9, 0.82],
      [1, 9, 0.55],
      // Of unknown storeys, three metres each; of none, one.
      [null, 9.1, 0.82],
      [null, 4.2, 2.8 / 4.2],
      [0, 4, 0.7],
    ] as const)
      assert.ok(Math.abs(partOf({ storeys, height }) - part) < 1e-9, `${storeys} ${height}`);
  });

  test('has windows in the middle of their fields, which are storeys and as wide as two windows', () => {
    const flat = { isPitched: false, depths: [] };
    for (const [house, columns] of [
      [{ height: 9, storeys: 3, width: 9 }, 5],
      [{ height: 30, storeys: 10, width: 20 }, 3],
      [{ height: 4, storeys: 1, width: 90 }, 6],
      [{ height: 100, storeys: 20, width: 33 }, 1],
      [{ height: 11, storeys: null, width: 11 }, 5],
    ] as const) {
      const { left, right, top, ground, windows, windowSize } = drawHouse({ ...flat, ...house });
      const rows = house.storeys ?? 4;
      const [step, storey] = [(right - left) / columns, (ground - top) / rows];
      assert.deepEqual(windowSize, [Math.min(step / 2, 16), Math.min(storey / 2, 14)]);
      assert.equal(windows.length, rows * columns);
      for (const [i, [x, y]] of windows.entries()) {
        const expected = [
          left + ((i % columns) + 0.5) * step,
          top + (Math.floor(i / columns) + 0.5) * storey,
        ];
        const middle = [x + windowSize[0] / 2, y + windowSize[1] / 2];
        assert.ok(Math.hypot(middle[0]! - expected[0]!, middle[1]! - expected[1]!) < 1e-9, `${middle}`);
      }
    }
    for (const house of [
      { height: 200, storeys: 20, width: 2 },
      { height: 9, storeys: 3, width: 1_500 },
    ]) {
      const none = drawHouse({ ...flat, ...house });
      assert.deepEqual([none.windows, none.windowSize], [[], [0, 0]]);
    }
  });

  test('has labels three pixels above their water, or above the label below', () => {
    const labels = (...depths: number[]) => {
      const { levels, ground } = drawHouse({ ...HOUSE, height: 128, depths });
      return levels.map(({ depth, label }) => [depth, Math.round((ground - label) * 1e6) / 1e6]);
    };
    assert.deepEqual(labels(50, 10), [
      [50, 53],
      [10, 13],
    ]);
    assert.deepEqual(labels(12, 10, 10), [
      [12, 28],
      [10, 13],
    ]);
    assert.deepEqual(labels(0.5), [[0.5, 3.5]]);
    assert.deepEqual(labels(0, -1), []);
  });

  test('stays within the picture with labels that do not meet, whatever it is', () => {
    const metres = (most: number) => fc.double({ min: 0.1, max: most, noNaN: true });
    const house = fc.record({
      height: metres(700),
      storeys: fc.option(fc.integer({ min: 1, max: 90 })),
      width: fc.option(metres(1_500)),
      isPitched: fc.boolean(),
      depths: fc.array(metres(40), { maxLength: 6 }),
    });
    fc.assert(
      fc.property(house, (one) => {
        const { top, left, right, ground, levels, windows, eaves } = drawHouse(one);
        assert.ok(top >= 0 && left > 60 && right < DRAWING.width - 20 && eaves >= top && eaves <= ground);
        for (const [x, y] of windows) assert.ok(x >= left && x < right && y >= top && y < ground);
        assert.ok(windows.length <= 24 * 8);
        for (const [i, { label }] of levels.entries()) {
          if (i > 0) assert.ok(levels[i - 1]!.label <= label - 14.9);
        }
      }),
    );
  });

  test('says the storey that water reaches, and nothing where that is not known', () => {
    assert.equal(storeyReached(HOUSE, 2.79), 1);
    assert.equal(storeyReached(HOUSE, 3.6), 2);
    assert.equal(storeyReached(HOUSE, 10.49), null);
    assert.equal(storeyReached({ ...HOUSE, storeys: null }, 1), null);
    assert.equal(storeyReached({ ...HOUSE, storeys: 0 }, 1), null);
    assert.equal(storeyReached({ ...HOUSE, storeys: 1 }, 1), 1);
  });
});

test('the card knows how wide a building is, and whether its roof slopes', () => {
  const box = { min: { lng: 139, lat: 35 }, max: { lng: 139.0001, lat: 35.0003 } };
  assert.equal(Math.round(cardFacts({ _bbox: box }).width!), 33);
  for (const wrong of [undefined, null, 'x', {}, [1, 2], { min: { lng: 1 } }]) {
    assert.equal(cardFacts({ _bbox: wrong }).width, null);
  }
  const pitched = (attributes: Record<string, unknown>) => cardFacts(attributes).isPitched;
  assert.equal(pitched({ 'bldg:roofType': ['切妻屋根'] }), true);
  assert.equal(pitched({ 'bldg:roofType': ['陸屋根'] }), false);
  const wood = { 'uro:buildingDetailAttribute': [{ 'uro:buildingStructureType': ['木造・土蔵造'] }] };
  assert.equal(pitched({ ...wood, 'bldg:storeysAboveGround': 2 }), true);
  assert.equal(pitched({ ...wood, 'bldg:storeysAboveGround': 5 }), false);
  assert.equal(pitched({}), false);
});
