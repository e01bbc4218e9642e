/** Two editions in the 3D view: which years can be compared, and how features of either look. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WATER_DEPTHS, waterDepthOf } from '../packages/base/src/water-depths.ts';
import type { Became, Difference } from '../packages/portal/src/changes/comparison.ts';
import { toggled } from '../packages/portal/src/changes/comparison.ts';
import type { ModelKind } from '../packages/portal/src/three/choice.ts';
import { readSpec } from '../packages/portal/src/three/choice.ts';
import { editionsOf, lookOf, olderYears, UNCHANGED } from '../packages/portal/src/three/editions.ts';
import { Painter } from '../packages/portal/src/three/scene/paint.ts';

const kind = { key: 'bldg', type: 'bldg', sub: null, years: [2024, 2022, 2019] } as unknown as ModelKind;
const COLOURS = { new: '#1', gone: '#2', higher: '#3', lower: '#4', changed: '#5' };

const metres = (from: number, to: number) => ({ height: { from, to } });
const DIFFERENCES = [
  { change: 'added', id: 'n' },
  { change: 'removed', id: 'g' },
  { change: 'removed', id: null },
  { change: 'changed', id: 'h', fromId: 'h-before', geometry: metres(6, 9) },
  { change: 'changed', id: 'l', fromId: 'l', geometry: metres(9, 6) },
  { change: 'changed', id: 'c', fromId: 'c', geometry: null },
] as unknown as Difference[];

const lookOfIds = (look: ReturnType<typeof lookOf>, isOlder: boolean) =>
  ['n', 'g', 'h', 'h-before', 'l', 'c', 'same', null].map((id) => look.colourOf(id, isOlder));

test('a model is compared with years of its kind before its own', () => {
  const newest = readSpec('47950-bldg-maxlod4-latest')!;
  assert.deepEqual(olderYears(newest, kind), [2022, 2019]);
  assert.deepEqual(olderYears({ ...newest, year: 2022 }, kind), [2019]);
  assert.deepEqual(olderYears({ ...newest, year: 2019 }, kind), []);
  assert.deepEqual(
    olderYears(newest, { ...kind, sub: 'natl_kanogawa_l1' }),
    [],
    'a river is part of its type',
  );
  assert.deepEqual(editionsOf(newest, kind, 2022), {
    comparison: { area: '47950', type: 'bldg', from: '2022', to: '2024' },
    older: '47950-bldg-maxlod4-2022',
    from: 2022,
    to: 2024,
  });
  for (const year of [2024, 2020, 2030]) assert.equal(editionsOf(newest, kind, year), null);
});

test('both editions drawn as one: the newer in colours, and of the older what is gone', () => {
  const look = lookOf(DIFFERENCES, new Set(), COLOURS, false);
  assert.equal(look.isColoured, true);
  const same = undefined;
  assert.deepEqual(lookOfIds(look, false), ['#1', same, '#3', same, '#4', '#5', same, same]);
  assert.deepEqual(lookOfIds(look, true), [null, '#2', null, null, null, null, null, null]);
});

test('beside a border all of the older edition is drawn, by its own ids', () => {
  const look = lookOf(DIFFERENCES, new Set(), COLOURS, true);
  const same = undefined;
  assert.deepEqual(lookOfIds(look, true), [same, '#2', same, '#3', '#4', '#5', same, same]);
});

test('what the legend leaves out looks as if it were the same', () => {
  const hidden = toggled(toggled(new Set<Became>(), 'new'), 'gone');
  const look = lookOf(DIFFERENCES, hidden, COLOURS, false);
  assert.equal(look.colourOf('n', false), undefined);
  assert.equal(look.colourOf('g', true), null);
  assert.deepEqual([...toggled(hidden, 'new')], ['gone']);
});

test('without known differences the newer edition keeps its colours, and a border shows both', () => {
  assert.deepEqual(
    [false, true].map((hasBorder) => {
      const look = lookOf(null, new Set(), COLOURS, hasBorder);
      return [look.isColoured, look.colourOf('a', false), look.colourOf('a', true)];
    }),
    [
      [false, undefined, null],
      [false, undefined, undefined],
    ],
  );
});

test('water of two editions keeps the colours of its depths, and what has come has that of the legend', () => {
  const painter = new Painter();
  const shown = { url: 'a' } as never;
  painter.filtered = shown;
  const colourOf = (id: string | null, isWater: boolean) => {
    if (isWater) painter.water.add(shown);
    const properties: Record<string, unknown> = { gml_id: id, fld_rank: '3' };
    const feature = {
      show: true,
      color: { toCssHexString: () => 'none' },
      getPropertyIds: () => Object.keys(properties),
      getProperty: (name: string) => properties[name],
    };
    const content = { url: 'a', featuresLength: 1, getFeature: () => feature };
    painter.paint({ content, tileset: shown } as never);
    return feature.color.toCssHexString();
  };
  painter.look = lookOf(DIFFERENCES, new Set(), { ...COLOURS, new: '#112233' }, true);
  assert.equal(colourOf('same', false), UNCHANGED);
  assert.equal(colourOf('n', true), '#112233');
  const [, rgb] = WATER_DEPTHS[waterDepthOf('3')]!;
  const depth = `#${rgb.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
  assert.equal(colourOf(null, true), depth);
  // While the service compares, too.
  painter.look = lookOf(null, new Set(), COLOURS, true);
  assert.equal(colourOf(null, true), depth);
});
