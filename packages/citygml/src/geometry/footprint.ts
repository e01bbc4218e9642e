/**
 * The footprint of a feature: the horizontal projection of its reference geometry, exactly, in few bytes.
 *
 * Encoded footprint (little-endian), relative to the south-west corner of the feature's box:
 *
 * | bytes | content |
 * |---|---|
 * | u16 | number of parts |
 * | u8, u8 | width of a longitude and of a latitude in bytes, 1 to 7; 8: a float64 that is not relative |
 * | u8, u8 | exponents kx, ky |
 * | u16 per part | kind in the top two bits (0 polygon, 1 hole of the one before, 2 line, 3 point), vertices below |
 * | vertices | longitude, latitude: unsigned integers qx, qy, least significant byte first |
 *
 * A coordinate is `corner + q * 2^-k`. With k the exponent of the unit in the last place, q is an integer and
 * nothing is lost; ten bytes a vertex are usual where two doubles need sixteen.
 */

/** Kinds of parts, as encoded. */
export const PartKind = { polygon: 0, hole: 1, line: 2, point: 3 } as const;

/** Rings and lines are flat lists `[lng, lat, lng, lat, …]` in degrees; rings do not repeat their first vertex. */
export interface Footprint {
  /** Exterior ring first, then holes. */
  polygons: Float64Array[][];
  lines: Float64Array[];
  /** Single points. */
  points: Float64Array[];
}

/** Parts of a footprint before encoding: `starts[i]` is the first vertex of part i in `vertices` (flat pairs). */
export interface FootprintParts {
  count: number;
  kinds: Uint8Array;
  starts: Int32Array;
  lengths: Int32Array;
  vertices: Float64Array;
}

/** Encodes parts relative to a corner that no vertex is west or south of. */
export function encodeFootprint(parts: FootprintParts, west: number, south: number): Uint8Array {
  const { count, vertices } = parts;
  let total = 0;
  for (let i = 0; i < count; i++) total += parts.lengths[i]!;
  const lng = fit(parts, 0, west);
  const lat = fit(parts, 1, south);
  const bytes = Buffer.allocUnsafe(6 + count * 2 + total * (lng.width + lat.width));
  bytes.writeUInt16LE(count, 0);
  bytes[2] = lng.width;
  bytes[3] = lat.width;
  bytes[4] = lng.exponent;
  bytes[5] = lat.exponent;
  let at = 6;
  for (let i = 0; i < count; i++, at += 2) {
    bytes.writeUInt16LE((parts.kinds[i]! << 14) | parts.lengths[i]!, at);
  }
  for (let i = 0; i < count; i++) {
    const first = parts.starts[i]! * 2;
    const last = first + parts.lengths[i]! * 2;
    for (let v = first; v < last; v += 2) {
      put(bytes, at, vertices[v]!, west, lng);
      at += lng.width;
      put(bytes, at, vertices[v + 1]!, south, lat);
      at += lat.width;
    }
  }
  return bytes;
}

interface Fit {
  width: number;
  exponent: number;
  /** 2^exponent. */
  scale: number;
}

const RAW: Fit = { width: 8, exponent: 0, scale: 1 };

/** The narrowest encoding of one axis (0 longitude, 1 latitude) that loses nothing. */
function fit(parts: FootprintParts, axis: 0 | 1, corner: number): Fit {
  if (!(corner > 2 ** -20)) return RAW;
  const exponent = 52 - Math.floor(Math.log2(corner));
  const scale = 2 ** exponent;
  let largest = 0;
  for (let i = 0; i < parts.count; i++) {
    const first = parts.starts[i]! * 2;
    const last = first + parts.lengths[i]! * 2;
    for (let v = first + axis; v < last; v += 2) {
      const value = parts.vertices[v]!;
      const q = (value - corner) * scale;
      if (!Number.isSafeInteger(q) || q < 0 || corner + q / scale !== value) return RAW;
      if (q > largest) largest = q;
    }
  }
  let width = 1;
  while (largest >= 2 ** (8 * width)) width++;
  return { width, exponent, scale };
}

function put(bytes: Buffer, at: number, value: number, corner: number, axis: Fit): void {
  const { width, scale } = axis;
  if (width === 8) {
    bytes.writeDoubleLE(value, at);
    return;
  }
  const q = (value - corner) * scale;
  // In two halves, so that the rest is arithmetic of 32-bit integers.
  const high = Math.floor(q / 0x1000000);
  const low = q - high * 0x1000000;
  for (let i = 0; i < 3 && i < width; i++) bytes[at + i] = low >>> (8 * i);
  for (let i = 3; i < width; i++) bytes[at + i] = high >>> (8 * (i - 3));
}

/** Decodes a footprint. Throws a RangeError when `bytes` is not one. */
export function decodeFootprint(bytes: Uint8Array, west: number, south: number): Footprint {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const count = view.getUint16(0, true);
  const widths = [bytes[2]!, bytes[3]!] as const;
  const scales = [2 ** bytes[4]!, 2 ** bytes[5]!] as const;
  const footprint: Footprint = { polygons: [], lines: [], points: [] };
  let at = 6 + count * 2;
  const take = (axis: 0 | 1, corner: number): number => {
    const width = widths[axis];
    at += width;
    if (width === 8) return view.getFloat64(at - 8, true);
    let q = 0;
    for (let i = 1; i <= width; i++) q = q * 256 + view.getUint8(at - i);
    return corner + q / scales[axis];
  };
  for (let i = 0; i < count; i++) {
    const head = view.getUint16(6 + i * 2, true);
    const vertices = new Float64Array((head & 0x3fff) * 2);
    for (let v = 0; v < vertices.length; v += 2) {
      vertices[v] = take(0, west);
      vertices[v + 1] = take(1, south);
    }
    const kind = head >>> 14;
    if (kind === PartKind.polygon) footprint.polygons.push([vertices]);
    else if (kind === PartKind.hole) footprint.polygons.at(-1)?.push(vertices);
    else if (kind === PartKind.line) footprint.lines.push(vertices);
    else footprint.points.push(vertices);
  }
  return footprint;
}
