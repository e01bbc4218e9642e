import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Column } from '../read/column.ts';
import type { FeatureFacts } from '../read/feature-facts.ts';
import type { GmlRecords } from '../read/read-records.ts';
import { depthColour } from './depth-colours.ts';
import { DrawnBodies } from './drawn-bodies.ts';
import { FloodRanks } from './flood-ranks.ts';
import { FLOOD_LOD } from './outputs.ts';

/** Depths of water: name, code and words of the rank, and the other columns. Null: a feature without a surface. */
const WATERS: Array<[id: string, code: string | null, rank: string, river: string] | null> = [
  ['a', '10', '20m以上', '荒川'],
  ['b', '2', '0.5m以上3m未満', '荒川'],
  null,
  ['c', '2', '0.5m以上3m未満', '隅田川'],
  ['d', null, '3', '荒川'],
];

function columnsOf(record: number): Column[] {
  const [id, code, rank, river] = WATERS[record] ?? ['none', '2', '0.5m以上3m未満', '荒川'];
  const text = (name: string, value: string): Column => ({ name, type: 'STRING', value });
  return [
    text('gml_id', id),
    text('meshcode', `5339452${record}`),
    text('uro:rank', rank),
    ...(code === null ? [] : [text('uro:rank_code', code)]),
    text('river', river),
    text('attributes', JSON.stringify({ 'gml:id': id, _bbox: [record], river })),
  ];
}

const FEATURES = WATERS.map(
  (water, record) =>
    ({ record, bodies: [null, water === null ? null : { polygons: 1, area: 1 }] }) as unknown as FeatureFacts,
);
const RANKS = new FloodRanks({
  features: FEATURES,
  records: {
    head: (record: number) => ({ id: `f${record}`, type: 'wtr:WaterBody', columns: columnsOf(record) }),
  },
} as unknown as GmlRecords);

test('ranks are in the order of their codes as numbers, and each is a group of its own', () => {
  assert.deepEqual(
    RANKS.groups.map(({ source, features }) => [source, features.map(({ record }) => record)]),
    [
      [DrawnBodies.sourceOf(1, FLOOD_LOD), [1, 3]],
      [DrawnBodies.sourceOf(4, FLOOD_LOD), [4]],
      [DrawnBodies.sourceOf(0, FLOOD_LOD), [0]],
    ],
  );
  assert.deepEqual(
    RANKS.members.map(({ facts, lod, group, coarse }) => [facts.record, lod, group, coarse]),
    [
      [0, FLOOD_LOD, 2, 2],
      [1, FLOOD_LOD, 0, 0],
      [3, FLOOD_LOD, 0, 0],
      [4, FLOOD_LOD, 1, 1],
    ],
  );
});

test('the row of a rank has what belongs to no single feature, from the first of them', () => {
  const { head, source } = RANKS.row(0);
  assert.equal(source, RANKS.groups[0]!.source);
  assert.deepEqual(
    [head.id, head.type, head.columns.map(({ name, value }) => [name, value])],
    [
      '0002',
      'wtr:WaterBody',
      [
        ['uro:rank', '0.5m以上3m未満'],
        ['uro:rank_code', '2'],
        ['river', '荒川'],
        ['attributes', '{"river":"荒川"}'],
      ],
    ],
  );
  assert.equal(RANKS.coarseHead(0), head);
});

test('the row of a rank has the values of a feature where both are the same', () => {
  assert.deepEqual([...RANKS.columnsOf(1)!], ['uro:rank', 'uro:rank_code', 'river', 'attributes']);
  assert.deepEqual([...RANKS.columnsOf(3)!], ['uro:rank', 'uro:rank_code']);
  assert.equal(RANKS.columnsOf(2), null);
});

test('each rank has the colour of its depth', () => {
  const shown = [0, 1, 2].map((group) => ({ ...RANKS.row(group), lod: FLOOD_LOD }));
  const look = RANKS.look(shown as never);
  assert.deepEqual(
    [0, 1, 2].map((feature) => look.of(feature, 0 as never).colour),
    ['0.5m以上3m未満', '3', '20m以上'].map(depthColour),
  );
  assert.equal(new Set(['0.5m以上3m未満', '20m以上'].map(depthColour)).size, 2);
});
