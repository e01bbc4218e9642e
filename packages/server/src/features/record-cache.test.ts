import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { anyText } from '@citymodel/base/testing';
import type { FeatureEntry } from '@citymodel/citygml';
import fc from 'fast-check';
import { RecordCache } from './record-cache.ts';

/** Whether a record lies in memory as it came: each reading of one that is deflated gives another copy. */
function isWhole(cache: RecordCache, of: FeatureEntry, file = 'a'): boolean {
  const first = cache.get(file, of);
  return first !== undefined && cache.get(file, of) === first;
}

/** A cache of texts. */
class TextCache {
  readonly #cache: RecordCache;
  readonly #maxBytes: number;
  #fillings = 0;

  constructor(maxBytes: number) {
    this.#cache = new RecordCache(maxBytes);
    this.#maxBytes = maxBytes;
  }

  put(file: string, entry: FeatureEntry, text: string): void {
    this.#cache.put(file, entry, Buffer.from(text));
  }

  /** A record that is asked for twice. */
  putWanted(file: string, entry: FeatureEntry, text: string): void {
    this.put(file, entry, text);
    this.get(file, entry);
  }

  get(file: string, entry: FeatureEntry): string | undefined {
    const record = this.#cache.get(file, entry);
    return record && Buffer.from(record).toString();
  }

  /** Has all records leave the memory of those that were asked for last; resolves when they are deflated. */
  async pushOut(): Promise<void> {
    const last = entry(this.#fillings++);
    this.putWanted('last', last, 'last');
    const filling = Buffer.alloc(this.#maxBytes / 20);
    for (let i = 0; i < 6; i++) this.#cache.put('filling', entry(this.#fillings++), filling);
    while (isWhole(this.#cache, last, 'last')) await setImmediate();
  }
}

const entry = (index: number, id: string | null = `bldg_${index}`, element = 'bldg:Building') =>
  ({ index, id, element }) as FeatureEntry;

/** As unlike others as a text can be. */
const unlike = (length: number) => randomBytes(length / 2).toString('hex');
/** Names that have nothing in common. */
const NAMES = Array.from({ length: 80 }, () => unlike(40));
/** A record with values of its own under names that all have. */
const alike = (n: number) => JSON.stringify(Object.fromEntries(NAMES.map((name, i) => [name, (n * i) % 97])));

test('a record is found by its file, number and id, with all its characters', async () => {
  const cache = new TextCache(100_000);
  cache.put('a', entry(1), '{"gml:name":"都庁 😀"}');
  assert.equal(cache.get('a', entry(1)), '{"gml:name":"都庁 😀"}');
  assert.equal(cache.get('a', entry(2)), undefined);
  await cache.pushOut();
  assert.equal(cache.get('a', entry(1)), '{"gml:name":"都庁 😀"}');
  assert.equal(cache.get('b', entry(1)), undefined);
  assert.equal(cache.get('a', entry(2)), undefined);
  assert.equal(cache.get('a', entry(1, 'bldg_same_hash')), undefined, 'the feature has another id');
  assert.equal(cache.get('a', entry(1, null)), undefined);
});

test('records come back whatever stood before and between them, of few kinds and of many', async () => {
  const text = fc.oneof(
    anyText({ maxLength: 300 }),
    fc.nat(50).map(alike),
    fc.integer({ min: 2, max: 5_000 }).map((length) => unlike(length)),
    fc.constant(''),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(text, fc.nat(600)), { maxLength: 40 }), async (records) => {
      const cache = new TextCache(1_000_000);
      const put = (text: string, kind: number, n: number) =>
        cache.putWanted('a', entry(n, null, `x:K${kind}`), text);
      for (const [n, [text, kind]] of records.entries()) put(text, kind % 3 === 0 ? 0 : kind, n);
      await cache.pushOut();
      // A text with half of a pair of surrogates is none that an answer has.
      for (const [n, [text]] of records.entries())
        assert.equal(cache.get('a', entry(n, null)), text.toWellFormed());
    }),
    { numRuns: 60 },
  );
  const cache = new TextCache(10_000_000);
  for (let kind = 0; kind < 600; kind++) cache.putWanted('a', entry(kind, null, `x:K${kind}`), alike(kind));
  await cache.pushOut();
  for (let kind = 0; kind < 600; kind++) assert.equal(cache.get('a', entry(kind, null)), alike(kind));
});

test('records of a kind are kept in a fraction of their bytes, also where the first one had little', async () => {
  const keptOf = async (kindOf: (n: number) => string, first: string) => {
    const cache = new TextCache(1_300_000);
    cache.putWanted('a', entry(0, null, kindOf(0)), first);
    for (let n = 1; n <= 1_000; n++) cache.putWanted('a', entry(n, null, kindOf(n)), alike(n));
    await cache.pushOut();
    return Array.from({ length: 1_000 }, (_, n) => cache.get('a', entry(n + 1, null))).filter(
      (one, n) => one === alike(n + 1),
    ).length;
  };
  assert.ok(1_000 * alike(1).length > 3_000_000);
  assert.equal(await keptOf(() => 'bldg:Building', '{}'), 1_000);
  // A long record that is like no other would be of no use to the others.
  assert.equal(await keptOf(() => 'bldg:Building', unlike(20_000)), 1_000);
  assert.ok((await keptOf((n) => `x:K${n}`, '{}')) < 700, 'other kinds tell nothing');
});

test('it keeps what was asked for again within its bytes, nothing large, and nothing without memory', async () => {
  const cache = new TextCache(100_000);
  const records = Array.from({ length: 1_000 }, () => unlike(2_000));
  for (const [i, record] of records.entries()) {
    cache.putWanted('a', entry(i), record);
    cache.get('a', entry(0));
  }
  const kept = [...records.keys()].filter((i) => cache.get('a', entry(i)) !== undefined);
  // Hexadecimal digits have half of the bits of their bytes.
  assert.ok(kept.length > 50 && kept.length * 1_000 <= 100_000, `${kept.length}`);
  assert.ok(kept.includes(0) && kept.includes(999) && !kept.includes(500));
  cache.put('a', entry(1), 'x'.repeat(10_000));
  assert.equal(cache.get('a', entry(1)), undefined);
  const none = new TextCache(0);
  none.put('a', entry(1), 'x');
  assert.equal(none.get('a', entry(1)), undefined);
});

test('records that one caller reads once do not push out what was asked for again', async () => {
  const cache = new TextCache(100_000);
  for (let n = 0; n < 20; n++) cache.putWanted('a', entry(n), alike(n));
  await cache.pushOut();
  for (let n = 0; n < 1_000; n++) cache.put('b', entry(n), alike(n));
  for (let n = 0; n < 20; n++) assert.equal(cache.get('a', entry(n)), alike(n));
  const kept = Array.from({ length: 1_000 }, (_, n) => cache.get('b', entry(n))).filter(
    (text) => text !== undefined,
  );
  assert.ok(kept.length > 1 && kept.length < 5, `${kept.length}, those that came last`);
});

test('a record that comes a second time after it was forgotten is kept', async () => {
  const cache = new TextCache(100_000);
  for (let time = 0; time < 2; time++) {
    assert.equal(cache.get('a', entry(1)), undefined);
    cache.put('a', entry(1), alike(1));
    await cache.pushOut();
  }
  assert.equal(cache.get('a', entry(1)), alike(1));
});

test('records that come again and again in the same order are kept, all that have room', async () => {
  const cache = new TextCache(2_000_000);
  const numbers = Array.from({ length: 1_500 }, (_, n) => n);
  for (let time = 0; time < 3; time++) {
    for (const n of numbers) if (cache.get('a', entry(n)) === undefined) cache.put('a', entry(n), alike(n));
  }
  await cache.pushOut();
  const kept = numbers.filter((n) => cache.get('a', entry(n)) !== undefined);
  assert.ok(kept.length > 1_480, `${kept.length}`);
});

test('records that leave are deflated once no more come, or when much text waits', async () => {
  const cache = new RecordCache(1_600_000);
  const put = (n: number, file = 'a') => cache.put(file, entry(n), Buffer.from(alike(n)));
  const inMemory: Buffer[] = [];
  for (let n = 0; n < 200; n++) {
    put(n);
    inMemory.push(cache.get('a', entry(n)) as Buffer);
  }
  const waiting = () => inMemory.findIndex((_, n) => isWhole(cache, entry(n)));
  let first = waiting();
  assert.ok(first > 0, 'more text waits than has room');
  await setImmediate();
  assert.equal(waiting(), first, 'others came in this round');
  put(0, 'b');
  first = waiting();
  await setImmediate();
  assert.equal(waiting(), first, 'another one came in this round');
  await setImmediate();
  const turn = inMemory.slice(first, waiting()).reduce((sum, { length }) => sum + length, 0);
  assert.ok(turn >= 32 * 1024 && turn < 36 * 1024, `${turn}`);
  let end = waiting();
  for (let before = -1; before < end; end = waiting()) {
    before = end;
    await setImmediate();
  }
  const left = inMemory.slice(first, end).reduce((sum, { length }) => sum + length, 0);
  assert.ok(left > 90_000 && left <= 100_000, `${left} bytes waited`);
  const fresh = inMemory.slice(end).reduce((sum, { length }) => sum + length, 0);
  assert.ok(fresh > 150_000 && fresh <= 200_000, `${fresh} bytes are as they came`);
  for (let n = 0; n < 200; n++) assert.equal(String(cache.get('a', entry(n))), alike(n));
});

test('records in memory keep nothing of what they were cut out of', () => {
  const cache = new RecordCache(3_200_000);
  const large = Buffer.alloc(10_000_000, 'x');
  for (let n = 0; n < 100; n++) cache.put('a', entry(n), large.subarray(n * 1_000, n * 1_000 + 900));
  cache.put('a', entry(100), large.subarray(0, 90_000));
  large.fill('y');
  const texts = Array.from({ length: 101 }, (_, n) => cache.get('a', entry(n)) as Buffer);
  assert.ok(texts.every((text, n) => text.toString() === 'x'.repeat(n === 100 ? 90_000 : 900)));
  const memories = new Set(texts.map(({ buffer }) => buffer));
  assert.ok([...memories].reduce((sum, { byteLength }) => sum + byteLength, 0) <= 2 * 128 * 1024);
});

test('a record leaves the memory in its turn, however often it is asked for, since others lie beside it', () => {
  const cache = new RecordCache(1_600_000);
  cache.put('a', entry(0), Buffer.from(alike(0)));
  for (let n = 1; n < 200; n++) {
    cache.put('a', entry(n), Buffer.from(alike(n)));
    cache.get('a', entry(n));
    assert.equal(String(cache.get('a', entry(0))), alike(0));
  }
  assert.ok(!isWhole(cache, entry(0)));
});

test('records that are to be deflated keep nothing of those beside which they lay', () => {
  const cache = new RecordCache(16_000_000);
  for (let n = 0; n < 6_000; n++) {
    cache.put('a', entry(n), Buffer.alloc(900, 'x'));
    if (n % 100 === 0) cache.get('a', entry(n));
  }
  // Those after them lie in memory as they came.
  const left = Array.from({ length: 40 }, (_, n) => cache.get('a', entry(100 * n)) as Buffer);
  assert.ok(left.every((text) => text.equals(Buffer.alloc(900, 'x'))));
  assert.equal(cache.get('a', entry(4_001)), undefined);
  assert.equal(new Set(left.map(({ buffer }) => buffer)).size, 1);
});

test('a record that is put again while it is there is counted once', () => {
  const cache = new RecordCache(1_600_000);
  cache.put('a', entry(1), Buffer.from(alike(1)));
  const first = cache.get('a', entry(1));
  for (let time = 0; time < 1_000; time++) cache.put('a', entry(1), Buffer.from(alike(1)));
  assert.equal(cache.get('a', entry(1)), first);
  // Were the others counted, or in its place, the next ones would push it out.
  for (let n = 2; n < 45; n++) cache.put('a', entry(n), Buffer.from(alike(n)));
  assert.equal(cache.get('a', entry(1)), first);
  for (let n = 45; n < 60; n++) cache.put('a', entry(n), Buffer.from(alike(n)));
  const leaving = cache.get('a', entry(1));
  assert.ok(leaving !== first && isWhole(cache, entry(1)));
  cache.put('a', entry(1), Buffer.from(alike(1)));
  assert.equal(cache.get('a', entry(1)), leaving, 'one that is to be deflated is not taken again');
});
