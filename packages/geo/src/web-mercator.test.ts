import assert from 'node:assert/strict';
import { it } from 'node:test';
import { evenly } from '@citymodel/base/testing';
import fc from 'fast-check';
import { mercatorLat, mercatorLng, tileBounds } from './web-mercator.ts';

it('inverts the projection', () => {
  fc.assert(
    fc.property(evenly(-180, 180), evenly(-85, 85), (lng, lat) => {
      const phi = (lat * Math.PI) / 180;
      const y = (1 - Math.log(Math.tan(phi) + 1 / Math.cos(phi)) / Math.PI) / 2;
      assert.ok(Math.abs(mercatorLat(y) - lat) < 1e-9);
      assert.ok(Math.abs(mercatorLng((lng + 180) / 360) - lng) < 1e-9);
    }),
  );
});

it('gives the bounds of ranges of tiles', () => {
  const world = tileBounds(0, 0, 0);
  assert.deepEqual([world.west, world.east], [-180, 180]);
  assert.ok(Math.abs(world.north - 85.0511287798) < 1e-9 && Math.abs(world.south + world.north) < 1e-9);
  const [a, b, both] = [tileBounds(9, 453, 202), tileBounds(9, 454, 203), tileBounds(9, 453, 202, 454, 203)];
  assert.deepEqual(both, { west: a.west, south: b.south, east: b.east, north: a.north });
});
