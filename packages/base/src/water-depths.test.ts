import assert from 'node:assert/strict';
import test from 'node:test';
import { WATER_DEPTHS, waterDepthOf } from './water-depths.ts';

test('a rank has the class of its least depth', () => {
  // The classes of L2 scenarios as code lists write them, with what writers vary.
  const ranks: Array<[string, number]> = [
    ['0.5m未満', 0],
    ['0.5m以上3m未満', 0.5],
    ['３ｍ以上５ｍ未満', 3],
    ['5m以上10m未満', 5],
    ['10m以上20m未満', 10],
    ['20m以上', 20],
    ['20 m以上', 20],
    ['0.3m以上0.5m未満', 0],
    ['1.0m以上2.0m未満', 0.5],
    ['2.99m以上', 0.5],
    ['20以上', 20],
    ['', 0],
    ['不明', 0],
    ['1.20m以上', 0.5],
  ];
  for (const [rank, from] of ranks) assert.equal(WATER_DEPTHS[waterDepthOf(rank)]![0], from, rank);
});

test('colours are those of the manual, from violet to yellow', () => {
  const hex = WATER_DEPTHS.map(
    ([from, rgb]) => `${from} #${rgb.map((part) => part.toString(16).padStart(2, '0')).join('')}`,
  );
  assert.deepEqual(hex, ['20 #dc7adc', '10 #f285c9', '5 #ff9191', '3 #ffb7b7', '0.5 #ffd8c0', '0 #f7f5a9']);
});
