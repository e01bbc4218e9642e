/** Warnings of triangles: edges of floods that almost meet, and holes of relief. */
import type { XmlElement } from '@citymodel/citygml';
import { type Check, defineCheck, type FileContext, type Finding } from '../../check.ts';
import { firstPosition, PlanePolygons, type Ring } from '../../geometry/plane-polygon.ts';
import { hashOf } from '../../hash.ts';
import { Numbers, singlesIn } from '../../numbers.ts';
import { polygonsOf } from '../geometry/factories.ts';
import { OpenEdges } from './open-edges.ts';
import { FLOODS, isBrokenTriangle, isFaultyRelief } from './triangles.ts';

/** Ends of edges that are nearer on each axis almost meet, metres. */
const ALMOST = 0.1;
/** Coordinates are rounded to this before they are compared, metres. */
const ROUNDING = 1e-6;
/** Loops of relief with fewer points are holes. */
const HOLE_POINTS = 50;

/** Hashes of the edges of a ring, whichever way they run; ends are rounded. */
function* edgesOf(ring: Ring): Generator<{ hash: number; from: number; to: number; at: number }> {
  const corners: string[] = [];
  for (let i = 0; i + 2 < ring.length; i += 3) {
    corners.push([0, 1, 2].map((axis) => Math.round(ring[i + axis]! / ROUNDING)).join(' '));
  }
  for (let i = 0; i + 1 < corners.length; i++) {
    const [a, b] = [corners[i]!, corners[i + 1]!];
    if (a === b) continue;
    yield { hash: hashOf(a < b ? `${a},${b}` : `${b},${a}`), from: hashOf(a), to: hashOf(b), at: i };
  }
}

interface Edge extends Required<Pick<Finding, 'position'>> {
  path: string;
  line: number;
  /** Ends in order: six numbers, metres on the plane. */
  ends: number[];
}

/**
 * Edges that lie almost on each other and are not the same leave gaps. Edges that two triangles share are left out
 * before: what is handed on and compared is the border of the surface.
 */
function unsharedEdges(folder: string): Check {
  return defineCheck<Float64Array>({
    code: `${folder}.unshared-edge`,
    name: '共有先のない辺',
    title: { ja: '共有先のない辺', en: 'Edges that almost meet' },
    rule: {
      ja: '三角形の辺が、0.1 m 以内にある別の辺と一致すること（フォルダと浸水規模ごと）。',
      en: 'An edge of a triangle is the same as another one within 0.1 m of it, in each folder and scale of a flood.',
    },
    severity: 'warning',
    specs: [4],
    folders: [folder],
    table: null,
    summary: null,
    open(file) {
      const hashes = new Numbers();
      return {
        looksAt: (name) => name === 'gml:posList',
        element(element) {
          if (element.name !== 'gml:posList' || isBrokenTriangle(element, file)) return;
          for (const { hash } of edgesOf(polygonsOf(file).positions(element))) hashes.push(hash);
        },
        end: () => (hashes.length > 0 ? hashes.take() : undefined),
      };
    },
    async join(files, context) {
      const groups = Map.groupBy(files, ({ path }) => {
        const directory = path.slice(0, path.lastIndexOf('/'));
        return `${directory} ${/_(l[12])(?:_|\.)/.exec(path)?.[1] ?? ''}`;
      });
      for (const group of groups.values()) {
        const singles = singlesIn(group.map(({ carry }) => carry));
        const taken = new Set<number>();
        const edges: Edge[] = [];
        for (const { path, carry } of group) {
          if (!carry.some((hash) => singles.has(hash))) continue;
          const polygons = new PlanePolygons({ envelope: context.envelopeOf(path), package: context });
          await context.revisit(path, {
            element(element, _, { line }) {
              if (element.name !== 'gml:posList') return;
              const ring = polygons.positions(element);
              if (ring.length !== 12) return;
              for (const { hash, at } of edgesOf(ring)) {
                if (!singles.has(hash) || taken.has(hash)) continue;
                taken.add(hash);
                edges.push({ path, line, position: firstPosition(element), ends: ordered(ring, at) });
              }
            },
          });
        }
        for (const { path, line, position } of almostMeeting(edges)) {
          context.report(path, { id: null, line, position, message: 'An edge almost meets another one.' });
        }
      }
    },
  });
}

/** The ends of an edge in the order of their coordinates, rounded. */
function ordered(ring: Ring, at: number): number[] {
  const [a, b] = [3 * at, 3 * at + 3].map((i) =>
    [0, 1, 2].map((axis) => Math.round(ring[i + axis]! / ROUNDING) * ROUNDING),
  ) as [number[], number[]];
  const axis = [0, 1, 2].find((i) => a[i] !== b[i]) ?? 0;
  return a[axis]! <= b[axis]! ? [...a, ...b] : [...b, ...a];
}

/** Edges whose ends are both within `ALMOST` of those of another one, whichever way it runs. */
function almostMeeting(edges: readonly Edge[]): Edge[] {
  const cells = new Map<string, number[]>();
  const cellOf = (x: number, y: number) => `${x} ${y}`;
  edges.forEach(({ ends }, i) => {
    const key = cellOf(Math.floor(ends[0]! / ALMOST), Math.floor(ends[1]! / ALMOST));
    const there = cells.get(key);
    if (there === undefined) cells.set(key, [i]);
    else there.push(i);
  });
  return edges.filter(({ ends }, i) => {
    const turned = [...ends.slice(3), ...ends.slice(0, 3)];
    return [ends, turned].some((wanted) => {
      const [x, y] = [Math.floor(wanted[0]! / ALMOST), Math.floor(wanted[1]! / ALMOST)];
      for (let dx = -1; dx <= 1; dx++) {
        for (let dy = -1; dy <= 1; dy++) {
          for (const other of cells.get(cellOf(x + dx, y + dy)) ?? []) {
            if (other === i) continue;
            if (edges[other]!.ends.every((value, axis) => Math.abs(value - wanted[axis]!) <= ALMOST))
              return true;
          }
        }
      }
      return false;
    });
  });
}

/** Border loops of relief other than the longest, where no triangle is wrong. */
const RELIEF_HOLES = defineCheck<undefined>({
  code: 'dem.holes',
  name: '不正な穴',
  title: { ja: '地形の穴', en: 'Holes of relief' },
  rule: {
    ja: '地形の三角形網に、外周以外の（50点未満の）境界がないこと。',
    en: 'The triangles of relief leave no loop of fewer than 50 points besides their outer border.',
  },
  severity: 'warning',
  specs: [4],
  folders: ['dem'],
  table: null,
  summary: null,
  open(file: FileContext) {
    const edges = new OpenEdges();
    let isFaulty = false;
    return {
      looksAt: (name: string) => name === 'gml:Triangle',
      element(element: XmlElement) {
        if (element.name !== 'gml:Triangle') return;
        isFaulty ||= isFaultyRelief(element, file);
        if (isFaulty) return;
        for (const { hash, from, to } of edgesOf(polygonsOf(file).positions(element))) {
          edges.add(hash, from, to);
        }
      },
      end() {
        if (isFaulty) return;
        const loops = loopsOf(edges.singles()).sort((a, b) => b - a);
        for (const points of loops.slice(1)) {
          if (points < HOLE_POINTS)
            file.report({ id: null, message: `The relief has a hole of ${points} points.` });
        }
      },
    };
  },
});

/** Points of each loop of edges. */
function loopsOf(edges: ReadonlyArray<{ from: number; to: number }>): number[] {
  const next = new Map<number, number[]>();
  for (const { from, to } of edges) {
    const there = next.get(from);
    if (there === undefined) next.set(from, [to]);
    else there.push(to);
  }
  const loops: number[] = [];
  for (const start of next.keys()) {
    let points = 0;
    for (let at = next.get(start)?.pop(); at !== undefined; at = next.get(at)?.pop()) points++;
    if (points > 0) loops.push(points);
  }
  return loops;
}

export const EDGE_CHECKS: readonly Check[] = [...Object.keys(FLOODS).map(unsharedEdges), RELIEF_HOLES];
