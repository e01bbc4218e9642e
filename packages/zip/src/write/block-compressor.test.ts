import assert from 'node:assert/strict';
import { test } from 'node:test';
import { constants, inflateRawSync } from 'node:zlib';
import { blanked } from '../blanked.ts';
import { featureText } from '../testing/features.ts';
import { compressPieces } from './block-compressor.ts';

const SYNC = { finishFlush: constants.Z_SYNC_FLUSH };

test('each piece inflates behind its window, all are one stream, and the bytes are the same each time', async () => {
  const { text } = featureText(900_000);
  for (let start = 0; start + 3_000 < text.length; start += 4_001) {
    const own = text.subarray(start, start + 3_000);
    const ends = [600, 1_700, 3_000];
    const windows = [blanked(own.subarray(500, 600)), blanked(own.subarray(1_200, 1_700))];
    // Room for less than all of the data, too.
    const options = { level: 6, chunkSize: 64 + (start % 2_000) };
    const pieces = await compressPieces(own, ends, windows, options);
    assert.ok(inflateRawSync(Buffer.concat(pieces), SYNC).equals(own));
    for (const [i, end] of ends.entries()) {
      const dictionary = i === 0 ? {} : { dictionary: windows[i - 1]! };
      const piece = inflateRawSync(pieces[i]!, { ...SYNC, ...dictionary });
      assert.ok(piece.equals(own.subarray(ends[i - 1] ?? 0, end)));
    }
    assert.deepEqual(await compressPieces(own, ends, windows, options), pieces);
  }
});
