import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { PMTiles, zxyToTileId } from 'pmtiles';
import { type PmtilesEntry, pmtilesHead } from './pmtiles.ts';
import type { VectorMetadata } from './vector-tiles.ts';

const metadata: VectorMetadata = {
  name: 'test',
  description: '',
  version: 2,
  minzoom: 8,
  maxzoom: 8,
  center: '',
  bounds: '',
  type: 'overlay',
  format: 'pbf',
  json: '{"vector_layers":[{"id":"a"}]}',
};

for (const columns of [3, 80]) {
  test(`an archive of ${columns * columns} tiles gives back each`, async () => {
    const tiles = Array.from({ length: columns * columns }, (_, i) => {
      const [x, y] = [i % columns, Math.floor(i / columns)];
      return { z: 8, x, y, bytes: new TextEncoder().encode(`${x}/${y}`) };
    });
    const stored = tiles
      .map(({ z, x, y, bytes }) => ({ id: zxyToTileId(z, x, y), bytes: gzipSync(bytes) }))
      .sort((a, b) => a.id - b.id);
    let offset = 0;
    const entries = stored.map(({ id, bytes }): PmtilesEntry => {
      offset += bytes.length;
      return { id, run: 1, offset: offset - bytes.length, length: bytes.length };
    });
    const head = pmtilesHead(entries, metadata, { west: 129, south: 25, east: 130, north: 26 });
    const bytes = Buffer.concat([head, ...stored.map((tile) => tile.bytes)]);
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
