/** What attributes of city models are called, beside those that the whole page knows; comes with the 3D view. */
import type { Language } from '../core/state.ts';

/** By the name without its prefix; `{n}` stands for a number at its end. */
const NAMES: Record<string, { en: string; ja: string }> = {
  geometrySrcDescLod: { en: 'Source of shapes, LOD {n}', ja: '形状の原典（LOD{n}）' },
  appearanceSrcDescLod: { en: 'Source of photographs, LOD {n}', ja: 'テクスチャの原典（LOD{n}）' },
  srcScaleLod: { en: 'Map scale of sources, LOD {n}', ja: '地図情報レベル（LOD{n}）' },
  publicSurveySrcDescLod: { en: 'Survey products used, LOD {n}', ja: '公共測量成果（LOD{n}）' },
  thematicSrcDesc: { en: 'Source of attributes', ja: '主題属性の原典' },
  lodType: { en: 'Detailed level of detail', ja: '詳細なLOD' },
  lodHeightType: { en: 'What the height of LOD 1 is', ja: 'LOD1の高さの種類' },
  buildingStructureOrgType: { en: 'Structure, local classes', ja: '構造種別（独自）' },
  fireproofStructureType: { en: 'Fireproofing', ja: '耐火構造種別' },
  urbanPlanType: { en: 'Urban planning area', ja: '都市計画区域' },
  areaClassificationType: { en: 'Urbanisation division', ja: '区域区分' },
  districtsAndZonesType: { en: 'Zoning', ja: '地域地区' },
  landUseType: { en: 'Land use', ja: '土地利用区分' },
  orgUsage: { en: 'Use, local classes', ja: '用途（独自）' },
  detailedUsage: { en: 'Detailed use', ja: '詳細用途' },
  groundFloorUsage: { en: 'Use of the ground floor', ja: '1階の用途' },
  secondFloorUsage: { en: 'Use of the second floor', ja: '2階以上の用途' },
  upperFloorUsage: { en: 'Use of upper floors', ja: '上層階の用途' },
  basementUsage: { en: 'Use of the basement', ja: '地下の用途' },
  majorUsage: { en: 'Main use', ja: '主要用途' },
  vacancy: { en: 'Vacancy', ja: '空き家区分' },
  buildingFootprintArea: { en: 'Footprint area', ja: '建築面積' },
  buildingRoofEdgeArea: { en: 'Roof area', ja: '屋根外縁の面積' },
  developmentArea: { en: 'Development area', ja: '開発区域面積' },
  siteArea: { en: 'Site area', ja: '敷地面積' },
  buildingCoverageRate: { en: 'Building coverage', ja: '建蔽率' },
  floorAreaRate: { en: 'Floor area ratio', ja: '容積率' },
  specifiedBuildingCoverageRate: { en: 'Building coverage allowed', ja: '指定建蔽率' },
  specifiedFloorAreaRate: { en: 'Floor area ratio allowed', ja: '指定容積率' },
  standardFloorAreaRate: { en: 'Standard floor area ratio', ja: '基準容積率' },
  buildingHeight: { en: 'Height of the building', ja: '建築物の高さ' },
  eaveHeight: { en: 'Height of the eaves', ja: '軒の高さ' },
  branchID: { en: 'Branch number', ja: '枝番' },
  partID: { en: 'Part number', ja: 'パーツ番号' },
  note: { en: 'Note', ja: '備考' },
  rank: { en: 'Depth class', ja: '浸水ランク' },
  depth: { en: 'Depth', ja: '浸水深' },
  duration: { en: 'Under water for', ja: '浸水継続時間' },
  adminType: { en: 'Administered by', ja: '管理区分' },
  scale: { en: 'Scale', ja: '規模' },
  width: { en: 'Width', ja: '幅員' },
  widthType: { en: 'Width class', ja: '幅員区分' },
  sectionType: { en: 'Section', ja: '区間種別' },
  numberOfLanes: { en: 'Lanes', ja: '車線数' },
  storeyHeightsAboveGround: { en: 'Storey heights above ground', ja: '地上階の高さ' },
  city_name: { en: 'Municipality', ja: '市区町村' },
};

/** Parts of the names of floods, which tiles have in Japanese. */
const FLOOD_WORDS: Array<[RegExp, string]> = [
  [/浸水ランク/g, 'depth class'],
  [/浸水深/g, 'depth'],
  [/浸水継続時間/g, 'under water for'],
  [/L1（計画規模）/g, 'planned scale'],
  [/L2（想定最大規模）/g, 'worst case'],
  [/（指定区間）|（国管理区間）/g, ' (national section)'],
  [/（都道府県管理区間）/g, ' (prefectural section)'],
  [/_/g, ', '],
];

/**
 * The name of an attribute in a language; null where there is none.
 *
 * @param short its name without the object that it is of: `uro:orgUsage2`, or a name in Japanese
 */
export function attributeName(short: string, language: Language): string | null {
  if (/\p{Script=Han}/u.test(short)) {
    if (language === 'ja') return short.replaceAll('_', ' ');
    return FLOOD_WORDS.reduce((text, [words, english]) => text.replace(words, english), short);
  }
  const own = short.replace(/^.*:/, '');
  if (own === 'lod1HeightType') return NAMES.lodHeightType![language];
  let end = own.length;
  while (/\d/.test(own.charAt(end - 1))) end--;
  const [stem, digits] = [own.slice(0, end), own.slice(end)];
  const found = NAMES[stem];
  if (found === undefined) return null;
  const text = found[language];
  if (text.includes('{n}')) return text.replace('{n}', digits);
  return digits === '' ? text : `${text} ${digits}`;
}
