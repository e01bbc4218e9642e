import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { writeB3dm } from './b3dm.ts';

/** The fields of a header as 3D Tiles 1.0, section 10.2, has them, and what lies between their lengths. */
function parts(bytes: Uint8Array) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [version, length, feature, featureBinary, batch, batchBinary] = [4, 8, 12, 16, 20, 24].map((at) =>
    view.getUint32(at, true),
  ) as [number, number, number, number, number, number];
  const text = (from: number, to: number) => Buffer.from(bytes.subarray(from, to)).toString();
  const glb = 28 + feature + featureBinary + batch + batchBinary;
  return {
    magic: text(0, 4),
    ...{ version, length, glb, featureBinary, batchBinary },
    featureText: text(28, 28 + feature),
    batchText: text(28 + feature, 28 + feature + batch),
    payload: bytes.subarray(glb),
  };
}

test('a b3dm has its tables and its GLB where its header says, each from 8 bytes on, padded with blanks', () => {
  const centre = fc.option(fc.tuple(fc.integer(), fc.integer(), fc.integer()));
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme' }),
      fc.uint8Array({ maxLength: 30 }),
      centre,
      (name, glb, rtc) => {
        const bytes = writeB3dm(glb, 3, { [name]: ['見本', 2, null] }, rtc);
        const found = parts(bytes);
        assert.deepEqual(
          [found.magic, found.version, found.length, found.featureBinary, found.batchBinary],
          ['b3dm', 1, bytes.length, 0, 0],
        );
        assert.deepEqual([bytes.length % 8, found.glb % 8], [0, 0]);
        const features = { BATCH_LENGTH: 3, ...(rtc === null ? {} : { RTC_CENTER: rtc }) };
        for (const [text, value] of [
          [found.featureText, features],
          [found.batchText, { [name]: ['見本', 2, null] }],
        ] as const) {
          const json = JSON.stringify(value);
          assert.ok(text.startsWith(json));
          // Blanks alone follow, and fewer than eight.
          assert.match(text.slice(json.length), /^ {0,7}$/);
        }
        assert.deepEqual(found.payload.subarray(0, glb.length), glb);
        assert.ok(found.payload.length - glb.length < 8);
        assert.ok(found.payload.subarray(glb.length).every((byte) => byte === 0));
        // The batch table, too, begins on 8 bytes.
        assert.equal(Buffer.from(bytes).indexOf(JSON.stringify({ [name]: ['見本', 2, null] })) % 8, 0);
      },
    ),
  );
});
