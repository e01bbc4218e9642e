import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linear, PLAIN_LOOK, packColour } from './look.ts';

test('sRGB becomes linear as its standard has it (IEC 61966-2-1)', () => {
  assert.deepEqual([linear(0), linear(1)], [0, 1]);
  for (const [value, expected] of [
    [0.02, 0.001548],
    [0.04, 0.003096],
    [0.05, 0.003936],
    [0.5, 0.214041],
    [0.8, 0.603827],
  ] as const)
    assert.ok(Math.abs(linear(value) - expected) < 1e-6, `${linear(value)} is not ${expected}`);
  // Both parts meet.
  assert.ok(Math.abs(linear(0.04045) - linear(0.040451)) < 1e-6);
});

test('colours have eight bits for each part, red highest, and parts beyond 0 to 1 are cut', () => {
  assert.equal(packColour(1, 0, 0, 0), 0xff000000);
  assert.equal(packColour(0, 1, 0, 0), 0x00ff0000);
  assert.equal(packColour(0, 0, 1, 0), 0x0000ff00);
  assert.equal(packColour(0, 0, 0, 1), 0x000000ff);
  assert.equal(packColour(0.2, 0.4, 0.6, 0.8), 0x336699cc);
  assert.equal(packColour(2, -1, 1.01, -0.1), 0xff00ff00);
  assert.deepEqual(PLAIN_LOOK.of(0, 0), { image: null, uvs: null, colour: packColour(1, 1, 1, 1) });
});
