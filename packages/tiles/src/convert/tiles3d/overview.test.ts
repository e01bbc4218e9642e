import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Look, PLAIN_LOOK, PLAIN_POLYGON } from './look.ts';
import {
  isLarge,
  type OverviewFeature,
  overviewContent,
  overviewFeatures,
  planOverview,
  readOverview,
  writeOverview,
} from './overview.ts';
import type { ShownFeature } from './tile-model.ts';
import type { PlacedItem } from './write-tree.ts';

const BOX = { west: 2.43, south: 0.62, east: 2.44, north: 0.63, low: 3, high: 20 };
const item = (id: string, diagonal: number, more: Partial<PlacedItem> = {}): PlacedItem => ({
  ...{ id, lng: 139.7, lat: 35.6, diagonal, bytes: 1000, vertices: 100, pixels: 0, box: BOX },
  ...more,
});
/** A feature of so many polygons. */
const shown = (polygons = 1, lod = 2): ShownFeature =>
  ({ head: {}, body: { polygonEnds: new Uint32Array(polygons) }, lod, source: 0 }) as unknown as ShownFeature;

const feature = (id: string, diagonal: number, more: Partial<OverviewFeature> = {}): OverviewFeature => ({
  ...shown(),
  item: item(id, diagonal),
  colours: null,
  geometricError: 0,
  ...more,
});
const idsOf = ({ items }: { items: ReadonlyArray<{ id: string }> }) => items.map(({ id }) => id);

test('a feature belongs to the overview by 150 m of its diagonal or 60 m of its height', () => {
  const high = (high: number) => ({ box: { ...BOX, low: 10, high } });
  for (const [diagonal, top, expected] of [
    [149.9, 69.9, false],
    [150, 10, true],
    [1, 70, true],
  ] as const) {
    assert.equal(isLarge(item('a', diagonal, high(top))), expected);
  }
});

test('a tree that adds shows every feature, the largest first', () => {
  const features = Array.from({ length: 900 }, (_, n) => feature(`f${1000 + n}`, n + 1));
  const root = planOverview(features, 'ADD');
  const all: string[] = [];
  const add = (node: typeof root) => {
    all.push(...idsOf(node));
    node.children.forEach(add);
  };
  add(root);
  assert.deepEqual(all.sort(), features.map(({ item: { id } }) => id).sort());
  assert.ok(root.children.length > 0);
  assert.ok(idsOf(root).includes('f1899') && !idsOf(root).includes('f1000'));
});

test('one tile that is replaced shows the largest, as far away as what it lacks, or what is wrong, can be seen', () => {
  const vertices = 60_000;
  const [small, large] = ['a', 'b'].map((id, n) => {
    const diagonal = 100 * (n + 1);
    return feature(id, diagonal, { item: item(id, diagonal, { vertices }), geometricError: 7 });
  });
  const cut = planOverview([small!, large!], 'REPLACE');
  assert.deepEqual([idsOf(cut), cut.children, cut.geometricError], [['b'], [], 200]);
  const whole = planOverview(
    [
      { ...small!, item: item('a', 100) },
      { ...large!, item: item('b', 200) },
    ],
    'REPLACE',
  );
  assert.deepEqual([idsOf(whole), whole.children, whole.geometricError], [['a', 'b'], [], 7]);
});

test('features keep their colours and boxes, and none where all are white', () => {
  const red = { ...PLAIN_POLYGON, colour: 0xff0000ff };
  const look: Look = {
    images: [],
    of: (number, polygon) => (number === 1 && polygon === 1 ? red : PLAIN_POLYGON),
  };
  const content = { features: [shown(2), shown(2)], look, error: 0, uvError: 0 };
  const items = [item('a', 1), item('b', 2)];
  const other = { ...BOX, high: 99 };
  const [white, coloured] = overviewFeatures(items, { ...content, boxes: [BOX, other] }, 64);
  assert.deepEqual(
    [white!.colours, coloured!.colours],
    [null, Uint32Array.of(PLAIN_POLYGON.colour, red.colour)],
  );
  assert.deepEqual([white!.item, coloured!.item.box, coloured!.geometricError], [items[0], other, 64]);
  assert.deepEqual(overviewFeatures(items, { ...content, look: PLAIN_LOOK }, 0)[1]!.item, items[1]);

  const shownAs = overviewContent(planOverview([white!, coloured!], 'REPLACE'));
  assert.deepEqual(shownAs.boxes, [BOX, other]);
  assert.deepEqual(
    [0, 1].map((number) => [0, 1].map((polygon) => shownAs.look.of(number, polygon))),
    [
      [PLAIN_POLYGON, PLAIN_POLYGON],
      [PLAIN_POLYGON, red],
    ],
  );
});

test('positions of an overview are as exact as its highest level of detail asks for', () => {
  const errorOf = (...lods: number[]) =>
    overviewContent(
      planOverview(
        lods.map((lod, n) => ({ ...feature(`${n}`, n), lod })),
        'REPLACE',
      ),
    ).error;
  // 1.5 cm in space, which is 0.85 cm along each of three axes, up to LOD 2; a third of it above.
  assert.ok(Math.hypot(errorOf(1, 2), errorOf(2), errorOf(1)) <= 0.015);
  assert.equal(errorOf(1, 2), errorOf(1));
  assert.ok(Math.hypot(errorOf(1, 3), errorOf(3), errorOf(3)) <= 0.005);
});

test('an overview comes back from its file', () => {
  const directory = mkdtempSync(join(tmpdir(), 'citymodel-overview-'));
  const features = [feature('a', 1, { colours: Uint32Array.of(1, 2) }), feature('b', 2)];
  writeOverview(directory, features);
  assert.deepEqual(readOverview(directory), features);
  rmSync(directory, { recursive: true });
});
