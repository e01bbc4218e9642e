import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Body, bodyOfPolygons } from '../read/bodies.ts';
import type { BodyFacts, FeatureFacts } from '../read/feature-facts.ts';
import type { GmlRecords } from '../read/read-records.ts';
import { CoarseContents } from './coarse-content.ts';
import { itemAt } from './lod-item.ts';
import { linear, packColour } from './look.ts';
import type { Pictures } from './texture-look.ts';

const METRE = 1 / 111_320;

/** A level square with a side of so many metres. */
function square(side: number): Body {
  const [west, south, end] = [139, 0, side * METRE];
  const corners = [west, south, 5, west + end, south, 5, west + end, south + end, 5, west, south + end, 5];
  const body = bodyOfPolygons(Float64Array.from(corners), Uint32Array.of(4), Uint32Array.of(1), false);
  body.ringKeys.set([1]);
  body.surfaceKeys.set([side, 0, 0]);
  return body;
}
const boxOf = (side: number): BodyFacts => ({
  ...{
    west: 139,
    south: 0,
    east: 139 + side * METRE,
    north: side * METRE,
    low: 5,
    high: 5,
    bottom: 5,
    top: 5,
  },
  ...{ positions: 4, polygons: 1, area: side * side },
});

/** A feature whose body at each level has a side of so many metres; one of 20 m is red. */
function content(sides: Array<number | null>, more: Partial<FeatureFacts> = {}) {
  const facts: FeatureFacts = {
    ...{ record: 3, number: 3, id: 'a', type: 'bldg:Building', nameCode: null, cityCode: '13101' },
    ...{ textBytes: 0, jsonBytes: 0, hasInterior: false, whole: null, nextLod: Infinity },
    bodies: sides.map((side) => (side === null ? null : boxOf(side))),
    ...more,
  };
  const asked: number[] = [];
  const read = {
    records: {
      body(_: number, lod: number) {
        asked.push(lod);
        return square(sides[lod]!);
      },
      head: () => ({
        ...{ id: 'a', type: 'bldg:Building' },
        columns: ['usage', 'attributes'].map((name) => ({ name, type: 'STRING', value: 'x' })),
      }),
    },
    appearances: {
      textureOf: () => null,
      laidOn: () => null,
      colourOf: (keys: Iterable<number>) => ([...keys].includes(20) ? [1, 0, 0, 1] : null),
    },
  } as unknown as GmlRecords;
  const contents = new CoarseContents(read);
  const items = itemAt(facts, 4);
  return { asked, items, of: () => contents.of({ items, geometricError: 16 }, {} as Pictures) };
}

test('from afar a feature is its block of LOD 1, in the colours of the level that it has', async () => {
  const { of, asked } = content([null, 10, 20, null, null]);
  const { features, boxes, look } = await of();
  const [{ body, lod, head }] = features as [(typeof features)[number]];
  assert.deepEqual([...body.positions], [...square(10).positions]);
  assert.deepEqual([lod, boxes], [2, [boxOf(10)]]);
  assert.equal(look.of(0, 0).colour, packColour(linear(1), 0, 0, 1));
  assert.deepEqual(asked, [2, 1]);
  // Without the text of everything, and with the place of its own level.
  const names = head.columns.map(({ name }) => name);
  assert.ok(names.includes('usage') && !names.includes('attributes') && names.length > 2);
});

test('without a block it is its simplified shape, and so is an inside, or nothing where nothing is left', async () => {
  for (const [sides, more, own] of [
    [[null, null, 20, null, null], {}, 20],
    [[null, 20, null, null, null], {}, 20],
    [[null, 10, null, null, 20], { hasInterior: true }, 20],
  ] as const) {
    const { features, boxes } = await content([...sides], more).of();
    assert.deepEqual(boxes, [boxOf(own)]);
    const longitudes = features[0]!.body.positions.filter((_, i) => i % 3 === 0);
    assert.ok(Math.abs(Math.max(...longitudes) - boxOf(own).east) < 1e-9);
  }
  // A pixel is a metre here.
  for (const sides of [
    [null, null, 0.01, null, null],
    [null, 0.01, null, null, null],
  ]) {
    const speck = await content(sides).of();
    assert.deepEqual([speck.features, speck.items, speck.boxes], [[], [], []]);
  }
});
