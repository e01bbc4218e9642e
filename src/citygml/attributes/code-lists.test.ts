import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCodeList } from './code-list.ts';
import { CodeLists, codeSpacePaths } from './code-lists.ts';

function dictionary(entries: Array<[string, string]>): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<gml:Dictionary xmlns:gml="http://www.opengis.net/gml" gml:id="x"><gml:description>the list</gml:description><gml:name>List</gml:name>${entries
    .map(
      ([code, label]) =>
        `<gml:dictionaryEntry><gml:Definition gml:id="i"><gml:description>${label}</gml:description><gml:name>${code}</gml:name></gml:Definition></gml:dictionaryEntry>`,
    )
    .join('')}</gml:Dictionary>`;
}

const entries = (text: string) => [...parseCodeList(Buffer.from(text))];

test('a dictionary maps names to descriptions', () => {
  assert.deepEqual(
    entries(
      dictionary([
        ['401', '業務施設'],
        ['402', 'a &amp; b'],
      ]),
    ),
    [
      ['401', '業務施設'],
      ['402', 'a & b'],
    ],
  );
});

test('byte order mark, blanks, CDATA, line ends and letter case do not matter', () => {
  const text = dictionary([
    [' 1\r\n ', '\n\t甲\r\n 乙 '],
    ['2', '<![CDATA[a < b]]>'],
  ])
    .replaceAll('gml:Definition', 'GML:definition')
    .replaceAll('gml:name', 'gml:Name');
  assert.deepEqual(entries(`\uFEFF${text}`), [
    ['1', '甲 乙'],
    ['2', 'a < b'],
  ]);
  assert.deepEqual(entries(` \r\n${text}`), entries(text));
});

test('GML 3.2: the identifier is the code where there is no name; several names are several codes', () => {
  assert.deepEqual(
    entries(`<Dictionary xmlns="http://www.opengis.net/gml/3.2"><identifier codeSpace="x">list</identifier>
      <dictionaryEntry><Definition><description>甲</description><identifier codeSpace="x">1</identifier></Definition></dictionaryEntry>
      <dictionaryEntry><Definition><name>2</name><name>two</name><description>乙</description></Definition></dictionaryEntry>
      <dictionaryEntry><Definition><name>3</name></Definition></dictionaryEntry></Dictionary>`),
    [
      ['1', '甲'],
      ['2', '乙'],
      ['two', '乙'],
    ],
  );
});

test('of a broken list the part before the fault counts; the first of two definitions wins', () => {
  const text = dictionary([
    ['1', 'a'],
    ['1', 'b'],
    ['2', 'c'],
  ]);
  assert.deepEqual(entries(text), [
    ['1', 'a'],
    ['2', 'c'],
  ]);
  assert.deepEqual(entries(text.slice(0, text.indexOf('<gml:description>c'))), [['1', 'a']]);
  assert.deepEqual(entries('no XML at all'), []);
  assert.deepEqual(entries(''), []);
});

test('references lead into the package, and to its lists when they climb too far or not far enough', () => {
  const gml = 'udx/fld/natl/river/53390000_fld_6697_op.gml';
  assert.deepEqual(codeSpacePaths(gml, '../../../../codelists/a.xml'), ['codelists/a.xml']);
  assert.deepEqual(codeSpacePaths(gml, '../../codelists/a.xml'), [
    'udx/fld/codelists/a.xml',
    'codelists/a.xml',
  ]);
  assert.deepEqual(codeSpacePaths(gml, '../../../../../codelists/a.xml'), ['codelists/a.xml']);
  assert.deepEqual(codeSpacePaths('udx/bldg/x.gml', ' ..\\..\\codelists\\a%20b.xml#top'), [
    'codelists/a b.xml',
  ]);
  assert.deepEqual(codeSpacePaths('udx/bldg/x.gml', 'https://example.com/lists/a.xml'), ['codelists/a.xml']);
  assert.deepEqual(codeSpacePaths('udx/bldg/x.gml', '../..'), []);
  assert.deepEqual(codeSpacePaths('udx/bldg/x.gml', 'a%E0.xml'), ['udx/bldg/a%E0.xml', 'codelists/a%E0.xml']);
});

test('a list is read once, a missing one is missing, and a failure is not remembered', async () => {
  const reads: string[] = [];
  let fail = true;
  const lists = new CodeLists(async (path) => {
    reads.push(path);
    if (path === 'codelists/flaky.xml' && fail) throw new Error('store is down');
    return path.startsWith('codelists/') && !path.includes('gone')
      ? Buffer.from(dictionary([['1', path]]))
      : null;
  });
  const gml = 'udx/bldg/x.gml';
  const spaces = ['../../codelists/a.xml', '../../codelists/gone.xml'];
  const [labels] = await Promise.all([lists.labels(gml, spaces), lists.labels(gml, spaces)]);
  assert.equal(labels('../../codelists/a.xml', ' 1 '), 'codelists/a.xml');
  assert.equal(labels('../../codelists/a.xml', '2'), undefined);
  assert.equal(labels('../../codelists/gone.xml', '1'), undefined);
  assert.equal(labels('never loaded', '1'), undefined);
  assert.deepEqual(reads, ['codelists/a.xml', 'codelists/gone.xml']);

  await assert.rejects(lists.labels(gml, ['../../codelists/flaky.xml']), /store is down/);
  fail = false;
  const again = await lists.labels(gml, ['../../codelists/flaky.xml']);
  assert.equal(again('../../codelists/flaky.xml', '1'), 'codelists/flaky.xml');
});

test('the list that was used longest ago goes first', async () => {
  const reads: string[] = [];
  const lists = new CodeLists(async (path) => {
    reads.push(path);
    return Buffer.from(dictionary([['1', 'x']]));
  }, 2);
  for (const name of ['a', 'b', 'a', 'c', 'a', 'b']) await lists.labels('x.gml', [`codelists/${name}.xml`]);
  assert.deepEqual(reads, ['codelists/a.xml', 'codelists/b.xml', 'codelists/c.xml', 'codelists/b.xml']);
});
