import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import { ArchiveWriter, bufferSource } from '@citymodel/zip';
import { MemorySink } from '@citymodel/zip/testing';
import { readSheet, SheetRefused } from './read-sheet.ts';

const NAMES = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="r"';
const WORKBOOK = `<workbook ${NAMES}><sheets>${['A', 'B']
  .map((name, i) => `<sheet name="${name}" r:id="rId${i + 1}"/>`)
  .join('')}</sheets></workbook>`;
const RELATIONS =
  '<Relationships><Relationship Id="rId2" Target="worksheets/b.xml"/>' +
  '<Relationship Id="rId1" Target="/xl/worksheets/a.xml"/></Relationships>';
const STRINGS =
  `<x:sst xmlns:x="x"><x:si><x:t>建物</x:t></x:si><x:si><x:r><x:t>a</x:t></x:r>` +
  '<x:r><x:t xml:space="preserve"> b</x:t></x:r><x:rPh><x:t>かな</x:t></x:rPh></x:si><x:si/></x:sst>';
const CELLS = [
  '<c r="A1" t="s"><v>0</v></c><c r="C1" t="s"><v>1</v></c><c r="AB1"><f>1+1</f><v>2</v></c>',
  '',
  '<c r="A3" t="inlineStr"><is><t>x &amp; y</t></is></c><c r="B3" t="s"><v>9</v></c>' +
    '<c r="C3" t="s"><v>2</v></c><c r="D3"/><c><v>7</v></c>',
];
const LINES = CELLS.map((cells) => `<row>${cells}</row>`).join('');
const ROWS = `<worksheet ${NAMES}><sheetData>${LINES}</sheetData></worksheet>`;

const PARTS: Record<string, string> = {
  'xl/workbook.xml': WORKBOOK,
  'xl/_rels/workbook.xml.rels': RELATIONS,
  'xl/sharedStrings.xml': STRINGS,
  'xl/worksheets/a.xml': ROWS,
  'xl/worksheets/b.xml': '<worksheet><row><c r="A1"><v>b</v></c></row></worksheet>',
};

async function zipOf(parts: ReadonlyArray<readonly [string, string]>): Promise<Uint8Array> {
  const sink = new MemorySink();
  const writer = new ArchiveWriter(sink);
  for (const [path, text] of parts) {
    const bytes = Buffer.from(text);
    const facts = { crc32: crc32(bytes), size: bytes.length, compressedSize: bytes.length };
    await writer.copy(path, { ...facts, method: 0, modified: 0 }, [bytes]);
  }
  await writer.finish();
  return sink.bytes;
}

async function read(name: string, changes: Record<string, string | null> = {}) {
  const parts = Object.entries({ ...PARTS, ...changes }).filter(([, text]) => text !== null);
  const zip = await zipOf(parts as Array<[string, string]>);
  const rows: Array<Record<string, string>> = [];
  await readSheet(bufferSource(zip), name, (row) => rows.push(Object.fromEntries(row)));
  return rows;
}

test('rows have the texts of their cells by column, a shared text that is not there is empty', async () => {
  assert.deepEqual(await read('A'), [
    { A: '建物', C: 'a b', AB: '2' },
    {},
    { A: 'x & y', B: '', C: '', '': '7' },
  ]);
  assert.deepEqual(await read('B'), [{ A: 'b' }]);
  const [first] = await read('A', { 'xl/sharedStrings.xml': null });
  assert.deepEqual(first, { A: '', C: '', AB: '2' });
});

test('what is no spreadsheet, or lacks the sheet, is refused with what there is', async () => {
  const refused = (work: Promise<unknown>, reason: RegExp) =>
    assert.rejects(work, (error: Error) => {
      assert.ok(error instanceof SheetRefused);
      assert.match(error.message, reason);
      return true;
    });
  await refused(read('C'), /^The file has no sheet C; it has A, B\.$/);
  await refused(read('C', { 'xl/workbook.xml': '<workbook/>' }), /^The file has no sheet C; it has none\.$/);
  const many = Array.from({ length: 25 }, (_, i) => `<sheet name="s${i}"/>`).join('');
  await refused(read('C', { 'xl/workbook.xml': `<workbook>${many}</workbook>` }), /it has s0, .*, s19\.$/);
  await refused(read('A', { 'xl/workbook.xml': null }), /^The file is no xlsx spreadsheet\.$/);
  await refused(read('A', { 'xl/_rels/workbook.xml.rels': null }), /^The file is no xlsx spreadsheet\.$/);
  await refused(read('A', { 'xl/worksheets/a.xml': null }), /^The sheet A is missing in the file\.$/);
  await refused(read('A', { 'xl/_rels/workbook.xml.rels': '<Relationships/>' }), /^The sheet A is missing/);
  await refused(
    readSheet(bufferSource(Buffer.from('no zip')), 'A', () => {}),
    /^The file is no xlsx spreadsheet: ./,
  );
});

test('parts that are not well-formed, or have a document type, are refused by name', async () => {
  for (const [text, reason] of [
    ['<worksheet><row></worksheet>', /^xl\/worksheets\/a\.xml is not well-formed: /],
    ['<!DOCTYPE x><worksheet/>', /^xl\/worksheets\/a\.xml has a document type\.$/],
    ['<worksheet>&any;</worksheet>', /^xl\/worksheets\/a\.xml is not well-formed: /],
  ] as const) {
    await assert.rejects(read('A', { 'xl/worksheets/a.xml': text }), {
      name: 'SheetRefused',
      message: reason,
    });
  }
});
