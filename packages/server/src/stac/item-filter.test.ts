import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { StacEntry } from './entries.ts';
import { type ItemFilter, meansItem, readBoxes, readInterval } from './item-filter.ts';
import { searchedGeometry } from './searched-geometry.ts';
import { fiscalYearStart, spdxOf, yearsInterval } from './stac-words.ts';

const NONE: ItemFilter = { collections: null, ids: null, boxes: null, interval: null, intersects: null };

function entry(facts: Partial<StacEntry>): StacEntry {
  return {
    kind: 'edition',
    collection: '13101',
    id: '13101-2023',
    year: 2023,
    bounds: null,
    ...facts,
  } as StacEntry;
}

test('all conditions must hold, and an item without a place meets no box', () => {
  const bounds = { west: 139, south: 35, east: 140, north: 36 };
  const item = entry({ bounds });
  assert.equal(meansItem(NONE, item), true);
  assert.equal(meansItem({ ...NONE, collections: new Set(['bldg']) }, item), false);
  assert.equal(meansItem({ ...NONE, collections: new Set(['13101']), ids: new Set(['x']) }, item), false);
  assert.equal(meansItem({ ...NONE, ids: new Set(['13101-2023']) }, item), true);
  const touching = { ...NONE, boxes: readBoxes([140, 36, 141, 37]) };
  assert.equal(meansItem(touching, item), true);
  assert.equal(meansItem(touching, entry({})), false);
  assert.equal(meansItem({ ...NONE, boxes: readBoxes([140.1, 36, 141, 37]) }, item), false);
  const line = {
    type: 'LineString',
    coordinates: [
      [138, 35.5],
      [141, 35.5],
    ],
  };
  assert.equal(meansItem({ ...NONE, intersects: searchedGeometry(line) }, item), true);
  const frame = (from: number, to: number) => [
    [from, from - 104],
    [to, from - 104],
    [to, to - 104],
    [from, to - 104],
    [from, from - 104],
  ];
  const polygon = { type: 'Polygon', coordinates: [frame(138, 142), frame(138.5, 141)] };
  assert.equal(meansItem({ ...NONE, intersects: searchedGeometry(polygon) }, item), false, 'in the hole');
});

test('a year is a fiscal year of Japan', () => {
  assert.deepEqual(yearsInterval([2023, 2021]), ['2021-03-31T15:00:00Z', '2024-03-31T14:59:59Z']);
  assert.equal(yearsInterval([]), null);
  const during = (text: string) => meansItem({ ...NONE, interval: readInterval(text) }, entry({}));
  assert.equal(during('2023-03-31T14:59:59Z'), false);
  assert.equal(during('2023-03-31T15:00:00Z'), true);
  assert.equal(during('2023-04-01T00:00:00+09:00'), true);
  assert.equal(during('2024-03-31T14:59:59.999Z'), true);
  assert.equal(during('2024-03-31T15:00:00Z'), false);
  assert.equal(during('../2023-03-31T15:00:00Z'), true);
  assert.equal(during('../2023-03-31T14:59:59Z'), false);
  assert.equal(during('2024-03-31T15:00:00Z/..'), false);
  assert.equal(during('2024-03-31T14:59:59Z/'), true);
});

test('intervals: any two instants in order, whatever their zone', () => {
  const instant = fc.record({
    ms: fc.integer({ min: 0, max: 4e12 }),
    zone: fc.integer({ min: -12, max: 14 }),
  });
  const written = ({ ms, zone }: { ms: number; zone: number }) => {
    const local = new Date(ms + zone * 3_600_000).toISOString().slice(0, -1);
    return `${local}${zone < 0 ? '-' : '+'}${String(Math.abs(zone)).padStart(2, '0')}:00`;
  };
  fc.assert(
    fc.property(instant, instant, (a, b) => {
      const [first, second] = a.ms <= b.ms ? [a, b] : [b, a];
      assert.deepEqual(readInterval(`${written(first)}/${written(second)}`), {
        start: first.ms,
        end: second.ms,
      });
      if (first.ms < second.ms)
        assert.throws(() => readInterval(`${written(second)}/${written(first)}`), /ends before/);
    }),
  );
  for (const text of [
    '',
    '2023',
    '2023-04-01',
    '../..',
    '/',
    'a/b',
    '2023-04-01T00:00:00',
    '2023-13-01T00:00:00Z',
    '2023-02-29T00:00:00Z',
    '2023-06-31T00:00:00+09:00',
    '../../..',
  ]) {
    assert.throws(() => readInterval(text), RangeError, text);
  }
});

test('boxes: four or six numbers, over the meridian of 180 degrees as two', () => {
  assert.deepEqual(readBoxes([139, 35, 0, 140, 36, 100]), [{ west: 139, south: 35, east: 140, north: 36 }]);
  assert.deepEqual(readBoxes([170, -10, -170, 10]), [
    { west: 170, south: -10, east: 180, north: 10 },
    { west: -180, south: -10, east: -170, north: 10 },
  ]);
  for (const numbers of [
    [],
    [1, 2, 3],
    [0, 10, 1, 5],
    [0, 0, 181, 1],
    [0, 0, 1, 91],
    [0, 0, Number.NaN, 1],
  ]) {
    assert.throws(() => readBoxes(numbers), RangeError, String(numbers));
  }
});

test('licences: SPDX where a text names a Creative Commons one', () => {
  assert.equal(spdxOf('CC BY 4.0'), 'CC-BY-4.0');
  assert.equal(spdxOf('PLATEAU … (cc-by-sa-4.0)'), 'CC-BY-SA-4.0');
  assert.equal(spdxOf('CC0 1.0'), 'CC0-1.0');
  for (const text of [null, '', 'see below', 'CC BY', 'ACC BY 4.0'])
    assert.equal(spdxOf(text), 'other', String(text));
});

test('the first second of a year', () => {
  assert.equal(new Date(fiscalYearStart(2020)).toISOString(), '2020-03-31T15:00:00.000Z');
});

test('a time is an instant or two, of which one may be open', () => {
  const [a, b] = ['2024-01-02T03:04:05Z', '2024-02-02T03:04:05+09:00'];
  assert.deepEqual(readInterval(a), { start: Date.parse(a), end: Date.parse(a) });
  assert.deepEqual(readInterval(`${a}/${b}`), { start: Date.parse(a), end: Date.parse(b) });
  assert.deepEqual(readInterval(`${a}/${a}`), { start: Date.parse(a), end: Date.parse(a) });
  for (const open of ['..', '']) {
    assert.deepEqual(readInterval(`${open}/${b}`), { start: Number.NEGATIVE_INFINITY, end: Date.parse(b) });
    assert.deepEqual(readInterval(`${a}/${open}`), { start: Date.parse(a), end: Number.POSITIVE_INFINITY });
    assert.throws(() => readInterval(`${open}/..`), RangeError);
  }
  for (const wrong of [`${a}/${b}/${b}`, `${a}/${b}/`, '', '2024', '2024-02-30T00:00:00Z', 'x/y', `${a}/x`])
    assert.throws(() => readInterval(wrong), RangeError, wrong);
  assert.throws(() => readInterval(`${b}/${a}`), { message: 'datetime ends before it starts.' });
});
