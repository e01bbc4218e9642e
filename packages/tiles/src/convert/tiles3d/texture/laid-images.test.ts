import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evenly } from '@citymodel/base/testing';
import { crsOf, type XmlElement } from '@citymodel/citygml';
import fc from 'fast-check';
import { writeArrayBuffer } from 'geotiff';
import { Appearances } from '../../read/appearances.ts';
import { IssueCounter } from '../../read/issue-counter.ts';
import { keyOf } from '../../read/key.ts';
import { gmlSource } from '../../read/testing/gml-source.ts';
import type { Images } from './images.ts';
import { LaidImages } from './laid-images.ts';

const PATH = 'udx/bldg/53394525_bldg_6697_op.gml';
const [WIDTH, HEIGHT] = [400, 200];

const element = (name: string, text: string, children: XmlElement[] = [], attributes = {}): XmlElement => ({
  name,
  text,
  children,
  attributes,
});

/** A picture of the ground over the surface `s`, or a texture with a matrix for it. */
function ground(...more: XmlElement[]): XmlElement {
  return groundOf('a/ground.JPG', ...more);
}
function groundOf(image: string, ...more: XmlElement[]): XmlElement {
  const target = element('app:target', '#s');
  return element('app:GeoreferencedTexture', '', [element('app:imageURI', image), target, ...more]);
}
const orientation = (...numbers: number[]) => element('app:orientation', numbers.join(' '));
const referencePoint = (first: number, second: number, srsName?: string) =>
  element('app:referencePoint', '', [
    element(
      'gml:Point',
      '',
      [element('gml:pos', `${first} ${second}`)],
      srsName === undefined ? {} : { srsName },
    ),
  ]);

async function open(texture: XmlElement, srsName: string, files: Record<string, string | Buffer> = {}) {
  const appearances = new Appearances(PATH);
  appearances.add(texture);
  const members = new Map(
    Object.entries({ [PATH]: '', ...files }).map(([path, content]) => [path, Buffer.from(content)]),
  );
  const codes: string[] = [];
  const issues = new IssueCounter(PATH, ({ code }) => codes.push(code));
  const images = {
    facts: async () => ({ width: WIDTH, height: HEIGHT, hasAlpha: false }),
  } as unknown as Images;
  const positions = { srsName, raisedBy: () => 37 };
  const laid = await LaidImages.open(appearances, images, gmlSource(PATH, members), positions, issues);
  issues.tell();
  const number = appearances.laidOn([0, keyOf('s')])!;
  return {
    codes,
    isGround: laid.isGround(number),
    at: (lng: number, lat: number, height = 0) =>
      [...laid.coordinates(number, Float64Array.of(lng, lat, height), 0, 1)] as [number, number],
    /** Of positions from one on. */
    all: (positions: readonly number[], from: number, to: number) => [
      ...laid.coordinates(number, Float64Array.from(positions), from, to),
    ],
  };
}

/** The centre of a pixel in u and v. */
const centre = (column: number, row: number) => [(column + 0.5) / WIDTH, 1 - (row + 0.5) / HEIGHT];
const assertNear = (found: readonly number[], expected: readonly number[]) => {
  for (const [i, value] of found.entries())
    assert.ok(Math.abs(value - expected[i]!) < 1e-5, `${found} is not ${expected}`);
};

test('a world file tells where pixels are, by any of its names, turned or not', async () => {
  const pixel = fc.tuple(fc.integer({ min: 0, max: WIDTH }), fc.integer({ min: 0, max: HEIGHT }));
  const affine = fc.record({
    angle: evenly(-3, 3),
    size: fc.constantFrom(0.05, 0.2, 1),
    name: fc.constantFrom('jgw', 'JPGW', 'wld'),
    srsName: fc.constantFrom('EPSG:6677', 'EPSG:25832', 'EPSG:3006'),
  });
  await fc.assert(
    fc.asyncProperty(affine, pixel, async ({ angle, size, name, srsName }, [column, row]) => {
      const crs = crsOf(srsName)!;
      const [east, north] = srsName === 'EPSG:25832' ? [356_500, 5_645_300] : [500_000, 1_230_000];
      const [a, d] = [size * Math.cos(angle), size * Math.sin(angle)];
      const [b, e] = [size * Math.sin(angle), -size * Math.cos(angle)];
      const lines = [a, d, b, e, east, north].join('\r\n');
      const { at, codes, isGround } = await open(ground(), srsName, {
        [`udx/bldg/a/ground.${name.toLowerCase()}`]: lines,
      });
      assert.deepEqual([codes, isGround], [[], true]);
      const [x, y] = [east + a * column + b * row, north + d * column + e * row];
      assertNear(
        at(...crs.toLngLat(...(crs.northFirst ? ([y, x] as const) : ([x, y] as const)))),
        centre(column, row),
      );
    }),
    { numRuns: 40 },
  );
});

test(
  'of latitudes and longitudes a world file has longitudes first, and positions inside of the GML ' +
    'latitudes',
  async () => {
    const lines = [1e-6, 0, 0, -2e-6, 139.77, 35.68].join('\n');
    const place = [139.77 + 30e-6, 35.68 - 2 * 50e-6] as const;
    const beside = await open(ground(), 'EPSG:6697', { 'udx/bldg/a/ground.jgw': lines });
    assertNear(beside.at(...place), centre(30, 50));
    // The matrix easting first, or in the order of the system.
    for (const numbers of [
      [1e-6, 0, 0, -2e-6],
      [0, -2e-6, 1e-6, 0],
    ]) {
      const inline = await open(ground(orientation(...numbers), referencePoint(35.68, 139.77)), 'EPSG:6697');
      assertNear(inline.at(...place), centre(30, 50));
    }
  },
);

test('what stands in the GML goes before a world file, in a system of its own', async () => {
  const lines = [1, 0, 0, -1, 0, 0].join('\n');
  const texture = ground(orientation(0.5, 0, 0, -0.5), referencePoint(356_500, 5_645_300, 'EPSG:25832'));
  const { at } = await open(texture, 'EPSG:6697', { 'udx/bldg/a/ground.jgw': lines });
  assertNear(at(...crsOf('EPSG:25832')!.toLngLat(356_510, 5_645_290)), centre(20, 20));
});

/** A GeoTIFF with these tags; its pixels do not matter. */
async function geoTiff(tags: Record<string, unknown>): Promise<Buffer> {
  const pixels = new Uint8Array(WIDTH * HEIGHT);
  return Buffer.from(
    (await writeArrayBuffer(pixels, { width: WIDTH, height: HEIGHT, ...tags })) as ArrayBuffer,
  );
}
const TIFF = 'udx/bldg/a/ground.tif';
const groundTiff = (...more: XmlElement[]) => groundOf('a/ground.tif', ...more);
/** Pixels of half a metre around pixel 10, 20 at a place in Cologne, from its upper left corner. */
const PLACED = {
  ModelPixelScale: [0.5, 0.5, 0],
  ModelTiepoint: [10, 20, 0, 356_500, 5_645_300, 0],
  GTModelTypeGeoKey: 1,
  ProjectedCSTypeGeoKey: 25_832,
};

test('a GeoTIFF tells where it lies, in a system of its own', async () => {
  const cologne = crsOf('EPSG:25832')!;
  const sin = Math.sin(0.3) / 2;
  const cos = Math.cos(0.3) / 2;
  const turned = [cos, sin, 0, 356_500, sin, -cos, 0, 5_645_300, 0, 0, 0, 0, 0, 0, 0, 1];
  for (const [tags, pixel, east, north] of [
    [{ ...PLACED, GTRasterTypeGeoKey: 1 }, [10, 20], 0.25, -0.25],
    [{ ...PLACED, GTRasterTypeGeoKey: 2 }, [10, 20], 0, 0],
    [
      {
        ModelTransformation: turned,
        GTRasterTypeGeoKey: 2,
        GTModelTypeGeoKey: 1,
        ProjectedCSTypeGeoKey: 25_832,
      },
      [30, 40],
      30 * cos + 40 * sin,
      30 * sin - 40 * cos,
    ],
  ] as const) {
    const { at, codes, isGround } = await open(groundTiff(), 'EPSG:6697', { [TIFF]: await geoTiff(tags) });
    assert.deepEqual([codes, isGround], [[], true]);
    assertNear(at(...cologne.toLngLat(356_500 + east, 5_645_300 + north)), centre(pixel[0], pixel[1]));
  }
});

test('of a world file and a GeoTIFF the one counts that app:preferWorldFile prefers, else the other', async () => {
  const cologne = crsOf('EPSG:25832')!;
  const tiff = await geoTiff({ ...PLACED, GTRasterTypeGeoKey: 2 });
  const beside = { 'udx/bldg/a/ground.tfw': [0.5, 0, 0, -0.5, 356_600, 5_645_300].join('\n') };
  const prefers = (text: string) => element('app:preferWorldFile', text);
  const unknown = await geoTiff({ ...PLACED, ProjectedCSTypeGeoKey: 2_001 });
  for (const [more, files, east] of [
    [[], { [TIFF]: tiff, ...beside }, 356_600],
    [[prefers('true')], { [TIFF]: tiff, ...beside }, 356_600],
    [[prefers('true')], { [TIFF]: tiff }, 356_495],
    [[prefers('false')], { [TIFF]: tiff, ...beside }, 356_495],
    [[prefers('0')], { [TIFF]: tiff, ...beside }, 356_495],
    [[prefers('false')], { [TIFF]: unknown, ...beside }, 356_600],
    [[prefers('false')], { [TIFF]: 'no TIFF', ...beside }, 356_600],
  ] as const) {
    const { at, codes } = await open(groundTiff(...more), 'EPSG:25832', files);
    assert.deepEqual(codes, []);
    const north = 5_645_300 + (east === 356_495 ? 10 : 0);
    assertNear(at(...cologne.toLngLat(east, north)), centre(0, 0));
  }
});

test('an image that does not say where it lies becomes an issue', async () => {
  for (const files of [
    {},
    { 'udx/bldg/a/ground.jgw': '1 0 0 x 0 0' },
    { 'udx/bldg/a/ground.wld': '0 0 0 0 0 0' },
  ]) {
    const { codes, isGround } = await open(ground(), 'EPSG:6697', files);
    assert.deepEqual([codes, isGround], [['TEXTURE_UNPLACED'], null]);
  }
});

test('a matrix of TexCoordGen takes positions as the GML has them', async () => {
  const generator = (text: string) =>
    element('app:ParameterizedTexture', '', [
      element('app:imageURI', 'a/wall.jpg'),
      element('app:target', '', [element('app:TexCoordGen', '', [element('app:worldToTexture', text)])], {
        uri: '#s',
      }),
    ]);
  const { at, all, isGround } = await open(generator('0 100 0 -13977 0 0 0.1 -1 0 0 0 2'), 'EPSG:6697');
  assert.equal(isGround, false);
  // An elevation of 15 m, which was raised by 37.
  assertNear(at(139.775, 35, 52), [0.25, 0.25]);
  const places = [0, 0, 0, 139.775, 35, 52, 139.78, 35, 57, 0, 0, 0];
  assertNear(all(places, 1, 3), [0.25, 0.25, 0.5, 0.5]);
  // Heights count in each row alone, whatever the factor is; u and v are divided by the last row.
  for (const [text, expected] of [
    ['0 0 1 0 0 0 0 2 0 0 0 1', [15, 2]],
    ['0 0 0 2 0 0 1 0 0 0 0 1', [2, 15]],
    ['0 0 0 30 0 0 0 45 0 0 1 0', [2, 3]],
  ] as const) {
    assertNear((await open(generator(text), 'EPSG:6697')).at(139.775, 35, 52), expected);
  }
  assert.deepEqual((await open(generator('1 2 3'), 'EPSG:6697')).codes, ['TEXTURE_UNPLACED']);
});

test('targets share a matrix by reference, before and after it', async () => {
  const refers = element('app:target', '', [], { uri: '#s', 'xlink:href': '#shared' });
  const matrix = element('app:worldToTexture', '0 100 0 -13977 0 0 0.1 -1 0 0 0 2');
  const inline = element(
    'app:target',
    '',
    [element('app:TexCoordGen', '', [matrix], { 'gml:id': 'shared' })],
    { uri: '#other' },
  );
  for (const targets of [
    [refers, inline],
    [inline, refers],
  ]) {
    const image = element('app:imageURI', 'a/wall.jpg');
    const { at } = await open(element('app:ParameterizedTexture', '', [image, ...targets]), 'EPSG:6697');
    assertNear(at(139.775, 35, 52), [0.25, 0.25]);
  }
});
