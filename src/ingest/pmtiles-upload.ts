/**
 * A PMTiles file becomes a zip of `{z}/{x}/{y}.mvt` in a temporary directory, and that the upload: from there on it is
 * a tile package like any other.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { crc32, deflateRaw } from 'node:zlib';
import { openPmtiles, PmtilesRefused } from '../tiles/pmtiles.ts';
import { ArchiveWriter } from '../zip/write/archive-writer.ts';
import { createArchiveFile } from './archive-file.ts';
import { openFileSource } from './file-source.ts';
import { unwrapGzip } from './unwrap-gzip.ts';
import { PackageRefused, type Upload } from './upload.ts';
import { openZipUpload } from './zip-upload.ts';

const deflateRawAsync = promisify(deflateRaw);
const TILE_LIMIT = 256 << 20;
/** The zip is made the same for the same tiles. */
const MODIFIED = Date.UTC(1980, 0, 1);

/** Opens a PMTiles file of vector tiles. Throws PackageRefused for any other. */
export async function openPmtilesUpload(path: string): Promise<Upload> {
  const directory = await mkdtemp(join(tmpdir(), 'citymodel-pmtiles-'));
  const clean = () => rm(directory, { recursive: true, force: true });
  try {
    const zip = join(directory, 'tiles.zip');
    await writeTiles(path, zip);
    const upload = await openZipUpload(zip);
    return {
      ...upload,
      location: path,
      name: basename(path).replace(/\.pmtiles$/i, ''),
      members: upload.members,
      async [Symbol.asyncDispose]() {
        await upload[Symbol.asyncDispose]();
        await clean();
      },
    };
  } catch (error) {
    await clean();
    if (error instanceof PmtilesRefused) {
      throw new PackageRefused('BAD_PMTILES', `${path}: ${error.message}`, { cause: error });
    }
    throw error;
  }
}

async function writeTiles(path: string, zip: string): Promise<void> {
  await using source = await openFileSource(path);
  const archive = await openPmtiles(source);
  await using file = await createArchiveFile(zip);
  const writer = new ArchiveWriter(file);
  const add = async (name: string, bytes: Uint8Array, packed: Uint8Array | null) => {
    const data = packed ?? (await deflateRawAsync(bytes));
    const totals = { crc32: crc32(bytes), size: bytes.length, compressedSize: data.length };
    await writer.copy(name, { ...totals, method: 8, modified: MODIFIED }, [data]);
  };
  await add('metadata.json', Buffer.from(JSON.stringify(archive.metadata)), null);
  for await (const { z, x, y, bytes, compression } of archive.tiles()) {
    const name = `${z}/${x}/${y}.mvt`;
    if (compression === 'none') {
      await add(name, bytes, null);
      continue;
    }
    const unwrapped = unwrapGzip(bytes, TILE_LIMIT);
    if (unwrapped === null) {
      throw new PackageRefused(
        'BAD_PMTILES',
        `${path}: the tile ${name} is not the gzip file that the header says it is.`,
      );
    }
    await add(name, unwrapped.bytes, unwrapped.deflate);
  }
  await writer.finish();
}
