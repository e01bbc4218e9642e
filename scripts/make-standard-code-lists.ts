/**
 * Writes `packages/citygml/src/attributes/standard-code-lists.tsv` from the code lists of published packages: `node
 * scripts/make-standard-code-lists.ts PACKAGE.zip…`. Of each list below it keeps the codes whose label all packages
 * agree on, one line each: list, code, label. The table is committed; packages are needed only to renew it.
 */
import { writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { parseCodeList } from '../packages/citygml/src/attributes/code-list.ts';
import { unzip } from '../packages/citygml/src/testing/published.ts';

const TABLE = new URL('../packages/citygml/src/attributes/standard-code-lists.tsv', import.meta.url);

/**
 * Lists of the standard that features of most packages name. Lists that each city fills itself (rivers, owners) are not
 * here.
 */
const LISTS = new Set([
  ...['class', 'usage', 'roofType', 'buildingStructureType', 'fireproofStructureType'].map(
    (name) => `Building_${name}`,
  ),
  ...['buildingStructureType', 'fireproofStructureType', 'vacancy'].map(
    (name) => `BuildingDetailAttribute_${name}`,
  ),
  ...[
    'landUseType',
    'urbanPlanType',
    'areaClassificationType',
    'districtsAndZonesType',
    'availabilityType',
  ].map((name) => `Common_${name}`),
  ...['validType', 'prefecture', 'ownerType'].map((name) => `Common_${name}`),
  ...['widthType', 'sectionType'].map((name) => `RoadStructureAttribute_${name}`),
  ...['Road_function', 'Road_usage', 'TransportationComplex_class', 'Track_function', 'Square_function'],
  ...['TrafficArea_function', 'AuxiliaryTrafficArea_function', 'TrackAttribute_widthType'],
  ...['', 'Building', 'WaterBody'].flatMap((owner) =>
    ['RiverFlooding', 'Tsunami', 'HighTide', 'InlandFlooding', 'ReservoirFlooding'].map(
      (risk) => `${owner}${risk}RiskAttribute_rank`,
    ),
  ),
  ...['', 'Building', 'WaterBody'].flatMap((owner) =>
    ['adminType', 'scale'].map((name) => `${owner}RiverFloodingRiskAttribute_${name}`),
  ),
  ...['', 'Building'].flatMap((owner) =>
    ['areaType', 'description', 'status'].map((name) => `${owner}LandSlideRiskAttribute_${name}`),
  ),
  ...['areaType', 'disasterType', 'status'].map((name) => `SedimentDisasterProneArea_${name}`),
  ...['CityFurniture_class', 'CityFurniture_function', 'LargeCustomerFacilityAttribute_class'],
  ...['PlantCover_class', 'SolitaryVegetationObject_class', 'SolitaryVegetationObject_function'],
  ...['WaterBody_class', 'WaterBody_function', 'WaterBodyDetailAttribute_adminType'],
  ...['Bridge_class', 'Bridge_function', 'Tunnel_class', 'Tunnel_function'],
  ...['OtherConstruction_class', 'OtherConstruction_function'],
]);

/** list → code → labels. */
const found = new Map<string, Map<string, Set<string>>>();
for (const path of process.argv.slice(2)) {
  for (const [name, bytes] of await unzip(path)) {
    const list = basename(name, '.xml');
    if (!name.includes('codelists/') || !LISTS.has(list)) continue;
    const codes = found.get(list) ?? new Map<string, Set<string>>();
    found.set(list, codes);
    for (const [code, label] of parseCodeList(bytes)) {
      codes.set(code, (codes.get(code) ?? new Set()).add(label));
    }
  }
}

const rows: string[] = [];
for (const [list, codes] of found) {
  for (const [code, labels] of codes) {
    // `田` and `田（水田）` mean the same; a code whose labels differ otherwise has no standard label.
    const [shortest, ...others] = [...labels].sort((a, b) => a.length - b.length);
    const agreed = others.every((label) => label.startsWith(shortest!));
    if (agreed && shortest !== '') rows.push(`${list}\t${code}\t${shortest}`);
  }
}
rows.sort();
writeFileSync(TABLE, `${rows.join('\n')}\n`);
console.log(`${rows.length} codes of ${found.size} lists`);
for (const list of LISTS) if (!found.has(list)) console.log(`no package has ${list}`);
