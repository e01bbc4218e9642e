import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { bufferSource, type RangedSource } from '@citymodel/zip';
import fc from 'fast-check';
import { openPmtiles, PmtilesRefused, type PmtilesTile } from './pmtiles.ts';
import { writePmtiles } from './testing/pmtiles-writer.ts';

const bytes = (...values: number[]) => Uint8Array.from(values);

async function all(archive: Uint8Array): Promise<PmtilesTile[]> {
  const tiles: PmtilesTile[] = [];
  for await (const tile of (await openPmtiles(bufferSource(archive))).tiles()) tiles.push(tile);
  return tiles;
}

/** Every tile of a zoom, each with its own bytes or with ones shared with its neighbours. */
function pyramid(z: number, share: number) {
  const n = 2 ** z;
  return Array.from({ length: n * n }, (_, i) => ({
    z,
    x: i % n,
    y: Math.floor(i / n),
    bytes: bytes(z, 7, i % share),
  }));
}

describe('openPmtiles', () => {
  it('gives back every tile once, from root and leaf directories, packed or not', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 4 }),
        fc.integer({ min: 1, max: 300 }),
        fc.boolean(),
        fc.option(fc.integer({ min: 1, max: 40 }), { nil: undefined }),
        async (z, share, gzip, leafSize) => {
          const tiles = [...pyramid(z, share), ...pyramid(z + 1, share)];
          const archive = writePmtiles(tiles, { gzip, ...(leafSize === undefined ? {} : { leafSize }) });
          const key = (t: { z: number; x: number; y: number; bytes: Uint8Array }) =>
            `${t.z}/${t.x}/${t.y}:${[...t.bytes]}`;
          const read = (await all(archive)).map((tile) => {
            assert.equal(tile.compression, gzip ? 'gzip' : 'none');
            return key({ ...tile, bytes: gzip ? gunzipSync(tile.bytes) : tile.bytes });
          });
          assert.deepEqual(read.sort(), tiles.map(key).sort());
        },
      ),
      { numRuns: 25 },
    );
  });

  it('tells header and metadata in the terms of TileJSON', async () => {
    const archive = writePmtiles([{ z: 3, x: 7, y: 3, bytes: bytes(1) }], {
      metadata: { name: 'roads', vector_layers: [{ id: 'road', fields: {} }] },
      bounds: [139, 35, 140, 36],
    });
    const opened = await openPmtiles(bufferSource(archive));
    assert.deepEqual([opened.minzoom, opened.maxzoom, opened.declaredTiles], [3, 3, 1]);
    assert.deepEqual(opened.metadata, {
      name: 'roads',
      vector_layers: [{ id: 'road', fields: {} }],
      minzoom: 3,
      maxzoom: 3,
      bounds: [139, 35, 140, 36],
      center: [139.5, 35.5, 3],
    });
  });

  it('opens an archive without metadata', async () => {
    const archive = writePmtiles([{ z: 3, x: 7, y: 3, bytes: bytes(1) }], { bounds: [139, 35, 140, 36] });
    // Their length (PMTiles 3, section 3.2).
    new DataView(archive.buffer, archive.byteOffset).setBigUint64(32, 0n, true);
    const { metadata } = await openPmtiles(bufferSource(archive));
    assert.deepEqual(Object.keys(metadata), ['minzoom', 'maxzoom', 'bounds', 'center']);
  });

  it('reads a tile only when it is asked for it', async () => {
    const archive = writePmtiles(pyramid(3, 1000), { leafSize: 16 });
    const inner = bufferSource(archive);
    const reads: number[] = [];
    const source: RangedSource = {
      ...inner,
      read(offset, length) {
        reads.push(length);
        return inner.read(offset, length);
      },
    };
    const opened = await openPmtiles(source);
    assert.equal(reads.length, 2, 'header with root, metadata');
    const tiles = opened.tiles()[Symbol.asyncIterator]();
    await tiles.next();
    assert.equal(reads.length, 4, 'one leaf, one tile');
    await tiles.next();
    assert.equal(reads.length, 5, 'one tile more');
    await tiles.return?.();
  });

  it('refuses what is no archive of vector tiles, with the reason', async () => {
    const good = writePmtiles(pyramid(1, 9));
    const edit = (at: number, value: number) => {
      const copy = good.slice();
      copy[at] = value;
      return copy;
    };
    const cases: Array<[Uint8Array, RegExp]> = [
      [new Uint8Array(10), /has 10 bytes/],
      [new Uint8Array(500), /no PMTiles archive/],
      [edit(7, 2), /version/],
      [edit(7, 9), /version/],
      [writePmtiles(pyramid(1, 9), { tileType: 2 }), /type Png; Mvt was expected/],
      [edit(99, 77), /type number 77/],
      [edit(97, 4), /no PMTiles archive/],
      [edit(97, 9), /compression 9/],
      [edit(140, 0xff), /no PMTiles archive/],
      [edit(30, 200), /metadata/],
      [good.subarray(0, good.length - 3), /cannot be read/],
      [edit(101, 0), /zoom 1; its header says/],
    ];
    for (const [archive, reason] of cases) {
      await assert.rejects(
        all(archive),
        (error) => error instanceof PmtilesRefused && reason.test(error.message),
        `${reason}`,
      );
    }
  });

  it('refuses a directory that claims more entries than it has bytes', async () => {
    const archive = writePmtiles(pyramid(1, 9));
    const lie = Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff, 0x0f, 1, 1, 1]);
    archive.set(lie, 127);
    new DataView(archive.buffer).setBigUint64(16, BigInt(lie.length), true);
    archive[97] = 1;
    await assert.rejects(openPmtiles(bufferSource(archive)), /cannot have \d+ entries/);
  });
});
