/** What `citymodel check` finds, over a store that holds one small package. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import {
  type CatalogueStore,
  type GmlFileRow,
  ObjectMissing,
  type ObjectStore,
  type PackageRow,
  StoreUnavailable,
} from '@citymodel/store';
import { chunks } from '@citymodel/store/testing';
import type { Progress } from '../base/progress.ts';
import { gml, PACKAGE, writePackage } from '../convert/testing/small-package.ts';
import { checkStores } from './check.ts';
import { type Ingesting, openIngesting } from './testing/ingesting.ts';

const MEMBER = 'udx/luse/52385500_luse_6697_op.gml';
/** The names of members that a package gets besides are not the matter here. */
const MEMBERS = [MEMBER, 'codelists/a.xml'];

async function opened(): Promise<Ingesting & { row: PackageRow }> {
  const at = await openIngesting();
  const path = join(at.directory, `${PACKAGE}.zip`);
  await writePackage(path, [
    { path: MEMBER, text: gml('luse', '52385500', 1, 'a') },
    { path: 'codelists/a.xml', text: '<a/>' },
  ]);
  await at.ingest(path);
  const [row] = await at.stores.catalogue.findPackages({ name: PACKAGE });
  return Object.assign(at, { row: row! });
}

/** The same with other methods. */
function changed<T extends object>(store: T, methods: Partial<T>): T {
  return new Proxy(store, {
    get(target, name) {
      const own = (methods as Record<string | symbol, unknown>)[name];
      if (own !== undefined) return own;
      const value = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** Stores whose database says something else of the package, or of its files. */
function saying(at: Ingesting, of: Partial<PackageRow>, ofFile: Partial<GmlFileRow> = {}) {
  const { catalogue } = at.stores;
  return {
    objects: at.stores.objects,
    catalogue: changed<CatalogueStore>(catalogue, {
      async *packages(states) {
        for await (const page of catalogue.packages(states)) yield page.map((row) => ({ ...row, ...of }));
      },
      gmlFiles: async (by) => (await catalogue.gmlFiles(by)).map((file) => ({ ...file, ...ofFile })),
    }),
  };
}

const check = (stores: { catalogue: CatalogueStore; objects: ObjectStore }, names: string[] | null = null) =>
  checkStores(stores, { names, onProgress() {} });

/** Faults without the name of the package before their places. */
async function faultsOf(stores: { catalogue: CatalogueStore; objects: ObjectStore }) {
  const { faults } = await check(stores);
  return faults.map(({ place, fault }) => `${place.replace(`${PACKAGE}: `, '')}: ${fault}`);
}

describe('a check of the stores', () => {
  test('finds nothing where all is right, and says how far it is', async () => {
    await using at = await opened();
    const heard: Progress[] = [];
    const report = await checkStores(at.stores, { names: null, onProgress: (now) => heard.push(now) });
    assert.deepEqual(report, {
      ...{ packages: 1, members: MEMBERS.length, faults: [], withoutSums: [], passing: [], orphans: [] },
    });
    const last = heard.at(-1)!;
    assert.equal(last.total, at.row.archiveSize + at.row.memberBytes);
    assert.deepEqual([last.done, last.label, last.phase], [last.total, PACKAGE, 'verifying']);
    assert.deepEqual([...new Set(heard.map(({ member }) => member))].sort(), [...MEMBERS, null].sort());
    const named = await check(at.stores, [PACKAGE, 'none']);
    assert.equal(named.packages, 1);
    assert.deepEqual(named.faults, [{ place: 'none', fault: 'There is no such package.' }]);
    assert.equal((await check(at.stores, [])).packages, 0);
  });

  test('tells what the database says otherwise than archive and index', async () => {
    await using at = await opened();
    const { archiveSize, memberCount } = at.row;
    const wrong = '0'.repeat(64);
    for (const [of, ofFile, faults] of [
      [{ archiveSha256: wrong }, {}, ['archive: Its SHA-256 is not the one in the database.']],
      [
        { archiveSize: archiveSize + 1 },
        {},
        [`archive: It has ${archiveSize} bytes; the database says ${archiveSize + 1}.`],
      ],
      [
        { memberCount: memberCount + 1 },
        {},
        [`index: It has ${memberCount} members; the database says ${memberCount + 1}.`],
      ],
      [{}, { path: 'none' }, ['none: The database lists it, the index does not have it.']],
      [{}, { sha256: wrong }, [`${MEMBER}: Size or SHA-256 in the database are not those of the index.`]],
      [{}, { size: 1 }, [`${MEMBER}: Size or SHA-256 in the database are not those of the index.`]],
    ] as const)
      assert.deepEqual(await faultsOf(saying(at, of, ofFile)), faults);
    assert.deepEqual(await faultsOf(saying(at, { state: 'retired', memberCount: 99 })), [], 'only live ones');
    assert.deepEqual(await faultsOf(saying(at, { archiveKey: '', memberCount: 99 })), [], 'and none without');
  });

  test('looks at tables and pictures, and says how to get them back', async () => {
    await using at = await opened();
    await at.stores.objects.put('tables/t', chunks(Buffer.from('table')));
    const sha256 = '8ea5d4a40d4ef6b1ec7a7bb0b5a9ee30c0e0bc2f4aa3f8fc8d3c9d1b2c1a6f00';
    const table = { type: 'luse', key: 'tables/t', size: 5, sha256 };
    const picture = { theme: 'light', size: 'large', key: 'tables/t', bytes: 4, sha256 };
    const rows = (tables: object[], images: object[]) =>
      saying(at, { tables, pictures: { version: 1, images } } as unknown as Partial<PackageRow>);
    assert.deepEqual(await faultsOf(rows([table, { ...table, key: 'tables/none' }], [picture])), [
      'table of luse: Its SHA-256 is not the one in the database. Make it again by `citymodel reindex --all`.',
      'table of luse: no object tables/none in the store. Make it again by `citymodel reindex --all`.',
      'picture light large: It has 5 bytes; the database says 4. Draw it again by `citymodel reindex --all`.',
    ]);
  });

  test('reads what it finds wrong once more: a fault that passes is that of the way', async () => {
    await using at = await opened();
    const { objects } = at.stores;
    let opens = 0;
    const once = changed<ObjectStore>(objects, {
      open: async (key) => {
        if (key === at.row.archiveKey && opens++ === 0) throw new Error('the line broke');
        return objects.open(key);
      },
    });
    const { faults, passing, packages } = await check({ ...at.stores, objects: once });
    assert.deepEqual([faults, passing, packages, opens], [[], [PACKAGE], 1, 2]);
    const always = changed<ObjectStore>(objects, { open: () => Promise.reject(new Error('the line broke')) });
    const still = await check({ ...at.stores, objects: always });
    assert.deepEqual(still.faults, [{ place: PACKAGE, fault: 'It cannot be read: the line broke' }]);
    assert.deepEqual(still.passing, []);
  });

  test('reads each member once, names one that cannot be read, and ends where the store is away', async () => {
    await using at = await opened();
    const { objects } = at.stores;
    const offsets: number[] = [];
    let broken = -1;
    let cause = new Error('it broke');
    const watched = changed<ObjectStore>(objects, {
      open: async (key) => {
        const source = await objects.open(key);
        if (key !== at.row.archiveKey) return source;
        const { read } = source;
        source.read = (offset, length) => {
          offsets.push(offset);
          return offset === broken ? Promise.reject(cause) : read.call(source, offset, length);
        };
        return source;
      },
    });
    assert.deepEqual(await faultsOf({ ...at.stores, objects: watched }), []);
    // Behind what is read of the whole archive.
    const [first, last] = offsets.slice(-MEMBERS.length);
    assert.ok(first === 0 && last! > 0, offsets.join());
    broken = last!;
    const [fault, ...others] = await faultsOf({ ...at.stores, objects: watched });
    assert.ok(
      MEMBERS.some((path) => fault === `${path}: It cannot be read: it broke`),
      fault,
    );
    assert.deepEqual(others, []);
    for (const away of [new StoreUnavailable('objects are away'), new ObjectMissing('archive')]) {
      cause = away;
      const { faults } = await check({ ...at.stores, objects: watched });
      assert.equal(faults.length, 1);
      assert.equal(faults[0]!.place, PACKAGE);
      assert.ok(faults[0]!.fault.includes(away.message));
    }
  });

  test('a byte that has changed is found in the archive and in the member that has it', async () => {
    await using at = await opened();
    const { objects } = at.stores;
    const { archiveKey, archiveSize } = at.row;
    const bytes = Buffer.alloc(archiveSize);
    {
      await using handle = await objects.open(archiveKey);
      bytes.set(await handle.read(0, archiveSize));
    }
    bytes[200]! ^= 1;
    await objects.delete(archiveKey);
    await objects.put(archiveKey, chunks(bytes));
    const faults = await faultsOf(at.stores);
    assert.equal(faults[0], 'archive: Its SHA-256 is not the one in the database.');
    assert.equal(faults.length, 2, String(faults));
    assert.match(faults[1]!, /: Its data is damaged: /);
    await objects.delete(archiveKey);
    assert.match(
      (await faultsOf(at.stores))[0]!,
      /: no object archives\/\S+ in the store; ingest the package again\.$/,
    );
  });

  test('objects that nothing refers to are told, and given to the sweep where that is asked', async () => {
    await using at = await opened();
    const { catalogue, objects } = at.stores;
    for (const key of ['archives/x', 'tables/x', 'pictures/x', 'archives/intended', 'other/x'])
      await objects.put(key, chunks(Buffer.from('abc')));
    const intent = { id: 'i', keys: ['archives/intended'], staging: null, host: 'h', pid: 1, heartbeatAt: 0 };
    await catalogue.beginIntent(intent);
    const orphans = ['archives/x', 'pictures/x', 'tables/x'];
    const found = async (repair: boolean) =>
      (await checkStores(at.stores, { names: null, repair, onProgress() {} })).orphans
        .map(({ key, size }) => (size === 3 ? key : size))
        .sort();
    assert.deepEqual((await check(at.stores, [PACKAGE])).orphans, [], 'of some packages nothing is known');
    assert.deepEqual([await found(false), await catalogue.garbage()], [orphans, []]);
    assert.deepEqual(await found(true), orphans);
    assert.deepEqual([...(await catalogue.garbage())].sort(), orphans);
    assert.deepEqual(await found(false), [], 'what the sweep deletes is none any more');
  });
});
