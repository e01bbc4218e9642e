/** The sample of the default seed and size, written once for a test file and read back. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import yauzl from 'yauzl';
import { type SampleFile, type SampleOptions, writeSample } from '../sample.ts';

export interface WrittenSample {
  directory: string;
  files: SampleFile[];
  /** Members of a package's zip, paths below its root directory. */
  members(name: string): Promise<Map<string, Buffer>>;
  read(file: string): Promise<Buffer>;
  remove(): Promise<void>;
}

/** Writes a sample into a directory of its own; `remove` takes it away. */
export async function makeSample(options: SampleOptions = {}): Promise<WrittenSample> {
  const directory = await mkdtemp(join(tmpdir(), 'sample-'));
  const files = await writeSample(directory, options);
  const read = (file: string) => readFile(join(directory, file));
  return {
    directory,
    files,
    read,
    async members(name) {
      return packageMembers(join(directory, `${name}.zip`));
    },
    remove: () => rm(directory, { recursive: true }),
  };
}

/** Members of a package's zip, paths below its root directory. */
export async function packageMembers(path: string): Promise<Map<string, Buffer>> {
  const members = await unzip(await readFile(path));
  const root = `${basename(path, '.zip')}/`;
  return new Map([...members].map(([name, bytes]) => [name.replace(root, ''), bytes]));
}

async function unzip(bytes: Buffer): Promise<Map<string, Buffer>> {
  const zip = await promisify<Buffer, yauzl.Options, yauzl.ZipFile>(yauzl.fromBuffer)(bytes, {
    lazyEntries: true,
  });
  const members = new Map<string, Buffer>();
  await new Promise<void>((resolve, reject) => {
    zip.on('error', reject);
    zip.on('end', resolve);
    zip.on('entry', (entry: yauzl.Entry) => {
      zip.openReadStream(entry, async (error, stream) => {
        if (error) return reject(error);
        const chunks: Buffer[] = [];
        for await (const chunk of stream) chunks.push(chunk);
        members.set(entry.fileName, Buffer.concat(chunks));
        zip.readEntry();
      });
    });
    zip.readEntry();
  });
  return members;
}
