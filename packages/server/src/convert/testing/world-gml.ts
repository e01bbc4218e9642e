/**
 * Invented buildings as German and Dutch surveying administrations deliver them: CityGML 1.0 and 2.0 without
 * extensions.
 */

export interface World {
  /** Version in namespaces: `1.0` or `2.0`. */
  version: string;
  srsName: string;
  /** Easting and northing of the south-west corner, metres; height of the ground. */
  corner: readonly [number, number, number];
  /** Written with every LinearRing where the envelope does not say it. */
  srsDimension?: number;
  /** What names the system: the envelope of the file, that of each feature, or its geometries. */
  namedBy?: 'file' | 'feature' | 'geometry';
  /** A hole of 2 by 2 metres in the ground, and a closed room of 2 by 2 by 2 metres that is a hole of the solid. */
  hasHoles?: boolean;
  /** An image whose right half lies on the southern roof, by its path from the file. */
  image?: string;
}

/** North Rhine-Westphalia, LOD 2: CityGML 1.0 in UTM with DHHN2016 heights, named by the URN of the surveyors. */
export const GERMAN: World = {
  version: '1.0',
  srsName: 'urn:adv:crs:ETRS89_UTM32*DE_DHHN2016_NH',
  corner: [356_500, 5_645_300, 51],
};

/** The Netherlands, LOD 2: CityGML 2.0 in RD New with NAP heights. */
export const DUTCH: World = {
  version: '2.0',
  srsName: 'EPSG:7415',
  corner: [155_000, 463_000, 3],
  srsDimension: 3,
};

/** Generic attributes that CityGML 1.0 has. */
const GENERICS_1 = [
  ['string', 'Grundrissaktualitaet', '2019-05-02'],
  ['string', 'Gemeindeschluessel', '05315000'],
  ['int', 'AnzahlDachflaechen', '2'],
  ['double', 'Dachneigung', '36.87'],
  ['date', 'Abruf', '2020-01-31'],
  ['uri', 'Quelle', 'https://example.org/alkis?id=1&amp;v=2'],
]
  .map(
    ([type, name, value]) =>
      `<gen:${type}Attribute name="${name}"><gen:value>${value}</gen:value></gen:${type}Attribute>`,
  )
  .join('\n');

/** Those that came with 2.0. */
const GENERICS_2 = `
<gen:measureAttribute name="h_dak_max"><gen:value uom="m">8.99</gen:value></gen:measureAttribute>
<gen:genericAttributeSet name="dak"><gen:stringAttribute name="type"><gen:value>slanted</gen:value>\
</gen:stringAttribute></gen:genericAttributeSet>`;

/**
 * A house of 10 by 8 metres with a gabled roof, 6 m to the eaves and 9 m to the ridge, as a solid of boundary surfaces.
 */
export function worldGml({
  version,
  srsName,
  corner: [east, north, ground],
  srsDimension,
  namedBy = 'file',
  hasHoles = false,
  image,
}: World): string {
  const at = (x: number, y: number, z: number) => `${east + x} ${north + y} ${ground + z}`;
  const surfaces: Array<[string, string[]]> = [
    ['GroundSurface', [at(0, 0, 0), at(0, 8, 0), at(10, 8, 0), at(10, 0, 0)]],
    ['WallSurface', [at(0, 0, 0), at(10, 0, 0), at(10, 0, 6), at(0, 0, 6)]],
    ['WallSurface', [at(10, 8, 0), at(0, 8, 0), at(0, 8, 6), at(10, 8, 6)]],
    ['WallSurface', [at(10, 0, 0), at(10, 8, 0), at(10, 8, 6), at(10, 4, 9), at(10, 0, 6)]],
    ['WallSurface', [at(0, 8, 0), at(0, 0, 0), at(0, 0, 6), at(0, 4, 9), at(0, 8, 6)]],
    ['RoofSurface', [at(0, 0, 6), at(10, 0, 6), at(10, 4, 9), at(0, 4, 9)]],
    ['RoofSurface', [at(10, 8, 6), at(0, 8, 6), at(0, 4, 9), at(10, 4, 9)]],
  ];
  const hole = [at(4, 3, 0), at(6, 3, 0), at(6, 5, 0), at(4, 5, 0)];
  const [low, high] = [2, 4].map((z) => [at(4, 3, z), at(6, 3, z), at(6, 5, z), at(4, 5, z)]) as [
    string[],
    string[],
  ];
  const room = [
    low,
    high.toReversed(),
    ...low.map((_, i) => [low[i]!, high[i]!, high[(i + 1) % 4]!, low[(i + 1) % 4]!]),
  ];
  const dimension = srsDimension === undefined ? '' : ` srsDimension="${srsDimension}"`;
  const system = ` srsName="${srsName}"${dimension}`;
  const [ofFile, ofFeature, ofGeometry] = (['file', 'feature', 'geometry'] as const).map((by) =>
    by === namedBy ? system : null,
  );
  const extent = (attributes: string) =>
    `<gml:boundedBy><gml:Envelope${attributes}><gml:lowerCorner>${at(0, 0, 0)}</gml:lowerCorner><gml:upperCorner>` +
    `${at(10, 8, 9)}</gml:upperCorner></gml:Envelope></gml:boundedBy>`;
  const boundary = (side: string, ring: readonly string[], id = '') =>
    `<gml:${side}><gml:LinearRing${id}><gml:posList${dimension}>${[...ring, ring[0]!].join(' ')}</gml:posList>` +
    `</gml:LinearRing></gml:${side}>`;
  const bounded = surfaces
    .map(
      ([name, ring], i) =>
        `<bldg:boundedBy><bldg:${name} gml:id="s${i}"><bldg:lod2MultiSurface><gml:MultiSurface${ofGeometry ?? ''}>` +
        `<gml:surfaceMember><gml:Polygon gml:id="p${i}">${boundary('exterior', ring, ` gml:id="r${i}"`)}` +
        `${hasHoles && i === 0 ? boundary('interior', hole) : ''}</gml:Polygon></gml:surfaceMember>` +
        `</gml:MultiSurface></bldg:lod2MultiSurface></bldg:${name}></bldg:boundedBy>`,
    )
    .join('\n');
  const members = surfaces.map((_, i) => `<gml:surfaceMember xlink:href="#p${i}"/>`).join('');
  const cavity = room
    .map(
      (ring) =>
        `<gml:surfaceMember><gml:Polygon>${boundary('exterior', ring)}</gml:Polygon></gml:surfaceMember>`,
    )
    .join('');
  const inside = hasHoles
    ? `<gml:interior><gml:CompositeSurface>${cavity}</gml:CompositeSurface></gml:interior>`
    : '';
  // It may stand in the feature, or in the file, there behind the features.
  const isOfFile = version === '1.0';
  const appearance =
    `<app:Appearance><app:theme>rgbTexture</app:theme><app:surfaceDataMember>` +
    `<app:ParameterizedTexture><app:imageURI>${image}</app:imageURI><app:target uri="#p5"><app:TexCoordList>` +
    `<app:textureCoordinates ring="#r5">0.5 0 1 0 1 1 0.5 1 0.5 0</app:textureCoordinates></app:TexCoordList>` +
    `</app:target></app:ParameterizedTexture></app:surfaceDataMember></app:Appearance>`;
  const appearanceIn = (element: string, isWanted: boolean) =>
    image !== undefined && isWanted ? `<app:${element}>${appearance}</app:${element}>` : '';
  return `<?xml version="1.0" encoding="UTF-8"?>
<CityModel xmlns="http://www.opengis.net/citygml/${version}" xmlns:app="http://www.opengis.net/citygml/appearance/\
${version}" xmlns:bldg="http://www.opengis.net/citygml/building/${version}\
" xmlns:gen="http://www.opengis.net/citygml/generics/${version}" xmlns:gml="http://www.opengis.net/gml" \
xmlns:xlink="http://www.w3.org/1999/xlink">
${ofFile == null ? '' : extent(ofFile)}
<cityObjectMember><bldg:Building gml:id="house">
${ofFeature == null ? '' : extent(ofFeature)}
<creationDate>2020-01-01</creationDate>
${GENERICS_1}${version === '1.0' ? '' : GENERICS_2}
${appearanceIn('appearance', !isOfFile)}
<bldg:function>31001_1000</bldg:function>
<bldg:measuredHeight uom="urn:adv:uom:m">9</bldg:measuredHeight>
<bldg:lod2Solid><gml:Solid${ofGeometry ?? ''}><gml:exterior><gml:CompositeSurface>${members}</gml:CompositeSurface>\
</gml:exterior>${inside}</gml:Solid></bldg:lod2Solid>
${bounded}
</bldg:Building></cityObjectMember>
${appearanceIn('appearanceMember', isOfFile)}
</CityModel>
`;
}
