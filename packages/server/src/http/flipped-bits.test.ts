/** Bits that flip in what the object store returns: each answer is right, or says that it cannot be given. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { ROUNDS } from '@citymodel/base/testing';
import { formatSpatialId, spatialIdOf } from '@citymodel/geo';
import type { ObjectStore } from '@citymodel/store';
import { BlockMemory, CachedStore, DiskCache, type TaggedStore } from '@citymodel/store/testing';
import { HEADER_BYTES, type StreamOptions } from '@citymodel/zip';
import fc from 'fast-check';
import {
  BUILDINGS,
  CITY,
  type InjectedService,
  injectService,
  MEMBER,
  serveAgain,
} from './testing/inject-service.ts';

interface Flip {
  key: string;
  at: number;
  bit: number;
  times: number;
}

let service: InjectedService;
/** Paths, some with a range of bytes behind `#`, and their right answers. */
const right = new Map<string, Buffer>();
/** The index of the city, and its archive. */
let indexKey: string;
let archiveKey: string;
let packKey: string;
/** Of vector tiles: a tile, and the objects that it lies in. */
let tile: string;
let tileKeys: string[];
let zips: string[];

before(async () => {
  service = await injectService();
  const gml = `http://localhost:8080${await service.asset(MEMBER)}`;
  const posted = await service.ask('/citygml/pack', { method: 'POST', payload: { urls: [gml] } });
  const { id } = posted.json<{ id: string }>();
  await service.ask(`/citygml/pack/${id}/status?wait=30`);
  const { catalogue, packs } = service.at.stores;
  const [row] = await catalogue.findPackages({ name: CITY });
  ({ indexKey, archiveKey } = row!);
  packKey = (await packs.find([id], Date.now()))[0]!.objectKey!;
  const url = `url=${encodeURIComponent(gml)}`;
  const place = formatSpatialId(spatialIdOf(139.77005, 35.68013, null, 18));
  const tiles = `${CITY}_luse_mvt_lod1`;
  const [tileRow] = await catalogue.findPackages({ name: tiles });
  tileKeys = [tileRow!.archiveKey, tileRow!.indexKey];
  tile = await service.asset('14/14552/6451.mvt', tiles);
  const pack = `/citygml/pack/${id}/download/${id}.zip`;
  const archive = await service.asset('.zip');
  zips = [archive, `${archive}#100-200`, `${archive}#-300`, pack, `${pack}#500-900`];
  const paths = [
    `/citygml/attributes?${url}&id=${BUILDINGS[1]}`,
    `/citygml/spatialid_attributes?sid=${place}&type=bldg`,
    `/citygml/features?${url}&sid=0/0/0/0`,
    `/citygml/features?${url}&sid=0/0/0/0&format=geojson`,
    await service.asset(MEMBER),
    tile,
    ...zips,
  ];
  for (const path of paths) {
    const { status, body } = await ask(service, path);
    assert.equal(status, path.includes('#') ? 206 : 200, `${path}: ${body}`);
    right.set(path, Buffer.from(body));
  }
});
after(() => service[Symbol.asyncDispose]());

/** A store that is far away, and whose answers have a bit that is another as often as `flip.times` says. */
function flippingStore(inner: ObjectStore, flip: Flip): TaggedStore {
  const flipped = (key: string, offset: number, bytes: Uint8Array) => {
    const copy = Uint8Array.from(bytes);
    if (flip.key !== key || flip.times === 0) return copy;
    if (flip.at < offset || flip.at >= offset + bytes.length) return copy;
    flip.times--;
    copy[flip.at - offset]! ^= 1 << flip.bit;
    return copy;
  };
  const open: TaggedStore['open'] = async (key) => {
    const handle = await inner.open(key);
    return {
      size: handle.size,
      etag: '"e"',
      read: async (offset, length) => flipped(key, offset, await handle.read(offset, length)),
      async *stream(offset: number, length: number, _options?: StreamOptions) {
        yield flipped(key, offset, await handle.read(offset, length));
      },
      [Symbol.asyncDispose]: () => handle[Symbol.asyncDispose]() as Promise<void>,
    };
  };
  return new Proxy(inner, {
    get(target, name) {
      if (name === 'open') return open;
      if (name === 'traits') return { ...target.traits, readCost: 'remote' };
      const value = Reflect.get(target, name) as unknown;
      return typeof value === 'function' ? value.bind(target) : value;
    },
  }) as TaggedStore;
}

function ask(from: InjectedService, path: string) {
  const [url, range] = path.split('#') as [string, string?];
  return from.ask(url, range === undefined ? {} : { headers: { range: `bytes=${range}` } });
}

/** What a caller gets: right bytes, or null for an answer that says that it cannot be given. Anything else is wrong. */
async function got(from: InjectedService, path: string): Promise<Buffer | null> {
  const answer = await ask(from, path).catch((error: Error) => error);
  // The connection ends in the middle.
  if (answer instanceof Error) return null;
  const { status, headers, body } = answer;
  if (status === 503 && /^\d+$/.test(String(headers['retry-after']))) return null;
  assert.equal(status, path.includes('#') ? 206 : 200, `${path}: ${body}`);
  return Buffer.from(body);
}

/**
 * Reads that an earlier answer has begun may still bring the flipped bit, to the one who wants the same bytes; none of
 * them lasts.
 */
async function gotSoon(from: InjectedService, path: string): Promise<Buffer | null> {
  for (let tries = 3; ; tries--) {
    const body = await got(from, path);
    if (body !== null || tries === 1) return body;
  }
}

/** Asks for everything while a bit flips, and again when it does no longer. */
async function tryFlip(flip: Flip, indexCacheBytes: number, paths: readonly string[]): Promise<number> {
  const directory = await mkdtemp(join(tmpdir(), 'flipped-'));
  const damaged: string[] = [];
  const place = `${flip.key} ${flip.at} bit ${flip.bit}`;
  const { times } = flip;
  try {
    const blocks = new BlockMemory(4_000_000, new DiskCache(directory, 4_000_000));
    const objects = new CachedStore(flippingStore(service.at.stores.objects, flip), blocks);
    await using other = await serveAgain(service.at, {
      objects,
      onDamage: (key) => damaged.push(key),
      indexCacheBytes,
    });
    let refused = 0;
    for (const path of paths) {
      const body = await got(other, path);
      if (body === null) refused++;
      else assert.ok(body.equals(right.get(path)!), `${path}: another answer with ${place}`);
    }
    const met = times - flip.times;
    flip.times = 0;
    if (times === 1) assert.equal(refused, 0, `a bit that flips once costs no answer: ${place}`);
    if (refused > 0) assert.ok(damaged.length > 0 && damaged.every((key) => key === flip.key), place);
    if (met > 0 && ([indexKey, packKey].includes(flip.key) || paths.includes(zips[0]!)))
      assert.ok(damaged.length > 0, `nobody noticed ${place}`);
    for (const path of paths) {
      const body = await gotSoon(other, path);
      assert.ok(body?.equals(right.get(path)!), `${path} after ${place}: ${body}`);
    }
    await blocks.settle();
    return met;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function sizeOf(key: string): Promise<number> {
  return (await service.at.stores.objects.head(key))!.size;
}

for (const [how, indexCacheBytes] of [
  ['read as a whole', 1_000_000],
  ['read by ranges', 0],
] as const) {
  test(`no bit of the index of an archive changes an answer, feature indexes ${how}`, async () => {
    const size = await sizeOf(indexKey);
    let met = 0;
    // Every word of the footer, and places all over the rest but the header, of which nothing is used then.
    const footer = Array.from({ length: HEADER_BYTES / 4 }, (_, i) => size - HEADER_BYTES + i * 4 + (i % 4));
    const rest = fc.sample(fc.integer({ min: HEADER_BYTES, max: size - 1 }), {
      numRuns: 8 * ROUNDS,
      seed: 2711,
    });
    for (const [i, at] of [...footer, ...rest].entries()) {
      const times = i % 4 === 0 ? 1 : Number.MAX_SAFE_INTEGER;
      met += Number(
        (await tryFlip({ key: indexKey, at, bit: (i * 5) % 8, times }, indexCacheBytes, [...right.keys()])) >
          0,
      );
    }
    assert.ok(met > 20, `${met} of the bits were met`);
  });
}

test('no bit of an archive changes attributes, features, a file or a zip', async () => {
  const size = await sizeOf(archiveKey);
  const paths = [...right.keys()].filter((path) => path !== tile);
  for (const [i, at] of fc.sample(fc.nat(size - 1), { numRuns: 8 * ROUNDS, seed: 2712 }).entries()) {
    await tryFlip({ key: archiveKey, at, bit: i % 8, times: Number.MAX_SAFE_INTEGER }, 1_000_000, paths);
  }
});

test('every bit of an archive is looked at before it leaves in a zip', async () => {
  const size = await sizeOf(archiveKey);
  for (const [i, at] of fc.sample(fc.nat(size - 1), { numRuns: 8 * ROUNDS, seed: 2715 }).entries()) {
    const times = i % 3 === 0 ? 1 : Number.MAX_SAFE_INTEGER;
    assert.ok((await tryFlip({ key: archiveKey, at, bit: i % 8, times }, 1_000_000, [zips[0]!])) > 0);
  }
});

test('no bit of vector tiles or their index changes a tile', async () => {
  for (const key of tileKeys) {
    const size = await sizeOf(key);
    for (const [i, at] of fc.sample(fc.nat(size - 1), { numRuns: 6 * ROUNDS, seed: 2714 }).entries()) {
      await tryFlip({ key, at, bit: i % 8, times: Number.MAX_SAFE_INTEGER }, 1_000_000, [tile]);
    }
  }
});

test('no bit of the layout of a pack changes the pack', async () => {
  const size = await sizeOf(packKey);
  for (const [i, at] of fc.sample(fc.nat(size - 1), { numRuns: 6 * ROUNDS, seed: 2713 }).entries()) {
    const times = i % 3 === 0 ? 1 : Number.MAX_SAFE_INTEGER;
    assert.ok((await tryFlip({ key: packKey, at, bit: i % 8, times }, 1_000_000, zips.slice(3))) > 0);
  }
});
