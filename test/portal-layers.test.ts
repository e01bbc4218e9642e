/** The layers of the 3D view, without a browser: what there is of a city, and how opaque each is. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readAddress } from '../packages/portal/src/core/address.ts';
import type { DatasetRow } from '../packages/portal/src/core/catalogue.ts';
import { readCommand } from '../packages/portal/src/three/embed-protocol.ts';
import { layersOf } from '../packages/portal/src/three/layer-list.ts';
import { opacityOf, withOpacity } from '../packages/portal/src/three/layer-opacity.ts';
import { LAND_USES, PAPER } from '../packages/portal/src/three/scene/ground-style.ts';
import { en, ja, type ThreeKey } from '../packages/portal/src/three/strings.ts';

/** A 3D Tiles dataset of one city, by its spec. */
function row(spec: string, year: number, type_en = 'bldg'): DatasetRow {
  return {
    id: `set_${spec}`,
    name: '建築物モデル',
    city: '青凪市',
    city_code: '47900',
    type_en,
    url: `http://a.example/assets/${spec}/tileset.json`,
    composite_url: `http://a.example/datacatalog/3dtiles/${spec}/tileset.json`,
    year,
    format: '3D Tiles',
    lod: '1',
  } as DatasetRow;
}

const CITY = [
  row('47900-bldg-lod1-2024', 2024),
  row('47900-bldg-lod1-2022', 2022),
  row('47900-tran-lod1-2024', 2024, 'tran'),
  row('47900-fld_natl_sumimigawa_l2-lod1-2024', 2024, 'fld'),
];
const BUILDINGS = '47900-bldg-maxlod4-latest';

describe('the layers of a city', () => {
  const idsOf = (model: string, also: string[] = []) =>
    layersOf(model, also, CITY).map(({ id, isShown }) => `${isShown ? '+' : '-'}${id}`);

  test('are the model, its other kinds, and its other years', () => {
    assert.deepEqual(idsOf(BUILDINGS), [
      `+${BUILDINGS}`,
      '-47900-fld_natl_sumimigawa_l2-maxlod4-latest',
      '-47900-tran-maxlod4-latest',
      '-47900-bldg-maxlod4-2022',
    ]);
  });

  test('are offered once, whatever detail is shown of them', () => {
    assert.deepEqual(idsOf('47900-bldg-lod1-2022', ['47900-fld_natl_sumimigawa_l2-lod1-latest']), [
      '+47900-bldg-lod1-2022',
      '+47900-fld_natl_sumimigawa_l2-lod1-latest',
      '-47900-tran-maxlod4-latest',
      '-47900-bldg-lod1-2024',
    ]);
    assert.deepEqual(idsOf(BUILDINGS, ['47900-bldg-lod1-2022']).at(-1), '-47900-tran-maxlod4-latest');
  });

  test('are beside what the city has not all of its kinds', () => {
    const all = [BUILDINGS, '47900-fld_natl_sumimigawa_l2-maxlod4-latest', '47900-tran-maxlod4-latest'];
    for (const other of ['nothing', '47900-brid-lod1-2024'])
      assert.deepEqual(idsOf(other), [`+${other}`, ...all.map((id) => `-${id}`)]);
    assert.deepEqual(
      layersOf('nothing', [], CITY.slice(0, 1)).map(({ id }) => id),
      ['nothing', BUILDINGS],
    );
  });

  test('are the model alone where nothing is known of its city', () => {
    assert.deepEqual(layersOf('set0', ['set1'], []), [
      { id: 'set0', kind: null, spec: null, isShown: true },
      { id: 'set1', kind: null, spec: null, isShown: true },
    ]);
  });
});

describe('opacity', () => {
  test('is whole for a layer that is not named', () => {
    const list = withOpacity(withOpacity([], BUILDINGS, 0.404), 'ground', 0);
    assert.deepEqual(list, [`${BUILDINGS}:40`, 'ground:0']);
    assert.equal(opacityOf(list, BUILDINGS), 0.4);
    assert.equal(opacityOf(list, 'ground'), 0);
    assert.equal(opacityOf(list, '47900-bldg'), 1);
    assert.deepEqual(withOpacity(list, 'ground', 0.999), [`${BUILDINGS}:40`]);
  });

  test('of an address is kept where it can be understood, and the rest is named', () => {
    const { state, leftOut } = readAddress('/', '?opacity=ground:50,ground,a:100,b:-1,c:9');
    assert.deepEqual(state.opacity, ['ground:50', 'c:9']);
    assert.deepEqual(leftOut, ['opacity=ground', 'opacity=a:100', 'opacity=b:-1']);
    assert.deepEqual(readAddress('/', '?opacity=half').state.opacity, []);
    const most = readAddress('/', `?opacity=${[...'abcdefghij'].map((name) => `${name}:1`).join(',')}`);
    assert.equal(most.state.opacity.length, 8);
    assert.deepEqual(most.leftOut, ['opacity=i:1', 'opacity=j:1']);
  });

  test('is set by a message as a list', () => {
    assert.deepEqual(readCommand({ type: 'show', opacity: ['ground:0'] }), {
      type: 'show',
      changes: { opacity: ['ground:0'] },
    });
    assert.ok('reason' in readCommand({ type: 'show', opacity: ['ground'] }));
    assert.ok('reason' in readCommand({ type: 'show', opacity: 'ground:0' }));
  });
});

test('every land use of the ground has a colour in both themes and a word in both languages', () => {
  for (const theme of ['light', 'dark'] as const) assert.equal(PAPER[theme].uses.length, LAND_USES.length);
  for (const use of LAND_USES) {
    const key = `land_${use}` as ThreeKey;
    assert.ok(en[key] !== undefined && ja[key] !== undefined && en[key] !== ja[key], use);
  }
});
