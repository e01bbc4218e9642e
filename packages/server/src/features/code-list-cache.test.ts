import assert from 'node:assert/strict';
import test from 'node:test';
import { crc32 } from 'node:zlib';
import type { Archives, PackageRow } from '@citymodel/store';
import { bufferSource, type Member } from '@citymodel/zip';
import { CodeListCache } from './code-list-cache.ts';

const DICTIONARY = Buffer.from(
  '<Dictionary><Definition><description>residence</description><name>1</name></Definition></Dictionary>',
);

/** Packages that all have one list, and what was looked up in them. */
function packages(size = DICTIONARY.length): { archives: Archives; looked: string[]; isDown: boolean } {
  const looked: string[] = [];
  const state = { looked, isDown: false, archives: null as unknown as Archives };
  const open = async () => ({
    archive: bufferSource(DICTIONARY),
    index: {
      findLoosely(path: string): Partial<Member> | undefined {
        if (state.isDown) throw new Error('store is down');
        looked.push(path);
        const length = DICTIONARY.length;
        return path === 'codelists/a.xml'
          ? { path, method: 0, offset: 0, compressedSize: length, size, crc32: crc32(DICTIONARY) }
          : undefined;
      },
    },
    async [Symbol.asyncDispose]() {},
  });
  state.archives = { open } as unknown as Archives;
  return state;
}

const ROW = { archiveKey: 'archives/1' } as PackageRow;
const label = async (cache: CodeListCache, codeSpace = '../../codelists/a.xml') =>
  (await cache.of(ROW).labels('udx/bldg/x.gml', [codeSpace]))(codeSpace, '1');

test('a list is read once, a missing one is looked up once, and a failure is not remembered', async () => {
  const state = packages();
  const cache = new CodeListCache(state.archives);
  state.isDown = true;
  await assert.rejects(label(cache), /store is down/);
  state.isDown = false;
  assert.deepEqual(await Promise.all([label(cache), label(cache)]), ['residence', 'residence']);
  assert.equal(await label(cache, '../../codelists/gone.xml'), undefined);
  assert.equal(await label(cache, '../../codelists/gone.xml'), undefined);
  assert.deepEqual(state.looked, ['codelists/a.xml', 'codelists/gone.xml']);
});

test('a member of more than 2 MB is no code list', async () => {
  assert.equal(await label(new CodeListCache(packages(2 * 2 ** 20 + 1).archives)), undefined);
  assert.equal(await label(new CodeListCache(packages(2 * 2 ** 20).archives)), 'residence');
});
