/** The code lists that the sample's GML refers to: GML dictionaries as PLATEAU packages have them. */
import { escapeXml } from './text.ts';

type Entries = ReadonlyArray<readonly [code: string, label: string]>;

const DEPTHS: Entries = [
  ['1', '0.5m未満'],
  ['2', '0.5m以上3m未満'],
  ['3', '3m以上5m未満'],
  ['4', '5m以上10m未満'],
];
const ADMIN: Entries = [
  ['1', '国'],
  ['2', '都道府県'],
];
const SCALES: Entries = [
  ['1', 'L1（計画規模）'],
  ['2', 'L2（想定最大規模）'],
];
const RIVER_NAMES: Entries = [
  ['1', '澄見川水系澄見川'],
  ['2', '葦辺川水系葦辺川'],
];
const SOURCES: Entries = [
  ['000', '公共測量成果又は基本測量成果'],
  ['201', '都市計画基礎調査'],
  ['301', '道路台帳'],
  ['999', '未作成'],
];
const MAP_SCALES: Entries = [['1', '地図情報レベル2500']];
const HEIGHT_TYPES: Entries = [
  ['1', '点群から取得_最高高さ'],
  ['2', '点群から取得_中央値'],
];

/** Prefecture, cities and wards of the sample; the codes of its cities belong to no real municipality. */
const AUTHORITIES: Entries = [
  ['47', '沖縄県'],
  ['47900', '沖縄県青凪市'],
  ['47901', '沖縄県青凪市港見区'],
  ['47902', '沖縄県青凪市丘手区'],
  ['47950', '沖縄県汐見野市'],
];

/** List name → codes with their labels. */
export const CODE_LISTS: Record<string, Entries> = {
  AuxiliaryTrafficArea_function: [['3000', '歩道部']],
  BuildingDataQualityAttribute_geometrySrcDesc: [['5', '空中写真測量']],
  BuildingDataQualityAttribute_lod1HeightType: HEIGHT_TYPES,
  BuildingDataQualityAttribute_srcScale: MAP_SCALES,
  BuildingDataQualityAttribute_thematicSrcDesc: [['1', '都市計画基礎調査']],
  BuildingDetailAttribute_buildingStructureType: [
    ['601', '木造・土蔵造'],
    ['602', '鉄骨鉄筋コンクリート造'],
    ['603', '鉄筋コンクリート造'],
    ['604', '鉄骨造'],
  ],
  BuildingInstallation_function: [['1000', '屋上設備']],
  BuildingRiverFloodingRiskAttribute_adminType: ADMIN,
  BuildingRiverFloodingRiskAttribute_description: RIVER_NAMES,
  BuildingRiverFloodingRiskAttribute_rank: DEPTHS,
  BuildingRiverFloodingRiskAttribute_scale: SCALES,
  Building_class: [
    ['3001', '普通建物'],
    ['3002', '堅ろう建物'],
  ],
  Building_lodType: [
    ['2.0', 'LOD2.0'],
    ['8', '不明'],
  ],
  Building_roofType: [
    ['1', '切妻屋根'],
    ['4', '陸屋根'],
  ],
  Building_usage: [
    ['401', '業務施設'],
    ['402', '商業施設'],
    ['403', '宿泊施設'],
    ['404', '商業系複合施設'],
    ['411', '住宅'],
    ['412', '共同住宅'],
    ['413', '店舗等併用住宅'],
    ['414', '店舗等併用共同住宅'],
    ['421', '官公庁施設'],
    ['422', '文教厚生施設'],
    ['431', '運輸倉庫施設'],
    ['441', '工場'],
  ],
  Common_districtsAndZonesType: [
    ['5', '第1種住居地域'],
    ['9', '近隣商業地域'],
    ['10', '商業地域'],
    ['11', '準工業地域'],
  ],
  Common_landUseType: [
    ['211', '住宅用地'],
    ['212', '商業用地'],
    ['213', '工業用地'],
    ['215', '道路用地'],
    ['217', '公共空地'],
  ],
  Common_localPublicAuthorities: AUTHORITIES,
  Common_urbanPlanType: [['21', '都市計画区域']],
  Common_validType: [
    ['1', '決定'],
    ['3', '変更'],
  ],
  DataQualityAttribute_appearanceSrcDesc: [
    ['1', '空中写真'],
    ['999', '未作成'],
  ],
  DataQualityAttribute_geometrySrcDesc: SOURCES,
  DataQualityAttribute_lod1HeightType: HEIGHT_TYPES,
  DataQualityAttribute_thematicSrcDesc: SOURCES,
  KeyValuePairAttribute_key: [['2', '景観の区分']],
  KeyValuePairAttribute_key2: [
    ['1', '港の眺め'],
    ['2', '街の眺め'],
    ['3', '丘の眺め'],
  ],
  PublicSurveyDataQualityAttribute_publicSurveySrcDesc: [['003', '空中写真測量の測量成果']],
  PublicSurveyDataQualityAttribute_srcScale: MAP_SCALES,
  RiverFloodingRiskAttribute_adminType: ADMIN,
  RiverFloodingRiskAttribute_description: RIVER_NAMES,
  RiverFloodingRiskAttribute_rank: DEPTHS,
  RiverFloodingRiskAttribute_scale: SCALES,
  RoadStructureAttribute_sectionType: [['1', '土工区間・通常区間']],
  RoadStructureAttribute_widthType: [
    ['1', '15m以上'],
    ['2', '6m以上15m未満'],
  ],
  Road_class: [['1040', '道路交通']],
  Road_function: [['4', '市町村道']],
  TrafficArea_function: [['1020', '車道交差部・車道部']],
  RoadDataQualityAttribute_geometrySrcDesc: [['5', '空中写真測量']],
  RoadDataQualityAttribute_srcScale: MAP_SCALES,
  WaterBody_class: [['1140', 'Flooded land']],
  WaterBody_function: [['1', '洪水浸水想定区域']],
};

/** A list as a GML dictionary, UTF-8 text. */
export function codeListXml(name: string, entries: Entries): string {
  const definitions = entries.map(
    ([code, label], i) => `	<gml:dictionaryEntry>
		<gml:Definition gml:id="id${i + 1}">
			<gml:description>${escapeXml(label)}</gml:description>
			<gml:name>${code}</gml:name>
		</gml:Definition>
	</gml:dictionaryEntry>
`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<gml:Dictionary xmlns:gml="http://www.opengis.net/gml" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" \
xsi:schemaLocation="http://www.opengis.net/gml http://schemas.opengis.net/gml/3.1.1/profiles/SimpleDictionary/1.0.0\
/gmlSimpleDictionaryProfile.xsd" gml:id="${name}">
	<gml:name>${name}</gml:name>
${definitions.join('')}</gml:Dictionary>
`;
}
