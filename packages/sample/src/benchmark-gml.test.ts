import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { writeBenchmarkGml } from './benchmark-gml.ts';
import { all, descendants, parseXml, positions } from './testing/parse-gml.ts';

test('a benchmark file is well formed, of the size that was asked for, and the same every time', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'benchmark-'));
  t.after(() => rm(directory, { recursive: true }));
  const paths = ['a.gml', 'b.gml'].map((name) => join(directory, name));
  const reports = await Promise.all(
    paths.map((path) => writeBenchmarkGml(path, { bytes: 3_000_000, seed: 7 })),
  );
  const [first, second] = await Promise.all(paths.map((path) => readFile(path)));
  assert.ok(first!.equals(second!));
  assert.equal(first!.length, reports[0]!.bytes);
  assert.ok(first!.length >= 3_000_000 && first!.length < 3_050_000);

  const root = parseXml(first!.toString());
  const buildings = all(root, 'bldg:Building');
  assert.equal(buildings.length, reports[0]!.buildings);
  const ids = [...descendants(root)].flatMap(({ attributes }) => attributes['gml:id'] ?? []);
  assert.equal(new Set(ids).size, ids.length);
  const lods = ['bldg:lod0RoofEdge', 'bldg:lod1Solid', 'bldg:lod2Solid'].map(
    (name) => all(root, name).length,
  );
  assert.ok(lods[0]! >= buildings.length && lods[1]! >= buildings.length && lods[2]! > 10);

  const [lower, upper] = ['gml:lowerCorner', 'gml:upperCorner'].map(
    (name) => positions(all(root, name)[0]!)[0]!,
  );
  const points = all(root, 'gml:posList').flatMap(positions);
  for (const axis of [0, 1, 2] as const) {
    const values = points.map((point) => point[axis]);
    assert.equal(
      values.reduce((a, b) => Math.min(a, b)),
      lower![axis],
    );
    assert.equal(
      values.reduce((a, b) => Math.max(a, b)),
      upper![axis],
    );
  }
});
