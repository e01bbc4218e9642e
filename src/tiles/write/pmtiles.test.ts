import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PMTiles } from 'pmtiles';
import { pmtilesArchive } from './pmtiles.ts';
import type { VectorTileset } from './vector-tiles.ts';

const metadata = {
  name: 'test',
  description: '',
  version: 2,
  minzoom: 8,
  maxzoom: 8,
  center: '',
  bounds: '',
};

for (const columns of [3, 80]) {
  test(`an archive of ${columns * columns} tiles gives back each`, async () => {
    const tiles = Array.from({ length: columns * columns }, (_, i) => {
      const [x, y] = [i % columns, Math.floor(i / columns)];
      return { z: 8, x, y, bytes: new TextEncoder().encode(`${x}/${y}`) };
    });
    const tileset: VectorTileset = {
      metadata: { ...metadata, type: 'overlay', format: 'pbf', json: '{"vector_layers":[{"id":"a"}]}' },
      bounds: { west: 129, south: 25, east: 130, north: 26 },
      tiles,
    };
    const bytes = pmtilesArchive(tileset);
    const archive = new PMTiles({
      getKey: () => String(columns),
      getBytes: async (offset, length) => ({
        data: Uint8Array.from(bytes.subarray(offset, offset + length)).buffer,
      }),
    });
    const header = await archive.getHeader();
    assert.deepEqual([header.minLon, header.minLat, header.maxLon, header.maxLat], [129, 25, 130, 26]);
    assert.ok(header.rootDirectoryOffset + header.rootDirectoryLength <= 16_384);
    assert.deepEqual(((await archive.getMetadata()) as Record<string, unknown>).vector_layers, [{ id: 'a' }]);
    for (const { x, y, bytes: expected } of tiles) {
      const tile = await archive.getZxy(8, x, y);
      assert.deepEqual(new Uint8Array(tile!.data), expected);
    }
    assert.equal(await archive.getZxy(8, columns + 1, 0), undefined);
  });
}
