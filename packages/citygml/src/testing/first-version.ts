/** A feature index as programs wrote it at first: the header before the sections, and no places beside the hashes. */
import { Hashed, HEADER_SIZE, headerOf, SECTIONS } from '../index/feature-index-format.ts';

export function firstVersion(index: Uint8Array): Uint8Array {
  const bytes = Buffer.from(index.buffer, index.byteOffset, index.length);
  const { sections } = headerOf(bytes);
  const contents = SECTIONS.map((name) => {
    const { offset, length } = sections[name];
    const content = bytes.subarray(offset, offset + length);
    if (name !== 'hashes') return content;
    const pairs: Buffer[] = [];
    for (let at = 0; at < length; at += Hashed.size)
      pairs.push(content.subarray(at, at + Hashed.sizeOfFirstVersion));
    return Buffer.concat(pairs);
  });
  const header = Buffer.from(bytes.subarray(bytes.length - HEADER_SIZE));
  header.writeUInt16LE(1, 4);
  const parts: Buffer[] = [header];
  let size = HEADER_SIZE;
  for (const [i, content] of contents.entries()) {
    header.writeUInt32LE(size, 56 + i * 8);
    header.writeUInt32LE(content.length, 60 + i * 8);
    parts.push(content, Buffer.alloc(-content.length & 7));
    size += content.length + (-content.length & 7);
  }
  return Buffer.concat(parts);
}
