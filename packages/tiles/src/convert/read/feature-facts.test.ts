import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evenly } from '@citymodel/base/testing';
import type { Extent } from '@citymodel/geo';
import fc from 'fast-check';
import type { Column } from './column.ts';
import {
  type BodyFacts,
  type FeatureFacts,
  headFacts,
  type WholeFacts,
  wholeOf,
  widened,
} from './feature-facts.ts';

const LEAST = ['west', 'south', 'bottom'] as const;
const MOST = ['east', 'north', 'top'] as const;

test('all pieces of a feature lie where the outermost of them do, level by level', () => {
  const number = evenly(-180, 180);
  const body = fc.record(
    Object.fromEntries([...LEAST, ...MOST].map((name) => [name, number])) as Record<
      keyof WholeFacts,
      fc.Arbitrary<number>
    >,
    { noNullPrototype: true },
  );
  const bodies = fc.array(fc.option(body), { minLength: 5, maxLength: 5 });
  fc.assert(
    fc.property(fc.array(bodies, { maxLength: 4 }), (pieces) => {
      const whole = wholeOf(pieces.map((of) => ({ bodies: of as BodyFacts[] }) as FeatureFacts));
      assert.equal(whole.length, 5);
      for (const [lod, found] of whole.entries()) {
        const own = pieces.flatMap((piece) => piece[lod] ?? []);
        if (own.length === 0) {
          assert.equal(found, null);
          continue;
        }
        for (const name of LEAST) assert.equal(found![name], Math.min(...own.map((one) => one[name])));
        for (const name of MOST) assert.equal(found![name], Math.max(...own.map((one) => one[name])));
      }
    }),
    { numRuns: 60 },
  );
});

test('an extent grows by every position, longitude before latitude before height', () => {
  const position = fc.tuple(evenly(-180, 180), evenly(-90, 90), evenly(-50, 5_000));
  const positions = fc.array(position, { maxLength: 5 });
  fc.assert(
    fc.property(positions, positions, (before, more) => {
      const all = [...before, ...more];
      const along = (axis: 0 | 1 | 2) => all.map((place) => place[axis]);
      const least = (axis: 0 | 1 | 2) => Math.min(...along(axis));
      const most = (axis: 0 | 1 | 2) => Math.max(...along(axis));
      const expected: Extent = {
        ...{ west: least(0), south: least(1), minAlt: least(2) },
        ...{ east: most(0), north: most(1), maxAlt: most(2) },
      };
      const found = widened(widened(null, Float64Array.from(before.flat())), Float64Array.from(more.flat()));
      assert.deepEqual(found, all.length === 0 ? null : expected);
    }),
    { numRuns: 60 },
  );
});

test('a head says its city and code, and what its columns take in a table, texts with the place of each', () => {
  const column = (name: string, value: string | number): Column => ({
    ...{ name, value },
    type: typeof value === 'string' ? 'STRING' : 'FLOAT64',
  });
  const head = { id: 'a', type: 'bldg:Building' };
  assert.deepEqual(headFacts({ ...head, columns: [] }), {
    ...head,
    ...{ nameCode: null, cityCode: '', textBytes: 0, jsonBytes: 0 },
  });
  const columns = [
    column('city_code', '13101'),
    column('gml:name_code', 2),
    // Three bytes each in UTF-8.
    column('gml:name', '建物'),
    column('attributes', '{"a":1}'),
    column('bldg:measuredHeight', 12.5),
  ];
  assert.deepEqual(headFacts({ ...head, columns }), {
    ...head,
    ...{ nameCode: '2', cityCode: '13101', jsonBytes: 7 + 4 },
    textBytes: 5 + 4 + 8 + (6 + 4) + (7 + 4) + 8,
  });
});
