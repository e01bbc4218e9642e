/** Bits of each coordinate: numbers of 32 bits together. */
const BITS = 16;

/**
 * Place on a Hilbert curve of a point of the unit square, a whole number from 0 to 2³² − 1: points near on the curve
 * are near in the square. Values outside of 0 to 1 count as the nearest edge. (Skilling, Programming the Hilbert curve,
 * 2004, in two dimensions.)
 */
export function hilbertPlace(x: number, y: number): number {
  const most = 2 ** BITS - 1;
  let a = Math.round(Math.min(1, Math.max(0, x)) * most);
  let b = Math.round(Math.min(1, Math.max(0, y)) * most);
  let place = 0;
  for (let side = 2 ** (BITS - 1); side >= 1; side /= 2) {
    const right = (a & side) > 0 ? 1 : 0;
    const up = (b & side) > 0 ? 1 : 0;
    place += side * side * ((3 * right) ^ up);
    if (up === 1) continue;
    // The quarter is a curve of its own, turned.
    if (right === 1) {
      a = most - a;
      b = most - b;
    }
    [a, b] = [b, a];
  }
  return place;
}
