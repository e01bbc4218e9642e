/** Checks of other constructions (10), water (11), underground facilities (12) and generic objects (13). */
import { localName } from '@citymodel/citygml';
import { type Check, defineCheck, IN_FILE } from '../../check.ts';
import { elementsOf, idOf } from '../../elements.ts';
import { CornerIds } from '../../geometry/corner-ids.ts';
import { isPassedOver, type LodGeometry, lodGeometries, polygonsBelow } from '../../geometry/lod-geometry.ts';
import { SHARED_EDGE } from '../../geometry/tolerances.ts';
import {
  closedCheck,
  orientationCheck,
  polygonsOf,
  solidCheck,
  surfaceCheck,
} from '../geometry/factories.ts';
import { geometryKindCheck } from './geometry-kinds.ts';
import { COUNTED_BY_LOD, factsOf, localRowOf, OF_SOLIDS, selecting } from './rows.ts';

const within = (from: number, to: number) => (geometry: LodGeometry) =>
  geometry.lod >= from && geometry.lod <= to;
const isSolidProperty = ({ property }: LodGeometry) =>
  elementsOfKind(property, 'gml:Solid') || /Solid$/.test(localName(property.name));

function elementsOfKind(property: LodGeometry['property'], name: string): boolean {
  for (const element of elementsOf(property)) if (element.name === name) return true;
  return false;
}

const surfacesWithin = (from: number, to: number) =>
  selecting((geometry) => within(from, to)(geometry) && !isSolidProperty(geometry), localRowOf);
const solidsWithin = (from: number, to: number) =>
  selecting((geometry) => within(from, to)(geometry) && isSolidProperty(geometry), localRowOf);

const CONS = '10_その他の構造物';
const CONSTRUCTIONS: readonly Check[] = [
  surfaceCheck(
    factsOf('cons', 'surface', '面のエラー', `${CONS}_面のエラー`, [...COUNTED_BY_LOD, 'エラー内容']),
    surfacesWithin(0, 3),
  ),
  orientationCheck(
    factsOf('cons', 'orientation', '面の向き不正', `${CONS}_面の向き不正`, [...COUNTED_BY_LOD, '面の向き']),
    surfacesWithin(0, 0),
  ),
  closedCheck(factsOf('cons', 'closed', '非水密立体', `${CONS}_非水密立体`, OF_SOLIDS), solidsWithin(1, 3)),
  solidCheck(
    factsOf('cons', 'solid', '立体のその他のエラー', `${CONS}_立体のエラー`, OF_SOLIDS),
    solidsWithin(1, 3),
  ),
];

const WTR = '11_水部';
const WATER: readonly Check[] = [
  geometryKindCheck(
    'wtr',
    `${WTR}_無効な空間属性の型`,
    '無効な空間属性の型',
    '無効な空間属性の型',
    within(1, 1),
    (_, kind) => kind === 'MultiSurface' || kind === 'CompositeSurface' || kind === 'Surface',
  ),
  surfaceCheck(
    factsOf('wtr', 'surface', '面のエラー', `${WTR}_LOD1面のエラー`, [...COUNTED_BY_LOD, 'エラー内容']),
    surfacesWithin(1, 1),
  ),
  closedCheck(
    factsOf('wtr', 'closed', '非水密立体', `${WTR}_LOD2-3非水密立体`, OF_SOLIDS),
    solidsWithin(2, 3),
  ),
  solidCheck(
    factsOf('wtr', 'solid', '立体のその他のエラー', `${WTR}_LOD2-3立体のエラー`, OF_SOLIDS),
    solidsWithin(2, 3),
    'Invalid Solid Boundaries',
  ),
  surfaceCheck(
    factsOf('wtr', 'boundary', '立体の境界面のエラー', `${WTR}_LOD2-3境界面のエラー`, [
      ...COUNTED_BY_LOD,
      'エラー内容',
    ]),
    solidsWithin(2, 3),
  ),
];

const UNF = '12_地下埋設物';

/** Composite surfaces hang together; a MultiSurface need not. */
const DISCONTINUOUS = defineCheck<undefined>({
  ...factsOf('unf', 'discontinuous', '不連続なCompositeSurface', `${UNF}_不連続なCompositeSurface`, [
    ...IN_FILE,
    'FeatureType',
    'LOD',
    'gml:id',
    '不連続パート数',
  ]),
  severity: 'error',
  title: { ja: '不連続な CompositeSurface', en: 'Composite surfaces in several pieces' },
  rule: {
    ja: 'gml:CompositeSurface のすべてのポリゴンが、辺を共有してつながっていること。',
    en: 'All polygons of a gml:CompositeSurface hang together by edges that they share.',
  },
  open(file) {
    const polygons = polygonsOf(file);
    return {
      member(member) {
        if (isPassedOver(member, file, 'unf.discontinuous')) return;
        for (const geometry of lodGeometries(member)) {
          if (!within(3, 4)(geometry)) continue;
          for (const element of elementsOf(geometry.property)) {
            if (element.name !== 'gml:CompositeSurface') continue;
            const rings = polygonsBelow(element, member).map((polygon) => polygons.of(polygon).rings);
            const pieces = piecesOf(rings);
            if (pieces < 2) continue;
            file.report({
              id: idOf(geometry.holder),
              line: member.line,
              type: geometry.holder.name,
              lod: geometry.lod,
              message: `A CompositeSurface is in ${pieces} pieces.`,
              row: { ...localRowOf(geometry, ''), 不連続パート数: pieces },
            });
          }
        }
      },
    };
  },
});

/** Groups of polygons that share edges. */
function piecesOf(polygons: readonly Float64Array[][]): number {
  const origin = polygons[0]?.[0];
  if (origin === undefined) return 0;
  const corners = new CornerIds(SHARED_EDGE);
  const byEdge = new Map<string, number>();
  const group = polygons.map((_, polygon) => polygon);
  const rootOf = (polygon: number): number => {
    let root = polygon;
    while (group[root] !== root) root = group[root] = group[group[root]!]!;
    return root;
  };
  polygons.forEach((rings, polygon) => {
    for (const ring of rings) {
      let before = -1;
      for (let i = 0; i + 2 < ring.length; i += 3) {
        const at = corners.idOf(ring[i]! - origin[0]!, ring[i + 1]! - origin[1]!, ring[i + 2]! - origin[2]!);
        if (before >= 0 && before !== at) {
          const edge = before < at ? `${before} ${at}` : `${at} ${before}`;
          const other = byEdge.get(edge);
          if (other === undefined) byEdge.set(edge, polygon);
          else group[rootOf(polygon)] = rootOf(other);
        }
        before = at;
      }
    }
  });
  return new Set(polygons.map((_, polygon) => rootOf(polygon))).size;
}

const UNDERGROUND: readonly Check[] = [
  geometryKindCheck(
    'unf',
    `${UNF}_無効な空間属性の型`,
    '無効な空間属性の型',
    '無効な空間属性の型',
    within(1, 4),
    ({ lod }, kind) =>
      lod <= 2
        ? /Solid$/.test(kind)
        : ['MultiSurface', 'CompositeSurface', 'Surface', 'Polygon'].includes(kind),
  ),
  closedCheck(
    factsOf('unf', 'closed', '非水密立体', `${UNF}_LOD1-2非水密立体`, OF_SOLIDS),
    solidsWithin(1, 2),
    'SurfaceNotClosed',
  ),
  solidCheck(
    factsOf('unf', 'solid', '立体のその他のエラー', `${UNF}_LOD1-2立体のエラー`, OF_SOLIDS),
    solidsWithin(1, 2),
    'Invalid Solid Boundaries',
  ),
  surfaceCheck(
    factsOf('unf', 'boundary', '立体の境界面のエラー', `${UNF}_LOD1-2境界面のエラー`, [
      ...COUNTED_BY_LOD,
      'エラー内容',
    ]),
    solidsWithin(1, 2),
  ),
  surfaceCheck(
    factsOf('unf', 'surface', '面のエラー', `${UNF}_LOD3-4面のエラー`, [...COUNTED_BY_LOD, 'エラー内容']),
    surfacesWithin(3, 4),
  ),
  DISCONTINUOUS,
];

const GEN = '13_汎用都市オブジェクト';
const COUNTED_GEN = [...COUNTED_BY_LOD, 'エラー内容'];

/** Names of generic objects are codes. */
const CODED_NAMES = defineCheck({
  ...factsOf('gen', 'name', 'コード化されていないgml:name', `${GEN}_gml_nameエラー`, [
    ...IN_FILE,
    'FeatureType',
    'gml:id',
    'gml:name',
  ]),
  severity: 'error',
  title: { ja: 'コード化されていない名称', en: 'Names that are no codes' },
  rule: {
    ja: '汎用都市オブジェクトの gml:name が codeSpace を持つこと。',
    en: 'The gml:name of a generic object has a code space.',
  },
  inPassing: 'attributes',
  open: (file) => ({
    looksAt: (name, hasAttributes) => name === 'gml:name' && !hasAttributes,
    element(element, above, { feature, line }) {
      if (element.name !== 'gml:name' || Object.keys(element.attributes).length > 0) return;
      const object = above.findLast(({ name }) => name === 'gen:GenericCityObject');
      if (object === undefined) return;
      const id = idOf(object);
      file.report({
        id,
        ref: element.text,
        line,
        type: feature.name,
        message: `The name ${element.text} is no code.`,
        row: { FeatureType: localName(object.name), 'gml:id': id ?? '', 'gml:name': element.text },
      });
    },
  }),
});

const GENERIC: readonly Check[] = [
  surfaceCheck(
    factsOf('gen', 'surface', '面のエラー', `${GEN}_面のエラー`, COUNTED_GEN),
    surfacesWithin(0, 3),
  ),
  orientationCheck(
    factsOf('gen', 'orientation', '面の向き不正', `${GEN}_面の向き不正`, [...COUNTED_BY_LOD, '面の向き']),
    surfacesWithin(0, 0),
  ),
  closedCheck(
    factsOf('gen', 'closed', '非水密立体', `${GEN}_非水密立体`, COUNTED_GEN),
    solidsWithin(1, 3),
    'SurfaceNotClosed',
  ),
  solidCheck(factsOf('gen', 'solid', '立体のエラー', `${GEN}_立体のエラー`, COUNTED_GEN), solidsWithin(1, 3)),
  CODED_NAMES,
];

export const CONSTRUCTION_CHECKS: readonly Check[] = [...CONSTRUCTIONS, ...WATER, ...UNDERGROUND, ...GENERIC];
