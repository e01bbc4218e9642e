import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planeOf, planeSystem } from './plane-of.ts';

const ZONES_BEFORE = 6668;

test('a place has the zone that the public notice gives its prefecture', () => {
  for (const [place, prefecture, lng, lat, zone] of [
    ['Nagasaki', '42', 129.87, 32.75, 1],
    ['Fukuoka', '40', 130.4, 33.6, 2],
    ['Kagoshima', '46', 130.55, 31.6, 2],
    ['Tanegashima', '46', 131, 30.7, 2],
    ['Yakushima', '46', 130.5, 30.3, 2],
    ['Nakanoshima, Tokara', '46', 129.85, 29.85, 2],
    ['Amami', '46', 129.49, 28.37, 1],
    ['Hiroshima', '34', 132.45, 34.4, 3],
    ['Kochi', '39', 133.53, 33.56, 4],
    ['Okayama', '33', 133.93, 34.66, 5],
    ['Osaka', '27', 135.5, 34.69, 6],
    ['Nagoya', '23', 136.9, 35.18, 7],
    ['Nagano', '20', 138.19, 36.65, 8],
    ['Chiyoda', '13', 139.75, 35.69, 9],
    ['Hachijojima', '13', 139.79, 33.11, 9],
    ['Chichijima', '13', 142.19, 27.09, 14],
    ['Okinotorishima', '13', 136.08, 20.42, 18],
    ['Minamitorishima', '13', 153.98, 24.28, 19],
    ['Aomori', '02', 140.74, 40.82, 10],
    ['Hakodate', '01', 140.73, 41.77, 11],
    ['Sapporo', '01', 141.35, 43.06, 12],
    ['Kushiro', '01', 144.38, 42.98, 13],
    ['Naha', '47', 127.68, 26.21, 15],
    ['Ishigaki', '47', 124.16, 24.34, 16],
    ['Minamidaito', '47', 131.23, 25.83, 17],
    ['Sapporo, of a prefecture that is not known', null, 141.35, 43.06, 12],
    ['Nemuro, of a prefecture that is not known', null, 145.58, 43.33, 13],
    ['Naha, of a prefecture that is not known', null, 127.68, 26.21, 15],
    ['Nagasaki, of a prefecture that is not known', null, 129.87, 32.75, 1],
    ['Tokyo, of a prefecture that is not known', null, 139.75, 35.69, 9],
    ['Sendai, of a prefecture that is not known', null, 140.87, 38.27, 10],
    ['Aomori, of a prefecture that is not known', null, 140.74, 40.82, 10],
  ] as const) {
    assert.equal(planeOf(prefecture, lng, lat), ZONES_BEFORE + zone, place);
  }
});

test('zones have borders where the public notice draws them', () => {
  for (const [prefecture, lng, lat, zone] of [
    [null, 140.49, 27.9, 18],
    [null, 140.5, 27.9, 14],
    [null, 143, 27.9, 14],
    [null, 143.01, 27.9, 19],
    [null, 125.99, 27, 16],
    [null, 126, 27, 15],
    [null, 130, 27, 15],
    [null, 130.01, 27, 17],
    ['01', 141.24, 43, 11],
    ['01', 141.25, 43, 12],
    ['01', 143.24, 43, 12],
    ['01', 143.25, 43, 13],
  ] as const) {
    assert.equal(planeOf(prefecture, lng, lat), ZONES_BEFORE + zone, `${lng},${lat}`);
  }
  // Without a prefecture the nearest meridian counts, halfway between two the first.
  for (let lng = 129; lng < 142; lng += 0.07) {
    const meridians = [
      129.5,
      131,
      132 + 1 / 6,
      133.5,
      134 + 1 / 3,
      136,
      137 + 1 / 6,
      138.5,
      139 + 5 / 6,
      140 + 5 / 6,
    ];
    const apart = meridians.map((meridian) => Math.abs(meridian - lng));
    const [least, next] = apart.toSorted((a, b) => a - b);
    if (next! - least! < 1e-3) continue;
    assert.equal(planeOf(null, lng, 35), ZONES_BEFORE + 1 + apart.indexOf(least!), `${lng}`);
  }
});

test('only a plane system that is known measures areas', () => {
  assert.equal(planeSystem(6677).geographic, false);
  for (const code of [6697, 4326, 1]) assert.throws(() => planeSystem(code), RangeError);
});
