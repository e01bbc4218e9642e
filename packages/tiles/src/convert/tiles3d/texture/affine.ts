/** Where the pixels of a picture of the ground are. */

/**
 * Columns and rows of pixels to easting and northing: east = a·column + b·row + c, north = d·column + e·row + f, at the
 * centres of pixels.
 */
export type Affine = readonly [a: number, b: number, c: number, d: number, e: number, f: number];
