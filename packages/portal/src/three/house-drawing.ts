/**
 * A building and the water around it drawn to one scale: walls, roof, storeys, levels of floods. Independent of what
 * draws. Pixels, from the upper left.
 */

export interface House {
  /** Metres. */
  height: number;
  /** Storeys above ground; null when unknown. */
  storeys: number | null;
  /** Metres of its longer side as a box; null when unknown. */
  width: number | null;
  /** True for a roof that slopes. */
  isPitched: boolean;
  /** Metres of water, any order. */
  depths: readonly number[];
}

export interface Drawing {
  /** Pixels of a metre. */
  scale: number;
  /** Where the ground is. */
  ground: number;
  left: number;
  right: number;
  top: number;
  /** Where walls end; the same as `top` for a flat roof. */
  eaves: number;
  /** Corners of windows: left and top of each, all of one size. */
  windows: Array<[x: number, y: number]>;
  windowSize: [width: number, height: number];
  /** Levels of water, the deepest first, each with the height of its label, which keeps off the others. */
  levels: Array<{ depth: number; y: number; label: number }>;
  /** Where a person of 1.7 m has feet and head. */
  person: { x: number; top: number };
}

export const DRAWING = { width: 312, height: 168 };
const GROUND = 146;
/** Room for walls and water, pixels. */
const TALL = 128;
const WIDE = 132;
const MIDDLE = 146;
/** Metres of a storey where nobody knows, and of what is drawn at least. */
const STOREY = 3;
const LEAST = 4;
/** More storeys than these are lines too close to be windows. */
const MOST_STOREYS = 24;
/** Between two labels, pixels. */
const LINE = 15;
const PERSON = 1.7;

export function drawHouse({ height, storeys, width, isPitched, depths }: House): Drawing {
  const levels = [...new Set(depths.filter((depth) => depth > 0))].sort((a, b) => b - a);
  const metresWide = Math.max(2, width ?? Math.min(12, Math.max(6, height * 0.8)));
  const scale = Math.min(TALL / Math.max(height, levels[0] ?? 0, LEAST), WIDE / metresWide);
  const half = Math.max(6, (metresWide * scale) / 2);
  const top = GROUND - height * scale;
  const rows = Math.max(1, storeys ?? Math.round(height / STOREY));
  const eaves = isPitched
    ? GROUND - Math.min(0.82, Math.max(0.55, (rows * 2.8) / height)) * height * scale
    : top;
  const [left, right] = [MIDDLE - half, MIDDLE + half];
  const { windows, windowSize } = windowsIn(left, right, eaves, rows);
  return {
    scale,
    ground: GROUND,
    left,
    right,
    top,
    eaves,
    windows,
    windowSize,
    levels: labelled(levels.map((depth) => ({ depth, y: GROUND - depth * scale }))),
    person: { x: right + 18, top: GROUND - PERSON * scale },
  };
}

/**
 * The storey that water reaches, 1 for the ground floor; null above the roof, and where the number of storeys is
 * unknown.
 */
export function storeyReached({ height, storeys }: House, depth: number): number | null {
  if (storeys === null || storeys < 1 || depth >= height) return null;
  return Math.floor(depth / (height / storeys)) + 1;
}

function windowsIn(
  left: number,
  right: number,
  top: number,
  rows: number,
): Pick<Drawing, 'windows' | 'windowSize'> {
  const storey = (GROUND - top) / rows;
  const columns = Math.floor((right - left) / 22);
  if (rows > MOST_STOREYS || storey < 5 || columns === 0) return { windows: [], windowSize: [0, 0] };
  const step = (right - left) / columns;
  const size: [number, number] = [Math.min(step * 0.5, 16), Math.min(storey * 0.5, 14)];
  const windows = Array.from({ length: rows * columns }, (_, i): [number, number] => [
    left + ((i % columns) + 0.5) * step - size[0] / 2,
    top + (Math.floor(i / columns) + 0.5) * storey - size[1] / 2,
  ]);
  return { windows, windowSize: size };
}

/** Labels beside their levels, from the lowest up, none over another. */
function labelled(levels: Array<{ depth: number; y: number }>): Drawing['levels'] {
  let free = GROUND;
  return levels
    .toReversed()
    .map((level) => {
      const label = Math.min(level.y - 3, free);
      free = label - LINE;
      return { ...level, label };
    })
    .reverse();
}
