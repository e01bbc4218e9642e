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
