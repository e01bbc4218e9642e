import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { boundsIntersect } from '@citymodel/geo';
import { bufferSource, type RangedSource } from '@citymodel/zip';
import fc from 'fast-check';
import { encodeFootprint } from '../geometry/footprint.ts';
import { firstVersion } from '../testing/first-version.ts';
import { upgradedIndex } from './encode-index.ts';
import { FeatureIndex } from './feature-index.ts';
import { FeatureIndexFile } from './feature-index-file.ts';
import { hashOf, quantise } from './feature-index-format.ts';
import { FeatureIndexWriter } from './feature-index-writer.ts';

interface Made {
  id: string | null;
  box: number[] | null;
}

const CRS = { srsName: 'EPSG:6697', srsDimension: '3' };
const ROOT = Buffer.from(`<core:CityModel ${'x'.repeat(4000)}>`);

function build(
  features: readonly Made[],
  { writer = new FeatureIndexWriter(), root = ROOT } = {},
): Uint8Array {
  features.forEach(({ id, box }, i) => {
    const coordinates = box === null ? null : Float64Array.from(box);
    writer.add(
      id === null ? null : Buffer.from(id),
      i % 3 === 0 ? 'bldg:Building' : 'uro:Zone',
      i * 100,
      i * 100 + 90,
      {
        lods: 3,
        box: coordinates,
        extent: coordinates,
        hasAltitude: true,
        solid: i % 2 === 0,
        footprint:
          box === null
            ? null
            : encodeFootprint(
                {
                  count: 1,
                  kinds: Uint8Array.of(0),
                  starts: Int32Array.of(0),
                  lengths: Int32Array.of(3),
                  vertices: Float64Array.of(box[0]!, box[1]!, box[2]!, box[1]!, box[2]!, box[3]!),
                },
                box[0]!,
                box[1]!,
              ),
      },
    );
  });
  return writer.finish(root, CRS);
}

/** A source that notes what is read. */
function counting(bytes: Uint8Array): {
  source: RangedSource;
  reads: Array<[offset: number, length: number]>;
} {
  const reads: Array<[number, number]> = [];
  const inner = bufferSource(bytes);
  return {
    reads,
    source: {
      size: inner.size,
      read(offset, length) {
        reads.push([offset, length]);
        return inner.read(offset, length);
      },
      stream: inner.stream,
    },
  };
}

const degrees = fc.integer({ min: 0, max: 1_000_000 }).map((n) => n / 1_000_000);
const madeFeature: fc.Arbitrary<Made> = fc.record({
  id: fc.option(
    fc.oneof(
      fc.constantFrom('a', 'b', '建物'),
      fc.uuid().map((id) => `bldg_${id}`),
    ),
    { freq: 5 },
  ),
  box: fc.option(
    fc
      .tuple(degrees, degrees, degrees, degrees)
      .map(([a, b, w, h]) => [139 + a, 35 + b, 139 + a + w / 100, 35 + b + h / 100, -1.25, 30.1]),
    { freq: 8 },
  ),
});

for (const isFirstVersion of [false, true])
  test(`an index gives back what went in${isFirstVersion ? ': the first version' : ''}`, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(madeFeature, { maxLength: 60 }),
        fc.array(fc.tuple(degrees, degrees), { maxLength: 5 }),
        async (features, corners) => {
          const written = build(features);
          const bytes = isFirstVersion ? firstVersion(written) : written;
          assert.deepEqual(Buffer.from(upgradedIndex(bytes)), Buffer.from(written));
          const index = FeatureIndex.open(bytes);
          const padded = Buffer.concat([Buffer.alloc(13), bytes, Buffer.alloc(5)]);
          const file = await FeatureIndexFile.open(bufferSource(padded), {
            offset: 13,
            length: bytes.length,
          });
          assert.equal(index.size, features.length);
          const ids = features.flatMap(({ id }) => (id === null ? [] : [id]));
          assert.deepEqual([...index.ids()], ids);
          assert.equal(index.header.withoutId, features.length - ids.length);
          assert.equal(index.header.duplicates, ids.length - new Set(ids).size);
          assert.deepEqual(Buffer.from(file.rootTag), ROOT);
          assert.deepEqual(file.crs, CRS);
          for (const id of [...new Set(ids), 'none', '']) {
            const expected = features.flatMap((feature, i) => (feature.id === id ? [i] : []));
            assert.deepEqual(index.find(id), expected);
            assert.deepEqual(
              (await file.find(id)).map((entry) => entry.index),
              expected,
            );
            assert.equal(file.hasPlaces, !isFirstVersion);
            for (const candidate of await file.candidates(id)) {
              const { start, end } = index.feature(candidate.index);
              assert.deepEqual(candidate.place, isFirstVersion ? null : { start, end });
              assert.deepEqual(await file.assumed(candidate, id), {
                ...index.feature(candidate.index),
                id,
                idIsAssumed: true,
              });
            }
          }
          for (let i = 0; i < features.length; i++) {
            const { id, box } = features[i]!;
            const entry = index.feature(i);
            const { footprintOffset, footprintLength, ...rest } = entry;
            assert.equal(footprintLength > 0, box !== null);
            assert.ok(footprintOffset >= 0);
            assert.deepEqual(rest, {
              index: i,
              id,
              element: i % 3 === 0 ? 'bldg:Building' : 'uro:Zone',
              start: i * 100,
              end: i * 100 + 90,
              lods: 3,
              extent:
                box === null
                  ? null
                  : {
                      west: box[0],
                      south: box[1],
                      east: box[2],
                      north: box[3],
                      minAlt: box[4],
                      maxAlt: box[5],
                    },
              hasAltitude: box !== null,
              lod1Solid: box !== null && i % 2 === 0,
              footprintInBlock: false,
            });
            const ring = index.footprint(entry)?.polygons[0]?.[0];
            assert.deepEqual(
              ring,
              box === null
                ? undefined
                : Float64Array.of(box[0]!, box[1]!, box[2]!, box[1]!, box[2]!, box[3]!),
            );
          }
          for (const [x, y] of corners) {
            const bounds = { west: 139 + x, south: 35 + y, east: 139.05 + x, north: 35.02 + y };
            const expected = features.flatMap(({ box }, i) =>
              box !== null &&
              boundsIntersect(bounds, { west: box[0]!, south: box[1]!, east: box[2]!, north: box[3]! })
                ? [i]
                : [],
            );
            assert.deepEqual(index.search(bounds), expected);
            assert.deepEqual(await file.search(bounds), expected);
          }
        },
      ),
      { numRuns: 60 },
    );
  });

/** 70,000 features on a grid, with ids like real ones. */
function city(): { features: Made[]; bytes: Uint8Array } {
  const features = Array.from({ length: 70_000 }, (_, i) => {
    const x = 139 + (i % 280) * 1e-4;
    const y = 35 + Math.floor(i / 280) * 1e-4;
    const hex = (Math.imul(i + 1, 0x9e3779b1) >>> 0).toString(16).padStart(8, '0');
    return { id: `bldg_${hex}-5984-4b81-8516-${hex}${i % 10000}`, box: [x, y, x + 5e-5, y + 5e-5, 0, 10] };
  });
  return { features, bytes: build(features) };
}

test('finding an id in 70,000 features reads little, and so does a small search', async () => {
  const { features, bytes } = city();
  assert.ok(bytes.length / features.length <= 250, `${bytes.length / features.length} bytes a feature`);
  const { source, reads } = counting(bytes);
  const file = await FeatureIndexFile.open(source);
  assert.deepEqual(reads, [[bytes.length - 16_384, 16_384]]);
  let most = 0;
  for (let i = 0; i < features.length; i += 997) {
    reads.length = 0;
    const found = await file.find(features[i]!.id!);
    assert.deepEqual(
      found.map((entry) => entry.index),
      [i],
    );
    most = Math.max(most, reads.length);
    const total = reads.reduce((sum, [, length]) => sum + length, 0);
    assert.ok(total <= 25_000, `${total} bytes in ${reads.length} reads`);
  }
  // Hash table, entry, id; sometimes a second look at the hash table.
  assert.ok(most <= 4, `${most} reads`);
  reads.length = 0;
  assert.deepEqual(await file.find('bldg_none'), []);
  assert.ok(reads.length <= 2);

  reads.length = 0;
  const hits = await file.search({ west: 139.01, south: 35.01, east: 139.01004, north: 35.01004 });
  assert.equal(hits.length, 1);
  const [tree, ...entries] = reads;
  assert.equal(tree![1], file.header.sections.tree.length);
  assert.ok(entries.length <= 10 && entries.every(([, length]) => length <= 100), JSON.stringify(entries));
  reads.length = 0;
  const { value } = await file.features(hits).next();
  const hit = value![0]!;
  reads.length = 0;
  const footprint = await file.footprint(hit);
  assert.equal(footprint?.polygons.length, 1);
  assert.equal(reads.length, 1);
});

test('up to some 2,000 features, one read tells where the text of an id is, and another one the rest', async () => {
  const { features } = city();
  for (const count of [1, 300, 2_000]) {
    const { source, reads } = counting(build(features.slice(0, count)));
    const file = await FeatureIndexFile.open(source);
    const id = features[count >> 1]!.id!;
    const [candidate] = await file.candidates(id);
    assert.equal(reads.length, 1, JSON.stringify([count, reads]));
    assert.equal(candidate!.place!.start, (count >> 1) * 100);
    assert.equal((await file.assumed(candidate!, id)).index, count >> 1);
    assert.deepEqual(reads[1]?.[1], 80);
  }
});

test('of more features, one read tells where the text of the id is that was named, or of one behind it', async () => {
  const { features } = city();
  const bytes = build(features.slice(0, 6_000));
  let together = 0;
  for (let i = 0; i < 6_000; i += 97) {
    const { source, reads } = counting(bytes);
    const id = features[i]!.id!;
    const file = await FeatureIndexFile.open(source, undefined, { id, featureBytes: bytes.length / 6_000 });
    const [candidate] = await file.candidates(id);
    assert.equal(candidate!.place!.start, i * 100);
    assert.ok(reads[0]![1] <= 88 * 1024, `${reads[0]![1]} bytes`);
    if (reads.length === 1) together++;
    // Any other id is found as well, out of what is kept or by another read.
    for (let k = 5; k < 6_000; k += 1_499) {
      const [other] = await file.candidates(features[k]!.id!);
      assert.equal(other!.place!.start, k * 100);
    }
    assert.deepEqual(await file.find('bldg_none'), []);
  }
  // Their hashes are even: of 120 kB, more than half lie in what is read.
  assert.ok(together >= 30, `${together} of 62`);
});

test('damaged bytes of an index are an answer or an error, in memory and by ranges', async () => {
  const { features } = city();
  for (const count of [40, 3_000]) {
    const good = build(features.slice(0, count));
    for (const bytes of [good, firstVersion(good)]) {
      const header = bytes === good ? bytes.length - 128 : 0;
      const place = fc.oneof(
        fc.nat(bytes.length - 1),
        fc.nat(127).map((at) => header + at),
      );
      const change = fc.tuple(place, fc.oneof(fc.nat(255), fc.constantFrom(0, 255)));
      await fc.assert(
        fc.asyncProperty(
          fc.array(change, { minLength: 1, maxLength: 6 }),
          fc.nat(count - 1),
          async (changes, i) => {
            const damaged = Buffer.from(bytes);
            for (const [at, byte] of changes) damaged[at] = byte;
            const id = features[i]!.id!;
            const bounds = { west: 139, south: 35, east: 139.001, north: 35.001 };
            const steps = [
              () => FeatureIndex.open(damaged).find(id),
              () => upgradedIndex(damaged),
              () => FeatureIndex.open(damaged).search(bounds),
              () => FeatureIndex.open(damaged).feature(i),
              async () => (await FeatureIndexFile.open(bufferSource(damaged))).find(id),
              async () => (await FeatureIndexFile.open(bufferSource(damaged))).search(bounds),
              async () => {
                const file = await FeatureIndexFile.open(bufferSource(damaged));
                for (const candidate of await file.candidates(id)) await file.assumed(candidate, id);
              },
            ];
            for (const step of steps) {
              try {
                await step();
              } catch (error) {
                const isTold =
                  error instanceof RangeError || /Flatbush|Data|data when/.test((error as Error).message);
                assert.ok(isTold, (error as Error).stack);
              }
            }
          },
        ),
        { numRuns: 60 },
      );
    }
  }
});

test('many features with one id are all found by ranges', async () => {
  const features = Array.from({ length: 6000 }, (_, i) => ({
    id: i % 2 === 0 ? 'same' : `other-${i}`,
    box: null,
  }));
  const bytes = build(features);
  const file = await FeatureIndexFile.open(bufferSource(bytes));
  assert.equal((await file.find('same')).length, 3000);
  assert.equal((await file.find('other-17'))[0]?.index, 17);
});

test('anything else is refused with what was found', async () => {
  const bytes = Buffer.from(build([]));
  assert.throws(() => FeatureIndex.open(bytes.subarray(0, 100)), /at least 128 bytes, this has 100/);
  const header = bytes.length - 128;
  const other = Buffer.from(bytes);
  other.write('PK', header);
  other.write('PK');
  assert.throws(() => FeatureIndex.open(other), /begins with CMFI, this with 0x504b/);
  const newer = Buffer.from(bytes);
  newer[header + 4] = 9;
  assert.throws(() => FeatureIndex.open(newer), /version 9, expected 2/);
  const long = Buffer.from(bytes);
  long.writeUInt32LE(1e6, header + 60);
  assert.throws(() => FeatureIndex.open(long), /section rootTag/);
  await assert.rejects(FeatureIndexFile.open(bufferSource(other)), RangeError);
  assert.throws(() => FeatureIndex.open(bytes).feature(0), /no feature 0 in an index of 0/);
});

/** Two ids with one hash, the first of `c0`, `c1`, … that have. */
const COLLIDING = ['c693596', 'c1170850'] as const;

test('ids whose hashes collide are found where the first window of the hash table ends between them', async () => {
  const [one, two] = COLLIDING;
  const hash = hashOf(Buffer.from(one));
  assert.equal(hashOf(Buffer.from(two)), hash);
  const others = Array.from({ length: 30_000 }, (_, i) => {
    const id = `other-${i}`;
    return { id, above: hashOf(Buffer.from(id)) - hash };
  }).sort((a, b) => Math.abs(a.above) - Math.abs(b.above));
  const smaller = others.filter(({ above }) => above < 0).map(({ id }) => id);
  const larger = others.filter(({ above }) => above > 0).map(({ id }) => id);
  const after = 2_000;
  let cut = 0;
  for (let before = 600; before < smaller.length; before++) {
    // The first window is so many entries around the place that the hash's share of all hashes gives.
    const count = before + 2 + after;
    const width = Math.ceil(4 * Math.sqrt(count)) + 16;
    const middle = Math.floor((hash / 2 ** 32) * count);
    const atEnd = Math.abs(middle + (width >> 1) - (before + 1)) <= 1;
    const atStart = Math.abs(middle - 512 - (before + 1)) <= 1;
    if (!atEnd && !atStart) continue;
    cut++;
    const ids = [...smaller.slice(0, before), one, two, ...larger.slice(0, after)];
    const file = await FeatureIndexFile.open(bufferSource(build(ids.map((id) => ({ id, box: null })))));
    for (const [id, index] of [
      [one, before],
      [two, before + 1],
    ] as const) {
      const found = await file.find(id);
      assert.deepEqual(
        found.map((entry) => entry.index),
        [index],
        `${before} before`,
      );
    }
  }
  assert.ok(cut > 0);
});

test('a writer that is cleared makes the index that a new one would make', () => {
  const box = [139, 35, 139.1, 35.1, 0, 9];
  const writer = new FeatureIndexWriter();
  const many = Array.from({ length: 300 }, (_, i): Made => ({ id: `a${i}`, box }));
  build(many, { writer });
  for (const features of [[{ id: null, box: null }], [{ id: 'b', box }], [], many] as Made[][]) {
    writer.clear();
    assert.deepEqual(build(features, { writer }), build(features));
  }
});

test('a single feature is found, and the footprint of what has none is null', async () => {
  const bytes = build([{ id: 'a', box: [139, 35, 139.1, 35.1, 0, 9] }]);
  const index = FeatureIndex.open(bytes);
  const file = await FeatureIndexFile.open(bufferSource(bytes));
  const near = { west: 139.05, south: 35.05, east: 139.06, north: 35.06 };
  assert.deepEqual(index.search(near), [0]);
  assert.deepEqual(await file.search(near), [0]);
  const entry = index.feature(0);
  for (const nothing of [
    { ...entry, extent: null },
    { ...entry, footprintLength: 0 },
  ]) {
    assert.equal(index.footprint(nothing), null);
    assert.equal(await file.footprint(nothing), null);
  }
  assert.ok(index.footprint(entry) !== null && (await file.footprint(entry)) !== null);
});

test('a root tag that is longer than the first read is read from its place', async () => {
  const root = Buffer.from(`<core:CityModel ${'y'.repeat(40_000)}>`);
  const bytes = build([{ id: 'a', box: null }], { root });
  const source = bufferSource(Buffer.concat([Buffer.alloc(50_000), bytes]));
  const file = await FeatureIndexFile.open(source, { offset: 50_000, length: bytes.length });
  assert.equal((await file.find('a'))[0]?.element, 'bldg:Building');
});

test('ids of one hash are no duplicates of each other', () => {
  const [one, two] = COLLIDING;
  const duplicatesOf = (...ids: string[]) =>
    FeatureIndex.open(build(ids.map((id) => ({ id, box: null })))).header.duplicates;
  assert.equal(duplicatesOf(one, two), 0);
  assert.equal(duplicatesOf(one, two, two, one, one), 3);
});

/** Of features with everything that an index can hold, and without. */
const SEVERAL: Made[] = [
  { id: 'a', box: [139.5, 35.25, 139.75, 35.5, -1.5, 30] },
  { id: null, box: [139, 35, 139.125, 35.125, 0, 0] },
  { id: '建物', box: null },
  { id: 'a', box: [139.875, 35.875, 140, 36, 0, 9] },
  { id: null, box: null },
];

test('the bytes are those of version 2: a change of them raises the version', () => {
  const bytes = Buffer.from(build(SEVERAL, { root: Buffer.from('<core:CityModel>') }));
  const header = bytes.subarray(bytes.length - 128);
  assert.equal(header.toString('latin1', 0, 4), 'CMFI');
  assert.deepEqual(
    [4, 6].map((at) => header.readUInt16LE(at)),
    [2, 0],
  );
  assert.deepEqual(
    [8, 12, 16, 20].map((at) => header.readUInt32LE(at)),
    [5, 2, 1, 0],
  );
  assert.deepEqual(
    [24, 32, 40, 48].map((at) => header.readDoubleLE(at)),
    [139, 35, 140, 36],
  );
  const sha256 = (of: Uint8Array) => createHash('sha256').update(of).digest('hex');
  assert.equal(sha256(bytes), '85d6b828b344bbf92252904f0f9dde708beb5802b40d33c82d76403f9f53a6e6');
  // As it was written before there was another version.
  assert.equal(
    sha256(firstVersion(bytes)),
    '8b875a562d44e0adfc8e588e3c9b875da08e09222f4809dba99b6bd3889f320c',
  );
  assert.equal(hashOf(Buffer.from('bldg_1')), 2_860_734_897);
});

test('sections begin at multiples of 8, without gaps beyond, and header and sections must lie inside', () => {
  const bytes = Buffer.from(build(SEVERAL));
  const { sections } = FeatureIndex.open(bytes).header;
  const header = bytes.length - 128;
  let end = 0;
  for (const { offset, length } of Object.values(sections).toSorted((a, b) => a.offset - b.offset)) {
    assert.equal(offset, Math.ceil(end / 8) * 8);
    end = offset + length;
  }
  assert.equal(header, Math.ceil(end / 8) * 8);
  const changed = (at: number, by: number) => {
    const copy = Buffer.from(bytes);
    copy.writeUInt32LE((copy.readUInt32LE(header + at) + by) >>> 0, header + at);
    return () => FeatureIndex.open(copy);
  };
  // The last section, which may end where the header begins and not behind it.
  const { offset, length } = sections.crs;
  const room = header - offset - length;
  changed(56 + 2 * 8 + 4, room)();
  assert.throws(changed(56 + 2 * 8 + 4, room + 1), /section crs of the feature index/);
  assert.throws(changed(56, 1), /section rootTag/);
  assert.throws(changed(56 + 7 * 8, -8), /section footprints of the feature index is 4294967288/);
  assert.throws(changed(8, 1), /of 6 features has entries of 400 bytes, expected 480/);
  assert.throws(changed(60 + 3 * 8, 4), /entries of/);
  assert.throws(() => FeatureIndex.open(bytes.subarray(0, 127)), /at least 128 bytes, this has 127/);
});

test('on a grid without width, where all features lie on one line, everything is at 0', () => {
  assert.deepEqual(quantise(139.7, 139.7, 139.7, 139.7), [0, 0]);
  assert.deepEqual(quantise(139, 140, 139.7, 139.7), [0, 0]);
});

test('features have their names, up to the most that are kept, and then the last of these', () => {
  const writer = new FeatureIndexWriter();
  const nothing = { lods: 0, box: null, extent: null, hasAltitude: false, solid: false, footprint: null };
  for (let i = 0; i < 65_540; i++) writer.add(null, `uro:E${i}`, 0, 0, nothing);
  const index = FeatureIndex.open(writer.finish(ROOT, CRS));
  assert.deepEqual(
    [0, 1, 65_534, 65_535, 65_539].map((i) => index.feature(i).element),
    ['uro:E0', 'uro:E1', 'uro:E65534', 'uro:E65534', 'uro:E65534'],
  );
});

test('a search by ranges in a file of many features goes through the entries, and gives the same', async () => {
  const box = [139, 35, 139.001, 35.001, 0, 9];
  const features = Array.from(
    { length: 100_002 },
    (_, i): Made => ({
      id: null,
      box: i === 77 || i === 100_001 ? box : i % 2 === 0 ? null : [139.5, 35.5, 139.6, 35.6, 0, 9],
    }),
  );
  const bytes = build(features);
  const { source, reads } = counting(bytes);
  const file = await FeatureIndexFile.open(source);
  const { tree } = file.header.sections;
  const near = { west: 138, south: 34, east: 139, north: 35 };
  reads.length = 0;
  assert.deepEqual(await file.search(near), [77, 100_001]);
  assert.ok(reads.every(([offset]) => offset !== tree.offset));
  const index = FeatureIndex.open(bytes);
  for (const [west, south, east, north, isHit] of [
    [139.001, 35.001, 139.4, 35.4, true],
    [139.0011, 35, 139.4, 35.4, false],
    [139, 35.0011, 139.4, 35.4, false],
    [138, 34, 138.9999, 36, false],
    [138, 34, 139.4, 34.9999, false],
  ] as const) {
    const bounds = { west, south, east, north };
    const expected = isHit ? [77, 100_001] : [];
    assert.deepEqual(await file.search(bounds), expected, `${west} ${south}`);
    assert.deepEqual(index.search(bounds), expected, `${west} ${south}`);
  }
});
