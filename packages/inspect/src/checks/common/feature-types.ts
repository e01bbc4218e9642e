/** L03: a folder has features of its own types. */
import { type FeatureType, isOwnPrefix, localName, prefixOf } from '@citymodel/citygml';
import { defineCheck, type FileContext } from '../../check.ts';
import { idOf } from '../../elements.ts';

const UTILITIES = [
  'WaterPipe',
  'SewerPipe',
  'ThermalPipe',
  'OilGasChemicalsPipe',
  'Pipe',
  'TelecommunicationsCable',
  'ElectricityCable',
  'Cable',
  'Duct',
  'Appurtenance',
  'Manhole',
  'Handhole',
];

/** What generic objects are in CityGML 3.0 (OGC 20-010, section 7.7). */
const GENERICS = [
  ...['GenericOccupiedSpace', 'GenericUnoccupiedSpace', 'GenericLogicalSpace'],
  'GenericThematicSurface',
];

/**
 * Local names of features by folder. Those of plans (`urf`, `area`) are many: their prefix says that they belong there.
 */
const TYPES: Record<Exclude<FeatureType, 'urf' | 'area'>, readonly string[]> = {
  bldg: ['Building', 'CityObjectGroup'],
  ubld: ['UndergroundBuilding', 'CityObjectGroup'],
  brid: ['Bridge'],
  cons: ['OtherConstruction'],
  dem: ['ReliefFeature'],
  fld: ['WaterBody'],
  tnm: ['WaterBody'],
  htd: ['WaterBody'],
  ifld: ['WaterBody'],
  rfld: ['WaterBody'],
  wtr: ['WaterBody'],
  frn: ['CityFurniture'],
  gen: ['GenericCityObject', ...GENERICS],
  lsld: ['SedimentDisasterProneArea'],
  luse: ['LandUse'],
  rwy: ['Railway'],
  squr: ['Square'],
  tran: ['Road'],
  trk: ['Track'],
  tun: ['Tunnel'],
  wwy: ['Waterway'],
  veg: ['SolitaryVegetationObject', 'PlantCover'],
  unf: UTILITIES,
};
const PLANS = new Set(['urf', 'area']);

export const FEATURE_TYPES = defineCheck({
  code: 'L03',
  name: 'L03エラー',
  title: { ja: 'フォルダに属さない地物型', en: 'Feature types that do not belong into a folder' },
  rule: {
    ja: 'udx のフォルダには、その接頭辞の地物型だけが含まれること。',
    en: 'A folder below udx has features of its own types only.',
  },
  severity: 'warning',
  specs: [4, 6],
  folders: null,
  table: null,
  summary: null,
  inPassing: 'extent',
  open: (file) => ({
    member({ feature, line }) {
      const prefix = prefixOf(feature.name);
      if (!isOwnPrefix(prefix) || prefix === 'gml' || isExpected(file, feature.name)) return;
      file.report({
        id: idOf(feature),
        ref: localName(feature.name),
        line,
        type: feature.name,
        message: `${feature.name} does not belong into the folder ${file.folder}.`,
      });
    },
  }),
});

/** Folders for which the official program has no list. */
const UNLISTED = new Set(['area', 'rfld', 'ext']);

function isExpected({ folder, package: { likeUpstream } }: FileContext, name: string): boolean {
  if (likeUpstream !== null && UNLISTED.has(folder)) return false;
  const types = Object.hasOwn(TYPES, folder) ? TYPES[folder as keyof typeof TYPES] : undefined;
  if (types !== undefined) return types.includes(localName(name));
  // Folders that no list names tell nothing of what belongs there.
  return !PLANS.has(folder) || prefixOf(name) === 'urf';
}
