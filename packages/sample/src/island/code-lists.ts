/** The code lists of the island's packages: those of the small sample, and what else it has. */
import { CODE_LISTS } from '../code-lists.ts';
import { RIVER } from './flood.ts';
import { CITY } from './lot.ts';

type Entries = ReadonlyArray<readonly [code: string, label: string]>;

const RIVERS: Entries = [['1', RIVER.name]];

/** List name → codes with their labels. */
export const ISLAND_CODE_LISTS: Record<string, Entries> = {
  ...CODE_LISTS,
  AuxiliaryTrafficArea_function: [['3000', '島']],
  BridgeConstructionElement_function: [['01', '橋梁の部材']],
  Bridge_function: [['01', '道路橋']],
  BuildingRiverFloodingRiskAttribute_description: RIVERS,
  Building_roofType: [
    ['1', '切妻屋根'],
    ['2', '寄棟屋根'],
    ['4', '陸屋根'],
  ],
  CityFurniture_class: [['1000', '交通施設']],
  CityFurniture_function: [['4200', '照明施設']],
  Common_landUseType: [
    ['202', '畑'],
    ['203', '山林'],
    ['204', '水面'],
    ['205', 'その他自然地'],
    ['211', '住宅用地'],
    ['212', '商業用地'],
    ['213', '工業用地'],
    ['214', '公益施設用地'],
    ['215', '道路用地'],
    ['217', '公共空地'],
  ],
  Common_localPublicAuthorities: [
    ['47', CITY.prefecture],
    [CITY.code, `${CITY.prefecture}${CITY.name}`],
  ],
  RiverFloodingRiskAttribute_description: RIVERS,
  SolitaryVegetationObject_class: [['1', '高木（樹高3m以上）']],
  SolitaryVegetationObject_function: [
    ['11', '常緑/針葉'],
    ['22', '落葉/広葉'],
  ],
  Square_function: [['1', '広場']],
  TrafficArea_function: [
    ['1000', '車道部'],
    ['1020', '車道交差部'],
    ['2000', '歩道部'],
  ],
  TransportationComplex_class: [['1090', '広場']],
  WaterBody_class: [
    ['1000', '海'],
    ['1030', '河川'],
    ['1140', 'Flooded land'],
  ],
};
