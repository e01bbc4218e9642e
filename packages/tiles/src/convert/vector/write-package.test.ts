import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { VectorTile } from '@mapbox/vector-tile';
import { PbfReader } from 'pbf';
import { zxyToTileId } from 'pmtiles';
import { MAX_ZOOM } from '../../write/vector-tiles.ts';
import type { ConvertIssue, JoinContext, OutputKey, PackageSink } from '../part-maker.ts';
import { SummaryBuilder } from './layer-summary.ts';
import { RecordSorter, type TileRecord } from './tile-records.ts';
import { writeVectorPackage } from './write-package.ts';

/** Bytes that gzip finds nothing in, always the same. */
const NOISE = createHash('shake256', { outputLength: 600_000 }).digest();
const KEY: OutputKey = {
  ...{ kind: 'mvt', type: 'urf', sub: null, scale: null, wardCode: null, lod: 1 },
  ...{ noTexture: false, interior: false, symbols: null },
};

const record = (zoom: number, id: number, commands: Uint8Array): TileRecord => ({
  ...{ tile: zxyToTileId(zoom, 0, 0), id, weight: id, type: 1, layer: 'a' },
  ...{ properties: Buffer.from('[]'), commands },
});

suite('packages of vector tiles', () => {
  let scratch: string;
  before(() => {
    scratch = mkdtempSync(join(tmpdir(), 'vector-package-'));
  });
  after(() => rmSync(scratch, { recursive: true }));

  /** Files of a package of records, and what is noted of it. */
  async function written(records: readonly TileRecord[]) {
    const sorter = new RecordSorter(scratch, 'part');
    for (const one of records) await sorter.add(one);
    const path = join(scratch, 'part.tiles');
    await sorter.finish(path);
    const files = new Map<string, Uint8Array>();
    const issues: ConvertIssue[] = [];
    const sink = { add: async (name: string, bytes: Uint8Array) => void files.set(name, bytes) };
    const context = {
      ...{ name: 'town_urf_mvt', scratch, signal: new AbortController().signal, options: { pmtiles: false } },
      issue: (issue: ConvertIssue) => void issues.push(issue),
    };
    const summary = new SummaryBuilder().result();
    await writeVectorPackage(
      KEY,
      [{ path, summary }],
      sink as unknown as PackageSink,
      context as unknown as JoinContext,
    );
    const ids = (name: string) => {
      const layer = new VectorTile(new PbfReader(files.get(name)!)).layers.a!;
      return Array.from({ length: layer.length }, (_, i) => layer.feature(i).id);
    };
    return { files, ids, counts: issues.map(({ code, severity, count }) => [code, severity, count]), issues };
  }

  test('tiles lie under zoom, column and row, and the metadata have their zooms', async () => {
    const { files, ids, counts } = await written([
      record(9, 3, Buffer.of(9, 0, 0)),
      record(8, 2, Buffer.of(9, 0, 0)),
      record(9, 1, Buffer.of(9, 0, 0)),
    ]);
    assert.deepEqual([...files.keys()], ['8/0/0.mvt', '9/0/0.mvt', 'metadata.json']);
    assert.deepEqual([ids('8/0/0.mvt'), ids('9/0/0.mvt')], [[2], [3, 1]]);
    const metadata = JSON.parse(Buffer.from(files.get('metadata.json')!).toString());
    assert.deepEqual([metadata.minzoom, metadata.maxzoom, metadata.format], [8, 9, 'pbf']);
    assert.deepEqual(counts, []);
  });

  test('of what is too much for memory the larger half stays, and the others are counted', async () => {
    // Nine million bytes each, which compress to nothing: two fit into memory.
    const [large, small] = [new Uint8Array(9_000_000), Buffer.of(9, 0, 0)];
    const { ids, counts, issues } = await written([
      ...[5, 7, 6].map((id) => record(8, id, large)),
      record(8, 1, small),
      record(9, 1, small),
      // One that is too much by itself stays all the same.
      record(10, 4, new Uint8Array(25_300_000)),
    ]);
    assert.deepEqual([ids('8/0/0.mvt'), ids('10/0/0.mvt')], [[7, 1], [4]]);
    assert.deepEqual(counts, [['TILES_CROWDED', 'info', 2]]);
    assert.match(issues[0]!.message, /^1 vector tiles .*; 2 of their features/);
  });

  test('features that the highest zoom leaves out are lost, those of others are not', async () => {
    const half = (zoom: number) => [1, 2].map((i) => record(zoom, i, NOISE.subarray((i - 1) * 3e5, i * 3e5)));
    const { ids, counts } = await written([...half(MAX_ZOOM), ...half(MAX_ZOOM - 1), ...half(MAX_ZOOM - 2)]);
    for (const zoom of [0, 1, 2]) assert.deepEqual(ids(`${MAX_ZOOM - zoom}/0/0.mvt`), [2]);
    assert.deepEqual(counts, [
      ['TILES_CROWDED', 'info', 2],
      ['TILES_FULL', 'warning', 1],
    ]);
  });
});
