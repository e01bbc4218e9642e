/** Tolerances of the official checks, in metres on the plane unless said otherwise. */

/** Consecutive points that are nearer are the same, and segments whose ends are nearer do not cross. */
export const SAME_POINT = 0.0099;
/** A surface may be as thick as this. */
export const PLANARITY = 0.03;
/** Rings cross only this far from the corners of both. */
export const CROSSING = 0.01;
/** Holes are widened by this before they are compared. */
export const HOLE_BUFFER = 0.005;
/** Corners of a solid that are nearer are one. */
export const SOLID_CORNER = 0.01;
/** Footprints are narrowed by this before solids are compared. */
export const FOOTPRINT_BUFFER = 0.005;
/** Ends of edges that two polygons of a composite surface share. */
export const SHARED_EDGE = 1e-6;
/** Points that lie on one line up to rounding. */
export const COLLINEAR = 1e-6;
