import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { geoidHeight, readGsigeo2011, readRevision, revisionAt } from '@citymodel/geo';
import type { HeightModel } from '../part-maker.ts';
import { readRecords } from '../read/read-records.ts';
import { partContext } from '../read/testing/gml-source.ts';
import { box, building, fixture, solid } from '../tiles3d/testing/fixture-gml.ts';
import type { HeightGrid } from './height-grid.ts';
import { gridFor, heightModel, loadEgm96 } from './height-model.ts';
import { BadGrid } from './read-grid.ts';

const directory = mkdtempSync(join(tmpdir(), 'citymodel-datums-'));
after(() => rmSync(directory, { recursive: true, force: true }));

const TOKYO = [139.77, 35.68] as const;
const SEA = [139.35, 34.9] as const;
const dH = (lng: number, lat: number) => revisionAt(readRevision(), lng, lat);
const N = geoidHeight(readGsigeo2011(), ...TOKYO)!;

/** A grid of N = 40 m around Tokyo. */
async function ownGrid(name: string, datum: 'jgd2011' | 'jgd2024'): Promise<HeightGrid> {
  const path = join(directory, name);
  writeFileSync(path, '35 139 1.0 1.0 2 2 1 v\n40 40\n40 40\n');
  return (await gridFor('geoid', path, datum))!;
}

function near(found: number, expected: number): void {
  assert.ok(Math.abs(found - expected) < 1e-9, `${found} is not ${expected}`);
}

test('heights of JGD2024 go back to JGD2011 by their correction, then to the ellipsoid by GSIGEO2011', async () => {
  const model = heightModel('geoid', await gridFor('geoid', ''), null);
  assert.ok(Math.abs(model.offset(...TOKYO) - N) < 1e-4);
  assert.equal(model.isRevised, false);
  const before = model.offset(...TOKYO, 'jgd2011');
  near(model.offset(...TOKYO, 'jgd2024'), before - dH(...TOKYO)!);
  assert.equal(model.isRevised, true);
  assert.deepEqual(model.unrevised, { count: 0, first: null });
});

test('a geoid of JGD2024 takes its own heights as they are, and those of JGD2011 revised', async () => {
  const model = heightModel('geoid', await ownGrid('own.asc', 'jgd2024'), null);
  near(model.offset(...TOKYO, 'jgd2024'), 40);
  assert.equal(model.isRevised, false);
  near(model.offset(...TOKYO, 'jgd2011'), 40 + dH(...TOKYO)!);
  const old = heightModel('geoid', await ownGrid('own.asc', 'jgd2011'), null);
  near(old.offset(...TOKYO, 'jgd2011'), 40);
  near(old.offset(...TOKYO, 'jgd2024'), 40 - dH(...TOKYO)!);
});

test('EGM96 and elevations: the former fits heights of both datums together, the latter changes nothing', async () => {
  const egm96 = heightModel('egm96', null, await loadEgm96());
  near(egm96.offset(...TOKYO, 'jgd2024'), egm96.offset(...TOKYO) - dH(...TOKYO)!);
  const plain = heightModel('elevation', null, null);
  assert.equal(plain.offset(...TOKYO, 'jgd2024'), 0);
});

test(
  'where the correction is unknown, heights are passed on and counted; so is where the authority reads another ' +
    'grid',
  async () => {
    assert.equal(dH(...SEA), null);
    const model = heightModel('geoid', await gridFor('geoid', ''), await loadEgm96());
    const expected = model.offset(...SEA);
    assert.equal(model.offset(...SEA, 'jgd2024'), expected);
    model.offset(139.4, 34.9, 'jgd2024');
    assert.deepEqual(model.unrevised, { count: 2, first: SEA });
    assert.equal(model.isRevised, false);
    // Second mesh 543664.
    const noto = [136.55, 36.52] as const;
    assert.notEqual(dH(...noto), null);
    model.offset(...noto, 'jgd2024');
    assert.deepEqual(model.otherGrid, { count: 1, first: noto });
  },
);

test('a geoid that says another datum than the setting is refused', async () => {
  await assert.rejects(gridFor('geoid', '', 'jgd2024'), /GEOID_DATUM=jgd2024 needs a geoid/);
  for (const [name, datum] of [
    ['JPGEO2024.asc', 'jgd2011'],
    ['gsigeo2011_ver2_1.asc', 'jgd2024'],
  ] as const) {
    await assert.rejects(ownGrid(name, datum), (error) => {
      assert.ok(error instanceof BadGrid);
      assert.match(error.message, /Set GEOID_DATUM to jgd20/);
      return true;
    });
  }
  assert.equal((await ownGrid('JPGEO2024.asc', 'jgd2024')).datum, 'jgd2024');
  const isg = join(directory, 'own.isg');
  writeFileSync(isg, 'begin_of_head\nmodel name : JPGEO2024\nend_of_head\n');
  await assert.rejects(gridFor('geoid', isg), /is a geoid of JGD2024/);
  assert.equal(await gridFor('elevation', isg), null);
});

test('a file that is labelled JGD2024 instead of JGD2011 lies lower by the correction, in every vertex', async () => {
  const grid = await gridFor('geoid', '');
  const positionsOf = async (srs: string): Promise<Float64Array> => {
    const scratch = join(directory, srs.replaceAll(/\W/g, '_'));
    mkdirSync(scratch);
    const model: HeightModel = heightModel('geoid', grid, await loadEgm96());
    const member = building('a', solid(1, box([0, 0, 0], [900, 700, 30])));
    const context = partContext(scratch, {}, (lng, lat, datum) => model.offset(lng, lat, datum));
    const { features, records } = await readRecords(fixture([member], { srs }), context, [1]);
    using open = records;
    assert.equal(features.length, 1);
    return Float64Array.from(open.body(features[0]!.record, 1).positions);
  };
  const before = await positionsOf('http://www.opengis.net/def/crs/EPSG/0/6697');
  for (const srs of ['http://www.opengis.net/def/crs/EPSG/0/11318', 'EPSG:6668+11317']) {
    const after = await positionsOf(srs);
    assert.equal(after.length, before.length);
    const corrections = new Set<number>();
    for (let i = 0; i < before.length; i += 3) {
      const correction = dH(before[i]!, before[i + 1]!);
      assert.notEqual(correction, null);
      corrections.add(correction!);
      assert.deepEqual(after.subarray(i, i + 2), before.subarray(i, i + 2));
      near(after[i + 2]!, before[i + 2]! - correction!);
    }
    assert.ok(corrections.size > 3, 'the correction is the same everywhere');
    assert.ok(!corrections.has(0));
  }
});

test('a feature of two kinds of heights, or of a vertical system without a model, is left out and named', async () => {
  const scratch = join(directory, 'mixed');
  mkdirSync(scratch);
  const of = (id: string, place: number) => building(id, solid(1, box([place, 0, 0], [9, 9, 9])));
  const [ellipsoid, depth] = ['EPSG:6667', 'EPSG:6668+5715'];
  const members = [
    of('plain', 0),
    // One of its faces is above the ellipsoid, the others above the sea.
    of('mixed', 20).replace('<gml:Polygon', `$& srsName="${ellipsoid}"`),
    of('deep', 40).replace('<gml:Solid', `$& srsName="${depth}"`),
    of('whole', 60).replace('<gml:Solid', `$& srsName="${ellipsoid}"`),
  ];
  for (const [heights, left] of [
    ['geoid', ['plain', 'whole']],
    ['elevation', ['plain', 'mixed', 'deep', 'whole']],
  ] as const) {
    const context = partContext(scratch, { heights });
    const { features, records } = await readRecords(fixture(members), context, [1]);
    using _open = records;
    assert.deepEqual(
      features.map(({ id }) => id),
      left,
    );
    const issues = context.issues.map(({ code, id }) => `${code} ${id}`).sort();
    const expected = ['HEIGHTS_MIXED mixed', 'VERTICAL_SYSTEM_REFUSED deep'];
    assert.deepEqual(issues, heights === 'geoid' ? expected : []);
  }
});
