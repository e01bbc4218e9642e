/** Triangles in space that cross. */
import { orient2d, orient3d } from 'robust-predicates';

/** Numbers of three corners. */
export type Triangle = readonly [a: number, b: number, c: number];

/**
 * True when two of the triangles that share no corner cross or lie upon each other. Positions have three numbers for
 * each corner.
 */
export function trianglesCross(triangles: readonly Triangle[], positions: readonly number[]): boolean {
  for (const [one, other] of nearTriangles(triangles, positions)) {
    if (one.some((corner) => other.includes(corner))) continue;
    if (cross(one, other, positions)) return true;
  }
  return false;
}

/** Pairs whose boxes meet; the sweep runs along x. */
function* nearTriangles(
  triangles: readonly Triangle[],
  positions: readonly number[],
): Generator<[Triangle, Triangle], void, void> {
  const boxes = triangles
    .map((triangle) => ({ triangle, box: boxOf(triangle, positions) }))
    .sort((a, b) => a.box[0]! - b.box[0]!);
  for (let i = 0; i < boxes.length; i++) {
    const { triangle, box } = boxes[i]!;
    for (let j = i + 1; j < boxes.length && boxes[j]!.box[0]! <= box[3]!; j++) {
      const other = boxes[j]!.box;
      if (other[1]! > box[4]! || other[4]! < box[1]! || other[2]! > box[5]! || other[5]! < box[2]!) continue;
      yield [triangle, boxes[j]!.triangle];
    }
  }
}

function boxOf(triangle: Triangle, positions: readonly number[]): number[] {
  const axes = [0, 1, 2].map((axis) => triangle.map((corner) => positions[3 * corner + axis]!));
  return [...axes.map((values) => Math.min(...values)), ...axes.map((values) => Math.max(...values))];
}

/**
 * True when triangles go through each other, or overlap in one plane. Touching is no crossing; predicates are exact.
 */
export function cross(one: Triangle, other: Triangle, positions: readonly number[]): boolean {
  const sidesOfOther = other.map((corner) => sideOf(one, corner, positions));
  if (sidesOfOther.every((side) => side === 0)) return overlapInPlane(one, other, positions);
  if (sidesOfOther.every((side) => side >= 0) || sidesOfOther.every((side) => side <= 0)) return false;
  const sidesOfOne = one.map((corner) => sideOf(other, corner, positions));
  if (sidesOfOne.every((side) => side >= 0) || sidesOfOne.every((side) => side <= 0)) return false;
  return (
    edgesOf(one).some(([a, b]) => pierces(a, b, other, positions)) ||
    edgesOf(other).some(([a, b]) => pierces(a, b, one, positions))
  );
}

function edgesOf([a, b, c]: Triangle): Array<readonly [number, number]> {
  return [
    [a, b],
    [b, c],
    [c, a],
  ];
}

type Point = readonly [x: number, y: number, z: number];

function pointOf(corner: number, positions: readonly number[]): Point {
  return [positions[3 * corner]!, positions[3 * corner + 1]!, positions[3 * corner + 2]!];
}

function volume(a: number, b: number, c: number, d: number, positions: readonly number[]): number {
  return Math.sign(
    orient3d(
      ...pointOf(a, positions),
      ...pointOf(b, positions),
      ...pointOf(c, positions),
      ...pointOf(d, positions),
    ),
  );
}

function sideOf([a, b, c]: Triangle, corner: number, positions: readonly number[]): number {
  return volume(a, b, c, corner, positions);
}

/** The segment from one corner to another goes through the inside of the triangle. */
function pierces(from: number, to: number, triangle: Triangle, positions: readonly number[]): boolean {
  const [a, b, c] = triangle;
  if (sideOf(triangle, from, positions) * sideOf(triangle, to, positions) >= 0) return false;
  const sides = [
    volume(from, to, a, b, positions),
    volume(from, to, b, c, positions),
    volume(from, to, c, a, positions),
  ];
  return sides.every((side) => side > 0) || sides.every((side) => side < 0);
}

/** Of triangles in one plane: edges that cross, or one triangle within the other. */
function overlapInPlane(one: Triangle, other: Triangle, positions: readonly number[]): boolean {
  const [u, v] = flatAxes(one, positions);
  const at = (corner: number) => [positions[3 * corner + u]!, positions[3 * corner + v]!] as const;
  const turn = (a: number, b: number, c: number) => Math.sign(orient2d(...at(a), ...at(b), ...at(c)));
  for (const [a, b] of edgesOf(one)) {
    for (const [c, d] of edgesOf(other)) {
      if (turn(a, b, c) * turn(a, b, d) < 0 && turn(c, d, a) * turn(c, d, b) < 0) return true;
    }
  }
  const isWithin = ([a, b, c]: Triangle, corner: number) => {
    const turns = [turn(a, b, corner), turn(b, c, corner), turn(c, a, corner)];
    return turns.every((side) => side > 0) || turns.every((side) => side < 0);
  };
  return other.some((corner) => isWithin(one, corner)) || one.some((corner) => isWithin(other, corner));
}

/** The two axes on which the triangle has most area. */
function flatAxes([a, b, c]: Triangle, positions: readonly number[]): readonly [number, number] {
  const area = (u: number, v: number) =>
    Math.abs(
      (positions[3 * b + u]! - positions[3 * a + u]!) * (positions[3 * c + v]! - positions[3 * a + v]!) -
        (positions[3 * b + v]! - positions[3 * a + v]!) * (positions[3 * c + u]! - positions[3 * a + u]!),
    );
  const [xy, xz, yz] = [area(0, 1), area(0, 2), area(1, 2)];
  if (xy >= xz && xy >= yz) return [0, 1];
  return xz >= yz ? [0, 2] : [1, 2];
}
