/** Buildings as CityGML, with the attributes of i-UR 2.0 or 3.1 in the order that their schemas ask for. */
import type { Body, Building, Face } from './building.ts';
import { footprintArea, lod1Faces, lod2Faces, mastFaces } from './building.ts';
import type { IurVersion } from './gml.ts';
import { CREATED, coded, multiSurface, publicSurvey, surfaceMember } from './gml.ts';
import type { Point3 } from './place.ts';
import type { Random } from './random.ts';
import { escapeXml } from './text.ts';

const UP = '../../';
const SURFACES = { ground: 'GroundSurface', roof: 'RoofSurface', wall: 'WallSurface' } as const;

export interface BuildingForm {
  /** Polygons of LOD0 and LOD1 have ids from it. */
  ids?: Random;
  /** False where geometry is of a planning survey, of which nothing else is told; else it is of a public one. */
  isSurveyed?: boolean;
  /** Name of the element; `bldg:Building` unless given. */
  element?: string;
}

/** The `bldg:Building` element, indented to stand inside a member. */
export function buildingGml(
  building: Building,
  iur: IurVersion,
  { ids, isSurveyed = true, element = 'bldg:Building' }: BuildingForm = {},
): string {
  const t = '\t\t\t';
  const single = building.bodies.length === 1;
  const identity = iur === '3.1' ? attributes31(building, isSurveyed, t) : attributes20(building, t);
  const name = building.name === null ? '' : `${t}<gml:name>${building.name}</gml:name>\n`;
  const created = `${t}<core:creationDate>${CREATED[iur]}</core:creationDate>\n`;
  const parts = single ? '' : building.bodies.map((body) => buildingPart(building, body, iur)).join('');
  const [first] = building.bodies as [Body, ...Body[]];
  // At low levels a building has one shape, also when it has parts: the first, on which the others stand, to the top.
  const block = { ...first, lod1Top: Math.max(...building.bodies.map(({ lod1Top }) => lod1Top)) };
  const geometry = lowGeometry(block, t, ids) + (single ? lod2Geometry(building, first, t) : '');
  const year = building.yearOfConstruction;
  return (
    `\t\t<${element} gml:id="${building.id}">\n${name}${created}${genericAttributes(building, t)}` +
    coded('bldg:class', 'Building_class', building.classCode, UP, t) +
    coded('bldg:usage', 'Building_usage', building.usageCode, UP, t) +
    `${t}<bldg:yearOfConstruction>${year}</bldg:yearOfConstruction>\n` +
    roofType(building.bodies[0]!, t) +
    `${t}<bldg:measuredHeight uom="m">${building.measuredHeight}</bldg:measuredHeight>\n` +
    `${t}<bldg:storeysAboveGround>${building.storeysAbove}</bldg:storeysAboveGround>\n` +
    `${t}<bldg:storeysBelowGround>${building.storeysBelow}</bldg:storeysBelowGround>\n` +
    `${geometry}${parts}${address(building, t)}${identity}\t\t</${element}>\n`
  );
}

function buildingPart(building: Building, body: Body, iur: IurVersion): string {
  const t = '\t\t\t\t\t';
  const height = Math.round((body.lod1Top - body.base) * 1000) / 1000;
  return `\t\t\t<bldg:consistsOfBuildingPart>
				<bldg:BuildingPart gml:id="${body.id}">
${t}<core:creationDate>${CREATED[iur]}</core:creationDate>
${coded('bldg:class', 'Building_class', building.classCode, UP, t)}\
${coded('bldg:usage', 'Building_usage', building.usageCode, UP, t)}${t}<bldg:measuredHeight uom="m">${height}\
</bldg:measuredHeight>
${lod2Geometry(building, body, t)}				</bldg:BuildingPart>
			</bldg:consistsOfBuildingPart>
`;
}

function roofType(body: Body, t: string): string {
  const code = { gable: '1', hip: '2', flat: '4', steps: '4' }[body.roof.kind];
  return coded('bldg:roofType', 'Building_roofType', code, UP, t);
}

/** LOD0 and LOD1. */
function lowGeometry(body: Body, t: string, ids?: Random): string {
  const polygon = () => (ids === undefined ? undefined : `poly_${ids.uuid()}`);
  const edge: Point3[][] = [body.footprint.outer, ...body.footprint.holes].map((ring) =>
    ring.map(([east, north]) => [east, north, 0]),
  );
  const text = multiSurface('bldg:lod0RoofEdge', [edge], t, polygon());
  const members = lod1Faces(body).map((face) => surfaceMember(face.rings, `${t}\t\t\t\t`, polygon()));
  return text + solid('bldg:lod1Solid', members.join(''), t);
}

/** Empty for a building without LOD2. */
function lod2Geometry(building: Building, body: Body, t: string): string {
  if (!building.hasLod2) return '';
  const faces = lod2Faces(body).map((face, i) => ({ face, id: polygonId(body.id, i) }));
  const links = faces.map(({ id }) => `${t}\t\t\t\t<gml:surfaceMember xlink:href="#${id}"/>\n`);
  let text = solid('bldg:lod2Solid', links.join(''), t);
  if (building.mast !== null) text += installation(body.id, mastFaces(building.mast), t);
  for (const { face, id } of faces) text += boundarySurface(face, id, t);
  return text;
}

/** Id of the polygon of a body's nth LOD2 face, which solids and textures refer to. */
export function polygonId(bodyId: string, face: number): string {
  return `poly_${bodyId.slice(5)}_${face}`;
}

function solid(property: string, members: string, t: string): string {
  return (
    `${t}<${property}>\n${t}\t<gml:Solid>\n${t}\t\t<gml:exterior>\n${t}\t\t\t<gml:CompositeSurface>\n${members}` +
    `${t}\t\t\t</gml:CompositeSurface>\n${t}\t\t</gml:exterior>\n${t}\t</gml:Solid>\n${t}</${property}>\n`
  );
}

function boundarySurface(face: Face, id: string, t: string): string {
  const element = `bldg:${SURFACES[face.kind]}`;
  return (
    `${t}<bldg:boundedBy>\n${t}\t<${element} gml:id="${id.replace('poly_', `${face.kind}_`)}">\n${t}` +
    `\t\t<bldg:lod2MultiSurface>\n${t}\t\t\t<gml:MultiSurface>\n${surfaceMember(face.rings, `${t}\t\t\t\t`, id)}${t}` +
    `\t\t\t</gml:MultiSurface>\n${t}\t\t</bldg:lod2MultiSurface>\n${t}\t</${element}>\n${t}</bldg:boundedBy>\n`
  );
}

function installation(bodyId: string, faces: Face[], t: string): string {
  const members = faces.map((face) => surfaceMember(face.rings, `${t}\t\t\t\t`)).join('');
  return (
    `${t}<bldg:outerBuildingInstallation>\n${t}\t<bldg:BuildingInstallation gml:id="inst_${bodyId.slice(5)}">\n` +
    `${coded('bldg:function', 'BuildingInstallation_function', '1000', UP, `${t}\t\t`)}${t}\t\t<bldg:lod2Geometry>\n` +
    `${t}\t\t\t<gml:MultiSurface>\n${members}${t}\t\t\t</gml:MultiSurface>\n${t}\t\t</bldg:lod2Geometry>\n${t}` +
    `\t</bldg:BuildingInstallation>\n${t}</bldg:outerBuildingInstallation>\n`
  );
}

function address({ town }: Building, t: string): string {
  return `${t}<bldg:address>
${t}	<core:Address>
${t}		<core:xalAddress>
${t}			<xAL:AddressDetails>
${t}				<xAL:Country>
${t}					<xAL:CountryName>日本</xAL:CountryName>
${t}					<xAL:Locality>
${t}						<xAL:LocalityName Type="Town">${town}</xAL:LocalityName>
${t}					</xAL:Locality>
${t}				</xAL:Country>
${t}			</xAL:AddressDetails>
${t}		</core:xalAddress>
${t}	</core:Address>
${t}</bldg:address>
`;
}

function genericAttributes(building: Building, t: string): string {
  if (!building.genericAttributes) return '';
  const one = (kind: string, name: string, value: string, uom = '') =>
    `${t}<gen:${kind}Attribute name="${name}">\n${t}\t<gen:value${uom}>${escapeXml(value)}</gen:value>\n${t}</gen:` +
    `${kind}Attribute>\n`;
  return (
    one('string', '別名', '市民の帆 & 議場') +
    one('int', '窓口の数', '14') +
    one('double', '床面積換算係数', '0.82') +
    one('date', '開庁日', '1998-04-01') +
    one('uri', '案内', 'https://example.com/aonagi/cityhall?floor=1&lang=ja') +
    one('measure', '計測周辺長', '140', ' uom="m"') +
    `${t}<gen:genericAttributeSet name="避難">\n${one('string', '種別', '指定避難所').replaceAll(/^/gm, '\t').trimEnd()}\n` +
    `${one('int', '収容人数', '1200').replaceAll(/^/gm, '\t').trimEnd()}\n${t}</gen:genericAttributeSet>\n`
  );
}

/** The parts that both versions have alike: details and the building's number. */
function detailAndId(building: Building, t: string): { detail: string; id: string } {
  const structure = building.structureCode;
  const area = building.bodies.map(({ footprint }) => Math.round(footprintArea(footprint) * 100) / 100);
  const detail = `${t}<uro:buildingDetailAttribute>
${t}	<uro:BuildingDetailAttribute>
${t}		<uro:totalFloorArea uom="m2">\
${Math.round(area[0]! * Math.max(1, building.storeysAbove + building.storeysBelow) * 100) / 100}</uro:totalFloorArea>
${t}		<uro:buildingRoofEdgeArea uom="m2">${area[0]}</uro:buildingRoofEdgeArea>
${coded('uro:buildingStructureType', 'BuildingDetailAttribute_buildingStructureType', structure, UP, `${t}\t\t`)}\
${coded('uro:urbanPlanType', 'Common_urbanPlanType', '21', UP, `${t}\t\t`)}\
${coded('uro:districtsAndZonesType', 'Common_districtsAndZonesType', building.zoneCode, UP, `${t}\t\t`)}\
${coded('uro:landUseType', 'Common_landUseType', structure === '601' ? '211' : '212', UP, `${t}\t\t`)}\
${t}		<uro:specifiedBuildingCoverageRate>0.6</uro:specifiedBuildingCoverageRate>
${t}		<uro:specifiedFloorAreaRate>${building.zoneCode === '10' ? 6 : 2}</uro:specifiedFloorAreaRate>
${t}		<uro:surveyYear>2021</uro:surveyYear>
${t}	</uro:BuildingDetailAttribute>
${t}</uro:buildingDetailAttribute>
`;
  const id = `${t}<uro:buildingIDAttribute>
${t}	<uro:BuildingIDAttribute>
${t}		<uro:buildingID>${building.cityCode}-bldg-${building.serial}</uro:buildingID>
${coded('uro:prefecture', 'Common_localPublicAuthorities', building.areaCode.slice(0, 2), UP, `${t}\t\t`)}\
${coded('uro:city', 'Common_localPublicAuthorities', building.areaCode, UP, `${t}\t\t`)}${t}	</uro:BuildingIDAttribute>
${t}</uro:buildingIDAttribute>
`;
  return { detail, id };
}

const rankOf = (depth: number) => (depth < 0.5 ? 1 : depth < 3 ? 2 : depth < 5 ? 3 : 4);

/** One attribute object for each scale of the flood that reaches the building. */
function floodRisks(building: Building, property: string, element: string, t: string): string {
  return building.floodDepths
    .map((depth, i) =>
      depth === 0
        ? ''
        : `${t}<uro:${property}>\n${t}\t<uro:${element}>\n` +
          coded('uro:description', `${element}_description`, '1', UP, `${t}\t\t`) +
          coded('uro:rank', `${element}_rank`, String(rankOf(depth)), UP, `${t}\t\t`) +
          `${t}\t\t<uro:depth uom="m">${depth}</uro:depth>\n` +
          coded('uro:adminType', `${element}_adminType`, '1', UP, `${t}\t\t`) +
          coded('uro:scale', `${element}_scale`, String(i + 1), UP, `${t}\t\t`) +
          (i === 1
            ? `${t}\t\t<uro:duration uom="hour">${Math.round(depth * 61) / 10}</uro:duration>\n`
            : '') +
          `${t}\t</uro:${element}>\n${t}</uro:${property}>\n`,
    )
    .join('');
}

function attributes31(building: Building, isSurveyed: boolean, t: string): string {
  const u = `${t}\t\t`;
  const { detail, id } = detailAndId(building, t);
  const lod2 = building.hasLod2;
  const geometry = isSurveyed ? '000' : '201';
  const source = (property: string, code: string) =>
    coded(`uro:${property}`, `DataQualityAttribute_${property.replace(/Lod\d$/, '')}`, code, UP, u);
  return (
    `${t}<uro:bldgDataQualityAttribute>\n${t}\t<uro:DataQualityAttribute>\n` +
    source('geometrySrcDescLod0', geometry) +
    source('geometrySrcDescLod1', geometry) +
    (lod2 ? source('geometrySrcDescLod2', geometry) : source('geometrySrcDescLod2', '999')) +
    source('thematicSrcDesc', '000') +
    source('thematicSrcDesc', '201') +
    source('appearanceSrcDescLod2', lod2 ? '1' : '999') +
    coded('uro:lodType', 'Building_lodType', lod2 ? '2.0' : '8', UP, u) +
    source('lod1HeightType', building.bodies.length === 1 ? '2' : '1') +
    (isSurveyed ? publicSurvey(lod2 ? [0, 1, 2] : [0, 1], u) : '') +
    `${t}\t</uro:DataQualityAttribute>\n${t}</uro:bldgDataQualityAttribute>\n` +
    floodRisks(building, 'bldgDisasterRiskAttribute', 'RiverFloodingRiskAttribute', t) +
    detail +
    id +
    keyValue(building, 'bldgKeyValuePairAttribute', t)
  );
}

function attributes20(building: Building, t: string): string {
  const { detail, id } = detailAndId(building, t);
  return (
    `${t}<uro:buildingDataQualityAttribute>\n${t}\t<uro:BuildingDataQualityAttribute>\n` +
    coded('uro:srcScale', 'BuildingDataQualityAttribute_srcScale', '1', UP, `${t}\t\t`) +
    coded('uro:geometrySrcDesc', 'BuildingDataQualityAttribute_geometrySrcDesc', '5', UP, `${t}\t\t`) +
    coded('uro:thematicSrcDesc', 'BuildingDataQualityAttribute_thematicSrcDesc', '1', UP, `${t}\t\t`) +
    coded('uro:lod1HeightType', 'BuildingDataQualityAttribute_lod1HeightType', '2', UP, `${t}\t\t`) +
    `${t}\t</uro:BuildingDataQualityAttribute>\n${t}</uro:buildingDataQualityAttribute>\n` +
    detail +
    floodRisks(building, 'buildingDisasterRiskAttribute', 'BuildingRiverFloodingRiskAttribute', t) +
    id +
    keyValue(building, 'keyValuePairAttribute', t)
  );
}

/** `property`: `keyValuePairAttribute` in i-UR 2.0, `bldgKeyValuePairAttribute` from 3.1 on. */
function keyValue(building: Building, property: string, t: string): string {
  return `${t}<uro:${property}>
${t}	<uro:KeyValuePairAttribute>
${coded('uro:key', 'KeyValuePairAttribute_key', '2', UP, `${t}\t\t`)}\
${coded('uro:codeValue', 'KeyValuePairAttribute_key2', String((building.serial % 3) + 1), UP, `${t}\t\t`)}${t}\
	</uro:KeyValuePairAttribute>
${t}</uro:${property}>
`;
}
