import assert from 'node:assert/strict';
import { test } from 'node:test';
import { networkOf } from './network-of.ts';

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
