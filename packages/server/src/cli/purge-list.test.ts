import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PackageChange } from '@citymodel/store';
import { readSettings } from '../base/settings.ts';
import { addPurgeList, purgeListText } from './purge-list.ts';
import { addRemove } from './remove.ts';
import { houseStore } from './testing/house-store.ts';
import { HOUSES, writeHouses } from './testing/houses.ts';

const NOW = Date.UTC(2026, 3, 1);
/** The setting, the pause between looks, and what building takes: a change is shown by then. */
const SETTLE_MS = 3_000 + 200 + 40 + 10_000;
const settings = readSettings({
  PUBLIC_URL: 'https://city.example.jp',
  CATALOGUE_GATHER_MS: '3000',
  CATALOGUE_POLL_MS: '200',
  CATALOGUE_SWITCH_MS: '40',
});

function changeOf(
  version: number,
  changedAt: number | null,
  now: PackageChange['now'] = 'live',
): PackageChange {
  const located = {
    name: `p${version}`,
    assetPath: `ab/${version}`,
    prefCode: '13',
    cityCode: '13101',
    wardCode: null,
    archiveKey: `archives/${version}.zip`,
  };
  return { version, changedAt, packageNo: version, was: '', now, located, tableKeys: [] };
}

/** A catalogue whose log begins after a version. */
function logOf(changes: readonly PackageChange[], { version = changes.length, from = 0 } = {}) {
  return {
    version: async () => version,
    clock: async () => NOW,
    changeLog: async (since: number) =>
      since < from ? null : changes.filter((change) => change.version > since),
  };
}

const json = async (...values: Parameters<typeof purgeListText>) =>
  JSON.parse(await purgeListText(...values));
const AS = { as: 'json' } as const;

test('the next list begins after what all servers show by now', async () => {
  const ages = [SETTLE_MS + 1, SETTLE_MS, SETTLE_MS - 1, SETTLE_MS * 2];
  const log = logOf(ages.map((age, i) => changeOf(i + 1, NOW - age)));
  const first = await json(log, settings, { since: { version: 0 }, ...AS });
  assert.deepEqual([first.version, first.newest, first.packages.length], [2, 4, 4]);
  // Nothing new: it stays where it was, and never goes beyond the newest.
  assert.equal((await json(log, settings, { since: { version: 4 }, ...AS })).version, 4);
  assert.equal((await json(log, settings, { since: { version: 9 }, ...AS })).version, 4);
  const until = await json(log, settings, { since: { version: 0 }, until: 1, ...AS });
  assert.deepEqual([until.version, until.packages.map(({ no }: { no: number }) => no)], [1, [1]]);
  // A change that came while the list was made is in the next one.
  const late = logOf([changeOf(1, 0), changeOf(2, 0)], { version: 1 });
  assert.equal((await json(late, settings, { since: { version: 0 }, ...AS })).packages.length, 1);
});

test('a time stands for the changes after it; those without a time count as after it', async () => {
  const old = NOW - SETTLE_MS * 10;
  const log = logOf([
    changeOf(1, old),
    changeOf(2, old + 1_000),
    changeOf(3, old + 1_001),
    changeOf(4, null),
  ]);
  const list = await json(log, settings, { since: { time: old + 1_000 }, ...AS });
  assert.deepEqual(
    list.packages.map(({ no }: { no: number }) => no),
    [3, 4],
  );
  assert.equal(list.version, 3);
  const none = await json(logOf([changeOf(1, old)]), settings, { since: { time: NOW }, ...AS });
  assert.deepEqual([none.version, none.packages], [1, []]);
  // What one of the changes not yet settled is: the list begins before it again.
  const young = await json(logOf([changeOf(1, old), changeOf(2, NOW)]), settings, {
    since: { time: old },
    ...AS,
  });
  assert.equal(young.version, 1);
});

test('a time before the log is answered only where the log goes back behind it', async () => {
  const changes = [1_001, 1_002, 1_003].map((version) => changeOf(version, version * 10));
  const log = logOf(changes, { version: 1_990, from: 900 });
  const within = await json(log, settings, { since: { time: 10_010 }, ...AS });
  assert.deepEqual([within.isComplete, within.packages.length], [true, 2]);
  const before = await json(log, settings, { since: { time: 10_009 }, ...AS });
  assert.deepEqual([before.isComplete, before.version, before.keys], [false, 1_990, ['citymodel']]);
  // Of fewer versions than a thousand, all that can be known begins at the first.
  const short = await json(logOf(changes, { version: 999, from: 1 }), settings, {
    since: { time: 0 },
    ...AS,
  });
  assert.equal(short.isComplete, false);
  const exact = logOf([changeOf(1, 50)], { version: 1_000, from: 0 });
  assert.equal((await json(exact, settings, { since: { time: 0 }, ...AS })).packages.length, 1);
});

test('lists have a form for each cache', async () => {
  const old = NOW - SETTLE_MS * 10;
  const log = logOf([changeOf(1, old, 'removed'), changeOf(2, NOW, 'forgotten')]);
  const text = (as: string, store = log) => purgeListText(store, settings, { since: { version: 0 }, as });
  assert.deepEqual((await text('keys')).split('\n').slice(0, 2), ['# version 1', 'catalogue']);
  const urls = (await text('urls')).split('\n');
  assert.equal(urls[0], '# version 1');
  assert.ok(urls.includes('https://city.example.jp/stac*'));
  assert.equal(await text('nginx'), '# version 1\n"ab/1" 1;\n"ab/2" 2-early;\n');
  const asJson = await text('json');
  assert.equal(asJson, `${JSON.stringify(JSON.parse(asJson), null, 2)}\n`);
  const lost = logOf([], { version: 7, from: 5 });
  assert.equal(
    await text('nginx', lost),
    '# version 7\n# All files of the cache have to be deleted: the changes are not known any more.\n',
  );
  assert.equal(await text('keys', lost), '# version 7\ncitymodel\n');
});

test('addresses that the service redirects to are listed, but for signed ones', async () => {
  const log = logOf([changeOf(1, 0, 'removed')]);
  const urls = async (redirect: string) =>
    (await json(log, { ...settings, ASSET_REDIRECT: redirect }, { since: { version: 0 }, ...AS })).urls;
  assert.ok((await urls('https://cdn.example.jp')).includes('https://cdn.example.jp/archives/1.zip'));
  assert.equal((await urls('presigned')).join().includes('presigned'), false);
});

test('the command reads a version or a time with its zone, and prints keys', async (t) => {
  const store = await houseStore(t);
  await store.publish(await writeHouses(store.directory));
  await store.run(addRemove, 'remove', HOUSES);
  const keys = await store.run(addPurgeList, 'purge-list', '--since', '0');
  assert.equal(keys.code, 0);
  assert.match(keys.out, /^# version 0\ncatalogue\ncatalogue-13\n/);
  const begin = async (since: string) => {
    const { code, out, err } = await store.run(addPurgeList, 'purge-list', '--as', 'json', '--since', since);
    return code === 0 ? JSON.parse(out).packages.length : err;
  };
  assert.equal(await begin('2026-04-01T09:00:00+09:00'), 1);
  assert.equal(await begin('2026-04-01T09:00Z'), 1);
  assert.equal(await begin('2999-04-01T09:00:00.5Z'), 0);
  for (const wrong of [
    '2026-04-01T09:00:00',
    '2026-04-01',
    '2026-99-01T09:00Z',
    '-1',
    '1.5',
    '1234567890123456',
  ]) {
    assert.match(String(await begin(wrong)), /It must be a version or a time with its zone/, wrong);
  }
});
