import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PackageFiles } from '@citymodel/base';
import { addSamples, meshesOf } from './finding-samples.ts';
import type { FoundPlace, IngestQuality } from './report.ts';

const filesOf = (members: Record<string, string>, sizes: Record<string, number> = {}): PackageFiles => ({
  paths: () => Object.keys(members),
  size: (path) => sizes[path] ?? members[path]?.length,
  read: async (path) => (members[path] === undefined ? null : Buffer.from(members[path])),
});

const place = (file: string | null, line: number | null): FoundPlace => ({
  ...{ file, line, id: null, message: '', place: null },
});

test('findings get the text of their lines, those of large files and of no line none', async () => {
  const places = [
    place('a.gml', 3),
    place('a.gml', 1),
    place('a.gml', 9),
    place('large.gml', 1),
    place(null, 1),
    place('a.gml', null),
    place('gone.gml', 1),
  ];
  const quality = { checks: [{ places }] } as unknown as IngestQuality;
  const files = filesOf(
    { 'a.gml': `<a>\n\t<b/>\n  <c>${'あ'.repeat(300)}</c>\n`, 'large.gml': '<a/>' },
    { 'large.gml': 1e9 },
  );
  await addSamples(quality, files);
  assert.deepEqual(
    places.map(({ sample }) => sample),
    [
      `<c>${'あ'.repeat(197)}`,
      `<a> <b/> <c>${'あ'.repeat(188)}`,
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
    ],
  );
  await addSamples(null, files);
});

test('a sample begins with the first letter of its line, which may be empty or the last one', async () => {
  const text = 'one\n\n\ntwo\r\nthree';
  const places = [1, 2, 3, 4, 5, 6].map((line) => place('a.gml', line));
  await addSamples({ checks: [{ places }] } as unknown as IngestQuality, filesOf({ 'a.gml': text }));
  assert.deepEqual(
    places.map(({ sample }) => sample),
    ['one two three', 'two three', 'two three', 'two three', 'three', undefined],
  );
});

test('samples are read of twenty files', async () => {
  const members = Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`${n}.gml`, `text ${n}`]));
  const places = Object.keys(members).flatMap((file) => [place(file, null), place(file, 1)]);
  await addSamples({ checks: [{ places }] } as unknown as IngestQuality, filesOf(members));
  assert.equal(places.filter(({ sample }) => sample !== undefined).length, 20);
});

test('a package lies where the names of its GML files say', () => {
  const files = filesOf({
    'udx/bldg/53394519_bldg_6697_op.gml': '',
    'udx/tran/53394519_tran_6697_op.gml': '',
    'udx/bldg/53394509_bldg_6697_op.gml': '',
    'udx/bldg/odd.gml': '',
    'codelists/53394529_x.xml': '',
  });
  assert.deepEqual(meshesOf(files), ['53394509', '53394519']);
});
