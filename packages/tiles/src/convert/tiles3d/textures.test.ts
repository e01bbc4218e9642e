import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { writeArrayBuffer } from 'geotiff';
import { checkPackage, finestFeatures } from './testing/check-package.ts';
import { convertGml } from './testing/convert-gml.ts';
import { box, building, fixture, position, solid } from './testing/fixture-gml.ts';
import { foreignCoordinates } from './testing/foreign-tiles.ts';
import type { ReadFeature, ReadTile } from './testing/read-tiles.ts';
import { loadSharp } from './texture/images.ts';

const sharp = await loadSharp();
const skip = sharp === null ? 'needs the optional library sharp' : false;

/** Left half red, right half green, blue in the upper eighth. */
async function picture(width = 64, height = 64): Promise<Uint8Array> {
  const data = new Uint8Array(3 * width * height);
  for (let i = 0; i < width * height; i++) {
    const channel = i < (width * height) / 8 ? 2 : i % width < width / 2 ? 0 : 1;
    data[3 * i + channel] = 255;
  }
  return sharp!(data, { raw: { width, height, channels: 3 } })
    .png()
    .toBuffer();
}

const target = (ring: string, uvs: string) =>
  `<app:target uri="#${ring.replace(/-r0$/, '')}"><app:TexCoordList><app:textureCoordinates ring="#${ring}">${uvs}` +
  `</app:textureCoordinates></app:TexCoordList></app:target>`;

const appearance = (...data: string[]) =>
  `<app:appearanceMember><app:Appearance><app:theme>rgbTexture</app:theme>${data
    .map((data) => `<app:surfaceDataMember>${data}</app:surfaceDataMember>`)
    .join('')}</app:Appearance></app:appearanceMember>`;

const textured = (image: string, ...targets: string[]) =>
  `<app:ParameterizedTexture><app:imageURI>${image}</app:imageURI>${targets.join('')}</app:ParameterizedTexture>`;

const house = building('a', solid(1, box([0, 0, 0], [10, 8, 6])) + solid(2, box([0, 0, 0], [10, 8, 6], 'a')));
/** Of all sides of the house, but for the sphere that degrees are taken from. */
const assertArea = (area: number) => assert.ok(Math.abs(area / 376 - 1) < 0.01, `${area} m²`);
const RIGHT_HALF = '0.5 0 1 0 1 0.5 0.5 0.5 0.5 0';
const FILES = 'udx/bldg/53394525_bldg_6697_appearance/';

/** The same as `target`, as CityGML 3.0 writes it. */
const association = (ring: string, uvs: string) =>
  `<app:textureParameterization><app:TextureAssociation><app:target>#${ring.replace(/-r0$/, '')}</app:target>` +
  `<app:textureParameterization><app:TexCoordList><app:textureCoordinates>${uvs}</app:textureCoordinates>` +
  `<app:ring>#${ring}</app:ring></app:TexCoordList></app:textureParameterization></app:TextureAssociation>` +
  `</app:textureParameterization>`;

test('tiles of textures and colours as CityGML 3.0 writes them are those of 2.0, byte by byte', {
  skip,
}, async () => {
  const [first, second] = ['53394525_bldg_6697_appearance/1.png', '53394525_bldg_6697_appearance/2.png'];
  const colour = (targets: string) =>
    `<app:X3DMaterial><app:diffuseColor>1 0 0</app:diffuseColor>${targets}</app:X3DMaterial>`;
  const matrix =
    '<app:TexCoordGen gml:id="m"><app:worldToTexture>1 0 0 0 0 1 0 0 0 0 0 1</app:worldToTexture></app:TexCoordGen>';
  const old = appearance(
    textured(first, target('a-p5-r0', RIGHT_HALF), target('a-p4-r0', RIGHT_HALF)),
    textured(
      second,
      `<app:target uri="#a-p3">${matrix}</app:target>`,
      '<app:target uri="#a-p2" xlink:href="#m"/>',
    ),
    colour('<app:target>#a-p1</app:target>'),
  );
  // Coordinates of all rings first, then the rings; and the appearance within the feature.
  const surface = (name: string, inner: string) =>
    `<app:textureParameterization><app:TextureAssociation><app:target>#${name}</app:target>${inner}` +
    `</app:TextureAssociation></app:textureParameterization>`;
  const data = [
    textured(
      first,
      association('a-p5-r0', RIGHT_HALF),
      surface(
        'a-p4',
        `<app:textureParameterization><app:TexCoordList><app:textureCoordinates>0 0</app:textureCoordinates>` +
          `<app:textureCoordinates>${RIGHT_HALF}</app:textureCoordinates><app:ring>#none</app:ring>` +
          `<app:ring>#a-p4-r0</app:ring></app:TexCoordList></app:textureParameterization>`,
      ),
    ),
    textured(
      second,
      surface('a-p3', `<app:textureParameterization>${matrix}</app:textureParameterization>`),
      surface('a-p2', '<app:textureParameterization xlink:href="#m"/>'),
    ),
    colour('<app:target>#a-p1</app:target>'),
  ].map((data) => `<app:surfaceData>${data}</app:surfaceData>`);
  const inside = `<app:Appearance><app:theme>rgbTexture</app:theme>${data.join('')}</app:Appearance>`;
  const files = { [`${FILES}1.png`]: await picture(), [`${FILES}2.png`]: await picture(32, 32) };
  const before = await convertGml([fixture([house, old], { files })]);
  for (const members of [
    [house, `<core:appearanceMember>${inside}</core:appearanceMember>`],
    [house.replace('</bldg:Building>', `<core:appearance>${inside}</core:appearance></bldg:Building>`)],
  ]) {
    const after = await convertGml([fixture(members, { files })]);
    assert.deepEqual(after.issues, before.issues);
    assert.deepEqual([...after.packages.keys()], [...before.packages.keys()]);
    assert.ok(after.packages.has('bldg_3dtiles_lod2_no_texture'));
    for (const [name, members] of after.packages) {
      for (const [path, bytes] of members) {
        assert.ok(Buffer.from(bytes).equals(before.packages.get(name)!.get(path)!), `${name}/${path}`);
      }
    }
  }
});

test('a texture comes onto its polygon, with a twin without textures', { skip }, async () => {
  const texture = textured('53394525_bldg_6697_appearance/1.png', target('a-p5-r0', RIGHT_HALF));
  const { packages, issues } = await convertGml([
    fixture([house, appearance(texture)], { files: { [`${FILES}1.png`]: await picture() } }),
  ]);
  assert.deepEqual(issues, []);
  assert.deepEqual(
    [...packages.keys()],
    ['bldg_3dtiles_lod1', 'bldg_3dtiles_lod2', 'bldg_3dtiles_lod2_no_texture'],
  );
  const tiles = await checkPackage(packages.get('bldg_3dtiles_lod2')!);
  const twin = await checkPackage(packages.get('bldg_3dtiles_lod2_no_texture')!);
  for (const set of [tiles, twin]) assertArea(finestFeatures(set)[0]!.area);
  // The piece is the lower right quarter, 32 pixels with an edge of 2 on all sides, on a page of a power of two: green.
  await assertGreen(tiles, 64, [0, 17, 33]);
  const { bytes } = tiles.find((tile) => tile.json !== null && tile.isLeaf)!;
  const corners = (await foreignCoordinates(bytes)).filter(([u, v]) => u > 0 || v > 0);
  const within = corners.map(([u, v]) => [Math.round(u * 64), Math.round(v * 64)].join());
  assert.deepEqual([...new Set(within)].sort(), ['2,2', '2,34', '34,2', '34,34']);
});

test('surfaces that features share have their texture in each of them, and so has a template at each place', {
  skip,
}, async () => {
  const surface = (id: string, place: (x: number, y: number) => string) =>
    `<gml:surfaceMember><gml:Polygon gml:id="${id}"><gml:exterior><gml:LinearRing gml:id="${id}-r0"><gml:posList>${[
      [0, 0],
      [8, 0],
      [8, 8],
      [0, 8],
      [0, 0],
    ]
      .map(([x, y]) => place(x!, y!))
      .join(' ')}</gml:posList></gml:LinearRing></gml:exterior></gml:Polygon></gml:surfaceMember>`;
  const template = `<gml:MultiSurface gml:id="t">${surface('inside', (x, y) => `${x} ${y} 3`)}</gml:MultiSurface>`;
  const implicit = (id: string, geometry: string, x: number) =>
    building(
      id,
      `<bldg:lod2ImplicitRepresentation><core:ImplicitGeometry>${geometry}<core:referencePoint><gml:Point><gml:pos>` +
        `${position([x, 0, 0])}</gml:pos></gml:Point></core:referencePoint></core:ImplicitGeometry>` +
        `</bldg:lod2ImplicitRepresentation>`,
    );
  const texture = textured(
    '53394525_bldg_6697_appearance/1.png',
    target('wall-r0', RIGHT_HALF),
    target('inside-r0', RIGHT_HALF),
  );
  const { packages, issues } = await convertGml([
    fixture(
      [
        building('a', solid(2, [surface('wall', (x, y) => position([x, y, 0]))])),
        building('b', solid(2, ['<gml:surfaceMember xlink:href="#wall"/>'])),
        implicit('c', `<core:relativeGMLGeometry>${template}</core:relativeGMLGeometry>`, 40),
        implicit('d', '<core:relativeGMLGeometry xlink:href="#t"/>', 80),
        appearance(texture),
      ],
      { files: { [`${FILES}1.png`]: await picture() } },
    ),
  ]);
  assert.deepEqual(issues, []);
  const tiles = await checkPackage(packages.get('bldg_3dtiles_lod2')!);
  assert.deepEqual(
    finestFeatures(tiles)
      .map(({ row }) => row.gml_id)
      .sort(),
    ['a', 'b', 'c', 'd'],
  );
  const { json } = tiles.find((tile) => tile.json !== null)!;
  const { accessors, materials, meshes } = json;
  // All of it is one mesh, with the image.
  assert.deepEqual(
    meshes[0].primitives.map(
      ({ material, attributes }: { material: number; attributes: { POSITION: number } }) => [
        materials[material].pbrMetallicRoughness.baseColorTexture?.index,
        accessors[attributes.POSITION].count,
      ],
    ),
    [
      [0, 8],
      // What only refers to the surfaces is no solid, and seen from both sides.
      [0, 8],
    ],
  );
});

/** Only image of the tiles: its side, and places along its diagonal that are green. */
async function assertGreen(tiles: readonly ReadTile[], side: number, places: readonly number[]) {
  const { json, bytes } = tiles.find((tile) => tile.json !== null)!;
  assert.equal(json.images.length, 1);
  const view = json.bufferViews[json.images[0].bufferView];
  const bin = bytes.subarray(28 + new DataView(bytes.buffer, bytes.byteOffset).getUint32(12, true));
  const webp = bin.subarray(view.byteOffset, view.byteOffset + view.byteLength);
  const { data, info } = await sharp!(webp).raw().toBuffer({ resolveWithObject: true });
  assert.deepEqual([info.width, info.height], [side, side]);
  for (const place of places) {
    const at = 3 * (place * info.width + place);
    assert.ok(data[at]! < 40 && data[at + 1]! > 215 && data[at + 2]! < 40, `pixel ${place}`);
  }
}

test('a picture of the ground lies where its GeoTIFF says', { skip }, async () => {
  const texture =
    `<app:GeoreferencedTexture><app:preferWorldFile>false</app:preferWorldFile>` +
    `<app:imageURI>53394525_bldg_6697_appearance/1.tif</app:imageURI><app:target>#a-p5</app:target>` +
    `</app:GeoreferencedTexture>`;
  // As below, from the upper left corner.
  const [south, west] = position([-10, 0, 0]).split(' ').map(Number) as [number, number];
  const [north, east] = position([10, 16, 0]).split(' ').map(Number) as [number, number];
  const pixels = await sharp!(await picture())
    .raw()
    .toBuffer();
  const tiff = await writeArrayBuffer(new Uint8Array(pixels), {
    width: 64,
    height: 64,
    SamplesPerPixel: 3,
    BitsPerSample: [8, 8, 8],
    SampleFormat: [1, 1, 1],
    PhotometricInterpretation: 2,
    ModelPixelScale: [(east - west) / 64, (north - south) / 64, 0],
    ModelTiepoint: [0, 0, 0, west, north, 0],
    GTRasterTypeGeoKey: 1,
    GTModelTypeGeoKey: 2,
    GeographicTypeGeoKey: 6668,
  });
  const files = { [`${FILES}1.tif`]: Buffer.from(tiff as ArrayBuffer) };
  const { packages, issues } = await convertGml([fixture([house, appearance(texture)], { files })]);
  assert.deepEqual(issues, []);
  await assertGreen(await checkPackage(packages.get('bldg_3dtiles_lod2')!), 64, [0, 17, 33]);
});

test('a picture of the ground lies where its world file says', { skip }, async () => {
  const texture =
    `<app:GeoreferencedTexture><app:imageURI>53394525_bldg_6697_appearance/1.png</app:imageURI>` +
    `<app:target>#a-p5</app:target></app:GeoreferencedTexture>`;
  // 64 pixels over 20 by 16 metres: the roof is the lower right quarter.
  const [south, west] = position([-10, 0, 0]).split(' ').map(Number) as [number, number];
  const [north, east] = position([10, 16, 0]).split(' ').map(Number) as [number, number];
  const [a, e] = [(east - west) / 64, (south - north) / 64];
  const lines = [a, 0, 0, e, west + a / 2, north + e / 2].join('\n');
  const files = { [`${FILES}1.png`]: await picture(), [`${FILES}1.pgw`]: Buffer.from(lines) };
  const { packages, issues } = await convertGml([fixture([house, appearance(texture)], { files })]);
  assert.deepEqual(issues, []);
  await assertGreen(await checkPackage(packages.get('bldg_3dtiles_lod2')!), 64, [0, 17, 33]);
});

test('tiles above the leaves show blocks in the mean colours of roofs and of the rest', {
  skip,
}, async () => {
  const filler = `<gml:name>${'あ'.repeat(1_000)}</gml:name>`;
  const town = Array.from({ length: 300 }, (_, i) => {
    const [place, size] = [[(i % 20) * 30, Math.floor(i / 20) * 30, 0] as const, [10, 8, 6] as const];
    const shapes = solid(1, box(place, size)) + solid(2, box(place, size, `h${i}`));
    return building(`h${i}`, shapes, filler);
  });
  const texture = textured(
    '53394525_bldg_6697_appearance/1.png',
    ...town.map((_, i) => target(`h${i}-p5-r0`, RIGHT_HALF)),
    ...town.map((_, i) => target(`h${i}-p2-r0`, '0 0.5 0.5 0.5 0.5 1 0 1 0 0.5')),
  );
  const { packages } = await convertGml(
    [fixture([...town, appearance(texture)], { files: { [`${FILES}1.png`]: await picture() } })],
    { compression: 'none' },
  );
  const tiles = await checkPackage(packages.get('bldg_3dtiles_lod2')!);
  const ids = finestFeatures(tiles).map(({ row }) => row.gml_id);
  assert.deepEqual([new Set(ids).size, ids.length], [300, 300]);
  const above = tiles.filter(({ isLeaf, features }) => !isLeaf && features.length > 0);
  for (const { features } of above) assert.equal(features[0]!.row.attributes, undefined);
  const coarse = above.filter(({ geometricError }) => geometricError >= 16);
  assert.ok(coarse.length > 0);
  for (const { json, bytes, features } of coarse) {
    assert.equal(json.images, undefined);
    assertArea(features[0]!.area);
    const [primitive] = json.meshes[0].primitives;
    const view = json.bufferViews[json.accessors[primitive.attributes.COLOR_0].bufferView];
    const bin = bytes.subarray(28 + new DataView(bytes.buffer, bytes.byteOffset).getUint32(12, true));
    const colours = new Map<string, Uint8Array>();
    for (let i = view.byteOffset; i < view.byteOffset + view.byteLength; i += 4) {
      const colour = bin.subarray(i, i + 4);
      colours.set(colour.join(), colour);
    }
    // Roofs are green and walls red, but for what neighbours add where images are read smaller.
    const [roof, wall] = [...colours.values()].sort((a, b) => b[1]! - a[1]!);
    assert.equal(colours.size, 2);
    assert.ok(roof![1]! > 200 && roof![0]! < 20, roof!.join());
    assert.ok(wall![0]! > 100 && wall![1]! < 20, wall!.join());
  }
});

test('towers are in a tile above all files, which shows them without textures', { skip }, async () => {
  const source = async (id: string, mesh: string, x: number) => {
    const [place, size] = [[x, 0, 0] as const, [10, 8, 90] as const];
    const shapes = solid(1, box(place, size)) + solid(2, box(place, size, id));
    const texture = textured(`${mesh}_bldg_6697_appearance/1.png`, target(`${id}-p5-r0`, RIGHT_HALF));
    return fixture([building(id, shapes), appearance(texture)], {
      path: `udx/bldg/${mesh}_bldg_6697_op.gml`,
      files: { [`udx/bldg/${mesh}_bldg_6697_appearance/1.png`]: await picture() },
    });
  };
  const sources = [await source('t1', '53394525', 0), await source('t2', '53394526', 50)];
  const { packages, issues } = await convertGml(sources);
  assert.deepEqual(issues, []);
  const tiles = await checkPackage(packages.get('bldg_3dtiles_lod2')!);
  const overview = tiles.find(({ path }) => path === 'overview/533945_replace/0.glb')!;
  assert.deepEqual([overview.refine, overview.geometricError], ['REPLACE', 64]);
  const idsOf = (features: readonly ReadFeature[]) => features.map(({ row }) => row.gml_id);
  assert.deepEqual(idsOf(overview.features), ['t1', 't2']);
  assert.equal(overview.json.images, undefined);
  assert.deepEqual(idsOf(finestFeatures(tiles)), ['t1', 't2']);
});

test('the twin without textures has as few tiles as if there were no images', { skip }, async () => {
  const town = Array.from({ length: 60 }, (_, i) =>
    building(`h${i}`, solid(2, box([(i % 8) * 60, Math.floor(i / 8) * 60, 0], [50, 40, 50], `h${i}`))),
  );
  const texture = textured(
    '53394525_bldg_6697_appearance/1.png',
    ...town.map((_, i) => target(`h${i}-p5-r0`, '0 0 1 0 1 1 0 1 0 0')),
  );
  const files = { [`${FILES}1.png`]: await picture(512, 512) };
  const { packages } = await convertGml([fixture([...town, appearance(texture)], { files })]);
  const twin = await checkPackage(packages.get('bldg_3dtiles_lod2_no_texture')!);
  assert.equal(twin.filter(({ features }) => features.length > 0).length, 1);
  assert.equal(finestFeatures(twin).length, 60);
  const tiles = await checkPackage(packages.get('bldg_3dtiles_lod2')!);
  assert.ok(tiles.filter(({ features }) => features.length > 0).length > 1);
});

test('pixels of textures are pixels of the screen where tiles are replaced, and blocks come before all of them', {
  skip,
}, async () => {
  const count = 160;
  const town = Array.from({ length: count }, (_, i) =>
    building(`h${i}`, solid(2, box([(i % 16) * 20, Math.floor(i / 16) * 20, 0], [12, 12, 5], `h${i}`))),
  );
  // Roofs only: 10 cm a pixel.
  const texture = town.map((_, i) =>
    textured(`53394525_bldg_6697_appearance/${i}.png`, target(`h${i}-p5-r0`, '0 0 1 0 1 1 0 1 0 0')),
  );
  const image = await picture(120, 120);
  const files = Object.fromEntries(town.map((_, i) => [`${FILES}${i}.png`, image]));
  const { packages } = await convertGml([fixture([...town, appearance(...texture)], { files })]);
  const tiles = await checkPackage(packages.get('bldg_3dtiles_lod2')!);
  const shown = tiles.filter(({ features }) => features.length > 0);
  assert.deepEqual(new Set(finestFeatures(tiles).map(({ row }) => row.gml_id)).size, count);
  const errors = [...new Set(shown.map(({ geometricError }) => geometricError))].sort((a, b) => b - a);
  assert.ok(errors.length >= 4, errors.join());
  for (const tile of shown) {
    const pixels = pixelsOfImages(tile);
    if (tile.geometricError >= 16) {
      assert.equal(pixels, 0);
      continue;
    }
    assert.ok(pixels <= 1024 * 768, `${pixels} pixels`);
    const texel = Math.max(0.1, tile.geometricError / 16);
    const wanted = (tile.features.length * 12 * 12) / texel ** 2;
    assert.ok(
      pixels >= 0.99 * wanted && pixels < 2 * wanted,
      `${tile.geometricError} m: ${pixels} for ${wanted} pixels`,
    );
  }
});

/** Of all images of a tile of glTF: their sizes as WebP says them (RFC 9649, section 2.5). */
function pixelsOfImages({ json, bytes }: ReadTile): number {
  const bin = bytes.subarray(28 + new DataView(bytes.buffer, bytes.byteOffset).getUint32(12, true));
  return (json.images ?? []).reduce((sum: number, { bufferView }: { bufferView: number }) => {
    const at = bin.byteOffset + json.bufferViews[bufferView].byteOffset;
    const view = new DataView(bin.buffer, at);
    return sum + (view.getUint16(26, true) & 0x3fff) * (view.getUint16(28, true) & 0x3fff);
  }, 0);
}

test('an image that repeats stays whole', { skip }, async () => {
  const texture = textured('53394525_bldg_6697_appearance/1.png', target('a-p5-r0', '0 0 4 0 4 3 0 3 0 0'));
  const { packages } = await convertGml([
    fixture([appearance(texture), house], { files: { [`${FILES}1.png`]: await picture() } }),
  ]);
  const tiles = await checkPackage(packages.get('bldg_3dtiles_lod2')!);
  const { json } = tiles.find((tile) => tile.json !== null)!;
  assert.equal(json.samplers[0].wrapS, 10497);
  // Surfaces with and without it are two meshes, between which no gap shows.
  assert.equal(json.meshes[0].primitives.length, 2);
  const corners = new Set(finestFeatures(tiles)[0]!.vertices.map((vertex) => vertex.join()));
  assert.equal(corners.size, 8);
});

test('an image that repeats is as fine on a small part of it as on a large one', { skip }, async () => {
  // From near the end of one image to the beginning of the next, 0.02 images wide: a page of pixels is coarser.
  const around = (u: number, v: number, size: number) =>
    `${u} ${v} ${u + size} ${v} ${u + size} ${v + size} ${u} ${v + size} ${u} ${v}`;
  const texture = textured(
    '53394525_bldg_6697_appearance/1.png',
    target('a-p5-r0', around(0.97131, 0.2, 0.04)),
    target('a-p4-r0', around(0.98417, 0.21113, 0.02)),
  );
  const { packages } = await convertGml([
    fixture([appearance(texture), house], { files: { [`${FILES}1.png`]: await picture() } }),
  ]);
  const tiles = await checkPackage(packages.get('bldg_3dtiles_lod2')!);
  const { bytes } = tiles.find((tile) => tile.json !== null && tile.isLeaf)!;
  const coordinates = await foreignCoordinates(bytes);
  for (const [u, v] of [
    [0.97131, 0.8],
    [1.01131, 0.76],
    [0.98417, 0.78887],
    [1.00417, 0.76887],
  ] as const) {
    const nearest = Math.min(...coordinates.map(([x, y]) => Math.max(Math.abs(x - u), Math.abs(y - v))));
    assert.ok(nearest <= 0.02 / 4096 + 1e-7, `${u} ${v} is ${nearest} off`);
  }
});

test('a picture of the ground beside a roof is an issue of its own', { skip }, async () => {
  const texture =
    `<app:GeoreferencedTexture><app:imageURI>53394525_bldg_6697_appearance/1.png</app:imageURI>` +
    `<app:target>#a-p5</app:target></app:GeoreferencedTexture>`;
  const [lat, lng] = position([5, 0, 0]).split(' ').map(Number) as [number, number];
  const world = [1e-6, 0, 0, -1e-6, lng, lat].join('\n');
  const files = { [`${FILES}1.png`]: await picture(), [`${FILES}1.pgw`]: Buffer.from(world) };
  const convertWith = async (...more: string[]) => {
    const { issues } = await convertGml([fixture([house, appearance(texture, ...more)], { files })]);
    return issues.map(({ code, count, id }) => [code, count, id]);
  };
  const outside = ['TEXTURE_OUTSIDE', 1, 'a'];
  const unused = ['IMAGE_UNUSED', 1, null];
  assert.deepEqual(await convertWith(), [outside, unused]);
  const misfits = textured(
    '53394525_bldg_6697_appearance/1.png',
    target('a-p4-r0', '0 0 1 0'),
    target('a-p3-r0', '0 0 1 0'),
  );
  assert.deepEqual(await convertWith(misfits), [['TEXTURE_MISFITS', 2, 'a'], outside, unused]);
});

test('what is wrong with textures becomes issues, and the surfaces stay', { skip }, async () => {
  const { packages, issues } = await convertGml(
    [
      fixture(
        [
          house,
          appearance(
            textured('53394525_bldg_6697_appearance/none.png', target('a-p5-r0', RIGHT_HALF)),
            textured('53394525_bldg_6697_appearance/bad.png', target('a-p4-r0', RIGHT_HALF)),
            textured(
              '53394525_bldg_6697_appearance/1.png',
              target('a-p3-r0', '0 0 1 0'),
              target('a-p2-r0', '0 0 0 0 0 0 0 0 0 0'),
            ),
          ),
        ],
        { files: { [`${FILES}1.png`]: await picture(), [`${FILES}bad.png`]: Buffer.from('no image') } },
      ),
    ],
    { compression: 'none' },
  );
  assert.deepEqual(
    issues.map(({ code, message }) => `${code} ${message.match(/\w+\.png/)?.[0] ?? ''}`.trim()),
    ['IMAGE_FORMAT_UNKNOWN bad.png', 'IMAGE_MISSING none.png', 'TEXTURE_MISFITS'],
  );
  const tiles = await checkPackage(packages.get('bldg_3dtiles_lod2')!);
  const [feature] = finestFeatures(tiles);
  assertArea(feature!.area);
  // Middle grey, in sRGB 128, in place of images that cannot be shown.
  const colours = tiles.flatMap(coloursOf);
  assert.ok(colours.includes('55 55 55 255'), colours.join(', '));
  assert.deepEqual(new Set(colours), new Set(['55 55 55 255', '255 255 255 255']));
});

/** Colours of the meshes of a tile that is not compressed: linear red, green, blue and opacity. */
function coloursOf({ json, bytes }: Awaited<ReturnType<typeof checkPackage>>[number]): string[] {
  if (json === null) return [];
  const bin = bytes.subarray(28 + new DataView(bytes.buffer, bytes.byteOffset).getUint32(12, true));
  return json.meshes[0].primitives.flatMap(({ attributes }: { attributes: { COLOR_0?: number } }) => {
    if (attributes.COLOR_0 === undefined) return [];
    const { bufferView, count, byteOffset: from = 0 } = json.accessors[attributes.COLOR_0];
    const { byteOffset = 0, byteStride = 4 } = json.bufferViews[bufferView];
    return Array.from({ length: count }, (_, i) => {
      const at = byteOffset + from + i * byteStride;
      return [...bin.subarray(at, at + 4)].join(' ');
    });
  });
}

test('colours of materials are on their surfaces', async () => {
  const material =
    '<app:X3DMaterial><app:diffuseColor>1 0 0</app:diffuseColor><app:transparency>0.5</app:transparency>' +
    '<app:target>#a-p5</app:target></app:X3DMaterial>';
  const { packages } = await convertGml([fixture([house, appearance(material)])], { compression: 'none' });
  assert.deepEqual([...packages.keys()], ['bldg_3dtiles_lod1', 'bldg_3dtiles_lod2']);
  const tile = (await checkPackage(packages.get('bldg_3dtiles_lod2')!)).find(({ json }) => json !== null)!;
  assert.ok(tile.json.materials.some(({ alphaMode }: { alphaMode?: string }) => alphaMode === 'BLEND'));
  assert.ok(coloursOf(tile).includes('255 0 0 128'));
});

test('the twin without textures has no colours of materials either: it is the package of a file without them', {
  skip,
}, async () => {
  const texture = textured('53394525_bldg_6697_appearance/1.png', target('a-p5-r0', RIGHT_HALF));
  const red =
    '<app:X3DMaterial><app:diffuseColor>1 0 0</app:diffuseColor><app:target>#a-p1</app:target></app:X3DMaterial>';
  const files = { [`${FILES}1.png`]: await picture() };
  const { packages } = await convertGml([fixture([house, appearance(texture, red)], { files })]);
  const plain = (await convertGml([fixture([house])])).packages.get('bldg_3dtiles_lod2')!;
  const twin = packages.get('bldg_3dtiles_lod2_no_texture')!;
  assert.deepEqual([...twin.keys()], [...plain.keys()]);
  for (const [path, bytes] of plain) {
    if (path.endsWith('.glb')) assert.ok(Buffer.from(bytes).equals(twin.get(path)!), path);
  }
});

test('an output is textured only when an image is drawn in it', { skip }, async () => {
  const texture = (image: string) =>
    `<app:appearanceMember><app:ParameterizedTexture><app:imageURI>${image}</app:imageURI><app:target uri="#a-p5">` +
    `<app:TexCoordList><app:textureCoordinates ring="#a-p5-r0">0 0 1 0 1 1 0 1 0 0</app:textureCoordinates>` +
    `</app:TexCoordList></app:target></app:ParameterizedTexture></app:appearanceMember>`;
  const house = building('a', solid(2, box([0, 0, 0], [10, 10, 10], 'a')));
  const convertWith = async (image: string, files: Record<string, Uint8Array>) => {
    const { packages } = await convertGml([fixture([house, texture(image)], { files })]);
    return [...packages.keys()].sort();
  };
  const whole = readFileSync(
    join(import.meta.dirname, '../../../../../docs/pictures/converted-untextured.png'),
  );
  assert.deepEqual(await convertWith('none.png', {}), ['bldg_3dtiles_lod2']);
  // A head without the rest says that there is an image.
  assert.deepEqual(await convertWith('cut.png', { 'udx/bldg/cut.png': whole.subarray(0, 2_000) }), [
    'bldg_3dtiles_lod2',
  ]);
  assert.deepEqual(await convertWith('a.png', { 'udx/bldg/a.png': whole }), [
    'bldg_3dtiles_lod2',
    'bldg_3dtiles_lod2_no_texture',
  ]);
});
