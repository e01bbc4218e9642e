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
