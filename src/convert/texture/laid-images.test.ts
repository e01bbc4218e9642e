import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { crsOf } from '../../citygml/geometry/crs.ts';
import type { XmlElement } from '../../citygml/xml/feature-xml.ts';
import { Appearances } from '../read/appearances.ts';
import { IssueCounter } from '../read/issue-counter.ts';
import { keyOf } from '../read/key.ts';
import { gmlSource } from '../read/testing/gml-source.ts';
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
  const target = element('app:target', '#s');
  return element('app:GeoreferencedTexture', '', [element('app:imageURI', 'a/ground.JPG'), target, ...more]);
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

async function open(texture: XmlElement, srsName: string, files: Record<string, string> = {}) {
  const appearances = new Appearances(PATH);
  appearances.add(texture);
  const members = new Map(
    Object.entries({ [PATH]: '', ...files }).map(([path, text]) => [path, Buffer.from(text)]),
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
    angle: fc.double({ min: -3, max: 3, noNaN: true }),
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

test('of latitudes and longitudes a world file has longitudes first, and positions inside of the GML latitudes', async () => {
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
});

test('what stands in the GML goes before a world file, in a system of its own', async () => {
  const lines = [1, 0, 0, -1, 0, 0].join('\n');
  const texture = ground(orientation(0.5, 0, 0, -0.5), referencePoint(356_500, 5_645_300, 'EPSG:25832'));
  const { at } = await open(texture, 'EPSG:6697', { 'udx/bldg/a/ground.jgw': lines });
  assertNear(at(...crsOf('EPSG:25832')!.toLngLat(356_510, 5_645_290)), centre(20, 20));
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
  const { at, isGround } = await open(generator('0 100 0 -13977 0 0 0.1 -1 0 0 0 2'), 'EPSG:6697');
  assert.equal(isGround, false);
  // An elevation of 15 m, which was raised by 37.
  assertNear(at(139.775, 35, 52), [0.25, 0.25]);
  assert.deepEqual((await open(generator('1 2 3'), 'EPSG:6697')).codes, ['TEXTURE_UNPLACED']);
});
