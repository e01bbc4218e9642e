/** How a file search answers: of all sizes, and while the catalogue changes. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type FileListResult, textOf } from '../testing/file-list.ts';
import { CITIES, FILES, fuji, gml, numazu23, question, setUp } from '../testing/search-of.ts';
import { cityPackage } from '../testing/snapshot-rows.ts';
import type { FileFilter } from './file-filter.ts';

describe('a catalogue that changes meanwhile', () => {
  const older = cityPackage({ cityCode: '22203', revision: '1' });
  const newer = cityPackage({ cityCode: '22203', revision: '2' });

  it('is asked to catch up when a package was replaced', async () => {
    for (const condition of ['m:52385721', '22203']) {
      const { list, store, publish, refreshes } = await setUp([older], [gml(older, 'bldg', '52385721')]);
      assert.equal((await list(condition)).length, 1);
      assert.equal(refreshes(), 0);
      store.files = [gml(newer, 'bldg', '52385721'), gml(newer, 'dem', '523857')];
      publish([newer]);
      assert.deepEqual(await list(condition), ['22203/2023: bldg 52385721, dem 523857']);
      assert.equal(refreshes(), 1);
    }
  });

  it('is not waited for for ever', async () => {
    const { list, refreshes } = await setUp([older], []);
    assert.deepEqual(await list('22203'), []);
    assert.equal(refreshes(), 1);
  });
});

describe('answers of all sizes', () => {
  const files = Array.from({ length: 5_000 }, (_, i) =>
    gml(numazu23, i % 2 === 0 ? 'bldg' : 'luse', '52385721', {
      path: `udx/${String(i).padStart(5, '0')}.gml`,
    }),
  );
  const everything = question('22');

  it('keeps an answer for those who ask again, until the catalogue changes', async () => {
    const { search, store, publish, refresh, find } = await setUp([numazu23, fuji], files);
    assert.equal(search.kept(everything), undefined);
    const [one, other] = await Promise.all([search.search(everything), search.search(everything)]);
    assert.equal(one, other);
    for (const again of [everything, question('22')]) assert.equal(search.kept(again), one);
    assert.equal(search.kept(question('22', { years: 'all' })), undefined);
    const queries = store.queries.length;
    assert.equal(await search.search(question('22')), one);
    assert.equal(store.queries.length, queries);
    assert.notEqual(await search.search(question('22', { years: 'all' })), one);
    assert.notEqual(await search.search(question('22', { types: ['luse'] })), one);
    store.files = files.slice(1);
    publish([{ ...numazu23, no: 999 }]);
    await refresh();
    assert.equal(search.kept(everything), undefined);
    await assert.rejects(find('22'), { message: 'not found' });
  });

  it('says the same of a filter in every way of answering, although none of them knows it', async () => {
    const { find, search, streaming } = await setUp(CITIES, FILES);
    const short: FileFilter = {
      name: 'short',
      key: 'short',
      words: 'of a short mesh code',
      at: () => ({ accepts: (_, { mesh }) => mesh.length < 8, mayHave: () => true }),
    };
    for (const text of ['22203', 'm:5238', 's:0/0/0/0']) {
      const [all, some] = [question(text), question(text, { further: short })];
      const kept = JSON.parse(await textOf(await search.search(all)));
      const found = await find(text, { further: short });
      const count = ({ files }: FileListResult) =>
        Object.values(files).reduce((sum, { length }) => sum + length, 0);
      assert.ok(count(found) > 0 && count(found) < count(kept), text);
      assert.deepEqual(await find(text, { further: short }, streaming), found);
      assert.equal((await search.searchFiles(some)).files, (await search.search(some)).files);
      const { found: counts } = await search.count(some);
      const sums = [...counts.packages.values()].flatMap((types) => [...types.values()]);
      assert.equal(
        sums.reduce((sum, { files }) => sum + files, 0),
        (await search.search(some)).files,
      );
      assert.deepEqual(JSON.parse(await textOf(await search.search(all))), kept);
    }
  });

  it('reads a large answer some files at a time, and nothing before it is asked for', async () => {
    const { search: _, store, streaming } = await setUp([numazu23, fuji], files);
    const answer = await streaming.search(everything);
    assert.ok(answer.kind === 'streamed');
    store.queries = [];
    const pieces = answer.pieces();
    let largest = 0;
    let queries = 0;
    for await (const piece of pieces) {
      largest = Math.max(largest, piece.length);
      assert.ok(store.queries.length <= queries + 1, 'one query for each piece');
      queries = store.queries.length;
    }
    assert.ok(largest < 128 * 1_024, `${largest} bytes`);
    assert.ok(store.queries.every((query) => query.limit === 160));
  });

  it('breaks off when a package goes while its files are sent', async () => {
    const { store, streaming } = await setUp([numazu23, fuji], files);
    const answer = await streaming.search(everything);
    store.files = files.slice(0, 4_000);
    await assert.rejects(textOf(answer), { message: 'unavailable' });
  });

  it('only counts what is more than asked for', async () => {
    const { search } = await setUp([numazu23, fuji], files);
    const { files: count, packages } = await search.searchFiles(everything, { maxFiles: 4_999 });
    assert.equal(count, 5_000);
    assert.deepEqual(
      [...packages[0]!.types.values()].map(({ count, rows }) => [count, rows.length]),
      [
        [2_500, 0],
        [2_500, 0],
      ],
    );
  });
});
