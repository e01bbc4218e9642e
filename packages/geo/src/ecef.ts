/** A point or direction in the Earth-centred, Earth-fixed frame (EPSG:4978): x, y, z in metres. */
export type Vec3 = [number, number, number];

/** 4×4 affine matrix, 16 numbers in column-major order, as 3D Tiles writes `transform` (1.1, section 6.7.2.4). */
export type Matrix4 = readonly number[];

/** Semi-major axis of WGS 84, metres. */
export const WGS84_A = 6378137;
/** Semi-minor axis of WGS 84, metres. */
export const WGS84_B = 6356752.314245179;
const E2 = 1 - (WGS84_B / WGS84_A) ** 2;
const EP2 = (WGS84_A / WGS84_B) ** 2 - 1;

/** Radius of curvature in the meridian at a geodetic latitude (radians), metres. */
export function meridianRadius(lat: number): number {
  const s = Math.sin(lat);
  return (WGS84_A * (1 - E2)) / (1 - E2 * s * s) ** 1.5;
}

/** Geodetic longitude and latitude (radians) and ellipsoidal height (metres) to ECEF. */
export function geodeticToEcef(lng: number, lat: number, height: number): Vec3 {
  const sin = Math.sin(lat);
  const cos = Math.cos(lat);
  const n = WGS84_A / Math.sqrt(1 - E2 * sin * sin);
  return [
    (n + height) * cos * Math.cos(lng),
    (n + height) * cos * Math.sin(lng),
    (n * (1 - E2) + height) * sin,
  ];
}

/**
 * Geodetic latitude (radians) and ellipsoidal height (metres) of a point given by its distance from the axis
 * and its z, both metres. Bowring's formula, started from the parametric latitude and repeated three times:
 * below a micrometre from 1,000 km beneath the surface to far outside.
 */
export function meridianToGeodetic(rho: number, z: number): { lat: number; height: number } {
  let beta = Math.atan2(WGS84_A * z, WGS84_B * rho);
  let lat = 0;
  for (let i = 0; i < 3; i++) {
    const sin = Math.sin(beta);
    const cos = Math.cos(beta);
    lat = Math.atan2(z + EP2 * WGS84_B * sin ** 3, rho - E2 * WGS84_A * cos ** 3);
    beta = Math.atan2(WGS84_B * Math.sin(lat), WGS84_A * Math.cos(lat));
  }
  const sin = Math.sin(lat);
  const cos = Math.cos(lat);
  // Distance along the normal; unlike rho / cos - n it keeps its precision at the poles.
  const height = rho * cos + z * sin - WGS84_A * Math.sqrt(1 - E2 * sin * sin);
  return { lat, height };
}

/** ECEF to `[longitude, latitude, height]`, radians and metres. */
export function ecefToGeodetic(p: readonly number[]): Vec3 {
  const [x, y, z] = p as Vec3;
  const { lat, height } = meridianToGeodetic(Math.hypot(x, y), z);
  return [Math.atan2(y, x), lat, height];
}

/** `a · b`: the transform that applies `b` first. */
export function multiply(a: Matrix4, b: Matrix4): number[] {
  const out = new Array<number>(16).fill(0);
  for (let column = 0; column < 4; column++) {
    for (let row = 0; row < 4; row++) {
      let sum = 0;
      for (let k = 0; k < 4; k++) sum += a[k * 4 + row]! * b[column * 4 + k]!;
      out[column * 4 + row] = sum;
    }
  }
  return out;
}

/** A point under an affine matrix. */
export function transformPoint(m: Matrix4, p: readonly number[]): Vec3 {
  const [x, y, z] = p as Vec3;
  return [
    m[0]! * x + m[4]! * y + m[8]! * z + m[12]!,
    m[1]! * x + m[5]! * y + m[9]! * z + m[13]!,
    m[2]! * x + m[6]! * y + m[10]! * z + m[14]!,
  ];
}

/** A direction under the linear part of an affine matrix. */
export function transformDirection(m: Matrix4, p: readonly number[]): Vec3 {
  const [x, y, z] = p as Vec3;
  return [
    m[0]! * x + m[4]! * y + m[8]! * z,
    m[1]! * x + m[5]! * y + m[9]! * z,
    m[2]! * x + m[6]! * y + m[10]! * z,
  ];
}

/**
 * The factor by which a matrix can at most lengthen a direction: exact for rotations and scales along the axes,
 * an upper bound (Frobenius norm) for shears.
 */
export function maximumScale(m: Matrix4): number {
  const columns = [0, 4, 8].map((i) => [m[i]!, m[i + 1]!, m[i + 2]!] as Vec3);
  const lengths = columns.map((c) => Math.hypot(...c));
  const dot = (a: Vec3, b: Vec3) => Math.abs(a[0] * b[0] + a[1] * b[1] + a[2] * b[2]);
  const [a, b, c] = columns as [Vec3, Vec3, Vec3];
  const largest = Math.max(...lengths);
  const sheared = Math.max(dot(a, b), dot(b, c), dot(a, c)) > 1e-9 * largest * largest;
  return sheared ? Math.hypot(...lengths) : largest;
}
