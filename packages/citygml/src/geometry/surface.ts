/** Surfaces and their rings, as they are and as the file writes them. */
import type { XmlElement } from '../xml/xml-element.ts';
import { type Positions, samePosition } from './positions.ts';

/** A flat polygon. */
export interface Surface {
  /** Exterior ring first, then the holes; each open (the first position is not repeated), at least 3 positions. */
  rings: Positions[];
  /** How the rings are written, in the same order: textures refer to that. */
  written: WrittenRing[];
  /** The elements `gml:Polygon`, `gml:Triangle` … that this was read from; the same for the same polygon. */
  element: XmlElement;
  /** True when the rings are the other way round than in the element: an orientation of `-` leads to it. */
  isTurned?: boolean;
}

/** A ring as the file has it, before repeated positions were dropped. */
export interface WrittenRing {
  /** gml:id of the ring; null when it has none. */
  id: string | null;
  /** Positions that are written. */
  positions: number;
  /**
   * For each position of the ring the written one; null where those are the first of the written ones, in their order.
   */
  kept: Uint32Array | null;
}

/** Everything that one geometry element holds. */
export interface Primitives {
  /** Solid → shell (the outer one first) → surface. */
  solids: Surface[][][];
  /** Surfaces that are not part of a solid. */
  surfaces: Surface[];
  lines: Positions[];
  points: Positions[];
  /** True when positions had no height; altitudes are 0 then. */
  flat: boolean;
}

/** A ring that was read, and how it was written. */
export interface ReadRing {
  positions: Positions;
  written: WrittenRing;
}

/** The same surface seen from its other side. */
export function reverse(surface: Surface): Surface {
  const rings = surface.rings.map((ring) => {
    const turned = new Float64Array(ring.length);
    for (let i = 0; i < ring.length; i += 3) turned.set(ring.subarray(i, i + 3), ring.length - 3 - i);
    return turned;
  });
  const written = surface.written.map((ring, i): WrittenRing => {
    const count = surface.rings[i]!.length / 3;
    return { ...ring, kept: (ring.kept ?? Uint32Array.from({ length: count }, (_, k) => k)).toReversed() };
  });
  return { rings, written, element: surface.element, isTurned: true };
}

/** A ring without the repeated first position at its end, and without positions that repeat the one before. */
export function withoutRepeats(ring: Positions, id: string | null): ReadRing {
  let first = 3;
  while (first < ring.length && !samePosition(ring, first, ring, first - 3)) first += 3;
  let positions = ring;
  let kept: Uint32Array | null = null;
  let length = Math.min(first, ring.length);
  if (first < ring.length) {
    positions = ring.slice();
    kept = Uint32Array.from({ length: ring.length / 3 }, (_, i) => i);
    for (let i = first; i < ring.length; i += 3) {
      if (samePosition(ring, i, positions, length - 3)) continue;
      kept[length / 3] = i / 3;
      positions[length] = ring[i]!;
      positions[length + 1] = ring[i + 1]!;
      positions[length + 2] = ring[i + 2]!;
      length += 3;
    }
  }
  while (length > 3 && samePosition(positions, 0, positions, length - 3)) length -= 3;
  return {
    positions: positions.subarray(0, length),
    written: { id, positions: ring.length / 3, kept: kept?.subarray(0, length / 3) ?? null },
  };
}
