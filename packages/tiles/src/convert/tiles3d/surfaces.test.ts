import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { loadSimplifier, type Simplifier } from '../mesh/simplify.ts';
import { type Body, bodyOfPolygons } from '../read/bodies.ts';
import { headFacts } from '../read/feature-facts.ts';
import type { FeatureHead } from '../read/pack-head.ts';
import { raise } from '../read/raise-body.ts';
import { RecordFile } from '../read/record-file.ts';
import { PLAIN_LOOK } from './look.ts';
import { type SurfaceMember, Surfaces } from './surfaces.ts';

const CELL = { west: 139.75, south: 35.625, east: 139.8125, north: 35.6875 };
/** Half of a cell; a metre is 1.1e-5 degrees of longitude here. */
const MIDDLE = { lng: (CELL.west + CELL.east) / 2, lat: (CELL.south + CELL.north) / 2 };
const METRE = 1.1e-5;
const headOf = (id: string): FeatureHead => ({ id, type: 'dem:ReliefFeature', columns: [] });

/** Triangles of some centimetres around middles, in degrees, as high as their number. */
function triangles(middles: ReadonlyArray<readonly [lng: number, lat: number]>): Body {
  const corner = METRE / 32;
  const positions = middles.flatMap(([lng, lat], i) => [
    ...[lng - corner, lat - corner, i],
    ...[lng + corner, lat - corner, i],
    ...[lng, lat + 2 * corner, i],
  ]);
  const ends = (size: number) => Uint32Array.from(middles, (_, i) => size * (i + 1));
  return bodyOfPolygons(Float64Array.from(positions), ends(3), ends(1), false);
}

suite('surfaces', () => {
  let simplifier: Simplifier;
  let directory: string;
  before(async () => {
    simplifier = await loadSimplifier();
    directory = mkdtempSync(join(tmpdir(), 'surfaces-'));
  });
  after(() => rmSync(directory, { recursive: true }));

  /** Surfaces of bodies with the number of the group of each. */
  function surfacesOf(
    records: RecordFile,
    bodies: ReadonlyArray<readonly [group: number, body: Body, coarse?: number]>,
  ) {
    const noted: Body[] = [];
    const members = bodies.map(([group, body, coarse = 0], number): SurfaceMember => {
      const facts = {
        ...headFacts(headOf(`f${number}`)),
        ...{ record: records.append(headOf(`f${number}`), [null, body]), number },
        ...{ bodies: [null, raise(body, () => 0)], hasInterior: false, whole: null, nextLod: Infinity },
      };
      return { facts, lod: 1, group, coarse };
    });
    const surfaces = new Surfaces({ records }, simplifier, {
      members,
      lod: 1,
      row: (group) => ({ head: headOf(`g${group}`), source: group }),
      coarseHead: (coarse) => headOf(`coarse${coarse}`),
      note: (body) => noted.push(body),
      look: () => PLAIN_LOOK,
    });
    return { surfaces, noted };
  }

  test('bounds are those of the middles of polygons, to a millimetre far from the origin of degrees', () => {
    using records = new RecordFile(directory);
    const { lng, lat } = MIDDLE;
    const { surfaces, noted } = surfacesOf(records, [
      [0, triangles([[lng, lat]])],
      [1, triangles([[lng + METRE / 4, lat + METRE / 2]])],
    ]);
    const { west, south, east, north } = surfaces.bounds;
    const off = [west - lng, south - lat, east - lng - METRE / 4, north - lat - METRE / 2];
    for (const by of off) assert.ok(Math.abs(by) < METRE / 1_000, `${by / METRE} m`);
    assert.equal(noted.length, 2);
  });

  test('there is no tree without polygons, and bounds that hold nothing', () => {
    using records = new RecordFile(directory);
    for (const bodies of [[], [[0, triangles([])] as const]]) {
      const { surfaces } = surfacesOf(records, bodies);
      assert.equal(surfaces.plan(CELL), null);
      assert.ok(surfaces.bounds.west > surfaces.bounds.east);
    }
  });

  test('a leaf shows its groups in order, each with the polygons of all its members', () => {
    using records = new RecordFile(directory);
    const { lng, lat } = MIDDLE;
    const { surfaces } = surfacesOf(records, [
      [1, triangles([[lng, lat]])],
      [
        0,
        triangles([
          [lng + METRE, lat],
          [lng, lat + METRE],
        ]),
      ],
      [
        1,
        triangles([
          [lng + 2 * METRE, lat],
          [lng, lat + 2 * METRE],
          [lng, lat],
        ]),
      ],
    ]);
    const root = surfaces.plan(CELL)!;
    assert.deepEqual([root.children.length, root.geometricError], [0, 0]);
    const { features } = surfaces.content(root);
    assert.deepEqual(
      features.map(({ head, source, body, lod }) => [head.id, source, lod, body.polygonEnds.length]),
      [
        ['g0', 0, 1, 2],
        ['g1', 1, 1, 4],
      ],
    );
    // Their box holds the corners, not the middles alone.
    const [item] = root.items;
    const corner = METRE / 32;
    assert.deepEqual(item!.box, {
      ...{ west: lng - corner, south: lat - corner, low: 0 },
      ...{ east: lng + 2 * METRE + corner, north: lat + 2 * METRE + 2 * corner, high: 2 },
    });
  });

  test('the overview has a row for each group there, in order, with what simplifying leaves of it', () => {
    using records = new RecordFile(directory);
    const { lng, lat } = MIDDLE;
    const at = (east: number, count: number) =>
      triangles(Array.from({ length: count }, (_, i) => [lng + (east + i) * METRE, lat] as const));
    const { surfaces } = surfacesOf(records, [
      [0, at(0, 2), 2],
      [1, at(5, 1), 0],
      [2, at(10, 3), 1],
      [3, at(20, 1), 2],
    ]);
    const root = surfaces.plan(CELL)!;
    const overview = surfaces.overview(root);
    assert.deepEqual(
      overview.map(({ head, body, lod, item }) => [head.id, body.polygonEnds.length, lod, item.id]),
      [
        ['coarse0', 1, 1, 'coarse0'],
        ['coarse1', 3, 1, 'coarse1'],
        ['coarse2', 3, 1, 'coarse2'],
      ],
    );
    for (const { item, body, colours, shades, geometricError } of overview) {
      const count = body.polygonEnds.length;
      assert.deepEqual([item.bytes, item.vertices, item.pixels], [300 + 4 * count, count, 0]);
      assert.deepEqual([colours!.length, shades!.length, item.box], [count, count, root.items[0]!.box]);
      assert.ok(geometricError < 1e-3, `${geometricError}`);
    }
  });

  test('a tile above the leaves has a row for each group below it, in order, of its polygons alone', () => {
    using records = new RecordFile(directory);
    // 7,000 triangles in each half of the cell: more positions than a leaf takes.
    const half = (west: number) =>
      triangles(
        Array.from({ length: 7_000 }, (_, i) => [
          west + (1 + (i % 100)) * 20 * METRE,
          CELL.south + (1 + Math.floor(i / 100)) * 20 * METRE,
        ]),
      );
    const { surfaces } = surfacesOf(records, [
      [0, half(CELL.west), 1],
      [1, half(MIDDLE.lng), 0],
    ]);
    const root = surfaces.plan(CELL)!;
    const rows = (node: typeof root) =>
      surfaces.content(node).features.map(({ head, body }) => `${head.id} ${body.polygonEnds.length}`);
    assert.deepEqual(root.children.map(rows), [['g0 7000'], ['g1 7000']]);
    assert.deepEqual(rows(root), ['coarse0 7000', 'coarse1 7000']);
    assert.ok(root.geometricError >= 4, `${root.geometricError}`);
    const [item] = root.items;
    const [west, east] = root.children.map((child) => child.items[0]!.box);
    assert.deepEqual([item!.box.west, item!.box.east], [west!.west, east!.east]);
    assert.deepEqual(
      [item!.lng, item!.lat],
      [(item!.box.west + item!.box.east) / 2, (item!.box.south + item!.box.north) / 2],
    );
    assert.deepEqual([item!.bytes, item!.vertices, item!.pixels, item!.polygons.length], [0, 0, 0, 0]);
  });
});
