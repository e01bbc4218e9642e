/** Checks of roads, railways, tracks, squares and waterways (03_交通). */
import { localName, type XmlElement } from '@citymodel/citygml';
import { type Check, defineCheck, IN_FILE } from '../../check.ts';
import { elementsOf, idOf } from '../../elements.ts';
import { boxOf, boxPairs } from '../../geometry/box-pairs.ts';
import { isPassedOver, lodGeometries, polygonsBelow } from '../../geometry/lod-geometry.ts';
import { OutlinePacker, Outlines, type PackedOutlines } from '../../geometry/outlines.ts';
import { overlapsOf, unionOf } from '../../geometry/overlay.ts';
import { firstPosition } from '../../geometry/plane-polygon.ts';
import { orientationCheck, polygonsOf, surfaceCheck } from '../geometry/factories.ts';
import { COUNTED, factsOf, selecting } from './rows.ts';

const FOLDERS = ['tran', 'rwy', 'trk', 'squr', 'wwy'];
const AREAS = new Set(['TrafficArea', 'AuxiliaryTrafficArea']);

const all = selecting(() => true);

/** L-tran-03: a road's own geometry is made of all the surfaces of its areas. */
const ROAD_REFERENCES = defineCheck({
  code: 'L-tran-03',
  name: 'L-TRAN-03 xlink参照エラー',
  title: { ja: '道路の参照されない面', en: 'Areas that their road does not refer to' },
  rule: {
    ja: 'lod2/lod3MultiSurface を持つ道路が、その LOD の車道部・歩道部等のすべてのポリゴンを参照すること。',
    en: 'A road with a lod2 or lod3MultiSurface refers to every polygon of its areas of that level.',
  },
  severity: 'error',
  specs: [4],
  folders: FOLDERS,
  table: { file: '03_交通_xlink参照エラー', columns: [...IN_FILE, 'FeatureType', 'LOD', 'gml:id', '未参照'] },
  summary: 'tran',
  open: (file) => ({
    member(member) {
      if (isPassedOver(member, file, 'L-tran-03')) return;
      const { feature, line } = member;
      for (const lod of [2, 3]) {
        const own = feature.children.find(({ name }) => name === `tran:lod${lod}MultiSurface`);
        if (own === undefined) continue;
        const referred = new Set<string>();
        for (const { name, attributes } of elementsOf(own)) {
          const href = attributes['xlink:href'];
          if (name === 'gml:surfaceMember' && href !== undefined)
            referred.add(href.slice(href.indexOf('#') + 1));
        }
        for (const polygon of areaPolygons(feature, lod)) {
          const id = idOf(polygon);
          if (id === null || referred.has(id)) continue;
          file.report({
            id: idOf(feature),
            ref: id,
            line,
            type: feature.name,
            lod,
            message: `The road does not refer to the polygon ${id} of its areas.`,
            row: {
              FeatureType: localName(feature.name),
              LOD: lod,
              'gml:id': idOf(feature) ?? '',
              未参照: id,
            },
          });
        }
      }
    },
  }),
});

function* areaPolygons(feature: XmlElement, lod: number): Generator<XmlElement> {
  for (const area of elementsOf(feature)) {
    if (!AREAS.has(localName(area.name))) continue;
    for (const property of area.children) {
      if (localName(property.name) !== `lod${lod}MultiSurface`) continue;
      for (const element of elementsOf(property)) if (element.name === 'gml:Polygon') yield element;
    }
  }
}

/** L-tran-02: neighbours share a border and no area. */
const ROAD_OVERLAPS = defineCheck<PackedOutlines>({
  code: 'L-tran-02',
  name: 'L-TRAN-02 隣接面重複',
  title: { ja: '隣接する面の重なり', en: 'Neighbours that overlap' },
  rule: {
    ja: '境界線を共有する二つの地物の面が、0.01 m を超えて重ならないこと（LOD1 と LOD2・3 は別に比較する）。',
    en: 'Features that share a border do not overlap by more than 0.01 m; LOD 1 is compared by itself.',
  },
  severity: 'error',
  specs: [4],
  folders: FOLDERS.filter((folder) => folder !== 'rwy'),
  table: { file: '03_交通_隣接面重複', columns: [...IN_FILE, 'LOD', 'gml:id', '隣接ID'] },
  summary: null,
  open(file) {
    const polygons = polygonsOf(file);
    const found = new OutlinePacker();
    return {
      member(member) {
        if (isPassedOver(member, file, 'L-tran-02')) return;
        const surfaces = new Map<number, Set<XmlElement>>();
        for (const { lod, property } of lodGeometries(member)) {
          if (lod < 1 || lod > 3) continue;
          const there = surfaces.get(lod) ?? new Set();
          for (const element of polygonsBelow(property, member)) there.add(element);
          surfaces.set(lod, there);
        }
        for (const [lod, elements] of surfaces) {
          const regions = Array.from(elements, (element) => flatRings(polygons.of(element).rings));
          if (!regions.flat().every((ring) => ring.every(Number.isFinite))) continue;
          const own = unionOf(regions).map(closed);
          if (own.length === 0) continue;
          found.add({
            id: idOf(member.feature),
            type: member.feature.name,
            line: member.line,
            member: member.number,
            position: firstPosition(elements.values().next().value!),
            lod,
            rings: own,
            from: Infinity,
            to: -Infinity,
          });
        }
      },
      end: () => found.take(),
    };
  },
  join(files, context) {
    const all = new Outlines(files);
    for (const levels of [[1], [2, 3]]) {
      const some: number[] = [];
      for (let n = 0; n < all.count; n++) if (levels.includes(all.at(n).lod)) some.push(n);
      const boxes = some.map((n) => boxOf(all.at(n).rings));
      const onLeftOut = (n: number) => context.skipped(all.at(some[n]!).path, TOO_MANY);
      for (const [i, j] of boxPairs(boxes, onLeftOut)) {
        const [a, b] = [all.at(some[i]!), all.at(some[j]!)];
        if (a.id === b.id || !shareLine(a.rings, b.rings)) continue;
        if (overlapsOf(a.rings, b.rings, TOLERANCE / 2) === 0) continue;
        for (const [one, other] of [
          [a, b],
          [b, a],
        ] as const) {
          context.report(one.path, {
            id: one.id,
            ref: other.id,
            line: one.line,
            type: one.type,
            position: one.position,
            lod: one.lod,
            message: `The feature overlaps its neighbour ${other.id ?? 'without an id'}.`,
            row: { LOD: one.lod, 'gml:id': one.id ?? '', 隣接ID: other.id ?? '' },
          });
        }
      }
    }
  },
});

const TOLERANCE = 0.01;
const TOO_MANY =
  'L-tran-02: so many features lie at one place that this one is compared with some of them only';

/** A ring that ends where it begins. */
function closed(ring: Float64Array): Float64Array {
  const last = ring.length - 2;
  return ring[0] === ring[last] && ring[1] === ring[last + 1]
    ? ring
    : Float64Array.from([...ring, ring[0]!, ring[1]!]);
}

function flatRings(rings: readonly Float64Array[]): Float64Array[] {
  return rings.filter((ring) => ring.length >= 9).map((ring) => ring.filter((_, i) => i % 3 !== 2));
}

/** True when two edges lie along each other, within the tolerance, for more than it. */
function shareLine(a: readonly Float64Array[], b: readonly Float64Array[]): boolean {
  return a.some((one) => b.some((other) => edgesRunAlong(one, other)));
}

function edgesRunAlong(a: Float64Array, b: Float64Array): boolean {
  for (let i = 0; i + 3 < a.length; i += 2) {
    const [ax, ay, ux, uy] = [a[i]!, a[i + 1]!, a[i + 2]! - a[i]!, a[i + 3]! - a[i + 1]!];
    const length = Math.hypot(ux, uy);
    if (length < TOLERANCE) continue;
    for (let j = 0; j + 3 < b.length; j += 2) {
      const [from, to] = [0, 2].map((k) => {
        const [x, y] = [b[j + k]! - ax, b[j + k + 1]! - ay];
        return { along: (x * ux + y * uy) / length, away: Math.abs(x * uy - y * ux) / length };
      }) as [{ along: number; away: number }, { along: number; away: number }];
      if (from.away > TOLERANCE || to.away > TOLERANCE) continue;
      const shared =
        Math.min(length, Math.max(from.along, to.along)) - Math.max(0, Math.min(from.along, to.along));
      if (shared > TOLERANCE) return true;
    }
  }
  return false;
}

export const TRANSPORT_CHECKS: readonly Check[] = [
  ...FOLDERS.flatMap((folder) => [
    surfaceCheck(
      factsOf(folder, 'surface', '面のエラー', '03_交通_面のエラー', [...COUNTED, 'エラー内容']),
      all,
    ),
    {
      ...orientationCheck(
        factsOf(
          folder,
          'orientation',
          '面の向き不正',
          '03_交通_面の向き不正',
          [...COUNTED, '面の向き'],
          false,
        ),
        all,
        (winding) => winding === 'clockwise',
      ),
      severity: 'warning' as const,
    },
  ]),
  ROAD_REFERENCES,
  { ...ROAD_OVERLAPS, severity: 'warning' as const },
];
