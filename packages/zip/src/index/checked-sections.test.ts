import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { bufferSource, type RangedSource } from '../source.ts';
import { MemorySink } from '../testing/memory-sink.ts';
import { withoutFooter } from '../testing/without-footer.ts';
import { IndexDamaged, MemberIndex, MemberIndexBuilder } from './member-index.ts';
import { HEADER_BYTES } from './member-index-format.ts';
import { PAGE_BYTES } from './page-sums.ts';

const MEMBER = { method: 8, offset: 30, compressedSize: 9, size: 9, crc32: 7, modified: 0 } as const;

/** An index whose sections have so many bytes. */
async function indexOf(lengths: readonly number[]): Promise<Uint8Array> {
  const sink = new MemorySink();
  const builder = new MemberIndexBuilder(sink);
  for (const [i, length] of lengths.entries()) {
    const features = Uint8Array.from({ length }, (_, k) => (k * 7 + i + (k >> 8)) & 255);
    await builder.add({ ...MEMBER, path: `${i}.gml`, sha256: new Uint8Array(32) }, { features });
  }
  await builder.finish();
  return Uint8Array.from(sink.bytes);
}

/** A source whose bit at `flip.at` is another, as often as `flip.times` says. */
function flipping(bytes: Uint8Array) {
  const inner = bufferSource(bytes);
  const state = { flip: { at: 0, bit: 0, times: 0 }, damaged: [] as number[], longest: 0 };
  const source: RangedSource = {
    ...inner,
    async read(offset, length) {
      const copy = Uint8Array.from(await inner.read(offset, length));
      const { flip } = state;
      state.longest = Math.max(state.longest, length);
      if (flip.times > 0 && flip.at >= offset && flip.at < offset + length) {
        flip.times--;
        copy[flip.at - offset]! ^= 1 << flip.bit;
      }
      return copy;
    },
    async damaged(offset, length) {
      state.damaged.push(offset, length);
    },
  };
  return { source, state };
}

const lengths = fc.array(fc.oneof(fc.nat(100), fc.nat(4 * PAGE_BYTES)), { minLength: 1, maxLength: 4 });

test(
  'a range of sections is right or refused, whichever bit flips; a bit that flips once costs one more ' +
    'read',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        lengths,
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.gen(),
        async (all, share, gen) => {
          const bytes = await indexOf(all);
          const { source, state } = flipping(bytes);
          const index = await MemberIndex.open(source);
          const end = index.sectionsEnd!;
          const sections = index.checked(source);
          const offset = HEADER_BYTES + Math.floor(share * (end - HEADER_BYTES));
          const length = gen(fc.nat, { max: end - offset });
          const right = Buffer.from(bytes.subarray(offset, offset + length));
          const at = HEADER_BYTES + gen(fc.nat, { max: Math.max(0, end - HEADER_BYTES - 1) });
          for (const times of [0, 1, 2]) {
            state.damaged.length = 0;
            state.longest = 0;
            state.flip = { at, bit: at % 8, times };
            const got = await sections.read(offset, length).catch((error) => {
              assert.ok(error instanceof IndexDamaged, String(error));
              return null;
            });
            const isMet = length > 0 && state.flip.times < times;
            if (isMet) assert.equal(got === null, times === 2, 'damage that stays is no answer');
            if (got !== null) assert.ok(right.equals(got));
            assert.equal(state.damaged.length, isMet ? 2 * times : 0);
            assert.ok(state.longest <= length + 2 * (PAGE_BYTES - 1));
          }
        },
      ),
      { numRuns: 150 },
    );
  },
);

test('a stream is the same bytes, compared piece by piece', async () => {
  const bytes = await indexOf([700_000]);
  const { source, state } = flipping(bytes);
  const sections = (await MemberIndex.open(source)).checked(source);
  const collect = async () => {
    const got: Uint8Array[] = [];
    for await (const piece of sections.stream(100, 600_000)) got.push(piece);
    return Buffer.concat(got);
  };
  assert.ok((await collect()).equals(bytes.subarray(100, 600_100)));
  state.flip = { at: 400_000, bit: 3, times: 1 };
  assert.ok((await collect()).equals(bytes.subarray(100, 600_100)));
  state.flip = { at: 400_000, bit: 3, times: 2 };
  await assert.rejects(collect(), IndexDamaged);
});

test('every bit of header and sums counts when an index is opened', async () => {
  const bytes = withoutFooter(await indexOf([20_000, 5]));
  const { sectionsEnd } = await MemberIndex.open(bufferSource(bytes));
  for (let at = 0; at < bytes.length; at = at === HEADER_BYTES - 1 ? sectionsEnd! : at + 1) {
    for (let bit = 0; bit < 8; bit++) {
      const flipped = Uint8Array.from(bytes);
      flipped[at]! ^= 1 << bit;
      await assert.rejects(MemberIndex.open(bufferSource(flipped)), IndexDamaged, `byte ${at}, bit ${bit}`);
    }
  }
});

test('an index of before there were sums is read as it is', async () => {
  const bytes = Buffer.from(withoutFooter(await indexOf([20_000])));
  bytes.fill(0, 52, HEADER_BYTES);
  const source = bufferSource(bytes);
  const index = await MemberIndex.open(source);
  assert.equal(index.sectionsEnd, null);
  assert.equal(index.checked(source), source);
  assert.equal(index.find('0.gml')?.sections.features?.length, 20_000);
});
