import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadSharp } from '../texture/images.ts';
import { checkPackage, finestFeatures } from './testing/check-package.ts';
import { convertGml } from './testing/convert-gml.ts';
import { box, building, fixture, position, solid } from './testing/fixture-gml.ts';
import type { ReadTile } from './testing/read-tiles.ts';

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
  `<app:target uri="#${ring.replace(/-r0$/, '')}"><app:TexCoordList><app:textureCoordinates ring="#${ring}">${uvs}</app:textureCoordinates></app:TexCoordList></app:target>`;

const appearance = (...data: string[]) =>
  `<app:appearanceMember><app:Appearance><app:theme>rgbTexture</app:theme>${data
    .map((each) => `<app:surfaceDataMember>${each}</app:surfaceDataMember>`)
    .join('')}</app:Appearance></app:appearanceMember>`;

const textured = (image: string, ...targets: string[]) =>
  `<app:ParameterizedTexture><app:imageURI>${image}</app:imageURI>${targets.join('')}</app:ParameterizedTexture>`;

const house = building('a', solid(1, box([0, 0, 0], [10, 8, 6])) + solid(2, box([0, 0, 0], [10, 8, 6], 'a')));
/** Of all sides of the house, but for the sphere that degrees are taken from. */
const assertArea = (area: number) => assert.ok(Math.abs(area / 376 - 1) < 0.01, `${area} m²`);
const RIGHT_HALF = '0.5 0 1 0 1 0.5 0.5 0.5 0.5 0';
const FILES = 'udx/bldg/53394525_bldg_6697_appearance/';

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
  for (const each of [tiles, twin]) assertArea(finestFeatures(each)[0]!.area);
  // The piece is the lower right quarter, 32 pixels with an edge of 2 on all sides, on a page of a power of two: green.
  await assertGreen(tiles, 64, [0, 17, 33]);
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

test('a picture of the ground lies where its world file says', { skip }, async () => {
  const texture = `<app:GeoreferencedTexture><app:imageURI>53394525_bldg_6697_appearance/1.png</app:imageURI><app:target>#a-p5</app:target></app:GeoreferencedTexture>`;
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

test('an image that repeats stays whole', { skip }, async () => {
  const texture = textured('53394525_bldg_6697_appearance/1.png', target('a-p5-r0', '0 0 4 0 4 3 0 3 0 0'));
  const { packages } = await convertGml([
    fixture([appearance(texture), house], { files: { [`${FILES}1.png`]: await picture() } }),
  ]);
  const tiles = await checkPackage(packages.get('bldg_3dtiles_lod2')!);
  const { json } = tiles.find((tile) => tile.json !== null)!;
  assert.equal(json.samplers[0].wrapS, 10497);
});

test('what is wrong with textures becomes issues, and the surfaces stay', { skip }, async () => {
  const { packages, issues } = await convertGml([
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
  ]);
  assert.deepEqual(
    issues.map(({ code, message }) => `${code} ${message.match(/\w+\.png/)?.[0] ?? ''}`.trim()),
    ['IMAGE_MISSING bad.png', 'IMAGE_MISSING none.png', 'TEXTURE_MISFITS'],
  );
  const [feature] = finestFeatures(await checkPackage(packages.get('bldg_3dtiles_lod2')!));
  assertArea(feature!.area);
});

test('colours of materials are on their surfaces', async () => {
  const material =
    '<app:X3DMaterial><app:diffuseColor>1 0 0</app:diffuseColor><app:transparency>0.5</app:transparency><app:target>#a-p5</app:target></app:X3DMaterial>';
  const { packages } = await convertGml([fixture([house, appearance(material)])], { compression: 'none' });
  assert.deepEqual([...packages.keys()], ['bldg_3dtiles_lod1', 'bldg_3dtiles_lod2']);
  const { json, bytes } = (await checkPackage(packages.get('bldg_3dtiles_lod2')!)).find(
    (tile) => tile.json !== null,
  )!;
  const blended = json.meshes[0].primitives.find(
    (primitive: { material: number }) => json.materials[primitive.material].alphaMode === 'BLEND',
  );
  const view = json.bufferViews[json.accessors[blended.attributes.COLOR_0].bufferView];
  const bin = bytes.subarray(28 + new DataView(bytes.buffer, bytes.byteOffset).getUint32(12, true));
  assert.deepEqual([...bin.subarray(view.byteOffset, view.byteOffset + 4)], [255, 0, 0, 128]);
});
