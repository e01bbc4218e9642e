import assert from 'node:assert/strict';
import { afterEach, beforeEach, mock, test } from 'node:test';
import { clockError, forgetDatabaseTime, noteDatabaseTime, sharedNow, TOLERANCE_MS } from './shared-clock.ts';

const NOON = Date.UTC(2026, 0, 1, 12);

beforeEach(() => mock.timers.enable({ apis: ['Date'], now: NOON }));
afterEach(() => {
  mock.timers.reset();
  forgetDatabaseTime();
});

test('without a database the machine says what time it is', () => {
  assert.equal(sharedNow(), NOON);
  assert.equal(clockError(), 0);
});

test('a small difference to the database does not count', () => {
  const moment = performance.now();
  noteDatabaseTime(NOON - TOLERANCE_MS / 2, moment, moment);
  assert.equal(sharedNow(), NOON);
});

for (const hours of [-24, -1, 1, 24 * 365]) {
  test(`a clock that jumps by ${hours} h later moves nothing`, () => {
    const moment = performance.now();
    noteDatabaseTime(NOON, moment, moment);
    mock.timers.setTime(NOON + hours * 3_600_000);
    const passed = performance.now() - moment;
    assert.ok(Math.abs(sharedNow() - NOON - passed) < 1_000, String(sharedNow() - NOON));
    assert.ok(Math.abs(clockError() - hours * 3_600_000) < 1_000);
  });
}

test('the database answered in the middle of its question, and its time goes on with the clock of the process', (t) => {
  let now = 50_000;
  t.mock.method(performance, 'now', () => now);
  noteDatabaseTime(NOON + 10_000, 40_000, 44_000);
  // 8 s after the middle of the question.
  assert.equal(sharedNow(), NOON + 18_000);
  assert.equal(clockError(), -18_000);
  now += 1_234.4;
  assert.equal(sharedNow(), NOON + 19_234);
  assert.equal(clockError(), -19_234);
});

test('up to two seconds are the own clock, one millisecond more is that of the database', (t) => {
  t.mock.method(performance, 'now', () => 7_000);
  for (const sign of [-1, 1]) {
    noteDatabaseTime(NOON + 2_000 * sign, 7_000, 7_000);
    assert.equal(sharedNow(), NOON);
    noteDatabaseTime(NOON + 2_001 * sign, 7_000, 7_000);
    assert.equal(sharedNow(), NOON + 2_001 * sign);
  }
});
