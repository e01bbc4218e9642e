import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { MemberDamaged } from '../member-damaged.ts';
import { bufferSource, type RangedSource } from '../source.ts';
import { CheckedPages, type PageSumsOf } from './checked-pages.ts';

const PAGE = 64;

interface Flip {
  at: number;
  bit: number;
  times: number;
}

/** A source that streams in pieces of so many bytes, from two buffers where they are lent, and flips a bit. */
function flipping(bytes: Uint8Array, pieces: number, flip: Flip) {
  const inner = bufferSource(bytes);
  const state = { damaged: [] as number[], read: 0 };
  const part = async (offset: number, length: number) => {
    state.read += length;
    const copy = Uint8Array.from(await inner.read(offset, length));
    if (flip.times > 0 && flip.at >= offset && flip.at < offset + length) {
      flip.times--;
      copy[flip.at - offset]! ^= 1 << flip.bit;
    }
    return copy;
  };
  const source: RangedSource = {
    size: bytes.length,
    read: part,
    async readInto(target, offset) {
      target.set(await part(offset, target.length));
    },
    async *stream(offset, length, options) {
      const buffers = [0, 1].map(() => new Uint8Array(pieces));
      for (let from = 0, i = 0; from < length; from += pieces, i++) {
        const piece = await part(offset + from, Math.min(pieces, length - from));
        if (options?.lent !== true) yield piece;
        else {
          buffers[i % 2]!.set(piece);
          yield buffers[i % 2]!.subarray(0, piece.length);
        }
      }
    },
    async damaged(offset, length) {
      state.damaged.push(offset, length);
    },
  };
  return { source, state };
}

/** Sums of all pages but those that nobody keeps. */
function sumsOf(bytes: Uint8Array, isKept: (page: number) => boolean = () => true): PageSumsOf {
  return {
    name: 'the archive',
    pageBytes: PAGE,
    async load(first, past) {
      return (page) => {
        assert.ok(page >= first && page < past);
        return isKept(page) ? crc32(bytes.subarray(page * PAGE, (page + 1) * PAGE)) : null;
      };
    },
  };
}

const ways = {
  async read(source: RangedSource, offset: number, length: number) {
    return Buffer.from(await source.read(offset, length));
  },
  async readInto(source: RangedSource, offset: number, length: number) {
    const target = Buffer.alloc(length);
    await source.readInto!(target, offset);
    return target;
  },
  async stream(source: RangedSource, offset: number, length: number) {
    const chunks: Uint8Array[] = [];
    for await (const chunk of source.stream(offset, length)) chunks.push(chunk);
    return Buffer.concat(chunks);
  },
  async lent(source: RangedSource, offset: number, length: number) {
    const chunks: Buffer[] = [];
    for await (const chunk of source.stream(offset, length, { lent: true })) chunks.push(Buffer.from(chunk));
    return Buffer.concat(chunks);
  },
};

const share = () => fc.double({ min: 0, max: 1, noNaN: true });

for (const [name, get] of Object.entries(ways)) {
  test(
    `a range by ${name} is right or refused, whichever bit flips; one that flips once costs one more read of a ` +
      `page`,
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.uint8Array({ minLength: 1, maxLength: 10 * PAGE }),
          fc.tuple(share(), share(), share()),
          fc.integer({ min: 1, max: 4 * PAGE }),
          fc.nat(7),
          fc.constantFrom(0, 1, Number.POSITIVE_INFINITY),
          async (bytes, [from, to, where], pieces, bit, times) => {
            const [offset, end] = [from, to]
              .map((part) => Math.floor(part * bytes.length))
              .sort((a, b) => a - b) as [number, number];
            const flip = { at: Math.floor(where * (bytes.length - 1)), bit, times };
            const { source, state } = flipping(bytes, pieces, flip);
            const checked = new CheckedPages(source, sumsOf(bytes));
            const page = Math.floor(flip.at / PAGE);
            const isMet =
              times > 0 &&
              end > offset &&
              page >= Math.floor(offset / PAGE) &&
              page <= Math.floor((end - 1) / PAGE);
            const range = get(checked, offset, end - offset);
            if (isMet && times > 1) {
              await assert.rejects(
                range,
                (error) => error instanceof MemberDamaged && error.code === 'CRC_MISMATCH',
              );
            } else {
              assert.deepEqual(await range, Buffer.from(bytes.subarray(offset, end)));
            }
            const pageRange = [page * PAGE, Math.min(PAGE, bytes.length - page * PAGE)];
            assert.deepEqual(
              state.damaged,
              !isMet ? [] : times === 1 ? pageRange : [...pageRange, ...pageRange],
            );
            if (!isMet)
              assert.ok(
                state.read <= (end === offset ? 0 : end - offset + 2 * PAGE - 2),
                'two pages at most',
              );
          },
        ),
      );
    },
  );
}

test('what was passed on before the damage is right, and the bytes of the caller are not touched', async () => {
  const bytes = Uint8Array.from({ length: 20 * PAGE }, (_, i) => i * 7 + (i >> 8));
  for (let at = 0; at < bytes.length; at += 37) {
    const flip = { at, bit: at % 8, times: Number.POSITIVE_INFINITY };
    const { source } = flipping(bytes, 3 * PAGE + 5, flip);
    const checked = new CheckedPages(source, sumsOf(bytes));
    let got = 0;
    await assert.rejects(async () => {
      for await (const chunk of checked.stream(10, bytes.length - 10, { lent: true })) {
        assert.deepEqual(Buffer.from(chunk), Buffer.from(bytes.subarray(10 + got, 10 + got + chunk.length)));
        got += chunk.length;
      }
    }, MemberDamaged);
    assert.ok(10 + got <= Math.max(10, at - (at % PAGE)), 'nothing of the page has left');
  }
});

test('a page whose sum nobody keeps is read as it is', async () => {
  const bytes = new Uint8Array(5 * PAGE).fill(3);
  const flip = { at: 2 * PAGE, bit: 0, times: Number.POSITIVE_INFINITY };
  const { source, state } = flipping(bytes, 50, flip);
  const checked = new CheckedPages(
    source,
    sumsOf(bytes, (page) => page !== 2),
  );
  const got = await checked.read(PAGE, 3 * PAGE);
  assert.equal(got[PAGE], 2);
  assert.deepEqual(state.damaged, []);
});

test('a range outside is refused, and so is a source that ends early', async () => {
  const bytes = new Uint8Array(3 * PAGE);
  const whole = new CheckedPages(bufferSource(bytes), sumsOf(bytes));
  await assert.rejects(whole.read(2 * PAGE, PAGE + 1), RangeError);
  const short = new CheckedPages(
    { ...bufferSource(bytes), stream: (offset, length) => bufferSource(bytes).stream(offset, length - 1) },
    sumsOf(bytes),
  );
  await assert.rejects(ways.stream(short, 0, 2 * PAGE), /gave \d+ bytes at 0, of 128/);
});

test('pages come whole from pieces of any length, up to a last byte alone', async () => {
  for (const length of [1, PAGE, PAGE + 1, 2 * PAGE + 1]) {
    const bytes = Uint8Array.from({ length }, (_, i) => i);
    for (const pieces of [1, PAGE - 1, PAGE, PAGE + 1, 3 * PAGE]) {
      for (const way of Object.values(ways)) {
        const { source } = flipping(bytes, pieces, { at: 0, bit: 0, times: 0 });
        const checked = new CheckedPages(source, sumsOf(bytes));
        assert.deepEqual(await way(checked, 0, length), Buffer.from(bytes), `${length} in ${pieces}`);
        assert.deepEqual(await way(checked, length - 1, 1), Buffer.from(bytes.subarray(length - 1)));
      }
    }
  }
});
