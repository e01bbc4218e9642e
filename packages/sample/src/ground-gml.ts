/** Streets, land use, zoning, floods and terrain as CityGML in the versions 2.0 and 3.1 of i-UR. */
import type { IurVersion } from './gml.ts';
import { CREATED, coded, multiSurface, posList, publicSurvey } from './gml.ts';
import type { Flood, Parcel, Ring2, River, Road } from './ground.ts';
import type { Point3 } from './place.ts';

const UP = '../../';
const T = '\t\t\t';

/** Areal types carry no heights: every altitude is 0. */
const flat = (ring: Ring2): Point3[] => ring.map(([east, north]) => [east, north, 0]);

/** A street with LOD1, and in i-UR 3.1 with the carriageway and pavements of LOD2. */
export function roadGml(road: Road, iur: IurVersion): string {
  let text = `\t\t<tran:Road gml:id="${road.id}">\n${T}<core:creationDate>${CREATED[iur]}</core:creationDate>\n`;
  text +=
    coded('tran:class', 'Road_class', '1040', UP, T) + coded('tran:function', 'Road_function', '4', UP, T);
  if (iur === '3.1') {
    text += trafficArea('trafficArea', 'TrafficArea', road.partIds[0], '1020', road.carriageway);
    for (const i of [0, 1] as const) {
      text += trafficArea(
        'auxiliaryTrafficArea',
        'AuxiliaryTrafficArea',
        road.partIds[i + 1]!,
        '3000',
        road.pavements[i],
      );
    }
  }
  text += multiSurface('tran:lod1MultiSurface', [[flat(road.outline)]], T);
  if (iur === '3.1') {
    const areas = [road.carriageway, ...road.pavements].map((ring) => [flat(ring)]);
    text += multiSurface('tran:lod2MultiSurface', areas, T);
    text += `${T}<uro:tranDataQualityAttribute>\n${T}\t<uro:DataQualityAttribute>\n`;
    for (const lod of [1, 2]) {
      text += coded(
        `uro:geometrySrcDescLod${lod}`,
        'DataQualityAttribute_geometrySrcDesc',
        '000',
        UP,
        `${T}\t\t`,
      );
    }
    text += coded('uro:thematicSrcDesc', 'DataQualityAttribute_thematicSrcDesc', '301', UP, `${T}\t\t`);
    text += publicSurvey([1, 2], `${T}\t\t`);
    text += `${T}\t</uro:DataQualityAttribute>\n${T}</uro:tranDataQualityAttribute>\n`;
  } else {
    text += `${T}<uro:roadDataQualityAttribute>\n${T}\t<uro:RoadDataQualityAttribute>\n`;
    text += coded('uro:srcScale', 'RoadDataQualityAttribute_srcScale', '1', UP, `${T}\t\t`);
    text += coded('uro:geometrySrcDesc', 'RoadDataQualityAttribute_geometrySrcDesc', '5', UP, `${T}\t\t`);
    text += `${T}\t</uro:RoadDataQualityAttribute>\n${T}</uro:roadDataQualityAttribute>\n`;
  }
  text += `${T}<uro:roadStructureAttribute>\n${T}\t<uro:RoadStructureAttribute>\n`;
  text += coded('uro:widthType', 'RoadStructureAttribute_widthType', '2', UP, `${T}\t\t`);
  text += `${T}\t\t<uro:width uom="m">12</uro:width>\n${T}\t\t<uro:numberOfLanes>2</uro:numberOfLanes>\n`;
  text += coded('uro:sectionType', 'RoadStructureAttribute_sectionType', '1', UP, `${T}\t\t`);
  return `${text}${T}\t</uro:RoadStructureAttribute>\n${T}</uro:roadStructureAttribute>\n\t\t</tran:Road>\n`;
}

function trafficArea(property: string, element: string, id: string, code: string, ring: Ring2): string {
  return (
    `${T}<tran:${property}>\n${T}\t<tran:${element} gml:id="${id}">\n` +
    `${coded('tran:function', `${element}_function`, code, UP, `${T}\t\t`)}` +
    `${multiSurface('tran:lod2MultiSurface', [[flat(ring)]], `${T}\t\t`)}${T}\t</tran:${element}>\n${T}</tran:` +
    `${property}>\n`
  );
}

/** A `luse:LandUse`, i-UR 3.1. */
export function landUseGml(parcel: Parcel): string {
  const u = `${T}\t\t`;
  return (
    `\t\t<luse:LandUse gml:id="${parcel.id}">\n${T}<core:creationDate>${CREATED['3.1']}</core:creationDate>\n` +
    coded('luse:class', 'Common_landUseType', parcel.code, UP, T) +
    multiSurface('luse:lod1MultiSurface', [[flat(parcel.ring)]], T) +
    `${T}<uro:luseDataQualityAttribute>\n${T}\t<uro:DataQualityAttribute>\n` +
    coded('uro:geometrySrcDescLod1', 'DataQualityAttribute_geometrySrcDesc', '201', UP, u) +
    coded('uro:thematicSrcDesc', 'DataQualityAttribute_thematicSrcDesc', '201', UP, u) +
    `${T}\t</uro:DataQualityAttribute>\n${T}</uro:luseDataQualityAttribute>\n` +
    `${T}<uro:landUseDetailAttribute>\n${T}\t<uro:LandUseDetailAttribute>\n` +
    `${u}<uro:areaInSquareMeter uom="m2">${parcel.squareMetres}</uro:areaInSquareMeter>\n` +
    coded('uro:prefecture', 'Common_localPublicAuthorities', parcel.areaCode.slice(0, 2), UP, u) +
    coded('uro:city', 'Common_localPublicAuthorities', parcel.areaCode, UP, u) +
    `${u}<uro:surveyYear>2021</uro:surveyYear>\n` +
    `${T}\t</uro:LandUseDetailAttribute>\n${T}</uro:landUseDetailAttribute>\n\t\t</luse:LandUse>\n`
  );
}

/** A `urf:UseDistrict`, i-UR 3.1. */
export function zoningGml(parcel: Parcel, city: string): string {
  return (
    `\t\t<urf:UseDistrict gml:id="${parcel.id}">\n${T}<core:creationDate>${CREATED['3.1']}</core:creationDate>\n` +
    coded('urf:function', 'Common_districtsAndZonesType', parcel.code, UP, T) +
    `${T}<urf:validFrom>2015-04-01</urf:validFrom>\n` +
    coded('urf:validFromType', 'Common_validType', '1', UP, T) +
    `${T}<urf:custodian>${city}</urf:custodian>\n${T}<urf:notificationNumber>${city}告示第12号</urf:notificationNumber>\n` +
    coded('urf:prefecture', 'Common_localPublicAuthorities', parcel.areaCode.slice(0, 2), UP, T) +
    coded('urf:city', 'Common_localPublicAuthorities', parcel.cityCode, UP, T) +
    multiSurface('urf:lod1MultiSurface', [[flat(parcel.ring)]], T) +
    `${T}<urf:floorAreaRate>${parcel.code === '10' ? 600 : 200}</urf:floorAreaRate>\n` +
    `${T}<urf:buildingCoverageRate>${parcel.code === '10' ? 80 : 60}` +
    `</urf:buildingCoverageRate>\n\t\t</urf:UseDistrict>\n`
  );
}

/** A flooded area as `wtr:WaterBody`, i-UR 3.1; its file lies four directories below the package. */
export function floodGml(
  flood: Pick<Flood, 'id' | 'rank' | 'scale' | 'triangles'> & { river: Pick<River, 'admin' | 'name'> },
): string {
  const up = '../../../../';
  const u = `${T}\t\t`;
  const list = (name: string) => `RiverFloodingRiskAttribute_${name}`;
  const scaleName = flood.scale === 'l1' ? '計画規模' : '想定最大規模';
  return (
    `\t\t<wtr:WaterBody gml:id="${flood.id}">\n${T}<gml:name>${flood.river.name}洪水浸水想定区域図（${scaleName}）</gml:name>\n` +
    `${T}<core:creationDate>${CREATED['3.1']}</core:creationDate>\n` +
    coded('wtr:class', 'WaterBody_class', '1140', up, T) +
    coded('wtr:function', 'WaterBody_function', '1', up, T) +
    multiSurface(
      'wtr:lod1MultiSurface',
      flood.triangles.map((triangle) => [triangle]),
      T,
    ) +
    `${T}<uro:floodingRiskAttribute>\n${T}\t<uro:RiverFloodingRiskAttribute>\n` +
    coded('uro:description', list('description'), flood.river.admin === 'natl' ? '1' : '2', up, u) +
    coded('uro:rank', list('rank'), flood.rank, up, u) +
    coded('uro:adminType', list('adminType'), flood.river.admin === 'natl' ? '1' : '2', up, u) +
    coded('uro:scale', list('scale'), flood.scale.slice(1), up, u) +
    `${T}\t</uro:RiverFloodingRiskAttribute>\n${T}</uro:floodingRiskAttribute>\n\t\t</wtr:WaterBody>\n`
  );
}

/** The terrain as one `dem:ReliefFeature` with a TIN. */
export function terrainGml(
  ids: { relief: string; tin: string },
  name: string,
  triangles: Point3[][],
): string {
  const patches = triangles.map(
    (ring) =>
      `\t\t\t\t\t\t\t\t<gml:Triangle>\n\t\t\t\t\t\t\t\t\t<gml:exterior>\n\t\t\t\t\t\t\t\t\t\t<gml:LinearRing>\n` +
      `\t\t\t\t\t\t\t\t\t\t\t<gml:posList>${posList(ring)}</gml:posList>\n` +
      `\t\t\t\t\t\t\t\t\t\t</gml:LinearRing>\n\t\t\t\t\t\t\t\t\t</gml:exterior>\n\t\t\t\t\t\t\t\t</gml:Triangle>\n`,
  );
  return `		<dem:ReliefFeature gml:id="${ids.relief}">
			<gml:name>${name}</gml:name>
			<core:creationDate>${CREATED['3.1']}</core:creationDate>
			<dem:lod>1</dem:lod>
			<dem:reliefComponent>
				<dem:TINRelief gml:id="${ids.tin}">
					<gml:name>${name}</gml:name>
					<dem:lod>1</dem:lod>
					<dem:tin>
						<gml:TriangulatedSurface>
							<gml:trianglePatches>
${patches.join('')}							</gml:trianglePatches>
						</gml:TriangulatedSurface>
					</dem:tin>
				</dem:TINRelief>
			</dem:reliefComponent>
		</dem:ReliefFeature>
`;
}
