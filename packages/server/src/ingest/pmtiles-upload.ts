/**
 * A PMTiles file becomes a zip of `{z}/{x}/{y}.mvt` in a staging directory, and that the upload: from there on it is
 * a tile package like any other.
 */
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { crc32, deflateRaw } from 'node:zlib';
import { openPmtiles, PmtilesOverBudget, PmtilesRefused } from '@citymodel/tiles';
import { ArchiveWriter, createArchiveFile, openFileSource } from '@citymodel/zip';
import { Staging, type StagingContext } from './staging.ts';
import { unwrapGzip } from './unwrap-gzip.ts';
import { OverBudget, PackageRefused, type Upload } from './upload.ts';
import { openZipUpload } from './zip-upload.ts';

const deflateRawAsync = promisify(deflateRaw);
const TILE_LIMIT = 64 << 20;
/**
 * What the tiles together may unpack to, and take in the staging directory: so much, and so many times the file, bytes.
 */
const UNPACKED_LIMIT = { least: 2 ** 30, ratio: 100 };
const WRITTEN_LIMIT = { least: 256 << 20, ratio: 20 };
/** The zip is made the same for the same tiles. */
const MODIFIED = Date.UTC(1980, 0, 1);

/**
 * Opens a PMTiles file of vector tiles. Throws PackageRefused for any other, OverBudget for one that unpacks without
 * end.
 */
export async function openPmtilesUpload(path: string, context: StagingContext): Promise<Upload> {
  const staging = await Staging.open(context);
  try {
    const zip = join(staging.directory, 'tiles.zip');
    await writeTiles(path, zip);
    const upload = await openZipUpload(zip);
    return {
      ...upload,
      location: path,
      name: basename(path).replace(/\.pmtiles$/i, ''),
      members: upload.members,
      async [Symbol.asyncDispose]() {
        await upload[Symbol.asyncDispose]();
        await staging[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    await staging[Symbol.asyncDispose]();
    if (error instanceof PmtilesOverBudget) throw new OverBudget(null, `${path}: ${error.message}`);
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
  const limits = [UNPACKED_LIMIT, WRITTEN_LIMIT].map(({ least, ratio }) => least + ratio * source.size);
  const used = [0, 0];
  const add = async (name: string, bytes: Uint8Array, packed: Uint8Array | null) => {
    const data = packed ?? (await deflateRawAsync(bytes));
    const totals = { crc32: crc32(bytes), size: bytes.length, compressedSize: data.length };
    [bytes.length, data.length].forEach((length, k) => {
      used[k]! += length;
      if (used[k]! <= limits[k]!) return;
      throw new PmtilesOverBudget(
        `The tiles take more than ${limits[k]} bytes when they are ${k === 0 ? 'unpacked' : 'written out'}, from a ` +
          `file of ${source.size}.`,
      );
    });
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
        `${path}: the tile ${name} is not the gzip file that the header says it is, or unpacks to more than ` +
          `${TILE_LIMIT} bytes.`,
      );
    }
    await add(name, unwrapped.bytes, unwrapped.deflate);
  }
  await writer.finish();
}
