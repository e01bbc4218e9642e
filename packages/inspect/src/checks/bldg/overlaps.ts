/** Features of a package that overlap: surfaces of LOD 0, and solids of the same level (L-bldg-01). */
import { localName, type XmlElement } from '@citymodel/citygml';
import {
  type Carried,
  type Check,
  type CheckFacts,
  defineCheck,
  type JoinContext,
  type Member,
} from '../../check.ts';
import { idOf } from '../../elements.ts';
import { boxOf, boxPairs } from '../../geometry/box-pairs.ts';
import { isPassedOver, lodGeometries, polygonsBelow, solidsBelow } from '../../geometry/lod-geometry.ts';
import {
  type Outline,
  OutlinePacker,
  Outlines,
  type PackedOutlines,
  type Placed,
} from '../../geometry/outlines.ts';
import { overlapsOf, type Region, unionOf } from '../../geometry/overlay.ts';
import { firstPosition, type PlanePolygon, PlanePolygons, type Ring } from '../../geometry/plane-polygon.ts';
import { solidsMeet, triangleSolid } from '../../geometry/solids-meet.ts';
import { FOOTPRINT_BUFFER } from '../../geometry/tolerances.ts';
import { polygonsOf } from '../geometry/factories.ts';
import { BUILDING_LIKE } from './geometry.ts';

const FACTS = {
  severity: 'error',
  iso19107: [601],
} satisfies Partial<CheckFacts>;

/** Why a feature is not compared with all others that it may overlap. */
const TOO_MANY = 'so many features lie at one place that this one is compared with some of them only';

const fileName = (path: string) => path.slice(path.lastIndexOf('/') + 1);

/** Overlapping surfaces of LOD 0, for each of the types that are alike. */
export const SURFACE_OVERLAPS: readonly Check[] = BUILDING_LIKE.map(({ folder, prefix, specs, features }) =>
  defineCheck<PackedOutlines>({
    ...FACTS,
    code: `${folder}.lod0.overlap`,
    name: 'LOD0 面の交差',
    title: { ja: 'LOD0 の面の重なり', en: 'Overlapping surfaces at LOD 0' },
    rule: {
      ja: '二つの地物の LOD0 の面が 0.01 m を超えて重ならないこと。',
      en: 'No surfaces of two features overlap at LOD 0 by more than 0.01 m.',
    },
    specs,
    folders: [folder],
    table: {
      file: `${prefix}_LOD0面の交差`,
      columns: [
        'gml_id_a',
        'feature_type_a',
        'lod_a',
        'filename_a',
        'gml_id_b',
        'feature_type_b',
        'lod_b',
        'filename_b',
        'issue',
      ],
    },
    summary: folder,
    open(file) {
      const polygons = polygonsOf(file);
      const outlines = new OutlinePacker();
      return {
        member(member) {
          if (isPassedOver(member, file, `${folder}.lod0.overlap`)) return;
          for (const { lod, holder, property } of lodGeometries(member)) {
            if (lod !== 0 || !features.includes(localName(holder.name))) continue;
            for (const element of polygonsBelow(property, member)) {
              const outline = outlineOf(holder, member, lod, planRings(polygons.of(element)));
              if (outline !== null) outlines.add(outline);
            }
          }
        },
        end: () => outlines.take(),
      };
    },
    join(files, context) {
      const all = new Outlines(files);
      const pairs = boxPairs(all.boxes(), (n) =>
        context.skipped(all.at(n).path, `${folder}.lod0.overlap: ${TOO_MANY}`),
      );
      for (const [i, j] of pairs) {
        // The official tables name the later one first.
        const [a, b] = [all.at(j), all.at(i)];
        if (a.path === b.path && a.member === b.member) continue;
        for (let n = overlapsOf(a.rings, b.rings, FOOTPRINT_BUFFER); n > 0; n--) {
          context.report(a.path, {
            id: a.id,
            ref: b.id,
            line: a.line,
            type: a.type,
            position: a.position,
            lod: 0,
            message: `The surface overlaps that of ${b.id ?? 'a feature without an id'} in ${fileName(b.path)}.`,
            row: {
              gml_id_a: a.id ?? '',
              feature_type_a: a.type,
              lod_a: 0,
              filename_a: fileName(a.path),
              gml_id_b: b.id ?? '',
              feature_type_b: b.type,
              lod_b: 0,
              filename_b: fileName(b.path),
              issue: 'Surface Intersection',
            },
          });
        }
      }
    },
  }),
);

/** Solids of buildings and their parts that share some of their insides, by level of detail. */
export const SOLID_OVERLAPS: readonly Check[] = [1, 2, 3, 4].map((lod) =>
  defineCheck<PackedOutlines>({
    ...FACTS,
    code: `L-bldg-01.lod${lod}`,
    name: `LOD${lod} 立体の交差`,
    title: { ja: `LOD${lod} の立体の重なり`, en: `Overlapping solids at LOD ${lod}` },
    rule: {
      ja: '二つの地物の同じ LOD の立体が内部を共有しないこと（平面形状は 5 mm 縮めて比較する）。',
      en:
        'No solids of two features share some of their insides; footprints are narrowed by 5 mm before they are ' +
        'compared.',
    },
    specs: lod === 4 ? [4] : [4, 6],
    folders: ['bldg'],
    table: {
      file: '02_建築物_立体交差',
      columns: [
        'intersection_id',
        'gmlIdA',
        'featureTypeA',
        'lodA',
        'gmlFilenameA',
        'gmlIdB',
        'featureTypeB',
        'lodB',
        'gmlFilenameB',
        'issue',
      ],
    },
    summary: 'bldg',
    open(file) {
      const polygons = polygonsOf(file);
      const outlines = new OutlinePacker();
      return {
        member(member) {
          if (isPassedOver(member, file, `L-bldg-01.lod${lod}`)) return;
          for (const { holder, solid } of solidsOf(member, lod)) {
            const faces = polygonsBelow(solid, member).map((element) => polygons.of(element));
            const outline = outlineOf(holder, member, lod, unionOf(faces.flatMap(planOf)), faces);
            if (outline !== null) outlines.add(outline);
          }
        },
        end: () => outlines.take(),
      };
    },
    join: (files, context) => joinSolids(files, context, lod),
  }),
);

async function joinSolids(
  files: readonly Carried<PackedOutlines>[],
  context: JoinContext,
  lod: number,
): Promise<void> {
  const all = new Outlines(files);
  const pairs: Array<readonly [number, number]> = [];
  // In specification 4 the official program remembers pairs without their level, and tests none twice.
  const seen = context.spec === 4 ? context.likeUpstream?.pairs : undefined;
  const isKnown = (a: Placed, b: Placed) => seen?.has(pairKey(a, b)) ?? false;
  const onLeftOut = (n: number) => context.skipped(all.at(n).path, `L-bldg-01.lod${lod}: ${TOO_MANY}`);
  for (const [i, j] of boxPairs(all.boxes(), onLeftOut)) {
    const [a, b] = [all.at(i), all.at(j)];
    if (Math.min(a.to, b.to) <= Math.max(a.from, b.from)) continue;
    if (a.path === b.path && a.member === b.member && a.id === b.id) continue;
    if (isKnown(a, b)) continue;
    if (overlapsOf(a.rings, b.rings, FOOTPRINT_BUFFER) > 0) pairs.push([i, j]);
  }
  if (seen !== undefined) for (const [i, j] of pairs) seen.add(pairKey(all.at(i), all.at(j)));
  if (pairs.length === 0) return;
  const verdicts = await comparedSolids(pairs, all, context, lod);
  let found = 0;
  for (const [n, [i, j]] of pairs.entries()) {
    const [a, b] = [all.at(i), all.at(j)];
    if (verdicts[n] === NOT_READ) {
      context.skipped(a.path, `L-bldg-01.lod${lod}: a solid could not be read again`);
    }
    if (verdicts[n] !== MEET) continue;
    context.report(a.path, {
      id: a.id,
      ref: b.id,
      line: a.line,
      type: a.type,
      position: a.position,
      lod,
      message: `The solid overlaps that of ${b.id ?? 'a feature without an id'} in ${fileName(b.path)}.`,
      row: {
        intersection_id: `lod${lod}_${found++}`,
        gmlIdA: a.id ?? '',
        featureTypeA: a.type,
        lodA: lod,
        gmlFilenameA: fileName(a.path),
        gmlIdB: b.id ?? '',
        featureTypeB: b.type,
        lodB: lod,
        gmlFilenameB: fileName(b.path),
        issue: 'Solid Intersection',
      },
    });
  }
}

/** A solid of a file, by its member and the id of its feature. */
function keyOf(member: number, id: string | null): string {
  return JSON.stringify([member, id]);
}

function pairKey(a: Placed, b: Placed): string {
  return [a.id ?? '', b.id ?? ''].sort().join(' ');
}

/** Verdicts on a pair of solids. */
const [NOT_READ, APART, MEET] = [0, 1, 2];

/** A solid that pairs wait for: its faces once it has been read, and the pairs that need it. */
interface Awaited {
  faces: Faces | null;
  pairs: number[];
  /** Pairs without a verdict. */
  left: number;
}

type Faces = Array<Pick<PlanePolygon, 'rings'>>;

/**
 * Reads the solids of pairs once more, and compares each pair as soon as both are there. What no pair waits for any
 * more is let go: in a dense city, every solid is in a pair.
 */
async function comparedSolids(
  pairs: ReadonlyArray<readonly [number, number]>,
  all: Outlines,
  context: JoinContext,
  lod: number,
): Promise<Uint8Array> {
  const verdicts = new Uint8Array(pairs.length).fill(NOT_READ);
  const byPath = new Map<string, Map<string, Awaited>>();
  const awaitedFor = (n: number): Awaited => {
    const { path, member, id } = all.at(n);
    const inFile = byPath.get(path) ?? new Map<string, Awaited>();
    byPath.set(path, inFile);
    const key = keyOf(member, id);
    const awaited = inFile.get(key) ?? { faces: null, pairs: [], left: 0 };
    inFile.set(key, awaited);
    return awaited;
  };
  const sides = pairs.map(([i, j], n) => {
    const both = [awaitedFor(i), awaitedFor(j)] as const;
    for (const side of both) side.left = side.pairs.push(n);
    return both;
  });
  const compare = (n: number) => {
    const [one, other] = sides[n]!;
    if (verdicts[n] !== NOT_READ || one.faces === null || other.faces === null) return;
    const { rings } = all.at(pairs[n]![0]);
    const [west, south] = boxOf(rings);
    const [solid, second] = [one, other].map(({ faces }) => triangleSolid(faces!, [west, south]));
    verdicts[n] = solidsMeet(solid!, second!) ? MEET : APART;
    for (const side of sides[n]!) if (--side.left === 0) side.faces = null;
  };
  for (const [path, inFile] of byPath) {
    const polygons = new PlanePolygons({ envelope: context.envelopeOf(path), package: context });
    await context.revisit(path, {
      member(member) {
        const read = new Map<Awaited, Faces>();
        for (const { holder, solid } of solidsOf(member, lod)) {
          const awaited = inFile.get(keyOf(member.number, idOf(holder)));
          if (awaited === undefined) continue;
          const faces = polygonsBelow(solid, member).map((element) => {
            // Without the element: it holds the tree of its feature.
            return { rings: polygons.of(element).rings };
          });
          read.set(awaited, [...(read.get(awaited) ?? []), ...faces]);
        }
        for (const [awaited, faces] of read) {
          awaited.faces = faces;
          awaited.pairs.forEach(compare);
        }
      },
    });
  }
  return verdicts;
}

function* solidsOf(member: Member, lod: number): Generator<{ holder: XmlElement; solid: XmlElement }> {
  for (const geometry of lodGeometries(member)) {
    const isBuilding = ['Building', 'BuildingPart'].includes(localName(geometry.holder.name));
    if (geometry.lod !== lod || !isBuilding) continue;
    for (const solid of solidsBelow(geometry.property, member)) yield { holder: geometry.holder, solid };
  }
}

function outlineOf(
  holder: XmlElement,
  { number, line }: Member,
  lod: number,
  rings: Float64Array[],
  faces: readonly PlanePolygon[] = [],
): Outline | null {
  if (rings.length === 0 || !rings.every((ring) => ring.every(Number.isFinite))) return null;
  let [from, to] = [Infinity, -Infinity];
  for (const ring of faces.flatMap((face) => face.rings)) {
    for (let i = 2; i < ring.length; i += 3) {
      from = Math.min(from, ring[i]!);
      to = Math.max(to, ring[i]!);
    }
  }
  const position = firstPosition(holder);
  return { id: idOf(holder), type: holder.name, line, position, member: number, lod, rings, from, to };
}

/** The rings of a polygon seen from above. */
function planRings({ rings }: PlanePolygon): Float64Array[] {
  return rings.filter((ring) => ring.length >= 9).map(flat);
}

/** A face of a solid seen from above; none for a wall. */
function planOf(polygon: PlanePolygon): Region[] {
  const rings = planRings(polygon);
  return rings.length === 0 || Math.abs(areaOf(rings[0]!)) < 1e-4 ? [] : [rings];
}

function flat(ring: Ring): Float64Array {
  const line = new Float64Array((ring.length / 3) * 2);
  for (let i = 0; i < ring.length / 3; i++) {
    line[2 * i] = ring[3 * i]!;
    line[2 * i + 1] = ring[3 * i + 1]!;
  }
  return line;
}

function areaOf(line: Float64Array): number {
  let twice = 0;
  for (let i = 0; i + 3 < line.length; i += 2) {
    const [x, y] = [line[i]! - line[0]!, line[i + 1]! - line[1]!];
    twice += x * (line[i + 3]! - line[1]!) - (line[i + 2]! - line[0]!) * y;
  }
  return twice / 2;
}
