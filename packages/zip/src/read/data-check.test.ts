import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32, deflateRawSync } from 'node:zlib';
import type { Member } from '../member.ts';
import { MemberDamaged } from '../member-damaged.ts';
import { bufferSource, type RangedSource } from '../source.ts';
import { type KnownData, NOTHING_KNOWN, readData, streamData } from './data-check.ts';

function memberOf(text: Buffer, data: Buffer, facts: Partial<Member> = {}): Member {
  return {
    path: 'a.gml',
    method: 8,
    offset: 3,
    compressedSize: data.length,
    size: text.length,
    crc32: crc32(text),
    sha256: new Uint8Array(32),
    modified: 0,
    sections: {},
    ...facts,
  };
}

/** A source of chunks of so many bytes that counts what was read, and what it was told is damaged. */
function counting(data: Buffer, chunkBytes = 1_000) {
  const bytes = Buffer.concat([Buffer.from('pre'), data, Buffer.from('post')]);
  const inner = bufferSource(bytes);
  const state = { read: 0, reads: 0, damaged: [] as number[], closed: false };
  const source: RangedSource = {
    size: bytes.length,
    async read(offset, length) {
      state.reads++;
      return inner.read(offset, length);
    },
    async *stream(offset, length) {
      try {
        for (let at = 0; at < length; at += chunkBytes) {
          const chunk = await inner.read(offset + at, Math.min(chunkBytes, length - at));
          state.read += chunk.length;
          yield chunk;
        }
      } finally {
        state.closed = true;
      }
    },
    async damaged(offset, length) {
      state.damaged.push(offset, length);
    },
  };
  return { source, state };
}

function remembering(crc?: number): KnownData & { kept: number[] } {
  const kept: number[] = [];
  return {
    kept,
    get: () => crc,
    set: (_member, value) => void kept.push(value),
  };
}

async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const list: Uint8Array[] = [];
  for await (const chunk of chunks) list.push(Uint8Array.from(chunk));
  return Buffer.concat(list);
}

const isDamaged = (code: string) => (error: unknown) => error instanceof MemberDamaged && error.code === code;

const texts = {
  small: Buffer.from('0123456789'.repeat(1_000)),
  'more than is inflated at once': Buffer.alloc(2 * 1024 * 1024 + 1, 'a city of boxes, '),
};
const ways = {
  read: readData,
  stream: (source: RangedSource, member: Member, known: KnownData) =>
    collect(streamData(source, member, known, false)),
};

for (const [way, get] of Object.entries(ways)) {
  for (const [size, text] of Object.entries(texts)) {
    const data = deflateRawSync(text);

    test(`${way}, ${size}: right data come as they are, and their CRC-32 is remembered`, async () => {
      const known = remembering();
      const { source, state } = counting(data);
      assert.deepEqual(Buffer.from(await get(source, memberOf(text, data), known)), data);
      assert.deepEqual(known.kept, [crc32(data)]);
      assert.deepEqual(state.damaged, []);
    });

    test(`${way}, ${size}: with a known CRC-32 nothing is inflated, and nothing else counts`, async () => {
      const known = remembering(crc32(data));
      // A text of this CRC-32 and length is not in the data: who inflates notices.
      const member = memberOf(text, data, { crc32: 1 });
      assert.deepEqual(Buffer.from(await get(counting(data).source, member, known)), data);
      const { source, state } = counting(data);
      await assert.rejects(get(source, memberOf(text, data), remembering(1)), isDamaged('CRC_MISMATCH'));
      const range = [3, data.length];
      assert.deepEqual(state.damaged, way === 'read' ? [...range, ...range] : range);
      assert.equal(state.reads, way === 'read' ? 2 : 0);
    });

    const wrong: Array<[string, Partial<Member>]> = [
      ['CRC_MISMATCH', { crc32: 1 }],
      ['INFLATES_SHORT', { size: text.length + 1 }],
      ['INFLATES_TOO_FAR', { size: text.length - 1 }],
    ];
    for (const [code, facts] of wrong) {
      test(`${way}, ${size}: ${code}, and nothing is remembered`, async () => {
        const known = remembering();
        await assert.rejects(get(counting(data).source, memberOf(text, data, facts), known), isDamaged(code));
        assert.deepEqual(known.kept, []);
      });
    }

    test(`${way}, ${size}: data that end early, or are no deflate`, async () => {
      const short = data.subarray(0, -3);
      await assert.rejects(
        get(counting(short).source, memberOf(text, short), NOTHING_KNOWN),
        isDamaged('TRUNCATED'),
      );
      const none = Buffer.alloc(data.length, 0xff);
      await assert.rejects(
        get(counting(none).source, memberOf(text, none), NOTHING_KNOWN),
        isDamaged('BAD_DEFLATE'),
      );
      const more = Buffer.concat([data, Buffer.from('rest')]);
      await assert.rejects(
        get(counting(more).source, memberOf(text, more), NOTHING_KNOWN),
        isDamaged('BAD_DEFLATE'),
      );
    });
  }

  test(`${way}: a stored member is compared with its own CRC-32`, async () => {
    const text = texts.small;
    const member = memberOf(text, text, { method: 0 });
    assert.deepEqual(Buffer.from(await get(counting(text).source, member, remembering(1))), text);
    const wrong = memberOf(text, text, { method: 0, crc32: 1 });
    await assert.rejects(
      get(counting(text).source, wrong, remembering(crc32(text))),
      isDamaged('CRC_MISMATCH'),
    );
  });
}

test('data that inflate to far more than is declared are not read to their end', async () => {
  const data = deflateRawSync(Buffer.alloc(64 * 1024 * 1024));
  const { source, state } = counting(data);
  const member = memberOf(Buffer.alloc(10), data);
  await assert.rejects(
    collect(streamData(source, member, NOTHING_KNOWN, true)),
    isDamaged('INFLATES_TOO_FAR'),
  );
  assert.ok(state.read < data.length / 2, `${state.read} of ${data.length} bytes`);
  assert.equal(state.closed, true);
});

test('who counts the bytes never has all of data that are damaged', async () => {
  const text = texts.small;
  const data = deflateRawSync(text);
  for (const chunkBytes of [1, 7, data.length]) {
    let passed = 0;
    await assert.rejects(async () => {
      const member = memberOf(text, data, { crc32: 1 });
      for await (const chunk of streamData(counting(data, chunkBytes).source, member, NOTHING_KNOWN, false)) {
        passed += chunk.length;
      }
    }, isDamaged('CRC_MISMATCH'));
    assert.equal(passed, data.length - Math.min(chunkBytes, ((data.length - 1) % chunkBytes) + 1));
  }
});
