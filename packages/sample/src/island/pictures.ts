/**
 * Pictures for walls and roofs, drawn by rules and chance: what a photograph of such a wall shows from afar. Each
 * repeats in both directions.
 */

import type { PictureRules, Uv } from '../appearance.ts';
import type { Building, Face } from '../building.ts';
import type { Point3 } from '../place.ts';
import { Random } from '../random.ts';
import { Canvas, type Colour } from './canvas.ts';

/** Pixels along a side; a wall's picture shows two bays of two storeys. */
const SIDE = 96;
const BAY = SIDE / 2;

interface Wall {
  colour: Colour;
  /** Parts of a bay: left, lower and right, upper edge of its window. */
  window: readonly [left: number, low: number, right: number, high: number];
  glass: Colour;
  draw?(canvas: Canvas, random: Random): void;
  /** Width of a bay on the ground, metres. */
  metres: number;
}

const GLASS: Colour = [74, 92, 108];
const lines =
  (step: number, darker: number, isUpright = false) =>
  (canvas: Canvas) => {
    for (let at = 0; at < SIDE; at += step) {
      if (isUpright) canvas.shade(at, 0, at + 1, SIDE, darker);
      else canvas.shade(0, at, SIDE, at + 1, darker);
    }
  };

const WALLS: Record<string, Wall> = {
  'wall_plaster.png': { colour: [236, 232, 222], window: [0.22, 0.3, 0.66, 0.75], glass: GLASS, metres: 3.6 },
  'wall_siding.png': {
    colour: [198, 188, 168],
    window: [0.3, 0.3, 0.74, 0.78],
    glass: GLASS,
    metres: 3.6,
    draw: lines(6, 14),
  },
  'wall_cedar.png': {
    colour: [122, 92, 68],
    window: [0.18, 0.28, 0.7, 0.74],
    glass: GLASS,
    metres: 4,
    draw: lines(4, 16, true),
  },
  'wall_grey.png': {
    colour: [158, 164, 168],
    window: [0.25, 0.32, 0.6, 0.78],
    glass: GLASS,
    metres: 3.4,
    draw: lines(8, 10),
  },
  'wall_cream.png': {
    colour: [229, 214, 184],
    window: [0.2, 0.26, 0.55, 0.72],
    glass: [88, 98, 104],
    metres: 3.6,
  },
  'wall_glass.png': {
    colour: [128, 146, 158],
    window: [0.04, 0.1, 0.97, 0.97],
    glass: [92, 124, 148],
    metres: 3.2,
  },
  'wall_bands.png': { colour: [206, 206, 202], window: [0, 0.36, 1, 0.84], glass: [70, 88, 102], metres: 4 },
  'wall_brick.png': {
    colour: [156, 98, 78],
    window: [0.26, 0.28, 0.72, 0.8],
    glass: [66, 74, 84],
    metres: 3.4,
    draw: lines(4, 12),
  },
  'wall_stone.png': {
    colour: [190, 180, 160],
    window: [0.3, 0.2, 0.7, 0.84],
    glass: [62, 72, 82],
    metres: 3,
    draw: lines(12, 12),
  },
  'wall_balconies.png': {
    colour: [222, 216, 206],
    window: [0.08, 0.38, 0.92, 0.9],
    glass: [104, 112, 116],
    metres: 5.6,
    draw: balconies,
  },
  'wall_tiles.png': {
    colour: [176, 142, 116],
    window: [0.14, 0.36, 0.82, 0.88],
    glass: [80, 88, 94],
    metres: 5.2,
    draw: balconies,
  },
};

const ROOFS: Record<string, { colour: Colour; step: number; darker: number; metres: number }> = {
  'roof_slate.png': { colour: [88, 98, 110], step: 8, darker: 20, metres: 4 },
  'roof_brown.png': { colour: [118, 88, 74], step: 8, darker: 20, metres: 4 },
  'roof_terracotta.png': { colour: [168, 98, 70], step: 8, darker: 22, metres: 4 },
  'roof_metal.png': { colour: [142, 156, 160], step: 12, darker: 24, metres: 6 },
  'roof_concrete.png': { colour: [176, 176, 172], step: 48, darker: 16, metres: 8 },
  'roof_gravel.png': { colour: [150, 146, 138], step: 96, darker: 14, metres: 8 },
};

export interface Picture {
  file: string;
  bytes: Uint8Array;
}

let drawn: Picture[] | null = null;

/** All pictures, drawn once. */
export function pictures(): readonly Picture[] {
  drawn ??= [
    ...Object.entries(WALLS).map(([file, wall]) => ({ file, bytes: drawWall(file, wall) })),
    ...Object.entries(ROOFS).map(([file, roof]) => {
      const canvas = new Canvas(SIDE, roof.colour);
      canvas.grain(new Random(file), 7);
      lines(roof.step, roof.darker)(canvas);
      return { file, bytes: canvas.png() };
    }),
  ];
  return drawn;
}

function drawWall(file: string, wall: Wall): Uint8Array {
  const random = new Random(file);
  const canvas = new Canvas(SIDE, wall.colour);
  canvas.grain(random, 3);
  wall.draw?.(canvas, random);
  const [left, low, right, high] = wall.window;
  for (let i = 0; i < 4; i++) {
    const [x, y] = [(i % 2) * BAY, Math.floor(i / 2) * BAY];
    const box = [x + left * BAY, y + (1 - high) * BAY, x + right * BAY, y + (1 - low) * BAY] as const;
    // Curtains and the sky make every window another one.
    const light = random.int(-16, 26);
    canvas.fill(...box, wall.glass.map((value) => value + light) as unknown as Colour);
    canvas.shade(box[0], box[1], box[2], box[1] + 2, 34);
    const middle = (box[0] + box[2]) / 2;
    canvas.fill(middle - 0.5, box[1], middle + 0.5, box[3], [226, 226, 222]);
    canvas.shade(box[0], box[3], box[2], box[3] + 1, -16);
  }
  return canvas.png();
}

/** A parapet before the lower part of every storey, and the shadow of the floor above. */
function balconies(canvas: Canvas): void {
  for (const y of [0, BAY]) {
    canvas.shade(0, y, SIDE, y + 4, 40);
    canvas.shade(0, y + BAY * 0.62, SIDE, y + BAY * 0.66, -14);
  }
}

/** Which picture lies on which face, and how. */
export const ISLAND_PICTURES: PictureRules = {
  mimeType: 'image/png',
  textureOf({ pictures }, { kind }) {
    if (pictures === null || pictures === undefined || kind === 'ground') return null;
    return kind === 'wall' ? pictures.wall : pictures.roof;
  },
  textureUv: (face, building) => (face.kind === 'wall' ? wallUv(face, building) : roofUv(face, building)),
};

/** A whole number of bays along the wall, and a storey to every half of the picture. */
function wallUv({ rings }: Face, { bodies, storeysAbove, pictures, measuredHeight }: Building): Uv {
  const [a, b] = rings[0] as [Point3, Point3];
  const length = Math.hypot(b[0] - a[0], b[1] - a[1]);
  const bays = Math.max(1, Math.round(length / WALLS[pictures!.wall]!.metres));
  const { base, roof } = bodies[0]!;
  const eaves = roof.kind === 'gable' || roof.kind === 'hip' ? roof.eaves - base : measuredHeight;
  const storey = eaves / Math.max(1, storeysAbove);
  return rings.map((ring) =>
    ring.map(([e, n, z]) => [
      ((((e - a[0]) * (b[0] - a[0]) + (n - a[1]) * (b[1] - a[1])) / length ** 2) * bays) / 2,
      (z - a[2]) / storey / 2,
    ]),
  );
}

/** Along the lower edge and up the slope; east and north on flat roofs. */
function roofUv({ rings }: Face, { pictures }: Building): Uv {
  const { metres } = ROOFS[pictures!.roof]!;
  const [a, b] = rings[0] as [Point3, Point3];
  const highest = Math.max(...rings[0]!.map(([, , z]) => z));
  if (highest === a[2])
    return rings.map((ring) => ring.map(([e, n]) => [(e - a[0]) / metres, (n - a[1]) / metres]));
  const length = Math.hypot(b[0] - a[0], b[1] - a[1]);
  const [dx, dy] = [(b[0] - a[0]) / length, (b[1] - a[1]) / length];
  return rings.map((ring) =>
    ring.map(([e, n, z]) => {
      const [x, y] = [e - a[0], n - a[1]];
      return [(x * dx + y * dy) / metres, Math.hypot(y * dx - x * dy, z - a[2]) / metres];
    }),
  );
}
