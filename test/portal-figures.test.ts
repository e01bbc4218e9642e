/** Figures of the portal: their address, and the bars that they are drawn with. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  barsOf,
  classesOf,
  figuresOf,
  statisticsPath,
  textOfFigures,
} from '../packages/portal/src/statistics/figures.ts';

describe('figures', () => {
  const chart = { kind: 'histogram', name: 'h', title: 'count', step: 5 } as const;
  const groupsOf = (values: ReadonlyArray<readonly [number | string | null, number]>) =>
    values.map(([value, count]) => ({ by: { h: value }, count, of: {} }));

  test('are read from the address as they are written', () => {
    assert.deepEqual(figuresOf(null), { area: 'all', type: 'bldg', year: null });
    for (const text of ['13,tran', '13101,bldg,2023', 'all,veg']) {
      assert.equal(textOfFigures(figuresOf(text)), text);
    }
    const path = statisticsPath(figuresOf('13101,bldg,2023'), { ...chart, name: 'bldg:measuredHeight' });
    assert.equal(
      path,
      '/citygml/statistics?area=13101&type=bldg&year=2023&attributes=v2&by=bldg:measuredHeight&step=5',
    );
  });

  test('draw every feature once, in classes, below, above or without a number', () => {
    const groups = fc.array(
      fc.tuple(
        fc.oneof(
          fc.integer({ min: -40, max: 200 }).map((n) => n * 5),
          fc.constantFrom(null, 'x'),
        ),
        fc.integer({ min: 1, max: 1_000 }),
      ),
    );
    fc.assert(
      fc.property(groups, (values) => {
        const all = values.reduce((sum, [, count]) => sum + count, 0);
        const { bars, rest } = classesOf(groupsOf(values), chart);
        assert.equal(
          bars.reduce((sum, { count }) => sum + count, rest),
          all,
        );
        assert.ok(bars.length <= 40);
        for (const [n, { value }] of bars.entries()) if (n > 0) assert.equal(value, bars[n - 1]!.value + 5);
        const { bars: rows, others } = barsOf(groupsOf(values), chart, ', ');
        assert.equal(
          rows.reduce((sum, { count }) => sum + count, others),
          all,
        );
      }),
    );
  });

  test('have a class for each step, the last one open', () => {
    const { bars, isOpen, rest } = classesOf(
      groupsOf([
        [10, 7],
        [0, 3],
        [500, 2],
        [null, 4],
      ]),
      chart,
    );
    assert.deepEqual(
      bars.slice(0, 3).map(({ count }) => count),
      [3, 0, 7],
    );
    assert.deepEqual([bars.length, bars.at(-1), isOpen, rest], [40, { value: 195, count: 2 }, true, 4]);
  });
});
