/**
 * Derives `src/citygml/schema/property-table.tsv` from the facts of the CityGML 2.0 and i-UR 3 schemas in
 * `../shared/data/schema` and from the differences of other versions that are listed below. The table is what
 * the program reads; it is committed, and this script only has to run again when the facts change.
 */
import { readFileSync, writeFileSync } from 'node:fs';

interface Fact {
  name: string;
  type: string;
  maxOccurs: string;
  flag?: 'geometry' | 'feature';
  children?: string[];
}

const FACTS = new URL('../../shared/data/schema/citygml2-iur3-properties.json', import.meta.url);
const TABLE = new URL('../src/citygml/schema/property-table.tsv', import.meta.url);

const facts = JSON.parse(readFileSync(FACTS, 'utf8')) as {
  features: Record<string, Fact[]>;
  complexTypes: Record<string, Fact[]>;
};

const KIND_OF_TYPE: Record<string, string> = {
  'gml:CodeType': 'code',
  'gml:MeasureType': 'measure',
  'gml:LengthType': 'measure',
  'gml:MeasureOrNullListType': 'numbers',
  'gml:doubleList': 'numbers',
  'gml:DirectPositionType': 'numbers',
  'xs:anyURI': 'uri',
  'xs:boolean': 'boolean',
  'xs:date': 'date',
  'xs:double': 'number',
  'xs:gYear': 'year',
  'xs:gYearMonth': 'date',
  'xs:integer': 'integer',
  'xs:nonNegativeInteger': 'integer',
  'core:integerBetween0and4': 'integer',
  'core:AddressPropertyType': 'address',
};
const GEOMETRY_TYPE =
  /^gml:(?:Multi)?(?:Point|Curve|Surface|Solid|Polygon|Geometry|GeometricComplex|GeometricPrimitive)PropertyType$/;

function kindOf(fact: Fact): string {
  const plain = KIND_OF_TYPE[fact.type];
  if (plain !== undefined) return plain;
  if (fact.flag === 'geometry' || GEOMETRY_TYPE.test(fact.type)) return 'geometry';
  if (fact.flag === 'feature') return 'child';
  const children = fact.children ?? [];
  if (children.length > 0) {
    return children.every((name) => name in facts.features || /:_/.test(name)) ? 'child' : 'object';
  }
  return /PropertyType$/.test(fact.type) ? 'object' : 'string';
}

/**
 * What the facts leave out: GML's own properties; elements of i-UR 1.4 and 1.5 (one object for all details of a
 * building), of 2.0, of 3.1 and 3.2 (one quality attribute for all features, with its values per LOD); and the
 * construction module of CityGML 3.0. Application properties of a feature always repeat (a substitution group
 * with an unbounded reference), so those missing here are still understood: see `property-table.ts`.
 */
const OTHER_VERSIONS = `
gml:name string
gml:description string
gml:identifier string
gml:location geometry
gml:boundedBy geometry
gml:metaDataProperty geometry
app:appearance geometry
core:creationDate date
core:terminationDate date
core:validFrom date
core:validTo date
core:relativeToTerrain string
core:relativeToWater string
core:externalReference object*
core:generalizesTo child*
core:informationSystem uri
core:externalObject object
core:name string
core:uri uri
core:appearance geometry*
core:boundary child*
core:genericAttribute object*
core:adeOfAbstractCityObject object*
core:adeOfAbstractFeature object*
core:adeOfAbstractOccupiedSpace object*
core:adeOfAbstractSpace object*
core:adeOfAbstractPhysicalSpace object*
core:relatedTo object*
core:occupancy object*
core:area object*
core:volume object*
core:dynamizer child*
core:featureID string
core:spaceType string
core:pointCloud geometry
con:adeOfAbstractConstruction object*
con:conditionOfConstruction string
con:constructionEvent object*
con:dateOfConstruction date
con:dateOfDemolition date
con:dateOfEvent date
con:event code
con:description string
con:elevation object*
con:elevationReference code
con:elevationValue numbers
con:filling child*
con:fillingSurface child*
con:height object*
con:highReference code
con:lowReference code
con:occupancy object*
con:status string
con:value measure
con:class code
con:function code*
con:usage code*
bldg:adeOfAbstractBuilding object*
bldg:adeOfBuilding object*
bldg:adeOfBuildingPart object*
bldg:buildingConstructiveElement child*
bldg:buildingFurniture child*
bldg:buildingInstallation child*
bldg:buildingPart child*
bldg:buildingRoom child*
bldg:buildingSubdivision child*
uro:buildingDetails object*
uro:extendedAttribute object*
uro:largeCustomerFacilities object*
uro:landUseDetails object*
uro:fiscalYearOfPublication year*
uro:language code*
uro:bldgDataQualityAttribute object*
uro:bldgDisasterRiskAttribute object*
uro:bridDataQualityAttribute object*
uro:consDataQualityAttribute object*
uro:demDataQualityAttribute object*
uro:frnDataQualityAttribute object*
uro:genDataQualityAttribute object*
uro:luseDataQualityAttribute object*
uro:roadDataQualityAttribute object*
uro:tranDataQualityAttribute object*
uro:tunDataQualityAttribute object*
uro:vegDataQualityAttribute object*
uro:wtrDataQualityAttribute object*
urf:dataQualityAttribute object*
urf:keyValuePairAttribute object*
${['bldg', 'brid', 'cons', 'dem', 'frn', 'gen', 'luse', 'tran', 'tun', 'veg', 'wtr']
  .map((module) => `uro:${module}KeyValuePairAttribute object*`)
  .join('\n')}
uro:bldgUsecaseAttribute object*
uro:tranUsecaseAttribute object*
uro:isTemporal code
uro:floorHeight measure
uro:isGroundFloorOpen boolean
uro:minWidth measure
uro:maxWidth measure
${[0, 1, 2, 3, 4]
  .map(
    (lod) => `uro:geometrySrcDescLod${lod} code*
uro:appearanceSrcDescLod${lod} code*
uro:publicSurveySrcDescLod${lod} code*
uro:srcScaleLod${lod} code`,
  )
  .join('\n')}
uro:publicSurveyDataQualityAttribute object
uro:tranDataAcquisition string
uro:lodType@uro:DataQualityAttribute code*
uro:thematicSrcDesc@uro:DataQualityAttribute code*
uro:geometrySrcDesc@uro:DataQualityAttribute code*
urf:dateOfDesignationForTemporaryReplotting date
urf:mainPurpose code
urf:numberOfHouseholdsByOwnership object*
urf:numberOfHouseholdsByStruture object*
urf:numberOfMainHouseholds integer
urf:numberOfOrdinaryHouseholds integer
urf:routeName string
urf:sectionName string
urf:strucuturePlacementRestrictions string
`;

/** property → owner → kind, with an asterisk when it repeats. */
const properties = new Map<string, Map<string, string>>();
for (const owners of [facts.features, facts.complexTypes]) {
  for (const [owner, list] of Object.entries(owners)) {
    for (const fact of list) {
      const byOwner = properties.get(fact.name) ?? new Map<string, string>();
      byOwner.set(owner, kindOf(fact) + (fact.maxOccurs === '1' ? '' : '*'));
      properties.set(fact.name, byOwner);
    }
  }
}
const added = new Map<string, string>();
for (const line of OTHER_VERSIONS.trim().split('\n')) {
  const [key, kind] = line.split(' ') as [string, string];
  const [name, owner] = key.split('@') as [string, string?];
  if (owner === undefined && !properties.has(name)) added.set(name, kind);
  if (owner !== undefined) properties.set(name, (properties.get(name) ?? new Map()).set(owner, kind));
}

function line(name: string, byOwner: Map<string, string>): string {
  const counts = Map.groupBy(byOwner, ([, kind]) => kind);
  const usual = [...counts].sort((a, b) => b[1].length - a[1].length || (a[0] < b[0] ? -1 : 1))[0]![0];
  const others = [...byOwner].filter(([, kind]) => kind !== usual).sort(([a], [b]) => (a < b ? -1 : 1));
  return [name, usual, ...others.map(([owner, kind]) => `${owner}=${kind}`)].join('\t');
}

/** Feature types of i-UR 2.0 that 3.0 has no more. */
const OTHER_FEATURES = ['urf:Boundary'];

const rows = [
  ...[...Object.keys(facts.features), ...OTHER_FEATURES].map((name) => `${name}\tfeature`),
  ...[...properties].map(([name, byOwner]) => line(name, byOwner)),
  ...[...added].map(([name, kind]) => `${name}\t${kind}`),
].sort();
writeFileSync(TABLE, `${rows.join('\n')}\n`);
console.log(`${rows.length} rows, ${properties.size + added.size} properties`);
