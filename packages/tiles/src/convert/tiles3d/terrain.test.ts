import assert from 'node:assert/strict';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { geometriesOf, surfacesOf } from '@citymodel/citygml';
import { DATA } from '@citymodel/citygml/testing';
import { geodeticToEcef, type Vec3 } from '@citymodel/geo';
import { lookInto } from '../look-into.ts';
import { outputSuffix } from '../part-maker.ts';
import { readGml } from '../read/features.ts';
import { gmlSource, gmlSources, partContext } from '../read/testing/gml-source.ts';
import { tiles3dMaker } from './maker.ts';
import { checkPackage, farthestFrom, finestFeatures } from './testing/check-package.ts';
import { convertGml, geoidOffset } from './testing/convert-gml.ts';
import { type Corners, fixture, hills, RELIEF_PATH, relief, tin, triangle } from './testing/fixture-gml.ts';
import { readForeignTile } from './testing/foreign-tiles.ts';

const SUFFIX = 'dem_3dtiles_lod1';
const round = (x: number, y: number) => 20 + 15 * Math.sin(x / 90) * Math.cos(y / 70);
const file = (members: readonly string[], path = RELIEF_PATH) => fixture(members, { path });
const triangles = (corners: readonly Corners[]) => corners.map((one) => triangle(one));

test('a relief is a row with its attributes, and its surface one that light runs over smoothly', async () => {
  const { packages, issues } = await convertGml(
    [file([relief('a', 1, [tin(1, triangles(hills([0, 0], 20, 30, round)))])])],
    { compression: 'none' },
  );
  assert.deepEqual(issues, []);
  assert.deepEqual([...packages.keys()], [SUFFIX]);
  const tiles = await checkPackage(packages.get(SUFFIX)!);
  const [feature, ...others] = finestFeatures(tiles);
  assert.equal(others.length, 0);
  const { row, vertices } = feature!;
  assert.deepEqual(
    [row.gml_id, row['gml:name'], row['dem:lod'], row.feature_type],
    ['a', 'a', 1, 'dem:ReliefFeature'],
  );
  assert.ok(Number(row._zmax) > 30 && Number(row._zmin) < 10, `${row._zmin} to ${row._zmax} m`);
  // Triangles share their corners: there is one vertex at each.
  assert.equal(vertices.length, 21 * 21);
  const { json } = tiles.find((tile) => tile.json !== null)!;
  assert.equal(json.materials[0].alphaMode, undefined);
  assert.equal(json.materials[0].pbrMetallicRoughness.metallicFactor, 0);
  // One warm colour, opaque.
  const colours = new Set(coloursOf(packages.get(SUFFIX)!));
  assert.equal(colours.size, 1);
  const [red, green, blue, opacity] = [...colours][0]!.split(' ').map(Number) as [
    number,
    number,
    number,
    number,
  ];
  assert.ok(red > green && green > blue && blue > 60, `${red}, ${green}, ${blue}`);
  assert.equal(opacity, 255);
});

test('triangles that run clockwise are turned, and what they show faces up', async () => {
  const flat = hills([0, 0], 2, 30, () => 5);
  const turned = flat.map(([a, b, c], i): Corners => (i % 2 === 0 ? [a, c, b] : [a, b, c]));
  const { packages } = await convertGml([file([relief('a', 1, [tin(1, triangles(turned))])])], {
    compression: 'none',
  });
  const files = packages.get(SUFFIX)!;
  const glb = [...files].find(([path]) => path.endsWith('.glb'))!;
  const { features } = await readForeignTile(...glb);
  assert.equal(features[0]!.triangles, 8);
  const { triangles: shapes, normals } = facesOf(glb[1]);
  const up = geodeticToEcef((139.77 * Math.PI) / 180, (35.68 * Math.PI) / 180, 0);
  const unit = up.map((part) => part / Math.hypot(...up)) as Vec3;
  for (const face of [...shapes, ...normals]) {
    const dot = face[0] * unit[0] - face[2] * unit[1] + face[1] * unit[2];
    assert.ok(dot > 0.999, `a face has ${dot}`);
  }
});

/** Linear red, green, blue and opacity of each vertex of the first tile of an uncompressed package. */
function coloursOf(files: ReadonlyMap<string, Uint8Array>): string[] {
  const [, bytes] = [...files].find(([path]) => path.endsWith('.glb'))!;
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(12, true);
  const json = JSON.parse(Buffer.from(bytes.subarray(20, 20 + length)).toString());
  const { bufferView, count } = json.accessors[json.meshes[0].primitives[0].attributes.COLOR_0];
  const start = 28 + length + json.bufferViews[bufferView].byteOffset;
  return Array.from({ length: count }, (_, i) => bytes.subarray(start + 4 * i, start + 4 * i + 4).join(' '));
}

/** Unit normals of the triangles of an uncompressed GLB as they run, and those of its vertices; y is up. */
function facesOf(bytes: Uint8Array): { triangles: Vec3[]; normals: Vec3[] } {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const length = view.getUint32(12, true);
  const json = JSON.parse(Buffer.from(bytes.subarray(20, 20 + length)).toString());
  const read = (accessor: number) => {
    const { bufferView, count, componentType, type } = json.accessors[accessor];
    const start = bytes.byteOffset + 28 + length + json.bufferViews[bufferView].byteOffset;
    const all = count * (type === 'VEC3' ? 3 : 1);
    const buffer = bytes.buffer.slice(start, start + 4 * all);
    return componentType === 5126 ? new Float32Array(buffer, 0, all) : new Uint16Array(buffer, 0, all);
  };
  const { attributes, indices } = json.meshes[0].primitives[0];
  const [positions, normals, corners] = [attributes.POSITION, attributes.NORMAL, indices].map(read);
  const at = (array: ArrayLike<number>, i: number): Vec3 => [
    array[3 * i]!,
    array[3 * i + 1]!,
    array[3 * i + 2]!,
  ];
  const faces: Vec3[] = [];
  for (let i = 0; i < corners!.length; i += 3) {
    const [a, b, c] = [0, 1, 2].map((k) => at(positions!, corners![i + k]!)) as [Vec3, Vec3, Vec3];
    const [u, v] = [b, c].map((end) => end.map((part, axis) => part - a[axis]!)) as [Vec3, Vec3];
    const cross: Vec3 = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    faces.push(cross.map((part) => part / Math.hypot(...cross)) as Vec3);
  }
  return {
    triangles: faces,
    normals: Array.from({ length: normals!.length / 3 }, (_, i) => at(normals!, i)),
  };
}

test('large terrain is cut into tiles that share corners and light, under tiles of fewer triangles', async () => {
  const both = [
    relief('a', 1, [tin(1, triangles(hills([0, 0], 100, 4, round)))]),
    relief('b', 1, [tin(1, triangles(hills([400, 0], 100, 4, round)))]),
  ];
  const { packages, issues } = await convertGml([file(both)]);
  assert.deepEqual(issues, []);
  const tiles = await checkPackage(packages.get(SUFFIX)!);
  const features = finestFeatures(tiles);
  assert.deepEqual([...new Set(features.map(({ row }) => row.gml_id))].sort(), ['a', 'b']);
  assert.ok(features.length >= 4, `${features.length} rows`);
  const sum = (of: typeof features) => of.reduce((all, { area }) => all + area, 0);
  const [above, ...more] = tiles.filter(({ isLeaf, features: rows }) => !isLeaf && rows.length > 0);
  assert.equal(more.length, 0);
  // Both reliefs are one surface there, with what they have in common.
  assert.equal(above!.features.length, 1);
  const { row, vertices, area } = above!.features[0]!;
  assert.deepEqual([row.gml_id, row['dem:lod'], row.attributes], [undefined, 1, undefined]);
  assert.ok(vertices.length < 13_000, `${vertices.length} vertices`);
  assert.ok(Math.abs(area / sum(features) - 1) < 0.01, `${area} m²`);
  assert.ok(above!.geometricError >= 4);
  // Corners at the cuts are the same to the bit of what is stored, so that no gap shows.
  const corners = features.map(
    ({ vertices: own }) => new Set(own.map((one) => one.map((v) => v.toFixed(3)).join())),
  );
  const shared = [...corners[0]!].filter((corner) => corners.slice(1).some((other) => other.has(corner)));
  assert.ok(shared.length > 20, `${shared.length} corners are shared`);
});

test('a relief that is too large for a tree is read triangle by triangle, without its extent', async () => {
  const comment = `<!--${'x'.repeat(900)}-->`;
  const parts = hills([0, 0], 100, 4, round).map((one) => triangle(one, { comment }));
  const extent = [
    [0, 0, 500],
    [400, 0, 500],
    [400, 400, 500],
    [0, 400, 500],
  ] as const;
  const { packages, issues } = await convertGml([file([relief('a', 2, [tin(2, parts, extent)])])]);
  assert.deepEqual(issues, []);
  assert.deepEqual([...packages.keys()], ['dem_3dtiles_lod2']);
  const features = finestFeatures(await checkPackage(packages.get('dem_3dtiles_lod2')!));
  assert.deepEqual([...new Set(features.map(({ row }) => row.gml_id))], ['a']);
  assert.ok(Number(features[0]!.row._zmax) < 50, `${features[0]!.row._zmax} m`);
});

test('a package of a level of detail has each relief at its highest up to that, and nothing twice', async () => {
  const [low, high] = [1, 2].map((lod) =>
    tin(lod, triangles(hills([0, 0], 4, 10, (x) => lod * 10 + x / 10))),
  );
  const other = tin(1, triangles(hills([100, 0], 2, 10, () => 1)));
  const source = file([relief('a', 2, [low!, high!]), relief('b', 1, [other])]);
  const directory = mkdtempSync(join(tmpdir(), 'terrain-'));
  try {
    const context = partContext(directory);
    await tiles3dMaker.makePart(source, mkdtempSync(join(directory, 'part-')), context);
    const { surfaces } = context.account.finish();
    assert.deepEqual(
      surfaces.map(({ type, lod, in: into, out, rest }) => [type, lod, into, out, rest]),
      [
        ['dem:ReliefFeature', 1, 40, 40, {}],
        ['dem:ReliefFeature', 2, 32, 32, {}],
      ],
    );
  } finally {
    rmSync(directory, { recursive: true });
  }
  const { packages } = await convertGml([source]);
  assert.deepEqual([...packages.keys()], [SUFFIX, 'dem_3dtiles_lod2']);
  const heights = await Promise.all(
    [...packages.values()].map(async (files) =>
      finestFeatures(await checkPackage(files)).map(({ row }) => [row.gml_id, row._zmin, row._zmax]),
    ),
  );
  assert.deepEqual(heights, [
    [
      ['a', 10, 14],
      ['b', 1, 1],
    ],
    [
      ['a', 20, 24],
      ['b', 1, 1],
    ],
  ]);
  // A dry run says the same by looking through the text, and --lods asks for less.
  const content = await lookInto(source.text(), () => {});
  const foreseen = (lods: number[] | null) =>
    tiles3dMaker
      .foresee(source, { ...partContext('').options, lods }, content, source.package)
      .map((key) => outputSuffix(key));
  assert.deepEqual(foreseen(null), [...packages.keys()]);
  assert.deepEqual(foreseen([1]), [SUFFIX]);
  assert.deepEqual([...(await convertGml([source], { lods: [1] })).packages.keys()], [SUFFIX]);
});

test('what is no surface of triangles, is broken or has no area is named with its number', async () => {
  const [first] = hills([0, 0], 1, 30, () => 5) as [Corners, Corners];
  const [a, b] = first;
  const points =
    '<dem:reliefComponent><dem:MassPointRelief><dem:lod>1</dem:lod><dem:reliefPoints><gml:MultiPoint/>' +
    '</dem:reliefPoints></dem:MassPointRelief></dem:reliefComponent>';
  const faulty = [
    triangle(first, { isOpen: true }),
    triangle([a, b, b]),
    triangle([a, [0.5, 0, 5], [1, 0, 5]]),
    triangle([a, b, [b[0], b[1] + 9, 50_000]]),
  ];
  const members = [relief('a', 1, [tin(1, faulty), points, points]), relief('b', 1, [points])];
  const { packages, issues } = await convertGml([file(members)]);
  assert.deepEqual(issues.map(({ code, id, count }) => [code, id, count]).sort(), [
    ['HEIGHT_IMPLAUSIBLE', 'a', 1],
    ['POLYGON_BROKEN', 'a', 1],
    ['POLYGON_TINY', 'a', 1],
    ['RELIEF_UNCONVERTED', 'a', 3],
  ]);
  const [feature] = finestFeatures(await checkPackage(packages.get(SUFFIX)!));
  assert.ok(Math.abs(feature!.area / 450 - 1) < 0.01, `${feature!.area} m²`);
});

test('terrain of CityGML 3.0 is read, as gml:patches of GML 3.2 too', async () => {
  const both = file([
    relief('a', 1, [tin(1, triangles(hills([0, 0], 3, 10, round)))]),
    relief('b', 1, [tin(1, triangles(hills([30, 0], 3, 10, round)))]),
  ]);
  let version2 = '';
  for await (const chunk of both.text()) version2 += Buffer.from(chunk).toString();
  const text = version2
    .replaceAll('citygml/2.0', 'citygml/3.0')
    .replaceAll('/2.0"', '/3.0"')
    .replaceAll('http://www.opengis.net/gml"', 'http://www.opengis.net/gml/3.2"')
    .replace(/TriangulatedSurface>/, 'Tin>')
    .replace(/<\/gml:TriangulatedSurface>/, '</gml:Tin>')
    .replaceAll('trianglePatches', 'patches');
  const source = gmlSource(RELIEF_PATH, new Map([[RELIEF_PATH, Buffer.from(text)]]));
  const { packages, issues } = await convertGml([source]);
  assert.deepEqual(issues, []);
  const features = finestFeatures(await checkPackage(packages.get(SUFFIX)!));
  assert.deepEqual(
    features.map(({ row, area }) => [row.gml_id, area > 900]),
    [
      ['a', true],
      ['b', true],
    ],
  );
});

test('the terrain of all files of a second mesh is seen in one tile from afar, with smooth light', async () => {
  const second = RELIEF_PATH.replace('53394525', '53394526');
  const { packages } = await convertGml(
    [
      file([relief('a', 1, [tin(1, triangles(hills([0, 0], 40, 10, round)))])]),
      file([relief('b', 1, [tin(1, triangles(hills([400, 0], 40, 10, round)))])], second),
    ],
    { compression: 'none' },
  );
  const files = packages.get(SUFFIX)!;
  const overview = (await checkPackage(files)).find(({ path }) => path === 'overview/533945_replace/0.glb')!;
  assert.deepEqual(
    overview.features.map(({ row, area }) => [row.gml_id, Math.round(area / 20_000)]),
    [
      ['a', 8],
      ['b', 8],
    ],
  );
  const { triangles: faces, normals } = facesOf(files.get(overview.path)!);
  // A vertex for each corner, not for each corner of each triangle.
  assert.ok(normals.length < faces.length, `${normals.length} vertices of ${faces.length} triangles`);
});

for (const version of ['1.1', '1.0'] as const) {
  for (const compression of ['draco', 'meshopt', 'none'] as const) {
    test(`glTF-Transform and CesiumJS find the corners of terrain: ${version}, ${compression}`, async () => {
      const corners = hills([0, 0], 6, 25, round);
      const { packages } = await convertGml([file([relief('a', 1, [tin(1, triangles(corners))])])], {
        compression,
        tiles: version,
      });
      const files = packages.get(SUFFIX)!;
      const [path, bytes] = [...files].find(([name]) => /\.(glb|b3dm)$/.test(name))!;
      const { features } = await readForeignTile(path, bytes);
      assert.deepEqual(
        features.map(({ row, triangles: count }) => [row.gml_id, row['gml:name'], count]),
        [['a', 'a', 72]],
      );
      const places = corners.flat().map(([x, y, z]): [number, number, number] => {
        const [lng, lat] = [139.77 + x / 91_290, 35.68 + y / 110_950];
        return [lng, lat, z + geoidOffset(lng, lat)];
      });
      const found = features[0]!.places.map(([lng, lat, height]) =>
        geodeticToEcef((lng * Math.PI) / 180, (lat * Math.PI) / 180, height),
      );
      assert.ok(farthestFrom(places, found) < 0.03);
      assert.ok(
        farthestFrom(
          features[0]!.places,
          places.map(([lng, lat, height]) =>
            geodeticToEcef((lng * Math.PI) / 180, (lat * Math.PI) / 180, height),
          ),
        ) < 0.03,
      );
    });
  }
}

const REAL = `${DATA}packages/14201_yokosuka-shi_2020_citygml_2_op.zip`;

test('the terrain of Yokosuka is that of its file', { skip: !existsSync(REAL) }, async () => {
  const sources = (await gmlSources(REAL)).filter(({ type }) => type === 'dem');
  const { packages, issues } = await convertGml(sources);
  assert.deepEqual(issues, []);
  const features = finestFeatures(await checkPackage(packages.get(SUFFIX)!));
  const positions: Array<[number, number, number]> = [];
  let written = 0;
  for await (const item of readGml(sources[0]!, partContext(''))) {
    if (item.kind !== 'feature') continue;
    for (const { rings } of geometriesOf(item.element, item.defaults).flatMap(surfacesOf)) {
      written++;
      for (let i = 0; i < rings[0]!.length; i += 3) {
        const [lng, lat, height] = rings[0]!.subarray(i, i + 3) as unknown as [number, number, number];
        positions.push([lng, lat, height + geoidOffset(lng, lat)]);
      }
    }
  }
  assert.ok(written > 1_000, `${written} triangles`);
  for (const { vertices } of features) assert.ok(farthestFrom(positions, vertices) <= 0.015);
});

test('faulty terrain of the official cases converts, and what is faulty is named', {
  skip: !existsSync(`${DATA}quality/cases/plateau4/08-dem`),
}, async () => {
  const files = globSync(`${DATA}quality/cases/plateau4/08-dem/**/udx/dem/*.gml`).sort();
  assert.ok(files.length >= 4);
  for (const path of files) {
    const name = `udx/dem/${basename(path)}`;
    const { packages } = await convertGml([gmlSource(name, new Map([[name, readFileSync(path)]]))]);
    for (const tiles of packages.values()) await checkPackage(tiles);
  }
});
