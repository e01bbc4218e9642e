import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { deflateRawSync } from 'node:zlib';
import type { BlockTable } from './block-table.ts';
import type { Member } from './member.ts';
import { readMember } from './read/member-data.ts';
import { identityRange } from './read/member-stream.ts';
import { readZipDirectory } from './read/zip-directory.ts';
import { bufferSource } from './source.ts';
import { MemorySink } from './testing/memory-sink.ts';
import { strictZip } from './testing/strict-zip.ts';
import { ArchiveWriter } from './write/archive-writer.ts';
import { SeekableDeflate } from './write/seekable-deflate.ts';

/** Real packages beside the project; without them the tests here are skipped. */
const DATA = join(import.meta.dirname, '../../../../shared/data');
const zips = existsSync(DATA) ? globSync(['packages/*.zip', 'tiles/*.zip'], { cwd: DATA }).sort() : [];

/** Most that the blocks may add to the compressed size of a package's GML. */
const MAX_OVERHEAD = 0.05;

test('real packages go through directory, blocks and archive, and come out the same', async (t) => {
  if (zips.length === 0) return t.skip('needs ../shared/data');
  for (const zip of zips) {
    const source = bufferSource(readFileSync(join(DATA, zip)));
    const directory = await readZipDirectory(source);
    assert.deepEqual(directory.issues, [], zip);
    const sink = new MemorySink();
    const writer = new ArchiveWriter(sink);
    const contents = new Map<string, Uint8Array>();
    const seekables: Array<{ member: Member; blocks: BlockTable }> = [];
    let plain = 0;
    let blocked = 0;
    for (const entry of directory.entries()) {
      if (entry.isDirectory) continue;
      const seekable = entry.name.endsWith('.gml');
      const member = await writer.open(entry.name, {
        modified: entry.modified,
        method: seekable ? 8 : entry.method,
        size: entry.size,
      });
      const deflate = new SeekableDeflate({ onBytes: (bytes) => member.write(bytes) });
      const chunks: Uint8Array[] = [];
      const raw = seekable ? {} : { onRaw: (chunk: Uint8Array) => member.write(chunk) };
      for await (const chunk of readMember(source, entry, raw)) {
        chunks.push(chunk);
        if (seekable) await deflate.push(chunk);
      }
      const content = Buffer.concat(chunks);
      contents.set(entry.name, content);
      if (!seekable) {
        await member.close(entry);
        continue;
      }
      const { blocks, ...totals } = await deflate.end();
      const written = await member.close(totals);
      plain += deflateRawSync(content).length;
      blocked += totals.compressedSize;
      seekables.push({
        member: { ...written, path: entry.name, sha256: new Uint8Array(32), sections: {} },
        blocks,
      });
    }
    await writer.finish();
    const { members } = await strictZip(bufferSource(sink.bytes), { crc: true });
    assert.equal(members.length, contents.size);
    const archive = bufferSource(sink.bytes);
    for (const entry of (await readZipDirectory(archive)).entries()) {
      const chunks: Uint8Array[] = [];
      for await (const chunk of readMember(archive, entry)) chunks.push(chunk);
      assert.ok(Buffer.concat(chunks).equals(contents.get(entry.name) as Uint8Array), entry.name);
    }
    for (const { member, blocks } of seekables) {
      // From the second block on, where there are several.
      const start = blocks.textOffset(Math.min(1, blocks.count - 1));
      const range: Uint8Array[] = [];
      for await (const chunk of identityRange(archive, member, blocks, start, member.size)) range.push(chunk);
      assert.ok(
        Buffer.concat(range).equals(contents.get(member.path)?.subarray(start) as Uint8Array),
        member.path,
      );
    }
    assert.ok(blocked <= plain * (1 + MAX_OVERHEAD), `${zip}: ${blocked} bytes in blocks, ${plain} without`);
    if (plain > 0)
      t.diagnostic(`${basename(zip)}: blocks cost ${(100 * (blocked / plain - 1)).toFixed(2)} %`);
  }
});
