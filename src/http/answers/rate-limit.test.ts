import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { ServiceError } from '../../base/errors.ts';
import { networkOf, RateLimit } from './rate-limit.ts';

function taken(limit: RateLimit, address: string): boolean {
  try {
    limit.take(address);
    return true;
  } catch (error) {
    assert.equal((error as ServiceError).status, 429);
    return false;
  }
}

describe('rate limit', () => {
  test("takes a minute's worth at once, then one for each share of a minute", () => {
    let now = 0;
    const limit = new RateLimit({ perMinute: 60, now: () => now });
    for (let i = 0; i < 60; i++) limit.take('192.0.2.1');
    assert.throws(() => limit.take('192.0.2.1'), { message: 'too many requests', retryAfter: 1 });
    assert.ok(taken(limit, '192.0.2.2'), 'others are not concerned');
    now = 999;
    assert.ok(!taken(limit, '192.0.2.1'));
    now = 1_000;
    assert.ok(taken(limit, '192.0.2.1'));
    assert.ok(!taken(limit, '192.0.2.1'));
    now = 3_600_000;
    for (let i = 0; i < 60; i++) limit.take('192.0.2.1');
    assert.ok(!taken(limit, '192.0.2.1'), "no more is saved up than a minute's worth");
  });

  test('what it says to wait is enough, and never more than a second too long', () => {
    const rates = fc.integer({ min: 1, max: 5_000 });
    fc.assert(
      fc.property(rates, fc.array(fc.nat(30_000), { maxLength: 80 }), (perMinute, pauses) => {
        let now = 0;
        const limit = new RateLimit({ perMinute, now: () => now });
        let accepted = 0;
        for (const pause of pauses) {
          now += pause;
          try {
            limit.take('a');
            accepted++;
          } catch (error) {
            const { retryAfter } = error as ServiceError;
            now += retryAfter! * 1_000;
            limit.take('a');
            accepted++;
          }
        }
        assert.ok(accepted <= perMinute + (now * perMinute) / 60_000 + 1e-6);
      }),
    );
  });

  test('0 means any number, and memory is bounded', () => {
    const open = new RateLimit({ perMinute: 0 });
    for (let i = 0; i < 1_000; i++) open.take('a');
    assert.equal(open.size, 0);
    const limit = new RateLimit({ perMinute: 1 });
    for (let i = 0; i < 60_000; i++) limit.take(`10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`);
    assert.equal(limit.size, 50_000);
  });

  test("takes a subscriber's network for one caller", () => {
    assert.equal(networkOf('192.0.2.1'), '192.0.2.1');
    assert.equal(networkOf('::ffff:192.0.2.1'), '192.0.2.1');
    for (const address of ['2001:db8:1:2::1', '2001:DB8:1:2:aaaa:bbbb:cccc:dddd', '2001:0db8:0001:0002::']) {
      assert.equal(networkOf(address), '2001:db8:1:2::/64');
    }
    assert.equal(networkOf('::1'), '0:0:0:0::/64');
    assert.equal(networkOf('fe80::1%eth0'), 'fe80:0:0:0::/64');
    assert.equal(networkOf('2001:db8::1:2:3:4:5'), '2001:db8:0:1::/64');
    assert.equal(networkOf('2001::192.0.2.1'), '2001:0:0:0::/64');
  });
});
