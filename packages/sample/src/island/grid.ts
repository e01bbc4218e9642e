/** Blocks and streets of the island's town. */
import { hash32 } from '../random.ts';
import { TOWN } from './shape.ts';

export type Zone =
  | 'centre'
  | 'commercial'
  | 'flats'
  | 'homes'
  | 'works'
  | 'school'
  | 'park'
  | 'square'
  | 'farm'
  | 'yard';

/** From and to, metres of the plan. */
export type Span = readonly [from: number, to: number];

export interface Block {
  /** Counted away from the river: 0, 1, … on its east side, -1, -2, … on its west side. */
  column: number;
  row: number;
  x: Span;
  y: Span;
  zone: Zone;
  quarter: string;
}

export interface Street {
  /** True for those along the river. */
  isAlong: boolean;
  span: Span;
}

const COLUMNS = 7;
const ROWS = 20;
/** Row whose southern street is the avenue over the main bridge; and that of the second bridge. */
const AVENUE_ROW = 10;
const SECOND_ROW = 15;
/** Roads on the quays lie between these distances from the river's middle. */
export const QUAY: Span = [24, 34];

/** Streets across the river, and between them the rows of blocks, from south to north. */
const { across, rows } = lay(TOWN.south, ROWS, 40, (i) =>
  i === AVENUE_ROW ? 20 : i === SECOND_ROW ? 14 : 6.6,
);
/** East of the river; its west side is the mirror image. */
const { across: along, rows: columns } = lay(QUAY[0], COLUMNS, 79, () => 10);

/** The streets that cross the river by a bridge. */
export const BRIDGE_STREETS: readonly [Span, Span] = [across[AVENUE_ROW]!, across[SECOND_ROW]!];

/** All streets: those across the river first. */
export const STREETS: readonly Street[] = [
  ...across.map((span) => ({ isAlong: false, span })),
  ...along.flatMap((span) => [
    { isAlong: true, span: mirrored(span) },
    { isAlong: true, span },
  ]),
];

/** Middle of the town's outermost streets on each side. */
export const EDGE = { x: along.at(-1)![1], south: across[0]![0], north: across.at(-1)![1] } as const;

const EAST = ['汐入一丁目', '汐入二丁目', '櫓町', '桟橋通'];
const WEST = ['苔香町', '鐘楼坂', '水車一丁目', '水車二丁目'];

/** The blocks of the town; which seed only decides where parks, flats and schools are. */
export function blocksOf(seed: number): Block[] {
  return rows.flatMap((y, row) =>
    columns.flatMap((x, i) =>
      [i, -1 - i].map((column): Block => {
        const quarters = column >= 0 ? EAST : WEST;
        return {
          column,
          row,
          x: column >= 0 ? x : mirrored(x),
          y,
          zone: zoneOf(column, row, hash32(`${seed}/island/${column}/${row}`)),
          quarter: quarters[Math.min(quarters.length - 1, Math.floor(row / 5))]!,
        };
      }),
    ),
  );
}

/** The spaces between streets along the other direction, in which a street has no crossing. */
export function stretches(isAlong: boolean): Span[] {
  if (isAlong) return [...rows];
  return [...columns.map(mirrored).reverse(), ...columns];
}

/** Where streets of the other direction cross, the river's own gap aside. */
export function crossings(isAlong: boolean): Span[] {
  return STREETS.filter((street) => street.isAlong !== isAlong).map(({ span }) => span);
}

function zoneOf(column: number, row: number, hash: number): Zone {
  const away = column >= 0 ? column : -1 - column;
  const near = Math.abs(row - AVENUE_ROW + 0.5);
  if (column === 0 && row === AVENUE_ROW) return 'square';
  if (column === -1 && row === AVENUE_ROW - 1) return 'park';
  if (away <= 1 && near < 3) return 'centre';
  if (away <= 2 && near < 5) return 'commercial';
  if (near < 1) return 'commercial';
  if (row <= 1 && column >= 2) return 'works';
  if (away === COLUMNS - 1 && (row <= 4 || row >= 16)) return column < 0 && row <= 4 ? 'farm' : 'park';
  if ((column === -4 && row === 14) || (column === 4 && row === 6)) return 'school';
  const draw = hash % 100;
  if (draw < 5) return 'park';
  if (draw < 13 || (away <= 3 && draw < 24)) return 'flats';
  return draw < 15 ? 'yard' : 'homes';
}

function mirrored([from, to]: Span): Span {
  return [-to, -from];
}

/** Streets with blocks of one depth between them, from `start` on. */
function lay(
  start: number,
  count: number,
  depth: number,
  width: (street: number) => number,
): { across: Span[]; rows: Span[] } {
  const across: Span[] = [];
  const rows: Span[] = [];
  let end = start;
  for (let i = 0; i <= count; i++) {
    across.push([end, end + width(i)]);
    end += width(i);
    if (i === count) break;
    rows.push([end, end + depth]);
    end += depth;
  }
  return { across, rows };
}
