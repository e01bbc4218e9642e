/** Positions of one feature in metres around it. */
const METRE = 111_320;

/**
 * East, north and up of the first position, from longitude, latitude in degrees and height; good for shapes of some
 * kilometres.
 */
export function toMetres(positions: Float64Array): Float64Array {
  const metres = new Float64Array(positions.length);
  const [lng, lat, height] = [positions[0]!, positions[1]!, positions[2]!];
  const east = METRE * Math.cos((lat * Math.PI) / 180);
  for (let i = 0; i < positions.length; i += 3) {
    metres[i] = (positions[i]! - lng) * east;
    metres[i + 1] = (positions[i + 1]! - lat) * METRE;
    metres[i + 2] = positions[i + 2]! - height;
  }
  return metres;
}
