import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { inspectMvt } from './inspect-mvt.ts';
import { findTileLayout } from './mvt-paths.ts';
import { collectIssues, memoryFiles } from './testing/memory-files.ts';
import { writeMvt } from './testing/mvt-writer.ts';
import { openRealPackage, realPackages } from './testing/real-packages.ts';

const road = {
  points: [
    { x: 0, y: 0, tags: { name: 'a', lanes: 2 } },
    { x: 2048, y: 2048, tags: { toll: true } },
  ],
};

/** One tile each at zoom 8 and 9 near Numazu. */
function tiles(extension = 'mvt', bytes = writeMvt({ Road: road })) {
  return { [`8/226/101.${extension}`]: bytes, [`9/453/202.${extension}`]: bytes };
}

async function inspect(contents: Record<string, unknown>) {
  const { sink, issues, codes } = collectIssues();
  const facts = await inspectMvt(memoryFiles(contents), sink);
  return { facts, issues, codes: codes() };
}

/** Metadata as MBTiles exporters write it: text where TileJSON has arrays. */
function metadata(layers: unknown[], extra: Record<string, unknown> = {}) {
  return {
    name: 'tran_lod1',
    version: 2,
    minzoom: '8',
    maxzoom: 9,
    bounds: '138.6,35.0,138.9,35.2',
    center: '138.7,35.1,0',
    format: 'pbf',
    json: JSON.stringify({ vector_layers: layers }),
    ...extra,
  };
}

describe('inspectMvt', () => {
  it('reads metadata in the manner of MBTiles and completes fields from the tiles', async () => {
    const layer = {
      id: 'Road',
      description: '',
      minzoom: 8,
      maxzoom: 9,
      fields: { name: 'String', width: 'Number' },
    };
    const { facts, codes } = await inspect({ ...tiles(), 'metadata.json': metadata([layer]) });
    assert.deepEqual(codes, []);
    assert.deepEqual(facts, {
      template: '{z}/{x}/{y}.mvt',
      tiles: 2,
      minzoom: 8,
      maxzoom: 9,
      bounds: { west: 138.6, south: 35, east: 138.9, north: 35.2 },
      center: [138.7, 35.1, 9],
      vectorLayers: [
        {
          id: 'Road',
          minzoom: 8,
          maxzoom: 9,
          fields: { name: 'String', width: 'Number', lanes: 'Number', toll: 'Boolean' },
        },
      ],
      extents: [4096],
      compressed: false,
      name: 'tran_lod1',
      description: null,
      attribution: null,
    });
  });

  it('reads TileJSON, a directory before the zoom, .pbf and gzip', async () => {
    const packed = gzipSync(writeMvt({ Road: road }, 65536));
    const { facts, codes } = await inspect({
      'road/8/226/101.pbf': packed,
      'road/metadata.json': {
        tilejson: '3.0.0',
        attribution: '© city',
        bounds: [138.6, 34.5, 139, 35.2],
        center: [138.8, 35, 8],
        vector_layers: [{ id: 'Road', fields: {} }],
      },
    });
    assert.deepEqual(codes, []);
    assert.equal(facts?.template, 'road/{z}/{x}/{y}.pbf');
    assert.deepEqual([facts?.compressed, facts?.extents, facts?.attribution], [true, [65536], '© city']);
    assert.deepEqual(facts?.center, [138.8, 35, 8]);
  });

  it('takes everything from the tiles when there is no metadata', async () => {
    const { facts, codes } = await inspect(tiles());
    assert.deepEqual(codes, []);
    assert.deepEqual(facts?.vectorLayers, [
      { id: 'Road', minzoom: 8, maxzoom: 9, fields: { name: 'String', lanes: 'Number', toll: 'Boolean' } },
    ]);
    // The points of the tile at zoom 9: its north-west corner and its middle.
    const { west, south, east, north } = facts!.bounds;
    assert.ok(Math.abs(west - 138.515625) < 1e-9 && Math.abs(east - (138.515625 + 360 / 1024)) < 1e-9);
    assert.ok(north > south && north < 35.5 && south > 34.8);
    assert.deepEqual(facts!.center, [(west + east) / 2, (south + north) / 2, 9]);
  });

  it('holds the metadata against the tiles', async () => {
    const wrong = metadata([{ id: 'Rail', fields: {} }], { minzoom: 4, bounds: [0, 0, 1, 1], scheme: 'tms' });
    const { facts, codes } = await inspect({ ...tiles(), 'metadata.json': wrong });
    assert.deepEqual(codes, [
      'MVT_BOUNDS_DIFFER',
      'MVT_LAYER_MISSING',
      'MVT_LAYER_UNDECLARED',
      'MVT_SCHEME_TMS',
      'MVT_ZOOM_DIFFERS',
    ]);
    assert.deepEqual(
      facts?.vectorLayers.map((l) => l.id),
      ['Road'],
    );
    assert.equal(facts?.minzoom, 8);
    assert.ok(facts!.bounds.west > 138);
  });

  it('puts a layer that the tiles have first', async () => {
    // 40 tiles of a zoom are more than are read, so that a layer that was not met may still exist.
    const many = Object.fromEntries(
      Array.from({ length: 40 }, (_, i) => [`10/900/${i}.mvt`, writeMvt({ Road: road })]),
    );
    const { facts } = await inspect({
      ...many,
      'metadata.json': metadata([{ id: 'Rail' }, { id: 'Road' }], { bounds: '' }),
    });
    assert.deepEqual(
      facts?.vectorLayers.map((l) => l.id),
      ['Road', 'Rail'],
    );
  });

  it('reports odd names, broken tiles and mixed compression', async () => {
    const { facts, issues, codes } = await inspect({
      ...tiles(),
      'metadata.json': '{"name":',
      '8/300/1.mvt': new Uint8Array(),
      '7/3/1.mvt': gzipSync(writeMvt({ Road: road })),
      '7/4/1.mvt': 'hello',
      '6/5/2.mvt': gzipSync('x').subarray(0, 12),
      '8/226/102.pbf': writeMvt({ Road: road }),
      'road/8/1/1.mvt': writeMvt({ Road: road }),
      'a/b/c/d.mvt': '',
    });
    assert.deepEqual(codes, [
      'MVT_METADATA_UNREADABLE',
      'MVT_MIXED_COMPRESSION',
      'MVT_NAME_ODD',
      'MVT_UNREADABLE',
    ]);
    assert.deepEqual(
      issues.filter((i) => i.code === 'MVT_UNREADABLE').map((i) => i.member),
      ['6/5/2.mvt', '7/4/1.mvt'],
    );
    assert.deepEqual(
      issues
        .filter((i) => i.code === 'MVT_NAME_ODD')
        .map((i) => i.member)
        .sort(),
      ['8/226/102.pbf', '8/300/1.mvt', 'a/b/c/d.mvt', 'road/8/1/1.mvt'],
    );
    assert.equal(facts?.tiles, 5);
  });

  it('refuses a package without readable tiles', async () => {
    assert.deepEqual((await inspect({ 'a.txt': '' })).codes, ['MVT_NO_TILES']);
    assert.deepEqual((await inspect({ '99/1/1.mvt': '' })).codes, ['MVT_NO_TILES']);
    const broken = await inspect({ '1/1/1.mvt': 'hello' });
    assert.deepEqual([broken.facts, broken.codes], [null, ['MVT_UNREADABLE']]);
  });

  it('never throws, whatever metadata and tiles hold', async () => {
    const good = writeMvt({ Road: road });
    const odd = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom('1,2,3,4', '{', '{"vector_layers":[{"id":1},{"id":"Road"}]}', [1, 2, 3, 4], -1),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.record({ bounds: odd, center: odd, minzoom: odd, json: odd, vector_layers: odd }),
        fc.array(fc.tuple(fc.nat(good.length - 1), fc.nat(255)), { maxLength: 3 }),
        async (meta, edits) => {
          const bytes = good.slice();
          for (const [at, byte] of edits) bytes[at] = byte;
          await inspect({ '1/0/0.mvt': bytes, 'metadata.json': meta });
        },
      ),
      { numRuns: 500 },
    );
  });

  it('understands real packages', async (t) => {
    const names = realPackages('_mvt');
    if (names === null) return t.skip('needs ../shared/data');
    for (const name of names) {
      const { sink, issues } = collectIssues();
      const facts = await inspectMvt(await openRealPackage(name), sink);
      assert.deepEqual(issues, [], name);
      assert.deepEqual([facts?.template, facts?.minzoom, facts?.maxzoom], ['{z}/{x}/{y}.mvt', 8, 16]);
      assert.deepEqual([facts?.extents, facts?.compressed], [[65536], false]);
      const { west, east } = facts!.bounds;
      assert.ok(facts!.center[0] > west && facts!.center[0] < east);
      assert.ok(facts!.vectorLayers.every((layer) => layer.fields.gml_id === 'String'));
    }
    assert.equal(names.length, 4);
  });
});

describe('findTileLayout', () => {
  it('spreads its sample evenly and counts everything', () => {
    const paths = Array.from({ length: 100_000 }, (_, i) => `14/${i % 1000}/${Math.floor(i / 1000)}.mvt`);
    const layout = findTileLayout(() => paths, 12)!;
    assert.deepEqual([layout.tiles, layout.complete], [100_000, false]);
    assert.deepEqual(layout.zooms, [{ z: 14, tiles: 100_000, x1: 0, y1: 0, x2: 999, y2: 99 }]);
    assert.ok(layout.sample.length >= 12 && layout.sample.length < 24);
    assert.ok(layout.sample.at(-1)!.y > 80);
  });
});
