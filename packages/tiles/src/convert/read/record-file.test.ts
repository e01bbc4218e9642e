import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Body } from './bodies.ts';
import type { FeatureHead } from './pack-head.ts';
import { RecordFile } from './record-file.ts';

function body(polygons: number, isOdd: boolean): Body {
  const count = (length: number) => Float64Array.from({ length }, (_, i) => i / 7);
  return {
    positions: count(12 * polygons),
    ringEnds: Uint32Array.from({ length: polygons }, (_, i) => 4 * i + 4),
    polygonEnds: Uint32Array.from({ length: polygons }, (_, i) => i + 1),
    twoSided: Uint8Array.from({ length: polygons }, (_, i) => i % 5),
    ringKeys: count(polygons),
    ringWritten: new Uint32Array(polygons).fill(5),
    written: isOdd ? Uint32Array.from({ length: 4 * polygons }, (_, i) => i % 4) : null,
    surfaceKeys: count(3 * polygons),
  };
}

function head(i: number): FeatureHead {
  return {
    id: `f${i}`,
    type: 'bldg:Building',
    columns: [
      { name: '備考', type: 'STRING', value: `建物${i}` },
      {
        name: 'bldg:measuredHeight',
        type: i % 2 === 0 ? 'FLOAT64' : 'STRING',
        value: i % 2 === 0 ? i / 3 : 'あ',
      },
    ],
  };
}

test('features come back from the disk as they were, small and large', () => {
  const directory = mkdtempSync(join(tmpdir(), 'records-'));
  try {
    using records = new RecordFile(directory);
    const bodies = Array.from({ length: 300 }, (_, i) => [
      null,
      body(1 + (i % 9), i % 3 === 0),
      i % 50 === 7 ? body(30_000, true) : null,
    ]);
    for (const [i, own] of bodies.entries()) assert.equal(records.append(head(i), own), i);
    records.setHead(5, head(1_000));
    // Forwards and backwards: what is read last is in the way of nothing.
    for (const i of [...bodies.keys(), ...[...bodies.keys()].reverse()]) {
      assert.deepEqual(records.head(i), head(i === 5 ? 1_000 : i));
      for (const lod of [1, 2])
        if (bodies[i]![lod] !== null) assert.deepEqual(records.body(i, lod), bodies[i]![lod]);
    }
  } finally {
    rmSync(directory, { recursive: true });
  }
});
