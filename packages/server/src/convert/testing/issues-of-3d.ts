/** Bad data for each issue of a conversion to 3D Tiles: what the issue says, and which features remain. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import {
  box,
  building,
  FIXTURE_PATH,
  polygon,
  position,
  RELIEF_PATH,
  type Ring,
  relief,
  solid,
} from '@citymodel/tiles/testing';

/** The library for images is optional. */
export const withSharp = existsSync(join(import.meta.dirname, '../../../../../node_modules/sharp'));

/** One kind of issue: its code, the first feature that has it, how often, and words of its remedy. */
export type Expected = [code: string, id: string | null, count: number, remedy: RegExp];

/** A building without any fault. */
export const good = building('good', solid(1, box([0, 0, 0], [10, 10, 10])));

const withPolygon = (id: string, ...rings: Ring[]) =>
  building(id, solid(1, [...box([50, 0, 0], [10, 10, 10]), polygon(rings)]));

const square: Ring = [
  [0, 0, 0],
  [5, 0, 0],
  [5, 5, 0],
  [0, 5, 0],
];

/** A building of which all polygons, or the first one, are in a system of their own. */
const inSystem = (id: string, srs: string, which: 'all' | 'one') => {
  const text = solid(1, box([50, 0, 0], [10, 10, 10]));
  const named =
    which === 'all'
      ? text.replace('<gml:Solid', `$& srsName="${srs}"`)
      : text.replace('<gml:Polygon', `$& srsName="${srs}"`);
  return building(id, named);
};

/** A building whose positions have longitude first. */
const turnedBuilding = (id: string) =>
  building(id, solid(1, box([50, 0, 0], [10, 10, 10]))).replaceAll(/(35\.\d+) (139\.\d+)/g, '$2 $1');

const texture = (image: string, uvs: string) =>
  `<app:appearanceMember><app:Appearance><app:surfaceDataMember><app:ParameterizedTexture><app:imageURI>${image}` +
  `</app:imageURI><app:target uri="#a-p5"><app:TexCoordList><app:textureCoordinates ring="#a-p5-r0">${uvs}` +
  `</app:textureCoordinates></app:TexCoordList></app:target></app:ParameterizedTexture></app:surfaceDataMember>` +
  `</app:Appearance></app:appearanceMember>`;

export const textured = (image: string, uvs = '0 0 1 0 1 1 0 1 0 0') => [
  building('a', solid(2, box([0, 0, 0], [10, 10, 10], 'a'))),
  texture(image, uvs),
];

export const ground = (image: string) =>
  `<app:appearanceMember><app:GeoreferencedTexture><app:imageURI>${image}</app:imageURI>` +
  `<app:target>#a-p5</app:target></app:GeoreferencedTexture></app:appearanceMember>`;

/** A PNG of one pixel, and a file that puts it half onto the house. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** The same with another width and height; the checksum of its header follows from them. */
const LARGE_IMAGE = Buffer.from(PIXEL);

LARGE_IMAGE.writeUInt32BE(20_000, 16);

LARGE_IMAGE.writeUInt32BE(20_000, 20);

LARGE_IMAGE.writeUInt32BE(crc32(LARGE_IMAGE.subarray(12, 29)), 29);

const WORLD_FILE = Buffer.from(['1e-4', 0, 0, '-1e-4', 139.77, 35.68].join('\n'));

/** A building of templates at LOD 2. */
const implicit = (id: string, ...templates: string[]) =>
  building(
    id,
    templates
      .map(
        (template) =>
          `<bldg:lod2ImplicitRepresentation><core:ImplicitGeometry>${template}<core:referencePoint><gml:Point>` +
          `<gml:pos>${position([0, 0, 0])}</gml:pos></gml:Point></core:referencePoint></core:ImplicitGeometry>` +
          `</bldg:lod2ImplicitRepresentation>`,
      )
      .join(''),
  );

/** A building of more than 16 MB. */
const large = ({ members = '', attributes = '', more = [] as string[] }) =>
  building(
    'large',
    solid(1, [`<gml:surfaceMember>${members}</gml:surfaceMember>`, ...box([0, 0, 0], [10, 10, 10]), ...more]),
    attributes,
  );

const padding = `<gml:description>${'x'.repeat(1_000)}</gml:description>`.repeat(17_000);

interface Case {
  members: string[];
  srs?: string | null;
  path?: string;
  files?: Record<string, Uint8Array>;
  issues: Expected[];
  /** Features of the tiles of LOD 1, else of LOD 2. */
  ids: string[];
}

export const CASES_3D: Record<string, Case> = {
  'rings of less than three positions': {
    members: [good, withPolygon('a', square.slice(0, 2)), withPolygon('b', square.slice(0, 1))],
    issues: [['POLYGON_BROKEN', 'a', 2, /left out/]],
    ids: ['a', 'b', 'good'],
  },
  'a corner at a height that nothing has': {
    members: [
      good,
      withPolygon('a', [...square.slice(0, 3), [0, 5, 12_001]]),
      withPolygon('b', [...square.slice(0, 3), [0, 5, -1e20]]),
    ],
    issues: [['HEIGHT_IMPLAUSIBLE', 'a', 2, /Correct/]],
    ids: ['a', 'b', 'good'],
  },
  'a polygon of more positions than are cut into triangles': {
    members: [
      good,
      withPolygon(
        'a',
        Array.from({ length: 10_001 }, (_, i) => {
          const angle = (2 * Math.PI * i) / 10_001;
          return [50 * Math.cos(angle), 50 * Math.sin(angle), 0] as const;
        }),
      ),
    ],
    issues: [['POLYGON_TOO_LARGE', 'a', 1, /Divide/]],
    ids: ['a', 'good'],
  },
  'a corner, and a building, far outside of the mesh of the file': {
    members: [
      good,
      withPolygon('a', [...square.slice(0, 3), [0, 20_000, 0]]),
      building('b', solid(1, box([20_000, 0, 0], [10, 10, 10]))),
    ],
    issues: [['GEOMETRY_FAR_OFF', 'a', 7, /Correct/]],
    ids: ['a', 'good'],
  },
  'terrain as points': {
    members: [
      relief('a', 1, [
        '<dem:reliefComponent><dem:MassPointRelief><dem:lod>1</dem:lod></dem:MassPointRelief></dem:reliefComponent>',
      ]),
    ],
    path: RELIEF_PATH,
    issues: [['RELIEF_UNCONVERTED', 'a', 1, /dem:TINRelief/]],
    ids: [],
  },
  'a feature that is too wide, in a file without a mesh': {
    members: [good, withPolygon('a', [...square.slice(0, 3), [0, 51_000, 0]])],
    path: 'udx/bldg/city.gml',
    issues: [['FEATURE_TOO_WIDE', 'a', 1, /Correct/]],
    ids: ['good'],
  },
  'corners of a feature of more than 16 MB': {
    members: [
      good,
      large({
        members: padding,
        more: [
          polygon([[...square.slice(0, 3), [0, 5, 12_001]]]),
          polygon([[...square.slice(0, 3), [0, 20_000, 0]]]),
        ],
      }),
    ],
    issues: [
      ['HEIGHT_IMPLAUSIBLE', `${FIXTURE_PATH}#1`, 1, /Correct/],
      ['GEOMETRY_FAR_OFF', `${FIXTURE_PATH}#1`, 1, /Correct/],
      ['FEATURE_LARGE', 'large', 1, /in pieces/],
    ],
    ids: ['good', 'large'],
  },
  'a feature of more than 16 MB that is too wide': {
    members: [good, large({ members: padding, more: box([0, 51_000, 0], [10, 10, 10]) })],
    path: 'udx/bldg/city.gml',
    issues: [
      ['FEATURE_LARGE', 'large', 1, /in pieces/],
      ['FEATURE_TOO_WIDE', 'large', 1, /divide/],
    ],
    ids: ['good'],
  },
  'a polygon without an area': {
    members: [good, withPolygon('a', [...square.slice(0, 2), [2, 0, 0]])],
    issues: [['POLYGON_TINY', 'a', 1, /left out/]],
    ids: ['a', 'good'],
  },
  'a bent polygon': {
    members: [
      good,
      withPolygon(
        'a',
        square.map(([x, y], i) => [x, y, i % 2] as const),
      ),
    ],
    issues: [['POLYGON_BENT', 'a', 1, /cut into triangles/]],
    ids: ['a', 'good'],
  },
  'a hole that is the polygon': {
    members: [good, withPolygon('a', square, square)],
    issues: [['POLYGON_CROSSED', 'a', 1, /left out/]],
    ids: ['a', 'good'],
  },
  'a polygon that crosses itself': {
    members: [good, withPolygon('a', [square[0]!, square[2]!, square[1]!, square[3]!])],
    issues: [['POLYGON_CROSSED', 'a', 1, /left out/]],
    ids: ['a', 'good'],
  },
  'an unknown coordinate reference system': {
    members: [good, good],
    srs: 'EPSG:999999',
    issues: [['CRS_UNKNOWN', 'good', 2, /Transform/]],
    ids: [],
  },
  'no coordinate reference system': {
    members: [good, inSystem('a', 'EPSG:6697', 'all')],
    srs: null,
    issues: [['CRS_UNKNOWN', 'good', 1, /Transform/]],
    ids: ['a'],
  },
  'longitude first': {
    members: [good, turnedBuilding('a')],
    issues: [['AXES_TURNED', 'a', 1, /read so/]],
    ids: ['a', 'good'],
  },
  'a coordinate reference system of geometry that is not known': {
    members: [good, inSystem('a', 'EPSG:999999', 'all'), inSystem('b', 'EPSG:999999', 'one')],
    issues: [['CRS_UNKNOWN', 'a', 2, /Transform/]],
    ids: ['b', 'good'],
  },
  'heights of geometry that cannot be brought to the ellipsoid': {
    members: [good, inSystem('a', 'EPSG:6668+9999', 'all'), inSystem('b', 'EPSG:6668+9999', 'one')],
    issues: [['VERTICAL_SYSTEM_REFUSED', 'a', 2, /left out/]],
    ids: ['good'],
  },
  'elevations and heights above the ellipsoid in one feature': {
    members: [good, inSystem('a', 'EPSG:4979', 'one')],
    issues: [['HEIGHTS_MIXED', 'a', 1, /one coordinate reference system/]],
    ids: ['good'],
  },
  'one id for three features': {
    members: [good, good, good],
    issues: [['ID_TWICE', 'good', 2, /#2, #3/]],
    ids: ['good', 'good#2', 'good#3'],
  },
  'no id': {
    members: [good, building(null, solid(1, box([0, 0, 0], [10, 10, 10])))],
    issues: [['ID_MISSING', `${FIXTURE_PATH}#1`, 1, /Give/]],
    ids: ['good', `${FIXTURE_PATH}#1`],
  },
  'references that lead nowhere': {
    members: [
      good,
      building(
        'a',
        solid(1, [
          ...box([50, 0, 0], [10, 10, 10]),
          '<gml:surfaceMember xlink:href="#none"/><gml:surfaceMember xlink:href="../tran/none.gml#p"/>',
        ]),
      ),
    ],
    issues: [
      ['REFERENCE_UNRESOLVED', 'a', 1, /correct/],
      ['REFERENCE_UNRESOLVED', 'a', 1, /correct/],
    ],
    ids: ['a', 'good'],
  },
  'a template in a file of its own': {
    members: [good, implicit('a', '<core:libraryObject>tree.wrl</core:libraryObject>')],
    issues: [['TEMPLATE_UNREAD', 'a', 1, /relativeGMLGeometry/]],
    ids: ['good'],
  },
  'an implicit geometry without a template, or with a matrix of too few numbers': {
    members: [
      good,
      implicit('a', ''),
      implicit(
        'b',
        `<core:transformationMatrix>1 0 0</core:transformationMatrix><core:relativeGMLGeometry><gml:MultiSurface>` +
          `${polygon([square])}</gml:MultiSurface></core:relativeGMLGeometry>`,
      ),
    ],
    issues: [['TEMPLATE_UNPLACED', 'a', 2, /matrix/]],
    ids: ['good'],
  },
  'a template of more positions than are read': {
    members: [
      good,
      implicit(
        'a',
        `<core:relativeGMLGeometry><gml:MultiSurface><gml:surfaceMember><gml:Polygon><gml:exterior><gml:LinearRing>` +
          `<gml:posList>${Array.from({ length: 500_001 }, (_, i) => `${i} 0 1`).join(' ')}</gml:posList>` +
          `</gml:LinearRing></gml:exterior></gml:Polygon></gml:surfaceMember></gml:MultiSurface>` +
          `</core:relativeGMLGeometry>`,
      ),
    ],
    issues: [['REFERENCES_TOO_MANY', 'a', 1, /Divide/]],
    ids: ['good'],
  },
  'positions without heights': {
    members: [
      good,
      building(
        'flat',
        '<bldg:lod1MultiSurface><gml:MultiSurface srsName="EPSG:6668" srsDimension="2"><gml:surfaceMember>' +
          '<gml:Polygon><gml:exterior><gml:LinearRing><gml:posList>35.68 139.77 35.69 139.77 35.69 139.78 35.68 ' +
          '139.77</gml:posList></gml:LinearRing></gml:exterior></gml:Polygon></gml:surfaceMember>' +
          '</gml:MultiSurface></bldg:lod1MultiSurface>',
      ),
    ],
    issues: [['FLAT_DATA', 'flat', 1, /vector tiles/]],
    ids: ['good'],
  },
  'a building of another city': {
    members: [
      good,
      building(
        'far',
        solid(1, box([0, 0, 0], [10, 10, 10])),
        '<uro:buildingIDAttribute><uro:BuildingIDAttribute><uro:city>14130</uro:city></uro:BuildingIDAttribute>' +
          '</uro:buildingIDAttribute>',
      ),
    ],
    issues: [['CITY_OUTSIDE', 'far', 1, /own municipality/]],
    ids: ['good'],
  },
  'a feature that is not well formed': {
    members: [
      '<core:cityObjectMember><bldg:Building gml:id="a"></gml:name></bldg:Building></core:cityObjectMember>',
      good,
    ],
    issues: [['FEATURE_MALFORMED', null, 1, /left out/]],
    ids: ['good'],
  },
  'a file that ends early': {
    members: [good, '<core:cityObjectMember>'],
    issues: [['GML_BREAKS_OFF', null, 1, /before is converted/]],
    ids: ['good'],
  },
  'a feature of more than 16 MB': {
    members: [good, large({ members: padding })],
    issues: [['FEATURE_LARGE', 'large', 1, /in pieces/]],
    ids: ['good', 'large'],
  },
  'attributes of more than 16 MB': {
    members: [good, large({ attributes: padding })],
    issues: [['FEATURE_TOO_LARGE', `${FIXTURE_PATH}#1`, 1, /Split/]],
    ids: ['good'],
  },
  ...(withSharp && {
    'an image that is not there': {
      members: textured('none.png'),
      issues: [['IMAGE_MISSING', null, 1, /no texture/]],
      ids: ['a'],
    },
    'a picture of the ground without its place': {
      members: [...textured('none.png').slice(0, 1), ground('ground.png')],
      files: { 'udx/bldg/ground.png': PIXEL },
      issues: [
        ['TEXTURE_UNPLACED', null, 1, /world file/],
        ['IMAGE_UNUSED', null, 1, /no tile/],
      ],
      ids: ['a'],
    },
    'a picture of the ground of half a roof': {
      members: [...textured('none.png').slice(0, 1), ground('ground.png')],
      files: { 'udx/bldg/ground.png': PIXEL, 'udx/bldg/ground.pgw': WORLD_FILE },
      issues: [
        ['TEXTURE_OUTSIDE', 'a', 1, /no texture/],
        ['IMAGE_UNUSED', null, 1, /no tile/],
      ],
      ids: ['a'],
    },
    'an image that is none': {
      members: textured('bad.png'),
      files: { 'udx/bldg/bad.png': Buffer.from('no image') },
      issues: [['IMAGE_FORMAT_UNKNOWN', null, 1, /formats/]],
      ids: ['a'],
    },
    'an image that ends early': {
      members: textured('bad.png'),
      files: { 'udx/bldg/bad.png': PIXEL.subarray(0, 20) },
      issues: [['IMAGE_MISSING', null, 1, /no texture/]],
      ids: ['a'],
    },
    'an image of 20,000 by 20,000 pixels': {
      members: textured('bad.png'),
      files: { 'udx/bldg/bad.png': LARGE_IMAGE },
      issues: [['IMAGE_TOO_LARGE', null, 1, /smaller/]],
      ids: ['a'],
    },
    'fewer texture coordinates than positions': {
      members: textured('none.png', '0 0 1 0'),
      issues: [
        ['TEXTURE_MISFITS', 'a', 1, /no texture/],
        ['IMAGE_UNUSED', null, 1, /no tile/],
      ],
      ids: ['a'],
    },
    'an image for a surface without texture coordinates': {
      members: [
        ...textured('none.png').slice(0, 1),
        '<app:appearanceMember><app:Appearance><app:surfaceData><app:ParameterizedTexture>' +
          '<app:imageURI>none.png</app:imageURI><app:textureParameterization><app:TextureAssociation>' +
          '<app:target>#a-p5</app:target></app:TextureAssociation></app:textureParameterization>' +
          '</app:ParameterizedTexture></app:surfaceData></app:Appearance></app:appearanceMember>',
      ],
      issues: [['APPEARANCE_UNREAD', null, 1, /no texture/]],
      ids: ['a'],
    },
  }),
};
