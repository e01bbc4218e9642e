/** Bad data for each issue of a conversion: what the issue says, and that the rest goes on. */
import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { registerHooks } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { crc32 } from 'node:zlib';
import type { ConvertIssue, GmlSource } from '@citymodel/tiles';
import {
  box,
  building,
  checkPackage,
  convertGml,
  FIXTURE_PATH,
  finestFeatures,
  fixture,
  gmlSource,
  loadDraco,
  makeVectorTiles,
  polygon,
  position,
  type Ring,
  solid,
} from '@citymodel/tiles/testing';
import { convertZip } from './testing/convert-zip.ts';
import { gml, writePackage } from './testing/small-package.ts';
import { DUTCH, worldGml } from './testing/world-gml.ts';

const root = mkdtempSync(join(tmpdir(), 'citymodel-issues-'));
after(() => rmSync(root, { recursive: true, force: true }));

const withSharp = existsSync(join(import.meta.dirname, '../../../../node_modules/sharp'));
/** Codes that the cases below provoked. */
const provoked = new Set<string>();
const SEVERITIES = new Map(
  [
    ...readFileSync(join(import.meta.dirname, '../../../../docs/converting.md'), 'utf8').matchAll(
      /^\| `([A-Z_]+)` \| (error|warning|info) \|/gm,
    ),
  ].map(([, code, severity]) => [code!, severity!]),
);

/** One kind of issue: its code, the first feature that has it, how often, and words of its remedy. */
type Expected = [code: string, id: string | null, count: number, remedy: RegExp];

function check(issues: readonly ConvertIssue[], file: string, expected: readonly Expected[]): void {
  assert.deepEqual(
    issues.map((issue) => [issue.code, issue.file, issue.id, issue.count]),
    expected.map(([code, id, count]) => [code, file, id, count]),
  );
  for (const [i, { code, severity, message, remedy }] of issues.entries()) {
    assert.equal(severity, SEVERITIES.get(code), code);
    assert.match(message, /^[^%]+\.$/, code);
    assert.match(remedy, expected[i]![3], code);
    provoked.add(code);
  }
}

// 3D Tiles

const good = building('good', solid(1, box([0, 0, 0], [10, 10, 10])));
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
const textured = (image: string, uvs = '0 0 1 0 1 1 0 1 0 0') => [
  building('a', solid(2, box([0, 0, 0], [10, 10, 10], 'a'))),
  texture(image, uvs),
];
const ground = (image: string) =>
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

const CASES_3D: Record<string, Case> = {
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

// Before the library is loaded for the others.
test('3D Tiles: images where the library for them is not installed', async () => {
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      if (specifier === 'sharp') throw new Error('not installed');
      return next(specifier, context);
    },
  });
  try {
    const { packages, issues } = await convertGml([fixture(textured('none.png'))]);
    check(issues, FIXTURE_PATH, [['IMAGES_UNREADABLE', null, 1, /optional/]]);
    assert.deepEqual([...packages.keys()], ['bldg_3dtiles_lod2']);
  } finally {
    hooks.deregister();
  }
});

for (const [name, { members, srs, path, files, issues: expected, ids }] of Object.entries(CASES_3D)) {
  test(`3D Tiles: ${name}`, async () => {
    const options = {
      ...(srs !== undefined && { srs }),
      ...(path !== undefined && { path }),
      ...(files !== undefined && { files }),
    };
    const { packages, issues } = await convertGml([fixture(members, options)]);
    check(issues, path ?? FIXTURE_PATH, expected);
    const tiles = packages.get('bldg_3dtiles_lod1') ?? packages.get('bldg_3dtiles_lod2');
    const found =
      tiles === undefined ? [] : finestFeatures(await checkPackage(tiles)).map(({ row }) => row.gml_id);
    assert.deepEqual([...new Set(found)].sort(), ids);
  });
}

const refuse = () => 0;
const abort = () => {
  throw new WebAssembly.RuntimeError('Aborted()');
};
for (const [what, fail] of [
  ['refuses', refuse],
  ['ends at', abort],
] as const) {
  test(`3D Tiles: a tile that the encoder ${what}`, async () => {
    const broken = await loadDraco();
    broken.Encoder.prototype.EncodeMeshToDracoBuffer = fail;
    const { packages, issues } = await convertGml([fixture([good])]);
    // One in the part; the package asks for an encoder that works.
    check(issues, FIXTURE_PATH, [['TILE_UNCOMPRESSED', null, 1, /larger/]]);
    assert.notEqual(await loadDraco(), broken);
    assert.equal(finestFeatures(await checkPackage(packages.get('bldg_3dtiles_lod1')!)).length, 1);
  });
}

// Vector tiles

const LUSE = 'udx/luse/52385500_luse_6697_op.gml';
const surface = (id: string, ring: ReadonlyArray<readonly [lat: number, lng: number]>, extra = '') => {
  const positions = [...ring, ring[0]!].map(([lat, lng]) => `${lat} ${lng} 0`).join(' ');
  return (
    `<core:cityObjectMember><luse:LandUse gml:id="${id}">${extra}<luse:lod1MultiSurface><gml:MultiSurface>` +
    `<gml:surfaceMember><gml:Polygon><gml:exterior><gml:LinearRing><gml:posList>${positions}</gml:posList>` +
    `</gml:LinearRing></gml:exterior></gml:Polygon></gml:surfaceMember></gml:MultiSurface>` +
    `</luse:lod1MultiSurface></luse:LandUse></core:cityObjectMember>`
  );
};
const CORNERS = [
  [35.0001, 138.6251],
  [35.0001, 138.6255],
  [35.0004, 138.6255],
  [35.0004, 138.6251],
] as const;
const goodArea = surface('good', CORNERS);
const luseFile = (members: readonly string[], srs: string | null = 'EPSG:6697'): GmlSource => {
  const system = srs === null ? '' : `srsName="${srs}"`;
  const text =
    `<core:CityModel xmlns:core="http://www.opengis.net/citygml/2.0" xmlns:gml="http://www.opengis.net` +
    `/gml" xmlns:luse="http://www.opengis.net/citygml/landuse/2.0"><gml:boundedBy><gml:Envelope ` +
    `${system} srsDimension="3"/></gml:boundedBy>${members.join('\n')}</core:CityModel>`;
  return gmlSource(LUSE, new Map([[LUSE, Buffer.from(text)]]));
};
const dot = (id: string) =>
  surface(id, [
    [35.0002, 138.6252],
    [35.0002, 138.62520001],
    [35.00020001, 138.6252],
  ]);
/** A triangle with a corner so many degrees to the south. */
const stretched = (degrees: number) => [[35.0001 - degrees, 138.6251], ...CORNERS.slice(1, 3)] as const;

const CASES_MVT: Record<string, { members: string[]; issues: Expected[] }> = {
  'features without an area': {
    members: [dot('dot'), dot('dot2')],
    issues: [['SHAPE_TOO_SMALL', 'dot', 2, /left out/]],
  },
  'corners far outside of the mesh of the file': {
    members: [surface('far', stretched(0.6)), surface('farther', stretched(100))],
    issues: [['GEOMETRY_FAR_OFF', 'far', 2, /Correct/]],
  },
  'a feature that is too wide': {
    members: [
      surface('wide', [
        [34.65, 138.6],
        [35.15, 138.6],
        [35.15, 138.65],
      ]),
    ],
    issues: [['FEATURE_TOO_WIDE', 'wide', 1, /Correct/]],
  },
  'a feature of more than 16 MB': {
    members: [surface('huge', CORNERS, `<gml:name>${'あ'.repeat(6_000_000)}</gml:name>`)],
    issues: [['FEATURE_TOO_LARGE', `${LUSE}#1`, 1, /Split/]],
  },
};

for (const [name, { members, issues: expected }] of Object.entries(CASES_MVT)) {
  test(`vector tiles: ${name}`, async () => {
    const { issues, packages } = await makeVectorTiles([luseFile([goodArea, ...members])]);
    check(issues, LUSE, expected);
    assert.ok(packages.get('luse_mvt')!.size > 5);
  });
}

test('vector tiles: a small file of many tiles has a bound for them', async () => {
  const south = 35;
  const wide = (id: string, west: number) =>
    surface(id, [
      [south, west],
      [south, west + 0.5],
      [south + 0.4, west + 0.5],
      [south + 0.4, west],
    ]);
  const { issues, packages } = await makeVectorTiles([
    luseFile([wide('a', 138.3), wide('b', 138.4), wide('c', 138.5), goodArea]),
  ]);
  check(issues, LUSE, [['TILES_TOO_MANY', 'b', 2, /divide/]]);
  assert.ok(packages.get('luse_mvt')!.size > 10_000);
});

test('vector tiles: an unknown coordinate reference system', async () => {
  const { issues, packages } = await makeVectorTiles([luseFile([goodArea], 'EPSG:99999')]);
  check(issues, LUSE, [['CRS_UNKNOWN', 'good', 1, /Transform/]]);
  assert.equal(packages.size, 0);
});

test('vector tiles: no coordinate reference system, and longitude first', async () => {
  const bare = luseFile([goodArea], null);
  const none = await makeVectorTiles([bare]);
  check(none.issues, LUSE, [['CRS_UNKNOWN', 'good', 1, /Transform/]]);
  const usual = await makeVectorTiles([luseFile([goodArea])]);
  const turned = goodArea.replaceAll(/(35\.\d+) (138\.\d+)/g, '$2 $1');
  const { issues, packages } = await makeVectorTiles([luseFile([turned])]);
  check(issues, LUSE, [['AXES_TURNED', 'good', 1, /read so/]]);
  assert.deepEqual(packages.get('luse_mvt'), usual.packages.get('luse_mvt'));
});

test('vector tiles: an unknown coordinate reference system of geometry', async () => {
  const odd = surface('odd', CORNERS).replace('<gml:MultiSurface', '$& srsName="EPSG:99999"');
  const { issues, packages } = await makeVectorTiles([luseFile([goodArea, odd])]);
  check(issues, LUSE, [['CRS_UNKNOWN', 'odd', 1, /Transform/]]);
  assert.ok(packages.get('luse_mvt')!.size > 5);
});

test('vector tiles: a tile that would be too large loses its smallest features', async () => {
  const members: string[] = [];
  for (let i = 0; i < 1_500; i++) {
    const [lat, lng] = [35.0001 + (i % 40) * 1e-5, 138.6251 + Math.floor(i / 40) * 1e-5];
    // Texts that hardly compress, 800 bytes each.
    let text = '';
    for (let k = 0; text.length < 800; k++)
      text += (Math.sin(i * 977 + k) * 1e9).toString(36).replace(/\W/g, '');
    const ring = [
      [lat, lng],
      [lat, lng + 8e-6],
      [lat + 8e-6, lng + 8e-6],
    ] as const;
    members.push(surface(`small_${i}`, ring, `<gml:name>${text}</gml:name>`));
  }
  const { issues } = await makeVectorTiles([luseFile([goodArea, ...members])]);
  const [{ count, file }, full] = issues as [ConvertIssue, ConvertIssue];
  check(issues, file, [
    ['TILES_CROWDED', null, count, /zoom/],
    ['TILES_FULL', null, full.count, /lie on each other/],
  ]);
  // All lie in one tile at the highest zoom, and in one of lower ones.
  assert.ok(full.count > 100);
  assert.ok(count > 100);
});

// Whole packages

/** A thread that takes memory for objects until it has none left. */
const GREEDY = `import { parentPort } from 'node:worker_threads';
parentPort.on('message', () => { for (const all = [];;) all.push(new Array(100_000).fill(1.5)); });`;

async function textOf(source: GmlSource): Promise<string> {
  let text = '';
  for await (const chunk of source.text()) text += Buffer.from(chunk).toString();
  return text;
}

const PACKAGE = '22203_numazu-shi_city_2023_citygml_1_op';

async function convertTexts(
  name: string,
  members: Array<{ path: string; text: string }>,
  change: { greedy?: boolean; damage?: boolean; isWanted?: () => Promise<boolean> } = {},
) {
  const directory = join(root, name);
  mkdirSync(directory);
  const path = join(directory, `${PACKAGE}.zip`);
  await writePackage(path, members);
  if (change.damage) {
    const bytes = readFileSync(path);
    // Inside of the deflate data of the first member.
    writeFileSync(path, bytes.fill(0xff, 300, 340));
  }
  return convertZip(path, directory, {
    options: { compression: 'none' },
    request: {
      jobs: change.greedy ? 2 : 0,
      ...(change.isWanted && { isWanted: change.isWanted }),
    },
    environment: { threadModule: new URL(`data:text/javascript,${encodeURIComponent(GREEDY)}`) },
  });
}

const secondLuse = 'udx/luse/52385501_luse_6697_op.gml';
const twoFiles = [
  { path: LUSE, text: gml('luse', '52385500', 10, 'a') },
  { path: secondLuse, text: gml('luse', '52385501', 10, 'a') },
];

test('a package: a file whose bytes are damaged', async () => {
  const { issues, packages } = await convertTexts('damaged', twoFiles, { damage: true });
  check(issues, LUSE, [['PART_FAILED', null, 1, /Correct/]]);
  assert.equal(packages[0]!.features, 10);
});

test('a package: a file that needs too much memory, even by itself', async () => {
  const { issues, packages } = await convertTexts('greedy', twoFiles.slice(0, 1), { greedy: true });
  check(issues.slice(0, 1), PACKAGE, [['PACKAGE_EMPTY', null, 1, /issues/]]);
  check(issues.slice(1), LUSE, [['PART_TOO_LARGE', null, 1, /--jobs 0/]]);
  assert.deepEqual(packages, []);
});

test('a package: one that cannot be put together', async () => {
  const name = 'torn';
  const directory = join(root, name, 'parts', 'parts');
  const { issues, packages } = await convertTexts(name, twoFiles, {
    // Parts are there, and nothing is joined yet.
    async isWanted() {
      for (const path of readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
        if (path.endsWith('.tiles')) truncateSync(join(directory, path), 100);
      }
      return true;
    },
  });
  check(issues, '22203_numazu-shi_city_2023_citygml_1_op_luse_mvt', [['PACKAGE_FAILED', null, 1, /Report/]]);
  assert.deepEqual(packages, []);
  assert.deepEqual(readdirSync(join(root, name, 'out')), []);
});

test('a package: features without any geometry, or of which nothing can be drawn', async () => {
  const bare = await textOf(fixture([building('a', '')]));
  const empty = await convertTexts('bare', [{ path: FIXTURE_PATH, text: bare }]);
  check(empty.issues.slice(0, 1), PACKAGE, [['PACKAGE_EMPTY', null, 1, /issues/]]);
  check(empty.issues.slice(1), FIXTURE_PATH, [['FEATURE_WITHOUT_OUTPUT', null, 1, /left out/]]);
  assert.deepEqual(empty.packages, []);
  const speck = (x: number, y: number) => [x * 1e-4, y * 1e-4, 0] as const;
  const text = await textOf(
    fixture([building('a', solid(1, [polygon([[speck(0, 0), speck(1, 0), speck(1, 1)]])]))]),
  );
  const { issues, packages } = await convertTexts('specks', [{ path: FIXTURE_PATH, text }]);
  check(issues.slice(0, 1), PACKAGE, [['PACKAGE_EMPTY', null, 1, /issues/]]);
  assert.deepEqual(packages, []);
});

test('a package: heights that cannot be brought to the ellipsoid', async () => {
  const path = FIXTURE_PATH;
  const text = await textOf(fixture([good], { srs: 'EPSG:6668+9999' }));
  const { issues, packages } = await convertTexts('vertical', [{ path, text }, ...twoFiles]);
  check(issues, path, [['VERTICAL_SYSTEM_REFUSED', null, 1, /left out/]]);
  assert.match(issues[0]!.message, /EPSG:9999/);
  assert.ok(packages.some(({ name }) => name.endsWith('_luse_mvt')));
});

test('a package: places outside of the geoid', async () => {
  const path = 'udx/bldg/amersfoort.gml';
  const { issues, packages } = await convertTexts('outside', [{ path, text: worldGml(DUTCH) }]);
  check(issues, path, [['GEOID_OUTSIDE', null, issues[0]!.count, /GEOID/]]);
  assert.equal(packages.length, 2);
});

test('a package: heights of JGD2024, where their correction is unknown, or that of another grid', async () => {
  const at = (id: string, lat: number, lng: number) => {
    const place = (x: number, y: number, z: number) => `${lat + y * 1e-4} ${lng + x * 1e-4} ${z}`;
    const ring = [place(0, 0, 5), place(1, 0, 5), place(1, 1, 5), place(0, 0, 5)].join(' ');
    return building(
      id,
      `<bldg:lod1MultiSurface><gml:MultiSurface><gml:surfaceMember><gml:Polygon><gml:exterior><gml:LinearRing>` +
        `<gml:posList>${ring}</gml:posList></gml:LinearRing></gml:exterior></gml:Polygon></gml:surfaceMember>` +
        `</gml:MultiSurface></bldg:lod1MultiSurface>`,
    );
  };
  const path = 'udx/bldg/54366400_bldg_6697_op.gml';
  const text = await textOf(
    fixture([at('a', 36.52, 136.55), at('b', 36.55, 136.55)], { srs: 'EPSG:11318', path }),
  );
  const { issues } = await convertTexts('revision', [{ path, text }]);
  check(issues, path, [
    ['HEIGHT_OTHER_GRID', null, 3, /some centimetres/],
    ['HEIGHT_UNREVISED', null, 3, /passed on/],
  ]);
  assert.match(issues[0]!.message, /36\.520000, 136\.550000/);
  assert.match(issues[1]!.message, /36\.550000, 136\.550000/);
});

test('a package: what nothing is made of', async () => {
  const roads = gml('tran', '52385500', 2, 'a');
  const ground = 'udx/tran/52385500_tran_6697_op.gml';
  const [dem, empty] = ['udx/dem/523855_dem_6697_op.gml', 'udx/luse/52385501_luse_6697_op.gml'];
  const { account, issues } = await convertTexts('unconverted', [
    // The first has geometry of LOD 4 beside that of LOD 1, the second of LOD 4 alone.
    {
      path: ground,
      text: roads
        .replace(/<tran:lod1(MultiSurface>.*?<\/)tran:lod1(MultiSurface>)/, '$&<tran:lod4$1tran:lod4$2')
        .replace(/(_1">.*?<tran:)lod1(MultiSurface>.*?<\/tran:)lod1/, '$1lod4$2lod4'),
    },
    { path: dem, text: roads },
    { path: empty, text: gml('luse', '52385501', 0, 'a') },
  ]);
  check(issues.slice(0, 1), dem, [['TYPE_UNCONVERTED', null, 1, /left out/]]);
  check(issues.slice(1, 2), empty, [['FILE_EMPTY', null, 1, /CityGML/]]);
  check(issues.slice(2), ground, [
    ['FEATURE_WITHOUT_OUTPUT', null, 1, /left out/],
    ['GEOMETRY_UNCONVERTED', null, 1, /other geometry/],
  ]);
  assert.equal(account!.complete, true);
});

/** Furniture of which one has a curve alone, one a curve beside a surface, and one a file of another format. */
function furniture(version: 2 | 3): string {
  const [core, own, gmlVersion] = version === 2 ? ['2.0', 'frn', ''] : ['3.0', 'core', '/3.2'];
  const list =
    '<gml:posList>35.085 138.626 5 35.085 138.6261 5 35.0851 138.6261 5 35.085 138.626 5</gml:posList>';
  const line = `<gml:LineString>${list}</gml:LineString>`;
  const curve = `<gml:MultiCurve><gml:curveMember>${line}</gml:curveMember></gml:MultiCurve>`;
  const surface =
    '<gml:MultiSurface><gml:surfaceMember><gml:Polygon><gml:exterior><gml:LinearRing>' +
    `${list}</gml:LinearRing></gml:exterior></gml:Polygon></gml:surfaceMember></gml:MultiSurface>`;
  const held = (lod: number, kind: string, geometry: string) => {
    const name = version === 2 ? `frn:lod${lod}Geometry` : `core:lod${lod}${kind}`;
    return `<${name}>${geometry}</${name}>`;
  };
  const library =
    `<${own}:lod2ImplicitRepresentation><core:ImplicitGeometry><core:transformationMatrix>1 0 0 0 0 1 0 0 0 0 1 0 0 ` +
    '0 0 1</core:transformationMatrix><core:libraryObject>a.wrl</core:libraryObject><core:referencePoint><gml:Point>' +
    '<gml:pos>35.085 138.626 5</gml:pos></gml:Point></core:referencePoint></core:ImplicitGeometry>' +
    `</${own}:lod2ImplicitRepresentation>`;
  const features = [
    held(2, 'MultiCurve', curve),
    held(1, 'MultiSurface', surface) + held(2, 'MultiCurve', curve),
    library,
  ].map(
    (content, n) =>
      `<core:cityObjectMember><frn:CityFurniture gml:id="f${n}">${content}</frn:CityFurniture></core:cityObjectMember>`,
  );
  return (
    `<core:CityModel xmlns:core="http://www.opengis.net/citygml/${core}" xmlns:gml="http://www.opengis.net/gml` +
    `${gmlVersion}" xmlns:frn="http://www.opengis.net/citygml/cityfurniture/${core}"><gml:boundedBy><gml:Envelope ` +
    'srsName="http://www.opengis.net/def/crs/EPSG/0/6697" srsDimension="3"><gml:lowerCorner>35.08 138.62 0' +
    '</gml:lowerCorner><gml:upperCorner>35.09 138.63 9</gml:upperCorner></gml:Envelope></gml:boundedBy>' +
    `${features.join('')}</core:CityModel>`
  );
}

for (const version of [2, 3] as const) {
  test(`a package: curves and templates of other formats in CityGML ${version}.0 are counted`, async () => {
    const path = 'udx/frn/52385500_frn_6697_op.gml';
    const { account, issues, packages } = await convertTexts(`curves-${version}`, [
      { path, text: furniture(version) },
    ]);
    check(issues, path, [
      ['FEATURE_WITHOUT_OUTPUT', null, 2, /converted/],
      ['GEOMETRY_UNCONVERTED', null, 1, /other geometry/],
      ['TEMPLATE_UNREAD', 'f2', 1, /relativeGMLGeometry/],
    ]);
    assert.equal(account!.complete, true);
    assert.deepEqual(
      packages.map(({ name, features }) => [name.replace(/^.*_op_/, ''), features]),
      [['frn_3dtiles_lod1', 1]],
    );
  });
}

test('a package: sums that do not close', async () => {
  const name = 'gaps';
  const first = await convertTexts(name, [{ path: FIXTURE_PATH, text: await textOf(fixture([good])) }]);
  assert.deepEqual([first.issues, first.account!.complete], [[], true]);
  const parts = join(root, name, 'parts', 'parts');
  for (const path of readdirSync(parts, { recursive: true, encoding: 'utf8' })) {
    if (!path.endsWith('part.json')) continue;
    const record = JSON.parse(readFileSync(join(parts, path), 'utf8'));
    for (const tally of record.account.surfaces) tally.out--;
    writeFileSync(join(parts, path), JSON.stringify(record));
  }
  const zip = join(root, name, '22203_numazu-shi_city_2023_citygml_1_op.zip');
  const { account, issues } = await convertZip(zip, join(root, name), { options: { compression: 'none' } });
  check(issues, '', [['UNACCOUNTED', null, 1, /fault of the program/]]);
  assert.match(issues[0]!.message, /1 of 6 surfaces of bldg:Building, LOD 1/);
  assert.equal(account!.complete, false);
});

test('every issue that docs/converting.md explains has its case', { skip: !withSharp }, () => {
  assert.deepEqual([...provoked].sort(), [...SEVERITIES.keys()].sort());
});
