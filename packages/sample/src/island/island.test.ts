import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { lod2Faces } from '../building.ts';
import type { Point2, Point3 } from '../place.ts';
import { bridgesOf } from './bridges.ts';
import { buildingsOn, type Year } from './buildings.ts';
import { floodDepth, reach, reachOfDepth } from './flood.ts';
import { lampsOf, treesOf } from './greens.ts';
import { blocksOf, STREETS } from './grid.ts';
import { parcelsOf, riverRing, seaRings, terrainTriangles } from './land.ts';
import { YEARS } from './lot.ts';
import { pictures } from './pictures.ts';
import { altitude, at, coast, inland } from './shape.ts';
import { roadsOf } from './streets.ts';
import { floodsOf } from './waters.ts';
import { writeIsland } from './write-island.ts';

const SEED = 1;
const blocks = blocksOf(SEED);
const buildingsIn = (year: Year) => blocks.flatMap((block) => buildingsOn(block, SEED, year));
const [older, newer] = [buildingsIn(YEARS.older), buildingsIn(YEARS.newer)];

test('the same seed gives the same bytes, and a seed that is none is refused', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'island-'));
  t.after(() => rm(directory, { recursive: true }));
  const names: string[] = [];
  const digests = await Promise.all(
    [0, 1].map(async (i) => {
      const files = await writeIsland(join(directory, String(i)), {
        seed: SEED,
        onFile: ({ name }) => names.push(name),
      });
      assert.deepEqual(
        files.map(({ name }) => name),
        [2024, 2019].map((year) => `47970_mioshima-shi_city_${year}_citygml_1_op.zip`),
      );
      const bytes = await readFile(join(directory, String(i), files[0]!.name));
      assert.equal(bytes.length, files[0]!.bytes);
      return createHash('sha256').update(bytes).digest('hex');
    }),
  );
  assert.equal(digests[0], digests[1]);
  assert.equal(names.length, 4);
  const others = blocksOf(SEED + 1).flatMap((block) => buildingsOn(block, SEED + 1, YEARS.newer));
  assert.notDeepEqual(others, newer);
  await assert.rejects(writeIsland(directory, { seed: 0.5 }), /the seed is 0\.5; it must be a whole number/);
});

test('some 2,000 buildings have roofs of all kinds, a part of them pictures', () => {
  assert.ok(newer.length > 1900 && newer.length < 2300, `${newer.length}`);
  const roofs = Map.groupBy(newer, ({ bodies }) => bodies[0]!.roof.kind);
  for (const kind of ['gable', 'hip', 'flat', 'steps'] as const)
    assert.ok(roofs.get(kind)!.length > 30, kind);
  const towers = newer.filter(({ measuredHeight }) => measuredHeight > 60);
  assert.ok(towers.length > 5 && towers.some(({ mast }) => mast !== null));
  assert.equal(new Set(newer.map(({ id }) => id)).size, newer.length);
  assert.equal(
    new Set([...newer, ...older].map(({ id }) => id)).size,
    new Set([...newer, ...older].map(({ serial }) => serial)).size,
  );
});

test('editions differ: new, gone, replaced and higher buildings, all others alike', () => {
  const [was, is] = [older, newer].map((list) => new Map(list.map((one) => [one.id, one])));
  const added = newer.filter(({ id }) => !was!.has(id));
  const gone = older.filter(({ id }) => !is!.has(id));
  const changed = older.filter(
    ({ id, measuredHeight }) => is!.has(id) && is!.get(id)!.measuredHeight !== measuredHeight,
  );
  assert.ok(added.length > 80 && gone.length > 60 && changed.length > 10);
  assert.ok(changed.every(({ id, measuredHeight }) => is!.get(id)!.measuredHeight > measuredHeight));
  assert.ok(added.every(({ yearOfConstruction }) => yearOfConstruction > YEARS.older));
  assert.ok(older.every(({ yearOfConstruction }) => yearOfConstruction < YEARS.older));
  const lots = new Set(gone.map(({ serial }) => serial >> 1));
  assert.ok(
    added.some(({ serial }) => lots.has(serial >> 1)),
    'some stand where another one stood',
  );
});

test('bodies of all roofs are closed', () => {
  for (const { id, bodies } of [...newer, ...older])
    assertClosed(
      lod2Faces(bodies[0]!).flatMap(({ rings }) => rings),
      id,
    );
  for (const { id, lod1, lod2, elements } of bridgesOf(SEED)) {
    assertClosed(lod1, id);
    assertClosed(
      lod2.flatMap(({ rings }) => rings),
      id,
    );
    for (const element of elements) assertClosed(element.faces, element.id);
  }
});

/** Every edge once in either direction. */
function assertClosed(rings: readonly Point3[][], id: string): void {
  const edges = new Set<string>();
  for (const ring of rings) {
    for (let i = 0; i < ring.length; i++) {
      const edge = `${ring[i]!.join()}/${ring[(i + 1) % ring.length]!.join()}`;
      assert.ok(!edges.has(edge), `${id}: an edge occurs twice`);
      edges.add(edge);
    }
  }
  for (const edge of edges)
    assert.ok(edges.has(edge.split('/').reverse().join('/')), `${id}: an edge has no partner`);
}

test('parcels, bridges aside, fill the island to its coast without a gap', () => {
  const parcels = parcelsOf(blocks, SEED);
  const sum = parcels.reduce((total, { ring }) => total + areaOf(ring), 0);
  const island = -areaOf(seaRings()[1]);
  // Whole streets over the water count twice: the bridges.
  assert.ok(Math.abs(sum - island) / island < 0.002, `${sum} of ${island} m²`);
  for (const { ring, code, squareMetres } of parcels) assert.ok(areaOf(ring) > 10 && squareMetres > 10, code);
  assert.ok(areaOf(riverRing()) > 30_000);
});

test('borders are smooth: no corner of field, wood, beach, water or coast is far from the next', () => {
  const wild = parcelsOf(blocks, SEED).filter(({ code }) => ['202', '203', '204', '205'].includes(code));
  for (const ring of [
    ...wild.filter(({ ring }) => ring.length > 40).map(({ ring }) => ring),
    ...seaRings(),
  ]) {
    const turns = ring.map((point, i) => turn(ring.at(i - 1)!, point, ring[(i + 1) % ring.length]!));
    assert.ok(turns.filter((angle) => angle > 0.5).length <= 9, 'only its corners');
  }
});

function turn(a: Point2, b: Point2, c: Point2): number {
  const angle = Math.atan2(c[1] - b[1], c[0] - b[0]) - Math.atan2(b[1] - a[1], b[0] - a[0]);
  return Math.abs(Math.atan2(Math.sin(angle), Math.cos(angle)));
}

function areaOf(ring: readonly Point2[]): number {
  let twice = 0;
  for (const [i, [x, y]] of ring.entries()) {
    const [nextX, nextY] = ring[(i + 1) % ring.length]!;
    twice += x * nextY - y * nextX;
  }
  return twice / 2;
}

test('the terrain ends at the coast at sea level, and rises to hills', () => {
  const points = terrainTriangles().flat();
  const heights = points.map(([, , height]) => height);
  assert.ok(Math.min(...heights) >= 0.2 && Math.max(...heights) > 90);
  for (const angle of [0, 1, 2, 3, 4, 5]) {
    assert.ok(Math.abs(inland(coast(angle))) < 1e-9);
    assert.ok(altitude(coast(angle)) < 0.21);
  }
  assert.ok(
    terrainTriangles().every((ring) => areaOf(ring.map(([e, n]) => [e, n])) > 0),
    'all face upwards',
  );
});

test('streets have lanes that fill them, and the river is crossed twice', () => {
  const roads = roadsOf(SEED);
  for (const { outline, strips, lanes } of roads) {
    const [whole, parts] = [areaOf(outline), strips.reduce((sum, { ring }) => sum + areaOf(ring), 0)];
    assert.ok(Math.abs(whole - parts) < 0.01 * whole);
    assert.equal(strips.filter(({ code }) => code === '1000').length, lanes);
  }
  assert.ok(roads.some(({ lanes }) => lanes === 4));
  assert.equal(STREETS.length, 37);
  assert.equal(bridgesOf(SEED).length, 2);
});

test('trees and lamps stand on the ground, none in the river or on a house', () => {
  const trees = treesOf(blocks, SEED);
  assert.ok(trees.length > 600 && trees.some(({ isConifer }) => isConifer));
  for (const { at: place, foot, height } of [...trees, ...lampsOf(SEED)]) {
    assert.ok(height > 4 && Math.abs(foot + 0.1 - altitude(place)) < 0.01);
    const built = blocks.some(
      ({ x, y, zone }) =>
        !['park', 'square', 'school', 'farm'].includes(zone) &&
        place[0] > x[0] &&
        place[0] < x[1] &&
        place[1] > y[0] &&
        place[1] < y[1],
    );
    assert.ok(!built);
  }
});

test('the depth of floods is that of the water over buildings, and its classes end where it does', () => {
  for (const scale of ['l1', 'l2'] as const) {
    for (const y of [-400, 0, 333]) {
      const edge = reachOfDepth(scale, 0.5, y, 1)!;
      assert.ok(Math.abs(floodDepth(scale, [edge, y]) - 0.5) < 1e-9);
      assert.equal(floodDepth(scale, [reach(scale, y, -1) * -1.01, y]), 0);
    }
    const areas = floodsOf(scale, SEED);
    assert.ok(areas.every(({ triangles }) => triangles.length > 0));
    assert.deepEqual(
      [...new Set(areas.map(({ rank }) => rank))].sort(),
      scale === 'l1' ? ['1', '2'] : ['1', '2', '3', '4'],
    );
    for (const triangle of areas.flatMap(({ triangles }) => triangles)) {
      assert.ok(areaOf(triangle.map(([e, n]) => [e, n])) > 0);
    }
  }
  assert.ok(newer.some(({ floodDepths }) => floodDepths[1] > 3));
  assert.ok(newer.every(({ floodDepths: [planned, largest] }) => planned <= largest));
});

test('pictures are PNGs of one size, the lower rows of which are another storey', () => {
  const all = pictures();
  assert.equal(all.length, 17);
  for (const { file, bytes } of all) {
    const png = Buffer.from(bytes);
    assert.equal(png.subarray(1, 4).toString(), 'PNG', file);
    assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], [96, 96]);
    assert.ok(bytes.length < 4_000, file);
  }
  assert.equal(new Set(all.map(({ bytes }) => Buffer.from(bytes).toString('base64'))).size, 17);
});

test('the plan lies in the middle of four meshes', () => {
  const meshes = new Set(newer.map(({ mesh }) => mesh));
  assert.deepEqual([...meshes].sort(), ['38296534', '38296535', '38296544', '38296545']);
  assert.ok(at([0, 0]).every(Number.isFinite));
});
