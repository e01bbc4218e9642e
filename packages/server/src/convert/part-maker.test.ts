import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type OutputKey, outputSuffix, type Part } from '@citymodel/tiles';
import { contribution } from '@citymodel/tiles/testing';
import { parsePackageName } from '../catalogue/names/package-name.ts';

const key = (part: Partial<OutputKey>): OutputKey => ({
  kind: '3dtiles',
  type: 'bldg',
  sub: null,
  scale: null,
  wardCode: null,
  lod: null,
  noTexture: false,
  interior: false,
  symbols: null,
  ...part,
});

function partWith(...keys: OutputKey[]): Part {
  return {
    gml: { path: 'udx/bldg/53394525_bldg_6697_op.gml', type: 'bldg', mesh: '53394525', size: 1 },
    directory: '/parts/1',
    outputs: keys.map((output) => ({ key: output, features: 1, data: null })),
  };
}

test('names outputs as published packages are named', () => {
  const names: Array<[Partial<OutputKey>, string | null, string]> = [
    [{ lod: 1 }, null, 'bldg_3dtiles_lod1'],
    [{ lod: 2, noTexture: true }, null, 'bldg_3dtiles_lod2_no_texture'],
    [{ lod: 3, interior: true, noTexture: true }, null, 'bldg_3dtiles_lod3_interior_no_texture'],
    [
      { kind: 'mvt', type: 'unf', sub: 'WaterPipe', symbols: 'dm_annotations' },
      null,
      'unf_WaterPipe_dm_annotations',
    ],
    [{ lod: 2, wardCode: '13101' }, 'chiyoda-ku', 'bldg_3dtiles_13101_chiyoda-ku_lod2'],
    [
      { type: 'fld', sub: 'pref_oyabegawa_gandogawa', scale: 'l2', noTexture: true },
      null,
      'fld_pref_oyabegawa_gandogawa_3dtiles_l2_no_texture',
    ],
    [{ type: 'dem', lod: 1 }, null, 'dem_3dtiles_lod1'],
    [{ kind: 'mvt', type: 'luse' }, null, 'luse_mvt'],
    [{ kind: 'mvt', type: 'urf', sub: 'DistrictPlan', lod: 1 }, null, 'urf_DistrictPlan_mvt_lod1'],
  ];
  for (const [parts, ward, expected] of names) {
    const suffix = outputSuffix(key(parts), ward);
    assert.equal(suffix, expected);
    const parsed = parsePackageName(`13100_tokyo23-ku_city_2023_citygml_1_op_${suffix}`);
    assert.equal(parsed?.kind, parts.kind ?? '3dtiles');
    assert.equal(parsed?.tiles?.type, parts.type ?? 'bldg');
    assert.equal(parsed?.tiles?.lod, parts.lod ?? (parts.symbols === undefined ? null : 0));
    assert.equal(parsed?.tiles?.wardCode, parts.wardCode ?? null);
    assert.equal(parsed?.tiles?.noTexture, parts.noTexture ?? false);
    assert.equal(parsed?.tiles?.interior, parts.interior ?? false);
  }
});

test('a part adds its highest level of detail that an output may hold', () => {
  const inside = key({ lod: 3, interior: true });
  assert.equal(contribution(key({ lod: 3 }), partWith(inside)), null);
  assert.equal(contribution(inside, partWith(key({ lod: 3 }))), null);
  const lod1 = key({ lod: 1 });
  const lod2 = key({ lod: 2 });
  const bare = key({ lod: 2, noTexture: true });
  assert.deepEqual(contribution(lod2, partWith(lod1, lod2, bare))?.key, lod2);
  assert.deepEqual(contribution(bare, partWith(lod1, lod2, bare))?.key, bare);
  assert.deepEqual(contribution(bare, partWith(lod1, lod2))?.key, lod2);
  assert.deepEqual(contribution(bare, partWith(lod1))?.key, lod1);
  assert.equal(contribution(lod1, partWith(lod2)), null);
  assert.equal(contribution(key({ lod: 1, wardCode: '13101' }), partWith(lod1)), null);
});
