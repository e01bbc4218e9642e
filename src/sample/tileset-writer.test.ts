import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { memoryFiles } from '../tiles/testing/memory-files.ts';
import { validateTileset } from '../tiles/testing/validate-tileset.ts';
import { LANDMARKS, SAMPLE_TILES } from './facts.ts';
import { makeSample, type WrittenSample } from './testing/read-sample.ts';

interface Tile {
  boundingVolume: Record<string, number[]>;
  geometricError: number;
  transform?: number[];
  content: { uri: string };
  children?: Tile[];
}

let sample: WrittenSample;
before(async () => {
  sample = await makeSample();
});
after(() => sample.remove());

const tilesets = Object.entries(SAMPLE_TILES).flatMap(([name, facts]) =>
  'version' in facts ? [{ name, ...facts }] : [],
);

/** The GLB and the batch length of a b3dm; fails where its parts are not aligned. */
function openB3dm(bytes: Buffer): {
  glb: Buffer;
  batchLength: number;
  batchTable: Record<string, unknown[]>;
} {
  const [version, length, featureJson, featureBinary, batchJson, batchBinary] = [4, 8, 12, 16, 20, 24].map(
    (at) => bytes.readUInt32LE(at),
  ) as [number, number, number, number, number, number];
  assert.equal(bytes.toString('latin1', 0, 4), 'b3dm');
  assert.deepEqual([version, length, featureBinary, batchBinary], [1, bytes.length, 0, 0]);
  const batch = 28 + featureJson;
  const glb = batch + batchJson;
  for (const at of [length, batch, glb]) assert.equal(at % 8, 0);
  const { BATCH_LENGTH } = JSON.parse(bytes.toString('utf8', 28, batch));
  return {
    glb: bytes.subarray(glb),
    batchLength: BATCH_LENGTH,
    batchTable: JSON.parse(bytes.toString('utf8', batch, glb)),
  };
}

function gltfJson(glb: Buffer) {
  assert.equal(glb.readUInt32LE(8), glb.length);
  return JSON.parse(glb.toString('utf8', 20, 20 + glb.readUInt32LE(12)));
}

for (const { name, version, features } of tilesets) {
  test(`${name} satisfies 3D Tiles ${version}`, async () => {
    const members = await sample.members(name);
    assert.deepEqual(await validateTileset(memoryFiles(Object.fromEntries(members)), 'tileset.json'), []);
    const tileset = JSON.parse(members.get('tileset.json')!.toString());
    assert.equal(tileset.asset.version, version);

    let count = 0;
    const visit = (tile: Tile, above: number) => {
      assert.ok(tile.geometricError < above, 'geometric errors fall from tile to tile');
      const bytes = members.get(tile.content.uri)!;
      const opened = version === '1.0' ? openB3dm(bytes) : null;
      const glb = opened?.glb ?? bytes;
      const gltf = gltfJson(glb);
      const textured = name.endsWith('lod2') && name.includes('_bldg_');
      assert.equal(gltf.images !== undefined, textured);
      if (opened === null) {
        const [table] = gltf.extensions.EXT_structural_metadata.propertyTables;
        count += table.count;
        assert.equal(bytes.length % 8, 0);
        for (const { values } of Object.values<{ values: number }>(table.properties)) {
          assert.equal((28 + glb.readUInt32LE(12) + gltf.bufferViews[values].byteOffset) % 8, 0);
        }
      } else {
        count += opened.batchLength;
        for (const column of Object.values(opened.batchTable))
          assert.equal(column.length, opened.batchLength);
      }
      for (const child of tile.children ?? []) visit(child, tile.geometricError);
    };
    visit(tileset.root, tileset.geometricError);
    assert.equal(count, features);
  });
}

test('regions, boxes and spheres occur, with root transforms and without', async () => {
  const roots = new Set<string>();
  for (const { name } of tilesets) {
    const { root } = JSON.parse((await sample.members(name)).get('tileset.json')!.toString()) as {
      root: Tile;
    };
    roots.add(
      `${Object.keys(root.boundingVolume)} ${root.transform === undefined ? 'without' : 'with'} transform`,
    );
    if (name.includes('_bldg_')) assert.ok(root.children !== undefined && root.children.length > 1);
  }
  assert.deepEqual([...roots].sort(), [
    'box with transform',
    'region with transform',
    'sphere without transform',
  ]);
});

test('a tile knows the building as its GML does', async () => {
  const name = tilesets[0]!.name;
  const root = (await sample.members(name)).get('data/data0.b3dm')!;
  const { batchTable } = openB3dm(root);
  const at = batchTable.gml_id!.indexOf(LANDMARKS.tower.id);
  assert.equal(batchTable['gml:name']![at], LANDMARKS.tower.name);
  assert.equal(batchTable['bldg:usage']![at], LANDMARKS.tower.usage);
  assert.equal(batchTable['bldg:measuredHeight']![at], LANDMARKS.tower.measuredHeight);
});
