/**
 * Steps that compressed positions are rounded to. They are powers of two, and tiles count positions from whole metres:
 * so the corner that meshes or tiles share stays one place, and no gaps show between them.
 */

/** The largest step that moves no position by more than `error` along an axis, both in metres. */
export function stepOf(error: number): number {
  return 2 ** Math.floor(Math.log2(2 * error));
}
