/** Bad data for each issue of a conversion: what the issue says, and that the rest goes on. */
import assert from 'node:assert/strict';
import {
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
import type { ConvertIssue, GmlSource } from '@citymodel/tiles';
import {
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
  solid,
} from '@citymodel/tiles/testing';
import { convertZip } from './testing/convert-zip.ts';
import { CASES_3D, type Expected, good, textured, withSharp } from './testing/issues-of-3d.ts';
import { gml, writePackage } from './testing/small-package.ts';
import { DUTCH, worldGml } from './testing/world-gml.ts';

const root = mkdtempSync(join(tmpdir(), 'citymodel-issues-'));

after(() => rmSync(root, { recursive: true, force: true }));

/** Codes that the cases below provoked. */
const provoked = new Set<string>();

const SEVERITIES = new Map(
  [
    ...readFileSync(join(import.meta.dirname, '../../../../docs/converting.md'), 'utf8').matchAll(
      /^\| `([A-Z_]+)` \| (error|warning|info) \|/gm,
    ),
  ].map(([, code, severity]) => [code!, severity!]),
);

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
  const empty = 'udx/luse/52385501_luse_6697_op.gml';
  const { account, issues } = await convertTexts('unconverted', [
    // The first has geometry of LOD 4 beside that of LOD 1, the second of LOD 4 alone.
    {
      path: ground,
      text: roads
        .replace(/<tran:lod1(MultiSurface>.*?<\/)tran:lod1(MultiSurface>)/, '$&<tran:lod4$1tran:lod4$2')
        .replace(/(_1">.*?<tran:)lod1(MultiSurface>.*?<\/tran:)lod1/, '$1lod4$2lod4'),
    },
    { path: empty, text: gml('luse', '52385501', 0, 'a') },
  ]);
  check(issues.slice(0, 1), empty, [['FILE_EMPTY', null, 1, /CityGML/]]);
  check(issues.slice(1), ground, [
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
