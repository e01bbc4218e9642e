/** What accompanies the data in a package: metadata after JMP 2.0, schemas, the list of objects, a README. */
import type { Edition } from './edition.ts';
import type { IurVersion } from './gml.ts';
import { CREATED, MODULES } from './gml.ts';
import { latOf, lngOf } from './place.ts';

const TYPE_NAMES: Record<string, string> = {
  bldg: '建築物',
  tran: '道路',
  luse: '土地利用',
  fld: '洪水浸水想定区域',
  urf: '都市計画決定情報',
  dem: '地形',
  brid: '橋梁',
  frn: '都市設備',
  squr: '広場',
  ubld: '地下街',
  veg: '植生',
  wtr: '水部',
};

/** What papers say of an edition. */
export type PaperFacts = Pick<
  Edition,
  'cityCode' | 'cityName' | 'year' | 'spec' | 'iur' | 'citygml' | 'lod2'
>;

/** West, south, east, north: metres from the sample's origin. */
export type Bounds = readonly [west: number, south: number, east: number, north: number];

export const LICENCE = 'CC BY 4.0';

/** The metadata file, with the licence as the use limitation and the specification that the data conforms to. */
export function metadataXml(
  { cityCode, cityName, year, spec, iur }: PaperFacts,
  types: string[],
  [west, south, east, north]: Bounds,
): string {
  const date = `<date>
          <date>${CREATED[iur]}</date>
          <dateType>001</dateType>
        </date>`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<MD_Metadata xmlns="http://zgate.gsi.go.jp/ch/jmp/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" \
xsi:schemaLocation="http://zgate.gsi.go.jp/ch/jmp/ http://zgate.gsi.go.jp/ch/jmp/JMP20.xsd">
  <identificationInfo>
    <MD_DataIdentification>
      <citation>
        <title>3D都市モデル_${cityCode}_${year}</title>
        ${date}
      </citation>
      <abstract>${cityName}は実在しない市であり、本データはソフトウェアの試験と説明のために作られた架空の3D都市モデルです。</abstract>
      <purpose>配信サービスの動作の確認。</purpose>
      <status>001</status>
      <pointOfContact>
        <organisationName>${cityName}（架空）</organisationName>
        <role>010</role>
      </pointOfContact>
      <resourceConstraints>
        <MD_Constraints>
          <useLimitation>Licensed under ${LICENCE}</useLimitation>
        </MD_Constraints>
      </resourceConstraints>
      <descriptiveKeywords>
        <MD_Keywords>
          <keyword>${cityName}</keyword>
          <type>002</type>
        </MD_Keywords>
        <MD_Keywords>
${types.map((type) => `          <keyword>${TYPE_NAMES[type]}</keyword>\n`).join('')}          <type>005</type>
        </MD_Keywords>
      </descriptiveKeywords>
      <spatialRepresentationType>001</spatialRepresentationType>
      <language>
        <isoCode>jpn</isoCode>
      </language>
      <characterSet>004</characterSet>
      <topicCategory>013</topicCategory>
      <extent>
        <geographicElement>
          <EX_GeographicBoundingBox>
            <extentTypeCode>1</extentTypeCode>
            <extentReferenceSystem>
              <code>JGD2011 / (B,L)</code>
            </extentReferenceSystem>
            <westBoundLongitude>${lngOf(west).toFixed(5)}</westBoundLongitude>
            <eastBoundLongitude>${lngOf(east).toFixed(5)}</eastBoundLongitude>
            <southBoundLatitude>${latOf(south).toFixed(5)}</southBoundLatitude>
            <northBoundLatitude>${latOf(north).toFixed(5)}</northBoundLatitude>
          </EX_GeographicBoundingBox>
        </geographicElement>
      </extent>
    </MD_DataIdentification>
  </identificationInfo>
  <dataQualityInfo>
    <DQ_DataQuality>
      <scope>
        <level>009</level>
        <levelDescription>${types.map((type) => TYPE_NAMES[type]).join('、')}</levelDescription>
      </scope>
      <report>
        <DQ_Element>
          <evaluationMethodDescription>製品仕様書に従った適合性評価を行った。</evaluationMethodDescription>
          <typeOfQualityEvaluation>003</typeOfQualityEvaluation>
          <result>
            <DQ_ConformanceResult>
              <specification>
                <title>3D都市モデル標準製品仕様書 第${spec}版</title>
                ${date.replaceAll('\n', '\n        ')}
              </specification>
              <explanation>C01、L01</explanation>
              <pass>1</pass>
            </DQ_ConformanceResult>
          </result>
        </DQ_Element>
      </report>
    </DQ_DataQuality>
  </dataQualityInfo>
  <referenceSystemInfo>
    <MD_CRS>
      <referenceSystemIdentifier>
        <code>JGD2011, TP / (B, L), H</code>
      </referenceSystemIdentifier>
    </MD_CRS>
  </referenceSystemInfo>
  <fileIdentifier>udx_${cityCode}_${year}_op</fileIdentifier>
  <language>
    <isoCode>jpn</isoCode>
  </language>
  <characterSet>004</characterSet>
  <contact>
    <organisationName>${cityName}（架空）</organisationName>
    <role>010</role>
  </contact>
  <dateStamp>${CREATED[iur]}</dateStamp>
  <metadataStandardName>JMP</metadataStandardName>
  <metadataStandardVersion>2.0</metadataStandardVersion>
</MD_Metadata>
`;
}

/** Extension properties by the abstract class that they extend, as far as the sample uses them. */
const HOOKS: Record<IurVersion, Record<string, string[]>> = {
  '2.0': {
    'bldg:_GenericApplicationPropertyOfAbstractBuilding': [
      'buildingDataQualityAttribute',
      'buildingDetailAttribute',
      'buildingDisasterRiskAttribute',
      'buildingIDAttribute',
      'keyValuePairAttribute',
    ],
    'tran:_GenericApplicationPropertyOfRoad': ['roadDataQualityAttribute', 'roadStructureAttribute'],
  },
  '3.1': {
    'bldg:_GenericApplicationPropertyOfAbstractBuilding': [
      'bldgDataQualityAttribute',
      'bldgDisasterRiskAttribute',
      'bldgKeyValuePairAttribute',
      'buildingDetailAttribute',
      'buildingIDAttribute',
    ],
    'luse:_GenericApplicationPropertyOfLandUse': ['luseDataQualityAttribute', 'landUseDetailAttribute'],
    'tran:_GenericApplicationPropertyOfRoad': ['roadStructureAttribute'],
    'tran:_GenericApplicationPropertyOfTransportationComplex': ['tranDataQualityAttribute'],
    'wtr:_GenericApplicationPropertyOfWaterBody': ['floodingRiskAttribute'],
  },
};

/**
 * A schema in the namespace of i-UR that declares what the sample uses of it, with open content.
 *
 * @param features declarations of feature types beside it
 */
export function schemaXml(part: 'uro' | 'urf', iur: IurVersion, features = ''): string {
  const hooks = part === 'uro' ? HOOKS[iur] : { 'core:_CityObject': ['UseDistrict'] };
  const used = [...new Set(Object.keys(hooks).map((hook) => hook.slice(0, hook.indexOf(':'))))];
  const modules = MODULES.filter(([prefix]) => used.includes(prefix));
  const elements = Object.entries(hooks).flatMap(([hook, names]) =>
    names.map((name) =>
      part === 'uro'
        ? `	<xs:element name="${name}" type="xs:anyType" substitutionGroup="${hook}"/>\n`
        : `	<xs:element name="${name}" substitutionGroup="${hook}">
		<xs:complexType>
			<xs:complexContent>
				<xs:extension base="core:AbstractCityObjectType">
					<xs:sequence>
						<xs:any namespace="##targetNamespace" processContents="lax" minOccurs="0" maxOccurs="unbounded"/>
					</xs:sequence>
				</xs:extension>
			</xs:complexContent>
		</xs:complexType>
	</xs:element>\n`,
    ),
  );
  const namespaces = modules.map(
    ([prefix, name]) => ` xmlns:${prefix}="http://www.opengis.net/citygml/${name}/2.0"`,
  );
  const imports = modules.map(
    ([, name, file]) =>
      `	<xs:import namespace="http://www.opengis.net/citygml/${name}` +
      `/2.0" schemaLocation="http://schemas.opengis.net/citygml/${name}/2.0/${file}.xsd"/>\n`,
  );
  const core =
    part === 'urf'
      ? '	<xs:import namespace="http://www.opengis.net/citygml/2.0" schemaLocation="http://schemas.opengis.net' +
        '/citygml/2.0/cityGMLBase.xsd"/>\n'
      : '';
  return `<?xml version="1.0" encoding="UTF-8"?>
<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns="https://www.geospatial.jp/iur/${part}/${iur}\
" xmlns:core="http://www.opengis.net/citygml/2.0"${namespaces.join('')} targetNamespace="https://www.geospatial.jp\
/iur/${part}/${iur}" elementFormDefault="qualified" version="${iur}">
	<xs:annotation>
		<xs:documentation>The elements that the sample data uses; the full schema is published with i-UR ${iur}\
.</xs:documentation>
	</xs:annotation>
${core}${imports.join('')}${elements.join('')}${features}</xs:schema>
`;
}

/** The list of objects, as text. */
export function specificationText(edition: PaperFacts, types: string[]): string {
  const lines = types.map(
    (type) => `${type}\t${TYPE_NAMES[type]}\t${type === 'bldg' && edition.lod2 ? 'LOD0-2' : 'LOD1'}`,
  );
  return `${edition.cityName} ${edition.year}年度 取得項目一覧\n3D都市モデル標準製品仕様書 第${edition.spec}版に準拠\n\n${lines.join('\n')}\n`;
}

export function readmeText(edition: PaperFacts, types: string[]): string {
  return `# ${edition.cityName}（${edition.cityCode}）3D都市モデル ${edition.year}年度

架空の市の見本データです。実在の自治体・建物・住所とは関係ありません。

- 形式: ${edition.citygml === 3 ? 'CityGML 3.0 + i-UR 4.0' : `CityGML 2.0 + i-UR ${edition.iur}`}（EPSG:6697）
- 製品仕様: 3D都市モデル標準製品仕様書 第${edition.spec}版
- 地物: ${types.map((type) => `${TYPE_NAMES[type]} (${type})`).join('、')}
- ライセンス: ${LICENCE}
`;
}
