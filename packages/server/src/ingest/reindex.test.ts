import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { firstVersion } from '@citymodel/citygml/testing';
import { writeBenchmarkGml } from '@citymodel/sample/testing';
import {
  archiveKeys,
  type CatalogueStore,
  hasSums,
  openStores,
  type PackageRow,
  type Stores,
} from '@citymodel/store';
import {
  decodeBlockChecks,
  encodeBlockChecks,
  type Member,
  MemberIndex,
  MemberIndexBuilder,
} from '@citymodel/zip';
import { MemorySink } from '@citymodel/zip/testing';
import type { Progress } from '../base/progress.ts';
import { type CheckReport, checkStores } from './check.ts';
import { copyIndex } from './copy-index.ts';
import { ingest } from './ingest.ts';
import { findUploads } from './open-upload.ts';
import { type ReindexReport, reindex } from './reindex.ts';

const NAME = '47980_hakari-shi_city_2024_citygml_1_op';
const GML = 'udx/bldg/38295544_bldg_6697_op.gml';
const FLOOD = 'udx/fld/natl/mihongawa/38295544_fld_6697_l1_op.gml';
const PART_NAMES = { 'fld/natl_mihongawa': '見本川' };

let directory: string;
let stores: Stores;
/** What lay in the staging directory in the moments in which the catalogue had taken something over. */
const left: string[][] = [];

before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'citymodel-reindex-'));
  const root = join(directory, NAME);
  await mkdir(join(root, dirname(GML)), { recursive: true });
  await mkdir(join(root, 'codelists'));
  await writeBenchmarkGml(join(root, GML), { bytes: 2_000_000 });
  await mkdir(join(root, dirname(FLOOD)), { recursive: true });
  await writeFile(
    join(root, FLOOD),
    '<CityModel xmlns:uro="u"><cityObjectMember><WaterBody>' +
      '<uro:description codeSpace="../../../../codelists/Rivers.xml">1</uro:description>' +
      '</WaterBody></cityObjectMember></CityModel>',
  );
  await writeFile(
    join(root, 'codelists/Rivers.xml'),
    '<Dictionary><Definition><description>見本川</description><name>1</name></Definition></Dictionary>',
  );
  await writeFile(
    join(root, 'codelists/Building_usage.xml'),
    '<gml:Dictionary xmlns:gml="http://www.opengis.net/gml"/>',
  );
  stores = await openStores({ dataDir: join(directory, 'data'), databaseUrl: '', objectStore: '' });
  await mkdir(staging());
  const [found] = await findUploads([root]);
  const report = await ingest(found!, { ...watched(), stagingDir: staging(), now: () => new Date() });
  assert.equal(report.refusal, null);
});

after(async () => {
  await stores?.close();
  await rm(directory, { recursive: true, force: true });
});

const staging = () => join(directory, 'data/staging');

async function row(): Promise<PackageRow> {
  return (await stores.catalogue.findPackages({ name: NAME }))[0]!;
}

async function run(all: boolean): Promise<ReindexReport> {
  const heard: Progress[] = [];
  const onProgress = (now: Progress) => {
    heard.push(now);
  };
  const report = await reindex({ ...watched(), stagingDir: staging() }, { names: null, all, onProgress });
  const reading = heard.filter(({ phase }) => phase === 'reading');
  // All members are counted, from nothing on, where a package was read.
  for (const { done, total } of reading.slice(-1)) assert.equal(done, total);
  return report;
}

/** The stores, where each change that ends an intent notes what a process that dies just then leaves in staging. */
function watched(): Stores {
  const noting =
    <A extends unknown[], R>(change: (...args: A) => Promise<R>) =>
    async (...args: A) => {
      const result = await change(...args);
      left.push(await readdir(staging()));
      return result;
    };
  const { catalogue } = stores;
  const noted: Partial<CatalogueStore> = {
    publish: noting(catalogue.publish.bind(catalogue)),
    replaceIndex: noting(catalogue.replaceIndex.bind(catalogue)),
  };
  return {
    ...stores,
    catalogue: new Proxy(catalogue, {
      get(target, name: keyof CatalogueStore) {
        const method = noted[name] ?? target[name];
        return typeof method === 'function' ? method.bind(target) : method;
      },
    }),
  };
}

/** All that an index says, with the content of its sections in place of where they lie. */
async function contentOf({ indexKey }: PackageRow): Promise<unknown[]> {
  await using source = await stores.objects.open(indexKey);
  const index = await MemberIndex.open(source);
  const { offset, length } = index.archiveSums!;
  const sums = Buffer.from(await source.read(offset, length)).toString('base64');
  const members = await Promise.all(
    [...index.members()].map(async ({ sections, ...member }) => ({
      ...member,
      sections: await Promise.all(
        Object.entries(sections).map(async ([name, { offset, length }]) => [
          name,
          Buffer.from(await source.read(offset, length)).toString('base64'),
        ]),
      ),
    })),
  );
  return [sums, ...members];
}

/** Changes the bytes of the index object as another version of the program might have written them. */
async function tamper(change: (bytes: Buffer, gml: Member) => void): Promise<void> {
  await using source = await stores.objects.open((await row()).indexKey);
  const gml = (await MemberIndex.open(source)).find(GML)!;
  const bytes = Buffer.from(await source.read(0, source.size));
  change(bytes, gml);
  await putIndex(bytes, archiveKeys(`tampered-${Math.random()}`).index);
}

/** Writes the index again, with these sums of the archive's pages or without, under a key that says so or not. */
async function withSums(sums: Uint8Array | undefined, ending = '.index'): Promise<void> {
  await using source = await stores.objects.open((await row()).indexKey);
  const index = await MemberIndex.open(source);
  const sink = new MemorySink();
  const builder = new MemberIndexBuilder(sink);
  await copyIndex(index, source, builder);
  await builder.finish(sums);
  await putIndex(sink.bytes, `archives/rewritten-${Math.random()}${ending}`);
}

/** Writes the index again with feature indexes of the first version. */
async function withFirstFeatures(): Promise<void> {
  await using source = await stores.objects.open((await row()).indexKey);
  const index = await MemberIndex.open(source);
  const sink = new MemorySink();
  const builder = new MemberIndexBuilder(sink);
  const read = ({ offset, length }: { offset: number; length: number }) => source.read(offset, length);
  for (const { sections: places, ...member } of [...index.members()].sort((a, b) => a.offset - b.offset)) {
    const { blocks, features, dependencies, checks, pieces } = places;
    if (blocks === undefined || features === undefined || checks === undefined) {
      await builder.add(member, {});
      continue;
    }
    const old = firstVersion(await read(features));
    const table = await read(blocks);
    const { blocks: crcs } = decodeBlockChecks(await read(checks), member.path);
    await builder.add(member, {
      blocks: table,
      features: old,
      checks: encodeBlockChecks({ table, features: old }, crcs),
      ...(dependencies && { dependencies: await read(dependencies) }),
      ...(pieces && { pieces: await read(pieces) }),
    });
  }
  await builder.finish(await read(index.archiveSums!));
  await putIndex(sink.bytes, `archives/rewritten-${Math.random()}.sums.index`);
}

function check(): Promise<CheckReport> {
  return checkStores(stores, { names: [NAME], onProgress: () => {} });
}

/** Puts an index in place of the one that is there: under a new key, as objects never change. */
async function putIndex(bytes: Uint8Array, to: string): Promise<void> {
  await stores.catalogue.beginIntent({
    id: to,
    keys: [to],
    staging: null,
    host: 'h',
    pid: 1,
    heartbeatAt: 1,
  });
  await stores.objects.put(
    to,
    (async function* () {
      yield bytes;
    })(),
  );
  const { no, indexKey: from } = await row();
  await stores.catalogue.replaceIndex({ no, from, to, intent: to, partNames: {} });
}

describe('reindex', () => {
  test('leaves alone what is current, unless all are wanted', async () => {
    const first = await row();
    const content = await contentOf(first);
    assert.deepEqual(first.partNames, PART_NAMES);
    await using source = await stores.objects.open(first.indexKey);
    const { pieces } = (await MemberIndex.open(source)).find(GML)!.sections;
    assert.ok(pieces !== undefined, 'blocks are divided, so that this is kept, too');
    assert.deepEqual(await run(false), { rebuilt: [], current: 1, faults: [] });
    assert.equal((await row()).indexKey, first.indexKey);
    assert.deepEqual(await run(true), { rebuilt: [NAME], current: 0, faults: [] });
    const second = await row();
    assert.notEqual(second.indexKey, first.indexKey);
    assert.deepEqual(await contentOf(second), content);
    assert.deepEqual(await stores.catalogue.intents(), []);
    assert.ok((await stores.catalogue.garbage()).includes(first.indexKey));
  });

  test('leaves nothing behind, nor does an ingestion, in the moment from which nobody would clean up', () => {
    assert.equal(left.length, 2);
    assert.deepEqual(left.flat(), []);
  });

  for (const [what, change] of [
    [
      'feature indexes of another version',
      (bytes: Buffer, gml: Member) => {
        const { offset, length } = gml.sections.features!;
        return bytes.writeUInt16LE(999, offset + length - 128 + 4);
      },
    ],
    [
      'block tables of another version',
      (bytes: Buffer, gml: Member) => bytes.writeUInt32LE(999, gml.sections.blocks!.offset + 4),
    ],
    [
      'pieces of another version',
      (bytes: Buffer, gml: Member) => bytes.writeUInt32LE(999, gml.sections.pieces!.offset + 4),
    ],
    [
      'a member index of another version',
      (bytes: Buffer) => {
        bytes.writeUInt32LE(999, 8);
        bytes.writeUInt32LE(999, bytes.length - 64 + 8);
      },
    ],
    ['a damaged table', (bytes: Buffer) => bytes.fill(0xaa, bytes.length - 40)],
  ] as Array<[string, (bytes: Buffer, gml: Member) => void]>) {
    test(`makes the same again in place of ${what}`, async () => {
      const content = await contentOf(await row());
      await tamper(change);
      assert.deepEqual(await run(false), { rebuilt: [NAME], current: 0, faults: [] });
      assert.deepEqual(await contentOf(await row()), content);
      assert.deepEqual((await row()).partNames, PART_NAMES);
      assert.deepEqual((await run(false)).current, 1);
    });
  }

  test('adds sums of the pages of an archive to an index of before, and copies the rest', async () => {
    const content = await contentOf(await row());
    assert.deepEqual((await check()).withoutSums, []);
    assert.ok(hasSums(await row()));
    await withSums(undefined);
    assert.ok(!hasSums(await row()));
    const checked = await check();
    assert.deepEqual([checked.withoutSums, checked.faults], [[NAME], []]);
    assert.deepEqual(await run(false), { rebuilt: [NAME], current: 0, faults: [] });
    assert.ok(hasSums(await row()));
    assert.deepEqual(await contentOf(await row()), content);
    assert.deepEqual((await row()).partNames, PART_NAMES);
    assert.deepEqual((await check()).withoutSums, []);
    assert.equal((await run(false)).current, 1);
  });

  test('gives feature indexes of the first version their newest form without reading the files', async () => {
    const content = await contentOf(await row());
    await withFirstFeatures();
    assert.notDeepEqual(await contentOf(await row()), content);
    assert.deepEqual((await check()).faults, []);
    assert.deepEqual(await run(false), { rebuilt: [NAME], current: 0, faults: [] });
    assert.deepEqual(await contentOf(await row()), content);
    assert.deepEqual((await check()).faults, []);
    assert.equal((await run(false)).current, 1);
  });

  test('a key that promises sums which are not there, and sums of another archive, are found', async () => {
    const content = await contentOf(await row());
    await withSums(undefined, '.sums.index');
    const [missing] = (await check()).faults;
    assert.match(missing!.fault, /It has no sums of pages, though its key says so/);
    assert.deepEqual((await run(false)).rebuilt, [NAME]);
    await withSums(new Uint8Array(Buffer.from(content[0] as string, 'base64').length), '.sums.index');
    const [wrong] = (await check()).faults;
    assert.match(wrong!.fault, /Its sums of pages are not those of the archive/);
    assert.deepEqual((await run(true)).rebuilt, [NAME]);
    assert.deepEqual(await contentOf(await row()), content);
  });

  test('tells what comes damaged once from what the store has', async () => {
    const { archiveKey, memberCount } = await row();
    let opened = 0;
    const objects = new Proxy(stores.objects, {
      get(target, name) {
        if (name !== 'open') return Reflect.get(target, name).bind(target);
        return async (key: string) => {
          const handle = await target.open(key);
          const isWrong = key === archiveKey && ++opened === 1;
          const stream = async function* (offset: number, length: number) {
            const bytes = Uint8Array.from(await handle.read(offset, length));
            if (isWrong) bytes[40]! ^= 1;
            yield bytes;
          };
          return {
            size: handle.size,
            read: handle.read.bind(handle),
            stream,
            [Symbol.asyncDispose]: () => handle[Symbol.asyncDispose](),
          };
        };
      },
    });
    const report = await checkStores({ ...stores, objects }, { names: [NAME], onProgress: () => {} });
    assert.deepEqual(report, {
      ...{ packages: 1, members: memberCount, faults: [], orphans: [], withoutSums: [] },
      passing: [NAME],
    });
  });

  test('makes no sums of an archive that is damaged', async () => {
    const { archiveKey, indexKey } = await row();
    const path = join(directory, 'data/store/objects', archiveKey);
    const bytes = await readFile(path);
    bytes[bytes.length - 30]! ^= 1;
    await writeFile(path, bytes);
    const { faults } = await run(true);
    assert.match(
      faults[0]!.fault,
      /SHA-256 of its archive is not the one in the database; ingest the package again/,
    );
    assert.equal((await row()).indexKey, indexKey);
    bytes[bytes.length - 30]! ^= 1;
    await writeFile(path, bytes);
    assert.deepEqual((await check()).faults, []);
  });

  test('says what it cannot make again, and leaves it as it was', async () => {
    const { archiveKey, indexKey } = await row();
    await stores.objects.delete(archiveKey);
    const report = await run(true);
    assert.equal(report.rebuilt.length, 0);
    assert.match(report.faults[0]!.fault, /ingest the package again/);
    assert.equal((await row()).indexKey, indexKey);
    assert.deepEqual(await stores.catalogue.intents(), []);
    const unknown = await reindex(
      { ...stores, stagingDir: staging() },
      { names: ['x'], all: false, onProgress: () => {} },
    );
    assert.deepEqual(unknown.faults, [{ place: 'x', fault: 'There is no such package.' }]);
  });
});
