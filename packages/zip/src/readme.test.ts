import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { crc32, deflateRawSync } from 'node:zlib';
import { runReadmeExamples } from '@citymodel/base/testing';
import { MemorySink } from './testing/memory-sink.ts';
import { ArchiveWriter } from './write/archive-writer.ts';

test('the examples of the README print what it says', async () => {
  const sink = new MemorySink();
  const writer = new ArchiveWriter(sink);
  for (const name of [
    'README.txt',
    'udx/bldg/53394525_bldg_6697_op.gml',
    'udx/bldg/53394526_bldg_6697_op.gml',
  ]) {
    const text = Buffer.from('<core:CityModel/>\n');
    const data = deflateRawSync(text);
    const totals = { crc32: crc32(text), size: text.length, compressedSize: data.length };
    await writer.copy(name, { method: 8, modified: Date.UTC(2026, 0, 1), ...totals }, [data]);
  }
  await writer.finish();
  const directory = join(import.meta.dirname, '..');
  const { examples } = await runReadmeExamples(directory, { 'city.zip': sink.bytes });
  assert.equal(examples, 2);
});
