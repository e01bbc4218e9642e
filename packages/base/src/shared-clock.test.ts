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
