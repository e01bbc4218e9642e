/** Streets and the square of the island as CityGML with i-UR 3.1. */
import { CREATED, coded, multiSurface, publicSurvey } from '../gml.ts';
import type { Point2, Point3 } from '../place.ts';
import type { Road, Strip } from './streets.ts';

const UP = '../../';
const T = '\t\t\t';
/** Streets carry no heights: every altitude is 0. */
const flat = (ring: readonly Point2[]): Point3[] => ring.map(([east, north]) => [east, north, 0]);

/** A `tran:Road` with LOD 1, and its lanes and pavements as LOD 2. */
export function roadGml(road: Road): string {
  const u = `${T}\t\t`;
  return (
    `\t\t<tran:Road gml:id="${road.id}">\n${T}<core:creationDate>${CREATED['3.1']}</core:creationDate>\n` +
    coded('tran:class', 'Road_class', '1040', UP, T) +
    coded('tran:function', 'Road_function', '4', UP, T) +
    surfaces(road) +
    `${T}<uro:tranDataQualityAttribute>\n${T}\t<uro:DataQualityAttribute>\n` +
    coded('uro:geometrySrcDescLod1', 'DataQualityAttribute_geometrySrcDesc', '000', UP, u) +
    coded('uro:geometrySrcDescLod2', 'DataQualityAttribute_geometrySrcDesc', '000', UP, u) +
    coded('uro:thematicSrcDesc', 'DataQualityAttribute_thematicSrcDesc', '301', UP, u) +
    publicSurvey([1, 2], u) +
    `${T}\t</uro:DataQualityAttribute>\n${T}</uro:tranDataQualityAttribute>\n` +
    `${T}<uro:roadStructureAttribute>\n${T}\t<uro:RoadStructureAttribute>\n` +
    coded('uro:widthType', 'RoadStructureAttribute_widthType', road.width >= 15 ? '1' : '2', UP, u) +
    `${u}<uro:width uom="m">${road.width}</uro:width>\n` +
    (road.lanes > 0 ? `${u}<uro:numberOfLanes>${road.lanes}</uro:numberOfLanes>\n` : '') +
    coded('uro:sectionType', 'RoadStructureAttribute_sectionType', '1', UP, u) +
    `${T}\t</uro:RoadStructureAttribute>\n${T}</uro:roadStructureAttribute>\n\t\t</tran:Road>\n`
  );
}

/** A `tran:Square`. */
export function squareGml(square: Road, name: string): string {
  return (
    `\t\t<tran:Square gml:id="${square.id}">\n${T}<gml:name>${name}</gml:name>\n` +
    `${T}<core:creationDate>${CREATED['3.1']}</core:creationDate>\n` +
    coded('tran:class', 'TransportationComplex_class', '1090', UP, T) +
    coded('tran:function', 'Square_function', '1', UP, T) +
    `${surfaces(square)}\t\t</tran:Square>\n`
  );
}

function surfaces({ outline, strips }: Road): string {
  const order = [...strips].sort((a, b) => Number(a.isAuxiliary) - Number(b.isAuxiliary));
  const areas = strips.map(({ ring }) => [flat(ring)]);
  return (
    order.map(area).join('') +
    multiSurface('tran:lod1MultiSurface', [[flat(outline)]], T) +
    multiSurface('tran:lod2MultiSurface', areas, T)
  );
}

function area({ id, isAuxiliary, code, ring }: Strip): string {
  const [property, element] = isAuxiliary
    ? ['auxiliaryTrafficArea', 'AuxiliaryTrafficArea']
    : ['trafficArea', 'TrafficArea'];
  return (
    `${T}<tran:${property}>\n${T}\t<tran:${element} gml:id="${id}">\n` +
    coded('tran:function', `${element}_function`, code, UP, `${T}\t\t`) +
    multiSurface('tran:lod2MultiSurface', [[flat(ring)]], `${T}\t\t`) +
    `${T}\t</tran:${element}>\n${T}</tran:${property}>\n`
  );
}
