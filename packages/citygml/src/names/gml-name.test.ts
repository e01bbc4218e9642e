import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type GmlName, mapSheetOf, parseGmlName } from './gml-name.ts';

const bldg: GmlName = { type: 'bldg', mesh: '53394509', epsg: 6697, sub: null, extra: null, conforms: true };

describe('names of GML files', () => {
  it('reads the rule and its variants', () => {
    assert.deepEqual(parseGmlName('udx/bldg/53394509_bldg_6697_op.gml'), bldg);
    assert.deepEqual(parseGmlName('bldg/53394509_bldg_6697.gml'), bldg);
    assert.deepEqual(parseGmlName('53394509_bldg_6697_op.gml'), bldg);
    assert.deepEqual(parseGmlName('udx/bldg/53392633_bldg_6697_2_op.gml'), {
      ...bldg,
      mesh: '53392633',
      extra: '2',
    });
    const urf = parseGmlName('udx/urf/533915_urf_6668_yoto_op.gml');
    assert.deepEqual([urf.mesh, urf.epsg, urf.extra, urf.conforms], ['533915', 6668, 'yoto', true]);
    assert.equal(parseGmlName('udx/dem/523965_dem_6697_05_op.gml').extra, '05');
    assert.equal(parseGmlName('udx/dem/5239_dem_6697_op.gml').mesh, '5239');
    assert.equal(parseGmlName('udx/bldg/533945091_bldg_6697_op.gml').mesh, '533945091');
    assert.equal(parseGmlName('udx/bldg/5339450912_bldg_6697_op.gml').mesh, '5339450912');
  });

  it('knows sheets of the national base map', () => {
    for (const sheet of ['08EE752', '09LD', '19TH00', '06OD123A', '06OD1234'])
      assert.equal(mapSheetOf(`udx/unf/${sheet}_unf_10169_op.gml`), sheet);
    for (const name of ['53394509_unf', 'LoD2_32', '08EE75A_unf', '20AA_unf', '08EE752.gml', 'x'])
      assert.equal(mapSheetOf(`udx/unf/${name}`), null);
  });

  it('skips a prefix before the mesh', () => {
    const electricity = parseGmlName('udx/unf/elec_53403039_unf_6697.gml');
    assert.deepEqual(electricity, { ...bldg, type: 'unf', mesh: '53403039' });
    assert.equal(parseGmlName('udx/brid/hodokyo_51324378_brid_6697.gml').mesh, '51324378');
    assert.equal(parseGmlName('udx/unf/2022_53403039_unf_6697.gml').mesh, '53403039');
  });

  it('reads rivers, scales and scenarios from nested directories', () => {
    const flood = parseGmlName('udx/fld/natl/kanogawa_kisegawa/52385721_fld_6697_l1_op.gml');
    assert.equal(flood.type, 'fld');
    assert.deepEqual(flood.sub, {
      code: 'natl_kanogawa_kisegawa_l1',
      name: 'natl_kanogawa_kisegawa_l1',
      admin: 'natl',
      river: 'kanogawa_kisegawa',
      scale: 'l1',
      scaleSuffix: null,
    });
    assert.equal(flood.conforms, true);
    assert.equal(flood.extra, null);
    assert.equal(parseGmlName('udx/fld/pref/a/52385721_fld_6697_l2-3_op.gml').sub?.scaleSuffix, '3');
    const tsunami = parseGmlName('udx/tnm/22_1/523855_tnm_6697_op.gml');
    assert.deepEqual([tsunami.type, tsunami.sub?.code, tsunami.mesh], ['tnm', '22_1', '523855']);
  });

  it('takes what there is from odd names', () => {
    const odd = { ...bldg, epsg: null, conforms: false };
    assert.deepEqual(parseGmlName('udx/bldg/L-bldg-02 1.gml'), { ...odd, mesh: null });
    assert.deepEqual(parseGmlName('udx/bldg/TestCase.gml'), { ...odd, mesh: null });
    assert.deepEqual(parseGmlName('udx/bldg/51357441_bldg_Issue138-B.gml'), {
      ...odd,
      mesh: '51357441',
      extra: 'Issue138-B',
    });
    assert.deepEqual(parseGmlName('udx/bldg/53392642_bldg_6697_op2.gml'), {
      ...bldg,
      mesh: '53392642',
      conforms: false,
    });
    assert.deepEqual(parseGmlName('udx/cons/53394509_bldg_6697_op.gml'), {
      ...bldg,
      type: 'cons',
      conforms: false,
    });
    assert.deepEqual(parseGmlName('udx/bldg/53394599_6697_op.gml'), { ...odd, mesh: '53394599', epsg: 6697 });
    assert.deepEqual(parseGmlName('udx/bldg/53395899_bldg_6697_op.gml').mesh, null);
    assert.equal(parseGmlName('udx/xyz/53394509_xyz_6697_op.gml').type, 'xyz');
    assert.equal(parseGmlName('readme.gml').type, 'gen');
  });
});
