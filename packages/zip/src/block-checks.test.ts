import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { decodeBlockChecks, encodeBlockChecks } from './block-checks.ts';
import { MemberDamaged } from './member-damaged.ts';

const u32 = fc.nat(0xffffffff);

test('checks come back as they were written, and anything else is damage', () => {
  const sections = fc.record({ table: fc.uint8Array(), features: fc.uint8Array() });
  fc.assert(
    fc.property(sections, fc.array(u32, { maxLength: 20 }), (sections, blocks) => {
      const encoded = Buffer.from(encodeBlockChecks(sections, blocks));
      assert.equal(encoded.length, 20 + 4 * blocks.length);
      const decoded = decodeBlockChecks(encoded, 'a.gml');
      assert.deepEqual(
        { ...decoded, blocks: Array.from(decoded.blocks) },
        { table: crc32(sections.table), features: crc32(sections.features), blocks },
      );
      for (const wrong of [
        encoded.subarray(0, -1),
        Buffer.concat([encoded, Buffer.alloc(4)]),
        encoded.subarray(0, 19),
        Buffer.alloc(0),
      ]) {
        assert.throws(
          () => decodeBlockChecks(wrong, 'a.gml'),
          (error) =>
            error instanceof MemberDamaged && error.code === 'CRC_MISMATCH' && /a\.gml/.test(error.message),
        );
      }
      for (let at = 0; at < 8; at++) {
        const other = Buffer.from(encoded);
        other[at]! ^= 4;
        assert.throws(() => decodeBlockChecks(other, 'a.gml'), MemberDamaged);
      }
    }),
  );
});

test('the bytes are those of version 1', () => {
  const bytes = Buffer.from(
    encodeBlockChecks({ table: Buffer.from('123456789'), features: new Uint8Array(0) }, [1, 0xfffffffe]),
  );
  // 0xcbf43926 is the check value of CRC-32.
  assert.equal(bytes.toString('hex'), '5344424301000000' + '2639f4cb00000000' + '0200000001000000feffffff');
});
