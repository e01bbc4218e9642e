import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryFiles } from '@citymodel/tiles/testing';
import { readPartNames } from './part-names.ts';

const list = (entries: Record<string, string>) =>
  `<gml:Dictionary xmlns:gml="http://www.opengis.net/gml">${Object.entries(entries)
    .map(
      ([code, name]) =>
        `<gml:dictionaryEntry><gml:Definition><gml:description>${name}</gml:description>` +
        `<gml:name>${code}</gml:name></gml:Definition></gml:dictionaryEntry>`,
    )
    .join('')}</gml:Dictionary>`;

const water = (listName: string, code: string) =>
  `<wtr:WaterBody><gml:description>図</gml:description><uro:description codeSpace="../../../../codelists/${listName}` +
  `.xml">${code}</uro:description></wtr:WaterBody>`;

const RIVERS = 'RiverFloodingRiskAttribute_description';

test(
  'names of parts come from the code lists, whatever the scale, the depth of the folder or the letter ' +
    'case',
  async () => {
    const names = await readPartNames(
      memoryFiles({
        'udx/fld/natl/kanogawa_kisegawa/52385721_fld_6697_l1_op.gml': water(RIVERS, ' 3 '),
        'udx/fld/natl/kanogawa_kisegawa/52385721_fld_6697_l2_op.gml': `${water(RIVERS, '1')}<!-- longer -->`,
        'udx/fld/pref/oyabegawa/55360704_fld_6697_l2-3.gml': water(RIVERS.toLowerCase(), '8'),
        'udx/tnm/22_1/523855_tnm_6697_op.gml': water('WaterBodyTsunamiRiskAttribute_description', '2'),
        'udx/fld/natl/unknown/52385721_fld_6697_l1_op.gml': water(RIVERS, '99'),
        'udx/fld/natl/listless/52385721_fld_6697_l1_op.gml': water('Other', '1'),
        'udx/fld/52385721_fld_6697_op.gml': water(RIVERS, '1'),
        'udx/bldg/natl/x/52385721_bldg_6697_op.gml': water(RIVERS, '1'),
        [`codelists/${RIVERS}.xml`]: list({ 1: '狩野川水系狩野川', 3: '狩野川水系黄瀬川', 8: '岸渡川\n' }),
        'codelists/TsunamiRiskAttribute_description.xml': list({ 2: '南海トラフ巨大地震（ケース１）' }),
      }),
    );
    assert.deepEqual(names, {
      'fld/natl_kanogawa_kisegawa': '狩野川水系黄瀬川',
      'fld/pref_oyabegawa': '岸渡川',
      'tnm/22_1': '南海トラフ巨大地震（ケース１）',
    });
  },
);

test('a file without such a code, or with very many other descriptions, gives no name', async () => {
  const path = 'udx/fld/natl/a/52385721_fld_6697_l1_op.gml';
  const lists = { [`codelists/${RIVERS}.xml`]: list({ 1: '川' }) };
  const other = '<gml:description>図</gml:description>'.repeat(1_000);
  assert.deepEqual(await readPartNames(memoryFiles({ [path]: other + water(RIVERS, '1'), ...lists })), {});
  assert.deepEqual(await readPartNames(memoryFiles({ [path]: other, ...lists })), {});
});

test('the smallest file of a part is read, the first of those as small, and never one that is too large', async () => {
  const lists = { [`codelists/${RIVERS}.xml`]: list({ 1: '一川', 2: '二川', 3: '三川' }) };
  const at = (mesh: string) => `udx/fld/natl/a/${mesh}_fld_6697_l1_op.gml`;
  const read = async (...files: Array<[mesh: string, text: string]>) =>
    (
      await readPartNames(
        memoryFiles({ ...Object.fromEntries(files.map(([mesh, text]) => [at(mesh), text])), ...lists }),
      )
    )['fld/natl_a'];
  const [small, large] = [water(RIVERS, '1'), `${water(RIVERS, '2')} `];
  assert.equal(await read(['52385721', large], ['52385722', small]), '一川');
  assert.equal(await read(['52385721', small], ['52385722', large]), '一川');
  assert.equal(await read(['52385721', small], ['52385722', water(RIVERS, '3')]), '一川');
  const limits: Array<number | undefined> = [];
  const files = memoryFiles({ [at('52385721')]: small, ...lists });
  const watched = {
    ...files,
    read: (path: string, limit?: number) => {
      limits.push(limit);
      return files.read(path, limit);
    },
  };
  assert.deepEqual(await readPartNames(watched), { 'fld/natl_a': '一川' });
  assert.deepEqual(limits, [32 * 2 ** 20, 8 * 2 ** 20]);
});

test('a code space may stand in single quotes, and a name has a hundred characters at most', async () => {
  const path = 'udx/fld/natl/a/52385721_fld_6697_l1_op.gml';
  const single = water(RIVERS, '1').replaceAll('"', "'");
  const name = '川'.repeat(101);
  const names = await readPartNames(
    memoryFiles({ [path]: single, [`codelists/${RIVERS}.xml`]: list({ 1: name }) }),
  );
  assert.deepEqual(names, { 'fld/natl_a': '川'.repeat(100) });
  const hundred = '<gml:description>図</gml:description>'.repeat(98) + water(RIVERS, '1');
  const lists = { [`codelists/${RIVERS}.xml`]: list({ 1: '川' }) };
  const found = async (text: string) =>
    (await readPartNames(memoryFiles({ [path]: text, ...lists })))['fld/natl_a'];
  // Each element has two tags of that name, as the last one has.
  assert.equal(await found(hundred.replaceAll('</gml:description>', '</gml:x>')), '川');
  assert.equal(
    await found(`<gml:description>図</gml:x>${hundred.replaceAll('</gml:description>', '</gml:x>')}`),
    undefined,
  );
});
