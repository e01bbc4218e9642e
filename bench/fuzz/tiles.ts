/** Tilesets with their contents, vector tiles with their metadata, and PMTiles: reported, refused, never thrown. */
import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import type { Issue } from '../../packages/base/src/issue.ts';
import { buildComposite } from '../../packages/tiles/src/composite.ts';
import { inspectTileset } from '../../packages/tiles/src/inspect-3dtiles.ts';
import { inspectMvt } from '../../packages/tiles/src/inspect-mvt.ts';
import { openPmtiles, PmtilesRefused } from '../../packages/tiles/src/pmtiles.ts';
import { DocumentTooLarge } from '../../packages/tiles/src/read-json.ts';
import { memoryFiles } from '../../packages/tiles/src/testing/memory-files.ts';
import { writePmtiles } from '../../packages/tiles/src/testing/pmtiles-writer.ts';
import { validateTilesetJson } from '../../packages/tiles/src/testing/validate-tileset.ts';
import { bufferSource } from '../../packages/zip/src/source.ts';
import type { OpenKind } from './kind.ts';
import { JSON_VALUES, mutateBytes, mutateJson, mutateText, NUMBERS } from './mutate.ts';
import { type Seed, seedPackages } from './seeds.ts';

/** Members of a seed: reading hundreds of tiles for each input would say nothing new. */
const MEMBERS = 6;

const TILESET_VALUES = [
  ...JSON_VALUES, 'tileset.json', '../tileset.json', 'javascript:alert(1)', 'http://a/b', 'a%2Fb', '%',
  { uri: 'tileset.json' }, { region: [0, 0, 0, 0, 0, 0] },
  { box: [] }, { sphere: [0, 0, 0, -1] }, { region: [4, 2, -4, -2, 1e308, -1e308] },
  [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0], '1.1', '9',
]; // biome-ignore format: a table
const METADATA_VALUES = [
  ...JSON_VALUES,
  [{ id: 'a', fields: {} }],
  '[',
  '{"vector_layers":[]}',
  '139,35,140,36',
  [181, 91, -181, -91],
  'tms',
  99,
];
const BYTE_TOKENS = [
  Buffer.from([0xff, 0xff, 0xff, 0xff]), Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1]),
  Buffer.from('glTF'), Buffer.from('b3dm'),
  Buffer.from('cmpt'), Buffer.from('{"'), Buffer.from([0, 0, 0, 0x80]), Buffer.alloc(8),
  Buffer.from([0x1a, 0x80, 0x80, 4]),
]; // biome-ignore format: a table

/** Members up to 30 kB: the entry and some others. */
function shorten({ members }: Seed, entry: RegExp): Array<[string, Buffer]> {
  const small = [...members].filter(([, bytes]) => bytes.length < 30_000);
  const entries = small.filter(([path]) => entry.test(path));
  return [...entries, ...small.filter(([path]) => !entry.test(path))].slice(
    0,
    Math.max(MEMBERS, entries.length),
  );
}

async function seedsOf(kind: Seed['kind'], entry: RegExp): Promise<Array<Array<[string, Buffer]>>> {
  const seeds = (await seedPackages()).filter((seed) => seed.kind === kind);
  return seeds.map((seed) => shorten(seed, entry)).filter((members) => members.length > 0);
}

export const openTilesets: OpenKind = async () => {
  const seeds = await seedsOf('3dtiles', /(^|\/)tileset\.json$/);
  return {
    name: 'tilesets',
    batch: 20,
    async run(random, keep) {
      const members = new Map(random.pick(seeds));
      const path = random.pick([...members.keys()]);
      const bytes = members.get(path)!;
      if (!path.endsWith('.json')) members.set(path, mutateBytes(bytes, random, BYTE_TOKENS));
      else if (random.int(0, 2) > 0) {
        members.set(
          path,
          Buffer.from(JSON.stringify(mutateJson(JSON.parse(bytes.toString()), random, TILESET_VALUES))),
        );
      } else
        members.set(
          path,
          Buffer.from(mutateText(bytes.toString(), random, ['{', '}', '[', ']', '"', ',', ...NUMBERS])),
        );
      keep(() => JSON.stringify([path, members.get(path)!.toString('base64')]));
      const facts = await inspect(() => inspectTileset(memoryFiles(Object.fromEntries(members)), noIssue));
      if (facts === null) return 'refused';
      const { geometricError, region, version } = facts;
      const boundingVolume = facts.tightVolume ?? facts.volume;
      if (boundingVolume === null) return 'refused';
      const child = { uri: 'https://a/tileset.json', boundingVolume, geometricError, region, version };
      assert.deepEqual(validateTilesetJson(buildComposite([child])), []);
      return 'accepted';
    },
  };
};

export const openVectorTiles: OpenKind = async () => {
  const seeds = await seedsOf('mvt', /(^|\/)metadata\.json$/);
  return {
    name: 'vector-tiles',
    batch: 50,
    async run(random, keep) {
      const members = new Map(random.pick(seeds));
      const path = random.pick([...members.keys()]);
      const bytes = members.get(path)!;
      if (path.endsWith('.json')) {
        members.set(
          path,
          Buffer.from(JSON.stringify(mutateJson(JSON.parse(bytes.toString()), random, METADATA_VALUES))),
        );
      } else if (random.int(0, 4) === 0) {
        members.delete(path);
        members.set(mutateText(path, random, ['/', '.mvt', '.pbf', ...NUMBERS]), bytes);
      } else {
        const changed = mutateBytes(bytes, random, BYTE_TOKENS);
        members.set(path, random.int(0, 4) === 0 ? gzipSync(changed) : changed);
      }
      keep(() => JSON.stringify([...members].map(([name, content]) => [name, content.toString('base64')])));
      const facts = await inspect(() => inspectMvt(memoryFiles(Object.fromEntries(members)), noIssue));
      if (facts === null) return 'refused';
      const { west, south, east, north } = facts.bounds;
      assert.ok(west <= east && south <= north, 'bounds that are none');
      assert.ok(facts.minzoom >= 0 && facts.minzoom <= facts.maxzoom, 'zooms that are none');
      return 'accepted';
    },
  };
};

export const openPmtilesKind: OpenKind = async () => {
  const found = (await seedPackages())
    .filter(({ kind }) => kind === 'mvt')
    .flatMap(({ members }) => [...members])
    .flatMap(([path, bytes]) => {
      const [, z, x, y] = /(\d+)\/(\d+)\/(\d+)\.mvt$/.exec(path) ?? [];
      return z === undefined ? [] : [{ z: Number(z), x: Number(x), y: Number(y), bytes }];
    })
    .slice(0, 200);
  const tiles = [...new Map(found.map((tile) => [`${tile.z}/${tile.x}/${tile.y}`, tile])).values()].slice(
    0,
    30,
  );
  const metadata = { vector_layers: [{ id: 'bldg', fields: { a: 'String' } }], name: 'a' };
  const seeds = [{}, { leafSize: 2 }, { gzip: false }].map((options) =>
    writePmtiles(tiles, { metadata, ...options }),
  );
  return {
    name: 'pmtiles',
    batch: 50,
    async run(random, keep) {
      const bytes = Buffer.from(random.pick(seeds));
      if (random.int(0, 2) === 0) {
        // The header says where everything is, in numbers of 64 bits (PMTiles 3, section 3).
        const at = 8 * random.int(1, 11);
        bytes.writeBigUInt64LE(
          BigInt(random.pick([0, 1, 126, bytes.length, bytes.length + 1, 2 ** 31, 2 ** 32, 2 ** 53])),
          at,
        );
      }
      const changed = random.int(0, 1) === 0 ? mutateBytes(bytes, random, BYTE_TOKENS) : bytes;
      keep(() => changed);
      try {
        const archive = await openPmtiles(bufferSource(changed));
        let count = 0;
        for await (const tile of archive.tiles()) count += tile.bytes.length >= 0 ? 1 : 0;
        assert.ok(count <= 1_000_000, `${count} tiles`);
        return 'accepted';
      } catch (error) {
        if (error instanceof PmtilesRefused) return 'refused';
        throw error;
      }
    },
  };
};

async function inspect<T>(work: () => Promise<T | null>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DocumentTooLarge) return null;
    throw error;
  }
}

function noIssue(issue: Issue): void {
  assert.match(issue.code, /^[A-Z][A-Z0-9_]+$/);
  assert.ok(issue.message.length > 10, issue.message);
}
