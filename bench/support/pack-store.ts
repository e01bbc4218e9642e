/** A data directory with large packages of few different bytes, made as fast as a disk writes. */
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32, deflateRawSync } from 'node:zlib';
import { writeBenchmarkGml } from '../../packages/sample/src/benchmark-gml.ts';
import { openStores } from '../../packages/store/src/open-stores.ts';
import { gmlFileOf, packageOf, publish } from '../../packages/store/src/testing/fixtures.ts';
import { MemberIndexBuilder } from '../../packages/zip/src/index/member-index.ts';
import { createArchiveFile } from '../../packages/zip/src/write/archive-file.ts';
import { ArchiveWriter } from '../../packages/zip/src/write/archive-writer.ts';

const MODIFIED = Date.UTC(2031, 3, 1);

export interface PackStoreOptions {
  /** Of the city: GML files, compressed bytes of each, textures of each. */
  files: number;
  fileBytes: number;
  textures: number;
  /** Textures of the one file of the other package. */
  manyTextures: number;
}

/**
 * Fills `{directory}/data` with two packages: 99101, a city of GML files with textures and shared code lists, and
 * 99102, one file with very many textures. Every file has the same real GML text, in `{directory}/text.gml`; its
 * deflate bytes are written as often as it takes, so that all zips verify.
 */
export async function writePackStore(directory: string, options: PackStoreOptions): Promise<void> {
  const dataDir = join(directory, 'data');
  await mkdir(dataDir, { recursive: true });
  const path = join(directory, 'text.gml');
  await writeBenchmarkGml(path, { bytes: options.fileBytes * 18 });
  const text = await readFile(path);
  const gml = prepared(text, 8);
  const stores = await openStores({ dataDir, databaseUrl: '', objectStore: '' });
  try {
    const lists = Array.from({ length: 40 }, (_, i) => `codelists/List_${i}.xml`);
    const city = new Package(directory, 'city');
    await city.begin();
    for (const list of lists)
      await city.add(list, prepared(Buffer.from(`<list>${list}</list>`.repeat(200)), 8));
    const meshes = Array.from({ length: options.files }, (_, i) => String(53390000 + i));
    for (const mesh of meshes) {
      const images = Array.from(
        { length: options.textures },
        (_, k) => `udx/bldg/${mesh}_bldg_6697_appearance/${k}.jpg`,
      );
      for (const image of images) await city.add(image, prepared(randomBytes(20_000), 0));
      await city.add(`udx/bldg/${mesh}_bldg_6697_op.gml`, gml, [...lists, ...images]);
    }
    await city.publish(
      stores,
      '99101',
      meshes.map((mesh) => gmlFileOf(mesh)),
    );

    const many = new Package(directory, 'many');
    await many.begin();
    const images = Array.from({ length: options.manyTextures }, (_, k) => `udx/bldg/appearance/${k}.jpg`);
    const image = prepared(randomBytes(500), 0);
    for (const path of images) await many.add(path, image);
    await many.add('udx/bldg/53390000_bldg_6697_op.gml', prepared(Buffer.from('<x/>'), 8), images);
    await many.publish(stores, '99102', [gmlFileOf('53390000')]);
  } finally {
    await stores.close();
  }
}

type Prepared = ReturnType<typeof prepared>;

function prepared(bytes: Buffer, method: 0 | 8) {
  const data = method === 8 ? deflateRawSync(bytes) : bytes;
  return {
    data,
    meta: {
      method,
      modified: MODIFIED,
      crc32: crc32(bytes),
      size: bytes.length,
      compressedSize: data.length,
    },
    sha256: createHash('sha256').update(bytes).digest(),
  };
}

class Package {
  readonly #archivePath: string;
  readonly #indexPath: string;
  readonly #name: string;
  #archive!: Awaited<ReturnType<typeof createArchiveFile>>;
  #index!: Awaited<ReturnType<typeof createArchiveFile>>;
  #writer!: ArchiveWriter;
  #builder!: MemberIndexBuilder;

  constructor(directory: string, name: string) {
    this.#name = name;
    this.#archivePath = join(directory, `${name}.zip`);
    this.#indexPath = join(directory, `${name}.index`);
  }

  async begin(): Promise<void> {
    this.#archive = await createArchiveFile(this.#archivePath);
    this.#index = await createArchiveFile(this.#indexPath);
    this.#writer = new ArchiveWriter(this.#archive);
    this.#builder = new MemberIndexBuilder(this.#index);
  }

  async add(path: string, { data, meta, sha256 }: Prepared, refersTo?: readonly string[]): Promise<void> {
    const { name: _, headerOffset: __, ...place } = await this.#writer.copy(path, meta, [data]);
    const sections = refersTo === undefined ? {} : { dependencies: Buffer.from(refersTo.join('\n')) };
    await this.#builder.add({ ...place, path, sha256 }, sections);
  }

  async publish(
    { catalogue, objects }: Awaited<ReturnType<typeof openStores>>,
    code: string,
    files: Array<ReturnType<typeof gmlFileOf>>,
  ): Promise<void> {
    const { size } = await this.#writer.finish();
    const { count } = await this.#builder.finish();
    await this.#archive[Symbol.asyncDispose]();
    await this.#index[Symbol.asyncDispose]();
    const row = packageOf(this.#name, {
      name: `${code}_${this.#name}-shi_city_2031_citygml_1_op`,
      cityCode: code,
      wardCode: null,
      ward: null,
      archiveSize: size,
      archiveSha256: createHash('sha256').update(`${this.#name} ${size}`).digest('hex'),
      rootPrefix: '',
      memberCount: count,
      files: files.length,
    });
    await objects.put(row.archiveKey, this.#archivePath);
    await objects.put(row.indexKey, this.#indexPath);
    await publish(catalogue, row, { files });
  }
}
