import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { FeatureEntry } from '@citymodel/citygml';
import fc from 'fast-check';
import { RecordCache } from './record-cache.ts';

/** A cache of texts. */
class TextCache {
  readonly #cache: RecordCache;
  #last: { file: string; entry: FeatureEntry; text: Buffer } | undefined;

  constructor(maxBytes: number) {
    this.#cache = new RecordCache(maxBytes);
  }

  put(file: string, entry: FeatureEntry, text: string): void {
    this.#last = { file, entry, text: Buffer.from(text) };
    this.#cache.put(file, entry, this.#last.text);
  }

  /** Resolves when all are deflated, the last one too: what comes back then is another copy. */
  async settle(): Promise<void> {
    while (this.#last && this.#cache.get(this.#last.file, this.#last.entry) === this.#last.text)
      await setImmediate();
  }

  get(file: string, entry: FeatureEntry): string | undefined {
    const record = this.#cache.get(file, entry);
    return record && Buffer.from(record).toString();
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
  await cache.settle();
  assert.equal(cache.get('a', entry(1)), '{"gml:name":"都庁 😀"}');
  assert.equal(cache.get('b', entry(1)), undefined);
  assert.equal(cache.get('a', entry(2)), undefined);
  assert.equal(cache.get('a', entry(1, 'bldg_same_hash')), undefined, 'the feature has another id');
  assert.equal(cache.get('a', entry(1, null)), undefined);
});

test('records come back whatever stood before and between them, of few kinds and of many', async () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.nat(50).map(alike),
    fc.integer({ min: 2, max: 5_000 }).map((length) => unlike(length)),
    fc.constant(''),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(text, fc.nat(600)), { maxLength: 40 }), async (records) => {
      const cache = new TextCache(10_000_000);
      const put = (text: string, kind: number, n: number) =>
        cache.put('a', entry(n, null, `x:K${kind}`), text);
      for (const [n, [text, kind]] of records.entries()) put(text, kind % 3 === 0 ? 0 : kind, n);
      await cache.settle();
      // A text with half of a pair of surrogates is none that an answer has.
      for (const [n, [text]] of records.entries())
        assert.equal(cache.get('a', entry(n, null)), text.toWellFormed());
    }),
    { numRuns: 200 },
  );
  const cache = new TextCache(10_000_000);
  for (let kind = 0; kind < 600; kind++) cache.put('a', entry(kind, null, `x:K${kind}`), alike(kind));
  await cache.settle();
  for (let kind = 0; kind < 600; kind++) assert.equal(cache.get('a', entry(kind, null)), alike(kind));
});

test('records of a kind are kept in a fraction of their bytes, also where the first one had little', () => {
  const keptOf = (kindOf: (n: number) => string, first: string) => {
    const cache = new TextCache(1_000_000);
    cache.put('a', entry(0, null, kindOf(0)), first);
    for (let n = 1; n <= 1_000; n++) cache.put('a', entry(n, null, kindOf(n)), alike(n));
    return Array.from({ length: 1_000 }, (_, n) => cache.get('a', entry(n + 1, null))).filter(
      (one, n) => one === alike(n + 1),
    ).length;
  };
  assert.ok(1_000 * alike(1).length > 3_000_000);
  assert.equal(
    keptOf(() => 'bldg:Building', '{}'),
    1_000,
  );
  // A long record that is like no other would be of no use to the others.
  assert.equal(
    keptOf(() => 'bldg:Building', unlike(20_000)),
    1_000,
  );
  assert.ok(keptOf((n) => `x:K${n}`, '{}') < 700, 'other kinds tell nothing');
});

test('it keeps what was asked for last within its bytes, nothing that is large, and nothing without memory', () => {
  const cache = new TextCache(100_000);
  const records = Array.from({ length: 1_000 }, () => unlike(2_000));
  for (const [i, record] of records.entries()) {
    cache.put('a', entry(i), record);
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

test('records are deflated once no more come, or when much text waits', async () => {
  const cache = new RecordCache(1_600_000);
  const texts = Array.from({ length: 60 }, (_, n) => Buffer.from(alike(n)));
  const isAsPut = (n: number) => cache.get('a', entry(n)) === texts[n];
  cache.put('a', entry(0), texts[0]!);
  await setImmediate();
  assert.ok(isAsPut(0), 'it came in this round');
  cache.put('a', entry(1), texts[1]!);
  await setImmediate();
  assert.ok(isAsPut(0) && isAsPut(1), 'another one came in this round');
  while (isAsPut(1)) await setImmediate();
  assert.ok(!isAsPut(0));
  for (let n = 2; n < 60; n++) cache.put('a', entry(n), texts[n]!);
  const left = [...texts.keys()].filter(isAsPut);
  const bytes = left.reduce((sum, n) => sum + texts[n]!.length, 0);
  assert.ok(left.includes(59) && !left.includes(2), `${left}`);
  assert.ok(bytes > 90_000 && bytes <= 100_000, `${bytes}`);
  assert.ok(texts.every((text, n) => text.equals(cache.get('a', entry(n))!)));
});

test('a record that is put again while it waits is counted once', async () => {
  const cache = new RecordCache(1_600_000);
  const text = Buffer.from(alike(1));
  for (let time = 0; time < 1_000; time++) cache.put('a', entry(1), text);
  assert.equal(cache.get('a', entry(1)), text);
  while (cache.get('a', entry(1)) === text) await setImmediate();
  // Were the others still counted, each further one would be too many.
  const next = Buffer.from(alike(2));
  cache.put('a', entry(2), next);
  assert.equal(cache.get('a', entry(2)), next);
});
