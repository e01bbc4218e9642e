import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { VerticalRefused } from '../heights/vertical.ts';
import type { GmlSource, PartContext } from '../part-maker.ts';
import {
  box,
  building,
  fixture,
  hills,
  RELIEF_PATH,
  relief,
  solid,
  tin,
  triangle,
} from '../tiles3d/testing/fixture-gml.ts';
import { readRecords } from './read-records.ts';
import { partContext } from './testing/gml-source.ts';

/** What is read of a file: its features, and the issues about them. */
async function read(
  t: TestContext,
  gml: GmlSource,
  options: Partial<PartContext['options']> = {},
  tiled: readonly number[] = [1, 2, 3, 4],
) {
  const scratch = mkdtempSync(join(tmpdir(), 'citymodel-read-'));
  t.after(() => rmSync(scratch, { recursive: true }));
  const context = partContext(scratch, options);
  const found = await readRecords(gml, context, tiled);
  t.after(() => found.records[Symbol.dispose]());
  const features = found.features.map(({ id, bodies }) => {
    const lods = bodies.flatMap((body, lod) => (body === null ? [] : [lod]));
    return `${id} ${lods}`;
  });
  return {
    ...{ ...found, features, context },
    issues: context.issues.map(({ code, id, count }) => `${code} ${id} ${count}`).sort(),
  };
}

const house = (id: string, lods: readonly number[], place = 0) =>
  building(id, lods.map((lod) => solid(lod, box([place, 0, 0], [9, 9, 9], `${id}-${lod}`))).join(''));

test('features have the bodies of levels that are wanted, and those without one for tiles are left out', async (t) => {
  const members = [house('a', [1, 2]), house('b', [3], 20), house('c', [1], 40)];
  assert.deepEqual((await read(t, fixture(members))).features, ['a 1,2', 'b 3', 'c 1']);
  assert.deepEqual((await read(t, fixture(members), { lods: [2] })).features, ['a 1,2', 'c 1']);
  assert.deepEqual((await read(t, fixture(members), { lods: [0] })).features, ['a 1', 'c 1']);
  assert.deepEqual((await read(t, fixture(members), {}, [2, 3])).features, ['a 1,2', 'b 3']);
});

test('a file without a system that is known has no features, and each is counted', async (t) => {
  const members = [house('a', [1]), house('b', [1], 20)];
  for (const srs of ['EPSG:1', null]) {
    const { features, issues, srsName } = await read(t, fixture(members, { srs }));
    assert.deepEqual([features, issues, srsName], [[], ['CRS_UNKNOWN a 2'], srs]);
  }
});

test('terrain among buildings is no building, and terrain in other forms than triangles is counted', async (t) => {
  const terrain = relief('r', 1, [
    tin(
      1,
      hills([0, 0], 2, 9, () => 5).map((corners) => triangle(corners)),
    ),
  ]);
  const mixed = await read(t, fixture([terrain, house('a', [1])]));
  assert.deepEqual([mixed.features, mixed.issues], [['a 1'], []]);
  const points = '<dem:MassPointRelief gml:id="p"><dem:lod>1</dem:lod></dem:MassPointRelief>';
  const component = (inner: string) => `<dem:reliefComponent>${inner}</dem:reliefComponent>`;
  const composite = `<dem:ReliefFeature gml:id="c">${component(points)}</dem:ReliefFeature>`;
  const raster = '<dem:RasterRelief gml:id="g"><dem:lod>1</dem:lod></dem:RasterRelief>';
  const whole = terrain.replace('</dem:ReliefFeature>', `${component(composite)}${component(raster)}$&`);
  const others = await read(t, fixture([whole], { path: RELIEF_PATH }), {}, [1]);
  assert.deepEqual(others.features, ['r 1']);
  // One for each form.
  assert.deepEqual(others.issues, ['RELIEF_UNCONVERTED r 1', 'RELIEF_UNCONVERTED r 1']);
});

test('appearances of features, and of what is in them, come with those of the file', async (t) => {
  const material = (target: string) =>
    `<app:appearance><app:Appearance><app:surfaceDataMember><app:X3DMaterial><app:diffuseColor>1 0 0` +
    `</app:diffuseColor><app:target>#${target}</app:target></app:X3DMaterial></app:surfaceDataMember>` +
    `</app:Appearance></app:appearance>`;
  const inner =
    `<bldg:boundedBy><bldg:WallSurface gml:id="w">${material('b')}</bldg:WallSurface></bldg:boundedBy>` +
    `<bldg:outer><gml:Null>${material('c')}</gml:Null></bldg:outer>`;
  const of = building('a', solid(1, box([0, 0, 0], [9, 9, 9])), material('a') + inner);
  const { appearances } = await read(t, fixture([of]));
  assert.equal(appearances.colours.length, 2);
});

test('a file of heights that cannot be raised is refused, unless heights stay as they are', async (t) => {
  const gml = fixture([house('a', [1])], { srs: 'EPSG:6668+5715' });
  await assert.rejects(read(t, gml), VerticalRefused);
  assert.deepEqual((await read(t, gml, { heights: 'elevation' })).features, ['a 1']);
  // A file is not refused for a system that none of its geometry is in.
  const own = house('c', [1]).replace('<gml:Solid', '$& srsName="EPSG:6697"');
  assert.deepEqual((await read(t, fixture([own], { srs: 'EPSG:6668+5715' }))).features, ['c 1']);
  // A feature whose geometry alone is in such a system is left out.
  const deep = house('b', [1], 20).replace('<gml:Solid', '$& srsName="EPSG:6668+5715"');
  const mixed = await read(t, fixture([house('a', [1]), deep]));
  assert.deepEqual([mixed.features, mixed.issues], [['a 1'], ['VERTICAL_SYSTEM_REFUSED b 1']]);
});
