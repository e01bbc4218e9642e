import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compressionOf } from './compression.ts';

test('the encoder of meshes is the one that the option names, or none', async () => {
  for (const compression of ['draco', 'meshopt', 'none'] as const) {
    const { kind, ...encoder } = await compressionOf({ compression });
    assert.equal(kind, compression);
    assert.deepEqual(
      Object.keys(encoder),
      { draco: ['module'], meshopt: ['encoder'], none: [] }[compression],
    );
  }
});
