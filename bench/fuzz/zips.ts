/**
 * Zips through the whole ingestion. Every member that is served afterwards has the bytes that yauzl, another reader,
 * takes out of the same upload; nothing stays in the staging directory, and `check` finds the store whole.
 */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { deflateRawSync, gunzipSync } from 'node:zlib';
import yauzl from 'yauzl';
import type { Random } from '../../packages/sample/src/random.ts';
import { checkStores } from '../../packages/server/src/ingest/check.ts';
import { ingest } from '../../packages/server/src/ingest/ingest.ts';
import type { ObjectStore } from '../../packages/store/src/object-store.ts';
import { openStores, type Stores } from '../../packages/store/src/open-stores.ts';
import type { PackageRow } from '../../packages/store/src/rows.ts';
import { sweep } from '../../packages/store/src/sweep.ts';
import { BlockTable } from '../../packages/zip/src/block-table.ts';
import { MemberIndex } from '../../packages/zip/src/index/member-index.ts';
import { gzipRange, gzipSize, identityRange } from '../../packages/zip/src/read/member-stream.ts';
import { type RawMember, type RawZipOptions, rawZip } from '../../packages/zip/src/testing/raw-zip.ts';
import type { FuzzKind, Keep, OpenKind, Verdict } from './kind.ts';
import { mutateBytes, mutateText } from './mutate.ts';
import { seedPackages } from './seeds.ts';

/**
 * Members of an upload, and the size of the largest, bytes: small, for the time goes to uploads and not to their bytes.
 */
const MEMBERS = 6;
const LARGEST = 16_000;
const NAME_TOKENS = [
  '/',
  '\\',
  '..',
  './',
  '//',
  '\0',
  '\n',
  'C:',
  'udx/',
  '.gml',
  ' ',
  'が',
  'か\u3099',
  '\ufffd',
  'A',
  '__MACOSX/',
];
/** Uploads after which what was replaced is deleted. */
const SWEEP_EVERY = 100;

export const openZips: OpenKind = async () => {
  const directory = await mkdtemp(join(tmpdir(), 'bench-fuzz-zips-'));
  const stagingDir = join(directory, 'staging');
  await mkdir(stagingDir);
  const stores = await openStores({ dataDir: join(directory, 'data'), databaseUrl: '', objectStore: '' });
  const seeds = (await seedPackages())
    .filter(({ kind }) => kind === 'citygml')
    .map(({ name, members }) => ({ name, members: someOf(members) }));
  return new Zips(directory, stagingDir, stores, seeds);
};

interface ZipSeed {
  name: string;
  members: RawMember[];
}

function someOf(members: ReadonlyMap<string, Buffer>): RawMember[] {
  const small = [...members].filter(([, bytes]) => bytes.length <= LARGEST);
  const gml = small.filter(([path]) => path.endsWith('.gml')).slice(0, MEMBERS / 2);
  const others = small.filter(([path]) => !path.endsWith('.gml')).slice(0, MEMBERS / 2);
  return [...gml, ...others].map(([name, text]) => ({ name, text, data: deflateRawSync(text) }));
}

class Zips implements FuzzKind {
  readonly name = 'zips';
  readonly batch = 5;
  readonly #directory: string;
  readonly #stagingDir: string;
  readonly #stores: Stores;
  readonly #seeds: readonly ZipSeed[];
  #uploads = 0;

  constructor(directory: string, stagingDir: string, stores: Stores, seeds: readonly ZipSeed[]) {
    this.#directory = directory;
    this.#stagingDir = stagingDir;
    this.#stores = stores;
    this.#seeds = seeds;
  }

  async run(random: Random, keep: Keep): Promise<Verdict> {
    const seed = random.pick(this.#seeds);
    const bytes = damaged(seed, random);
    keep(() => bytes);
    const path = join(this.#directory, `${seed.name}.zip`);
    await writeFile(path, bytes);
    const name = await this.#ingest(path);
    assert.deepEqual(await readdir(this.#stagingDir), [], 'left in the staging directory');
    if (name !== null) await this.#compare(name, bytes);
    if (++this.#uploads % SWEEP_EVERY === 0) await this.#sweep();
    return name === null ? 'refused' : 'accepted';
  }

  /** The name of the package that was published, or null. */
  async #ingest(path: string): Promise<string | null> {
    const context = { ...this.#stores, stagingDir: this.#stagingDir, now: () => new Date(0) };
    const report = await ingest({ path, kind: 'zip' }, context, { replace: true, level: 1 });
    if (report.refusal !== null) assert.match(report.refusal.reason, /\S/);
    assert.notEqual(report.outcome, 'failed', report.refusal?.reason);
    const isLive = report.outcome === 'published' || report.outcome === 'replaced';
    return isLive ? report.package!.name : null;
  }

  async #compare(name: string, bytes: Buffer): Promise<void> {
    const rows = await this.#stores.catalogue.findPackages({ name });
    const row = rows.find(({ state }) => state === 'live');
    assert.ok(row, `${name} is not live`);
    const theirs = await readWithYauzl(bytes);
    for (const [path, served] of await servedMembers(row, this.#stores.objects)) {
      const same = theirs.get(row.rootPrefix + path) ?? theirs.get(path);
      if (same === undefined) continue;
      // yauzl takes names as they are, here empty parts are left out: two of theirs may be one of ours.
      assert.ok(
        same.some((one) => one === null || one.equals(served)),
        `${path} has other bytes`,
      );
    }
  }

  async #sweep(): Promise<void> {
    const { catalogue, objects } = this.#stores;
    await sweep({ catalogue, objects, retiredBefore: Date.now() + 1e9, isAlive: () => false });
  }

  async close(): Promise<void> {
    try {
      await this.#sweep();
      const { faults } = await checkStores(this.#stores, { names: null, onProgress: () => {} });
      assert.deepEqual(faults, []);
    } finally {
      await this.#stores.close();
      await rm(this.#directory, { recursive: true, force: true });
    }
  }
}

/** The upload with one to three things wrong, each in a field that has a meaning. */
function damaged({ name, members: raw }: ZipSeed, random: Random): Buffer {
  const members = raw.map((member) => ({ ...member, name: `${name}/${member.name}` }));
  const options: RawZipOptions = {};
  for (let left = random.int(1, 3); left > 0; left--) {
    const i = random.int(0, members.length - 1);
    const member = members[i]!;
    const size = Buffer.byteLength(member.text ?? '');
    const number = () => random.pick([0, 1, size, size + 1, Math.max(0, size - 1), 0x7fffffff, 0xffffffff]);
    switch (random.int(0, 15)) {
      case 0:
        member.says = { ...member.says, [random.pick(['crc32', 'size', 'compressedSize'])]: number() };
        break;
      case 1:
        member.localSays = { [random.pick(['crc32', 'size', 'compressedSize', 'method'])]: number() };
        break;
      case 2:
        members.splice(random.int(0, members.length), 0, { ...member });
        break;
      case 3:
        member.headerOffset = random.int(0, 100_000);
        break;
      case 4:
        options.end = {
          ...options.end,
          [random.pick(['count', 'countOnDisk', 'size', 'offset', 'disk'])]: random.int(0, 65_535),
        };
        break;
      case 5:
        options.prefix = Buffer.alloc(random.int(1, 300), 'x');
        options.adjusted = random.int(0, 1) === 0;
        break;
      case 6:
        options.zip64 =
          random.int(0, 1) === 0
            ? {}
            : { [random.pick(['count', 'size', 'offset', 'disks'])]: random.int(0, 2 ** 31) };
        break;
      case 7:
        member.after = Buffer.alloc(random.int(0, 40), random.int(0, 255));
        break;
      case 8:
        member.flags = 1 << random.int(0, 15);
        break;
      case 9:
        member.method = random.pick([0, 1, 8, 9, 12, 14, 93, 99]);
        delete member.data;
        break;
      case 10:
        member.name = mutateText(String(member.name), random, NAME_TOKENS).slice(0, 60_000);
        break;
      case 11:
        member.attributes = random.pick([0o120777, 0o020666, 0o040755, 0o104755]) << 16;
        break;
      case 12:
        member.extra = mutateBytes(Buffer.from([1, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0]), random).subarray(
          0,
          60_000,
        );
        break;
      case 13:
        member.data = mutateBytes(Buffer.from([0x4b, 0x04, 0x00]), random);
        break;
      case 14:
        member.localSays = {
          name: Buffer.from(mutateText(String(member.name), random, NAME_TOKENS).slice(0, 60_000)),
        };
        break;
      default:
        member.text = mutateBytes(Buffer.from(member.text ?? ''), random);
        delete member.data;
    }
  }
  const bytes = Buffer.from(rawZip(members, options));
  return random.int(0, 9) === 0 ? mutateBytes(bytes, random) : bytes;
}

/** Bytes by name of what yauzl can read, null for a member that it refuses; nothing when it refuses the zip. */
async function readWithYauzl(bytes: Buffer): Promise<Map<string, Array<Buffer | null>>> {
  const members = new Map<string, Array<Buffer | null>>();
  try {
    const zip = await yauzl.fromBufferPromise(bytes, { lazyEntries: true, strictFileNames: false });
    for await (const entry of zip.eachEntry()) {
      const content = await readEntry(zip, entry);
      members.set(entry.fileName, [...(members.get(entry.fileName) ?? []), content]);
    }
  } catch {
    // What it refuses says nothing about us.
  }
  return members;
}

async function readEntry(zip: yauzl.ZipFile, entry: yauzl.Entry): Promise<Buffer | null> {
  try {
    return await buffer(await zip.openReadStreamPromise(entry));
  } catch {
    return null;
  }
}

/** All members as callers get them; the gzip form holds the same. */
async function servedMembers(row: PackageRow, objects: ObjectStore): Promise<Map<string, Buffer>> {
  const served = new Map<string, Buffer>();
  await using archive = await objects.open(row.archiveKey);
  await using source = await objects.open(row.indexKey);
  const index = await MemberIndex.open(source);
  for (const member of index.members()) {
    const { blocks } = member.sections;
    const table =
      blocks === undefined ? null : BlockTable.decode(await source.read(blocks.offset, blocks.length));
    const whole = await buffer(identityRange(archive, member, table, 0, member.size));
    if (member.method === 8) {
      const gzip = await buffer(gzipRange(archive, member, 0, gzipSize(member)));
      assert.ok(gunzipSync(gzip).equals(whole), `${member.path} differs as gzip`);
    }
    const from = Math.floor(member.size / 3);
    const part = await buffer(identityRange(archive, member, table, from, member.size - from));
    assert.ok(part.equals(whole.subarray(from, member.size - from)), `a range of ${member.path} differs`);
    served.set(member.path, whole);
  }
  return served;
}
