import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codeListInSteps, parseCodeList } from './code-list.ts';
import { CodeLists, codeSpacePaths } from './code-lists.ts';

function dictionary(entries: Array<[string, string]>): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<gml:Dictionary xmlns:gml="http://www.opengis.net/gml" gml:id="x"><gml:description>the list</gml:description>\
<gml:name>List</gml:name>${entries
    .map(
      ([code, label]) =>
        `<gml:dictionaryEntry><gml:Definition gml:id="i"><gml:description>${label}</gml:description>` +
        `<gml:name>${code}</gml:name></gml:Definition></gml:dictionaryEntry>`,
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
      <dictionaryEntry><Definition><description>甲</description><identifier codeSpace="x">1</identifier>\
</Definition></dictionaryEntry>
      <dictionaryEntry><Definition><name>2</name><name>two</name><description>乙</description></Definition>\
</dictionaryEntry>
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

test("a list that is missing has no labels, and a failure of the loader is the caller's", async () => {
  const lists = new CodeLists(async (path) => {
    if (path === 'codelists/flaky.xml') throw new Error('store is down');
    return path === 'codelists/a.xml' ? new Map([['1', path]]) : null;
  });
  const labels = await lists.labels('udx/bldg/x.gml', ['../../codelists/a.xml', '../../codelists/gone.xml']);
  assert.equal(labels('../../codelists/a.xml', ' 1 '), 'codelists/a.xml');
  assert.equal(labels('../../codelists/a.xml', '2'), undefined);
  assert.equal(labels('../../codelists/gone.xml', '1'), undefined);
  assert.equal(labels('never loaded', '1'), undefined);
  await assert.rejects(lists.labels('udx/bldg/x.gml', ['../../codelists/flaky.xml']), /store is down/);
});

test('a reference is followed up to its length, and its query ends it wherever lines break', () => {
  const long = `../../codelists/${'a'.repeat(2_000)}.xml`;
  assert.deepEqual(codeSpacePaths('udx/bldg/x.gml', long), []);
  assert.deepEqual(codeSpacePaths('udx/bldg/x.gml', `${'?'.repeat(60_000)}\nx`), []);
  assert.deepEqual(codeSpacePaths('udx/bldg/x.gml', `a.xml${'?'.repeat(1_000)}\nx`), [
    'udx/bldg/a.xml',
    'codelists/a.xml',
  ]);
});

test('a list is read in steps of some thousand characters, wherever these cut it, and ends at its first fault', () => {
  const list = Array.from({ length: 3_000 }, (_, i): [string, string] => [
    `${i}`,
    `甲&amp;${'x'.repeat(i % 97)}`,
  ]);
  const text = dictionary(list);
  let steps = 0;
  const reading = codeListInSteps(Buffer.from(text));
  let found = reading.next();
  for (; !found.done; found = reading.next()) steps++;
  assert.ok(steps >= text.length / 10_000, `${text.length} characters in ${steps} steps`);
  assert.deepEqual(
    [...found.value],
    list.map(([code, label]) => [code, label.replace('&amp;', '&')]),
  );
  // Each further fault takes a while to tell.
  for (const faults of ['</b>', '\0', '<', '&b;']) {
    const faulty = `${dictionary([['1', 'a']]).replace('</gml:Dictionary>', '')}${faults.repeat(100_000)}`;
    const { done, value } = codeListInSteps(Buffer.from(faulty)).next();
    assert.ok(done, faults);
    assert.deepEqual([...value], [['1', 'a']]);
  }
});

test('what stands outside of definitions is no code, and one definition has nothing of another', () => {
  const definition = (content: string) => `<gml:Definition>${content}</gml:Definition>`;
  const list = (content: string) =>
    entries(`<gml:Dictionary xmlns:gml="http://www.opengis.net/gml">${content}</gml:Dictionary>`);
  const [name, label] = ['<gml:name>1</gml:name>', '<gml:description>a</gml:description>'];
  assert.deepEqual(list(`${name}${label}${definition('')}`), []);
  assert.deepEqual(list(`${definition(label)}${definition(name)}`), []);
  assert.deepEqual(list(`${definition(name + label)}${name}<gml:description>b</gml:description>`), [
    ['1', 'a'],
  ]);
  assert.deepEqual(list(definition(`<gml:identifier/>${label}`)), []);
  assert.deepEqual(list(definition(`<gml:name/><gml:identifier>2</gml:identifier>${label}`)), []);
  assert.deepEqual(list(definition(`${name}<gml:identifier>2</gml:identifier>${label}`)), [['1', 'a']]);
  // Of several descriptions the first counts, and of other elements nothing.
  assert.deepEqual(list(definition(`${name}${label}<gml:description>b</gml:description><gml:x>c</gml:x>`)), [
    ['1', 'a'],
  ]);
});

test('a list of the standard stands in for one that the package lacks, not for one that it has', async () => {
  const usage = '../../codelists/Building_usage.xml';
  const lacking = new CodeLists(async () => null);
  assert.equal((await lacking.labels('udx/bldg/x.gml', [usage]))(usage, '401'), '業務施設');
  const having = new CodeLists(async () => new Map([['1', 'one']]));
  const labels = await having.labels('udx/bldg/x.gml', [usage]);
  assert.deepEqual([labels(usage, '1'), labels(usage, '401')], ['one', undefined]);
  // A reference that names no file has no list.
  assert.equal((await lacking.labels('udx/bldg/x.gml', ['..']))('..', '401'), undefined);
});

test('the first list that is there counts: where the reference leads, then the lists of the package', async () => {
  const asked: string[] = [];
  const lists = new CodeLists(async (path) => {
    asked.push(path);
    return path === 'codelists/a.xml' ? new Map([['1', path]]) : null;
  });
  const labels = await lists.labels('udx/fld/natl/x.gml', ['../a.xml']);
  assert.equal(labels('../a.xml', '1'), 'codelists/a.xml');
  assert.deepEqual(asked, ['udx/fld/a.xml', 'codelists/a.xml']);
});

test('references begin at the file, at the package, or with dots and slashes that mean nothing', () => {
  const paths = (reference: string) => codeSpacePaths('udx/bldg/x.gml', reference);
  assert.deepEqual(paths('/lists/a.xml'), ['lists/a.xml', 'codelists/a.xml']);
  assert.deepEqual(paths('./a//b/./a.xml'), ['udx/bldg/a/b/a.xml', 'codelists/a.xml']);
  for (const reference of ['', '.', '..', 'a/', 'a/.', 'a/..'])
    assert.deepEqual(paths(reference), [], reference);
  assert.deepEqual(paths('x'.repeat(2_000)).length, 2);
  assert.deepEqual(paths('x'.repeat(2_001)), []);
});
