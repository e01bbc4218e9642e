/** Features of a package that overlap: surfaces of LOD 0, and solids of the same level (L-bldg-01). */
import { localName, type XmlElement } from '@citymodel/citygml';
import {
  type Carried,
  type Check,
  type CheckFacts,
  defineCheck,
  type Finding,
  type JoinContext,
  type Member,
} from '../../check.ts';
import { idOf } from '../../elements.ts';
import { boxOf, boxPairs } from '../../geometry/box-pairs.ts';
import { lodGeometries, polygonsBelow, solidsBelow } from '../../geometry/lod-geometry.ts';
import { overlapsOf, type Region, unionOf } from '../../geometry/overlay.ts';
import { firstPosition, type PlanePolygon, PlanePolygons, type Ring } from '../../geometry/plane-polygon.ts';
import { solidsMeet, triangleSolid } from '../../geometry/solids-meet.ts';
import { FOOTPRINT_BUFFER } from '../../geometry/tolerances.ts';
import { polygonsOf } from '../geometry/factories.ts';
import { BUILDING_LIKE } from './geometry.ts';

/** A surface or footprint of a feature, as it is handed on. */
interface Outline extends Required<Pick<Finding, 'position'>> {
  id: string | null;
  type: string;
  line: number;
  /** Number of the member, and of the geometry in it. */
  member: number;
  rings: Float64Array[];
  /** Heights between which it is, metres. */
  from: number;
  to: number;
}

interface Placed extends Outline {
  path: string;
}

const FACTS = {
  severity: 'error',
  iso19107: [601],
} satisfies Partial<CheckFacts>;

/** Why a feature is not compared with all others that it may overlap. */
const TOO_MANY = 'so many features lie at one place that this one is compared with some of them only';

const fileName = (path: string) => path.slice(path.lastIndexOf('/') + 1);

/** Overlapping surfaces of LOD 0, for each of the types that are alike. */
export const SURFACE_OVERLAPS: readonly Check[] = BUILDING_LIKE.map(({ folder, prefix, specs, features }) =>
  defineCheck<Outline[]>({
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
      const outlines: Outline[] = [];
      return {
        member(member) {
          if (member.isLarge) return;
          for (const { lod, holder, property } of lodGeometries(member)) {
            if (lod !== 0 || !features.includes(localName(holder.name))) continue;
            for (const element of polygonsBelow(property, member)) {
              const outline = outlineOf(holder, member, planRings(polygons.of(element)));
              if (outline !== null) outlines.push(outline);
            }
          }
        },
        end: () => (outlines.length > 0 ? outlines : undefined),
      };
    },
    join(files, context) {
      const all = placed(files);
      const pairs = boxPairs(
        all.map(({ rings }) => boxOf(rings)),
        (n) => context.skipped(all[n]!.path, `${folder}.lod0.overlap: ${TOO_MANY}`),
      );
      for (const [i, j] of pairs) {
        // The official tables name the later one first.
        const [a, b] = [all[j]!, all[i]!];
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
  defineCheck<Outline[]>({
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
      const outlines: Outline[] = [];
      return {
        member(member) {
          if (member.isLarge) return;
          for (const { holder, solid } of solidsOf(member, lod)) {
            const faces = polygonsBelow(solid, member).map((element) => polygons.of(element));
            const outline = outlineOf(holder, member, unionOf(faces.flatMap(planOf)), faces);
            if (outline !== null) outlines.push(outline);
          }
        },
        end: () => (outlines.length > 0 ? outlines : undefined),
      };
    },
    join: (files, context) => joinSolids(files, context, lod),
  }),
);

async function joinSolids(
  files: readonly Carried<Outline[]>[],
  context: JoinContext,
  lod: number,
): Promise<void> {
  const all = placed(files);
  const pairs: Array<[Placed, Placed]> = [];
  // In specification 4 the official program remembers pairs without their level, and tests none twice.
  const seen = context.spec === 4 ? context.likeUpstream?.pairs : undefined;
  const isKnown = (a: Placed, b: Placed) => seen?.has(pairKey(a, b)) ?? false;
  const boxes = all.map(({ rings }) => boxOf(rings));
  const onLeftOut = (n: number) => context.skipped(all[n]!.path, `L-bldg-01.lod${lod}: ${TOO_MANY}`);
  for (const [i, j] of boxPairs(boxes, onLeftOut)) {
    const [a, b] = [all[i]!, all[j]!];
    if (Math.min(a.to, b.to) <= Math.max(a.from, b.from)) continue;
    if (a.path === b.path && a.member === b.member && a.id === b.id) continue;
    if (isKnown(a, b)) continue;
    if (overlapsOf(a.rings, b.rings, FOOTPRINT_BUFFER) > 0) pairs.push([a, b]);
  }
  for (const [a, b] of pairs) seen?.add(pairKey(a, b));
  if (pairs.length === 0) return;
  const solids = await solidsFor(pairs.flat(), context, lod);
  let found = 0;
  for (const [a, b] of pairs) {
    const [one, other] = [solids.get(keyOf(a)), solids.get(keyOf(b))];
    if (one === undefined || other === undefined) {
      context.skipped(a.path, `L-bldg-01.lod${lod}: a solid could not be read again`);
      continue;
    }
    const origin = boxOf(a.rings);
    const at = [origin[0], origin[1]] as const;
    if (!solidsMeet(triangleSolid(one, at), triangleSolid(other, at))) continue;
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

function pairKey(a: Placed, b: Placed): string {
  return [a.id ?? '', b.id ?? ''].sort().join(' ');
}

function keyOf({ path, member, id }: Placed): string {
  return JSON.stringify([path, member, id]);
}

/** The polygons of solids, read once more from the files that have them. */
async function solidsFor(
  wanted: readonly Placed[],
  context: JoinContext,
  lod: number,
): Promise<Map<string, PlanePolygon[]>> {
  const keys = new Map(wanted.map((outline) => [keyOf(outline), outline]));
  const solids = new Map<string, PlanePolygon[]>();
  for (const path of new Set(wanted.map((outline) => outline.path))) {
    const polygons = new PlanePolygons({ envelope: context.envelopeOf(path), package: context });
    await context.revisit(path, {
      member(member) {
        for (const { holder, solid } of solidsOf(member, lod)) {
          const key = JSON.stringify([path, member.number, idOf(holder)]);
          if (!keys.has(key)) continue;
          const faces = polygonsBelow(solid, member).map((element) => polygons.of(element));
          solids.set(key, [...(solids.get(key) ?? []), ...faces]);
        }
      },
    });
  }
  return solids;
}

function placed(files: readonly Carried<Outline[]>[]): Placed[] {
  return files.flatMap(({ path, carry }) => carry.map((outline) => ({ ...outline, path })));
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
  return { id: idOf(holder), type: holder.name, line, position, member: number, rings, from, to };
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
