/** Metres around a place, for sizes of single features: within a few hundred metres they are true to a millionth. */
import { meridianRadius, WGS84_A, WGS84_B } from '@citymodel/geo';

const RADIANS = Math.PI / 180;
const E2 = 1 - (WGS84_B / WGS84_A) ** 2;

/** Rings of x and y in metres, open; those of holes run the other way than their exteriors. */
export type PlaneRing = Float64Array;

export class LocalPlane {
  readonly #lng: number;
  readonly #lat: number;
  /** Metres of a degree. */
  readonly #east: number;
  readonly #north: number;

  /** @param lng and `lat`: degrees, the origin */
  constructor(lng: number, lat: number) {
    this.#lng = lng;
    this.#lat = lat;
    const phi = lat * RADIANS;
    this.#east = (RADIANS * WGS84_A * Math.cos(phi)) / Math.sqrt(1 - E2 * Math.sin(phi) ** 2);
    this.#north = RADIANS * meridianRadius(phi);
  }

  x(lng: number): number {
    return (lng - this.#lng) * this.#east;
  }

  y(lat: number): number {
    return (lat - this.#lat) * this.#north;
  }

  lng(x: number): number {
    return this.#lng + x / this.#east;
  }

  lat(y: number): number {
    return this.#lat + y / this.#north;
  }

  /** Of longitudes and latitudes by turns. */
  ring(positions: ArrayLike<number>): PlaneRing {
    const ring = new Float64Array(positions.length);
    for (let i = 0; i < positions.length; i += 2) {
      ring[i] = this.x(positions[i]!);
      ring[i + 1] = this.y(positions[i + 1]!);
    }
    return ring;
  }
}

/** Metres between two places, degrees each. */
export function metresBetween([lng, lat]: readonly number[], [toLng, toLat]: readonly number[]): number {
  const plane = new LocalPlane(lng!, lat!);
  return Math.hypot(plane.x(toLng!), plane.y(toLat!));
}

/** Area of a ring, open or closed; negative when it runs clockwise. Its unit squared. */
export function ringArea(ring: ArrayLike<number>): number {
  let sum = 0;
  // Edges of the first corner have no part in it, since all is measured from there.
  for (let i = 2; i + 2 < ring.length; i += 2) {
    const [ax, ay] = [ring[i]! - ring[0]!, ring[i + 1]! - ring[1]!];
    const [bx, by] = [ring[i + 2]! - ring[0]!, ring[i + 3]! - ring[1]!];
    sum += ax * by - bx * ay;
  }
  return sum / 2;
}
