import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Random } from './random.ts';

test('a key gives the same values again, another key others', () => {
  const draw = (key: string) =>
    Array.from(
      { length: 8 },
      (
        (random) => () =>
          random.uint32()
      )(new Random(key)),
    );
  assert.deepEqual(draw('a'), draw('a'));
  assert.notDeepEqual(draw('a'), draw('b'));
});

test('values are spread over their range', () => {
  const random = new Random('spread');
  const counts = new Array<number>(6).fill(0);
  for (let i = 0; i < 6000; i++) counts[random.int(1, 6) - 1]!++;
  for (const count of counts) assert.ok(count > 850 && count < 1150, String(counts));
});

test('UUIDs are shaped as version 4 and do not repeat', () => {
  const seen = new Set<string>();
  for (let i = 0; i < 20_000; i++) seen.add(new Random(`key/${i}`).uuid());
  assert.equal(seen.size, 20_000);
  for (const uuid of seen)
    assert.match(uuid, /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
});
