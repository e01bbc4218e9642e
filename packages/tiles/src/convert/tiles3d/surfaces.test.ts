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
  function surfacesOf(records: RecordFile, bodies: ReadonlyArray<readonly [group: number, body: Body]>) {
    const noted: Body[] = [];
    const members = bodies.map(([group, body], number): SurfaceMember => {
      const facts = {
        ...headFacts(headOf(`f${number}`)),
        ...{ record: records.append(headOf(`f${number}`), [null, body]), number },
        ...{ bodies: [null, raise(body, () => 0)], hasInterior: false, whole: null, nextLod: Infinity },
      };
      return { facts, lod: 1, group, coarse: 0 };
    });
    const surfaces = new Surfaces({ records }, simplifier, {
      members,
      lod: 1,
      row: (group) => ({ head: headOf(`g${group}`), source: group }),
      coarseHead: () => headOf('coarse'),
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
});
