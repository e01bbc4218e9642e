import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
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

test('the network of an address is its first four groups, however the address is written', () => {
  const group = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 0xffff }));
  const groups = fc.array(group, { minLength: 8, maxLength: 8 });
  const style = fc.record({
    from: fc.nat(8),
    count: fc.nat(8),
    isUpper: fc.boolean(),
    isPadded: fc.boolean(),
  });
  fc.assert(
    fc.property(groups, style, fc.boolean(), (all, { from, count, isUpper, isPadded }, hasIPv4) => {
      const to = Math.min(8, from + count);
      const address = all.map((value, i) => (i >= from && i < to ? 0 : value));
      fc.pre(!(address.slice(0, 5).every((value) => value === 0) && address[5] === 0xffff));
      const written = address.map((value) => {
        const digits = value.toString(16).padStart(isPadded ? 4 : 1, '0');
        return isUpper ? digits.toUpperCase() : digits;
      });
      if (hasIPv4 && to <= 6) {
        const [a, b] = address.slice(6) as [number, number];
        written.splice(6, 2, [a >> 8, a & 255, b >> 8, b & 255].join('.'));
      }
      // A run of zeros may be left out, once.
      const isShort = to > from;
      const text = isShort
        ? `${written.slice(0, from).join(':')}::${written.slice(to).join(':')}`
        : written.join(':');
      const network = address.slice(0, 4).map((value) => value.toString(16));
      assert.equal(networkOf(text), `${network.join(':')}::/64`, text);
    }),
    { numRuns: 400 },
  );
});

test('what is no address of IPv6 is a caller of its own', () => {
  for (const text of ['', 'unknown', '192.0.2.1', '2001:db8', '::ffff:192.0.2.1.5'])
    assert.equal(networkOf(text), text);
  assert.equal(networkOf('::FFFF:192.0.2.7'), '192.0.2.7');
});
