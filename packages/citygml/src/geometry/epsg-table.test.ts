import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { crsOf } from './crs.ts';
import { compoundOf, registeredSystem } from './epsg-table.ts';

const ROWS = readFileSync(new URL('./data/epsg-systems.tsv', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => line.split('\t'));

test('every system of the table leads from the middle of its area and back', () => {
  let systems = 0;
  for (const [code, order, area] of ROWS) {
    if (order === '+') continue;
    systems++;
    const [west, south, east, north] = area!.split(' ').map(Number) as [number, number, number, number];
    const lng = ((west + ((((east - west) % 360) + 360) % 360) / 2 + 540) % 360) - 180;
    const lat = (south + north) / 2;
    const crs = crsOf(`EPSG:${code}`);
    assert.ok(crs !== null, code);
    const [x, y] = crs.toPlane(lng, lat);
    const [a, b] = crs.northFirst ? crs.toLngLat(y, x) : crs.toLngLat(x, y);
    const off = Math.hypot((((a - lng + 540) % 360) - 180) * Math.cos((lat * Math.PI) / 180), b - lat);
    // 20 cm: the way back of seven parameters is not their exact inverse.
    assert.ok(off < 2e-6, `EPSG:${code} is ${off} degrees off`);
  }
  assert.ok(systems > 3_000, `${systems}`);
});

test('every system of two has a horizontal part in the table', () => {
  let compounds = 0;
  for (const [code, order] of ROWS) {
    if (order !== '+') continue;
    compounds++;
    const parts = compoundOf(Number(code));
    assert.ok(parts !== null && registeredSystem(parts[0]) !== null, code);
    assert.equal(registeredSystem(Number(code)), null);
  }
  assert.ok(compounds > 150, `${compounds}`);
});

test('codes are found whole', () => {
  assert.equal(registeredSystem(3_068)?.proj.startsWith('+proj=cass '), true);
  for (const code of [306, 68, 30_680, 0, 999_999, Number.NaN]) {
    assert.equal(registeredSystem(code), null);
    assert.equal(compoundOf(code), null);
  }
  assert.equal(compoundOf(25_832), null);
  assert.deepEqual(compoundOf(7_415), [28_992, 5_709]);
});
