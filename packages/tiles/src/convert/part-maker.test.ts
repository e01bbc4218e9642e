import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contribution, type OutputKey, outputSuffix, type Part } from './part-maker.ts';

const keyOf = (more: Partial<OutputKey> = {}): OutputKey => ({
  ...{ kind: '3dtiles', type: 'bldg', sub: null, scale: null, wardCode: null, lod: 2 },
  ...{ noTexture: false, interior: false, symbols: null },
  ...more,
});
const partOf = (...keys: Array<Partial<OutputKey>>): Part => ({
  ...{ gml: { path: 'a', type: 'bldg', mesh: null, size: 1 }, directory: 'x' },
  outputs: keys.map((key, i) => ({ key: keyOf(key), features: i, data: null })),
});
/** Place of the output that a part adds; null for none. */
const added = (key: Partial<OutputKey>, ...keys: Array<Partial<OutputKey>>) =>
  contribution(keyOf(key), partOf(...keys))?.features ?? null;

test('a part adds its output of the level, else that of the highest level below', () => {
  assert.equal(added({}, { lod: 1 }, { lod: 2 }, { lod: 3 }), 1);
  assert.equal(added({ lod: 3 }, { lod: 1 }, { lod: 2 }), 1);
  assert.equal(added({ lod: 3 }, { lod: 2 }, { lod: 1 }), 0);
  assert.equal(added({ lod: 1 }, { lod: 2 }), null);
  assert.equal(added({ lod: 0 }, { lod: null }, { lod: 0 }), 1);
  assert.equal(added({ lod: null }, { lod: 0 }), null);
  assert.equal(added({ lod: null }, { lod: null }), 0);
  assert.equal(added({}), null);
});

test('of a level with textures and without a part adds what is asked for, else what it has', () => {
  const [plain, textured] = [{ noTexture: true }, {}];
  assert.equal(added({}, plain, textured), 1);
  assert.equal(added({}, textured, plain), 0);
  assert.equal(added({ noTexture: true }, textured, plain), 1);
  assert.equal(added({ noTexture: true }, plain, textured), 0);
  assert.equal(added({ noTexture: true }, textured), 0);
  // The level comes first.
  assert.equal(added({ lod: 3, noTexture: true }, textured, { lod: 1, noTexture: true }), 0);
});

test('outputs of another kind, class, scale, ward, or of the inside are none of it', () => {
  const others: Array<Partial<OutputKey>> = [
    ...[{ kind: 'mvt' as const }, { type: 'brid' }, { sub: 'a' }, { scale: 'l1' }, { wardCode: '14131' }],
    ...[{ interior: true }, { symbols: 'dm_annotations' as const }],
  ];
  for (const other of others) {
    assert.equal(added({}, other), null, JSON.stringify(other));
    assert.equal(added(other, {}), null, JSON.stringify(other));
    assert.equal(added(other, {}, other), 1, JSON.stringify(other));
  }
});

test('the name of an output says what it is, in the order of published names', () => {
  assert.equal(outputSuffix(keyOf()), 'bldg_3dtiles_lod2');
  assert.equal(outputSuffix(keyOf({ noTexture: true })), 'bldg_3dtiles_lod2_no_texture');
  assert.equal(outputSuffix(keyOf({ interior: true, lod: 3 })), 'bldg_3dtiles_lod3_interior');
  assert.equal(outputSuffix(keyOf({ wardCode: '14131' })), 'bldg_3dtiles_14131_lod2');
  assert.equal(
    outputSuffix(keyOf({ wardCode: '14131' }), 'kawasaki-ku'),
    'bldg_3dtiles_14131_kawasaki-ku_lod2',
  );
  assert.equal(outputSuffix(keyOf(), 'kawasaki-ku'), 'bldg_3dtiles_lod2');
  assert.equal(outputSuffix(keyOf({ kind: 'mvt', type: 'tran', lod: 0 })), 'tran_mvt_lod0');
  assert.equal(
    outputSuffix(keyOf({ kind: 'mvt', type: 'frn', lod: null, symbols: 'dm_annotations' })),
    'frn_dm_annotations',
  );
  assert.equal(
    outputSuffix(keyOf({ type: 'fld', sub: 'natl_a', scale: 'l2', lod: null, noTexture: true })),
    'fld_natl_a_3dtiles_l2_no_texture',
  );
});
