import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { VectorTile } from '@mapbox/vector-tile';
import { PbfReader } from 'pbf';
import { PMTiles } from 'pmtiles';
import { MAX_ZOOM, MIN_ZOOM, type VectorMetadata } from '../tiles/write/vector-tiles.ts';
import { SAMPLE_GML_FEATURES, SAMPLE_TILES } from './facts.ts';
import { makeSample, type WrittenSample } from './testing/read-sample.ts';

let sample: WrittenSample;
before(async () => {
  sample = await makeSample();
});
after(() => sample.remove());

const layers = Object.entries(SAMPLE_TILES).flatMap(([name, facts]) =>
  'layer' in facts ? [{ name, ...facts }] : [],
);
const zipped = layers.filter(
  ({ name }) => name !== '47950_shiomino-shi_city_2024_citygml_1_op_luse_mvt_lod1',
);

/** Fails unless a ring, closed by the reader, is one as MVT 2.1 wants it (section 4.3.3.3). */
function assertRing(ring: ReadonlyArray<{ x: number; y: number }>): void {
  assert.ok(ring.length >= 4, 'a ring has three different points');
  let area = 0;
  for (let i = 1; i < ring.length; i++) {
    const [a, b] = [ring[i - 1]!, ring[i]!];
    assert.ok(a.x !== b.x || a.y !== b.y, 'no line has the length 0');
    area += a.x * b.y - b.x * a.y;
  }
  assert.notEqual(area, 0, 'a ring has an area');
}

/** Ids in a tile; fails unless the tile has the one layer, its declared fields, and polygons inside the buffer. */
function idsIn(bytes: Uint8Array, layerName: string, fields: Record<string, string>): Set<string> {
  const tile = new VectorTile(new PbfReader(bytes));
  assert.deepEqual(Object.keys(tile.layers), [layerName]);
  const layer = tile.layers[layerName]!;
  assert.deepEqual([layer.version, layer.extent], [2, 4096]);
  const ids = new Set<string>();
  for (let i = 0; i < layer.length; i++) {
    const feature = layer.feature(i);
    assert.equal(feature.type, 3);
    for (const [key, value] of Object.entries(feature.properties)) {
      assert.equal(typeof value === 'number' ? 'Number' : 'String', fields[key], key);
    }
    for (const ring of feature.loadGeometry()) assertRing(ring);
    for (const point of feature.loadGeometry().flat()) {
      for (const value of [point.x, point.y]) assert.ok(value >= -64 && value <= 4160);
    }
    ids.add(String(feature.properties.gml_id));
  }
  return ids;
}

for (const { name, layer } of zipped) {
  test(`${name} has tiles of its zooms with the declared layer`, async () => {
    const members = await sample.members(name);
    const metadata = JSON.parse(members.get('metadata.json')!.toString()) as VectorMetadata;
    const { vector_layers, tilestats } = JSON.parse(metadata.json);
    assert.deepEqual(
      vector_layers.map(({ id }: { id: string }) => id),
      [layer],
    );
    const ids = new Set<string>();
    const zooms = new Set<number>();
    for (const [path, bytes] of members) {
      if (path === 'metadata.json') continue;
      const [, z] = /^(\d+)\/\d+\/\d+\.mvt$/.exec(path)!;
      zooms.add(Number(z));
      const found = idsIn(bytes, layer, vector_layers[0].fields);
      if (Number(z) === MAX_ZOOM) for (const id of found) ids.add(id);
    }
    const { minzoom, maxzoom } = metadata;
    assert.ok(minzoom >= MIN_ZOOM && minzoom <= 10 && maxzoom === MAX_ZOOM);
    assert.deepEqual(
      [...zooms].sort((a, b) => a - b),
      Array.from({ length: maxzoom - minzoom + 1 }, (_, i) => minzoom + i),
    );
    assert.equal(ids.size, tilestats.layers[0].count);
  });
}

test('layers have the features of the GML', async () => {
  const city = '47900_aonagi-shi_city_2024_citygml_1_op';
  for (const [tiles, folder] of [
    [`${city}_bldg_mvt_lod0`, 'udx/bldg/'],
    [`${city}_tran_mvt_lod1`, 'udx/tran/'],
    [`${city}_luse_mvt_lod1`, 'udx/luse/'],
    [`${city}_urf_UseDistrict_mvt_lod1`, 'udx/urf/'],
  ] as const) {
    const files = Object.entries(SAMPLE_GML_FEATURES[city]!).filter(([path]) => path.startsWith(folder));
    const metadata = JSON.parse(
      (await sample.members(tiles)).get('metadata.json')!.toString(),
    ) as VectorMetadata;
    assert.equal(
      JSON.parse(metadata.json).tilestats.layers[0].count,
      files.reduce((sum, [, count]) => sum + count, 0),
    );
  }
});

test('the PMTiles archive is readable', async () => {
  const name = '47950_shiomino-shi_city_2024_citygml_1_op_luse_mvt_lod1';
  const bytes = await sample.read(`${name}.pmtiles`);
  const archive = new PMTiles({
    getKey: () => name,
    async getBytes(offset, length) {
      return { data: new Uint8Array(bytes.subarray(offset, offset + length)).buffer };
    },
  });
  const header = await archive.getHeader();
  assert.deepEqual([header.minZoom <= 10, header.maxZoom], [true, MAX_ZOOM]);
  const { vector_layers } = (await archive.getMetadata()) as {
    vector_layers: Array<{ fields: Record<string, string> }>;
  };
  const ids = new Set<string>();
  for (let x = 56378; x <= 56382; x++) {
    for (let y = 27900; y <= 27910; y++) {
      const tile = await archive.getZxy(MAX_ZOOM, x, y);
      if (tile === undefined) continue;
      for (const id of idsIn(new Uint8Array(tile.data), 'LandUse', vector_layers[0]!.fields)) ids.add(id);
    }
  }
  assert.equal(ids.size, 33);
});
