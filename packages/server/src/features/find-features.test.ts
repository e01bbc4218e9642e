import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FeatureIndex, GmlScanner } from '@citymodel/citygml';
import { block, cityModel, member, gmlPolygon as polygon } from '@citymodel/citygml/testing';
import { type Bounds, spatialIdOf } from '@citymodel/geo';
import { FeatureWorkshop } from './feature-work.ts';
import { findFeatures, meetsRegion } from './find-features.ts';
import { GmlIndex } from './gml-index.ts';
import type { OpenGml } from './open-gml.ts';
import { Region, type RegionParts } from './region.ts';

const PATH = 'udx/x.gml';

/** A file with these members, open; `read` gives the text of a feature. */
function opened(members: string, change = (text: Buffer) => text): OpenGml {
  const text = Buffer.from(cityModel(members));
  const scanner = new GmlScanner({ member: PATH, onIssue: () => {} });
  scanner.push(text);
  const index = new GmlIndex(FeatureIndex.open(scanner.end().featureIndex), 0);
  const read = async ({ start, end }: { start: number; end: number }) => change(text.subarray(start, end));
  return { path: PATH, index, text: { read } } as unknown as OpenGml;
}

function begin({ maxGeometryBytes = 1e6, maxReadBytes = 1e6 } = {}) {
  const limits = { maxGeometryBytes, maxItems: 1e6, maxReadBytes };
  return new FeatureWorkshop(limits).begin(new AbortController().signal, 'Ask for less.');
}

async function find(
  gml: OpenGml,
  parts: Partial<RegionParts>,
  { elements = null as string[] | null, work = begin(), from = 0 } = {},
) {
  const region = new Region({ ids: null, box: null, polygons: null, ...parts });
  const batches: number[][] = [];
  for await (const batch of findFeatures(gml, region, elements && new Set(elements), work, from)) {
    batches.push(batch.map(({ index }) => index));
  }
  return { batches, found: batches.flat(), used: { ...work.budget.used } };
}

const box = (west: number, south: number, size: number): { box: { bounds: Bounds; altitudes: null } } => ({
  box: { bounds: { west, south, east: west + size, north: south + size }, altitudes: null },
});
const building = (lat: number, lng: number) =>
  member(
    `<bldg:Building gml:id="b"><bldg:lod1Solid>${block(lat, lng, 0.001, 0, 9)}</bldg:lod1Solid></bldg:Building>`,
  );
const PLACELESS = member('<bldg:Building gml:id="n"/>');
const ROAD = member('<tran:Road gml:id="r"/>');
const TOWN = opened(building(35, 139) + PLACELESS + building(35.5, 139) + ROAD + building(35, 139.5));

test('everything is every feature of the elements, and a region those that meet it', async () => {
  assert.deepEqual((await find(TOWN, {})).found, [0, 1, 2, 3, 4]);
  assert.deepEqual((await find(TOWN, {}, { elements: ['tran:Road'] })).found, [3]);
  assert.deepEqual((await find(TOWN, box(139.0002, 35.0002, 0.0001))).found, [0]);
  assert.deepEqual((await find(TOWN, box(139.0002, 35.0002, 0.6))).found, [0, 2, 4]);
  assert.deepEqual((await find(TOWN, box(139.0002, 35.0002, 0.6), { elements: ['tran:Road'] })).found, []);
  assert.deepEqual((await find(TOWN, box(138, 35, 0.5))).found, []);
});

test('features before a number are passed over, in everything and in a region of one or several boxes', async () => {
  const ids = [139, 139.5].map((lng) => spatialIdOf(lng + 0.0005, 35.0005, null, 22));
  for (const [parts, all] of [
    [{}, [0, 1, 2, 3, 4]],
    [box(139.0002, 35.0002, 0.6), [0, 2, 4]],
    [{ ids }, [0, 4]],
  ] as const) {
    for (const from of [0, 1, 2, 4, 5]) {
      const wanted = all.filter((number) => number >= from);
      assert.deepEqual((await find(TOWN, parts as Partial<RegionParts>, { from })).found, wanted, `${from}`);
    }
  }
});

test('what is looked at is charged: all features for everything, else those of the index', async () => {
  assert.equal((await find(TOWN, {})).used.items, 5);
  assert.equal((await find(TOWN, box(139.0002, 35.0002, 0.0001))).used.items, 1);
  const ids = [
    [139.0005, 35.0005],
    [139.0005, 35.5005],
    [139.2, 35.2],
  ].map(([lng, lat]) => spatialIdOf(lng!, lat!, null, 22));
  const several = await find(TOWN, { ids });
  assert.deepEqual(several.found, [0, 2]);
  // One for each box, one for each hit, and two features that are compared with three boxes.
  assert.equal(several.used.items, 3 + 2 + 2 * 3);
});

test('features come in batches of 256', async () => {
  const many = opened(PLACELESS.repeat(513));
  assert.deepEqual(
    (await find(many, {})).batches.map(({ length }) => length),
    [256, 256, 1],
  );
  assert.deepEqual((await find(opened(PLACELESS.repeat(256)), {})).batches.length, 1);
  assert.deepEqual((await find(opened(''), {})).batches, []);
});

/** A road of more squares than the index keeps a footprint of: along the south and the west of its extent. */
const SQUARES = Array.from({ length: 40 }, (_, i) => [
  [35, 139 + i * 0.001],
  [35 + i * 0.001, 139],
])
  .flat()
  .map(([lat, lng]) => {
    const at = (north: number, east: number) => [lat! + north * 0.0005, lng! + east * 0.0005, 0];
    return `<gml:surfaceMember>${polygon([at(0, 0), at(0, 1), at(1, 1), at(1, 0)])}</gml:surfaceMember>`;
  });
const L_SHAPE = member(
  `<tran:Road gml:id="r"><tran:lod1MultiSurface><gml:MultiSurface>${SQUARES.join('')}</gml:MultiSurface>` +
    `</tran:lod1MultiSurface></tran:Road>`,
);
const ON = box(139.0202, 35.0002, 0.0001);
const BESIDE = box(139.0302, 35.0302, 0.0001);

test('a footprint that is too large for the index is read from the text', async () => {
  const gml = opened(L_SHAPE);
  const entry = gml.index.features([0]);
  const { start, end, footprintInBlock } = (await entry.next()).value![0]!;
  assert.equal(footprintInBlock, true);
  const met = await find(gml, ON);
  assert.deepEqual(met.found, [0]);
  assert.equal(met.used.bytesRead, end - start);
  assert.deepEqual((await find(gml, BESIDE)).found, []);
  // What contains the extent needs no text.
  const whole = await find(gml, box(138.9, 34.9, 1));
  assert.deepEqual([whole.found, whole.used.bytesRead], [[0], 0]);
  await assert.rejects(
    find(gml, ON, { work: begin({ maxReadBytes: end - start - 1 }) }),
    /request too large/,
  );
  for (const [maxGeometryBytes, found] of [
    [end - start, []],
    [end - start - 1, [0]],
  ] as const) {
    const limited = await find(gml, BESIDE, { work: begin({ maxGeometryBytes }) });
    assert.deepEqual(limited.found, found, 'of a larger text the extent counts');
  }
});

test(
  'a text that is not well formed meets nothing, and one without geometry neither; other errors are ' +
    'thrown',
  async () => {
    assert.deepEqual(
      (
        await find(
          opened(L_SHAPE, (text) => text.subarray(0, -5)),
          ON,
        )
      ).found,
      [],
    );
    const bare = Buffer.from('<tran:Road></tran:Road>');
    assert.deepEqual(
      (
        await find(
          opened(L_SHAPE, () => bare),
          ON,
        )
      ).found,
      [],
    );
    const failing = opened(L_SHAPE, () => {
      throw new Error('store is down');
    });
    await assert.rejects(find(failing, ON), /store is down/);
  },
);

test('a small footprint is compared as the index has it, and a feature without a place meets nothing', async () => {
  const corner = (lat: number, lng: number) => {
    const square = [lat, lng, lat, lng + 0.01, lat + 0.01, lng + 0.01, lat + 0.01, lng];
    const points = [0, 2, 4, 6].map((at) => [square[at]!, square[at + 1]!, 0]);
    return `<gml:surfaceMember>${polygon(points)}</gml:surfaceMember>`;
  };
  // Two squares in opposite corners of the extent.
  const pair = `<gml:MultiSurface>${corner(35, 139)}${corner(35.03, 139.03)}</gml:MultiSurface>`;
  const gml = opened(
    member(`<tran:Road gml:id="p"><tran:lod1MultiSurface>${pair}</tran:lod1MultiSurface></tran:Road>`) +
      PLACELESS,
  );
  assert.deepEqual((await find(gml, box(139.002, 35.002, 0.001))).found, [0]);
  assert.deepEqual((await find(gml, box(139.002, 35.032, 0.001))).found, []);
  const { value: entries } = await gml.index.features([0, 1]).next();
  const region = new Region({ ids: null, polygons: null, ...box(139.002, 35.002, 0.001) });
  const met = await Promise.all(entries!.map((entry) => meetsRegion(gml, entry, region, begin())));
  assert.deepEqual(met, [true, false]);
});
