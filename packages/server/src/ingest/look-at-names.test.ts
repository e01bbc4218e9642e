import assert from 'node:assert/strict';
import { test } from 'node:test';
import { identify, type Overrides } from './identify.ts';
import type { PackageLayout } from './layout.ts';
import { lookAtNames } from './look-at-names.ts';
import { PackageRefused, type Upload } from './upload.ts';

const NOW = new Date(Date.UTC(2026, 5, 1));

function look(
  name: string,
  kind: PackageLayout['kind'],
  members: string[],
  overrides: Overrides = {},
  root = '',
) {
  const layout = { kind, root, tileExtension: null };
  const upload = { members: () => members.map((member) => ({ name: member })) } as unknown as Upload;
  return lookAtNames(upload, layout, identify([name], layout, overrides), { overrides, now: NOW });
}

test('of CityGML the files below the root are counted, with their types in the order of the catalogue', () => {
  const members = ['tran', 'bldg', 'bldg'].map((type, i) => `a/udx/${type}/5339452${i}_${type}_6697_op.gml`);
  const name = '13101_chiyoda-ku_city_2023_citygml_1_op';
  const odd = ['b/udx/bldg/53394525_bldg_6697_op.gml', 'a/udx/bldg/x.jpg', 'a/codelists/a.xml'];
  const { package: found, guessed } = look(name, 'citygml', [...members, ...odd], {}, 'a/');
  const { files, types, kind, cityCode, year, id, archiveSize, features, lod, texture } = found!;
  assert.deepEqual([kind, cityCode, year, files, types], ['citygml', '13101', 2023, 3, ['bldg', 'tran']]);
  assert.deepEqual([id, archiveSize, features, lod, texture], [null, null, 0, null, null]);
  for (const field of ['registrationYear', 'spec', 'license']) assert.ok(guessed.includes(field), field);
  for (const field of ['type', 'lod', 'texture']) assert.ok(!guessed.includes(field), field);
  assert.equal(found!.registrationYear, 2026);
});

test('of tiles every file counts, and the type is that of the name', () => {
  const name = '13101_chiyoda-ku_city_2023_citygml_1_op_bldg_3dtiles_lod2';
  const members = ['tileset.json', 'data/a.glb'];
  const { package: found, guessed } = look(name, '3dtiles', members);
  assert.deepEqual([found!.files, found!.types, found!.lod, found!.texture], [2, ['bldg'], 2, null]);
  assert.ok(guessed.includes('texture') && !guessed.includes('lod') && !guessed.includes('type'));
  const stated = { texture: false, registrationYear: 2020, spec: '3', license: 'CC0' };
  const sure = look(name, '3dtiles', members, stated);
  assert.deepEqual([sure.package!.texture, sure.package!.registrationYear], [false, 2020]);
  for (const field of Object.keys(stated)) assert.ok(!sure.guessed.includes(field), field);
});

test('a name that tells neither code nor year is refused with what is lacking', () => {
  const lacking = (overrides: Overrides) => {
    try {
      look('tower', 'citygml', [], overrides);
    } catch (error) {
      assert.ok(error instanceof PackageRefused && error.code === 'UNKNOWN_NAME');
      return /so that (.*) must be given/.exec(error.message)![1];
    }
    return assert.fail('it is taken');
  };
  assert.equal(lacking({}), 'the municipality code and the year');
  assert.equal(lacking({ code: '13101' }), 'the year');
  assert.equal(lacking({ year: 2023 }), 'the municipality code');
});
