/** Streets of the island with their lanes and pavements, and its square. */
import { type Point2, thirdMesh } from '../place.ts';
import { Random } from '../random.ts';
import {
  type Block,
  BRIDGE_STREETS,
  crossings,
  QUAY,
  type Span,
  STREETS,
  type Street,
  stretches,
} from './grid.ts';
import { at, type PlanPoint, plot } from './shape.ts';

/** A strip of a street that LOD 2 tells apart; codes of `TrafficArea_function` or `AuxiliaryTrafficArea_function`. */
export interface Strip {
  id: string;
  isAuxiliary: boolean;
  code: string;
  ring: Point2[];
}

export interface Road {
  id: string;
  mesh: string;
  outline: Point2[];
  strips: Strip[];
  /** Metres from edge to edge, and lanes of traffic; a crossing has none of its own. */
  width: number;
  lanes: number;
}

export const CODES = { lane: '1000', crossing: '1020', pavement: '2000', island: '3000' } as const;

/** Every stretch of street between two crossings, and every crossing. */
export function roadsOf(seed: number): Road[] {
  const random = new Random(`${seed}/island/tran`);
  const across = STREETS.filter(({ isAlong }) => !isAlong);
  return [
    ...STREETS.flatMap((street) => spansOf(street).map((span) => stretch(random, street, span))),
    ...across.flatMap(({ span: [south, north] }) =>
      crossings(false).map(([west, east]) => {
        const outline = plot(west, south, east, north);
        const strip = {
          id: `traf_${random.uuid()}`,
          isAuxiliary: false,
          code: CODES.crossing,
          ring: outline,
        };
        return road(random, [(west + east) / 2, (south + north) / 2], outline, [strip], east - west, 0);
      }),
    ),
  ];
}

/** The whole block in front of the bridge is a square. */
export function squareOf(block: Block, seed: number): Road {
  const random = new Random(`${seed}/island/squr`);
  const outline = plot(block.x[0], block.y[0], block.x[1], block.y[1]);
  const strip = { id: `traf_${random.uuid()}`, isAuxiliary: false, code: CODES.pavement, ring: outline };
  const middle: PlanPoint = [(block.x[0] + block.x[1]) / 2, (block.y[0] + block.y[1]) / 2];
  return {
    ...road(random, middle, outline, [strip], block.y[1] - block.y[0], 0),
    id: `squr_${random.uuid()}`,
  };
}

function spansOf(street: Street): Span[] {
  const spans = stretches(street.isAlong);
  const isOverRiver = BRIDGE_STREETS.some(([south]) => !street.isAlong && street.span[0] === south);
  return isOverRiver ? [...spans, [-QUAY[0], QUAY[0]]] : spans;
}

function stretch(random: Random, { isAlong, span: [from, to] }: Street, [start, end]: Span): Road {
  const box = (a: number, b: number) => (isAlong ? plot(a, start, b, end) : plot(start, a, end, b));
  const width = to - from;
  const middle: PlanPoint = isAlong
    ? [(from + to) / 2, (start + end) / 2]
    : [(start + end) / 2, (from + to) / 2];
  const strips: Strip[] = [];
  const strip = (code: string, a: number, b: number) => {
    const isAuxiliary = code === CODES.island;
    const id = `${isAuxiliary ? 'auxt' : 'traf'}_${random.uuid()}`;
    strips.push({ id, isAuxiliary, code, ring: box(a, b) });
  };
  const pavement = width < 8 ? 0 : width < 18 ? 2.2 : 3.2;
  const median = width < 18 ? 0 : 1.6;
  const lanes = width < 8 ? 1 : width < 18 ? 2 : 4;
  if (pavement > 0) strip(CODES.pavement, from, from + pavement);
  const half = (width - median) / 2 - pavement;
  const laneWidth = lanes === 1 ? width : half / (lanes / 2);
  for (let i = 0; i < lanes; i++) {
    const left = from + pavement + i * laneWidth + (i >= lanes / 2 ? median : 0);
    strip(CODES.lane, left, left + laneWidth);
  }
  if (median > 0) strip(CODES.island, from + pavement + half, from + pavement + half + median);
  if (pavement > 0) strip(CODES.pavement, to - pavement, to);
  return road(random, middle, box(from, to), strips, width, lanes);
}

function road(
  random: Random,
  middle: PlanPoint,
  outline: Point2[],
  strips: Strip[],
  width: number,
  lanes: number,
): Road {
  const rounded = Math.round(width * 10) / 10;
  return {
    id: `tran_${random.uuid()}`,
    mesh: thirdMesh(...at(middle)),
    outline,
    strips,
    width: rounded,
    lanes,
  };
}
