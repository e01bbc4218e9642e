import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OpenArchive, PackageRow } from '@citymodel/store';
import { type GmlOpener, type GmlUse, openGml } from './open-gml.ts';

const PATH = 'udx/bldg/a.gml';
const ROW = { archiveKey: 'archives/1' } as PackageRow;
const LABELS: GmlUse = { many: false, labels: true };

/** What a package with one member is opened with; `log` says which lists were read ahead, and what was closed. */
function packageWith({
  dependencies = null as string | null,
  readCost = 'remote' as OpenArchive['readCost'],
  blocks = {} as object | null,
  index = {} as object | null,
}) {
  const log: string[] = [];
  const archive = {
    readCost,
    index: { find: (path: string) => (path === PATH ? { path } : undefined) },
    blocks: async () => blocks,
    pieces: async () => null,
    section: async () => (dependencies === null ? null : Buffer.from(dependencies)),
    async [Symbol.asyncDispose]() {
      log.push('closed');
    },
  };
  const opener = {
    archives: { open: async () => archive },
    indexes: {
      open: async () => {
        if (index === null) throw new Error('no index');
        return index;
      },
    },
    blocks: {},
    codeLists: { prefetch: (_: PackageRow, lists: string[]) => log.push(...lists), of: () => ({}) },
  } as unknown as GmlOpener;
  return { log, open: (use = LABELS, path = PATH) => openGml(opener, ROW, path, use) };
}

test('the code lists that a file names are read ahead, by the names that the file gives them', async () => {
  const lines = ['codelists/a.xml', 'codelists/b.xml\tcodelists/B.xml', '!codelists/c.xml', 'x/y.jpg', ''];
  const { log, open } = packageWith({ dependencies: lines.join('\n') });
  const gml = (await open())!;
  assert.equal(gml.path, PATH);
  assert.deepEqual(log, ['codelists/a.xml', 'codelists/B.xml', 'codelists/c.xml']);
  await gml[Symbol.asyncDispose]();
  assert.equal(log.at(-1), 'closed');
});

test('a hundred lists are read ahead at most, and none where they are near, not wanted or not known', async () => {
  const names = Array.from({ length: 101 }, (_, i) => `codelists/${i}.xml`);
  const dependencies = names.join('\n');
  const ahead = async (options: Parameters<typeof packageWith>[0], use = LABELS) => {
    const { log, open } = packageWith(options);
    await open(use);
    return log;
  };
  assert.deepEqual(await ahead({ dependencies }), names.slice(0, 100));
  assert.deepEqual(await ahead({ dependencies, readCost: 'local' }), []);
  assert.deepEqual(await ahead({ dependencies }, { many: true, labels: false }), []);
  assert.deepEqual(await ahead({}), []);
});

test('what is no GML of the package, or cannot be opened, is closed', async () => {
  const other = packageWith({});
  assert.equal(await other.open(LABELS, 'udx/bldg/b.gml'), null);
  assert.deepEqual(other.log, ['closed']);
  const stored = packageWith({ blocks: null, dependencies: 'codelists/a.xml' });
  assert.equal(await stored.open(), null);
  assert.deepEqual(stored.log, ['closed']);
  const broken = packageWith({ index: null });
  await assert.rejects(broken.open(), /no index/);
  assert.deepEqual(broken.log, ['closed']);
});
