import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { PMTiles, tileIdToZxy, zxyToTileId } from 'pmtiles';
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
    // The version of the format, which the library asks for at most.
    assert.equal(header.specVersion, 3);
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

/** What the library reads of an archive whose tiles are so many bytes of nothing. */
async function opened(entries: readonly PmtilesEntry[], zooms: { minzoom: number; maxzoom: number }) {
  const head = pmtilesHead(
    entries,
    { ...metadata, ...zooms },
    { west: -0.25, south: -10.5, east: 130.75, north: 26 },
  );
  const asked: Array<[offset: number, length: number]> = [];
  const archive = new PMTiles({
    getKey: () => 'opened',
    getBytes: async (offset, length) => {
      asked.push([offset, length]);
      const tile = offset >= head.length ? gzipSync('tile') : head.subarray(offset, offset + length);
      return { data: Uint8Array.from(tile).buffer };
    },
  });
  return { head, asked, archive, header: await archive.getHeader() };
}

test('the header says where each part lies, how many tiles there are, and what they are', async () => {
  const entries = [
    { id: 100, run: 1, offset: 0, length: 30 },
    { id: 101, run: 1, offset: 30, length: 12 },
  ];
  const { head, header } = await opened(entries, { minzoom: 3, maxzoom: 14 });
  assert.deepEqual(
    [header.specVersion, header.rootDirectoryOffset, header.jsonMetadataOffset],
    [3, 127, 127 + header.rootDirectoryLength],
  );
  assert.equal(header.leafDirectoryOffset, header.jsonMetadataOffset + header.jsonMetadataLength);
  assert.deepEqual([header.leafDirectoryLength, header.tileDataOffset], [0, head.length]);
  assert.equal(header.tileDataLength, 42);
  assert.deepEqual([header.numAddressedTiles, header.numTileEntries, header.numTileContents], [2, 2, 2]);
  const { clustered, internalCompression, tileCompression, tileType } = header;
  assert.deepEqual([clustered, internalCompression, tileCompression, tileType], [true, 2, 2, 1]);
  assert.deepEqual([header.minZoom, header.maxZoom, header.centerZoom], [3, 14, 14]);
  assert.deepEqual([header.minLon, header.minLat, header.maxLon, header.maxLat], [-0.25, -10.5, 130.75, 26]);
  assert.deepEqual([header.centerLon, header.centerLat], [65.25, 7.75]);
});

test('tiles of every distance are found where they lie, also the last of the deepest zoom', async () => {
  const places = [
    [0, 0, 0],
    [7, 64, 64],
    [7, 127, 0],
    [15, 29_100, 12_900],
    [26, 67_108_863, 0],
  ] as const;
  let offset = 0;
  const entries = places.map(([z, x, y], i): PmtilesEntry => {
    const length = [1, 127, 128, 20_000, 3_000_000][i]!;
    // A gap before the last.
    offset += i === 4 ? length + 5 : length;
    return { id: zxyToTileId(z, x, y), run: 1, offset: offset - length, length };
  });
  const { head, asked, archive } = await opened(entries, { minzoom: 0, maxzoom: 26 });
  for (const [i, [z, x, y]] of places.entries()) {
    asked.length = 0;
    await archive.getZxy(z, x, y);
    assert.deepEqual(asked.at(-1), [head.length + entries[i]!.offset, entries[i]!.length], `${z}/${x}/${y}`);
  }
});

test('an archive without tiles is one', async () => {
  const { archive, header } = await opened([], { minzoom: 0, maxzoom: 0 });
  assert.deepEqual([header.tileDataLength, header.numTileEntries], [0, 0]);
  assert.equal(await archive.getZxy(0, 0, 0), undefined);
});

test('up to 2,048 tiles are in the root, more in leaves', async () => {
  const entriesOf = (count: number) =>
    Array.from({ length: count }, (_, id): PmtilesEntry => ({ id, run: 1, offset: id * 10, length: 10 }));
  const leaves = async (count: number) => {
    const { archive, header, asked, head } = await opened(entriesOf(count), { minzoom: 0, maxzoom: 12 });
    const found: number[] = [];
    for (const id of [0, count - 1]) {
      const [z, x, y] = tileIdToZxy(id);
      await archive.getZxy(z, x, y);
      found.push((asked.at(-1)![0] - head.length) / 10);
    }
    assert.deepEqual(found, [0, count - 1]);
    return header.leafDirectoryLength! > 0;
  };
  assert.equal(await leaves(2_048), false);
  assert.equal(await leaves(2_049), true);
  assert.equal(await leaves(2 * 2_048), true);
});
