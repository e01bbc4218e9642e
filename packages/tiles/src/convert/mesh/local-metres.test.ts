import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toMetres } from './local-metres.ts';

test('positions are metres east, north and above of the first', () => {
  const metres = toMetres(Float64Array.of(139, 60, 5, 139.001, 60, 5, 139, 60.001, 7.5, 138.999, 59.999, 0));
  const expected = [0, 0, 0, 55.66, 0, 0, 0, 111.32, 2.5, -55.66, -111.32, -5];
  assert.equal(metres.length, expected.length);
  for (const [i, value] of metres.entries())
    assert.ok(Math.abs(value - expected[i]!) < 1e-6, `${i}: ${value}`);
  assert.deepEqual([...toMetres(new Float64Array())], []);
});
