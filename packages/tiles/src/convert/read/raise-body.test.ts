import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VerticalRefused } from '../heights/vertical.ts';
import type { HeightModel, PartContext } from '../part-maker.ts';
import { bodyOfPolygons } from './bodies.ts';
import { areaOf } from './body-area.ts';
import { raise, raisingOf } from './raise-body.ts';

function context(heights: PartContext['options']['heights']) {
  const asked: unknown[][] = [];
  const elevations = new Set<'jgd2011' | 'jgd2024'>();
  const offset: HeightModel['offset'] = (...of) => {
    asked.push(of);
    return 40;
  };
  const of = { heights: { offset, elevations }, options: { heights } } as unknown as PartContext;
  return { of, asked, elevations };
}

test('heights above the ellipsoid stay, others are raised by the model, those after the revision as such', () => {
  const { of, asked, elevations } = context('geoid');
  assert.equal(raisingOf('EPSG:6667', of)(139, 35), 0);
  assert.deepEqual(asked, []);
  assert.equal(raisingOf('EPSG:6697', of)(139, 35), 40);
  assert.equal(raisingOf('EPSG:11318', of)(140, 36), 40);
  assert.equal(raisingOf(null, of)(141, 37), 40);
  assert.deepEqual(asked, [
    [139, 35, 'jgd2011'],
    [140, 36, 'jgd2024'],
    [141, 37, 'jgd2011'],
  ]);
  assert.equal(elevations.size, 0);
  assert.throws(() => raisingOf('EPSG:6668+5715', of), VerticalRefused);
});

test('where elevations are asked for nothing is raised, and of which datum they are is noted', () => {
  const { of, asked, elevations } = context('elevation');
  for (const name of ['EPSG:6697', 'EPSG:11318', 'EPSG:6667', 'EPSG:6668+5715'])
    assert.equal(raisingOf(name, of)(139, 35), 0);
  assert.deepEqual(asked, []);
  assert.deepEqual([...elevations], ['jgd2011', 'jgd2024']);
  const plain = context('elevation');
  raisingOf(null, plain.of);
  assert.deepEqual([...plain.elevations], ['jgd2011']);
});

test('a body that is raised has heights above the ellipsoid, and says where it was and is', () => {
  const corners = [139, 35, 2, 139.01, 35, 3, 139.01, 35.02, -4, 139, 35.02, 1];
  const body = bodyOfPolygons(Float64Array.from(corners), Uint32Array.of(4), Uint32Array.of(1), false);
  const facts = raise(body, (lng, lat) => lng - 100 + (lat - 35) * 1000);
  const raised = [41, 42.01, 55.01, 60];
  for (const [i, height] of raised.entries())
    assert.ok(Math.abs(body.positions[3 * i + 2]! - height) < 1e-9, `${body.positions[3 * i + 2]}`);
  const { low, high, ...others } = facts;
  assert.ok(Math.abs(low - 41) < 1e-9 && Math.abs(high - 60) < 1e-9);
  assert.deepEqual(others, {
    ...{ west: 139, south: 35, east: 139.01, north: 35.02, bottom: -4, top: 3 },
    ...{ positions: 4, polygons: 1, area: areaOf(body) },
  });
  assert.ok(facts.area > 1e6);
});
