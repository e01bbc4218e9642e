/** Corners of a box or polygon that are moved one at a time; without a map. */
import { type Area, areaCorners, type Position } from '../core/area.ts';

/** The fewest corners that a polygon has. */
const FEWEST = 3;

export interface Corners {
  kind: 'box' | 'polygon';
  /** Of a box the four in order around it, of which a corner may be dragged past another. */
  positions: readonly Position[];
}

/** The corners of an area that has some; null for others. */
export function cornersOf(area: Area): Corners | null {
  return area.kind === 'box' || area.kind === 'polygon'
    ? { kind: area.kind, positions: areaCorners(area) }
    : null;
}

/** With one corner elsewhere; of a box its neighbours follow, and the corner opposite stays. */
export function moveCorner({ kind, positions }: Corners, index: number, to: Position): Corners {
  if (kind === 'polygon') return { kind, positions: positions.with(index, to) };
  const [far, near] = [positions[(index + 2) % 4]!, positions[(index + 1) % 4]!];
  // The next corner shares either longitude or latitude with this one, and the one before shares the other.
  const sharesLng = near[0] === positions[index]![0];
  const moved = [...positions];
  moved[index] = to;
  moved[(index + 1) % 4] = sharesLng ? [to[0], far[1]] : [far[0], to[1]];
  moved[(index + 3) % 4] = sharesLng ? [far[0], to[1]] : [to[0], far[1]];
  return { kind, positions: moved };
}

/** Without a corner of a polygon; the same where it has no more than it needs. */
export function removeCorner(corners: Corners, index: number): Corners {
  return corners.kind === 'box' || corners.positions.length <= FEWEST
    ? corners
    : { kind: 'polygon', positions: corners.positions.filter((_, i) => i !== index) };
}

/** The area inside the corners; null for a box without width or height. */
export function areaOfCorners({ kind, positions }: Corners): Area | null {
  if (kind === 'polygon') return { kind, ring: [...positions] };
  const [lngs, lats] = [positions.map(([lng]) => lng), positions.map(([, lat]) => lat)];
  const bounds = {
    west: Math.min(...lngs),
    south: Math.min(...lats),
    east: Math.max(...lngs),
    north: Math.max(...lats),
  };
  return bounds.west < bounds.east && bounds.south < bounds.north ? { kind, bounds } : null;
}
