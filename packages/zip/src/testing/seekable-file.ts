/** A seekable member in a file of its own, for tests. */
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BlockTable } from '../block-table.ts';
import { SeekableDeflate } from '../write/seekable-deflate.ts';

/** Bytes before the data: what lies in front of a member in an archive. */
export const BEFORE = 77;

export interface SeekableFile extends AsyncDisposable {
  blocks: BlockTable;
  crcs: readonly number[];
  data: Buffer;
  path: string;
  /** Of the file, open for reading. */
  descriptor: number;
}

/** Deflates the text with blocks of about `target` bytes; `damage` may change the data that goes into the file. */
export async function seekableFile(
  text: Uint8Array,
  target: number,
  damage: (data: Buffer, blocks: BlockTable) => void = () => {},
): Promise<SeekableFile> {
  const chunks: Uint8Array[] = [];
  const deflate = new SeekableDeflate({ target, onBytes: (chunk) => void chunks.push(chunk) });
  await deflate.push(text);
  const { blocks, blockCrcs } = await deflate.end();
  const data = Buffer.concat(chunks);
  damage(data, blocks);
  const directory = await mkdtemp(join(tmpdir(), 'citymodel-seekable-'));
  await writeFile(join(directory, 'member'), Buffer.concat([Buffer.alloc(BEFORE), data]));
  const handle = await open(join(directory, 'member'), 'r');
  return {
    blocks,
    crcs: blockCrcs,
    data,
    path: join(directory, 'member'),
    descriptor: handle.fd,
    async [Symbol.asyncDispose]() {
      await handle.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
