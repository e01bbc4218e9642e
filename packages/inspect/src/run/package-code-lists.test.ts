import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { InspectSource } from './inspect-package.ts';
import { PackageCodeLists } from './package-code-lists.ts';

const listOf = (code: string) =>
  Buffer.from(
    `<gml:Dictionary xmlns:gml="http://www.opengis.net/gml"><gml:dictionaryEntry><gml:Definition>` +
      `<gml:description>x</gml:description><gml:name>${code}</gml:name></gml:Definition>` +
      `</gml:dictionaryEntry></gml:Dictionary>`,
  );

test('a reference means the list beside its file, and is looked for once for a directory', async () => {
  const members: Record<string, Buffer> = { 'udx/bldg/a.xml': listOf('1'), 'udx/tran/a.xml': listOf('2') };
  const asked: string[] = [];
  const source: InspectSource = {
    name: '',
    files: [],
    async *text() {},
    has: (path) => path in members,
    async member(path) {
      asked.push(path);
      return members[path] ?? null;
    },
  };
  const lists = new PackageCodeLists(source);
  const codes = async (reference: string, path: string) => [
    ...((await lists.find(reference, path))?.keys() ?? []),
  ];
  assert.deepEqual(await codes('a.xml', 'udx/bldg/1.gml'), ['1']);
  assert.deepEqual(await codes('a.xml', 'udx/tran/1.gml'), ['2']);
  const before = lists.find('a.xml', 'udx/bldg/1.gml');
  assert.equal(lists.find('a.xml', 'udx/bldg/2.gml'), before);
  assert.deepEqual(asked, ['udx/bldg/a.xml', 'udx/tran/a.xml']);
  assert.deepEqual(await codes('none.xml', 'udx/bldg/1.gml'), []);
});
