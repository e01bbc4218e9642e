import assert from 'node:assert/strict';
import { test } from 'node:test';
import { geometriesOf } from '@citymodel/citygml';
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
