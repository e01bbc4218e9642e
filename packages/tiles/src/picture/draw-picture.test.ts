import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { geodeticToEcef } from '@citymodel/geo';
import sharp from 'sharp';
import { writeB3dm } from '../write/b3dm.ts';
import { type DrawnPicture, drawPicture, type PictureOptions } from './draw-picture.ts';
import { encodePicture, writePng } from './encode-picture.ts';
import {
  type Box,
  boxMesh,
  glbOf,
  LAT,
  LNG,
  packageOf,
  tileOf,
  tilesetOf,
  transformAt,
} from './testing/small-city.ts';

const TOWN: Box[] = [-30, 0, 30].flatMap((east) =>
  [-30, 0, 30].map((north) => ({ east, north, half: 9, height: 20 })),
);
const SIZE = { width: 240, height: 126 };
const OPTIONS = { ...SIZE, isPlain: true, tint: null, signal: new AbortController().signal };
const RED = [220, 10, 10, 255] as const;

const draw = (members: Record<string, Uint8Array | object>, options: PictureOptions = OPTIONS) =>
  drawPicture(packageOf(members), options);

const town = async (kind: 'draco' | 'meshopt' | 'none', colour: readonly number[] | null = null) =>
  draw({ 'tileset.json': tilesetOf(tileOf('a.glb')), 'a.glb': await glbOf(boxMesh(TOWN, colour), kind) });

/** Mean of the difference of all parts of all pixels. */
function difference(a: DrawnPicture | null, b: DrawnPicture | null): number {
  const [one, other] = [a!.pixels!.light, b!.pixels!.light];
  return one.reduce((sum, value, i) => sum + Math.abs(value - other[i]!), 0) / one.length;
}

/** How many pixels are clearly redder than green. */
function reds(picture: DrawnPicture | null): number {
  const { light } = picture!.pixels!;
  let count = 0;
  for (let i = 0; i < light.length; i += 3) if (light[i]! > light[i + 1]! + 60) count++;
  return count;
}

suite('pictures of 3D Tiles', () => {
  test('show the same whatever meshes are compressed with', async () => {
    const [plain, draco, meshopt] = await Promise.all([town('none'), town('draco'), town('meshopt')]);
    assert.equal(plain!.triangles, 90);
    assert.equal(plain!.pixels!.light.length, 3 * SIZE.width * SIZE.height);
    assert.ok(difference(plain, draco) < 1.5, 'Draco');
    assert.ok(difference(plain, meshopt) < 1.5, 'meshopt');
  });

  test('fill the middle, have the sky above, and are darker in the dark theme', async () => {
    const picture = await town('none', RED);
    const count = reds(picture);
    const pixels = picture!.pixels!;
    assert.ok(count > 0.08 * SIZE.width * SIZE.height, `${count} pixels of houses`);
    const mean = (values: Uint8Array) => values.reduce((sum, value) => sum + value, 0) / values.length;
    assert.ok(mean(pixels.dark) < 0.6 * mean(pixels.light));
    const [red, , blue] = pixels.light;
    assert.ok(blue! > red!, 'the sky is blue');
  });

  test('show roofs brighter than what lies in the shadow of a tower', async () => {
    const boxes = [...TOWN, { east: -70, north: -50, half: 12, height: 60 }];
    const tower = await draw({
      'tileset.json': tilesetOf(tileOf('a.glb')),
      'a.glb': await glbOf(boxMesh(boxes, null), 'none'),
    });
    assert.ok(difference(tower, await town('none')) > 1);
  });

  test('paint grey of buildings alone', async () => {
    const members = {
      'tileset.json': tilesetOf(tileOf('a.glb')),
      'a.glb': await glbOf(boxMesh(TOWN, null), 'none'),
    };
    const [painted, plain] = [await draw(members), await draw(members, { ...OPTIONS, isPlain: false })];
    assert.ok(difference(painted, plain) > 1);
    const red = { ...members, 'a.glb': await glbOf(boxMesh(TOWN, RED), 'none') };
    assert.ok(reds(await draw(red)) > 1000, 'what has a colour keeps it');
  });

  test('tint what is white alone', async () => {
    const members = {
      'tileset.json': tilesetOf(tileOf('a.glb')),
      'a.glb': await glbOf(boxMesh(TOWN, null), 'none'),
    };
    const tinted = { ...OPTIONS, isPlain: false, tint: [0.8, 0, 0] as const };
    assert.ok(reds(await draw(members, tinted)) > 1000);
    const grey = { ...members, 'a.glb': await glbOf(boxMesh(TOWN, [120, 120, 120, 255]), 'none') };
    assert.equal(reds(await draw(grey, tinted)), 0);
  });

  test('show photographs', async () => {
    const bytes = await sharp({ create: { width: 8, height: 8, channels: 3, background: '#e01010' } })
      .webp()
      .toBuffer();
    const mesh = boxMesh(TOWN, null);
    const uvs = Float32Array.from({ length: (mesh.positions.length / 3) * 2 }, (_, i) => (i % 5) / 4);
    const image = { bytes, mimeType: 'image/webp', repeats: false, seeThrough: false } as const;
    const glb = await glbOf({ ...mesh, uvs }, 'none', image);
    const picture = await draw({ 'tileset.json': tilesetOf(tileOf('a.glb')), 'a.glb': glb });
    assert.ok(reds(picture) > 1000);
    const broken = await glbOf({ ...mesh, uvs }, 'none', { ...image, bytes: Buffer.from('no image') });
    const without = await draw({ 'tileset.json': tilesetOf(tileOf('a.glb')), 'a.glb': broken });
    assert.deepEqual([without!.leftOut, reds(without)], [1, 0]);
  });

  test('stand where RTC_CENTER of a b3dm says', async () => {
    // The centre is in the frame of the tile: without a transform that of the Earth.
    const [x, y, z] = geodeticToEcef(LNG, LAT, 0);
    const glb = await glbOf(boxMesh(TOWN, null), 'none');
    const turned = { ...tileOf('a.b3dm'), transform: [...transformAt().slice(0, 12), 0, 0, 0, 1] };
    const m = transformAt();
    // The same point, in the turned axes.
    const local = [0, 4, 8].map((i) => m[i]! * x + m[i + 1]! * y + m[i + 2]! * z);
    const picture = await draw({
      'tileset.json': tilesetOf(turned),
      'a.b3dm': writeB3dm(glb, 1, {}, local),
    });
    assert.ok(difference(picture, await town('none')) < 0.5);
  });

  test('take finer tiles in the place of coarser ones, and add where a tileset says so', async () => {
    const members = {
      'coarse.glb': await glbOf(boxMesh(TOWN, RED), 'none'),
      'inner/tileset.json': tilesetOf({ ...tileOf('../fine.glb'), transform: undefined }),
      'fine.glb': await glbOf(boxMesh(TOWN.slice(0, 4), null), 'none'),
    };
    const child = { ...tileOf('inner/tileset.json'), transform: undefined };
    const drawn = async (refine: string) =>
      draw({ ...members, 'tileset.json': tilesetOf(tileOf('coarse.glb', { refine, children: [child] })) });
    const [replaced, added] = [await drawn('REPLACE'), await drawn('ADD')];
    assert.deepEqual([replaced!.triangles, added!.triangles], [40, 130]);
    assert.equal(reds(replaced), 0);
  });

  test('leave out a file that is damaged, and say which', async () => {
    const whole = await glbOf(boxMesh(TOWN, null), 'draco');
    const root = tileOf(null, {
      children: ['a.glb', 'b.glb', 'c.glb', '../d.glb'].map((uri) => ({
        ...tileOf(uri),
        transform: undefined,
      })),
    });
    const damaged = whole.slice();
    damaged.fill(0x41, whole.length - 200);
    const picture = await draw({
      'tileset.json': tilesetOf(root),
      'a.glb': whole,
      'b.glb': whole.subarray(0, 100),
      'c.glb': damaged,
    });
    assert.equal(picture!.triangles, 90);
    assert.equal(picture!.leftOut, 3);
    assert.equal(picture!.firstReason, 'tileset.json: ../d.glb is not in the package.');
    const { firstReason } = (await draw({
      'tileset.json': tilesetOf(tileOf('b.glb')),
      'b.glb': whole.subarray(0, 100),
    }))!;
    assert.match(firstReason!, /^b\.glb: The binary glTF has 100 bytes/);
  });

  test('count what is not drawn: tiles of implicit tiling, other contents, tilesets that cannot be read', async () => {
    const contents = ['a.glb', 'points.pnts', 'inner/tileset.json'];
    const children: object[] = contents.map((uri) => ({ ...tileOf(uri), transform: undefined }));
    children.push({ ...tileOf('{level}.glb'), transform: undefined, implicitTiling: {} });
    const picture = await draw({
      'tileset.json': tilesetOf(tileOf(null, { children })),
      'a.glb': await glbOf(boxMesh(TOWN, null), 'none'),
      'points.pnts': Buffer.from('pnts'.padEnd(40, '\0')),
      'inner/tileset.json': Buffer.from('{'),
    });
    assert.deepEqual([picture!.triangles, picture!.leftOut, picture!.beyond], [90, 3, 0]);
  });

  test('keep what is black apart from the ground', async () => {
    const members = {
      'tileset.json': tilesetOf(tileOf('a.glb')),
      'a.glb': await glbOf(boxMesh(TOWN, [0, 0, 0, 255]), 'none'),
    };
    const black = (await draw(members, { ...OPTIONS, isPlain: false }))!.pixels!.light;
    const dark = black.reduce((sum, value) => sum + (value < 30 ? 1 : 0), 0);
    assert.ok(dark > 0.05 * black.length, `${dark} of ${black.length} are dark`);
  });

  test('are none of what has no tiles, no triangles, or only broken ones', async () => {
    assert.equal(await draw({}), null);
    assert.equal(await draw({ 'tileset.json': tilesetOf({ ...tileOf(null) }) }), null);
    const missing = await draw({ 'tileset.json': tilesetOf(tileOf('missing.glb')) });
    assert.deepEqual([missing!.pixels, missing!.leftOut], [null, 1]);
    const broken = await draw({ 'tileset.json': tilesetOf(tileOf('a.glb')), 'a.glb': Buffer.from('glTF') });
    assert.equal(broken!.triangles, 0);
    assert.match(broken!.firstReason!, /a\.glb/);
    assert.deepEqual(broken!.pixels, null);
  });

  test('end when their work is to end', async () => {
    const members = {
      'tileset.json': tilesetOf(tileOf('a.glb')),
      'a.glb': await glbOf(boxMesh(TOWN, null), 'none'),
    };
    const signal = AbortSignal.abort(new Error('enough'));
    await assert.rejects(draw(members, { ...OPTIONS, signal }), { message: 'enough' });
  });

  test('become files that image libraries read', async () => {
    const pixels = (await town('none'))!.pixels!;
    const large = await encodePicture(pixels.light, SIZE, 1);
    const small = await encodePicture(pixels.light, SIZE, 2);
    assert.deepEqual([large.mimeType, large.width, large.height], ['image/jpeg', 240, 126]);
    assert.deepEqual([small.mimeType, small.width, small.height], ['image/jpeg', 120, 63]);
    const { format, width } = await sharp(small.bytes).metadata();
    assert.deepEqual([format, width], ['jpeg', 120]);
    const png = writePng(pixels.light, SIZE.width, SIZE.height);
    const read = await sharp(png).raw().toBuffer();
    assert.ok(read.equals(pixels.light));
  });
});
