import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PackageRow } from '@citymodel/store';
import { bestPicture } from './best-picture.ts';

const image = {} as NonNullable<PackageRow['pictures']>['images'][number];

function drawn(
  type: string,
  lod: number,
  more: Partial<{ texture: boolean; year: number; size: number; images: number }> = {},
) {
  const { texture = false, year = 2024, size = 10, images = 4 } = more;
  return {
    dataset: { type, lod, texture } as PackageRow['dataset'],
    year,
    archiveSize: size,
    pictures: { version: 1, images: Array(images).fill(image) },
  };
}

test('buildings with the most detail stand for a city', () => {
  const best = drawn('bldg', 2, { texture: true });
  const others = [
    drawn('brid', 4, { texture: true, size: 1_000 }),
    drawn('bldg', 1, { year: 2026 }),
    drawn('bldg', 2, { size: 1_000 }),
    drawn('bldg', 2, { texture: true, year: 2020, size: 1_000 }),
    drawn('bldg', 2, { texture: true, size: 9 }),
    drawn('bldg', 4, { images: 0 }),
    {
      dataset: { type: 'bldg', lod: 4, texture: true } as PackageRow['dataset'],
      year: 2024,
      archiveSize: 10,
    },
    { ...drawn('bldg', 4), dataset: null },
  ];
  for (let turn = 0; turn <= others.length; turn++) {
    assert.equal(bestPicture([...others.slice(turn), best, ...others.slice(0, turn)]), best);
  }
  assert.equal(bestPicture([best, drawn('bldg', 2, { texture: true })]), best, 'the first of equal ones');
});

test('bare ground stands for a city that has nothing else', () => {
  const [ground, road] = [drawn('dem', 3, { size: 1_000 }), drawn('tran', 1)];
  assert.equal(bestPicture([ground, road]), road);
  assert.equal(bestPicture([ground]), ground);
});

test('a city that nobody drew has none', () => {
  assert.equal(bestPicture([]), null);
  assert.equal(bestPicture([drawn('bldg', 2, { images: 0 })]), null);
});

test('a LOD that nobody knows counts as the first, and equals keep their order', () => {
  const unknown = { ...drawn('bldg', 1), dataset: { type: 'bldg', lod: null, texture: false } as never };
  const [first, second, none] = [drawn('bldg', 1), drawn('bldg', 2), drawn('bldg', 0)];
  assert.equal(bestPicture([unknown, first]), unknown);
  assert.equal(bestPicture([first, unknown]), first);
  assert.equal(bestPicture([unknown, second]), second);
  assert.equal(bestPicture([unknown, none]), unknown);
  assert.equal(bestPicture([]), null);
});
