import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Column } from './column.ts';

test('a column holds what was pushed and appended, however it grew', () => {
  const step = fc.oneof(fc.nat(), fc.array(fc.nat(), { maxLength: 40 }));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const column = new Column((length) => new Float64Array(length), 1);
      for (const step of steps) {
        if (typeof step === 'number') column.push(step);
        else column.append(step);
      }
      const expected = steps.flat();
      assert.equal(column.count, expected.length);
      assert.deepEqual([...column.slice(0, column.count)], expected);
      for (const [i, value] of expected.entries()) assert.equal(column.at(i), value);
      column.release();
      assert.equal(column.count, 0);
    }),
  );
});
