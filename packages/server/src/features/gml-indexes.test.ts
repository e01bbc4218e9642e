import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FeatureIndexWriter } from '@citymodel/citygml/testing';
import type { Archives, PackageRow } from '@citymodel/store';
import { bufferSource, type Member } from '@citymodel/zip';
import { ServiceError } from '../base/errors.ts';
import { GmlIndexes } from './gml-indexes.ts';

/** An index of so many features. */
function indexBytes(features: number): Uint8Array {
  const writer = new FeatureIndexWriter();
  const nothing = { lods: 0, box: null, extent: null, hasAltitude: false, solid: false, footprint: null };
  for (let i = 0; i < features; i++) writer.add(Buffer.from(`${i}`), 'bldg:Building', i, i + 1, nothing);
  return writer.finish(Buffer.from('<core:CityModel>'), { srsName: '', srsDimension: '' });
}

const SMALL = indexBytes(1);
const LARGE = indexBytes(8_000);
const ROW = { indexKey: 'indexes/1' } as PackageRow;

/** Indexes over one package, and the lengths of what is read from it. */
function indexes(maxBytes: number, readCost: 'local' | 'remote' = 'local') {
  const reads: number[] = [];
  const bytes = Buffer.concat([SMALL, LARGE]);
  const inner = bufferSource(bytes);
  const state = { isDown: false };
  const archives = {
    readCost,
    open: async () => ({
      indexSource: {
        ...inner,
        read(offset: number, length: number) {
          if (state.isDown) throw new Error('store is down');
          reads.push(length);
          return inner.read(offset, length);
        },
      },
      blocks: async () => null,
      async [Symbol.asyncDispose]() {},
    }),
  } as unknown as Archives;
  const all = new GmlIndexes(archives, maxBytes);
  const member = (path: string, offset: number, length: number) =>
    ({ path, sections: { features: { offset, length } } }) as unknown as Member;
  const members = {
    small: member('small.gml', 0, SMALL.length),
    large: member('large.gml', SMALL.length, LARGE.length),
    bad: member('bad.gml', 8, SMALL.length),
  };
  return {
    state,
    /** Opens one, and tells what was read for it. */
    async open(name: keyof typeof members, many = false, few = false) {
      reads.length = 0;
      const index = await all.open(ROW, members[name], many, few);
      assert.equal(index!.size, name === 'small' ? 1 : 8_000);
      return [...reads];
    },
    raw: all,
    bad: members.bad,
  };
}

const whole = (bytes: Uint8Array) => [bytes.length];
/** Header and small sections: a first read. */
const BEGUN = [16 * 1024];

test('a small index is read at once, and kept', async () => {
  const at = indexes(10e6);
  assert.deepEqual(await at.open('small'), whole(SMALL));
  assert.deepEqual(await at.open('small'), []);
});

test('a larger one is begun first, and read as a whole when it is asked for again', async () => {
  const at = indexes(10e6);
  assert.ok(LARGE.length > 256 * 1024);
  assert.deepEqual(await at.open('large'), BEGUN);
  assert.deepEqual(await at.open('large'), whole(LARGE));
  assert.deepEqual(await at.open('large'), []);
  assert.deepEqual(await at.open('large', true), []);
});

test('most of an index, or a store that is far away, makes it one read', async () => {
  assert.deepEqual(await indexes(10e6).open('large', true), whole(LARGE));
  assert.deepEqual(await indexes(10e6, 'remote').open('large'), whole(LARGE));
});

test('of a store that is far away, eight answers about few ids read parts, and the next one the whole', async () => {
  const at = indexes(10e6, 'remote');
  assert.deepEqual(await at.open('small', false, true), whole(SMALL));
  assert.deepEqual(await at.open('large', false, true), BEGUN);
  for (let time = 1; time < 8; time++) assert.deepEqual(await at.open('large', false, true), []);
  assert.deepEqual(await at.open('large', false, true), whole(LARGE));
  assert.deepEqual(await at.open('large', false, true), []);
  // What is there as a whole is not begun again.
  const other = indexes(10e6, 'remote');
  assert.deepEqual(await other.open('large'), whole(LARGE));
  assert.deepEqual(await other.open('large', false, true), []);
  // One that is too large for the memory is read by parts however often it is asked for.
  const little = indexes(2 * LARGE.length - 1, 'remote');
  assert.deepEqual(await little.open('large', false, true), BEGUN);
  for (let time = 1; time < 12; time++) assert.deepEqual(await little.open('large', false, true), []);
});

test('an index of more than half of the memory is always read by ranges', async () => {
  const at = indexes(2 * LARGE.length - 1);
  assert.deepEqual(await at.open('large', true), BEGUN);
  assert.deepEqual(await at.open('large', true), [], 'its beginning is kept');
  assert.deepEqual(await indexes(2 * LARGE.length).open('large', true), whole(LARGE));
});

test('an index that is pushed out of memory is begun again', async () => {
  // Room for one index with what it takes besides its bytes.
  const at = indexes(2 * LARGE.length);
  assert.deepEqual(await at.open('large', true), whole(LARGE));
  assert.deepEqual(await at.open('small'), whole(SMALL));
  assert.deepEqual(await at.open('large'), []);
});

test('without memory every index is read by ranges, and nothing is kept', async () => {
  const at = indexes(0);
  for (let i = 0; i < 2; i++) assert.deepEqual(await at.open('large', true), BEGUN);
  assert.deepEqual(await at.open('small'), [SMALL.length]);
});

test('an index that is begun while another request reads the whole of it is answered to both', async () => {
  const at = indexes(10e6);
  assert.deepEqual(await Promise.all([at.open('large'), at.open('large', true)]), [
    [...BEGUN, ...whole(LARGE)],
    [...BEGUN, ...whole(LARGE)],
  ]);
});

test('a member without an index has none, and one of another version is told of', async () => {
  const at = indexes(10e6);
  assert.equal(await at.raw.open(ROW, { path: 'x', sections: {} } as unknown as Member, false), null);
  await assert.rejects(at.raw.open(ROW, at.bad, false), (error) => {
    assert.ok(error instanceof ServiceError);
    assert.deepEqual([error.status, error.retryAfter], [503, 60]);
    assert.match(error.reason!, /^The index of bad\.gml cannot be read by this version/);
    return true;
  });
  at.state.isDown = true;
  await assert.rejects(at.open('large'), /store is down/);
  at.state.isDown = false;
  assert.deepEqual(await at.open('large'), BEGUN, 'a failure is not remembered');
});

test('hashes of ids are those of the index, and fail as the index does', async () => {
  const at = indexes(10e6);
  const range = { offset: SMALL.length, length: LARGE.length };
  const large = { path: 'large.gml', sections: { features: range } } as unknown as Member;
  const hashes = await at.raw.idHashes(ROW, large);
  assert.equal(hashes!.length, 8_000);
  assert.deepEqual(hashes, hashes!.toSorted());
  assert.equal(await at.raw.idHashes(ROW, { path: 'x', sections: {} } as unknown as Member), null);
  await assert.rejects(at.raw.idHashes(ROW, at.bad), { status: 503, retryAfter: 60 });
  at.state.isDown = true;
  await assert.rejects(at.raw.idHashes(ROW, large), /store is down/);
});
