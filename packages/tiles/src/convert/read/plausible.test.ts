import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LodGeometry, Surface, XmlElement } from '@citymodel/citygml';
import fc from 'fast-check';
import type { GmlFacts } from '../part-maker.ts';
import { type Implausible, Plausibility } from './plausible.ts';

/** The mesh reaches from 35 to 35.0083° N, and 138 to 138.0125° E. */
const MESH = { type: 'bldg', mesh: '52384000' };
const owner: XmlElement = { name: 'bldg:Building', attributes: {}, children: [], text: '' };

function surface(...corners: Array<[lng: number, lat: number, height: number]>): Surface {
  const element = { ...owner, name: 'gml:Polygon' };
  const written = [{ id: null, positions: corners.length, kept: null }];
  return { rings: [Float64Array.from(corners.flat())], written, element };
}

function geometry(some: Partial<LodGeometry>): LodGeometry {
  return {
    ...{ solids: [], surfaces: [], lines: [], points: [], flat: false },
    ...{ property: 'bldg:lod1Solid', lod: 1, owner, role: 'body' },
    ...some,
  };
}

function filtered(
  {
    type,
    mesh,
    path = `udx/${type}/${mesh}_${type}_6697_op.gml`,
  }: Partial<GmlFacts> & { type: string; mesh: string | null },
  geometries: LodGeometry[],
  heights = true,
) {
  const findings: Array<[Implausible, number]> = [];
  const result = new Plausibility({ path, type, mesh }, heights).filter(geometries, (...finding) =>
    findings.push(finding),
  );
  return { ...result, told: findings };
}

const at = (lng: number, lat: number, height = 0) =>
  surface([lng, lat, height], [lng + 1e-4, lat, 0], [lng, lat + 1e-4, 0]);
const near = at(138.001, 35.001);

test('a polygon of a solid and of a surface is left out of both, and counted once', () => {
  const high = at(138, 35, 13_000);
  const {
    geometries,
    left,
    told: findings,
  } = filtered(MESH, [geometry({ solids: [[[near, high]], [[high]]] }), geometry({ surfaces: [high] })]);
  assert.deepEqual(findings, [['HEIGHT_IMPLAUSIBLE', 1]]);
  assert.deepEqual([...left], [[high.element, 'HEIGHT_IMPLAUSIBLE']]);
  assert.deepEqual(
    geometries.map(({ solids, surfaces }) => [solids, surfaces]),
    [[[[[near]]], []]],
  );
  assert.deepEqual(filtered(MESH, [geometry({ surfaces: [high] })], false).told, []);
});

test('what stands in one place lies within 10 km of the mesh, other features within 50 km', () => {
  for (const [type, kilometres] of [
    ['bldg', 10],
    ['urf', 50],
  ] as const) {
    const north = (km: number) => at(138.001, 35 + 1 / 120 + km / 111.2 - 2e-4);
    const east = (km: number) => at(138.0125 + km / (111.2 * Math.cos((35 * Math.PI) / 180)) - 2e-4, 35.001);
    const facts = { ...MESH, type };
    for (const place of [north, east]) {
      assert.deepEqual(filtered(facts, [geometry({ surfaces: [place(kilometres)] })]).told, []);
      assert.deepEqual(filtered(facts, [geometry({ surfaces: [place(kilometres * 1.01)] })]).told, [
        ['GEOMETRY_FAR_OFF', 1],
      ]);
    }
  }
});

test('a polygon of more than 10,000 positions, 500 that repeat, or 1,000 holes is not cut into triangles', () => {
  const ring = (count: number, different = count) =>
    Float64Array.from(
      { length: 3 * count },
      (_, i) => [138.001 + (Math.floor(i / 3) % different) * 1e-7, 35.001, 0][i % 3]!,
    );
  const of = (...rings: Float64Array[]) => ({ ...near, rings });
  const findingsOf = (some: Surface, isSpatial = true) =>
    filtered(MESH, [geometry({ surfaces: [some] })], isSpatial).told;
  const large = [['POLYGON_TOO_LARGE', 1]];
  const holes = (count: number) =>
    Array.from({ length: count }, (_, i) =>
      ring(3).map((value, k) => (k % 3 === 1 ? value + i * 1e-6 : value)),
    );
  assert.deepEqual(findingsOf(of(ring(10_000))), []);
  assert.deepEqual(findingsOf(of(ring(10_001))), large);
  assert.deepEqual(findingsOf(of(ring(10_001)), false), []);
  assert.deepEqual(findingsOf(of(ring(503, 3))), []);
  assert.deepEqual(findingsOf(of(ring(504, 3))), large);
  assert.deepEqual(findingsOf(of(ring(4), ...holes(1_000))), []);
  assert.deepEqual(findingsOf(of(ring(4), ...holes(1_001))), large);
});

test('lines and points count as polygons do, and only those of the shape', () => {
  const far = [Float64Array.of(150, 35, 0)];
  assert.deepEqual(filtered(MESH, [geometry({ lines: far, points: far })]), {
    geometries: [],
    left: new Map(),
    told: [['GEOMETRY_FAR_OFF', 2]],
  });
  const aside = geometry({ points: far, role: 'aside' });
  assert.deepEqual(filtered(MESH, [aside]).geometries, [aside]);
});

test('what is left of a shape is kept, be it surfaces, lines or points alone or several of them', () => {
  const [line, far] = [Float64Array.of(138.001, 35.001, 0), Float64Array.of(150, 35, 0)];
  const kept: Array<Partial<LodGeometry>> = [
    { surfaces: [near] },
    { lines: [line] },
    { points: [line] },
    { surfaces: [near], lines: [line] },
    { lines: [line], points: [line] },
    { surfaces: [near], points: [line] },
    { surfaces: [near, near], lines: [line], points: [line] },
  ];
  const all = kept.map(geometry);
  assert.deepEqual(filtered(MESH, [...all, geometry({ points: [far] })]).geometries, all);
});

test('numbers that are no places are left out without a mesh too', () => {
  for (const [lng, lat] of [
    [Number.NaN, 35],
    [Infinity, 35],
    [180.5, 35],
    [-180.5, 35],
    [138, Number.NaN],
    [138, 90.5],
    [138, -90.5],
  ] as const) {
    for (const others of [[near], []]) {
      const { told: findings } = filtered({ ...MESH, mesh: null }, [
        geometry({ surfaces: [at(lng, lat), ...others] }),
      ]);
      assert.deepEqual(findings, [['GEOMETRY_FAR_OFF', 1]], `${lng} ${lat}`);
    }
  }
  // The antimeridian and the poles are places.
  for (const [lng, lat] of [
    [180, 35],
    [-180, 35],
    [138, 90],
    [138, -90],
  ] as const) {
    const points = [Float64Array.of(lng, lat, 0)];
    const high = surface([lng, lat, 13_000]);
    const { geometries } = filtered({ ...MESH, mesh: null }, [geometry({ points, surfaces: [high] })]);
    assert.deepEqual(
      geometries.map(({ points }) => points.length),
      [1],
      `${lng} ${lat}`,
    );
  }
});

test('what is left is no wider than 50 km, no higher than 12 km, and near the mesh', () => {
  const lng = fc.double({ min: 136, max: 140, noNaN: true });
  const lat = fc.double({ min: 33, max: 37, noNaN: true });
  const height = fc.double({ min: -20_000, max: 20_000, noNaN: true });
  fc.assert(
    fc.property(
      fc.array(fc.tuple(lng, lat, height), { maxLength: 8 }),
      fc.constantFrom('bldg', 'urf'),
      fc.boolean(),
      (places, type, hasMesh) => {
        const surfaces = places.map((place) => at(...place));
        const facts = { type, mesh: hasMesh ? MESH.mesh : null };
        const { geometries, left, told: findings } = filtered(facts, [geometry({ surfaces })]);
        const kept = geometries.flatMap((geometry) => geometry.surfaces);
        assert.equal(kept.length + left.size, surfaces.length);
        assert.equal(findings.length > 0, left.size > 0);
        const positions = kept.flatMap(({ rings }) => rings.flatMap((ring) => [...ring]));
        const range = (axis: number) => {
          const values = positions.filter((_, i) => i % 3 === axis);
          return values.length === 0 ? 0 : Math.max(...values) - Math.min(...values);
        };
        assert.ok(positions.every((value, i) => i % 3 !== 2 || Math.abs(value) <= 12_000));
        assert.ok(range(1) * 111.2 <= 50);
        assert.ok(range(0) * 111.2 * Math.cos((37 * Math.PI) / 180) <= 50);
        if (!hasMesh) return;
        const limit = (type === 'bldg' ? 10.1 : 50.1) / 111.2;
        for (let i = 0; i < positions.length; i += 3) {
          assert.ok(positions[i + 1]! > 35 - limit && positions[i + 1]! < 35.0084 + limit);
        }
      },
    ),
  );
});

test('digits of a name that is not of the specification say nothing of places abroad', () => {
  const facts = { type: 'bldg', mesh: '356000', path: 'udx/bldg/356000_5645000.gml' };
  const abroad = [geometry({ surfaces: [at(6.96, 50.94)] })];
  assert.deepEqual(filtered(facts, abroad).told, []);
  // In Japan they may be a mesh code, and those of the specification are one.
  assert.deepEqual(filtered(facts, [geometry({ surfaces: [near] })]).told, [['GEOMETRY_FAR_OFF', 1]]);
  assert.deepEqual(filtered({ ...facts, path: 'udx/bldg/356000_bldg_6697_op.gml' }, abroad).told, [
    ['GEOMETRY_FAR_OFF', 1],
  ]);
});
