import assert from 'node:assert/strict';
import { test } from 'node:test';
import { geometriesOf, type LodGeometry, type Surface } from '@citymodel/citygml';
import { feature } from '@citymodel/citygml/testing';
import { comparedShape } from './feature-shape.ts';

const [LAT, LNG] = [35.6, 139.7];
/** Degrees of a metre, near enough. */
const [NORTH, EAST] = [1 / 110_950, 1 / 90_500];

type Corner = readonly [x: number, y: number, z: number];

const ringOf = (corners: readonly Corner[]) =>
  `<gml:LinearRing><gml:posList>${[...corners, corners[0]!]
    .map(([x, y, z]) => `${LAT + y * NORTH} ${LNG + x * EAST} ${z}`)
    .join(' ')}</gml:posList></gml:LinearRing>`;
const faceOf = (exterior: readonly Corner[], hole?: readonly Corner[]) =>
  `<gml:surfaceMember><gml:Polygon><gml:exterior>${ringOf(exterior)}</gml:exterior>` +
  `${hole === undefined ? '' : `<gml:interior>${ringOf(hole)}</gml:interior>`}</gml:Polygon></gml:surfaceMember>`;

/** A block of 20 by 10 by 6 m with a shaft of 4 by 5 m through it along an axis; its holes run as asked. */
function blockWithShaft(turn: (corner: Corner) => Corner, areHolesTurned: boolean, start: number): string {
  const at = (x: number, y: number, z: number) => turn([x, y, z]);
  const square = ([x, y]: [number, number], [width, depth]: [number, number], z: number) =>
    [at(x, y, z), at(x + width, y, z), at(x + width, y + depth, z), at(x, y + depth, z)] as const;
  const [block, shaft] = [
    (z: number) => square([0, 0], [20, 10], z),
    (z: number) => square([8, 2], [4, 5], z),
  ];
  const sides = (of: (z: number) => readonly Corner[], isInside: boolean) =>
    [0, 1, 2, 3].map((i) => {
      const [a, b] = [i, (i + 1) % 4];
      const side = [of(0)[a]!, of(0)[b]!, of(6)[b]!, of(6)[a]!];
      return faceOf(isInside ? side.reverse() : side);
    });
  // Holes run the other way than the exterior around them.
  const hole = (corners: readonly Corner[], isReversed: boolean) => {
    const run = isReversed !== areHolesTurned ? corners.toReversed() : corners;
    return [...run.slice(start), ...run.slice(0, start)];
  };
  const faces = [
    faceOf([...block(0)].reverse(), hole(shaft(0), false)),
    faceOf(block(6), hole(shaft(6), true)),
    ...sides(block, false),
    ...sides(shaft, true),
  ];
  return (
    '<bldg:Building gml:id="a"><bldg:lod1Solid><gml:Solid><gml:exterior><gml:CompositeSurface>' +
    `${faces.join('')}</gml:CompositeSurface></gml:exterior></gml:Solid></bldg:lod1Solid></bldg:Building>`
  );
}

test('the volume of a solid leaves out what its holes lead through, whichever way they run, on any side', () => {
  const turns: Record<string, (corner: Corner) => Corner> = {
    up: (corner) => corner,
    east: ([x, y, z]) => [z, x, y],
    north: ([x, y, z]) => [y, z, x],
  };
  for (const [axis, turn] of Object.entries(turns)) {
    for (const [areHolesTurned, start] of [false, true].flatMap((one) =>
      [0, 1, 2, 3].map((at) => [one, at] as const),
    )) {
      const geometries = geometriesOf(feature(blockWithShaft(turn, areHolesTurned, start)), {
        srsName: 'EPSG:6697',
        srsDimension: 3,
      });
      const { volume } = comparedShape(geometries)!;
      const expected = 6 * (20 * 10 - 4 * 5);
      assert.ok(
        Math.abs(volume! / expected - 1) < 0.01,
        `${axis}, ${areHolesTurned}, ${start}: ${volume} m³`,
      );
    }
  }
});

/** Six faces of a box from a corner, metres. */
function boxFaces([x, y, z]: Corner, size: number): string {
  const at = (i: number, j: number, k: number): Corner => [x + i * size, y + j * size, z + k * size];
  const faces: Corner[][] = [
    [at(0, 0, 0), at(0, 1, 0), at(1, 1, 0), at(1, 0, 0)],
    [at(0, 0, 1), at(1, 0, 1), at(1, 1, 1), at(0, 1, 1)],
    [at(0, 0, 0), at(1, 0, 0), at(1, 0, 1), at(0, 0, 1)],
    [at(1, 0, 0), at(1, 1, 0), at(1, 1, 1), at(1, 0, 1)],
    [at(1, 1, 0), at(0, 1, 0), at(0, 1, 1), at(1, 1, 1)],
    [at(0, 1, 0), at(0, 0, 0), at(0, 0, 1), at(0, 1, 1)],
  ];
  return `<gml:CompositeSurface>${faces.map((face) => faceOf(face)).join('')}</gml:CompositeSurface>`;
}

test('the volume is that of outer shells less that of the rooms in them, of all solids together', () => {
  const solid = (outer: string, inner = '') =>
    `<gml:Solid><gml:exterior>${outer}</gml:exterior>${inner}</gml:Solid>`;
  const room = (corner: Corner, size: number) => `<gml:interior>${boxFaces(corner, size)}</gml:interior>`;
  const volumeOf = (content: string) => {
    const building = `<bldg:Building gml:id="a"><bldg:lod1Solid>${content}</bldg:lod1Solid></bldg:Building>`;
    const geometries = geometriesOf(feature(building), { srsName: 'EPSG:6697', srsDimension: 3 });
    return comparedShape(geometries)?.volume;
  };
  const near = (volume: number | null | undefined, expected: number) =>
    assert.ok(Math.abs(volume! - expected) <= expected / 100, `${volume} m³, not ${expected}`);
  near(volumeOf(solid(boxFaces([0, 0, 50], 1))), 1);
  near(volumeOf(solid(boxFaces([0, 0, 50], 10))), 1_000);
  near(volumeOf(solid(boxFaces([0, 0, 0], 10), room([1, 1, 1], 5) + room([7, 7, 7], 2))), 1_000 - 125 - 8);
  const two = [solid(boxFaces([0, 0, 0], 10), room([1, 1, 1], 5)), solid(boxFaces([20, 0, 0], 3))];
  const members = two.map((one) => `<gml:solidMember>${one}</gml:solidMember>`).join('');
  near(volumeOf(`<gml:CompositeSolid>${members}</gml:CompositeSolid>`), 1_000 - 125 + 27);
});

const WHERE = { lng: 139.7, lat: 35.6 };
/** Positions from metres east and north of a place, which is a corner of what is measured. */
function positions(...corners: ReadonlyArray<Corner>): Float64Array {
  return Float64Array.from(corners.flatMap(([x, y, z]) => [WHERE.lng + x * EAST, WHERE.lat + y * NORTH, z]));
}
const surface = (...rings: Float64Array[]) => ({ rings, element: {} }) as unknown as Surface;
const rectangle = (x: number, y: number, width: number, depth: number, z = 5) =>
  positions([x, y, z], [x + width, y, z], [x + width, y + depth, z], [x, y + depth, z]);

function geometry(changes: Partial<LodGeometry>): LodGeometry {
  return {
    ...({ property: 'bldg:lod2MultiSurface', owner: {}, lod: 2, role: 'body', flat: false } as LodGeometry),
    ...{ solids: [], surfaces: [], lines: [], points: [] },
    ...changes,
  };
}

const digestOf = (...geometries: Partial<LodGeometry>[]) => comparedShape(geometries.map(geometry))!.digest;

test('the digest is the same in whatever order geometries, rings and positions are written', () => {
  const [a, b] = [rectangle(0, 0, 10, 8), rectangle(2, 2, 3, 3)];
  const begun = Float64Array.from([...b.slice(6), ...b.slice(0, 6)]);
  const line = positions([0, 0, 1], [1, 0, 2], [2, 5, 3]);
  const point = positions([3, 3, 3]);
  const all = [
    { surfaces: [surface(a, b), surface(rectangle(20, 0, 5, 5))], lines: [line], points: [point] },
    { lod: 3, surfaces: [surface(a)] },
  ];
  const other = [
    { lod: 3, surfaces: [surface(a)] },
    { surfaces: [surface(rectangle(20, 0, 5, 5)), surface(begun, a)], lines: [line], points: [point] },
  ];
  assert.equal(digestOf(...all), digestOf(...other));
  assert.match(digestOf(...all), /^[0-9a-f]{1,8}-[0-9a-f]{1,8}$/);
  // A line is its edges, one after the other.
  const edges = [line.slice(0, 6), line.slice(3)];
  assert.equal(digestOf({ lines: [line] }), digestOf({ lines: edges }));
  // Nearer than is told apart: a hundred-millionth of a degree, a millimetre.
  const near = a.map((value, i) => value + (i % 3 === 2 ? 0.0002 : 2e-10));
  assert.equal(digestOf({ surfaces: [surface(near)] }), digestOf({ surfaces: [surface(a)] }));
});

test('any other position, edge, level, role or kind has another digest, in both halves', () => {
  const ring = rectangle(0, 0, 10, 8);
  const digests = [digestOf({ surfaces: [surface(ring)] })];
  for (let i = 0; i < ring.length; i++) {
    for (const sign of [1, -1]) {
      const moved = ring.slice();
      moved[i]! += sign * (i % 3 === 2 ? 0.001 : 1e-8);
      digests.push(digestOf({ surfaces: [surface(moved)] }));
    }
  }
  const corners = [0, 3, 6, 9].map((i) => ring.slice(i, i + 3));
  const inOrder = (...order: number[]) => Float64Array.from(order.flatMap((i) => [...corners[i]!]));
  digests.push(
    digestOf({ surfaces: [surface(inOrder(3, 2, 1, 0))] }),
    digestOf({ surfaces: [surface(inOrder(0, 2, 1, 3))] }),
    digestOf({ surfaces: [surface(inOrder(0, 1, 2))] }),
    digestOf({ surfaces: [surface(ring), surface(ring)] }),
  );
  for (const role of ['body', 'aside', 'attribute'] as const) {
    for (const lod of [0, 1, 3, null]) digests.push(digestOf({ surfaces: [surface(ring)], role, lod }));
  }
  const closed = inOrder(0, 1, 2, 3, 0);
  digests.push(
    digestOf({ lines: [closed] }),
    digestOf({ lines: [closed], lod: 1 }),
    digestOf({ lines: [inOrder(0, 1, 2, 3)] }),
    digestOf({ lines: [inOrder(1, 2, 3, 0)] }),
    digestOf({ lines: [inOrder(0, 1)] }),
    digestOf({ lines: [inOrder(1, 0)] }),
    digestOf({ points: [inOrder(0)] }),
    digestOf({ points: [inOrder(0), inOrder(1)] }),
    digestOf({ points: [inOrder(0, 1, 2)] }),
    digestOf({ points: [inOrder(0)], lod: 1 }),
  );
  for (const half of [0, 1]) {
    const halves = digests.map((digest) => digest.split('-')[half]!);
    assert.equal(new Set(halves).size, digests.length, `half ${half}`);
  }
  assert.equal(digestOf({ points: [inOrder(0), inOrder(1)] }), digestOf({ points: [inOrder(0, 1)] }));
  const [west, east] = [0, 180].map((lng) => digestOf({ points: [Float64Array.of(lng, 35, 0)] }));
  assert.notEqual(west, east);
});

test('a place beyond 32 bits of its units has a digest of its own', () => {
  // Degrees whose hundred-millionths have the same lower 32 bits.
  const turn = 2 ** 32 / 1e8;
  const digests = [-1, 0, 1, 2].map((i) => digestOf({ points: [Float64Array.of(10 + i * turn, 35, 0)] }));
  assert.equal(new Set(digests).size, 4, digests.join());
});

test('nothing has no shape, and what has no area has no size but its height', () => {
  assert.equal(comparedShape([]), null);
  assert.equal(comparedShape([geometry({})]), null);
  const line = comparedShape([geometry({ lines: [positions([0, 0, 1], [10, 20, 4])] })])!;
  assert.deepEqual([line.height, line.area, line.volume, line.outline], [3, null, null, null]);
  assert.deepEqual([line.rings, line.lods, line.lod], [[], [2], 2]);
  assert.deepEqual(line.centre, [
    (line.bounds[0] + line.bounds[2]) / 2,
    (line.bounds[1] + line.bounds[3]) / 2,
  ]);
  // Of the corners of one line twice nothing is between them.
  const flat = comparedShape([
    geometry({ surfaces: [surface(positions([0, 0, 5], [9, 0, 5], [4, 0, 5]))] }),
  ])!;
  assert.deepEqual([flat.area, flat.outline], [null, null]);
});

test('the height is from the lowest to the highest position, and null where the data has none', () => {
  const heightOf = (changes: Partial<LodGeometry>) => comparedShape([geometry(changes)])!.height;
  assert.equal(heightOf({ surfaces: [surface(positions([0, 0, -2], [9, 0, 5], [9, 9, 11]))] }), 13);
  assert.equal(heightOf({ surfaces: [surface(rectangle(0, 0, 9, 9, 0))] }), null);
  assert.equal(heightOf({ surfaces: [surface(rectangle(0, 0, 9, 9, 3))], flat: true }), null);
  const solid = [[[surface(rectangle(0, 0, 9, 9, 0))]]];
  assert.equal(heightOf({ solids: solid }), 0, 'a solid has heights, be it flat');
  const both = [geometry({ surfaces: [surface(rectangle(0, 0, 9, 9, 0))], flat: true })];
  both.push(geometry({ surfaces: [surface(rectangle(0, 0, 9, 9, 7))] }));
  assert.equal(comparedShape(both)!.height, 7, 'one of them has heights');
});

test('rooms take no more than there is, and a solid without a shell has no volume', () => {
  const solids = (content: string) => {
    const building = `<bldg:Building gml:id="a"><bldg:lod1Solid>${content}</bldg:lod1Solid></bldg:Building>`;
    return comparedShape(geometriesOf(feature(building), { srsName: 'EPSG:6697', srsDimension: 3 }))!.volume;
  };
  const [small, large] = [boxFaces([0, 0, 0], 2), boxFaces([0, 0, 0], 3)];
  const exterior = `<gml:exterior>${small}</gml:exterior>`;
  assert.equal(solids(`<gml:Solid>${exterior}<gml:interior>${large}</gml:interior></gml:Solid>`), 0);
  const empty = { solids: [[], [[]]], surfaces: [surface(rectangle(0, 0, 9, 9))] };
  assert.equal(comparedShape([geometry(empty)])!.volume, 0);
});

test('the area is that of all polygons together, holes left out, what they share counted once', () => {
  const shape = comparedShape([
    geometry({
      surfaces: [
        surface(rectangle(0, 0, 20, 10), rectangle(2, 2, 5, 4)),
        surface(rectangle(10, 0, 20, 10)),
        surface(rectangle(100, 0, 6, 5)),
      ],
    }),
  ])!;
  const expected = 30 * 10 - 5 * 4 + 6 * 5;
  assert.ok(Math.abs(shape.area! / expected - 1) < 0.005, `${shape.area} m²`);
  assert.equal(shape.outline!.type, 'MultiPolygon');
  assert.deepEqual(
    shape.rings.map((ring) => ring.length),
    [8, 8, 8, 8],
  );
  assert.deepEqual(shape.rings[3]!.slice(0, 2), [WHERE.lng + 100 * EAST, WHERE.lat]);
  const middle = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const xs = [0, 20, 20, 0, 2, 7, 7, 2, 10, 30, 30, 10, 100, 106, 106, 100];
  const ys = [0, 0, 10, 10, 2, 2, 6, 6, 0, 0, 10, 10, 0, 0, 5, 5];
  assert.ok(Math.abs(shape.centre[0] - WHERE.lng - middle(xs) * EAST) < 1e-9);
  assert.ok(Math.abs(shape.centre[1] - WHERE.lat - middle(ys) * NORTH) < 1e-9);
});

test('levels of detail are told once, ascending; sizes are those of the one that stands for the feature', () => {
  const shape = comparedShape([
    geometry({ lod: 3, surfaces: [surface(rectangle(0, 0, 50, 50))] }),
    geometry({ lod: 10, surfaces: [surface(rectangle(0, 0, 50, 50))] }),
    geometry({ lod: 2, surfaces: [surface(rectangle(0, 0, 10, 10))] }),
    geometry({ lod: 3, surfaces: [surface(rectangle(0, 0, 50, 50))] }),
    geometry({ lod: null, surfaces: [surface(rectangle(0, 0, 50, 50))] }),
  ])!;
  assert.deepEqual([shape.lods, shape.lod], [[2, 3, 10], 2]);
  assert.ok(Math.abs(shape.area! - 100) < 1, `${shape.area} m²`);
  assert.equal(comparedShape([geometry({ lod: null, lines: [positions([0, 0, 0], [1, 1, 1])] })])!.lod, null);
});

test('footprints of more than 16,000 vertices are not measured', () => {
  const circle = (count: number) =>
    positions(
      ...Array.from({ length: count }, (_, i): Corner => {
        const angle = (2 * Math.PI * i) / count;
        return [50 * Math.cos(angle), 50 * Math.sin(angle), 5];
      }),
    );
  const measured = comparedShape([geometry({ surfaces: [surface(circle(16_000))] })])!;
  assert.ok(Math.abs(measured.area! / (Math.PI * 2_500) - 1) < 0.005, `${measured.area} m²`);
  assert.equal(measured.rings[0]!.length, 32_000);
  assert.equal(measured.outline, null, 'too many corners to be drawn');
  const more = comparedShape([geometry({ surfaces: [surface(circle(16_001))] })])!;
  assert.deepEqual([more.area, more.rings, more.outline], [null, [], null]);
  assert.ok(Math.abs(more.centre[0] - WHERE.lng) < 1e-9 && Math.abs(more.centre[1] - WHERE.lat) < 1e-9);
});
